// Creation, life and end of instances.
#include "plugin/registry.h"

#include <algorithm>
#include <mutex>
#include <numeric>

#include "decoder/envelope.h"
#include "plugin/verify.h"

namespace ddtscope::plugin {
namespace {

constexpr std::size_t first_counters = 256;

HandleBits handle_at(const IntegerArray& handles, std::size_t i) {
  const auto bits = static_cast<HandleBits>(handles[i]);
  return handles.width == 4 ? bits & 0xFFFFFFFFu : bits;
}

}  // namespace

Registry::Registry(Options options, const LibraryConstants& constants, const std::vector<PredefinedHandle>& predefined,
                   CallSites& sites, LibraryQueries& library, trace::Writer& writer, CounterPages& pages,
                   DebugMemory& memory)
    : lock_(options.multithreaded),
      options_(options),
      memory_(memory),
      store_(constants, memory),
      layouts_(store_),
      sites_(sites),
      library_(library),
      writer_(writer),
      pages_(pages),
      handles_(memory.table(trace::DebugTableKind::handles), memory.table(trace::DebugTableKind::older_lives)),
      counters_(memory.table(trace::DebugTableKind::counters), trace::DebugTableKind::counters, first_counters) {
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
}

void Registry::created(const Creation& creation) {
  const bool has_arrays = creation.call.arrays[0].length != 0;
  const ArrayDigests digests = has_arrays ? store_.digest_arrays(creation.call) : ArrayDigests{};
  const std::lock_guard guard(lock_);
  if (closed_) return;
  const Place place{sites_.intern(*creation.stack, writer_), creation.called};
  const std::size_t count = creation.oldtypes.length;
  if (oldtypes_.size() < count) oldtypes_.resize(count);
  std::string problem;
  for (std::size_t i = 0; i < count; ++i) {
    oldtypes_[i] = definition_of(handle_at(creation.oldtypes, i), place, problem);
    if (!oldtypes_[i].valid()) {
      if (writer_.stopped()) {
        dropped(place);
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
  if (writer_.stopped() && !store_.find(creation.call, digests)) [[unlikely]] {
    dropped(place);
    return;
  }
  const DefinitionId definition = define(creation.call, digests, creation.newtype, place, false);
  const std::uint32_t counter = counter_of(definition, place);
  ++counters_[counter].counted().created;
  begin_life(creation.newtype, definition, counter);
  if (recent) {
    *recent = {.called = place.called,
               .site = place.site,
               .oldtype = store_[definition].call.datatypes[0],
               .counter = counter};
    std::copy_n(creation.call.scalars.begin(), std::size(recent->scalars), recent->scalars);
  }
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
  return interned.id;
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
  writer_.definition({.definition = id, .site = place.site.value, .called = place.called->name, .adopted = adopted},
                     layouts_);
  memory_.definition({.id = id,
                      .line = writer_.number_of(id),
                      .site = place.site.value,
                      .called = place.called,
                      .adopted = adopted,
                      .bounds = bounds},
                     store_);
  if (!options_.verify) return;
  const KnownHandles known = [&](HandleBits child) {
    const HandleEntry* entry = handles_.find(child);
    return entry ? std::optional(entry->type()) : std::nullopt;
  };
  for (const trace::Difference& difference : verify(layouts_, id, handle, library_, known)) {
    writer_.difference(id, difference);
  }
}

std::uint32_t Registry::counter_of(DefinitionId definition, const Place& place) {
  const auto hash = [](DefinitionId id, const Place& at) {
    return (static_cast<std::uint64_t>(id.value) * 0x9E3779B97F4A7C15u) ^
           (static_cast<std::uint64_t>(at.site.value) * 0xC2B2AE3D27D4EB4Fu) ^
           (reinterpret_cast<std::uintptr_t>(at.called) >> 3);
  };
  const auto slot_of = [&](std::uint64_t value) {
    return static_cast<std::size_t>(value ^ (value >> 32)) & (counter_slots_.size() - 1);
  };
  std::size_t at = slot_of(hash(definition, place));
  for (; counter_slots_[at] != 0; at = (at + 1) & (counter_slots_.size() - 1)) {
    const Counter& counter = counters_[counter_slots_[at] - 1];
    if (counter.type() == definition && counter.site == place.site.value &&
        &memory_.entry(counter.entry) == place.called)
      return counter_slots_[at] - 1;
  }
  const auto index = static_cast<std::uint32_t>(counters_.used());
  const std::uint32_t number = definition.valid() ? writer_.number_of(definition) : trace::counter_file_none;
  Counter counter{};
  counter.definition = definition.value;
  counter.site = place.site.value;
  counter.entry = memory_.entry(*place.called);
  counter.counts = reinterpret_cast<std::uintptr_t>(&pages_.add({.definition = number,
                                                                 .site = place.site.value,
                                                                 .called = place.called->name,
                                                                 .binding = place.called->binding}));
  counters_.push_back(counter);
  if (counters_.used() * 2 <= counter_slots_.size()) {
    counter_slots_[at] = index + 1;
    return index;
  }
  counter_slots_.assign(counter_slots_.size() * 2, 0);
  for (std::uint32_t i = 0; i < counters_.used(); ++i) {
    const Place known{{counters_[i].site}, &memory_.entry(counters_[i].entry)};
    std::size_t free_slot = slot_of(hash(counters_[i].type(), known));
    while (counter_slots_[free_slot] != 0) free_slot = (free_slot + 1) & (counter_slots_.size() - 1);
    counter_slots_[free_slot] = i + 1;
  }
  return index;
}

void Registry::begin_life(HandleBits handle, DefinitionId definition, std::uint32_t counter) {
  HandleEntry& entry = handles_.slot_for(handle);
  if (entry.is_live()) {
    if (entry.is_predefined()) return;  // an F90 type: the same handle each time
    // The library gives a handle anew only after it was freed: by the MPI_Type_free that has not yet
    // come back to us, which counts it, or by a call that no wrapper saw.
    if (!entry.is_dying()) ++counters_[entry.counter].counted().freed;
    handles_.each_older_life(entry, [&](std::uint32_t older) { ++counters_[older].counted().freed; });
  }
  handles_.begin_life(
      entry, handle,
      {.definition = definition, .counter = counter, .predefined = is_f90(store_[definition].call.combiner)});
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
  std::string key = std::to_string(entry->definition) + ':';
  key += name;
  if (names_seen_.insert(std::move(key)).second) writer_.name(entry->type(), name);
}

bool Registry::knows(HandleBits handle) {
  const std::lock_guard guard(lock_);
  return handles_.find(handle) != nullptr;
}

void Registry::met(HandleBits handle, const EntryPoint& called, const Stack& stack) {
  const std::lock_guard guard(lock_);
  if (closed_ || writer_.stopped()) return;
  std::string problem;
  if (!definition_of(handle, {sites_.intern(stack, writer_), &called}, problem).valid())
    unrecorded(called, "not adopted: " + problem);
}

Registry::Free Registry::begin_free(HandleBits handle) {
  const std::lock_guard guard(lock_);
  HandleEntry* entry = handles_.find(handle);
  if (closed_ || (entry && entry->is_predefined())) return {};
  if (!entry) return {.handle = handle};
  HandleTable::set_dying(*entry, true);
  return {.handle = handle,
          .generation = entry->generation,
          .counter = entry->counter,
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
    if (succeeded) ++counters_[free.counter].counted().freed;
    return false;
  }
  HandleTable::set_dying(*entry, false);
  if (!succeeded) return false;
  ++counters_[entry->counter].counted().freed;
  return handles_.end_life(*entry);
}

ddtscope_freed_type Registry::describe_freed(HandleBits handle, const Free& free, bool lives_on) {
  const std::lock_guard guard(lock_);
  return {.handle = handle, .key = free.known ? store_[free.definition].key : 0, .lives_on = lives_on ? 1 : 0};
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
    if (store_[children[i]].predefined.valid() || is_f90(store_[children[i]].call.combiner)) continue;
    const HandleBits handle = handle_at(decoding.datatypes, i);
    const std::uint32_t counter = counter_of(children[i], place);
    ++counters_[counter].counted().created;
    begin_life_or_share(handle, children[i], counter);
  }
}

void Registry::begin_life_or_share(HandleBits handle, DefinitionId definition, std::uint32_t counter) {
  HandleEntry* entry = handles_.find(handle);
  if (entry && !entry->is_dying() && !entry->is_predefined() && entry->type() == definition) {
    // One more reference to the same object: the next free ends this life first.
    handles_.share(*entry, counter);
  } else {
    begin_life(handle, definition, counter);
  }
}

void Registry::handed_out(HandleBits handle, const EntryPoint& called, const Stack& stack) {
  const std::lock_guard guard(lock_);
  if (closed_) return;
  const HandleEntry* entry = handles_.find(handle);
  if (entry && entry->is_predefined()) return;
  const Place place{sites_.intern(stack, writer_), &called};
  if (entry && !entry->is_dying()) {
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
    problem = "it was freed";
    return {};
  }
  return adopt(handle, place, problem);
}

void Registry::unrecorded(const EntryPoint& called, std::string why) { ++unrecorded_[{called.name, std::move(why)}]; }

void Registry::dropped(const Place& place) { ++counters_[counter_of(DefinitionId{}, place)].counted().created; }

void Registry::failed(const EntryPoint& called, trace::ErrorClass error_class, const Stack& stack) {
  const std::lock_guard guard(lock_);
  if (closed_) return;
  const CallSiteId site = sites_.intern(stack, writer_);
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
  Totals totals;
  std::unordered_set<std::uint32_t> definitions;
  for (std::size_t i = 0; i < counters_.used(); ++i) {
    const Counter& counter = counters_[i];
    if (!counter.type().valid()) continue;
    definitions.insert(counter.definition);
    const trace::CounterRecord& counts = counter.counted();
    totals.created += counts.created + counts.adopted;
    // F90 types are never freed, and never alive.
    totals.freed += is_f90(store_[counter.type()].call.combiner) ? counts.created : counts.freed;
  }
  totals.definitions = definitions.size();
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
  if (!writer_.stopped()) write_counters(end);
  if (writer_.stopped()) {
    pages_.ended(end.complete ? trace::Completeness::complete : trace::Completeness::incomplete, end.reason);
  } else {
    pages_.remove();
  }
  return true;
}

void Registry::write_counters(const End& end) {
  // One line per definition and entry point.
  std::vector<std::uint32_t> order(counters_.used());
  std::iota(order.begin(), order.end(), 0u);
  const auto line_of = [&](std::uint32_t i) {
    return std::pair(counters_[i].definition, std::string_view(memory_.entry(counters_[i].entry).name));
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return line_of(a) < line_of(b); });
  std::vector<trace::Counts> counts;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Counter& counter = counters_[order[i]];
    const trace::CounterRecord& values = counter.counted();
    counts.push_back({counter.site, values.created, values.adopted, values.committed, values.freed});
    if (i + 1 < order.size() && line_of(order[i]) == line_of(order[i + 1])) continue;
    const EntryPoint& called = memory_.entry(counter.entry);
    writer_.instances(
        {.definition = counter.type(), .called = called.name, .binding = called.binding, .counts = counts});
    counts.clear();
  }
  write_failed_calls();
  std::vector<trace::Unrecorded> items;
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
