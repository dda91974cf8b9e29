// Creation, life and end of instances.
#include "plugin/registry/registry.h"

#include <algorithm>
#include <mutex>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "decoder/definition/envelope.h"
#include "plugin/registry/verify.h"

namespace ddtscope::plugin {
namespace {

constexpr std::size_t first_counters = 256;
constexpr std::size_t most_names = 1 << 16;

HandleBits handle_at(const IntegerArray& handles, std::size_t i) {
  const auto bits = static_cast<HandleBits>(handles[i]);
  return handles.width == 4 ? bits & 0xFFFFFFFFu : bits;
}

}  // namespace

Registry::Registry(Options options, const LibraryConstants& constants, const std::vector<PredefinedHandle>& predefined,
                   CallSites& sites, LibraryQueries& library, trace::Writer& writer, CounterPages& pages,
                   DebugMemory& memory)
    : lock_(options.multithreaded ? SpinLock::Needed::yes : SpinLock::Needed::no),
      options_(options),
      memory_(memory),
      store_(constants, memory),
      layouts_(store_),
      sites_(sites),
      library_(library),
      writer_(writer),
      pages_(pages),
      handles_(memory.table(trace::DebugTableKind::handles), memory.table(trace::DebugTableKind::older_lives)),
      counters_(memory.table(trace::DebugTableKind::counters), trace::DebugTableKind::counters, first_counters),
      evicted_(memory.table(trace::DebugTableKind::evicted), options.most_bytes / evicted_share) {
  counter_slots_.assign(1024, 0);
  for (const PredefinedHandle& item : predefined) {
    const DefinitionId id = store_.add_predefined(item.type);
    if (id.value == layouts_.size()) {
      layouts_.add(id);
      memory_.predefined(id, store_.predefined()[store_[id].predefined].name);
      layouts_.observe(
          id, {item.type.size, 0, item.type.extent, 0,
               item.type.kind == PredefinedKind::pair ? layouts_.computed(id).true_extent.to_int64() : item.type.size});
    }
    HandleEntry& entry = handles_.slot_for(item.handle);
    if (!entry.is_live()) handles_.begin_life(entry, item.handle, {.definition = id, .predefined = true});
  }
  bytes_at_start_ = bytes_held();
}

void Registry::created(const Creation& creation) {
  const bool has_arrays = creation.call.arrays[0].length != 0;
  const ArrayDigests digests = has_arrays ? store_.digest_arrays(creation.call) : ArrayDigests{};
  const std::lock_guard guard(lock_);
  if (closed_ || (creation.call.combiner == Combiner::value_index && is_named(creation.newtype))) return;
  const Place place{sites_.intern(*creation.stack, writer_), creation.called};
  const std::size_t count = creation.oldtypes.length;
  if (oldtypes_.size() < count) oldtypes_.resize(count);
  std::string problem;
  for (std::size_t i = 0; i < count; ++i) {
    oldtypes_[i] = definition_of(handle_at(creation.oldtypes, i), place, problem);
    if (!oldtypes_[i].valid()) {
      if (writer_.stopped() || handles_.is_dropped(handle_at(creation.oldtypes, i))) {
        dropped(creation.newtype, place);
        return;
      }
      unrecorded(*creation.called, "its old type could not be decoded: " + problem);
      if (handles_.is_dead(handle_at(creation.oldtypes, i))) handles_.bury_unless_live(creation.newtype);
      return;
    }
  }
  RecentCall* recent = nullptr;
  if (count == 1 && !has_arrays) {
    recent = &recent_slot(place, oldtypes_[0], creation.call);
    if (recent->called == place.called && recent->site == place.site && recent->oldtype == oldtypes_[0] &&
        recent->scalars[0] == creation.call.scalars[0] && recent->scalars[1] == creation.call.scalars[1] &&
        recent->scalars[2] == creation.call.scalars[2]) {
      ++counters_[recent->counter].counted().created;
      begin_life(creation.newtype, counters_[recent->counter].type(), recent->counter);
      return;
    }
  }
  creation.call.datatypes = {oldtypes_.data(), count};
  if (!make_room_for(creation.call, digests)) [[unlikely]] {
    dropped(creation.newtype, place);
    return;
  }
  const DefinitionId definition = define(creation.call, digests, creation.newtype, place, false);
  if (!definition.valid()) [[unlikely]] {
    dropped(creation.newtype, place);
    return;
  }
  const std::uint32_t counter = counter_of(definition, place);
  ++counters_[counter].counted().created;
  begin_life(creation.newtype, definition, counter);
  if (recent && counters_[counter].site == place.site.value) {
    *recent = {.called = place.called,
               .site = place.site,
               .oldtype = store_[definition].call.datatypes[0],
               .counter = counter};
    std::copy_n(creation.call.scalars.begin(), std::size(recent->scalars), recent->scalars);
  }
}

/// MPI_Type_get_value_index makes nothing where it finds a pair with a name, such as MPI_DOUBLE_INT.
bool Registry::is_named(HandleBits handle) {
  if (const HandleEntry* entry = handles_.find(handle)) return store_[entry->type()].predefined.valid();
  const std::optional<Envelope> envelope = library_.envelope(handle);
  return envelope && envelope->combiner == Combiner::named;
}

Registry::RecentCall& Registry::recent_slot(const Place& place, DefinitionId oldtype, const ConstructorCall& call) {
  const std::uint64_t words =
      static_cast<std::uint64_t>(call.scalars[0]) * 0x9E3779B97F4A7C15u +
      static_cast<std::uint64_t>(call.scalars[1]) * 0xD1B54A32D192ED03u +
      static_cast<std::uint64_t>(call.scalars[2]) * 0xAEF17502108EF2D9u +
      (static_cast<std::uint64_t>(oldtype.value) << 32 ^ place.site.value) * 0x8CB92BA72F3D8DD7u;
  return recent_[(words >> 40) % recent_calls];
}

DefinitionId Registry::define(const ConstructorCall& call, const ArrayDigests& digests, HandleBits handle,
                              const Place& place, bool adopted) {
  const DefinitionStore::Interned interned = store_.intern(call, digests);
  if (interned.is_new) describe_new(interned.id, handle, place, adopted);
  return writer_.has(interned.id) ? interned.id : DefinitionId{};
}

void Registry::describe_new(DefinitionId id, HandleBits handle, const Place& place, bool adopted) {
  const ConstructorCall& call = store_[id].call;
  const ObservedBounds bounds = library_.bounds(handle);
  if (is_f90(call.combiner)) {
    PredefinedType type;
    type.name = f90_name(call);
    type.size = bounds.size.value_or(0);
    type.extent = bounds.extent.value_or(0);
    type.alignment = natural_alignment(type.name, type.size);
    store_.add_basic(type);
  }
  layouts_.add(id);
  layouts_.observe(id, bounds);
  Use& use = use_of(id);
  enqueue(id);
  const std::optional<EvictedDefinitions::Found> known_before = evicted_.take(store_[id].key, check_of(call));
  if (known_before) {
    use.was_counted = true;
    use.parked = known_before->records;
    writer_.reuse_number(id, known_before->line);
  } else {
    writer_.definition({.definition = id, .site = place.site.value, .called = place.called->name, .adopted = adopted},
                       layouts_);
    if (!writer_.has(id)) return;
  }
  memory_.definition({.id = id,
                      .line = writer_.number_of(id),
                      .site = place.site.value,
                      .called = place.called,
                      .adopted = adopted,
                      .since = handles_.generation() + 1,
                      .bounds = bounds},
                     store_);
  if (!options_.verify || known_before) return;
  const KnownHandles known = [&](HandleBits child) {
    const HandleEntry* entry = handles_.find(child);
    return entry ? std::optional(entry->type()) : std::nullopt;
  };
  for (const trace::Difference& difference : verify(layouts_, id, handle, library_, known)) {
    writer_.difference(id, difference);
  }
}

std::size_t Registry::counter_home(const Counter& counter) const {
  const std::uint64_t value = (static_cast<std::uint64_t>(counter.definition) * 0x9E3779B97F4A7C15u) ^
                              (static_cast<std::uint64_t>(counter.site) * 0xC2B2AE3D27D4EB4Fu) ^
                              (static_cast<std::uint64_t>(counter.entry) * 0x165667B19E3779F9u);
  return static_cast<std::size_t>(value ^ (value >> 32)) & (counter_slots_.size() - 1);
}

std::size_t Registry::slot_of_counter(const Counter& counter) const {
  std::size_t at = counter_home(counter);
  for (; counter_slots_[at] != 0; at = (at + 1) & (counter_slots_.size() - 1)) {
    const Counter& known = counters_[counter_slots_[at] - 1];
    if (known.definition == counter.definition && known.site == counter.site && known.entry == counter.entry) break;
  }
  return at;
}

bool Registry::may_have_more_counters(DefinitionId definition) const {
  if (definition.valid() && (uses_.size() <= definition.value || uses_[definition.value].counter == none)) return true;
  const std::size_t counters = counters_.used() - free_counters_.size();
  return (counters - counted_definitions_) * bytes_of_counter < options_.most_bytes / counters_share;
}

std::uint32_t Registry::counter_of(DefinitionId definition, Place place) {
  Counter counter{};
  counter.definition = definition.value;
  counter.site = place.site.value;
  counter.entry = memory_.entry(*place.called);
  std::size_t at = slot_of_counter(counter);
  if (counter_slots_[at] == 0 && place.site.valid() && !may_have_more_counters(definition)) [[unlikely]] {
    // The definition's counts stay exact; where they come from is lost.
    place.site = sites_.not_recorded(writer_);
    counter.site = place.site.value;
    at = slot_of_counter(counter);
  }
  if (counter_slots_[at] != 0) return counter_slots_[at] - 1;
  const std::uint32_t number = definition.valid() ? writer_.number_of(definition) : trace::counter_file_none;
  const CounterPages::Place counted{
      .definition = number, .site = place.site.value, .called = place.called->name, .binding = place.called->binding};
  trace::CounterRecord* record = definition.valid() ? unpark(definition, counted) : nullptr;
  if (!record) record = &pages_.add(counted);
  counter.counts = reinterpret_cast<std::uintptr_t>(record);
  auto index = static_cast<std::uint32_t>(counters_.used());
  if (free_counters_.empty()) {
    counter_uses_.resize(index + 1);  // either may find no memory
    counters_.push_back(counter);
  } else {
    index = free_counters_.back();
    free_counters_.pop_back();
    counters_[index] = counter;
  }
  if (definition.valid()) {
    Use& use = use_of(definition);
    counter_uses_[index] = {.next = use.counter, .waits = use.waits};
    if (use.counter == none) ++counted_definitions_;
    use.counter = index;
    if (!use.was_counted) ++elsewhere_.definitions;
    use.was_counted = true;
  }
  if (counters_.used() * 2 <= counter_slots_.size()) {
    counter_slots_[at] = index + 1;
    return index;
  }
  std::vector<std::uint32_t> old(counter_slots_.size() * 2, 0);
  old.swap(counter_slots_);
  const auto put = [&](std::uint32_t i) {
    std::size_t free_slot = counter_home(counters_[i]);
    while (counter_slots_[free_slot] != 0) free_slot = (free_slot + 1) & (counter_slots_.size() - 1);
    counter_slots_[free_slot] = i + 1;
  };
  for (const std::uint32_t slot : old) {
    if (slot != 0) put(slot - 1);
  }
  put(index);
  return index;
}

void Registry::begin_life(HandleBits handle, DefinitionId definition, std::uint32_t counter) {
  HandleEntry& entry = handles_.slot_for(handle);
  if (entry.is_live()) {
    if (entry.is_predefined()) return;  // an unnamed one: the same handle each time
    end_unseen_lives(entry);
  }
  handles_.begin_life(entry, handle,
                      {.definition = definition,
                       .counter = counter,
                       .predefined = is_unnamed_predefined(store_[definition].call.combiner)});
}

void Registry::end_unseen_lives(const HandleEntry& entry) {
  // The library gives a handle anew only after it was freed: by the MPI_Type_free that has not yet
  // come back to us, which counts it, or by a call that no wrapper saw.
  handles_.each_lasting_life(entry, [&](std::uint32_t counter) { end_life(counter); });
}

void Registry::committed(HandleBits handle) {
  const std::lock_guard guard(lock_);
  HandleEntry* entry = handles_.find(handle);
  if (closed_ || !entry || entry->is_predefined() || entry->is_committed()) return;
  HandleTable::set_committed(*entry);
  ++counters_[entry->counter].counted().committed;
}

void Registry::named(HandleBits handle, std::string_view name) {
  const std::lock_guard guard(lock_);
  const HandleEntry* entry = handles_.find(handle);
  if (closed_ || !entry || store_[entry->type()].predefined.valid()) return;
  // Where there are too many to remember, some are written again, which changes nothing.
  if (names_seen_.size() == most_names) names_seen_.clear();
  const std::uint64_t hash = XXH3_64bits_withSeed(name.data(), name.size(), writer_.number_of(entry->type()));
  if (names_seen_.insert(hash).second) writer_.name(entry->type(), name);
}

bool Registry::knows(HandleBits handle) {
  const std::lock_guard guard(lock_);
  return handles_.find(handle) != nullptr;
}

void Registry::adopt_used(HandleBits handle, const EntryPoint& called, const Stack& stack) {
  const std::lock_guard guard(lock_);
  if (closed_ || writer_.stopped() || handles_.is_dropped(handle)) return;
  std::string problem;
  if (!definition_of(handle, {sites_.intern(stack, writer_), &called}, problem).valid())
    unrecorded(called, "not adopted: " + problem);
}

Registry::Free Registry::begin_free(HandleBits handle) {
  const std::lock_guard guard(lock_);
  HandleEntry* entry = handles_.find(handle);
  if (closed_ || (entry && entry->is_predefined())) return {};
  if (!entry) return {.handle = handle};
  return {.handle = handle,
          .generation = entry->generation,
          .counter = handles_.begin_free(*entry),
          .slot = handles_.slot_of(*entry),
          .known = true,
          .definition = entry->type()};
}

bool Registry::end_free(const Free& free, bool succeeded) {
  const std::lock_guard guard(lock_);
  if (closed_) return false;
  if (!free.known) {
    if (succeeded && free.handle != 0) handles_.bury_unless_live(free.handle);
    return false;
  }
  HandleEntry* entry = handles_.find(free.handle, free.slot);
  if (!entry || entry->generation != free.generation) {  // reused meanwhile
    if (succeeded && free.counter != none) end_life(free.counter);
    return false;
  }
  handles_.end_free(*entry);
  if (!succeeded) return false;
  end_life(entry->counter);
  return handles_.end_life(*entry);
}

Key Registry::key_of(const Free& free) {
  const std::lock_guard guard(lock_);
  return free.known ? store_[free.definition].key : 0;
}

void Registry::decoded(const Decoding& decoding) {
  const std::lock_guard guard(lock_);
  if (closed_) return;
  const Place place{sites_.intern(*decoding.stack, writer_), decoding.called};
  std::string problem;
  const DefinitionId type = definition_of(decoding.type, place, problem);
  if (!type.valid()) {
    if (!writer_.stopped()) unrecorded(*decoding.called, "the type could not be decoded: " + problem);
    return;
  }
  const std::span<const DefinitionId> children = store_[type].call.datatypes;
  for (std::size_t i = 0; i < children.size() && i < decoding.datatypes.length; ++i) {
    if (store_[children[i]].predefined.valid() || is_unnamed_predefined(store_[children[i]].call.combiner)) continue;
    const HandleBits handle = handle_at(decoding.datatypes, i);
    const std::uint32_t counter = counter_of(children[i], place);
    ++counters_[counter].counted().created;
    begin_life_or_share(handle, children[i], counter);
  }
}

void Registry::begin_life_or_share(HandleBits handle, DefinitionId definition, std::uint32_t counter) {
  HandleEntry* entry = handles_.find(handle);
  if (entry && handles_.has_lasting_life(*entry) && !entry->is_predefined() && entry->type() == definition) {
    // One more reference to the same object: the next free ends this life first.
    handles_.share(*entry, counter);
  } else {
    begin_life(handle, definition, counter);
  }
}

void Registry::adopt_returned(HandleBits handle, const EntryPoint& called, const Stack& stack) {
  const std::lock_guard guard(lock_);
  if (closed_) return;
  const HandleEntry* entry = handles_.find(handle);
  if (entry && entry->is_predefined()) return;
  const Place place{sites_.intern(stack, writer_), &called};
  if (entry && handles_.has_lasting_life(*entry)) {
    const DefinitionId definition = entry->type();
    const std::uint32_t counter = counter_of(definition, place);
    ++counters_[counter].counted().adopted;
    begin_life_or_share(handle, definition, counter);
    return;
  }
  // Whatever the handle stood for before, the library has just given it.
  std::string problem;
  if (writer_.stopped()) return;
  if (!adopt(handle, place, problem).valid()) unrecorded(called, "not adopted: " + problem);
}

DefinitionId Registry::definition_of(HandleBits handle, const Place& place, std::string& problem) {
  const HandleEntry* entry = handles_.find(handle);
  if (entry) return entry->type();
  if (writer_.stopped()) return {};
  if (handles_.is_dead(handle)) {
    problem = handles_.is_dropped(handle) ? std::string(trace::no_memory) : "it was freed";
    return {};
  }
  return adopt(handle, place, problem);
}

void Registry::unrecorded(const EntryPoint& called, std::string why) { ++unrecorded_[{called.name, std::move(why)}]; }

void Registry::dropped(HandleBits newtype, const Place& place) {
  ++counters_[counter_of(DefinitionId{}, place)].counted().created;
  HandleEntry& entry = handles_.slot_for(newtype);
  if (entry.is_live() && entry.is_predefined()) return;
  if (entry.is_live()) end_unseen_lives(entry);
  handles_.drop(entry, newtype);
}

void Registry::stands_in_fortran(HandleBits handle, std::int32_t integer) {
  const std::lock_guard guard(lock_);
  const HandleEntry* entry = closed_ ? nullptr : handles_.find(handle);
  if (!entry) return;
  if (!fortran_) fortran_.emplace(memory_.table(trace::DebugTableKind::fortran));
  fortran_->set(handle, entry->generation, integer, [&](const trace::DebugFortran& other) {
    const HandleEntry* known = handles_.find(other.handle);
    return known && known->generation == other.generation;
  });
}

void Registry::failed(const EntryPoint& called, trace::ErrorClass error_class, const Stack& stack) {
  const std::lock_guard guard(lock_);
  if (closed_) return;
  CallSiteId site = sites_.intern(stack, writer_);
  if (failed_calls_.size() * bytes_of_counter >= options_.most_bytes / counters_share &&
      !failed_calls_.contains({called.name, error_class, site})) {
    site = sites_.not_recorded(writer_);
  }
  trace::CounterRecord*& record = failed_calls_[{called.name, error_class, site}];
  if (!record) {
    record = &pages_.add({.definition = trace::counter_file_none,
                          .site = site.value,
                          .called = called.name,
                          .binding = called.binding,
                          .error_class = error_class});
  }
  ++record->failed;
}

Registry::Totals Registry::totals() {
  const std::lock_guard guard(lock_);
  return at_end_ ? *at_end_ : count_totals();
}

Registry::Totals Registry::count_totals() const {
  Totals totals = elsewhere_;
  totals.some_forgotten = evicted_.forgotten() != 0;
  for (std::size_t i = 0; i < counters_.used(); ++i) {
    if (counters_[i].type().valid()) {
      totals += lives_of(counters_[i]);
    } else if (counters_[i].counts != 0) {  // else nobody's: its definition has made room
      totals.dropped += counters_[i].counted().created;
    }
  }
  return totals;
}

bool Registry::close(const End& end) {
  // At the end of a process the lock may belong to a thread that will never run again, or to the very
  // call that a signal handler interrupted: then the trace stays without its end.
  if (end.patience == Patience::bounded) {
    if (!lock_.try_lock_for_a_while()) return false;
  } else {
    lock_.lock();
  }
  const std::lock_guard guard(lock_, std::adopt_lock);
  if (closed_) return true;
  closed_ = true;
  at_end_ = count_totals();
  if (!writer_.stopped()) write_counters(end);
  if (writer_.stopped()) {
    pages_.ended(end.complete ? trace::Completeness::complete : trace::Completeness::incomplete, end.reason);
  } else {
    pages_.remove();
  }
  return true;
}

void Registry::abandon() {
  if (!lock_.try_lock_for_a_while()) return;
  const std::lock_guard guard(lock_, std::adopt_lock);
  closed_ = true;
  pages_.trace_stopped(trace::counter_file_abandoned);
  if (pages_.problem() == 0 || writer_.stopped()) return;
  writer_.note("A process had no memory for more: what it did afterwards is not in the trace.");
}

void Registry::write_counters(const End& end) {
  if (!fold_all()) return;
  write_failed_calls();
  if (write_at_end_) write_at_end_(writer_);
  std::vector<trace::Unrecorded> items;
  for (std::uint32_t i = 0; i < counters_.used(); ++i) {
    const Counter& counter = counters_[i];
    if (counter.type().valid() || counter.counts == 0) continue;
    items.push_back(
        {memory_.entry(counter.entry).name, counter.counted().created, std::string(trace::no_memory), counter.site});
  }
  for (const auto& [what, count] : unrecorded_) items.push_back({what.first, count, what.second});
  writer_.end(end.complete, end.reason, end.time, items);
}

void Registry::write_failed_calls() {
  // One line per entry point and error class.
  std::vector<trace::FailedCalls> counts;
  for (auto call = failed_calls_.begin(); call != failed_calls_.end();) {
    const FailedCall& key = call->first;
    const trace::CounterRecord& record = *call->second;
    counts.push_back({.site = key.site.value, .count = record.failed});
    ++call;
    const bool goes_on =
        call != failed_calls_.end() && call->first.called == key.called && call->first.error_class == key.error_class;
    if (goes_on) continue;
    writer_.failed_calls(
        {.called = key.called, .binding = record.binding, .error_class = name_of(key.error_class), .counts = counts});
    counts.clear();
  }
}

}  // namespace ddtscope::plugin
