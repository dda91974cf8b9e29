#include "reporters/model/collective_comparison.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "reporters/model/collective_amounts.h"
#include "reporters/model/collective_classes.h"
#include "reporters/model/collective_rules.h"
#include "reporters/model/gathered_collective_mismatches.h"
#include "reporters/model/job_communicators.h"
#include "reporters/model/paired_operations.h"

namespace ddtscope::reporters {
namespace {

using Mismatch = CollectiveMismatch;
using Elements = std::vector<SequenceElement>;

/// Of one communicator so many blocks are compared.
constexpr std::uint64_t most_blocks = 10'000'000;

class CollectivesJoined {
 public:
  explicit CollectivesJoined(const Job& job)
      : job_(job),
        is_complete_(job.complete()),
        communicators_(job),
        calls_(job),
        verdicts_(job),
        mismatches_(job),
        classes_(job) {}

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
      const bool has_amounts = one.kind == Mismatch::Kind::blocks || one.kind == Mismatch::Kind::reduction;
      if (has_amounts) one.match = verdicts_.match(one.sent, one.received);
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
    pairs_.clear();
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
    is_fine = compare_amounts(judged, *agreed) && is_fine;
    const std::uint64_t all_differing = mismatches_.next_communicator();
    const std::uint64_t differing = all_differing - std::min(all_differing, std::exchange(told_calls_, 0));
    result_.differing_calls += differing;
    result_.agreed.calls += *agreed - std::min(*agreed, differing);
    if (is_fine) ++result_.agreed.communicators;
  }

  /// Which operation of the one class stands beside which of the other.
  const std::vector<PairedOperations>* pairs(const SequenceClass& one, const SequenceClass& other,
                                             std::uint64_t length) {
    const auto [found, is_new] = pairs_.try_emplace({one.sequence, other.sequence, length});
    if (is_new) found->second = paired_operations_within(*one.sequence, *other.sequence, length, steps_);
    return found->second ? &*found->second : nullptr;
  }

  CollectiveCalls::Disagree disagree(const JudgedCommunicator& judged, const PairedOperations& pair) const {
    using Disagree = CollectiveCalls::Disagree;
    if (!judged.is_inter) return calls_.compare({pair.first}, {pair.second});
    return calls_.are_of_one_function({pair.first}, {pair.second}) ? Disagree::no : Disagree::call;
  }

  /// How many calls all processes agree in. Empty where that would take too long.
  std::optional<std::uint64_t> compare_calls(const JudgedCommunicator& judged) {
    std::uint64_t agreed = judged.known;
    const SequenceClass* disagreeing = nullptr;
    PairedOperations where;
    for (std::size_t i = 1; i < judged.classes.size(); ++i) {
      const SequenceClass& other = judged.classes[i];
      const auto* const paired = pairs(judged.classes.front(), other, judged.known);
      if (paired == nullptr) return std::nullopt;
      for (const PairedOperations& pair : *paired) {
        const bool is_before = pair.place < agreed || (pair.place == agreed && disagreeing != nullptr &&
                                                       other.processes.front() < disagreeing->processes.front());
        if (!is_before || disagree(judged, pair) == CollectiveCalls::Disagree::no) continue;
        agreed = pair.place;
        disagreeing = &other;
        where = pair;
      }
    }
    if (disagreeing != nullptr) {
      using Disagree = CollectiveCalls::Disagree;
      const Disagree how = disagree(judged, where);
      Mismatch mismatch = mismatch_of(judged, judged.classes.front().processes.front(), disagreeing->processes.front());
      mismatch.kind = how == Disagree::call   ? Mismatch::Kind::call
                      : how == Disagree::root ? Mismatch::Kind::root
                                              : Mismatch::Kind::op;
      mismatch.operation = {where.first};
      mismatch.other = CollectiveIndex{where.second};
      tell_call(std::move(mismatch), agreed);
    }
    return agreed;
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
    Mismatch mismatch = mismatch_of(judged, going_on->processes.front(), ended->processes.front());
    mismatch.kind = Mismatch::Kind::ended;
    mismatch.operation = operation_at(*going_on->sequence, judged.known);
    tell_call(std::move(mismatch), judged.known);
  }

  /// Which one stands at a place of the sequence.
  static CollectiveIndex operation_at(std::span<const SequenceElement> elements, std::uint64_t place) {
    for (std::size_t i = 0; i < elements.size();) {
      const SequenceElement& element = elements[i];
      if (element.times == 0) {
        if (place == 0) return {element.number};
        --place;
        ++i;
        continue;
      }
      const auto body = elements.subspan(i + 1, element.number);
      const std::uint64_t length = length_of(body);
      if (place < length * element.times) return operation_at(body, place % length);
      place -= length * element.times;
      i += 1 + element.number;
    }
    return {};
  }

  Mismatch mismatch_of(const JudgedCommunicator& judged, std::int64_t process, std::int64_t other) const {
    Mismatch mismatch;
    mismatch.rank = {judged.world, judged.members[static_cast<std::size_t>(process)]};
    mismatch.other_rank = {judged.world, judged.members[static_cast<std::size_t>(other)]};
    mismatch.ranks.add(mismatch.rank);
    mismatch.other_ranks.add(mismatch.other_rank);
    mismatch.communicator = judged.any->communicator;
    mismatch.predefined = judged.any->predefined;
    return mismatch;
  }

  static RankRanges ranks_of(const JudgedCommunicator& judged, const SequenceClass& processes) {
    std::vector<RankRange> ranks;
    for (const std::int64_t process : processes.processes) {
      const std::int64_t rank = judged.members[static_cast<std::size_t>(process)];
      ranks.push_back({rank, rank, judged.world});
    }
    return joined_ranks(std::move(ranks));
  }

  const CollectiveOperation& operation(CollectiveIndex index) const {
    return job_.messages.collective_operations[index.value];
  }

  /// Each operation of a sequence once.
  const std::vector<std::uint32_t>& operations(const Elements* elements) {
    const auto [found, is_new] = operations_.try_emplace(elements);
    if (is_new) {
      std::set<std::uint32_t> all;
      for (const SequenceElement& element : *elements) {
        if (element.times == 0) all.insert(element.number);
      }
      found->second.assign(all.begin(), all.end());
    }
    return found->second;
  }

  /// Of the first calls. Whether all amounts were compared and are equal.
  bool compare_amounts(const JudgedCommunicator& judged, std::uint64_t calls) {
    if (calls == 0) return true;
    bool is_fine = note_what_is_not_compared(judged, calls);
    blocks_left_ = most_blocks;
    using Senders = std::array<std::vector<std::uint32_t>, 2>;
    std::map<std::uint32_t, Senders> of_functions;
    for (std::uint32_t i = 0; i < judged.classes.size(); ++i) {
      for (const std::uint32_t one : operations(judged.classes[i].sequence)) {
        if (calls_.rule({one}).amounts != CollectiveRule::Amounts::blocks) continue;
        Senders& classes = of_functions[calls_.function({one})];
        const auto add = [&](const CollectiveSide& side, std::vector<std::uint32_t>& to) {
          if (side.is == CollectiveSideIs::blocks && (to.empty() || to.back() != i)) to.push_back(i);
        };
        add(operation({one}).send, classes[0]);
        add(operation({one}).receive, classes[1]);
      }
    }
    for (std::size_t i = 1; i < judged.classes.size(); ++i) {
      is_fine = compare_reductions(judged, judged.classes[i], calls) && is_fine;
    }
    if (judged.is_inter || !judged.has_group) return is_fine;
    std::set<std::pair<std::uint32_t, std::uint32_t>> done;
    for (const auto& [function, classes] : of_functions) {
      for (const std::uint32_t sender : classes[0]) {
        for (const std::uint32_t receiver : classes[1]) {
          if (blocks_left_ == 0) break;
          --blocks_left_;
          if (!done.emplace(sender, receiver).second) continue;
          is_fine = compare_blocks(judged, judged.classes[sender], judged.classes[receiver], calls) && is_fine;
        }
      }
    }
    if (blocks_left_ == 0) {
      result_.amounts_not_compared["too many blocks"] += calls;
      is_fine = false;
    }
    return is_fine;
  }

  /// Operations of the lowest rank's whose amounts nothing is compared of, and sides that were not kept. Whether there
  /// are none.
  bool note_what_is_not_compared(const JudgedCommunicator& judged, std::uint64_t calls) {
    std::map<std::string_view, std::uint64_t> most;
    for (const SequenceClass& one : judged.classes) {
      std::map<std::string_view, std::uint64_t> of_class;
      const auto* const paired = pairs(one, one, calls);
      if (paired == nullptr) continue;
      for (const PairedOperations& pair : *paired) {
        if (const std::string_view why = why_not_compared(judged, {pair.first}); !why.empty()) {
          of_class[why] += pair.count;
        }
      }
      for (const auto& [why, count] : of_class) most[why] = std::max(most[why], count);
    }
    for (const auto& [why, count] : most) result_.amounts_not_compared[std::string(why)] += count;
    return most.empty();
  }

  std::string_view why_not_compared(const JudgedCommunicator& judged, CollectiveIndex index) const {
    const CollectiveRule& rule = calls_.rule(index);
    const CollectiveOperation& one = operation(index);
    if (rule.amounts == CollectiveRule::Amounts::none) return {};
    if (rule.amounts == CollectiveRule::Amounts::neighbours) return "neighbours";
    if (judged.is_inter) return "intercommunicator";
    if (one.send.is == CollectiveSideIs::too_long || one.receive.is == CollectiveSideIs::too_long) return "long";
    if (rule.amounts == CollectiveRule::Amounts::blocks && !judged.has_group) return "group that was not told";
    return {};
  }

  bool compare_reductions(const JudgedCommunicator& judged, const SequenceClass& other, std::uint64_t calls) {
    if (judged.is_inter) return true;
    bool is_fine = true;
    const SequenceClass& first = judged.classes.front();
    const auto* const paired = pairs(first, other, calls);
    if (paired == nullptr) return not_paired(calls);
    for (const PairedOperations& pair : *paired) {
      if (calls_.rule({pair.first}).amounts != CollectiveRule::Amounts::reduction) continue;
      const CollectiveSide& one = operation({pair.first}).send;
      const CollectiveSide& two = operation({pair.second}).send;
      if (one.is != CollectiveSideIs::blocks || two.is != CollectiveSideIs::blocks) continue;
      const DifferingBlocks worst = compare_reduction(one, two, verdicts_);
      if (worst.verdict == MessageVerdict::fine) continue;
      is_fine = false;
      if (worst.verdict == MessageVerdict::undecided) {
        result_.amounts_not_compared["too long"] += pair.count;
        continue;
      }
      Mismatch mismatch = mismatch_of(judged, first.processes.front(), other.processes.front());
      mismatch.ranks = ranks_of(judged, first);
      mismatch.other_ranks = ranks_of(judged, other);
      mismatch.kind = Mismatch::Kind::reduction;
      mismatch.verdict = worst.verdict;
      mismatch.operation = {pair.first};
      mismatch.other = CollectiveIndex{pair.second};
      mismatch.sent = worst.one;
      mismatch.received = worst.other;
      mismatch.count = pair.count;
      mismatch.call = pair.place;
      mismatches_.add(std::move(mismatch));
      mismatches_.next_calls();
    }
    mismatches_.next_pair();
    return is_fine;
  }

  bool not_paired(std::uint64_t calls) {
    result_.amounts_not_compared["too irregular"] += calls;
    return false;
  }

  bool compare_blocks(const JudgedCommunicator& judged, const SequenceClass& senders, const SequenceClass& receivers,
                      std::uint64_t calls) {
    const auto* const paired = pairs(senders, receivers, calls);
    if (paired == nullptr) return not_paired(calls);
    bool is_fine = true;
    for (const PairedOperations& pair : *paired) {
      if (calls_.rule({pair.first}).amounts != CollectiveRule::Amounts::blocks) continue;
      is_fine = compare_pair(judged, senders, receivers, pair) && is_fine;
    }
    mismatches_.next_pair();
    return is_fine;
  }

  bool compare_pair(const JudgedCommunicator& judged, const SequenceClass& senders, const SequenceClass& receivers,
                    const PairedOperations& pair) {
    const CollectiveSide& send = operation({pair.first}).send;
    const CollectiveSide& receive = operation({pair.second}).receive;
    if (send.is != CollectiveSideIs::blocks || receive.is != CollectiveSideIs::blocks) return true;
    const CollectiveRule& rule = calls_.rule({pair.first});
    const auto kind = [](const auto is_for_each) { return is_for_each ? BlockIs::for_each : BlockIs::alone; };
    const auto sent = blocks_for(send, kind(rule.sends_to_each), receivers.processes);
    const auto received = blocks_for(receive, kind(rule.receives_of_each), senders.processes);
    bool is_fine = true;
    for (const BlockFor& to : sent) {
      for (const BlockFor& from : received) {
        if (blocks_left_ == 0) return false;
        --blocks_left_;
        // What a process sends to itself, its own arguments tell (local-mismatch).
        std::int64_t sender = from.process;
        std::int64_t receiver = to.process;
        if (sender == receiver && to.another >= 0) receiver = to.another;
        if (sender == receiver && from.another >= 0) sender = from.another;
        if (sender == receiver) continue;
        const MessageVerdict verdict = verdicts_.of(*to.run, *from.run);
        if (verdict == MessageVerdict::fine) continue;
        is_fine = false;
        if (verdict == MessageVerdict::undecided) {
          result_.amounts_not_compared["too long"] += pair.count;
          continue;
        }
        const auto all = [&](const SequenceClass& processes, bool is_for_each) {
          return is_for_each ? RankRanges() : ranks_of(judged, processes);
        };
        add_blocks(judged, {pair, verdict, sender, receiver, to.run, from.run, all(senders, rule.receives_of_each),
                            all(receivers, rule.sends_to_each)});
      }
    }
    mismatches_.next_calls();
    return is_fine;
  }

  struct WrongBlocks {
    PairedOperations pair;
    MessageVerdict verdict;
    std::int64_t sender, receiver;
    const BlockRun *sent, *received;
    RankRanges senders, receivers;  // empty: the example alone
  };

  /// The root's, or the lower rank's.
  void add_blocks(const JudgedCommunicator& judged, WrongBlocks&& wrong) {
    const CollectiveRoot& root = operation({wrong.pair.first}).root;
    const bool is_rooted = root.is == CollectiveRoot::Is::process;
    const bool is_receiver_s = is_rooted ? wrong.receiver == root.rank : wrong.receiver < wrong.sender;
    Mismatch mismatch = is_receiver_s ? mismatch_of(judged, wrong.receiver, wrong.sender)
                                      : mismatch_of(judged, wrong.sender, wrong.receiver);
    mismatch.kind = Mismatch::Kind::blocks;
    mismatch.verdict = wrong.verdict;
    mismatch.operation = {is_receiver_s ? wrong.pair.second : wrong.pair.first};
    mismatch.other = CollectiveIndex{is_receiver_s ? wrong.pair.first : wrong.pair.second};
    mismatch.is_sent_by_other = is_receiver_s;
    RankRanges& senders = is_receiver_s ? mismatch.other_ranks : mismatch.ranks;
    RankRanges& receivers = is_receiver_s ? mismatch.ranks : mismatch.other_ranks;
    if (!wrong.senders.empty()) senders = std::move(wrong.senders);
    if (!wrong.receivers.empty()) receivers = std::move(wrong.receivers);
    mismatch.sent = *wrong.sent;
    mismatch.received = *wrong.received;
    mismatch.count = wrong.pair.count;
    mismatch.call = wrong.pair.place;
    mismatches_.add(std::move(mismatch));
  }

  const Job& job_;
  const bool is_complete_;
  JobCommunicators communicators_;
  CollectiveCalls calls_;
  BlockVerdicts verdicts_;
  GatheredCollectiveMismatches mismatches_;
  CollectiveComparison result_;
  CollectiveClasses classes_;
  std::map<const Elements*, std::vector<std::uint32_t>> operations_;
  std::map<std::tuple<const Elements*, const Elements*, std::uint64_t>, std::optional<std::vector<PairedOperations>>>
      pairs_;                                     // of one communicator
  std::uint64_t steps_ = std::uint64_t{1} << 27;  // that all comparisons may take together: seconds
  std::uint64_t blocks_left_ = 0;                 // of one communicator
  std::uint64_t told_calls_ = 0;                  // of it, in which processes call other operations
};

}  // namespace

CollectiveComparison compare_collectives(const Job& job) { return CollectivesJoined(job).run(); }

}  // namespace ddtscope::reporters
