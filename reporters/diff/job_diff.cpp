#include "reporters/diff/job_diff.h"

#include <algorithm>
#include <future>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "decoder/equality/fingerprint.h"
#include "reporters/diff/alike_types.h"
#include "reporters/diff/finding_diff.h"
#include "reporters/diff/places.h"
#include "reporters/diff/use_diff.h"
#include "reporters/model/summary.h"
#include "reporters/model/uses.h"

namespace ddtscope::reporters {
namespace {

/// Definitions of both jobs that were joined, and the number of each layout, the same number for the same layout.
class JoinedTypes {
 public:
  explicit JoinedTypes(const DiffInput& input)
      : before_(input.before.job),
        after_(input.after.job),
        old_of_(after_.types.size() + 1),
        new_of_(before_.types.size() + 1) {
    std::unordered_map<Key, TypeNumber> by_key;
    for (const JobType& type : before_.types) by_key.try_emplace(type.key, type.number);
    for (const JobType& type : after_.types) {
      if (const auto found = by_key.find(type.key); found != by_key.end()) join(found->second, type.number);
    }
    same_ = joined_;
    const bool is_all = joined_ == before_.types.size() && joined_ == after_.types.size();
    if (!is_all) number_layouts();
  }

  bool is_joined_old(TypeNumber old) const { return new_of_[old.value].valid(); }
  bool is_joined_new(TypeNumber now) const { return old_of_[now.value].valid(); }
  TypeNumber old_of(TypeNumber now) const { return old_of_[now.value]; }
  TypeNumber new_of(TypeNumber old) const { return new_of_[old.value]; }
  bool are_joined(TypeNumber old, TypeNumber now) const { return new_of_[old.value] == now; }
  void join(TypeNumber old, TypeNumber now) {
    if (is_joined_old(old) || is_joined_new(now)) return;
    new_of_[old.value] = now;
    old_of_[now.value] = old;
    ++joined_;
  }
  bool is_same_layout(TypeNumber old, TypeNumber now) const {
    return !old_layouts_.empty() && old_layouts_[old.value] == new_layouts_[now.value];
  }
  std::uint64_t same() const { return same_; }
  std::uint64_t joined() const { return joined_; }
  const Job& before() const { return before_; }
  const Job& after() const { return after_; }
  std::uint32_t old_layout(TypeNumber old) const { return old_layouts_.empty() ? 0 : old_layouts_[old.value]; }
  std::uint32_t new_layout(TypeNumber now) const { return new_layouts_.empty() ? 0 : new_layouts_[now.value]; }

 private:
  using Numbers = std::unordered_map<std::string, std::uint32_t>;

  void number_layouts() {
    Numbers numbers;
    old_layouts_ = layouts_of(before_, new_of_, numbers);
    new_layouts_ = layouts_of(after_, old_of_, numbers);
  }
  /// Of types that have no counterpart yet.
  static std::vector<std::uint32_t> layouts_of(const Job& job, const std::vector<TypeNumber>& counterparts,
                                               Numbers& numbers) {
    std::vector<std::uint32_t> of_types(job.types.size() + 1);
    Layouts layouts(job.store, job.observed_bounds);
    std::optional<Fingerprints> fingerprints(layouts);
    for (const JobType& type : job.types) {
      if (counterparts[type.number.value].valid()) continue;
      if (layouts.make_room(layout_memory)) fingerprints.emplace(layouts);
      const std::optional<Fingerprint> layout = fingerprints->layout(layouts.root(type.definition));
      const Exact lb = layouts.lb(type.definition);
      const Exact extent = layouts.extent(type.definition);
      // One that is unknown is like no other.
      const std::string text = layout && lb.fits() && extent.fits()
                                   ? text_of(*layout) + " " + lb.to_string() + " " + extent.to_string()
                                   : "unknown " + std::to_string(numbers.size());
      of_types[type.number.value] =
          numbers.try_emplace(text, static_cast<std::uint32_t>(numbers.size() + 1)).first->second;
    }
    return of_types;
  }

  const Job& before_;
  const Job& after_;
  std::vector<TypeNumber> old_of_, new_of_;  // by number of the other job's type
  std::vector<std::uint32_t> old_layouts_, new_layouts_;
  std::uint64_t joined_ = 0, same_ = 0;
};

/// Compares what two jobs made in each place.
class PlaceComparison {
 public:
  PlaceComparison(JoinedTypes& types, JobDiff& diff)
      : types_(types),
        diff_(diff),
        made_before_(types.before().types.size() + 1),
        made_after_(types.after().types.size() + 1) {}

  void compare(std::vector<MadeThere> before, std::vector<MadeThere> after) {
    for (const MadeThere& old : before) made_before_[old.type.value] += old.made();
    for (const MadeThere& now : after) made_after_[now.type.value] += now.made();
    take(before, after, ChangeKind::count,
         [&](const MadeThere& old, const MadeThere& now) { return types_.are_joined(old.type, now.type); });
    const auto is_new_pair = [&](const MadeThere& old, const MadeThere& now) {
      return !types_.is_joined_old(old.type) && !types_.is_joined_new(now.type);
    };
    take(before, after, ChangeKind::construction, [&](const MadeThere& old, const MadeThere& now) {
      return is_new_pair(old, now) && types_.is_same_layout(old.type, now.type);
    });
    take(before, after, ChangeKind::arguments, [&](const MadeThere& old, const MadeThere& now) {
      return is_new_pair(old, now) && combiner(types_.before(), old) == combiner(types_.after(), now);
    });
    rest_before_.insert(rest_before_.end(), before.begin(), before.end());
    rest_after_.insert(rest_after_.end(), after.begin(), after.end());
  }

  /// What has no counterpart in its own place may have one elsewhere.
  void compare_rest() {
    std::unordered_map<std::uint32_t, std::vector<std::size_t>> by_type;
    for (std::size_t i = 0; i < rest_before_.size(); ++i) by_type[rest_before_[i].type.value].push_back(i);
    std::unordered_map<std::uint32_t, std::vector<TypeNumber>> by_layout;  // the next one last
    for (std::size_t i = rest_before_.size(); i-- > 0;) {
      const TypeNumber old = rest_before_[i].type;
      if (!types_.is_joined_old(old)) by_layout[types_.old_layout(old)].push_back(old);
    }
    std::vector<bool> is_taken(rest_before_.size());
    for (const MadeThere& now : rest_after_) {
      if (!types_.is_joined_new(now.type)) {
        // One that is made in several places stands there as often.
        std::vector<TypeNumber>& olds = by_layout[types_.new_layout(now.type)];
        while (!olds.empty() && types_.is_joined_old(olds.back())) olds.pop_back();
        if (!olds.empty()) {
          types_.join(olds.back(), now.type);
          ++diff_.joined.by_layout;
        }
      }
      const TypeNumber old = types_.old_of(now.type);
      const auto places = by_type.find(old.value);
      if (!old.valid() || places == by_type.end() || places->second.empty()) {
        add(old.valid() ? ChangeKind::moved : ChangeKind::added, std::nullopt, now);
        continue;
      }
      const std::size_t place = places->second.front();
      places->second.erase(places->second.begin());
      is_taken[place] = true;
      add(ChangeKind::moved, rest_before_[place], now);
    }
    for (std::size_t i = 0; i < rest_before_.size(); ++i) {
      const bool is_elsewhere = types_.is_joined_old(rest_before_[i].type);
      if (!is_taken[i]) add(is_elsewhere ? ChangeKind::moved : ChangeKind::removed, rest_before_[i], std::nullopt);
    }
  }

  /// Whether what was joined was made as often in both jobs, in all places together.
  bool is_made_as_often() const {
    for (std::uint32_t now = 1; now < made_after_.size(); ++now) {
      const TypeNumber old = types_.old_of(TypeNumber{now});
      if (old.valid() && made_before_[old.value] != made_after_[now]) return false;
    }
    return true;
  }

 private:
  static Combiner combiner(const Job& job, const MadeThere& made) {
    return job.store[job.type(made.type).definition].call.combiner;
  }
  /// What two lives are joined by; those of equal numbers may be partners.
  std::uint64_t number_for(ChangeKind kind, const Job& job, const MadeThere& made) const {
    const bool is_old = &job == &types_.before();
    if (kind == ChangeKind::arguments) return static_cast<std::uint64_t>(combiner(job, made));
    if (kind == ChangeKind::construction) return is_old ? types_.old_layout(made.type) : types_.new_layout(made.type);
    return is_old ? made.type.value : types_.old_of(made.type).value;
  }

  /// Takes pairs out of both lists, in their order: time grows with their length.
  template <class Fits>
  void take(std::vector<MadeThere>& before, std::vector<MadeThere>& after, ChangeKind kind, Fits fits) {
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> olds;  // the next one last
    for (std::size_t i = before.size(); i-- > 0;) olds[number_for(kind, types_.before(), before[i])].push_back(i);
    std::vector<bool> is_taken(before.size());
    std::vector<MadeThere> rest;
    for (const MadeThere& now : after) {
      std::vector<std::size_t>& candidates = olds[number_for(kind, types_.after(), now)];
      while (!candidates.empty() && !fits(before[candidates.back()], now) &&
             types_.is_joined_old(before[candidates.back()].type)) {
        candidates.pop_back();
      }
      if (candidates.empty() || !fits(before[candidates.back()], now)) {
        rest.push_back(now);
        continue;
      }
      const MadeThere& old = before[candidates.back()];
      is_taken[candidates.back()] = true;
      candidates.pop_back();
      if (kind != ChangeKind::count) {
        types_.join(old.type, now.type);
        ++diff_.joined.by_site;
      }
      add(kind, old, now);
    }
    std::vector<MadeThere> left;
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (!is_taken[i]) left.push_back(before[i]);
    }
    before = std::move(left);
    after = std::move(rest);
  }

  void add(ChangeKind kind, const std::optional<MadeThere>& before, const std::optional<MadeThere>& after) {
    const auto live_of = [](const std::optional<MadeThere>& made) { return made ? made->live : 0; };
    const auto made_of = [](const std::optional<MadeThere>& made) { return made ? made->made() : 0; };
    if (kind != ChangeKind::count) diff_.changes.push_back({kind, before, after});
    if (before && after && made_of(before) != made_of(after)) {
      diff_.changes.push_back({ChangeKind::count, before, after});
    }
    if (live_of(before) != live_of(after)) diff_.leaks.push_back({before, after});
  }

  JoinedTypes& types_;
  JobDiff& diff_;
  std::vector<MadeThere> rest_before_, rest_after_;
  std::vector<std::uint64_t> made_before_, made_after_;  // by type
};

/// The findings of a job's types, which are looked for once: that is what takes the time.
using FindingsByType = std::unordered_map<std::uint32_t, std::vector<Finding>>;

/// But for types that must have the same ones in both jobs.
FindingsByType findings_by_type(const ReportContext& context, const std::vector<bool>& alike) {
  FindingsByType findings;
  for (const JobType& type : context.job.types) {
    if (alike[type.number.value]) continue;
    const std::vector<Finding>& of_type = context.analysis.findings(type.number);
    if (!of_type.empty()) findings.emplace(type.number.value, of_type);
  }
  return findings;
}

/// A finding about a type, at the place where most of it was made.
JobFinding finding_of(const Job& job, TypeNumber number, const Finding& finding) {
  JobFinding found{
      finding.kind, finding.severity, finding.message, finding.advice, job.type(number).definition, "", "", {}, 0,
      {},           std::nullopt};
  found.sites.push_back(busiest_site(job, number));
  return found;
}

using OfType = std::pair<const std::uint32_t, std::vector<Finding>>;

/// Those of one type that the joined one of the other job has not.
template <class See>
void each_missing(const OfType& of_type, const std::vector<Finding>* others, const See& see) {
  for (const Finding& finding : of_type.second) {
    const auto is_alike = [&](const Finding& other) {
      return other.kind == finding.kind && other.severity == finding.severity;
    };
    if (others == nullptr || std::none_of(others->begin(), others->end(), is_alike)) {
      see(TypeNumber{of_type.first}, finding);
    }
  }
}

/// The new ones first, the worst first within each, those about calls without a made type before all types.
void sort_findings(const DiffInput& input, std::vector<FindingChange>& changes) {
  const auto order = [&](const FindingChange& change) {
    const Job& job = (change.is_new() ? input.after : input.before).job;
    const JobFinding& finding = change.finding;
    const TypeNumber number = job.number_of(finding.type);
    return std::tuple(change.side, -static_cast<int>(finding.severity), number.valid() ? number.value : 0);
  };
  std::stable_sort(changes.begin(), changes.end(),
                   [&](const FindingChange& a, const FindingChange& b) { return order(a) < order(b); });
}

void compare_findings(const DiffInput& input, const JoinedTypes& types, JobDiff& diff) {
  const AlikeTypes alike = alike_types(input);
  // The two jobs share nothing.
  std::future<FindingsByType> of_before =
      std::async(std::launch::async, [&] { return findings_by_type(input.before, alike.before); });
  const FindingsByType after = findings_by_type(input.after, alike.after);
  const FindingsByType before = of_before.get();
  const auto of = [](const FindingsByType& findings, TypeNumber type) {
    const auto found = findings.find(type.value);
    return found == findings.end() ? nullptr : &found->second;
  };
  const auto add = [&](const ReportContext& context, FindingChange::Side side) {
    return [&, side](TypeNumber number, const Finding& finding) {
      diff.findings.push_back({finding_of(context.job, number, finding), side});
    };
  };
  for (const OfType& one : after) {
    each_missing(one, of(before, types.old_of(TypeNumber{one.first})), add(input.after, FindingChange::Side::added));
  }
  for (const OfType& one : before) {
    each_missing(one, of(after, types.new_of(TypeNumber{one.first})), add(input.before, FindingChange::Side::gone));
  }
  for (FindingChange& change : changed_job_findings(input, [&](TypeNumber now) { return types.old_of(now); })) {
    diff.findings.push_back(std::move(change));
  }
  sort_findings(input, diff.findings);
}

constexpr std::pair<std::string_view, FailOn> fail_on_words[] = {{"new-leak", FailOn::new_leak},
                                                                 {"new-error", FailOn::new_error},
                                                                 {"new-warning", FailOn::new_warning},
                                                                 {"count", FailOn::count},
                                                                 {"bytes", FailOn::bytes}};

}  // namespace

std::string_view text_of(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::arguments:
      return "arguments";
    case ChangeKind::construction:
      return "construction";
    case ChangeKind::moved:
      return "moved";
    case ChangeKind::added:
      return "added";
    case ChangeKind::removed:
      return "removed";
    case ChangeKind::count:
      return "count";
  }
  return "";
}

bool UseChange::has_other_bytes() const {
  const auto bytes_of = [](const std::optional<UsedThere>& used) { return used ? used->bytes : Exact(0); };
  return !is_same_amount(bytes_of(before), bytes_of(after));
}

bool UseChange::has_other_calls() const { return (before ? before->calls : 0) != (after ? after->calls : 0); }

JobDiff diff_of(const DiffInput& input) {
  JobDiff diff;
  JoinedTypes types(input);
  PlaceComparison comparison(types, diff);
  Places before = places_of(input.before);
  Places after = places_of(input.after);
  for (auto& [name, made] : after) {
    const auto old = before.find(name);
    comparison.compare(old == before.end() ? std::vector<MadeThere>() : std::move(old->second), std::move(made));
    if (old != before.end()) before.erase(old);
  }
  for (auto& [name, made] : before) comparison.compare(std::move(made), {});
  comparison.compare_rest();
  diff.is_made_as_often = comparison.is_made_as_often();
  diff.joined.same = types.same();
  diff.joined.only_old = input.before.job.types.size() - types.joined();
  diff.joined.only_new = input.after.job.types.size() - types.joined();
  compare_findings(input, types, diff);
  diff.compares_uses = uses_are_recorded(input.before.job) && uses_are_recorded(input.after.job);
  if (diff.compares_uses) diff.uses = changed_uses(input, [&](TypeNumber now) { return types.old_of(now); });
  std::stable_sort(diff.changes.begin(), diff.changes.end(),
                   [](const Change& a, const Change& b) { return a.kind < b.kind; });
  return diff;
}

std::vector<std::string> fail_on_texts() {
  std::vector<std::string> texts;
  for (const auto& [word, what] : fail_on_words) texts.emplace_back(word);
  return texts;
}

std::optional<FailOn> fail_on_of_text(std::string_view text) {
  for (const auto& [word, what] : fail_on_words) {
    if (word == text) return what;
  }
  return std::nullopt;
}

bool has(const JobDiff& diff, FailOn what) {
  const auto has_new = [&](Severity severity) {
    return std::any_of(diff.findings.begin(), diff.findings.end(), [&](const FindingChange& change) {
      return change.is_new() && change.finding.severity == severity;
    });
  };
  const auto is_of_count = [](const Change& change) {
    return change.kind == ChangeKind::count || change.kind == ChangeKind::added || change.kind == ChangeKind::removed;
  };
  switch (what) {
    case FailOn::new_leak:
      return std::any_of(diff.leaks.begin(), diff.leaks.end(), [](const LeakChange& leak) { return leak.is_new(); });
    case FailOn::new_error:
      return has_new(Severity::error);
    case FailOn::new_warning:
      return has_new(Severity::warning);
    case FailOn::count:
      return !diff.is_made_as_often || std::ranges::any_of(diff.changes, is_of_count) ||
             std::ranges::any_of(diff.uses, &UseChange::has_other_calls);
    case FailOn::bytes:
      return std::ranges::any_of(diff.uses, &UseChange::has_other_bytes);
  }
  return false;
}

}  // namespace ddtscope::reporters
