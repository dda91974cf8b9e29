// What the counted uses of types tell: types that are received into and touch a byte twice, calls of 2 GiB, blocks that
// are too small to move well, and types that nobody uses.
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "decoder/coverage/overlap.h"
#include "decoder/findings/finding_subject.h"
#include "reporters/model/finding_words.h"
#include "reporters/model/findings_of_calls.h"
#include "reporters/model/summary.h"
#include "reporters/model/uses.h"

namespace ddtscope::reporters {
namespace {

using trace::UseParameter;

JobFinding finding_of(FindingId id, Severity severity, const TypeUse& use) {
  JobFinding finding = finding_about(use);
  finding.kind = &kind_of(id);
  finding.severity = severity;
  return finding;
}

/// What is known of the definitions that are used, as it is asked for.
class UsedTypes {
 public:
  explicit UsedTypes(const Job& job) : layouts_(job.store, job.observed_bounds) {}

  const LayoutFacts& facts(DefinitionId type) {
    layouts_.make_room(layout_memory);
    return layouts_.facts(type);
  }
  /// Whether some byte is touched twice by one copy, and by so many.
  Overlap overlap(DefinitionId type, std::uint64_t copies) {
    layouts_.make_room(layout_memory);
    if (copies == 0 || layouts_.facts(type).empty()) return Overlap::no;
    const auto [found, is_new] = overlaps_.try_emplace({type.value, copies}, Overlap::no);
    if (is_new) {
      found->second =
          overlap_of_count(layouts_, layouts_.root(type), {Exact(static_cast<Int128>(copies)), layouts_.extent(type)});
    }
    return found->second;
  }

 private:
  Layouts layouts_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Overlap> overlaps_;
};

/// What persistent requests do with a type: their starts do not tell.
struct PersistentUse {
  bool is_sent = false;
  std::uint64_t largest = 0;  // count of one start
};

std::map<std::uint32_t, PersistentUse> persistent_uses(const Job& job) {
  std::map<std::uint32_t, PersistentUse> by_type;
  for (const TypeUse& use : job.uses) {
    if (use.parameter != UseParameter::datatype) continue;
    PersistentUse& found = by_type[use.type.value];
    found.is_sent = found.is_sent || calls_any_of(use, {"send_init", "bsend_init", "ssend_init", "rsend_init",
                                                        "psend_init", "bcast_init"});
    if (calls_any_of(use, {"start", "startall"})) found.largest = std::max(found.largest, use.counts.largest);
  }
  return by_type;
}

/// So many copies, one behind the other, at least one call has in one buffer. Of neighbours' blocks some may be left
/// out, and others have places of their own.
std::uint64_t copies_at_once(const TypeUse& use) {
  const bool has_block_of_each = calls_any_of(
      use, {"gather", "igather", "allgather", "iallgather", "alltoall", "ialltoall", "scatter", "iscatter"});
  const bool has_copies = has_block_of_each && use.counts.calls != 0;
  return has_copies ? std::max(use.counts.largest, use.counts.elements / use.counts.calls) : use.counts.largest;
}

/// The root of a scatter may not read a byte twice, though no harm is done (MPI-4.1 6.6).
bool is_scattered(const TypeUse& use) {
  return use.parameter == UseParameter::sendtype && calls_any_of(use, {"scatter", "iscatter", "scatterv", "iscatterv"});
}

void receive_overlap(const TypeUse& use, std::uint64_t copies, UsedTypes& types, std::vector<JobFinding>& findings) {
  if (types.overlap(use.type, copies) != Overlap::yes) return;
  const bool is_only_read = is_scattered(use);
  JobFinding finding = finding_of(FindingId::receive_overlap, is_only_read ? Severity::note : Severity::error, use);
  const bool is_in_one = types.overlap(use.type, 1) == Overlap::yes;
  finding.message =
      std::string(use.called) + (is_only_read ? " reads " : " writes ") +
      (is_in_one ? "with a type that touches some byte twice"
                 : "up to " + grouped(copies) + " copies of a type at once, which touch some byte twice") +
      (is_only_read ? "; the standard forbids it, and no harm is done."
                    : "; what stands there afterwards is undefined.");
  finding.advice = is_in_one
                       ? "Give each entry a place of its own; `ddtscope show` draws which bytes are touched twice."
                       : "Set the extent with MPI_Type_create_resized, so that copies lie apart.";
  findings.push_back(std::move(finding));
}

void receive_overlaps(const Job& job, UsedTypes& types, std::vector<JobFinding>& findings) {
  const std::map<std::uint32_t, PersistentUse> persistent = persistent_uses(job);
  for (const TypeUse& use : job.uses) {
    if (memory_use(use) == MemoryUse::written || is_scattered(use)) {
      receive_overlap(use, copies_at_once(use), types, findings);
    } else if (use.parameter == UseParameter::datatype && calls_any_of(use, {"recv_init", "precv_init"})) {
      const PersistentUse& started = persistent.at(use.type.value);
      // Where the type is sent, too, the largest count may be that of a send.
      receive_overlap(use, started.is_sent ? std::min<std::uint64_t>(started.largest, 1) : started.largest, types,
                      findings);
    }
  }
}

void over_2gib(const Job& job, const TypeUse& use, std::vector<JobFinding>& findings) {
  constexpr std::int64_t limit = std::int64_t{1} << 31;
  const std::optional<std::int64_t> size = size_of_element(job, use.type);
  if (!size || use.counts.calls == 0) return;
  const Exact of_count = Exact(static_cast<Int128>(use.counts.largest)) * Exact(*size);
  const Exact on_average = Exact(static_cast<Int128>(use.counts.elements / use.counts.calls)) * Exact(*size);
  const Exact most = on_average > of_count ? on_average : of_count;
  if (!most.fits() || most < Exact(limit)) return;
  JobFinding finding = finding_of(FindingId::over_2gib, Severity::note, use);
  finding.message = std::string(use.called) + " moves " + grouped(most) + " bytes or more in one call, through " +
                    std::string(trace::name_of(use.parameter)) + ".";
  finding.advice =
      "Nothing is wrong by the standard; some libraries and networks fail here. Where they do, send it in parts.";
  findings.push_back(std::move(finding));
}

/// One finding for each type, at the call site that moves most.
struct Moved {
  const TypeUse* most = nullptr;
  std::uint64_t elements = 0, calls = 0;
  std::vector<RankRange> ranks;
};

/// Types that one call moves in small blocks: the one of most blocks, and how many others.
struct SmallBlocks {
  JobFinding finding;
  Exact blocks;
  std::uint64_t others = 0;
};

std::string small_blocks_in_words(const LayoutFacts& facts, const Moved& moved, Exact blocks) {
  const auto per_block = static_cast<std::uint64_t>(facts.size.value() / facts.blocks.value());
  return counted(moved.elements, "element was", "elements were") + " moved in " + grouped(blocks) + " blocks of " +
         (facts.size.value() % facts.blocks.value() == 0 ? "" : "about ") + counted(per_block, "byte", "bytes") +
         " each, in " + counted(moved.calls, "call", "calls") + ".";
}

/// Nothing where they are few, or large.
std::optional<SmallBlocks> small_blocks_of(const LayoutFacts& facts, Moved& moved) {
  constexpr std::int64_t many_blocks = 1000;
  constexpr std::int64_t small_bytes = 64;
  const Exact blocks = facts.blocks * Exact(static_cast<Int128>(moved.elements));
  const bool are_small = facts.size < facts.blocks * Exact(small_bytes);
  if (!facts.blocks.fits() || !facts.size.fits() || facts.blocks < Exact(2) || !are_small) return std::nullopt;
  if (blocks.fits() && blocks < Exact(many_blocks)) return std::nullopt;
  JobFinding finding = finding_of(FindingId::small_blocks, Severity::note, *moved.most);
  finding.count = moved.calls;
  finding.ranks = joined_ranks(std::move(moved.ranks));
  finding.message = small_blocks_in_words(facts, moved, blocks);
  finding.advice =
      "A library copies small blocks one by one. Where it costs time, lay the data out so that what goes together "
      "lies together, or compare with packing by hand (`ddtscope measure`).";
  return SmallBlocks{std::move(finding), blocks};
}

std::map<std::uint32_t, Moved> moved_by_type(const Job& job) {
  std::map<std::uint32_t, Moved> by_type;
  for (const TypeUse& use : job.uses) {
    const trace::UseCounts counts = moved_counts(use);
    if (counts.elements == 0 || !job.number_of(use.type).valid()) continue;
    Moved& moved = by_type[use.type.value];
    if (moved.most == nullptr || moved_counts(*moved.most).elements < counts.elements) moved.most = &use;
    moved.calls += counts.calls;
    trace::add_up(moved.elements, counts.elements);
    moved.ranks.insert(moved.ranks.end(), use.ranks.ranges().begin(), use.ranks.ranges().end());
  }
  return by_type;
}

void small_blocks(const Job& job, UsedTypes& types, std::vector<JobFinding>& findings) {
  using Place = std::tuple<std::string_view, std::string_view, std::optional<FrameIndex>>;
  std::map<Place, SmallBlocks> by_place;
  for (auto& [id, moved] : moved_by_type(job)) {
    const Place place(moved.most->called, trace::name_of(moved.most->parameter), moved.most->site);
    std::optional<SmallBlocks> found = small_blocks_of(types.facts(DefinitionId{id}), moved);
    if (!found) continue;
    const auto [known, is_new] = by_place.try_emplace(place, *found);
    if (is_new) continue;
    found->others = known->second.others + 1;
    if (known->second.blocks < found->blocks) {
      known->second = std::move(*found);
    } else {
      known->second.others = found->others;
    }
  }
  for (auto& [place, found] : by_place) {
    if (found.others != 0) {
      found.finding.message += " " + counted(found.others, "other type that the call moves lies so, too.",
                                             "other types that the call moves lie so, too.");
    }
    findings.push_back(std::move(found.finding));
  }
}

/// Types that are used, and all that they are made of.
std::vector<bool> used_definitions(const Job& job) {
  std::vector<bool> used(job.store.size());
  for (const TypeUse& use : job.uses) used[use.type.value] = true;
  for (const CallFinding& finding : job.call_findings) {
    if (finding.type) used[finding.type->value] = true;
    if (finding.other) used[finding.other->type.value] = true;
  }
  job.mark_oldtypes(used);
  return used;
}

void unused_types(const Job& job, std::vector<JobFinding>& findings) {
  if (!job.complete() || !uses_are_recorded(job)) return;
  const std::vector<bool> used = used_definitions(job);
  // What is part of another type is told with that one, and what was never committed by itself.
  std::vector<bool> told = job.oldtypes();
  for (const LeftBehind& left : summarise(job).never_committed) told[job.type(left.type).definition.value] = true;
  for (const JobType& type : job.types) {
    const std::uint32_t id = type.definition.value;
    if (used[id] || told[id] || type.adopted || is_unnamed_predefined(job.store[type.definition].call.combiner))
      continue;
    JobFinding finding{};
    std::vector<RankRange> ranks;
    std::uint64_t most = 0;
    for (const Instances& part : job.instances.of(type.number)) {
      ranks.insert(ranks.end(), part.ranks().ranges().begin(), part.ranks().ranges().end());
      if (!part.counters || part.counters->created == 0) continue;
      finding.count += part.counters->created;
      if (part.counters->created <= most) continue;
      most = part.counters->created;
      finding.sites = {part.site};
      finding.called = part.called;
    }
    if (finding.count == 0) continue;
    finding.kind = &kind_of(FindingId::unused_type);
    finding.severity = Severity::note;
    finding.type = type.definition;
    finding.ranks = joined_ranks(std::move(ranks));
    finding.message = "Made " + times(finding.count) + ", and neither it nor a type made of it was used in any call.";
    finding.advice = "Leave it out, if it is not only asked for its size or contents.";
    findings.push_back(std::move(finding));
  }
}

}  // namespace

JobFinding finding_about(const TypeUse& use) {
  JobFinding finding{};
  finding.type = use.type;
  finding.called = use.called;
  finding.argument = trace::name_of(use.parameter);
  finding.ranks = use.ranks;
  finding.count = use.counts.calls;
  finding.sites = {use.site};
  return finding;
}

std::vector<JobFinding> findings_of_uses(const Job& job) {
  std::vector<JobFinding> findings;
  UsedTypes types(job);
  receive_overlaps(job, types, findings);
  for (const TypeUse& use : job.uses) over_2gib(job, use, findings);
  small_blocks(job, types, findings);
  unused_types(job, findings);
  return findings;
}

}  // namespace ddtscope::reporters
