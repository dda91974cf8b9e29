// One-sided calls of one epoch that touch the same bytes of a window: `conflicting-access` (MPI-4.1 12.7).
#include <algorithm>
#include <compare>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "decoder/base/grouped.h"
#include "reporters/model/access_conflicts.h"
#include "reporters/model/by_rank.h"
#include "reporters/model/conflict_words.h"
#include "reporters/model/epoch_parties.h"
#include "reporters/model/findings_of_calls.h"
#include "reporters/model/paired_operations.h"
#include "reporters/model/target_windows.h"
#include "reporters/model/window_epochs.h"

namespace ddtscope::reporters {
namespace {

constexpr std::uint64_t most_steps = std::uint64_t{1} << 24;
/// Calls of one epoch at one target.
constexpr std::size_t most_accesses = std::size_t{1} << 18;
/// Where processes open a target's epochs with different groups, each period is looked at by itself.
constexpr std::uint64_t most_unfolded = std::uint64_t{1} << 16;
constexpr std::size_t most_unfolded_pairs = 64;
/// To put all origins side by side; where that is too much, each two are.
constexpr std::uint64_t most_joining_steps = std::uint64_t{1} << 20;
/// Blocks of several origins that are looked at together, unless those of two alone are more.
constexpr std::size_t most_together = std::size_t{1} << 19;

/// Processes that did the same about a window.
struct Origins {
  RankRanges ranks;
  WindowEpochs epochs;
  bool are_several() const { return ranks.ranges().size() > 1 || first().number != ranks.ranges().front().last; }
  Rank first() const { return {ranks.ranges().front().world, ranks.ranges().front().first}; }
  const EpochStream* stream(EpochMode mode, std::int64_t target) const {
    const auto place = [](const EpochStream& one) { return std::pair(one.mode, one.target); };
    const auto found = std::lower_bound(
        epochs.streams.begin(), epochs.streams.end(), std::pair(mode, target),
        [&](const EpochStream& one, const std::pair<EpochMode, std::int64_t>& wanted) { return place(one) < wanted; });
    return found == epochs.streams.end() || place(*found) != std::pair(mode, target) ? nullptr : &*found;
  }
};

/// The groups of MPI_Win_post at a window, by the process that called it.
ByRank<const EpochStream*> posts_of_ranks(const std::vector<Origins>& all) {
  ByRank<const EpochStream*> posts;
  for (const Origins& origins : all) {
    if (const EpochStream* const own = origins.stream(EpochMode::post, 0)) posts.add(origins.ranks, own);
  }
  return posts;
}

/// The numbers that a folded sequence begins with, one by one.
std::vector<std::uint32_t> unfolded(std::span<const SequenceElement> elements, std::uint64_t most) {
  std::vector<std::uint32_t> all;
  for (std::size_t at = 0; at < elements.size() && all.size() < most;) {
    const SequenceElement& element = elements[at++];
    if (element.times == 0) {
      all.push_back(element.number);
      continue;
    }
    const auto body = elements.subspan(at, element.number);
    for (std::uint64_t turn = 0; turn < element.times && all.size() < most; ++turn) {
      const std::vector<std::uint32_t> some = unfolded(body, most - all.size());
      if (some.empty()) break;
      all.insert(all.end(), some.begin(), some.end());
    }
    at += element.number;
  }
  return all;
}

class EpochFindings {
 public:
  explicit EpochFindings(const Job& job)
      : job_(job),
        layouts_(job.store, job.observed_bounds),
        windows_(job),
        parties_(contents_, layouts_),
        words_(job, contents_, parties_) {}

  DrawnFindings take() {
    std::map<std::pair<Key, WorldNumber>, std::vector<Origins>> by_window;
    std::uint64_t steps = most_steps;
    for (const JobEpochs& epochs : job_.epochs) {
      if (epochs.ranks.empty()) continue;
      Origins origins{epochs.ranks, epochs_of(job_, epochs, contents_, steps)};
      if (origins.epochs.is_cut) ++cut_;
      if (epochs.undecided) ++not_all_known_;
      by_window[{job_.windows[epochs.window.value].name, origins.first().world}].push_back(std::move(origins));
    }
    for (auto& [place, all] : by_window) {
      std::sort(all.begin(), all.end(), [](const Origins& a, const Origins& b) { return a.first() < b.first(); });
      look_at(place.first, place.second, all);
    }
    return told();
  }

 private:
  struct Judged {
    std::vector<EpochConflict> conflicts;
    bool is_undecided = false;
  };
  /// What stands at one place of an origin's epochs.
  struct Part {
    std::uint32_t content = 0;
    bool are_several = false;  // processes, that did it
    friend auto operator<=>(const Part&, const Part&) = default;
  };

  void look_at(Key name, WorldNumber world, const std::vector<Origins>& all) {
    std::map<std::pair<EpochMode, std::int64_t>, std::vector<const Origins*>> places;
    for (const Origins& origins : all) {
      for (const EpochStream& stream : origins.epochs.streams) {
        if (stream.mode == EpochMode::post) continue;
        std::vector<const Origins*>& those = places[{stream.mode, stream.target}];
        if (those.empty() || those.back() != &origins) those.push_back(&origins);
      }
    }
    ByRank<const EpochStream*> posts = posts_of_ranks(all);
    for (const auto& [place, those] : places) {
      const auto [mode, number] = place;
      EpochTarget target{windows_.of(name, {world, number}), {world, number}, 1, mode, targets_++};
      if (target.window == nullptr) {
        ++unknown_;
        continue;
      }
      target.unit = target.window->displacement_unit.value_or(1);
      look_at(target, mode == EpochMode::start ? posts.of(target.rank) : nullptr, those);
    }
  }

  /// `posts` are the target's own, of MPI_Win_start.
  void look_at(const EpochTarget& target, const EpochStream* posts, const std::vector<const Origins*>& those) {
    for (const Origins* const origins : those) {
      const std::vector<SequenceElement>& own = elements(target, *origins);
      pair_up(own, own, [&](std::uint32_t content, std::uint32_t, std::uint64_t count, std::uint64_t place) {
        for (const EpochConflict& conflict : within(target, content).conflicts) {
          add(target, *origins, *origins, conflict, count * origins->ranks.size(), place, true);
        }
      });
    }
    if (target.mode == EpochMode::passive) {
      note_shared(target, those);
    } else if (!look_at_rows(target, posts, those)) {
      look_at_pairs(target, posts, those);
    }
  }

  /// All origins side by side. False where they cannot be put so: nothing was looked at.
  bool look_at_rows(const EpochTarget& target, const EpochStream* posts, const std::vector<const Origins*>& those) {
    if (those.size() == 1 && !those[0]->are_several()) return true;
    if (target.mode == EpochMode::start && (posts == nullptr || !are_aligned(*posts, those))) return false;
    std::vector<std::span<const SequenceElement>> sequences;
    for (const Origins* const origins : those) sequences.emplace_back(elements(target, *origins));
    const auto joined = joined_sequences(sequences, EpochContents::nothing, joining_steps_);
    if (!joined) return false;
    const std::uint64_t length = length_of(joined->elements);
    const auto places = paired_operations_within(joined->elements, joined->elements, length, joining_steps_);
    if (!places) return false;
    std::vector<Part> parts;
    std::vector<const Origins*> of;
    for (const PairedOperations& row : *places) {
      parts.clear();
      of.clear();
      for (std::size_t i = 0; i < those.size(); ++i) {
        const std::uint32_t content = joined->rows[row.first][i];
        if (content == EpochContents::nothing) continue;
        parts.push_back({content, those[i]->are_several()});
        of.push_back(those[i]);
      }
      if (parts.empty() || (parts.size() == 1 && !parts[0].are_several)) continue;
      add_all(target, among(target, parts), of, row.count, row.place);
    }
    return true;
  }

  void look_at_pairs(const EpochTarget& target, const EpochStream* posts, const std::vector<const Origins*>& those) {
    for (std::size_t i = 0; i < those.size(); ++i) {
      for (std::size_t k = i; k < those.size(); ++k) {
        if (k == i && !those[i]->are_several()) continue;
        const auto see = [&](std::uint32_t one, std::uint32_t other, std::uint64_t count, std::uint64_t place) {
          add_all(target, among(target, {{one, false}, {other, false}}), {those[i], those[k]}, count, place);
        };
        if (target.mode == EpochMode::fence) {
          pair_up(elements(target, *those[i]), elements(target, *those[k]), see);
        } else {
          pair_exposures(target, posts, *those[i], *those[k], see);
        }
      }
    }
  }

  static const std::vector<SequenceElement>& elements(const EpochTarget& target, const Origins& origins) {
    return origins.stream(target.mode, target.rank.number)->elements;
  }

  /// Contents that stand at the same places of both, but for those of nothing.
  template <class See>
  void pair_up(std::span<const SequenceElement> first, std::span<const SequenceElement> second, See see) {
    const std::uint64_t length = std::min(length_of(first), length_of(second));
    const auto pairs = paired_operations_within(first, second, length, pairing_steps_);
    if (!pairs) {
      ++cut_;
      return;
    }
    for (const PairedOperations& pair : *pairs) {
      if (pair.first == EpochContents::nothing || pair.second == EpochContents::nothing) continue;
      see(pair.first, pair.second, pair.count, pair.place);
    }
  }

  /// Whether each exposure is for all of these, or for none.
  bool are_aligned(const EpochStream& posts, const std::vector<const Origins*>& those) const {
    std::set<std::uint32_t> groups;
    for (const SequenceElement& element : posts.elements) {
      if (element.times == 0) groups.insert(element.number);
    }
    return std::all_of(groups.begin(), groups.end(), [&](std::uint32_t number) {
      const GroupRuns& group = contents_.group(number);
      const bool has_one = has_rank(group, those.front()->first().number);
      return std::all_of(those.begin(), those.end(), [&](const Origins* origins) {
        for (const RankRange& range : origins->ranks.ranges()) {
          for (std::int64_t rank = range.first; rank <= range.last; ++rank) {
            if (has_rank(group, rank) != has_one) return false;
          }
        }
        return true;
      });
    });
  }

  /// The nth MPI_Win_start of an origin that names the target goes with the target's nth MPI_Win_post that names the
  /// origin (MPI-4.1 12.5.2).
  template <class See>
  void pair_exposures(const EpochTarget& target, const EpochStream* posts, const Origins& first, const Origins& second,
                      See see) {
    if (posts == nullptr) {
      ++unknown_;
      return;
    }
    if (are_aligned(*posts, {&first, &second})) {
      pair_up(elements(target, first), elements(target, second), see);
      return;
    }
    const std::vector<std::uint32_t> periods = unfolded(posts->elements, most_unfolded);
    const std::vector<std::uint32_t> of_first = unfolded(elements(target, first), most_unfolded);
    const std::vector<std::uint32_t> of_second = unfolded(elements(target, second), most_unfolded);
    if (periods.size() == most_unfolded) ++cut_;
    std::size_t pairs = 0;
    for (const RankRange& range : first.ranks.ranges()) {
      for (std::int64_t one = range.first; one <= range.last; ++one) {
        for (const RankRange& other_range : second.ranks.ranges()) {
          for (std::int64_t other = other_range.first; other <= other_range.last; ++other) {
            if (&first == &second && other <= one) continue;
            if (++pairs > most_unfolded_pairs) {
              ++cut_;
              return;
            }
            pair_periods(periods, {one, other}, of_first, of_second, see);
          }
        }
      }
    }
  }

  template <class See>
  void pair_periods(const std::vector<std::uint32_t>& periods, std::pair<std::int64_t, std::int64_t> ranks,
                    const std::vector<std::uint32_t>& of_first, const std::vector<std::uint32_t>& of_second, See see) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint64_t, std::uint64_t>> found;  // count, place
    std::size_t i = 0, k = 0;
    for (std::size_t period = 0; period < periods.size(); ++period) {
      const GroupRuns& group = contents_.group(periods[period]);
      const bool has_first = has_rank(group, ranks.first);
      const bool has_second = has_rank(group, ranks.second);
      if (has_first && has_second && i < of_first.size() && k < of_second.size() &&
          of_first[i] != EpochContents::nothing && of_second[k] != EpochContents::nothing) {
        ++found.try_emplace({of_first[i], of_second[k]}, 0, period).first->second.first;
      }
      i += has_first ? 1 : 0;
      k += has_second ? 1 : 0;
    }
    for (const auto& [contents, times] : found) see(contents.first, contents.second, times.first, times.second);
  }

  void note_shared(const EpochTarget& target, const std::vector<const Origins*>& those) {
    std::uint64_t origins = 0;
    bool writes = false;
    for (const Origins* const one : those) {
      const EpochStream& stream = *one->stream(target.mode, target.rank.number);
      if (!stream.is_shared) continue;
      origins += one->ranks.size();
      for (const SequenceElement& element : stream.elements) {
        if (element.times != 0) continue;
        for (const EpochAccess& access : contents_.content(element.number)) {
          writes = writes || parties_.search().writes(parties_.of(access.shape));
        }
      }
    }
    if (origins > 1 && writes) ++shared_;
  }

  struct Placed {
    std::vector<PlacedAccess> accesses;
    std::vector<const EpochAccess*> of;
    std::vector<std::uint64_t> times;  // which of these calls each is
    bool is_whole = true;
  };
  /// Adds what one origin did; not all where that is too much.
  void place(const EpochTarget& target, Part part, std::size_t origin, Placed& placed) {
    const std::size_t before = placed.accesses.size();
    for (const EpochAccess& access : contents_.content(part.content)) {
      if (placed.accesses.size() - before + access.times > most_accesses) {
        placed.is_whole = false;
        return;
      }
      const std::uint32_t party = parties_.of(access.shape);
      for (std::uint64_t i = 0; i < access.times; ++i) {
        const std::optional<std::int64_t> at =
            (Exact(access.displacement) + Exact(static_cast<Int128>(i)) * Exact(access.step)).to_int64();
        const std::optional<std::int64_t> bytes = at ? (Exact(*at) * Exact(target.unit)).to_int64() : std::nullopt;
        if (!bytes) {
          placed.is_whole = false;
          continue;
        }
        placed.accesses.push_back({party, *bytes, access.is_repeated, access.since, access.until,
                                   static_cast<std::uint32_t>(origin), part.are_several});
        placed.of.push_back(&access);
        placed.times.push_back(i);
      }
    }
  }

  template <class Wanted>
  void take_over(const Placed& placed, const AccessConflicts& found, Judged& judged, Wanted is_wanted) const {
    judged.is_undecided = judged.is_undecided || found.undecided != 0 || !placed.is_whole;
    const auto access = [&](std::size_t i) {
      EpochAccess one = *placed.of[i];
      one.displacement += static_cast<std::int64_t>(placed.times[i]) * one.step;
      return one;
    };
    for (const AccessConflict& conflict : found.conflicts) {
      const PlacedAccess& first = placed.accesses[conflict.first];
      const PlacedAccess& second = placed.accesses[conflict.second];
      if (!is_wanted(first.origin, second.origin)) continue;
      judged.conflicts.push_back({parties_.shape_of(first.party), parties_.shape_of(second.party),
                                  access(conflict.first), access(conflict.second), conflict.bytes, first.origin,
                                  second.origin});
    }
  }

  const Judged& within(const EpochTarget& target, std::uint32_t content) {
    const auto [known, is_new] = judged_within_.try_emplace({content, target.unit});
    if (!is_new) return known->second;
    Placed placed;
    place(target, {content, false}, 0, placed);
    take_over(placed, parties_.search().within(placed.accesses), known->second,
              [](std::size_t, std::size_t) { return true; });
    if (known->second.is_undecided) ++undecided_;
    return known->second;
  }

  /// Of each two of these parts, and of those that several did.
  const Judged& among(const EpochTarget& target, const std::vector<Part>& parts) {
    const auto [known, is_new] = judged_among_.try_emplace({parts, target.unit});
    if (!is_new) return known->second;
    Judged& judged = known->second;
    // As many together as fit in half of what is looked at; of more than that each two such.
    std::vector<std::pair<std::size_t, std::size_t>> batches;  // from part, to part
    std::size_t weight = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::size_t own = weight_of(parts[i].content);
      if (batches.empty() || weight + own > most_together) {
        batches.emplace_back(i, i);
        weight = 0;
      }
      batches.back().second = i + 1;
      weight += own;
    }
    const auto look = [&](std::size_t i, std::size_t k) {
      Placed placed;
      for (const std::size_t batch : std::set<std::size_t>{i, k}) {
        for (std::size_t part = batches[batch].first; part < batches[batch].second; ++part) {
          place(target, parts[part], part, placed);
        }
      }
      const auto has = [&](std::size_t batch, std::size_t part) {
        return batches[batch].first <= part && part < batches[batch].second;
      };
      // Those of one batch come with each other batch again.
      take_over(placed, parties_.search().among(placed.accesses), judged, [&](std::size_t one, std::size_t other) {
        if (has(i, one) && has(i, other)) return k == i || k == i + 1;
        if (has(k, one) && has(k, other)) return i == 0 && k + 1 == batches.size();
        return true;
      });
    };
    if (batches.size() == 1) look(0, 0);
    for (std::size_t i = 0; i < batches.size(); ++i) {
      for (std::size_t k = i + 1; k < batches.size(); ++k) look(i, k);
    }
    if (judged.is_undecided) ++undecided_;
    return judged;
  }
  std::size_t weight_of(std::uint32_t content) {
    std::size_t weight = 0;
    for (const EpochAccess& access : contents_.content(content)) {
      weight += static_cast<std::size_t>(std::min<std::uint64_t>(access.times, most_accesses)) *
                parties_.search().weight(parties_.of(access.shape));
      if (weight > most_together) break;
    }
    return weight;
  }

  using CallPlace = std::tuple<std::string_view, std::uint32_t, std::optional<FrameIndex>>;
  CallPlace place_of(std::uint32_t shape) const {
    const EpochShape& calls = contents_.shape(shape);
    return {calls.called, calls.type.value, calls.site};
  }
  /// In how many epochs of a target two origins conflict there.
  struct Together {
    std::uint64_t count = 0, row = 0;
  };
  struct Told {
    JobFinding finding;
    std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> counts;  // by target: one process's, of two
    std::map<std::pair<const Origins*, const Origins*>, Together> together;   // of this target
    std::uint64_t target = 0;
    std::set<const Origins*> firsts, seconds;  // whose ranks are told
  };

  void add_all(const EpochTarget& target, const Judged& judged, const std::vector<const Origins*>& of,
               std::uint64_t count, std::uint64_t place) {
    ++row_;
    for (const EpochConflict& conflict : judged.conflicts) {
      add(target, *of[conflict.first_part], *of[conflict.second_part], conflict, count, place, false);
    }
  }

  /// `place` of the target's epochs is the first of them.
  void add(const EpochTarget& target, const Origins& first, const Origins& second, const EpochConflict& conflict,
           std::uint64_t count, std::uint64_t place, bool is_of_one) {
    const CallPlace own = place_of(conflict.first);
    const CallPlace others = place_of(conflict.second);
    auto found = places_.find({own, others});
    const bool is_turned = found == places_.end() && places_.contains({others, own});
    if (is_turned) found = places_.find({others, own});
    if (found == places_.end()) {
      found = places_.emplace(std::pair(own, others), told_.size()).first;
      told_.push_back({new_finding(target, first, second, conflict, place, is_of_one), {}, {}, target.number, {}, {}});
    }
    Told& told = told_[found->second];
    const Origins& one = is_turned ? second : first;
    const Origins& other = is_turned ? first : second;
    if (told.firsts.insert(&one).second) join_ranks(told.finding.ranks, one.ranks);
    if (told.seconds.insert(&other).second) join_ranks(told.finding.other->ranks, other.ranks);
    auto& [of_one, of_two] = told.counts[target.number];
    if (is_of_one) {
      of_one += count;
      return;
    }
    if (std::exchange(told.target, target.number) != target.number) told.together.clear();
    Together& together = told.together[{&one, &other}];
    if (std::exchange(together.row, row_) != row_) together.count += count;
    of_two = std::max(of_two, together.count);
  }

  JobFinding new_finding(const EpochTarget& target, const Origins& first, const Origins& second,
                         const EpochConflict& conflict, std::uint64_t place, bool is_of_one) {
    const EpochShape& own = contents_.shape(conflict.first);
    const EpochShape& others = contents_.shape(conflict.second);
    JobFinding finding{};
    finding.kind = &kind_of(FindingId::conflicting_access);
    finding.severity = Severity::warning;
    Rank of_second = second.first();
    if (!is_of_one && &first == &second) of_second = second_of(first);
    finding.message = words_.message(target, {first.first(), of_second}, conflict, place, is_of_one);
    finding.advice = words_.advice(target, conflict, is_of_one);
    finding.type = own.type;
    finding.called = own.called;
    finding.argument = name_of(own.parameter);
    finding.sites = {own.site};
    OtherParty other;
    other.type = others.type;
    other.called = others.called;
    other.argument = name_of(others.parameter);
    other.site = others.site;
    finding.other = std::move(other);
    return finding;
  }
  static Rank second_of(const Origins& origins) {
    const auto ranges = origins.ranks.ranges();
    const RankRange& first = ranges.front();
    if (first.first != first.last) return {first.world, first.first + 1};
    return ranges.size() > 1 ? Rank{ranges[1].world, ranges[1].first} : Rank{first.world, first.first};
  }

  DrawnFindings told() {
    DrawnFindings drawn;
    for (Told& one : told_) {
      for (const auto& [target, counts] : one.counts) one.finding.count += std::max(counts.first, counts.second);
      one.finding.message += repetition(job_, one.finding.count);
      drawn.findings.push_back(std::move(one.finding));
    }
    const auto remark = [&](std::uint64_t number, const std::string& what) {
      if (number != 0) drawn.remarks.push_back(what);
    };
    remark(shared_,
           "What different processes did under shared locks or MPI_Win_lock_all was not held against each other (" +
               counted(shared_, "target", "targets") + "): messages or atomic operations may order it.");
    remark(undecided_,
           counted(undecided_, "epoch", "epochs") +
               " of windows could not be decided: whether calls there touch the same bytes takes too long.");
    remark(cut_, "Not all epochs of " + counted(cut_, "window", "windows") + " were looked at: they are too many.");
    remark(not_all_known_, "Of " + counted(not_all_known_, "window", "windows") +
                               " the trace does not tell all that was done, so that conflicts may be missing.");
    remark(unknown_, "Conflicts at " + counted(unknown_, "target", "targets") +
                         " of windows were not looked for: the trace does not tell the target's window.");
    return drawn;
  }

  const Job& job_;
  Layouts layouts_;
  TargetWindows windows_;
  EpochContents contents_;
  EpochParties parties_;
  ConflictWords words_;
  std::map<std::pair<std::uint32_t, std::int64_t>, Judged> judged_within_;     // by content and unit
  std::map<std::pair<std::vector<Part>, std::int64_t>, Judged> judged_among_;  // by parts and unit
  std::map<std::pair<CallPlace, CallPlace>, std::size_t> places_;
  std::vector<Told> told_;
  std::uint64_t pairing_steps_ = most_pairing_steps, joining_steps_ = most_joining_steps;
  std::uint64_t row_ = 0;  // of those that were looked at
  std::uint64_t targets_ = 0;
  std::uint64_t shared_ = 0, undecided_ = 0, cut_ = 0, not_all_known_ = 0, unknown_ = 0;
};

}  // namespace

DrawnFindings findings_of_epochs(const Job& job) {
  if (job.epochs.empty()) return {};
  return EpochFindings(job).take();
}

}  // namespace ddtscope::reporters
