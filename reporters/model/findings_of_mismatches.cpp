// Types of one call that must fit each other, compared as sequences of basic types (MPI-4.1 3.3.1, 6.5, 12.3, 14.3).
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "decoder/equality/match_grade.h"
#include "decoder/findings/finding_subject.h"
#include "reporters/model/finding_words.h"
#include "reporters/model/findings_of_calls.h"

namespace ddtscope::reporters {
namespace {

/// One of the two, as the call has it.
struct Side {
  DefinitionId type;
  Exact count;
  std::string_view argument;
};

/// What the data's way demands: the sent one must be the beginning of the received one, or both the same.
struct Demand {
  Side sent, received;
  bool are_equal = false;
};

class MismatchFindings {
 public:
  explicit MismatchFindings(const Job& job)
      : job_(job), layouts_(job.store, job.observed_bounds), fingerprints_(layouts_) {}

  std::optional<JobFinding> finding_of(const CallFinding& found) {
    const std::optional<Demand> demand = demand_of(found);
    if (!demand) return std::nullopt;
    const Match match = ddtscope::match(side_of(demand->sent), side_of(demand->received));
    const bool is_shorter = match.result == MatchResult::receive_longer;
    if (matches(match.result) && !(demand->are_equal && is_shorter)) return std::nullopt;
    JobFinding finding = finding_about(found);
    finding.kind = &kind_of(FindingId::local_mismatch);
    finding.severity = severity_of(found, *demand, match);
    finding.message = in_words(found) + difference_in_words(*demand, match);
    finding.advice = finding.severity == Severity::error
                         ? "Describe the same data on both sides; `ddtscope match` compares two types."
                         : "It works where both are the same bytes; name the same basic types to be right.";
    return finding;
  }

 private:
  MessageSide side_of(const Side& side) { return {fingerprints_, layouts_, side.type, side.count}; }
  const std::string& name_of(PredefinedId id) const { return job_.store.predefined()[id].name; }

  std::optional<Demand> demand_of(const CallFinding& found) {
    const auto count = [](std::uint64_t elements) { return Exact(static_cast<Int128>(elements)); };
    const OtherArgument& other = *found.other;
    const Side own{*found.type, count(found.elements), found.argument};
    Demand demand{own, {other.type, count(other.elements), other.argument}, false};
    if (found.argument == "etype") return demand_of_view(demand);
    demand.are_equal = found.argument == "sendtype";
    if (found.access == "writes") std::swap(demand.sent, demand.received);
    return demand;
  }

  /// As many copies of the etype as the filetype's size has room for.
  std::optional<Demand> demand_of_view(Demand demand) {
    const LayoutFacts& etype = layouts_.facts(demand.sent.type);
    const LayoutFacts& filetype = layouts_.facts(demand.received.type);
    if (!(Exact(0) < etype.entries) || !etype.entries.fits() || !filetype.entries.fits()) return std::nullopt;
    const Int128 copies = (filetype.entries.value() + etype.entries.value() - 1) / etype.entries.value();
    demand.sent.count = Exact(copies);
    demand.are_equal = true;
    return demand;
  }

  Severity severity_of(const CallFinding& found, const Demand& demand, const Match& match) {
    if (match.result == MatchResult::undecided) return Severity::note;
    const Exact sent = demand.sent.count * layouts_.facts(demand.sent.type).size;
    const Exact received = demand.received.count * layouts_.facts(demand.received.type).size;
    const bool is_view = found.argument == "etype";
    if (is_view && is_bytes(demand.sent.type)) return Severity::note;
    if (is_view && sent != received) return Severity::error;
    const bool has_room = demand.are_equal ? sent == received : !(received < sent);
    if (!has_room) return Severity::error;
    const MatchGrade grade = grade_of(side_of(demand.sent), side_of(demand.received), match);
    return grade == MatchGrade::wrong ? Severity::error : Severity::warning;
  }

  bool is_bytes(DefinitionId type) {
    const LayoutFacts& facts = layouts_.facts(type);
    return facts.uniform() && name_of(facts.first_type) == "MPI_BYTE";
  }

  std::string in_words(const CallFinding& found) const {
    const auto argument = [&](std::uint64_t elements, DefinitionId type, std::string_view name) {
      return grouped(elements) + " x " + job_.name_of(type) + " as " + std::string(name);
    };
    const OtherArgument& other = *found.other;
    return std::string(found.called) + " is given " + argument(found.elements, *found.type, found.argument) + " and " +
           argument(other.elements, other.type, other.argument);
  }

  std::string difference_in_words(const Demand& demand, const Match& match) const {
    if (match.result == MatchResult::undecided) return "; whether they fit could not be decided.";
    if (!match.difference) {
      return ": " + std::string(demand.sent.argument) + " has " + grouped(match.send_entries) + " entries, " +
             std::string(demand.received.argument) + " " + grouped(match.receive_entries) + ".";
    }
    const MatchDifference& difference = *match.difference;
    const auto entry = [&](const Side& side, std::optional<PredefinedId> type) {
      return (type ? "is " + name_of(*type) : "is not there") + " in " + std::string(side.argument);
    };
    return ": entry " + grouped(difference.entry) + " " + entry(demand.sent, difference.send) + " and " +
           entry(demand.received, difference.receive) + ".";
  }

  const Job& job_;
  Layouts layouts_;
  Fingerprints fingerprints_;
};

/// The worse one is told, with the ranks and the count of both.
void add(JobFinding& sum, JobFinding&& more) {
  if (more.severity > sum.severity) std::swap(sum, more);
  sum.count += more.count;
  join_ranks(sum, more.ranks);
}

}  // namespace

std::vector<JobFinding> findings_of_mismatches(const Job& job) {
  using CallKey =
      std::tuple<std::string_view, std::uint32_t, std::uint32_t, std::string_view, std::optional<FrameIndex>>;
  std::map<CallKey, std::size_t> places;
  std::vector<JobFinding> findings;
  MismatchFindings mismatches(job);
  for (const CallFinding& found : job.call_findings) {
    if (!found.other || !found.type || found.count == 0) continue;
    if (found.finding != kind_of(FindingId::local_mismatch).id) continue;
    std::optional<JobFinding> finding = mismatches.finding_of(found);
    if (!finding) continue;
    // The same types at the same place, with other counts, are one finding.
    const CallKey key(found.called, found.type->value, found.other->type.value, found.argument, found.site);
    const auto [known, is_new] = places.try_emplace(key, findings.size());
    if (is_new) {
      findings.push_back(std::move(*finding));
    } else {
      add(findings[known->second], std::move(*finding));
    }
  }
  return findings;
}

}  // namespace ddtscope::reporters
