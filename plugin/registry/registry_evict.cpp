// Definitions that make room for others: without live instances, and nobody's oldtype. What remains of them is their
// line in the trace, their number, and their counts, in records that rest where they are: made again, they count on.
#include <algorithm>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "plugin/registry/registry.h"

namespace ddtscope::plugin {
namespace {

/// A definition's share of the tables that is not counted by those themselves.
constexpr std::size_t bytes_per_definition = 64;
/// What a definition is likely to take beside its call, before it is known.
constexpr std::size_t bytes_of_layout = 2 * sizeof(LayoutNode) + 4 * sizeof(Bounds);

}  // namespace

Registry::Totals& Registry::Totals::operator+=(const Totals& other) {
  definitions += other.definitions;
  created += other.created;
  freed += other.freed;
  dropped += other.dropped;
  return *this;
}

Registry::Totals& Registry::Totals::operator-=(const Totals& other) {
  definitions -= other.definitions;
  created -= other.created;
  freed -= other.freed;
  dropped -= other.dropped;
  return *this;
}

std::size_t Registry::bytes_held() const {
  return store_.bytes() + layouts_.bytes() + (counters_.used() - free_counters_.size()) * bytes_of_counter +
         unused_.size() * bytes_per_definition + sites_.bytes() - bytes_at_start_;
}

Registry::Use& Registry::use_of(DefinitionId id) {
  if (uses_.size() <= id.value) uses_.resize(id.value + 1);
  return uses_[id.value];
}

bool Registry::make_room_for(const ConstructorCall& call, const ArrayDigests& digests) {
  const std::size_t wanted = DefinitionStore::bytes_for(call) + bytes_of_layout;
  const std::size_t most_bytes = options_.most_bytes - options_.most_bytes / evicted_share * 5 / 4;
  const auto fits = [&] { return bytes_held() + wanted <= most_bytes; };
  if ((!writer_.stopped() && fits()) || store_.find(call, digests)) return true;
  while (!writer_.stopped() && !fits()) {
    if (!evict_one()) return false;
  }
  return !writer_.stopped();
}

std::uint64_t Registry::lives_begun(DefinitionId id) const {
  std::uint64_t begun = 0;
  for (std::uint32_t i = uses_[id.value].counter; i != none; i = counter_uses_[i].next) {
    const trace::CounterRecord& record = pages_.look_at(counters_[i].counted());
    begun += record.created + record.adopted;
  }
  return begun;
}

bool Registry::is_in_use(DefinitionId id) const {
  const Use& use = uses_[id.value];
  bool is_idle = use.pins == 0 && store_.parents(id) == 0;
  for (std::uint32_t i = use.counter; is_idle && i != none; i = counter_uses_[i].next) {
    pages_.look_at(counters_[i].counted());
    is_idle = counters_[i].is_idle();
  }
  return !is_idle;
}

void Registry::enqueue(DefinitionId id) {
  Use& use = use_of(id);
  for (std::uint32_t i = use.counter; i != none; i = counter_uses_[i].next) counter_uses_[i].waits = true;
  if (use.waits) return;
  unused_.push_back(id);
  use.waits = true;
  use.made = lives_begun(id);
}

void Registry::dequeue(DefinitionId id) {
  uses_[id.value].waits = false;
  for (std::uint32_t i = uses_[id.value].counter; i != none; i = counter_uses_[i].next) counter_uses_[i].waits = false;
}

bool Registry::evict_one() {
  while (!unused_.empty()) {
    const DefinitionId id = unused_.front();
    unused_.pop_front();
    if (is_in_use(id)) {
      dequeue(id);  // its last life puts it there again
    } else if (const std::uint64_t begun = lives_begun(id); begun != uses_[id.value].made) {
      uses_[id.value].made = begun;  // made again since: it goes to the end
      unused_.push_back(id);
    } else {
      return evict(id);
    }
  }
  return false;
}

std::uint32_t Registry::check_of(const ConstructorCall& call) const {
  constexpr std::uint64_t other_seed = 0x65766963746564;
  std::uint64_t hash = XXH3_64bits_withSeed(call.scalars.data(), sizeof call.scalars, other_seed);
  for (const IntegerArray& array : call.arrays) {
    if (array.length != 0) hash = XXH3_64bits_withSeed(array.data, array.bytes(), hash);
  }
  for (const DefinitionId oldtype : call.datatypes) {
    if (store_[oldtype].predefined.valid()) continue;
    const trace::LineId number = writer_.number_of(oldtype);
    hash = XXH3_64bits_withSeed(&number, sizeof number, hash);
  }
  return static_cast<std::uint32_t>(hash ^ hash >> 32);
}

bool Registry::evict(DefinitionId id) {
  std::vector<std::uint32_t> counters;
  Records parked, folded;
  for (std::uint32_t i = uses_[id.value].counter; i != none; i = counter_uses_[i].next) {
    counters.push_back(i);
    const std::size_t bytes = (parked_records_ + parked.size() + 1) * sizeof(trace::CounterRecord);
    const bool may_park = bytes <= options_.most_parked_bytes && pages_.may_park(counters_[i].counted());
    (may_park ? parked : folded).push_back(&counters_[i].counted());
  }
  for (const trace::CounterRecord* record : folded) elsewhere_ += ended_lives_of(*record);
  if (!fold(folded)) {
    for (const trace::CounterRecord* record : folded) elsewhere_ -= ended_lives_of(*record);  // 0 where a line has them
    return false;
  }
  RecordNumber first = uses_[id.value].parked;
  for (trace::CounterRecord* record : parked) {  // the oldest counter comes first in the chain
    record->next = static_cast<std::uint32_t>(first);
    first = pages_.number_of(*record);
    elsewhere_ += ended_lives_of(pages_.at(first));
  }
  parked_records_ += parked.size();
  const bool has_forgotten = evicted_.forgotten() != 0;
  const ConstructorCall& call = store_[id].call;
  const RecordNumber forgotten =
      evicted_.add({.key = store_[id].key, .line = writer_.number_of(id), .check = check_of(call)}, first);
  if (!has_forgotten && evicted_.forgotten() != 0) {
    writer_.note(
        "A process made more distinct definitions than it can remember (DDTSCOPE_MAX_MEMORY): those that it made again "
        "later may stand twice in its trace, and count as one here.");
  }
  for (const std::uint32_t i : counters) {
    forget_recent_call(id, i);
    remove_counter(i);
  }
  for (trace::CounterRecord* record : folded) pages_.release(*record);
  const std::vector<DefinitionId> oldtypes(call.datatypes.begin(), call.datatypes.end());
  layouts_.forget(id);
  store_.evict(id);
  if (!counters.empty()) --counted_definitions_;
  uses_[id.value] = Use{};
  for (const DefinitionId oldtype : oldtypes) {
    if (!store_[oldtype].predefined.valid() && !is_in_use(oldtype)) enqueue(oldtype);
  }
  fold_forgotten(forgotten);
  return true;
}

trace::CounterRecord* Registry::unpark(DefinitionId definition, const CounterPages::Place& place) {
  Use& use = use_of(definition);
  trace::CounterRecord* before = nullptr;
  for (RecordNumber number = use.parked; number != RecordNumber::none;) {
    trace::CounterRecord& record = pages_.at(number);
    number = static_cast<RecordNumber>(record.next);
    if (!CounterPages::counts_at(record, place)) {
      before = &record;
      continue;
    }
    if (before) {
      before->next = record.next;
    } else {
      use.parked = number;
    }
    record.next = 0;
    --parked_records_;
    elsewhere_ -= ended_lives_of(record);
    return &record;
  }
  return nullptr;
}

void Registry::forget_recent_call(DefinitionId id, std::uint32_t counter) {
  const ConstructorCall& call = store_[id].call;
  if (call.datatypes.size() != 1) return;
  const Place place{{counters_[counter].site}, &memory_.entry(counters_[counter].entry)};
  RecentCall& recent = recent_slot(place, call.datatypes[0], call);
  if (recent.called != nullptr && recent.counter == counter) recent = RecentCall{};
}

void Registry::remove_counter(std::uint32_t index) {
  const std::size_t mask = counter_slots_.size() - 1;
  std::size_t gap = counter_home(counters_[index]);
  while (counter_slots_[gap] != index + 1) gap = (gap + 1) & mask;
  // What stands behind moves up, where its home is not beyond the gap.
  for (std::size_t i = (gap + 1) & mask; counter_slots_[i] != 0; i = (i + 1) & mask) {
    const std::size_t home = counter_home(counters_[counter_slots_[i] - 1]);
    if (((i - home) & mask) < ((i - gap) & mask)) continue;
    counter_slots_[gap] = counter_slots_[i];
    gap = i;
  }
  counter_slots_[gap] = 0;
  Counter gone{};
  gone.definition = none;
  counters_[index] = gone;
  free_counters_.push_back(index);
}

Registry::Totals Registry::ended_lives_of(const trace::CounterRecord& record) {
  return {.created = record.created + record.adopted, .freed = record.freed};
}

Registry::Totals Registry::lives_of(const Counter& counter) const {
  const trace::CounterRecord& counts = pages_.look_at(counter.counted());
  // Unnamed predefined types are never freed, and never alive.
  const bool is_never_freed = is_unnamed_predefined(store_[counter.type()].call.combiner);
  return {.created = counts.created + counts.adopted, .freed = is_never_freed ? counts.created : counts.freed};
}

bool Registry::fold(Records& records) {
  const auto called = [](const trace::CounterRecord* record) { return std::string_view(record->called); };
  std::stable_sort(records.begin(), records.end(), [&](const auto* a, const auto* b) { return called(a) < called(b); });
  for (auto begin = records.begin(); begin != records.end();) {
    const auto end =
        std::find_if(begin, records.end(), [&](const auto* record) { return called(record) != called(*begin); });
    if (!fold_line({begin, end})) return false;
    begin = end;
  }
  return true;
}

bool Registry::fold_line(std::span<trace::CounterRecord* const> records) {
  std::vector<trace::Counts> counts;
  counts.reserve(records.size());
  const std::uint64_t offset = writer_.bytes_written();
  for (trace::CounterRecord* record : records) {
    counts.push_back({record->site, record->created, record->adopted, record->committed, record->freed});
    CounterPages::begin_folding(*record, offset);
  }
  const trace::CounterRecord& first = *records.front();
  writer_.instances(
      {.definition = first.definition, .called = first.called, .binding = first.binding, .counts = counts});
  if (writer_.stopped()) return false;
  pages_.count_folded_line();
  for (trace::CounterRecord* record : records) CounterPages::end_folding(*record);
  return true;
}

void Registry::fold_forgotten(RecordNumber first) {
  Records records;
  for (RecordNumber number = first; number != RecordNumber::none;) {
    trace::CounterRecord& record = pages_.at(number);
    records.push_back(&record);
    number = static_cast<RecordNumber>(record.next);
  }
  parked_records_ -= records.size();
  if (!fold(records)) return;  // the records have the counts for good
  for (trace::CounterRecord* record : records) {
    record->next = 0;
    pages_.release(*record);
  }
}

bool Registry::fold_all() {
  struct OfDefinition {
    trace::LineId definition;
    RecordNumber record;
  };
  std::vector<OfDefinition> all;
  all.reserve(static_cast<std::size_t>(pages_.last()));
  for (std::uint32_t number = 1; number <= static_cast<std::uint32_t>(pages_.last()); ++number) {
    const trace::CounterRecord& record = pages_.at(RecordNumber{number});
    const trace::LineId definition = record.definition;
    if (definition != trace::counter_file_none && record.parameter == 0)
      all.push_back({definition, RecordNumber{number}});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const OfDefinition& a, const OfDefinition& b) { return a.definition < b.definition; });
  Records records;
  for (std::size_t i = 0; i < all.size(); ++i) {
    records.push_back(&pages_.at(all[i].record));
    if (i + 1 < all.size() && all[i + 1].definition == all[i].definition) continue;
    if (!fold(records)) return false;
    records.clear();
  }
  return true;
}

}  // namespace ddtscope::plugin
