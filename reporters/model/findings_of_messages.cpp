// What the comparison of both sides of messages tells, in words.
#include <utility>

#include "reporters/model/data_words.h"
#include "reporters/model/finding_words.h"
#include "reporters/model/findings_of_calls.h"

namespace ddtscope::reporters {
namespace {

using Kind = MessageMismatch::Kind;

class MessageFindings {
 public:
  explicit MessageFindings(const Job& job) : job_(job), words_(job) {}

  JobFinding of(const MessageMismatch& mismatch) {
    JobFinding finding{};
    finding.count = mismatch.count;
    switch (mismatch.kind) {
      case Kind::differs:
        add_difference(finding, mismatch);
        break;
      case Kind::unmatched_send:
        add_unmatched(finding, mismatch, FindingId::unmatched_send, *mismatch.sent);
        break;
      case Kind::unmatched_receive:
        add_unmatched(finding, mismatch, FindingId::unmatched_receive, *mismatch.received);
        break;
    }
    return finding;
  }

 private:
  const MessageOperation& operation(OperationIndex index) const { return job_.messages.operations[index.value]; }
  const std::string& name_of(PredefinedId id) const { return words_.name_of(id); }
  std::string data_of(OperationIndex index) { return words_.data_of(operation(index).type, operation(index).elements); }

  /// " on the communicator of MPI_Comm_dup"; of MPI_COMM_WORLD nothing.
  std::string communicator_of(const MessagePlace& place) const {
    if (place.communicator) return " on " + words_.communicator(*place.communicator);
    return place.predefined == PredefinedCommunicator::self ? " on MPI_COMM_SELF" : "";
  }

  /// "It is message 17 of tag 3, the first of 400 that differ."
  std::string which(const MessageMismatch& mismatch, const std::string& what) const {
    const MessagePlace& place = mismatch.place;
    const std::string tag =
        " of tag " + std::to_string(place.tag) + communicator_of(place) + (place.is_partitioned ? ", partitioned" : "");
    std::string text =
        mismatch.is_unordered
            ? " It is one of " + grouped(mismatch.on_channel) + tag + " whose order is not known"
            : " It is message " + grouped(mismatch.message + 1) + tag +
                  (mismatch.on_channel > 1 ? ", the first of " + grouped(mismatch.on_channel) + " " + what : "");
    if (mismatch.count != mismatch.on_channel) {
      text += "; on all channels " + counted(mismatch.count, "message does", "messages do");
    }
    return text + ".";
  }

  std::string difference_in_words(const MessageMismatch& mismatch) const {
    const Match& match = *mismatch.match;
    if (!match.difference) return ": they differ.";
    const MatchDifference& difference = *match.difference;
    if (mismatch.verdict == MessageVerdict::truncated) {
      if (match.result != MatchResult::send_longer) return ": the message is longer than what is received.";
      return ": there is no room from entry " + grouped(difference.entry) + " of the message on" +
             (difference.send ? ", which is " + name_of(*difference.send) : "") + ".";
    }
    const auto basic = [&](std::optional<PredefinedId> type) { return type ? name_of(*type) : std::string("nothing"); };
    return ": entry " + grouped(difference.entry) + " is sent as " + basic(difference.send) + " and received as " +
           basic(difference.receive) +
           (mismatch.verdict == MessageVerdict::same_bytes ? " (erroneous by MPI-4.1 3.3.1, the same bytes here)."
                                                           : ".");
  }

  void add_difference(JobFinding& finding, const MessageMismatch& mismatch) {
    const bool is_truncated = mismatch.verdict == MessageVerdict::truncated;
    finding.kind = &kind_of(is_truncated ? FindingId::truncated_message : FindingId::signature_mismatch);
    finding.severity = mismatch.verdict == MessageVerdict::same_bytes ? Severity::warning : Severity::error;
    add_party(finding, *mismatch.sent);
    finding.ranks = mismatch.senders;
    const MessageOperation& received = operation(*mismatch.received);
    finding.other = OtherParty{received.type, received.called, trace::name_of(received.parameter), mismatch.receivers,
                               received.site};
    finding.message = "Rank " + text_of(mismatch.place.source) + " sends " + data_of(*mismatch.sent) + ", rank " +
                      text_of(mismatch.place.destination) + " receives " + data_of(*mismatch.received) +
                      difference_in_words(mismatch) +
                      which(mismatch, is_truncated ? "that are too long" : "that differ");
    finding.advice = is_truncated ? "Receive with room for the longest message, or ask MPI_Probe how long it is."
                     : finding.severity == Severity::error
                         ? "Describe the same data on both sides; `ddtscope match` compares two types."
                         : "It works where both are the same bytes; name the same basic types to be right.";
  }

  void add_unmatched(JobFinding& finding, const MessageMismatch& mismatch, FindingId id, OperationIndex index) {
    const bool is_send = id == FindingId::unmatched_send;
    finding.kind = &kind_of(id);
    finding.severity = Severity::warning;
    add_party(finding, index);
    finding.ranks = is_send ? mismatch.senders : mismatch.receivers;
    finding.other = OtherParty{std::nullopt, {}, {}, is_send ? mismatch.receivers : mismatch.senders, std::nullopt};
    const std::string source = "rank " + text_of(mismatch.place.source);
    const std::string destination = "rank " + text_of(mismatch.place.destination);
    finding.message =
        (is_send ? "R" + source.substr(1) + " sends " + data_of(index) + " that " + destination + " does not receive."
                 : "R" + destination.substr(1) + " receives " + data_of(index) + " from " + source +
                       ", which does not send it.") +
        which(mismatch, is_send ? "that are left" : "that get nothing");
    finding.advice = is_send ? "Receive it before MPI_Finalize, or do not send it."
                             : "Cancel what was started in advance, and complete it, before MPI_Finalize.";
  }

  void add_party(JobFinding& finding, OperationIndex index) const {
    const MessageOperation& one = operation(index);
    finding.type = one.type;
    finding.called = one.called;
    finding.argument = trace::name_of(one.parameter);
    finding.sites = {one.site};
  }

  const Job& job_;
  DataWords words_;
};

}  // namespace

std::vector<JobFinding> findings_of_messages(const Job& job, const MessageComparison& comparison) {
  MessageFindings words(job);
  std::vector<JobFinding> findings;
  for (const MessageMismatch& mismatch : comparison.mismatches) findings.push_back(words.of(mismatch));
  return findings;
}

}  // namespace ddtscope::reporters
