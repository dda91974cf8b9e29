// What comes in, and what goes to make room.
#include "plugin/registry/definition_cache.h"

#include <optional>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "decoder/definition/f90.h"

namespace ddtscope::plugin {
namespace {

constexpr std::size_t evicted_share = 8;  // this part, and a quarter more, remembers evicted definitions
/// A definition's share of the tables that is not counted by those themselves.
constexpr std::size_t bytes_per_definition = 64;
/// What a definition is likely to take beside its call, before it is known.
constexpr std::size_t bytes_of_layout = 2 * sizeof(LayoutNode) + 4 * sizeof(Bounds);

}  // namespace

DefinitionCache::DefinitionCache(const Options& options, const Parts& parts)
    : most_bytes_(options.most_bytes - options.most_bytes / evicted_share * 5 / 4),
      counters_(parts.counters),
      sites_(parts.sites),
      writer_(parts.writer),
      memory_(parts.memory),
      store_(parts.constants, parts.memory),
      evicted_(parts.memory.table(trace::DebugTableKind::evicted), options.most_bytes / evicted_share) {
  if (options.layouts == CachedLayouts::all) layouts_.emplace(store_);
}

DefinitionId DefinitionCache::add_predefined(const PredefinedType& type) {
  const std::size_t known = store_.size();
  const DefinitionId id = store_.add_predefined(type);
  if (id.value != known) return id;
  memory_.predefined(id, store_.predefined()[store_[id].predefined].name);
  if (!layouts_) return id;
  layouts_->add(id);
  const std::optional<std::int64_t> true_extent =
      type.kind == PredefinedKind::pair ? layouts_->computed(id).true_extent.to_int64() : type.size;
  layouts_->observe(id, {type.size, 0, type.extent, 0, true_extent});
  return id;
}

DefinitionId DefinitionCache::add_unlisted(const PredefinedType& type, const ObservedBounds& bounds) {
  if (store_.find_predefined(type.name)) return {};
  const DefinitionId id = store_.add_predefined(type);
  lay_out(id, bounds);
  writer_.predefined(type);
  memory_.predefined(id, type.name);
  return id;
}

void DefinitionCache::lay_out(DefinitionId id, const ObservedBounds& bounds) {
  if (!layouts_) return;
  layouts_->add(id);
  layouts_->observe(id, bounds);
}

DefinitionCache::Defined DefinitionCache::define(const NewDefinition& wanted) {
  if (const DefinitionId known = find(wanted.call, wanted.digests); known.valid())
    return {has_line(known) ? known : DefinitionId{}};
  if (!make_room_for(wanted.call)) return {};
  const DefinitionId id = store_.intern(wanted.call, wanted.digests).id;
  const ConstructorCall& call = store_[id].call;
  if (is_f90(call.combiner)) store_.add_basic(observed_f90_type(call, wanted.bounds));
  lay_out(id, wanted.bounds);
  enqueue(id);
  const bool is_first = !recognise(id);
  if (is_first && !write(id, wanted)) return {};
  memory_.definition({.id = id,
                      .number = number_of(id),
                      .site = wanted.place.site,
                      .called = wanted.place.called,
                      .adopted = wanted.origin == Origin::adopted,
                      .since = wanted.since,
                      .bounds = wanted.bounds},
                     store_);
  return {id, is_first};
}

bool DefinitionCache::write(DefinitionId id, const NewDefinition& wanted) {
  numbers_.give(id);
  const bool was_taken = writer_.definition({.definition = id,
                                             .site = wanted.place.site,
                                             .called = wanted.place.called->name,
                                             .adopted = wanted.origin == Origin::adopted},
                                            {store_, numbers_}, wanted.bounds);
  if (!was_taken) numbers_.take_back(id);
  return was_taken;
}

bool DefinitionCache::recognise(DefinitionId id) {
  const std::optional<EvictedDefinitions::Found> before = evicted_.take(store_[id].key, check_of(store_[id].call));
  if (!before) return false;
  counters_.resume(id, before->records);
  numbers_.set(id, before->number);
  return true;
}

DefinitionCache::Use& DefinitionCache::use_of(DefinitionId id) {
  if (uses_.size() <= id.value) uses_.resize(id.value + 1);
  return uses_[id.value];
}

void DefinitionCache::unpin(std::span<const DefinitionId> pinned) noexcept {
  for (const DefinitionId id : pinned) {
    --uses_[id.value].pins;
    if (is_predefined(id) || is_in_use(id)) continue;
    try {
      enqueue(id);
    } catch (...) {  // no memory: it stays
    }
  }
}

bool DefinitionCache::is_in_use(DefinitionId id) const {
  const bool is_pinned = id.value < uses_.size() && uses_[id.value].pins != 0;
  return is_pinned || store_.parents(id) != 0 || !counters_.is_idle(id);
}

void DefinitionCache::enqueue(DefinitionId id) {
  const bool is_enqueued = counters_.is_enqueued(id);
  counters_.enqueue(id);
  if (is_enqueued) return;
  unused_.push_back(id);
  use_of(id).begun = counters_.lives_begun(id);
}

std::size_t DefinitionCache::bytes_held() const {
  return store_.bytes() + (layouts_ ? layouts_->bytes() : 0) + counters_.bytes() +
         unused_.size() * bytes_per_definition + sites_.bytes() - bytes_at_start_;
}

void DefinitionCache::begin_counting() { bytes_at_start_ += bytes_held(); }

bool DefinitionCache::make_room_for(const ConstructorCall& call) {
  const std::size_t wanted = DefinitionStore::bytes_for(call) + (layouts_ ? bytes_of_layout : 0);
  while (!writer_.stopped() && bytes_held() + wanted > most_bytes_) {
    if (!evict_one()) return false;
  }
  return !writer_.stopped();
}

bool DefinitionCache::evict_one() {
  while (!unused_.empty()) {
    const DefinitionId id = unused_.front();
    unused_.pop_front();
    if (is_in_use(id)) {
      counters_.dequeue(id);  // its last life puts it there again
    } else if (const std::uint64_t begun = counters_.lives_begun(id); begun != use_of(id).begun) {
      use_of(id).begun = begun;  // made again since: it goes to the end
      unused_.push_back(id);
    } else {
      return evict(id);
    }
  }
  return false;
}

bool DefinitionCache::evict(DefinitionId id) {
  const ConstructorCall& call = store_[id].call;
  const std::vector<DefinitionId> oldtypes(call.datatypes.begin(), call.datatypes.end());
  if (oldtypes.size() == 1) {
    counters_.each_of(id, [&](std::uint32_t counter) {
      recent_.forget(counters_.place(counter), oldtypes[0], numbers_of(call), counter);
    });
  }
  const std::optional<RecordNumber> parked = counters_.retire(id);
  if (!parked) return false;
  const RecordNumber forgotten = remember(id, *parked);
  if (layouts_) layouts_->forget(id);
  store_.evict(id);
  use_of(id) = Use{};
  for (const DefinitionId oldtype : oldtypes) {
    if (!is_predefined(oldtype) && !is_in_use(oldtype)) enqueue(oldtype);
  }
  counters_.fold_parked(forgotten);
  return true;
}

RecordNumber DefinitionCache::remember(DefinitionId id, RecordNumber parked) {
  const bool had_forgotten = has_forgotten_some();
  const RecordNumber forgotten =
      evicted_.add({.key = store_[id].key, .line = number_of(id).value, .check = check_of(store_[id].call)}, parked);
  if (!had_forgotten && has_forgotten_some()) {
    writer_.note(
        "A process made more distinct definitions than it can remember (DDTSCOPE_MAX_MEMORY): those that it made again "
        "later may stand twice in its trace, and count as one here.");
  }
  return forgotten;
}

std::uint32_t DefinitionCache::check_of(const ConstructorCall& call) const {
  constexpr std::uint64_t other_seed = 0x65766963746564;
  std::uint64_t hash = XXH3_64bits_withSeed(call.scalars.data(), sizeof call.scalars, other_seed);
  for (const IntegerArray& array : call.arrays) {
    if (array.length != 0) hash = XXH3_64bits_withSeed(array.data, array.bytes(), hash);
  }
  for (const DefinitionId oldtype : call.datatypes) {
    if (is_predefined(oldtype)) continue;
    const DefinitionNumber number = number_of(oldtype);
    hash = XXH3_64bits_withSeed(&number.value, sizeof number.value, hash);
  }
  return static_cast<std::uint32_t>(hash ^ hash >> 32);
}

}  // namespace ddtscope::plugin
