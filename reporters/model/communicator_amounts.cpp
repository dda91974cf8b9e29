#include "reporters/model/communicator_amounts.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "reporters/model/neighbour_edges.h"

namespace ddtscope::reporters {
namespace {

using Mismatch = CollectiveMismatch;

/// Of one communicator so many blocks are compared.
constexpr std::uint64_t most_blocks = 10'000'000;

RankRanges ranks_of(const JudgedCommunicator& judged, std::span<const std::int64_t> processes) {
  std::vector<RankRange> ranks;
  for (const std::int64_t process : processes) {
    const std::int64_t rank = judged.members[static_cast<std::size_t>(process)];
    ranks.push_back({rank, rank, judged.world});
  }
  return joined_ranks(std::move(ranks));
}

bool knows_neighbours(const JudgedCommunicator& judged, const SequenceClass& one) {
  return std::all_of(one.processes.begin(), one.processes.end(), [&](std::int64_t process) {
    const auto number = static_cast<std::size_t>(process);
    const RankCollectives* const line = number < judged.lines.size() ? judged.lines[number] : nullptr;
    return line != nullptr && line->neighbours.has_value();
  });
}

/// All blocks of a reduction as one: they are of one type.
CollectiveSide whole(const CollectiveSide& side) {
  BlockRun all;
  for (const BlockRun& run : side.runs) {
    if (run.type) all.type = run.type;
    std::uint64_t elements = 0;
    const bool is_too_much = __builtin_mul_overflow(run.times, run.elements, &elements) ||
                             __builtin_add_overflow(all.elements, elements, &all.elements);
    if (is_too_much) all.elements = UINT64_MAX;
  }
  all.times = 1;
  return {side.is, {all}};
}

}  // namespace

std::vector<std::int64_t> ranks_in_group(const JudgedCommunicator& judged, const SequenceClass& processes) {
  std::vector<std::int64_t> ranks = processes.processes;
  for (std::int64_t& rank : ranks) rank -= judged.begin_of(processes.group);
  return ranks;
}

/// Those of one side, which are one for each process or one alone, as its function's rule has it.
const BlocksOfSide& CommunicatorAmounts::blocks(const CollectiveSide& side, bool is_for_each) {
  const BlockIs is = is_for_each ? BlockIs::for_each : BlockIs::alone;
  return blocks_.try_emplace(std::pair(&side, is), side, is).first->second;
}

/// Each operation of a sequence once.
const std::vector<std::uint32_t>& CommunicatorAmounts::operations(const Elements* elements) {
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

bool CommunicatorAmounts::compare(const JudgedCommunicator& judged, std::uint64_t calls) {
  if (calls == 0) return true;
  bool is_fine = note_what_is_not_compared(judged, calls);
  blocks_left_ = most_blocks;
  is_too_irregular_ = false;
  blocks_.clear();
  differs_.clear();
  is_fine = compare_reductions(judged, calls) && is_fine;
  if (judged.has_group) {
    is_fine = compare_blocks(judged, calls) && is_fine;
    is_fine = compare_neighbours(judged, calls) && is_fine;
    is_fine = compare_own_blocks(judged, calls) && is_fine;
  }
  if (is_too_irregular_) parts_.result.amounts_not_compared["too irregular"] += calls;
  if (blocks_left_ == 0) {
    parts_.result.amounts_not_compared["too many blocks"] += calls;
    is_fine = false;
  }
  return is_fine;
}

/// Operations of the lowest rank's whose amounts nothing is compared of, and sides that were not kept. Whether there
/// are none.
bool CommunicatorAmounts::note_what_is_not_compared(const JudgedCommunicator& judged, std::uint64_t calls) {
  std::map<std::string_view, std::uint64_t> most;
  for (const SequenceClass& one : judged.classes) {
    const bool has_neighbours = knows_neighbours(judged, one);
    std::map<std::string_view, std::uint64_t> of_class;
    const auto* const paired = parts_.pairs.of(one, one, calls);
    if (paired == nullptr) continue;
    for (const PairedOperations& pair : *paired) {
      if (const std::string_view why = why_not_compared(judged, {pair.first}, has_neighbours); !why.empty()) {
        of_class[why] += pair.count;
      }
    }
    for (const auto& [why, count] : of_class) most[why] = std::max(most[why], count);
  }
  for (const auto& [why, count] : most) parts_.result.amounts_not_compared[std::string(why)] += count;
  return most.empty();
}

std::string_view CommunicatorAmounts::why_not_compared(const JudgedCommunicator& judged, CollectiveIndex index,
                                                       bool has_neighbours) const {
  const CollectiveRule& rule = parts_.calls.rule(index);
  const CollectiveOperation& one = operation(index);
  if (rule.amounts == CollectiveRule::Amounts::none) return {};
  if (rule.amounts == CollectiveRule::Amounts::neighbours && judged.has_group && !has_neighbours) return "neighbours";
  if (one.send.is == CollectiveSideIs::too_long || one.receive.is == CollectiveSideIs::too_long) return "long";
  const bool needs_group = rule.amounts != CollectiveRule::Amounts::reduction || rule.is_scattered || judged.is_inter;
  return needs_group && !judged.has_group ? "group that was not told" : std::string_view();
}

/// In an intercommunicator each process is held against one of those that give: of a rooted reduction the group that
/// names the root, else the first one (MPI-4.1 6.9, 6.10).
CommunicatorAmounts::Compared CommunicatorAmounts::how_to_compare(const JudgedCommunicator& judged,
                                                                  CollectiveIndex index, const Leader& leader,
                                                                  const SequenceClass& other) const {
  const CollectiveRule& rule = parts_.calls.rule(index);
  if (rule.amounts != CollectiveRule::Amounts::reduction) return Compared::no;
  if (!judged.has_group && (rule.is_scattered || judged.is_inter)) return Compared::no;
  if (!judged.is_inter) return Compared::block_by_block;
  if (rule.is_scattered) {
    if (leader.processes.group == other.group) return Compared::block_by_block;
    const bool is_other_leading = &other == &judged.classes[judged.leading_classes().back()];
    return leader.is_first && is_other_leading ? Compared::as_a_whole : Compared::no;
  }
  const CollectiveRoot::Is root = operation(index).root.is;
  const bool is_held_against = root == CollectiveRoot::Is::none ? leader.is_first : root == CollectiveRoot::Is::process;
  return is_held_against ? Compared::block_by_block : Compared::no;
}

bool CommunicatorAmounts::compare_reductions(const JudgedCommunicator& judged, std::uint64_t calls) {
  bool is_fine = true;
  const std::vector<std::size_t> leading = judged.leading_classes();
  for (const std::size_t leader : leading) {
    for (std::size_t i = 0; i < judged.classes.size(); ++i) {
      if (i == leader) continue;
      const Leader held{judged.classes[leader], leader == leading.front()};
      is_fine = compare_reductions(judged, held, judged.classes[i], calls) && is_fine;
    }
  }
  return is_fine;
}

bool CommunicatorAmounts::compare_reductions(const JudgedCommunicator& judged, const Leader& leader,
                                             const SequenceClass& other, std::uint64_t calls) {
  bool is_fine = true;
  const auto* const paired = parts_.pairs.of(leader.processes, other, calls);
  if (paired == nullptr) return not_paired();
  for (const PairedOperations& pair : *paired) {
    const Compared how = how_to_compare(judged, {pair.first}, leader, other);
    if (how == Compared::no) continue;
    const CollectiveSide& one = operation({pair.first}).send;
    const CollectiveSide& two = operation({pair.second}).send;
    if (one.is != CollectiveSideIs::blocks || two.is != CollectiveSideIs::blocks) continue;
    const DifferingBlocks worst = how == Compared::as_a_whole
                                      ? compare_reduction(whole(one), whole(two), parts_.verdicts)
                                      : compare_reduction(one, two, parts_.verdicts);
    if (worst.verdict == MessageVerdict::fine) continue;
    is_fine = false;
    if (worst.verdict == MessageVerdict::undecided) {
      parts_.result.amounts_not_compared["too long"] += pair.count;
      continue;
    }
    Mismatch mismatch = mismatch_between(judged, leader.processes.processes.front(), other.processes.front());
    mismatch.ranks = ranks_of(judged, leader.processes.processes);
    mismatch.other_ranks = ranks_of(judged, other.processes);
    mismatch.kind = Mismatch::Kind::reduction;
    mismatch.verdict = worst.verdict;
    mismatch.operation = {pair.first};
    mismatch.other = CollectiveIndex{pair.second};
    mismatch.sent = worst.one;
    mismatch.received = worst.other;
    mismatch.count = pair.count;
    mismatch.call = pair.place;
    parts_.mismatches.add(std::move(mismatch));
    parts_.mismatches.next_calls();
  }
  parts_.mismatches.next_pair();
  return is_fine;
}

/// MPI_IN_PLACE for what a process gives: it stands where the process receives, too (MPI-4.1 6.7, 6.8). A root gives
/// nothing to itself then.
bool CommunicatorAmounts::gives_in_place(const CollectiveOperation& one) const {
  return one.send.is == CollectiveSideIs::in_place && one.receive.is == CollectiveSideIs::blocks &&
         one.root.is == CollectiveRoot::Is::none;
}

/// Those that make no such call are in none.
std::vector<CommunicatorAmounts::FunctionClass> CommunicatorAmounts::classes_of(const JudgedCommunicator& judged,
                                                                                std::uint32_t function) {
  std::vector<FunctionClass> classes;
  std::map<std::pair<std::size_t, Elements>, std::size_t> known;
  for (const SequenceClass& one : judged.classes) {
    Elements calls = chosen_operations(*one.sequence, are_of(function));
    if (calls.empty()) continue;
    const auto [found, is_new] = known.try_emplace({one.group, std::move(calls)}, classes.size());
    if (is_new) {
      FunctionClass& added = classes.emplace_back(FunctionClass{found->first.second, one});
      for (const SequenceElement& element : added.calls) {
        if (element.times != 0) continue;
        const CollectiveOperation& call = operation({element.number});
        added.gives = added.gives || call.send.is == CollectiveSideIs::blocks || gives_in_place(call);
        added.takes = added.takes || call.receive.is == CollectiveSideIs::blocks;
      }
    } else {
      std::vector<std::int64_t>& processes = classes[found->second].processes.processes;
      processes.insert(processes.end(), one.processes.begin(), one.processes.end());
    }
  }
  for (FunctionClass& one : classes) std::sort(one.processes.processes.begin(), one.processes.processes.end());
  return classes;
}

/// Function by function: processes that differ in one are often alike in the others.
bool CommunicatorAmounts::compare_blocks(const JudgedCommunicator& judged, std::uint64_t calls) {
  std::set<std::uint32_t> functions;
  for (const SequenceClass& one : judged.classes) {
    for (const std::uint32_t call : operations(one.sequence)) {
      if (parts_.calls.rule({call}).amounts == CollectiveRule::Amounts::blocks) {
        functions.insert(parts_.calls.function({call}));
      }
    }
  }
  bool is_fine = true;
  for (const std::uint32_t function : functions) {
    const std::vector<FunctionClass> classes = classes_of(judged, function);
    // In all of them as many, since they agree.
    const std::uint64_t length = chosen_before(*classes.front().processes.sequence, are_of(function), calls);
    for (const FunctionClass& senders : classes) {
      if (!senders.gives || length == 0) continue;
      for (const FunctionClass& receivers : classes) {
        if (!receivers.takes || (judged.is_inter && senders.processes.group == receivers.processes.group)) continue;
        if (blocks_left_ == 0) return false;
        is_fine = compare_blocks(judged, senders, receivers, length) && is_fine;
      }
    }
  }
  return is_fine;
}

bool CommunicatorAmounts::compare_blocks(const JudgedCommunicator& judged, const FunctionClass& senders,
                                         const FunctionClass& receivers, std::uint64_t calls) {
  const auto paired = parts_.pairs.of_sequences(senders.calls, receivers.calls, calls);
  if (!paired) {
    blocks_left_ -= std::min<std::uint64_t>(blocks_left_, senders.calls.size() + receivers.calls.size());
    return not_paired();
  }
  bool is_fine = true;
  for (const PairedOperations& pair : *paired) {
    if (blocks_left_ == 0) return false;
    --blocks_left_;
    is_fine = compare_pair(judged, senders.processes, receivers.processes, pair) && is_fine;
  }
  parts_.mismatches.next_pair();
  return is_fine;
}

/// With its place among all calls.
PairedOperations CommunicatorAmounts::in_all_calls(const SequenceClass& processes, PairedOperations pair) const {
  pair.place = place_of_chosen(*processes.sequence, are_of(parts_.calls.function({pair.first})), pair.place);
  return pair;
}

bool CommunicatorAmounts::compare_pair(const JudgedCommunicator& judged, const SequenceClass& senders,
                                       const SequenceClass& receivers, const PairedOperations& pair) {
  const CollectiveRule& rule = parts_.calls.rule({pair.first});
  const CollectiveOperation& one = operation({pair.first});
  const bool is_in_place = gives_in_place(one);
  const CollectiveSide& send = is_in_place ? one.receive : one.send;
  const CollectiveOperation& other = operation({pair.second});
  const CollectiveSide& receive = other.receive;
  if (send.is != CollectiveSideIs::blocks || receive.is != CollectiveSideIs::blocks) return true;
  if (is_in_place && !rule.sends_to_each) return compare_gathered_in_place(judged, senders, receivers, pair);
  const bool are_both_in_place = is_in_place && gives_in_place(other);  // then both ways are of the same two blocks
  // Blocks are counted in the group that they are for, or come from.
  const std::int64_t first_sender = judged.begin_of(senders.group);
  const std::int64_t first_receiver = judged.begin_of(receivers.group);
  const auto sent = blocks_for(blocks(send, rule.sends_to_each), ranks_in_group(judged, receivers));
  const auto received = blocks_for(blocks(receive, rule.receives_of_each), ranks_in_group(judged, senders));
  bool is_fine = true;
  for (const BlockFor& to : sent) {
    for (const BlockFor& from : received) {
      if (blocks_left_ == 0) return false;
      --blocks_left_;
      // What a process sends to itself, its own arguments tell: compare_own_blocks().
      std::int64_t sender = first_sender + from.process;
      std::int64_t receiver = first_receiver + to.process;
      if (sender == receiver && to.another >= 0) receiver = first_receiver + to.another;
      if (sender == receiver && from.another >= 0) sender = first_sender + from.another;
      if (sender == receiver || (are_both_in_place && sender > receiver)) continue;
      const MessageVerdict verdict = parts_.verdicts.of(*to.run, *from.run);
      if (verdict == MessageVerdict::fine) continue;
      is_fine = false;
      if (verdict == MessageVerdict::undecided) {
        parts_.result.amounts_not_compared["too long"] += pair.count;
        continue;
      }
      const auto all = [&](const SequenceClass& processes, bool is_for_each) {
        return is_for_each ? RankRanges() : ranks_of(judged, processes.processes);
      };
      add_blocks(judged, {in_all_calls(senders, pair), verdict, sender, receiver, to.run, from.run,
                          all(senders, rule.receives_of_each), all(receivers, rule.sends_to_each)});
    }
  }
  parts_.mismatches.next_calls();
  return is_fine;
}

/// Blocks of two sides at the processes' own places, once for each two runs: `visit` gets the processes and the two,
/// and tells whether they are fine.
template <class Visit>
bool CommunicatorAmounts::at_own_places(std::span<const std::int64_t> processes, const BlocksOfSide& one,
                                        const BlocksOfSide& other, Visit visit) {
  bool is_fine = true;
  for (auto process = processes.begin(); process != processes.end();) {
    const auto rank = static_cast<std::uint64_t>(*process);
    const auto [run, end] = one.at(rank);
    const auto [other_run, other_end] = other.at(rank);
    if (run == nullptr || other_run == nullptr) break;
    if (blocks_left_ == 0) return false;
    --blocks_left_;
    const auto behind =
        std::lower_bound(process, processes.end(), std::min(end, other_end),
                         [](std::int64_t a, std::uint64_t b) { return static_cast<std::uint64_t>(a) < b; });
    is_fine = visit(std::span(process, behind), *run, *other_run) && is_fine;
    process = behind;
  }
  parts_.mismatches.next_calls();
  return is_fine;
}

/// What each process gives stands at its own place among what it receives, and all others take it.
bool CommunicatorAmounts::compare_gathered_in_place(const JudgedCommunicator& judged, const SequenceClass& senders,
                                                    const SequenceClass& receivers, const PairedOperations& pair) {
  const BlocksOfSide& given = blocks(operation({pair.first}).receive, true);
  const BlocksOfSide& taken = blocks(operation({pair.second}).receive, true);
  return at_own_places(senders.processes, given, taken, [&](auto processes, const BlockRun& sent, const BlockRun& got) {
    const MessageVerdict verdict = parts_.verdicts.of(sent, got);
    if (verdict == MessageVerdict::fine) return true;
    if (verdict == MessageVerdict::undecided) {
      parts_.result.amounts_not_compared["too long"] += pair.count;
    } else {
      add_blocks(judged, {in_all_calls(senders, pair),
                          verdict,
                          processes.front(),
                          receivers.processes.front(),
                          &sent,
                          &got,
                          {},
                          ranks_of(judged, receivers.processes)});
    }
    return false;
  });
}

/// What processes send to themselves: nobody's root has looked at it, and no other process takes part. Where others
/// disagree with the same call, too, that is told.
bool CommunicatorAmounts::compare_own_blocks(const JudgedCommunicator& judged, std::uint64_t calls) {
  if (judged.is_inter) return true;
  bool is_fine = true;
  for (const SequenceClass& one : judged.classes) {
    const std::vector<std::uint32_t>& all = operations(one.sequence);
    const auto has_own_blocks = [&](std::uint32_t call) {
      return parts_.calls.rule({call}).amounts == CollectiveRule::Amounts::blocks &&
             operation({call}).root.is == CollectiveRoot::Is::none &&
             operation({call}).send.is == CollectiveSideIs::blocks &&
             operation({call}).receive.is == CollectiveSideIs::blocks && !differs_.contains(call);
    };
    if (std::none_of(all.begin(), all.end(), has_own_blocks)) continue;
    const auto* const paired = parts_.pairs.of(one, one, calls);
    if (paired == nullptr) {  // which was said of what goes to others
      is_fine = false;
      continue;
    }
    for (const PairedOperations& pair : *paired) {
      if (pair.first == pair.second && has_own_blocks(pair.first)) {
        is_fine = compare_own_blocks(judged, one, pair) && is_fine;
      }
    }
    parts_.mismatches.next_pair();
  }
  return is_fine;
}

bool CommunicatorAmounts::compare_own_blocks(const JudgedCommunicator& judged, const SequenceClass& of_class,
                                             const PairedOperations& call) {
  const CollectiveRule& rule = parts_.calls.rule({call.first});
  const BlocksOfSide& sent = blocks(operation({call.first}).send, rule.sends_to_each);
  const BlocksOfSide& received = blocks(operation({call.first}).receive, rule.receives_of_each);
  return at_own_places(of_class.processes, sent, received,
                       [&](auto processes, const BlockRun& to, const BlockRun& from) {
                         const MessageVerdict verdict = parts_.verdicts.of(to, from);
                         if (verdict == MessageVerdict::fine) return true;
                         if (verdict == MessageVerdict::undecided) {
                           parts_.result.amounts_not_compared["too long"] += call.count;
                           return false;
                         }
                         Mismatch mismatch = mismatch_between(judged, processes.front(), processes.front());
                         mismatch.ranks = ranks_of(judged, processes);
                         mismatch.other_ranks = mismatch.ranks;
                         mismatch.kind = Mismatch::Kind::own;
                         mismatch.verdict = verdict;
                         mismatch.operation = {call.first};
                         mismatch.other = mismatch.operation;
                         mismatch.sent = to;
                         mismatch.received = from;
                         mismatch.count = call.count;
                         mismatch.call = call.place;
                         parts_.mismatches.add(std::move(mismatch));
                         return false;
                       });
}

bool CommunicatorAmounts::has_neighbourhoods(const JudgedCommunicator& judged) {
  return std::any_of(judged.classes.begin(), judged.classes.end(), [&](const SequenceClass& one) {
    const std::vector<std::uint32_t>& all = operations(one.sequence);
    return std::any_of(all.begin(), all.end(), [&](std::uint32_t call) {
      return parts_.calls.rule({call}).amounts == CollectiveRule::Amounts::neighbours;
    });
  });
}

/// Edges of the same two classes and places are alike: each is looked at once, and those that are wrong are all told.
bool CommunicatorAmounts::compare_neighbours(const JudgedCommunicator& judged, std::uint64_t calls) {
  if (judged.is_inter || !has_neighbourhoods(judged)) return true;
  std::vector<std::uint32_t> class_of(judged.members.size(), 0);
  for (std::uint32_t i = 0; i < judged.classes.size(); ++i) {
    for (const std::int64_t process : judged.classes[i].processes) class_of[static_cast<std::size_t>(process)] = i;
  }
  bool is_fine = true;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::size_t, std::size_t>> fine;
  for (const NeighbourEdge& edge : neighbour_edges(judged.lines)) {
    const std::uint32_t senders = class_of[static_cast<std::size_t>(edge.sender)];
    const std::uint32_t receivers = class_of[static_cast<std::size_t>(edge.receiver)];
    if (fine.contains({senders, receivers, edge.sent, edge.received})) continue;
    const auto* const paired = parts_.pairs.of(judged.classes[senders], judged.classes[receivers], calls);
    if (paired == nullptr) return not_paired();
    if (compare_edge(judged, edge, *paired)) {
      fine.emplace(senders, receivers, edge.sent, edge.received);
    } else {
      is_fine = false;
    }
    if (blocks_left_ == 0) break;
  }
  return is_fine;
}

bool CommunicatorAmounts::compare_edge(const JudgedCommunicator& judged, const NeighbourEdge& edge,
                                       const std::vector<PairedOperations>& paired) {
  bool is_fine = true;
  for (const PairedOperations& pair : paired) {
    const CollectiveRule& rule = parts_.calls.rule({pair.first});
    if (rule.amounts != CollectiveRule::Amounts::neighbours) continue;
    if (blocks_left_ == 0) return false;
    --blocks_left_;
    const BlockRun* const sent = blocks(operation({pair.first}).send, rule.sends_to_each).at(edge.sent).run;
    const BlockRun* const received =
        blocks(operation({pair.second}).receive, rule.receives_of_each).at(edge.received).run;
    if (sent == nullptr || received == nullptr) continue;
    const MessageVerdict verdict = parts_.verdicts.of(*sent, *received);
    if (verdict == MessageVerdict::fine) continue;
    is_fine = false;
    if (verdict == MessageVerdict::undecided) {
      parts_.result.amounts_not_compared["too long"] += pair.count;
      continue;
    }
    add_blocks(judged, {pair, verdict, edge.sender, edge.receiver, sent, received, {}, {}});
    parts_.mismatches.next_calls();
  }
  parts_.mismatches.next_pair();
  return is_fine;
}

/// The root's, the lower rank's, or between neighbours, who may be many, the sender's.
void CommunicatorAmounts::add_blocks(const JudgedCommunicator& judged, WrongBlocks&& wrong) {
  differs_.insert({wrong.pair.first, wrong.pair.second});
  const CollectiveRoot& root = operation({wrong.pair.first}).root;
  const bool is_of_neighbours = parts_.calls.rule({wrong.pair.first}).amounts == CollectiveRule::Amounts::neighbours;
  bool is_receiver_s = wrong.receiver < wrong.sender && !is_of_neighbours;
  if (root.is == CollectiveRoot::Is::itself) is_receiver_s = false;
  if (root.is == CollectiveRoot::Is::process) {
    is_receiver_s = wrong.receiver - judged.begin_of(judged.group_of(wrong.receiver)) == root.rank;
  }
  Mismatch mismatch = is_receiver_s ? mismatch_between(judged, wrong.receiver, wrong.sender)
                                    : mismatch_between(judged, wrong.sender, wrong.receiver);
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
  parts_.mismatches.add(std::move(mismatch));
}

}  // namespace ddtscope::reporters
