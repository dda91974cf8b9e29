#include "reporters/model/collective_comparison.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "reporters/model/collective_amounts.h"
#include "reporters/model/collective_classes.h"
#include "reporters/model/collective_rules.h"
#include "reporters/model/communicator_amounts.h"
#include "reporters/model/gathered_collective_mismatches.h"
#include "reporters/model/job_communicators.h"
#include "reporters/model/paired_operations.h"

namespace ddtscope::reporters {
namespace {

using Mismatch = CollectiveMismatch;

class CollectivesJoined {
 public:
  explicit CollectivesJoined(const Job& job)
      : job_(job),
        is_complete_(job.complete()),
        communicators_(job),
        calls_(job),
        verdicts_(job),
        mismatches_(job),
        classes_(job),
        amounts_({job, calls_, verdicts_, pairs_, mismatches_, result_}) {}

  CollectiveComparison run() {
    std::map<JoinedCommunicator, std::vector<const RankCollectives*>> lines;
    std::map<CommunicatorIndex, std::uint64_t> nameless;
    for (const RankCollectives& line : job_.messages.collectives) {
      if (line.predefined == PredefinedCommunicator::self) continue;  // nobody else is in it
      if (const auto communicator = communicators_.of(line)) {
        lines[*communicator].push_back(&line);
      } else if (line.communicator) {
        std::uint64_t& longest = nameless[*line.communicator];
        longest = std::max(longest, classes_.length_of(line.sequence));
      }
    }
    for (const auto& [communicator, calls] : nameless) not_decided("communicator without a name", calls);
    for (auto& [communicator, of_it] : lines) compare(communicator, of_it);
    result_.mismatches = mismatches_.take();
    for (Mismatch& one : result_.mismatches) {
      if (one.has_amounts()) one.match = verdicts_.match(one.sent, one.received);
    }
    return std::move(result_);
  }

 private:
  void not_decided(std::string_view why, std::uint64_t calls) {
    ++result_.all.communicators;
    result_.all.calls += calls;
    add_undecided(why, calls);
  }
  void add_undecided(std::string_view why, std::uint64_t calls) {
    CollectiveCount& sum = result_.undecided[std::string(why)];
    ++sum.communicators;
    sum.calls += calls;
  }

  void compare(JoinedCommunicator communicator, std::vector<const RankCollectives*>& lines) {
    std::sort(lines.begin(), lines.end(),
              [](const RankCollectives* a, const RankCollectives* b) { return a->rank < b->rank; });
    JudgedCommunicator judged;
    judged.any = lines.front();
    judged.world = communicators_.world(communicator);
    for (const RankCollectives* line : lines) {
      judged.longest = std::max(judged.longest, classes_.length_of(line->sequence));
    }
    for (const RankCollectives* line : lines) {
      if (communicators_.is_told(communicator, lines.front()->rank, line->rank)) continue;
      return not_decided("communicator that not all of its processes told", judged.longest);
    }
    const std::set<std::string_view> silent = classes_.add(judged, lines);
    ++result_.all.communicators;
    result_.all.calls += judged.longest;
    bool is_fine = silent.empty();
    for (const std::string_view why : silent) add_undecided(why, 0);
    pairs_.forget();
    const std::optional<std::uint64_t> agreed = compare_calls(judged);
    if (!agreed) return add_undecided("too irregular", judged.longest);
    if (*agreed < judged.known) {
      ++result_.mismatched_communicators;
      result_.calls_behind += judged.longest - *agreed - 1;
      is_fine = false;
    } else if (judged.known < judged.longest || !judged.undecided.empty()) {
      is_fine = false;
      if (!judged.undecided.empty() || !is_complete_) {
        add_undecided(judged.undecided.empty() ? "trace that is not complete" : judged.undecided,
                      judged.longest - judged.known);
      } else {
        add_ended(judged);
      }
    }
    is_fine = amounts_.compare(judged, *agreed) && is_fine;
    const std::uint64_t all_differing = mismatches_.next_communicator();
    const std::uint64_t differing = all_differing - std::min(all_differing, std::exchange(told_calls_, 0));
    result_.differing_calls += differing;
    result_.agreed.calls += *agreed - std::min(*agreed, differing);
    if (is_fine) ++result_.agreed.communicators;
  }

  /// Two classes of processes; of an intercommunicator whose groups are known with their ranks in these.
  struct TwoClasses {
    const SequenceClass& one;
    const SequenceClass& other;
    std::span<const std::int64_t> processes, others;
  };

  CollectiveCalls::Disagree disagree(const JudgedCommunicator& judged, const TwoClasses& both,
                                     const PairedOperations& pair) const {
    using Disagree = CollectiveCalls::Disagree;
    if (!judged.is_inter) return calls_.compare({pair.first}, {pair.second});
    if (!judged.has_group) {
      return calls_.are_of_one_function({pair.first}, {pair.second}) ? Disagree::no : Disagree::call;
    }
    return calls_.compare_in_groups({{pair.first}, both.one.group, both.processes},
                                    {{pair.second}, both.other.group, both.others});
  }

  /// Two classes of processes that disagree, and where.
  struct Disagreement {
    const SequenceClass* one = nullptr;
    const SequenceClass* other = nullptr;
    PairedOperations where;
    CollectiveCalls::Disagree how = CollectiveCalls::Disagree::no;
  };

  /// How many calls all processes agree in. Empty where that would take too long.
  std::optional<std::uint64_t> compare_calls(const JudgedCommunicator& judged) {
    std::uint64_t agreed = judged.known;
    Disagreement first;
    const std::vector<std::size_t> leading = judged.leading_classes();
    const auto ranks_of_class = [&](const SequenceClass& one) {
      return judged.is_inter && judged.has_group ? ranks_in_group(judged, one) : std::vector<std::int64_t>();
    };
    for (const std::size_t leader : leading) {
      const SequenceClass& one = judged.classes[leader];
      const std::vector<std::int64_t> processes = ranks_of_class(one);
      for (std::size_t i = 0; i < judged.classes.size(); ++i) {
        if (i == leader || i == leading.front()) continue;
        const SequenceClass& other = judged.classes[i];
        const auto* const paired = pairs_.of(one, other, judged.known);
        if (paired == nullptr) return std::nullopt;
        const std::vector<std::int64_t> others = ranks_of_class(other);
        for (const PairedOperations& pair : *paired) {
          const bool is_before = pair.place < agreed || (pair.place == agreed && first.one == &one &&
                                                         other.processes.front() < first.other->processes.front());
          if (!is_before) continue;
          const CollectiveCalls::Disagree how = disagree(judged, {one, other, processes, others}, pair);
          if (how == CollectiveCalls::Disagree::no) continue;
          agreed = pair.place;
          first = {&one, &other, pair, how};
        }
      }
    }
    if (first.other != nullptr) tell_disagreement(judged, first);
    return agreed;
  }

  void tell_disagreement(const JudgedCommunicator& judged, const Disagreement& first) {
    using Disagree = CollectiveCalls::Disagree;
    std::int64_t other = first.other->processes.front();
    if (first.how == Disagree::root && judged.is_inter) other = who_is_wrong(judged, first);
    Mismatch mismatch = mismatch_between(judged, first.one->processes.front(), other);
    mismatch.kind = first.how == Disagree::call   ? Mismatch::Kind::call
                    : first.how == Disagree::root ? Mismatch::Kind::root
                                                  : Mismatch::Kind::op;
    mismatch.operation = {first.where.first};
    mismatch.other = CollectiveIndex{first.where.second};
    tell_call(std::move(mismatch), first.where.place);
  }

  /// Of processes that say alike, where one of them is the root and the others are not: the first whom it does not fit.
  std::int64_t who_is_wrong(const JudgedCommunicator& judged, const Disagreement& first) const {
    const std::vector<std::int64_t>& processes = first.other->processes;
    const CollectiveRoot& root = job_.messages.collective_operations[first.where.first].root;
    const CollectiveRoot& told = job_.messages.collective_operations[first.where.second].root;
    if (root.is != CollectiveRoot::Is::process || first.one->group == first.other->group) return processes.front();
    const std::int64_t named = judged.begin_of(first.other->group) + root.rank;
    const auto found = std::find_if(processes.begin(), processes.end(), [&](std::int64_t process) {
      return (process == named) != (told.is == CollectiveRoot::Is::itself);
    });
    return found != processes.end() ? *found : processes.front();
  }

  void tell_call(Mismatch&& mismatch, std::uint64_t call) {
    mismatch.call = call;
    mismatch.count = 1;
    mismatches_.add(std::move(mismatch));
    mismatches_.next_pair();
    ++told_calls_;
  }

  /// Some process made no further call, and another one did.
  void add_ended(const JudgedCommunicator& judged) {
    const SequenceClass* ended = nullptr;
    const SequenceClass* going_on = nullptr;
    const auto is_lower = [](const SequenceClass& one, const SequenceClass* other) {
      return other == nullptr || one.processes.front() < other->processes.front();
    };
    for (const SequenceClass& one : judged.classes) {
      const bool has_ended = length_of(*one.sequence) == judged.known;
      const SequenceClass*& first = has_ended ? ended : going_on;
      if (is_lower(one, first)) first = &one;
    }
    if (ended == nullptr || going_on == nullptr) return;
    ++result_.mismatched_communicators;
    result_.calls_behind += judged.longest - judged.known - 1;
    Mismatch mismatch = mismatch_between(judged, going_on->processes.front(), ended->processes.front());
    mismatch.kind = Mismatch::Kind::ended;
    mismatch.operation = {operation_at(*going_on->sequence, judged.known)};
    tell_call(std::move(mismatch), judged.known);
  }

  const Job& job_;
  const bool is_complete_;
  JobCommunicators communicators_;
  CollectiveCalls calls_;
  BlockVerdicts verdicts_;
  GatheredCollectiveMismatches mismatches_;
  CollectiveComparison result_;
  CollectiveClasses classes_;
  ClassPairs pairs_;
  CommunicatorAmounts amounts_;
  std::uint64_t told_calls_ = 0;  // of one communicator, in which processes call other operations
};

}  // namespace

CollectiveComparison compare_collectives(const Job& job) { return CollectivesJoined(job).run(); }

}  // namespace ddtscope::reporters
