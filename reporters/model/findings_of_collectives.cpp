// What the comparison of collective operations tells, in words.
#include <string>
#include <utility>

#include "reporters/model/data_words.h"
#include "reporters/model/finding_words.h"
#include "reporters/model/job_findings.h"
#include "reporters/model/uses.h"

namespace ddtscope::reporters {
namespace {

class CollectiveFindings {
 public:
  explicit CollectiveFindings(const Job& job) : job_(job), words_(job) {}

  JobFinding of(const CollectiveMismatch& mismatch) {
    JobFinding finding{};
    const CollectiveOperation& one = operation(mismatch.operation);
    const bool has_amounts = mismatch.has_amounts();
    finding.kind = &kind_of(mismatch.kind == Kind::own ? FindingId::local_mismatch
                            : has_amounts              ? FindingId::signature_mismatch
                                                       : FindingId::collective_mismatch);
    finding.severity = mismatch.verdict == MessageVerdict::same_bytes ? Severity::warning : Severity::error;
    finding.count = mismatch.count;
    finding.called = one.called;
    finding.sites = {one.site};
    finding.ranks = mismatch.ranks;
    finding.other = OtherParty{std::nullopt, {}, {}, mismatch.other_ranks, std::nullopt};
    if (mismatch.other) {
      finding.other->called = operation(*mismatch.other).called;
      finding.other->site = operation(*mismatch.other).site;
    }
    if (has_amounts) {
      finding.type = (mismatch.is_sent_by_other ? mismatch.received : mismatch.sent).type;
      finding.other->type = (mismatch.is_sent_by_other ? mismatch.sent : mismatch.received).type;
    }
    if (mismatch.kind == Kind::own) {
      const bool has_types = bare_function_of(one.called).find("alltoallw") != std::string::npos;
      finding.argument = has_types ? "sendtypes" : "sendtype";
      finding.other->argument = has_types ? "recvtypes" : "recvtype";
    }
    finding.message = "R" + what(mismatch).substr(1) + which(mismatch);
    finding.advice = advice(mismatch, finding.severity);
    return finding;
  }

 private:
  using Kind = CollectiveMismatch::Kind;

  const CollectiveOperation& operation(CollectiveIndex index) const {
    return job_.messages.collective_operations[index.value];
  }

  static std::string advice(const CollectiveMismatch& mismatch, Severity severity) {
    if (!mismatch.has_amounts()) {
      return "Call the same operations in the same order in all processes of the communicator, with the same root and "
             "the same operation.";
    }
    if (severity != Severity::error) {
      return "It works where both are the same bytes; name the same basic types to be right.";
    }
    const std::string what = mismatch.kind == Kind::own ? "Describe the same data on both sides"
                                                        : "Give equal amounts of the same basic types in all processes";
    return what + "; `ddtscope match` compares two types.";
  }

  static std::string op_of(const CollectiveOperation& one) {
    if (one.op.empty()) return "no operation";
    return one.op == "user-defined" ? "an operation of the program" : std::string(one.op);
  }

  static std::string root_of(const CollectiveOperation& one) {
    switch (one.root.is) {
      case CollectiveRoot::Is::process:
        return "root " + std::to_string(one.root.rank);
      case CollectiveRoot::Is::itself:
        return "MPI_ROOT";
      case CollectiveRoot::Is::nobody:
        return "MPI_PROC_NULL";
      case CollectiveRoot::Is::none:
        break;
    }
    return "no root";
  }

  /// "as" where the process is the root itself.
  static std::string_view as_or_with(const CollectiveMismatch& mismatch, const CollectiveOperation& one) {
    const bool is_itself =
        mismatch.predefined == PredefinedCommunicator::world &&
        one.root == CollectiveRoot{CollectiveRoot::Is::process, static_cast<std::int32_t>(mismatch.rank.number)};
    return is_itself ? " as " : " with ";
  }

  /// Begins with "rank".
  std::string what(const CollectiveMismatch& mismatch) {
    const CollectiveOperation& one = operation(mismatch.operation);
    const std::string called(one.called);
    const std::string rank = "rank " + text_of(mismatch.rank);
    const std::string other = "rank " + text_of(mismatch.other_rank);
    if (mismatch.kind == Kind::ended) return rank + " calls " + called + ", " + other + " makes no further call.";
    const CollectiveOperation& two = operation(*mismatch.other);
    const std::string calls = rank + " calls " + called;
    switch (mismatch.kind) {
      case Kind::root:
        return calls + std::string(as_or_with(mismatch, one)) + root_of(one) + ", " + other + " with " + root_of(two) +
               ".";
      case Kind::op:
        return calls + " with " + op_of(one) + ", " + other + " with " + op_of(two) + ".";
      case Kind::blocks:
      case Kind::reduction:
      case Kind::own:
        return amounts(mismatch, rank, other);
      case Kind::call:
      case Kind::ended:
        break;
    }
    return calls + ", " + other + " calls " + std::string(two.called) + ".";
  }

  std::string amounts(const CollectiveMismatch& mismatch, const std::string& rank, const std::string& other) {
    const CollectiveOperation& senders = operation(mismatch.is_sent_by_other ? *mismatch.other : mismatch.operation);
    const bool is_in_place = mismatch.kind == Kind::blocks && senders.send.is == CollectiveSideIs::in_place;
    const std::string sent =
        words_.data_of(mismatch.sent.type, mismatch.sent.elements) + (is_in_place ? " in place" : "");
    const std::string received = words_.data_of(mismatch.received.type, mismatch.received.elements);
    const std::string by = std::string(operation(mismatch.operation).called);
    if (mismatch.kind == Kind::reduction) {
      return rank + " calls " + by + " with " + sent + ", " + other + " with " + received + difference(mismatch);
    }
    if (mismatch.kind == Kind::own) {
      return rank + " sends " + sent + " to itself by " + by + ", and receives " + received + " of itself" +
             difference(mismatch);
    }
    return mismatch.is_sent_by_other
               ? rank + " receives " + received + " by " + by + ", " + other + " sends " + sent + difference(mismatch)
               : rank + " sends " + sent + " by " + by + ", " + other + " receives " + received + difference(mismatch);
  }

  std::string difference(const CollectiveMismatch& mismatch) const {
    const Match& match = *mismatch.match;
    if (!match.difference || !match.difference->send || !match.difference->receive) {
      return ": they have " + grouped(match.send_entries) + " and " + grouped(match.receive_entries) + " entries.";
    }
    const MatchDifference& difference = *match.difference;
    const std::string end =
        mismatch.verdict == MessageVerdict::same_bytes ? " (erroneous by MPI-4.1 3.3.1, the same bytes here)." : ".";
    const std::string& send = words_.name_of(*difference.send);
    const std::string& receive = words_.name_of(*difference.receive);
    const std::string entry = ": entry " + grouped(difference.entry);
    return mismatch.kind == Kind::reduction ? entry + " is " + send + " and " + receive + end
                                            : entry + " is sent as " + send + " and received as " + receive + end;
  }

  /// " It is call 17 on MPI_COMM_WORLD, the first of 400 that differ."
  std::string which(const CollectiveMismatch& mismatch) const {
    const std::string communicator = mismatch.communicator ? words_.communicator(*mismatch.communicator)
                                                           : std::string(trace_name_of(mismatch.predefined));
    const std::string call = " It is call " + grouped(mismatch.call + 1) + " on " + communicator;
    if (mismatch.has_amounts()) {
      return call + (mismatch.count > 1 ? ", one of " + grouped(mismatch.count) + " that differ." : ".");
    }
    return call + "; what follows it there was not compared" +
           (mismatch.count > 1
                ? ", nor on " + counted(mismatch.count - 1, "other communicator", "other communicators") +
                      " where it is so."
                : ".");
  }
  static std::string_view trace_name_of(PredefinedCommunicator communicator) { return ddtscope::name_of(communicator); }

  const Job& job_;
  DataWords words_;
};

}  // namespace

std::vector<JobFinding> findings_of_collectives(const Job& job, const CollectiveComparison& comparison) {
  CollectiveFindings words(job);
  std::vector<JobFinding> findings;
  for (const CollectiveMismatch& mismatch : comparison.mismatches) findings.push_back(words.of(mismatch));
  return findings;
}

}  // namespace ddtscope::reporters
