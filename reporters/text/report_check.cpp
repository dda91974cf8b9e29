// What is wrong with a job's types, where the library and ddtscope differ, and what the program left behind.
#include <algorithm>
#include <map>
#include <vector>

#include "reporters/text/report.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

constexpr std::uint64_t findings_limit = 50;
constexpr std::size_t notes_limit = 8;  // of each kind
constexpr std::size_t differences_limit = 50;

std::string name_of(const Job& job, DefinitionId id) {
  const TypeNumber number = job.number_of(id);
  return number.valid() ? id_and_name(job, number) + "  " + call_of(job, number) : printable(job.name_of(id));
}

/// "made in setup (app.c:12), ranks 0-3"
std::string place_of(const TextContext& context, const JobFinding& finding, const SiteFrames& frames) {
  return place_in_words(context, finding, frames) + (finding.ranks.empty() ? "" : ", " + words_of(finding.ranks));
}

void print_finding(std::ostream& out, const TextContext& context, const JobFinding& finding, const SiteFrames& frames) {
  const std::string measured = measured_in_words(context, finding);
  const std::string second = second_party_in_words(context, finding, frames);
  out << context.style(is_alarming(finding.severity) ? Role::warning : Role::faint, text_of(finding.severity)) << ": "
      << (finding.type ? name_of(context.job, *finding.type) : printable(finding.called)) << "\n"
      << "    " << printable(finding.message) << "\n"
      << "    " << printable(finding.advice) << "\n"
      << (measured.empty() ? "" : "    " + measured + "\n") << (second.empty() ? "" : "    " + second + "\n") << "    "
      << place_of(context, finding, frames) << "; more: ddtscope explain " << finding.kind->id << "\n";
}

/// Of each kind the first few, a block each.
void report_notes(std::ostream& out, const TextContext& context, JobFindings& findings, const SiteFrames& frames) {
  std::map<FindingId, std::vector<JobFinding>> by_kind;
  findings.each(Severity::note, [&](const JobFinding& finding) { by_kind[id_of(*finding.kind)].push_back(finding); },
                {.of_kind = notes_limit});
  for (const auto& [id, notes] : by_kind) {
    for (const JobFinding& finding : notes) print_finding(out, context, finding, frames);
    const std::uint64_t number = findings.number_of(Severity::note, id);
    if (number > notes.size()) {
      out << "... and " << counted(number - notes.size(), "more note", "more notes") << " of " << kind_of(id).id
          << ": `ddtscope check --json` lists all\n";
    }
  }
}

void report_left_out(std::ostream& out, const JobFindings::LeftOut& left_out) {
  if (left_out.all() == 0) return;
  out << counted(left_out.all(), "finding was", "findings were") << " left out: " << grouped(left_out.ignored)
      << " by --ignore, " << grouped(left_out.suppressed) << " by --suppressions.\n";
}

/// Allocated memory whose block is not certain: where a small one ends, an allocator tells nobody.
void report_unjudged(std::ostream& out, const Job& job) {
  const auto unjudged =
      static_cast<std::uint64_t>(std::count_if(job.buffers.begin(), job.buffers.end(), [](const JobBuffer& buffer) {
        const auto* heap = std::get_if<HeapPlace>(&buffer.place);
        return heap != nullptr && !(heap->block && heap->block->is_certain());
      }));
  if (unjudged == 0) return;
  out << counted(unjudged, "buffer lies", "buffers lie") << " in allocated memory whose end is not known: whether "
      << (unjudged == 1 ? "it is" : "they are") << " long enough was not judged.\n";
}

void report_findings(std::ostream& out, const TextContext& context, JobFindings& findings) {
  const SiteFrames frames(context.job);
  const FindingCounts& counts = findings.counts();
  const auto print = [&](const JobFinding& finding) { print_finding(out, context, finding, frames); };
  findings.each(Severity::error, print, {.all = findings_limit});
  findings.each(Severity::warning, print, {.all = findings_limit - std::min(findings_limit, counts.errors)});
  const std::uint64_t alarming = counts.errors + counts.warnings;
  if (alarming > findings_limit) {
    out << "... and " << counted(alarming - findings_limit, "more finding", "more findings")
        << ": `ddtscope check --json` lists all\n";
  }
  if (alarming == 0) {
    out << "No errors and no warnings about "
        << counted(static_cast<std::uint64_t>(context.job.types.size()), "definition", "definitions") << ".\n";
  }
  report_notes(out, context, findings, frames);
  report_left_out(out, findings.left_out());
  if (findings.buffers() && findings.buffers()->recorded > 0) {
    out << "Of " << counted(findings.buffers()->recorded, "buffer", "buffers") << " that calls were given "
        << grouped(findings.buffers()->known)
        << (findings.buffers()->known == 1 ? " is a known variable" : " are known variables") << " of the program.\n";
    report_unjudged(out, context.job);
  }
  for (const std::string& remark : findings.remarks()) {
    out << printable(remark) << "\n";
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

/// Of what goes from process to process it says nothing of arguments.
static bool is_of_collective(const JobFinding& finding) {
  return finding.kind == &kind_of(FindingId::collective_mismatch) ||
         (finding.kind == &kind_of(FindingId::signature_mismatch) && finding.argument.empty());
}

bool is_of_call(const JobFinding& finding) {
  return finding.kind == &kind_of(FindingId::failed_call) || !finding.argument.empty() || is_of_collective(finding);
}

std::string place_in_words(const ReportContext& context, const JobFinding& finding, const SiteFrames& frames) {
  const bool is_sent = !is_of_collective(finding) && (finding.kind == &kind_of(FindingId::signature_mismatch) ||
                                                      finding.kind == &kind_of(FindingId::truncated_message) ||
                                                      finding.kind == &kind_of(FindingId::unmatched_send));
  const std::string what = is_sent ? "sent by " + printable(finding.called) : is_of_call(finding) ? "called" : "made";
  const std::size_t others = finding.sites.empty() ? 0 : finding.sites.size() - 1;
  return what + " in " + telling_place_of(context.job, finding.site(), frames, context.symbols) +
         (others == 0 ? "" : " and at " + counted(std::uint64_t{others}, "other call site", "other call sites"));
}

std::string second_party_in_words(const ReportContext& context, const JobFinding& finding, const SiteFrames& frames) {
  if (!finding.other) return "";
  const OtherParty& other = *finding.other;
  if (other.called.empty()) return "";  // it did nothing
  const bool is_free = finding.kind == &kind_of(FindingId::freed_type);
  const bool is_collective = is_of_collective(finding);
  const bool is_message = !is_collective && (finding.kind == &kind_of(FindingId::signature_mismatch) ||
                                             finding.kind == &kind_of(FindingId::truncated_message));
  const TypeNumber number = context.job.number_of(other.type);
  return (is_free ? "freed" : (is_message ? "received by " : "") + printable(other.called)) + " in " +
         telling_place_of(context.job, other.site, frames, context.symbols) +
         (number.valid() ? (is_free ? "; was " : "; with ") + id_and_name(context.job, number) : "") +
         (is_message || is_collective ? ", " + words_of(other.ranks) : "");
}

void report_check(std::ostream& out, const TextContext& context, JobFindings& findings) {
  report_findings(out, context, findings);
  report_messages(out, context);
  report_differences(out, context);
  if (!context.job.complete()) {
    out << "The trace is " << completeness(context.job) << ".\n";
    if (!context.job.pending.empty()) out << "What each rank was in the middle of: `ddtscope pending`.\n";
  }
  report_switches(out, context);
  report_unrecorded(out, context);
}

}  // namespace ddtscope::reporters
