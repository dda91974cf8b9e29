#include "reporters/model/job.h"

#include <algorithm>

namespace ddtscope::reporters {

std::string text_of(TypeNumber number) { return "T" + std::to_string(number.value); }

std::string text_of(const RankRanges& ranks) {
  std::string text;
  for (const auto& [first, last, world] : ranks.ranges()) {
    text += (text.empty() ? "" : ", ") + text_of(Rank{world, first}) +
            (first == last ? "" : "-" + text_of(Rank{world, last}));
  }
  return text;
}

RankRanges joined_ranks(std::vector<RankRange> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const RankRange& a, const RankRange& b) {
    return Rank{a.world, a.first} < Rank{b.world, b.first};
  });
  RankRanges ranks;
  for (const RankRange& range : ranges) ranks.add(range);
  return ranks;
}

void join_ranks(RankRanges& ranks, const RankRanges& more) {
  if (more.empty()) return;
  const auto all = more.ranges();
  const auto is_behind = [](const RankRange& a, const RankRange& b) {
    return Rank{a.world, a.last} < Rank{b.world, b.first};
  };
  if (ranks.empty() || is_behind(ranks.ranges().back(), all.front())) {
    for (const RankRange& range : all) ranks.add(range);
  } else if (!std::all_of(all.begin(), all.end(), [&](const RankRange& range) { return ranks.contains(range); })) {
    std::vector<RankRange> both(ranks.ranges().begin(), ranks.ranges().end());
    both.insert(both.end(), all.begin(), all.end());
    ranks = joined_ranks(std::move(both));
  }
}

std::int64_t live(const Counters& counters, Combiner combiner) {
  return is_unnamed_predefined(combiner)
             ? 0
             : static_cast<std::int64_t>(counters.created + counters.adopted - counters.freed);
}

std::int64_t uncommitted(const Counters& counters, Combiner combiner) {
  // Nobody saw whether an adopted type had been committed.
  const auto missing = static_cast<std::int64_t>(counters.created) - static_cast<std::int64_t>(counters.committed);
  return is_unnamed_predefined(combiner) ? 0 : std::max<std::int64_t>(missing, 0);
}

std::vector<bool> Job::oldtypes() const {
  std::vector<bool> marked(store.size());
  for (const JobType& type : types) {
    for (const DefinitionId oldtype : store[type.definition].call.datatypes) marked[oldtype.value] = true;
  }
  return marked;
}

void Job::mark_oldtypes(std::vector<bool>& marked) const {
  // Oldtypes stand before what is made of them.
  for (auto id = static_cast<std::uint32_t>(store.size()); id-- > 0;) {
    if (!marked[id]) continue;
    for (const DefinitionId oldtype : store[DefinitionId{id}].call.datatypes) marked[oldtype.value] = true;
  }
}

std::vector<TypeNumber> Job::type_numbers() const {
  std::vector<TypeNumber> all;
  all.reserve(types.size());
  for (const JobType& type : types) all.push_back(type.number);
  return all;
}

bool Job::complete() const {
  return missing_ranks.empty() &&
         std::all_of(ranks.begin(), ranks.end(), [](const JobRank& rank) { return rank.complete(); });
}

const std::vector<std::string>& Job::names(TypeNumber number) const {
  static const std::vector<std::string> none;
  const auto found = names_.find(number.value);
  return found != names_.end() ? found->second : none;
}

void Job::add_name(TypeNumber number, std::string name) {
  std::vector<std::string>& names = names_[number.value];
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
}

std::string Job::name_of(DefinitionId id) const {
  const TypeNumber number = number_of(id);
  return number.valid() ? text_of(number) : store.predefined()[store[id].predefined].name;
}

bool Job::is_of_program(FrameIndex index) const {
  const std::optional<ModuleIndex> number = frame(index).module;
  return number && (module(*number).function || module(*number).path == header().program);
}

std::vector<FrameIndex> Job::stack(FrameIndex site) const {
  std::vector<FrameIndex> frames_of_site;
  for (std::optional<FrameIndex> at = site; at; at = frame(*at).caller) {
    frames_of_site.push_back(*at);
  }
  return frames_of_site;
}

std::string_view Job::word(std::string_view text) {
  if (const auto known = words_.find(text); known != words_.end()) {
    return *known;
  }
  return *words_.emplace(text).first;
}

}  // namespace ddtscope::reporters
