// The sections of a report, in the order in which they stand. A new one is a row in `sections` (sections.cpp), a
// function of this kind, and, where its script needs data, a member of what write_html_report() ends the page with.
#pragma once

#include <ostream>
#include <span>
#include <vector>

#include "reporters/html/page.h"
#include "reporters/model/job_findings.h"
#include "reporters/model/summary.h"

namespace ddtscope::reporters {

/// What the sections are written from.
struct SectionInput {
  const ReportContext& context;
  JobFindings& findings;
  Summary summary;
  std::vector<TypeNumber> types;  // those that the page tells of, ascending
};

struct Section {
  SectionLink link;
  bool (*is_there)(const SectionInput& input);  // an empty section is none
  void (*write)(std::ostream& out, const SectionInput& input);
};
std::span<const Section> report_sections();

void write_summary(std::ostream& out, const SectionInput& input);
void write_findings(std::ostream& out, const SectionInput& input);
void write_left_behind(std::ostream& out, const SectionInput& input);
void write_types(std::ostream& out, const SectionInput& input);
void write_uses(std::ostream& out, const SectionInput& input);
void write_call_sites(std::ostream& out, const SectionInput& input);
void write_portability(std::ostream& out, const SectionInput& input);

bool has_left_behind(const SectionInput& input);
bool has_uses(const SectionInput& input);
bool has_call_sites(const SectionInput& input);

class TypeData;
/// The tree of functions with the lives that were made below each, for the flame graph: [name, lives, [children]]; the
/// names are among the texts.
Json call_tree_json(const ReportContext& context, TypeData& texts);

/// Types that the page tells of: all, or, of very many, those with alarming findings, those never freed and those made
/// most.
std::vector<TypeNumber> types_of_page(const ReportContext& context, const Summary& summary);

}  // namespace ddtscope::reporters
