#include "reporters/model/collective_classes.h"

#include <algorithm>
#include <utility>

#include "reporters/model/paired_operations.h"

namespace ddtscope::reporters {

std::vector<std::size_t> JudgedCommunicator::leading_classes() const {
  std::vector<std::size_t> leading;
  for (std::size_t i = 0; i < classes.size() && leading.size() < 2; ++i) {
    if (leading.empty() || classes[i].group != classes[leading[0]].group) leading.push_back(i);
  }
  return leading;
}

CollectiveMismatch mismatch_between(const JudgedCommunicator& judged, std::int64_t process, std::int64_t other) {
  CollectiveMismatch mismatch;
  mismatch.rank = {judged.world, judged.members[static_cast<std::size_t>(process)]};
  mismatch.other_rank = {judged.world, judged.members[static_cast<std::size_t>(other)]};
  mismatch.ranks.add(mismatch.rank);
  mismatch.other_ranks.add(mismatch.other_rank);
  mismatch.communicator = judged.any->communicator;
  mismatch.predefined = judged.any->predefined;
  return mismatch;
}

CollectiveClasses::CollectiveClasses(const Job& job) : job_(job) {
  for (const KnownMessages& known : job_.messages.known) {
    known_.add(known.ranks);
    for (const MessagesLeftOut& part : known.left_out) {
      if (part.why == "memory" || part.why == "switched off") silent_[part.why].add(known.ranks);
    }
  }
}

std::uint64_t CollectiveClasses::length_of(CollectiveSequenceIndex index) {
  const auto [found, is_new] = lengths_.try_emplace(index, 0);
  if (is_new) found->second = reporters::length_of(sequence(index));
  return found->second;
}

void CollectiveClasses::find_members(JudgedCommunicator& judged) {
  if (judged.any->predefined == PredefinedCommunicator::world) {
    const auto [found, is_new] = worlds_.try_emplace(judged.world);
    if (is_new) {
      std::int64_t size = 0;
      const auto see = [&](const Rank& rank) {
        if (rank.world == judged.world) size = std::max(size, rank.number + 1);
      };
      for (const JobRank& rank : job_.ranks) {
        if (rank.header.rank) see(*rank.header.rank);
      }
      for (const Rank& rank : job_.missing_ranks) see(rank);
      for (std::int64_t rank = 0; rank < size; ++rank) found->second.push_back(rank);
    }
    judged.members = found->second;
    return;
  }
  const std::vector<GroupRuns>& groups = job_.communicators[judged.any->communicator->value].groups;
  judged.is_inter = groups.size() > 1;
  judged.has_group = !groups.empty();
  for (const GroupRuns& group : groups) {
    for (const RankRun& run : group) {
      for_each_rank(run, [&](std::int64_t rank) { judged.members.push_back(rank); });
    }
    if (&group == &groups.front()) judged.first_group = static_cast<std::int64_t>(judged.members.size());
  }
}

std::set<std::string_view> CollectiveClasses::add(JudgedCommunicator& judged,
                                                  const std::vector<const RankCollectives*>& lines) {
  find_members(judged);
  static const std::vector<SequenceElement> none;
  std::set<std::string_view> silent;
  std::map<std::pair<const std::vector<SequenceElement>*, std::size_t>, std::size_t> places;
  judged.known = judged.longest;
  const auto add = [&](std::int64_t process, const std::vector<SequenceElement>* elements) {
    const std::size_t group = judged.group_of(process);
    const auto [found, is_new] = places.try_emplace({elements, group}, judged.classes.size());
    if (is_new) judged.classes.push_back({elements, {}, group});
    judged.classes[found->second].processes.push_back(process);
  };
  const auto see_line = [&](std::int64_t process, const RankCollectives& line) {
    const std::uint64_t length = length_of(line.sequence);
    const std::uint64_t known = line.undecided ? std::min(length, line.undecided->operation) : length;
    if (known < judged.known || (known == judged.known && judged.undecided.empty() && line.undecided)) {
      judged.known = known;
      judged.undecided = line.undecided ? line.undecided->why : std::string_view();
    }
    add(process, &sequence(line.sequence));
    judged.lines.resize(judged.members.size());
    judged.lines[static_cast<std::size_t>(process)] = &line;
  };
  if (!judged.has_group) {  // then only those are known who told of it
    for (const RankCollectives* line : lines) {
      judged.is_inter = judged.is_inter || says_that_there_are_groups(*line);
    }
    judged.first_group = static_cast<std::int64_t>(lines.size());
    for (const RankCollectives* line : lines) {
      judged.members.push_back(line->rank.number);
      see_line(static_cast<std::int64_t>(judged.members.size()) - 1, *line);
    }
    return silent;
  }
  for (std::size_t process = 0; process < judged.members.size(); ++process) {
    const Rank rank{judged.world, judged.members[process]};
    const auto line = std::lower_bound(lines.begin(), lines.end(), rank,
                                       [](const RankCollectives* one, Rank wanted) { return one->rank < wanted; });
    if (line != lines.end() && (*line)->rank == rank) {
      see_line(static_cast<std::int64_t>(process), **line);
    } else if (const std::string_view why = why_no_line(rank); !why.empty()) {
      silent.insert(why);
    } else {
      judged.known = 0;
      judged.undecided = {};
      add(static_cast<std::int64_t>(process), &none);
    }
  }
  return silent;
}

/// By MPI_ROOT or MPI_PROC_NULL in place of a root.
bool CollectiveClasses::says_that_there_are_groups(const RankCollectives& line) const {
  const std::vector<SequenceElement>& elements = sequence(line.sequence);
  return std::any_of(elements.begin(), elements.end(), [&](const SequenceElement& element) {
    if (element.times != 0) return false;
    const CollectiveRoot& root = job_.messages.collective_operations[element.number].root;
    return root.is == CollectiveRoot::Is::itself || root.is == CollectiveRoot::Is::nobody;
  });
}

std::string_view CollectiveClasses::why_no_line(Rank rank) {
  if (!known_.contains(rank)) return "process without messages";
  for (auto& [why, ranks] : silent_) {
    if (ranks.contains(rank)) return why;
  }
  return {};
}

}  // namespace ddtscope::reporters
