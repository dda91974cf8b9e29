// The frame of a page, and the parts that all pages are made of.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "reporters/html/markup.h"
#include "reporters/report/report_format.h"

namespace ddtscope::reporters {

/// Up to <main>: the policy, the style, the heading.
void begin_page(std::ostream& out, std::string_view title);
/// A link for each section, in their order: (id, title).
struct SectionLink {
  std::string_view id, title;
};
void write_navigation(std::ostream& out, const std::vector<SectionLink>& links);
/// From </main> on: the data, JSON that the script finds by its id "data", and the script.
void end_page(std::ostream& out, const Json& data);

void begin_section(std::ostream& out, SectionLink section);
void end_section(std::ostream& out);

enum class Cells : std::uint8_t { words, numbers };
struct Column {
  std::string_view title;
  Cells cells = Cells::words;
};
/// A table that scrolls by itself where it is too wide. `id` is what the script knows it by; `label` what it is called.
void begin_table(std::ostream& out, std::string_view id, std::string_view label, const std::vector<Column>& columns);
void end_table(std::ostream& out);
/// "... and 12 more: <where>", where there are more than are shown.
void write_more(std::ostream& out, std::uint64_t more, std::string_view where);

/// The constructor call, as code.
void write_call(std::ostream& out, const Job& job, TypeNumber number);

/// `<span class="error">error</span>`
void write_severity(std::ostream& out, Severity severity);

}  // namespace ddtscope::reporters
