#include "reporters/model/summary.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace ddtscope::reporters {
namespace {

using LivesOf = std::int64_t (*)(const Counters&, Combiner);

/// The type's lives in the state that `lives_of` counts, with the site where most of them were made.
LeftBehind left_behind(const Job& job, const JobType& type, LivesOf lives_of) {
  const Combiner combiner = job.store[type.definition].call.combiner;
  LeftBehind result{type.number, lives_of(job.instances.total(type.number), combiner), {}, false};
  std::int64_t most = 0;
  for (const Instances& instances : job.instances.of(type.number)) {
    const std::int64_t lives = instances.counters ? lives_of(*instances.counters, combiner) : 0;
    if (lives > most) {
      most = lives;
      result.site = instances.site;
    }
  }
  return result;
}

/// Types of which some life may be committed. A duplicate of a committed type is (MPI-4.1 5.1.10), and predefined types
/// are; nothing tells which life of a type was duplicated.
class MaybeCommitted {
 public:
  explicit MaybeCommitted(const Job& job) : job_(job), committed_(job.types.size() + 1) {}

  /// After all that come before it.
  void add(TypeNumber type, const Counters& total) {
    committed_[type.value] = total.committed + total.adopted != 0 || is_unnamed_predefined(call_of(type).combiner) ||
                             is_duplicate_of_one(type);
  }
  bool is_duplicate_of_one(TypeNumber type) const {
    if (call_of(type).combiner != Combiner::dup) return false;
    const TypeNumber oldtype = job_.number_of(call_of(type).datatypes[0]);
    return !oldtype.valid() || committed_[oldtype.value];
  }

 private:
  const ConstructorCall& call_of(TypeNumber type) const { return job_.store[job_.type(type).definition].call; }

  const Job& job_;
  std::vector<bool> committed_;  // by TypeNumber
};

void sort_by_lives(std::vector<LeftBehind>& list) {
  std::stable_sort(list.begin(), list.end(),
                   [](const LeftBehind& a, const LeftBehind& b) { return a.lives > b.lives; });
}

}  // namespace

std::optional<FrameIndex> busiest_site(const Job& job, TypeNumber type) {
  std::optional<FrameIndex> site;
  std::uint64_t most = 0;
  for (const Instances& instances : job.instances.of(type)) {
    const std::uint64_t lives = instances.counters ? instances.counters->created + instances.counters->adopted : 0;
    if (instances.site && (!site || lives > most)) {
      most = lives;
      site = instances.site;
    }
  }
  return site;
}

MadeAt made_at(const Job& job, TypeNumber type) {
  MadeAt made;
  std::vector<RankRange> ranks;
  std::uint64_t most = 0;
  const std::optional<FrameIndex> busiest = busiest_site(job, type);
  for (const Instances& part : job.instances.of(type)) {
    const std::uint64_t lives = part.counters ? part.counters->created + part.counters->adopted : 0;
    made.lives += lives;
    if (part.site == busiest && (made.called.empty() || lives > most)) {
      made.called = part.called;
      most = lives;
    }
    made.sites.push_back(part.site);
    ranks.insert(ranks.end(), part.ranks().ranges().begin(), part.ranks().ranges().end());
  }
  made.ranks = joined_ranks(std::move(ranks));
  std::sort(made.sites.begin(), made.sites.end());
  made.sites.erase(std::unique(made.sites.begin(), made.sites.end()), made.sites.end());
  const auto first = std::find(made.sites.begin(), made.sites.end(), busiest);
  if (first != made.sites.end()) std::rotate(made.sites.begin(), first, first + 1);
  return made;
}

Summary summarise(const Job& job) {
  Summary summary;
  // A frame stands behind its caller.
  std::vector<bool> lacks_callers;
  for (const JobFrame& frame : job.frames) {
    lacks_callers.push_back(frame.is_not_recorded() || (frame.caller && lacks_callers[frame.caller->value]));
  }
  std::unordered_set<std::uint32_t> sites;
  const std::vector<bool> part_of_another = job.oldtypes();
  MaybeCommitted maybe_committed(job);
  std::vector<std::uint64_t> made;  // by TypeNumber less one
  made.reserve(job.types.size());
  for (const JobType& type : job.types) {
    const Combiner combiner = job.store[type.definition].call.combiner;
    const Counters total = job.instances.total(type.number);
    made.push_back(total.created + total.adopted);
    summary.total += total;
    summary.live += live(total, combiner);
    summary.most_made.push_back(type.number);
    for (const Instances& instances : job.instances.of(type.number)) {
      summary.counted = summary.counted && instances.counters.has_value();
      if (instances.site) {
        sites.insert(instances.site->value);
        if (instances.counters && lacks_callers[instances.site->value]) {
          summary.without_callers += instances.counters->created + instances.counters->adopted;
        }
      }
    }
    if (live(total, combiner) > 0) {
      summary.never_freed.push_back(left_behind(job, type, live));
    }
    maybe_committed.add(type.number, total);
    if (uncommitted(total, combiner) > 0 && !maybe_committed.is_duplicate_of_one(type.number)) {
      summary.never_committed.push_back(left_behind(job, type, uncommitted));
      summary.never_committed.back().part_of_another = part_of_another[type.definition.value];
    }
  }
  summary.call_sites = sites.size();
  std::stable_sort(summary.most_made.begin(), summary.most_made.end(),
                   [&](TypeNumber a, TypeNumber b) { return made[a.value - 1] > made[b.value - 1]; });
  sort_by_lives(summary.never_freed);
  sort_by_lives(summary.never_committed);
  return summary;
}

}  // namespace ddtscope::reporters
