// Definitions that make room for others: without live instances, and nobody's oldtype. What remains of them is their
// line in the trace, their counts, and their number.
#include <algorithm>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "plugin/registry.h"

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
  const std::size_t most_bytes = options_.most_bytes - options_.most_bytes / evicted_share;
  const auto fits = [&] { return bytes_held() + wanted <= most_bytes; };
  if ((!writer_.stopped() && fits()) || store_.find(call, digests)) return true;
  while (!writer_.stopped() && !fits()) {
    if (!evict_one()) return false;
  }
  return !writer_.stopped();
}

std::uint64_t Registry::lives_begun(DefinitionId id) const {
  std::uint64_t begun = 0;
  for (std::uint32_t i = uses_[id.value].counter; i != none; i = counter_uses_[i].next)
    begun += counters_[i].counted().created + counters_[i].counted().adopted;
  return begun;
}

bool Registry::is_in_use(DefinitionId id) const {
  const Use& use = uses_[id.value];
  bool is_idle = use.pins == 0 && store_.parents(id) == 0;
  for (std::uint32_t i = use.counter; is_idle && i != none; i = counter_uses_[i].next) is_idle = counters_[i].is_idle();
  return !is_idle;
}

void Registry::let_wait(DefinitionId id) {
  Use& use = use_of(id);
  for (std::uint32_t i = use.counter; i != none; i = counter_uses_[i].next) counter_uses_[i].waits = true;
  if (use.waits) return;
  unused_.push_back(id);
  use.waits = true;
  use.made = lives_begun(id);
}

void Registry::wait_no_more(DefinitionId id) {
  uses_[id.value].waits = false;
  for (std::uint32_t i = uses_[id.value].counter; i != none; i = counter_uses_[i].next) counter_uses_[i].waits = false;
}

bool Registry::evict_one() {
  while (!unused_.empty()) {
    const DefinitionId id = unused_.front();
    unused_.pop_front();
    if (is_in_use(id)) {
      wait_no_more(id);  // its last life puts it there again
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
  for (std::uint32_t i = uses_[id.value].counter; i != none; i = counter_uses_[i].next) counters.push_back(i);
  if (!fold(counters)) return false;
  const bool has_forgotten = evicted_.forgotten() != 0;
  const ConstructorCall& call = store_[id].call;
  evicted_.add({.key = store_[id].key, .line = writer_.number_of(id), .check = check_of(call)});
  if (!has_forgotten && evicted_.forgotten() != 0) {
    writer_.note(
        "A process made more distinct definitions than it can remember (DDTSCOPE_MAX_MEMORY): those that it made again "
        "later may stand twice in its trace, and count as one here.");
  }
  for (const std::uint32_t i : counters) {
    forget_recent_call(id, i);
    remove_counter(i);
  }
  const std::vector<DefinitionId> oldtypes(call.datatypes.begin(), call.datatypes.end());
  layouts_.forget(id);
  store_.evict(id);
  if (!counters.empty()) --counted_definitions_;
  uses_[id.value] = Use{};
  for (const DefinitionId oldtype : oldtypes) {
    if (!store_[oldtype].predefined.valid() && !is_in_use(oldtype)) let_wait(oldtype);
  }
  return true;
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
  pages_.release(counters_[index].counted());
  Counter gone{};
  gone.definition = none;
  counters_[index] = gone;
  free_counters_.push_back(index);
}

Registry::Totals Registry::lives_of(const Counter& counter) const {
  const trace::CounterRecord& counts = counter.counted();
  // F90 types are never freed, and never alive.
  const bool is_unnamed_predefined = is_f90(store_[counter.type()].call.combiner);
  return {.created = counts.created + counts.adopted, .freed = is_unnamed_predefined ? counts.created : counts.freed};
}

bool Registry::fold(std::vector<std::uint32_t>& counters) {
  const auto line_of = [&](std::uint32_t i) {
    return std::pair(counters_[i].definition, std::string_view(memory_.entry(counters_[i].entry).name));
  };
  const auto end = counters.end();
  for (auto begin = counters.begin(); begin != end;) {
    const std::uint32_t definition = counters_[*begin].definition;
    const auto next = std::find_if(begin, end, [&](std::uint32_t i) { return counters_[i].definition != definition; });
    std::stable_sort(begin, next, [&](std::uint32_t a, std::uint32_t b) { return line_of(a) < line_of(b); });
    while (begin != next) {
      const auto of_next_line =
          std::find_if(begin, next, [&](std::uint32_t i) { return line_of(i) != line_of(*begin); });
      if (!fold_line({begin, of_next_line})) return false;
      begin = of_next_line;
    }
  }
  return true;
}

bool Registry::fold_line(std::span<const std::uint32_t> counters) {
  std::vector<trace::Counts> counts;
  const std::uint64_t offset = writer_.bytes_written();
  for (const std::uint32_t i : counters) {
    trace::CounterRecord& record = counters_[i].counted();
    counts.push_back({counters_[i].site, record.created, record.adopted, record.committed, record.freed});
    CounterPages::begin_folding(record, offset);
  }
  const EntryPoint& called = memory_.entry(counters_[counters.front()].entry);
  writer_.instances({.definition = counters_[counters.front()].type(),
                     .called = called.name,
                     .binding = called.binding,
                     .counts = counts});
  if (writer_.stopped()) return false;
  pages_.count_folded_line();
  for (const std::uint32_t i : counters) {
    folded_ += lives_of(counters_[i]);
    CounterPages::end_folding(counters_[i].counted());
  }
  return true;
}

}  // namespace ddtscope::plugin
