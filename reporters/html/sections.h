// The sections of a report, in the order in which they stand. A new one is a row in `sections` (sections.cpp), a
// function of this kind, and, where its script needs data, a member of what write_html_report() ends the page with.
#pragma once

#include <map>
#include <ostream>
#include <span>
#include <vector>

#include "reporters/html/page.h"
#include "reporters/model/job_findings.h"
#include "reporters/model/summary.h"

namespace ddtscope::reporters {

/// What is told of a type: by the decoder, and by the job, of its lives and of calls that it was used in; each by
/// severity. A type of the page has at most `most_of_type` of the latter.
class TypeFindings {
 public:
  static constexpr std::size_t most_of_type = 20;

  TypeFindings(const ReportContext& context, const JobFindings& findings);
  std::vector<Finding> of(TypeNumber number) const;

 private:
  Analysis& analysis_;
  std::map<TypeNumber, std::vector<Finding>> of_job_;
};

/// What the sections are written from.
struct SectionInput {
  const ReportContext& context;
  JobFindings& findings;
  TypeFindings type_findings;
  Summary summary;
  std::vector<TypeNumber> types;  // those that the page tells of, ascending
};

struct Section {
  SectionLink link;
  bool (*is_there)(const SectionInput& input);  // an empty section is none
  void (*write)(std::ostream& out, const SectionInput& input);
};
std::span<const Section> report_sections();

/// `<a href="#T9">T9</a> "column"`: a link to the type's row, where the page has one.
void write_type(std::ostream& out, const SectionInput& input, TypeNumber number);
/// The same; a predefined type by its name.
void write_type(std::ostream& out, const SectionInput& input, DefinitionId type);

void write_summary(std::ostream& out, const SectionInput& input);
void write_findings(std::ostream& out, const SectionInput& input);
void write_left_behind(std::ostream& out, const SectionInput& input);
void write_types(std::ostream& out, const SectionInput& input);
void write_uses(std::ostream& out, const SectionInput& input);
void write_traffic(std::ostream& out, const SectionInput& input);
void write_windows(std::ostream& out, const SectionInput& input);
void write_call_sites(std::ostream& out, const SectionInput& input);
void write_portability(std::ostream& out, const SectionInput& input);

bool has_findings(const SectionInput& input);
bool has_left_behind(const SectionInput& input);
bool has_uses(const SectionInput& input);
bool has_traffic(const SectionInput& input);
bool has_windows(const SectionInput& input);
bool has_call_sites(const SectionInput& input);

class TypeData;
/// The trees of functions for the flame graphs, {"lives", "bytes"}: [name, weight, [children]], what was made or moved
/// below each; the names are among the texts.
Json call_trees_json(const ReportContext& context, TypeData& texts);

}  // namespace ddtscope::reporters
