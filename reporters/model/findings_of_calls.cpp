// What the processes found wrong with their calls: joined over ranks, with advice.
#include "reporters/model/findings_of_calls.h"

#include <utility>

#include "decoder/base/grouped.h"
#include "reporters/model/finding_words.h"
#include "reporters/model/job_builder.h"

namespace ddtscope::reporters {
namespace {

/// Whether the argument is one of a call about a window: of an access, or of synchronisation.
bool is_of_window(std::string_view argument) {
  return argument == "win" || argument == "rank" || argument == "target_rank";
}

std::string advice_for(FindingId id, std::string_view argument) {
  switch (id) {
    case FindingId::null_type:
      return "Look where the handle comes from: it was never set, was freed in another function, or the call that "
             "should "
             "have made the type returned an error.";
    case FindingId::freed_type:
      return "Free the type after its last use. Communication that is pending when it is freed goes on.";
    case FindingId::uncommitted_type:
      return "Call MPI_Type_commit once, after the last constructor and before the first use.";
    case FindingId::negative_count:
      return "Look where the count is computed: an error code, an overflow or a difference that became negative.";
    case FindingId::null_buffer:
      return "Look where the buffer is allocated. MPI_BOTTOM, which is a null pointer too, is for types of absolute "
             "addresses.";
    case FindingId::bad_argument:
      if (is_of_window(argument)) {
        return "Begin the epoch before, by MPI_Win_fence, MPI_Win_start, MPI_Win_lock or MPI_Win_lock_all, and end "
               "each before the "
               "next begins.";
      }
      return "Look where the argument is computed; `ddtscope explain bad-argument` has an example.";
    case FindingId::op_type:
      return "Take an operation that MPI-4.1 6.9.2 allows for the type, or make one with MPI_Op_create.";
    case FindingId::job_aborted:
      return "Look why it does. `ddtscope pending` says what the other processes were in the middle of.";
    default:
      return "See `ddtscope explain`.";
  }
}

/// Whether a message tells values of its call, of which the next one may have others.
bool tells_values(FindingId id) {
  return id == FindingId::negative_count || id == FindingId::null_buffer || id == FindingId::bad_argument ||
         id == FindingId::job_aborted;
}

std::string_view at_least(const Job& job) { return job.complete() ? "" : "at least "; }

}  // namespace

std::string repetition(const Job& job, std::uint64_t count) {
  if (count <= 1) return {};
  return " It does so " + std::string(at_least(job)) + times(count) + ".";
}

JobFinding finding_about(const CallFinding& found) {
  JobFinding finding{};
  finding.type = found.type;
  finding.called = found.called;
  finding.argument = found.argument;
  finding.ranks = found.ranks;
  finding.count = found.count;
  finding.sites = {found.site};
  if (found.other) {
    finding.other =
        OtherParty{found.other->type, found.other->called, found.other->argument, found.ranks, found.other->site};
  }
  return finding;
}

void join_ranks(JobFinding& finding, const RankRanges& more) {
  join_ranks(finding.ranks, more);
  if (finding.other) finding.other->ranks = finding.ranks;
}

std::vector<JobFinding> findings_of_calls(const Job& job) {
  std::vector<JobFinding> findings;
  for (const CallFinding& found : job.call_findings) {
    const FindingKind* const kind = find_finding_kind(found.finding);
    const std::optional<Severity> severity = severity_of_text(found.severity);
    const bool is_pair = found.other.has_value();  // findings_of_pairs()
    if (kind == nullptr || !severity || found.count == 0 || is_pair) continue;
    JobFinding finding = finding_about(found);
    finding.kind = kind;
    finding.severity = *severity;
    finding.message = found.message;
    if (found.count > 1 && tells_values(id_of(*kind))) {
      finding.message += " The first of " + std::string(at_least(job)) + grouped(found.count) +
                         " such calls; others may have other values.";
    } else {
      finding.message += repetition(job, found.count);
    }
    finding.advice = advice_for(id_of(*kind), found.argument);
    if (!found.freed_by.empty()) {
      finding.other = OtherParty{found.type, found.freed_by, "datatype", found.ranks, found.freed_at};
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

JobBuilder::OtherKey JobBuilder::key_of_other(const CallFinding& finding) {
  if (!finding.other) return {};
  const OtherArgument& other = *finding.other;
  return {finding.access,
          finding.elements,
          other.type.value + 1,
          other.called,
          other.argument,
          other.access,
          other.site ? other.site->value + 1 : 0,
          other.elements,
          other.distance,
          other.is_of_same_call};
}

void JobBuilder::join_findings(const FileEnd& end) {
  for (const CallFindingRecord& record : end.findings) {
    if (record.count == 0) continue;
    if (find_finding_kind(record.finding) == nullptr) {
      job_.unknown_kinds.insert("\"finding " + std::string(record.finding) + "\"");
      continue;
    }
    CallFinding finding{job_.word(record.finding),
                        job_.word(record.severity),
                        std::nullopt,
                        job_.word(record.called),
                        job_.word(record.binding),
                        job_.word(record.argument),
                        site_of(record.site),
                        record.message,
                        job_.word(record.freed_by),
                        site_of(record.freed_at),
                        0,
                        {},
                        {},
                        0,
                        std::nullopt};
    if (record.type) finding.type = definition_of(*record.type);
    if (record.other) {
      const OtherArgumentRecord& other = *record.other;
      finding.access = job_.word(record.access);
      finding.elements = record.elements;
      finding.other = OtherArgument{definition_of(other.type),
                                    job_.word(other.called),
                                    job_.word(other.argument),
                                    job_.word(other.access),
                                    site_of(other.site),
                                    other.elements,
                                    other.distance,
                                    other.is_of_same_call};
    }
    const auto number_of = [](std::optional<FrameIndex> site) { return site ? site->value + 1 : 0; };
    const std::tuple key(finding.finding, finding.severity, finding.type ? finding.type->value + 1 : 0, finding.called,
                         finding.binding, finding.argument, number_of(finding.site), number_of(finding.freed_at),
                         key_of_other(finding));
    const auto [found, is_new] = call_findings_index_.try_emplace(key, job_.call_findings.size());
    if (is_new) job_.call_findings.push_back(std::move(finding));
    CallFinding& joined = job_.call_findings[found->second];
    joined.count += record.count;
    add_ranks(joined.ranks, record.ranks);
  }
}

}  // namespace ddtscope::reporters
