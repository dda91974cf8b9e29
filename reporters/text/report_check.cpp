// What is wrong with a job's types, where the library and ddtscope differ, and what the program left behind.
#include <algorithm>
#include <map>

#include "reporters/text/report.h"
#include "reporters/text/words.h"

namespace ddtscope {
namespace {

constexpr std::uint64_t findings_limit = 50;
constexpr std::size_t types_of_a_note = 8;
constexpr std::size_t differences_limit = 50;

void print_finding(std::ostream& out, const TextContext& context, TypeNumber type, const Finding& finding) {
  out << context.style(Role::warning, text_of(finding.severity)) << ": " << id_and_name(context.job, type) << "  "
      << call_of(context.job, type) << "\n"
      << "    " << printable(finding.message) << "\n"
      << "    " << printable(finding.advice) << "\n"
      << "    made in " << place_of(context.job, busiest_site(context.job, type), context.symbols)
      << "; more: ddtscope explain " << finding.kind->id << "\n";
}

/// The alarming ones in full, the notes a line for each kind.
void report_findings(std::ostream& out, const TextContext& context) {
  struct Notes {
    std::uint64_t number = 0;
    std::vector<TypeNumber> first;
  };
  std::map<std::string_view, Notes> by_kind;
  context.analysis.each_finding([&](TypeNumber type, const Finding& finding) {
    if (is_alarming(finding.severity)) return;
    Notes& notes = by_kind[finding.kind->id];
    if (notes.number++ < types_of_a_note) notes.first.push_back(type);
  });
  const FindingCounts& counts = context.analysis.finding_counts();
  const auto print = [&](TypeNumber type, const Finding& finding) { print_finding(out, context, type, finding); };
  context.analysis.each_finding(Severity::error, print, findings_limit);
  context.analysis.each_finding(Severity::warning, print, findings_limit - std::min(findings_limit, counts.errors));
  const std::uint64_t alarming = counts.errors + counts.warnings;
  if (alarming > findings_limit) {
    out << "... and " << counted(alarming - findings_limit, "more finding", "more findings")
        << ": `ddtscope check --json` lists all\n";
  }
  if (alarming == 0) {
    out << "No errors and no warnings about "
        << counted(static_cast<std::uint64_t>(context.job.types.size()), "definition", "definitions") << ".\n";
  }
  if (by_kind.empty()) {
    return;
  }
  out << "Notes (`ddtscope show` tells each, `ddtscope explain` what it means):\n";
  for (const auto& [id, notes] : by_kind) {
    out << "  " << padded_right(id, 18) << " ";
    for (std::size_t i = 0; i < notes.first.size(); ++i) {
      out << (i == 0 ? "" : ", ") << id_and_name(context.job, notes.first[i]);
    }
    if (notes.number > types_of_a_note) {
      out << " and " << grouped(notes.number - types_of_a_note) << " more";
    }
    out << "\n";
  }
}

std::string ranks_in_brackets(const JobDifference& difference) {
  return difference.ranks.empty() ? "" : " (" + words_of(difference.ranks) + ")";
}

/// A value of the trace, in words.
std::string bound_text(const std::string& json) {
  if (json == "null") return "undefined";
  return json.front() == '"' ? json.substr(1, json.size() - 2) : json;
}

/// What the library is known to answer otherwise than the standard: no alarm, but told, because a program that
/// computes with these bounds does otherwise than under another library.
void report_explained(std::ostream& out, const TextContext& context,
                      const std::vector<const JobDifference*>& differences) {
  out << "Known of the library, and no alarm:\n";
  for (std::size_t i = 0; i < std::min(differences_limit, differences.size()); ++i) {
    const JobDifference& difference = *differences[i];
    out << "  " << id_and_name(context.job, difference.type) << " " << difference.subject << ": by the standard "
        << bound_text(difference.computed) << "; "
        << context.analysis.releases()[*context.analysis.explanation(difference)].name << " is known to answer "
        << bound_text(difference.library) << "  " << call_of(context.job, difference.type)
        << ranks_in_brackets(difference) << "\n";
  }
  if (differences.size() > differences_limit) {
    out << "  ... and " << grouped(static_cast<std::uint64_t>(differences.size() - differences_limit))
        << " more: `ddtscope check --json` lists all\n";
  }
}

void report_differences(std::ostream& out, const TextContext& context) {
  const Job& job = context.job;
  const SortedDifferences differences = context.analysis.differences();
  const auto verified = static_cast<std::size_t>(
      std::count_if(job.ranks.begin(), job.ranks.end(), [](const JobRank& rank) { return rank.header.verify; }));
  for (const JobDifference* difference : differences.unexplained) {
    out << context.style(Role::warning, id_and_name(job, difference->type) + " " + printable(difference->subject))
        << ": ddtscope says " << printable(difference->computed) << ", the library " << printable(difference->library)
        << "  " << call_of(job, difference->type) << ranks_in_brackets(*difference) << "\n";
  }
  const char* none = differences.explained.empty() ? "No differences" : "No unexplained differences";
  if (!differences.unexplained.empty()) {
    out << counted(static_cast<std::uint64_t>(differences.unexplained.size()), "difference", "differences")
        << " between ddtscope and the library\n";
  } else if (verified == job.ranks.size()) {
    out << none << " between ddtscope and the library in "
        << counted(static_cast<std::uint64_t>(job.types.size()), "definition", "definitions") << ".\n";
  } else if (verified == 0) {
    out << "Nothing was verified: record with `ddtscope exec --verify` (DDTSCOPE_VERIFY=1) to compare with the "
           "library.\n";
  } else {
    out << none << " on the ranks that verified; " << job.ranks.size() - verified << " of " << job.ranks.size()
        << " did not.\n";
  }
  if (!differences.explained.empty()) report_explained(out, context, differences.explained);
  if (const std::string& remark = context.analysis.remark_on_release(); !remark.empty()) {
    out << printable(remark) << "\n";
  }
}

}  // namespace

void report_check(std::ostream& out, const TextContext& context) {
  report_findings(out, context);
  report_differences(out, context);
  if (!context.job.complete()) {
    out << "The trace is " << completeness(context.job) << ".\n";
  }
  report_left_behind(out, context);
}

}  // namespace ddtscope
