// What each verb does once its arguments are parsed. Returns the exit status.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reporters/text/picture.h"
#include "reporters/text/style.h"

namespace ddtscope {

inline constexpr int exit_fine = 0;
inline constexpr int exit_differences = 1;
inline constexpr int exit_usage = 2;
inline constexpr int exit_unreadable = 3;

enum class Format : unsigned char { text, json };

struct ReportOptions {
  std::vector<std::filesystem::path> traces;
  Format format = Format::text;
  Colour colour = Colour::never;
};

int run_summary(const ReportOptions& options);
int run_types(const ReportOptions& options);
int run_check(const ReportOptions& options);

struct ShowVerbOptions {
  ReportOptions report;
  std::string type;
  std::optional<View> view;
  std::optional<std::size_t> typemap_entries;
};
int run_show(const ShowVerbOptions& options);

/// "ddtscope: <sentence>" on stderr.
void complain(const std::string& sentence);

}  // namespace ddtscope
