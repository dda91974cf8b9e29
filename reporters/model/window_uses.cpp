#include "reporters/model/window_uses.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "decoder/base/grouped.h"
#include "reporters/model/gathered_ranks.h"
#include "reporters/model/uses.h"

namespace ddtscope::reporters {
namespace {

bool has_more_bytes(Exact a, Exact b) { return place_of(b) < place_of(a); }

}  // namespace

std::string window_id(std::uint32_t number) { return "W" + std::to_string(number); }

std::string named_window(const std::vector<std::string_view>& labels) {
  if (labels.empty()) return {};
  const std::size_t others = labels.size() - 1;
  return " \"" + std::string(labels.front()) + "\"" +
         (others != 0 ? " (and " + counted(others, "other name", "other names") + ")" : "");
}

WindowNames::WindowNames(const Job& job) {
  std::set<std::pair<Key, std::string_view>> known;
  for (const JobWindowName& one : job.window_names) {
    if (one.name.empty()) continue;
    const Key window = job.windows[one.window.value].name;
    Names& names = names_[window];
    names.given.push_back(&one);
    if (known.emplace(window, one.name).second) names.all.push_back(one.name);
  }
}

const std::vector<std::string_view>& WindowNames::of(Key window) const {
  static const std::vector<std::string_view> none;
  const auto found = names_.find(window);
  return found != names_.end() ? found->second.all : none;
}

std::string WindowNames::in_words(Key window, Rank process) const {
  const auto found = names_.find(window);
  if (found == names_.end()) return {};
  for (const JobWindowName* const one : found->second.given) {
    if (one->ranks.contains(process)) return named_window({one->name});
  }
  return named_window(found->second.all);
}

std::vector<WindowUses> window_uses(const Job& job, const std::vector<bool>& wanted) {
  std::vector<WindowUses> all;
  const WindowNames names(job);
  // Spawned worlds have names of their own: their first world's is another one.
  std::map<std::pair<Key, WorldNumber>, std::size_t> numbers;
  std::vector<std::size_t> of_part;
  for (std::size_t i = 0; i < job.windows.size(); ++i) {
    const JobWindow& window = job.windows[i];
    const WorldNumber world = window.ranks.empty() ? WorldNumber{} : window.ranks.ranges().front().world;
    const auto [known, is_new] = numbers.try_emplace({window.name, world}, all.size());
    if (is_new) {
      all.push_back({.number = static_cast<std::uint32_t>(all.size() + 1),
                     .parts = {},
                     .labels = names.of(window.name),
                     .calls = {}});
    }
    all[known->second].parts.push_back({static_cast<std::uint32_t>(i)});
    of_part.push_back(known->second);
  }
  struct Place {
    std::size_t number = 0;  // among the window's calls
    GatheredRanks origins;
  };
  std::map<std::tuple<std::size_t, std::string_view, std::uint32_t>, Place> places;
  for (std::size_t i = 0; i < job.accesses.size(); ++i) {
    if (!wanted[i]) continue;
    const JobAccesses& accesses = job.accesses[i];
    WindowUses& window = all[of_part[accesses.window.value]];
    const auto [known, is_new] =
        places.try_emplace({of_part[accesses.window.value], accesses.called, accesses.type.value});
    Place& place = known->second;
    if (is_new) {
      place.number = window.calls.size();
      window.calls.push_back({.called = accesses.called, .type = accesses.type, .origins = {}});
    }
    WindowCalls& calls = window.calls[place.number];
    const std::uint64_t made = accesses.count * processes_of(accesses.ranks);
    const Exact bytes = bytes_of(job, accesses.type, accesses.elements) * Exact(static_cast<Int128>(made));
    calls.calls += made;
    calls.bytes += bytes;
    window.number_of_calls += made;
    window.bytes += bytes;
    for (const RankRange& range : accesses.ranks.ranges()) place.origins.add(range);
  }
  for (auto& [key, place] : places) all[std::get<0>(key)].calls[place.number].origins = place.origins.take();
  if (std::find(wanted.begin(), wanted.end(), false) != wanted.end()) {
    std::erase_if(all, [](const WindowUses& window) { return window.calls.empty(); });
  }
  for (WindowUses& window : all) {
    std::stable_sort(window.calls.begin(), window.calls.end(),
                     [](const WindowCalls& a, const WindowCalls& b) { return has_more_bytes(a.bytes, b.bytes); });
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const WindowUses& a, const WindowUses& b) { return has_more_bytes(a.bytes, b.bytes); });
  return all;
}

}  // namespace ddtscope::reporters
