// Counters by definition and place; what retired definitions have counted rests in their records, or in the trace.
#include "plugin/registry/instance_counters.h"

#include <algorithm>

namespace ddtscope::plugin {
namespace {

constexpr std::size_t first_counters = 256;
constexpr std::size_t first_slots = 1024;

/// Of records whose lives have all ended.
Totals ended_lives_of(const trace::CounterRecord& record) {
  return {.created = record.created + record.adopted, .freed = record.freed};
}

}  // namespace

Totals& Totals::operator+=(const Totals& other) {
  definitions += other.definitions;
  created += other.created;
  freed += other.freed;
  dropped += other.dropped;
  return *this;
}

Totals& Totals::operator-=(const Totals& other) {
  definitions -= other.definitions;
  created -= other.created;
  freed -= other.freed;
  dropped -= other.dropped;
  return *this;
}

InstanceCounters::InstanceCounters(const Limits& limits, const Parts& parts)
    : limits_(limits),
      pages_(parts.pages),
      sites_(parts.sites),
      writer_(parts.writer),
      memory_(parts.memory),
      counters_(parts.memory.table(trace::DebugTableKind::counters), trace::DebugTableKind::counters, first_counters),
      table_(first_slots) {}

std::uint64_t InstanceCounters::hash_of(const Counter& counter) {
  return (static_cast<std::uint64_t>(counter.definition) * 0x9E3779B97F4A7C15u) ^
         (static_cast<std::uint64_t>(counter.site) * 0xC2B2AE3D27D4EB4Fu) ^
         ((static_cast<std::uint64_t>(counter.entry) << 8 | static_cast<std::uint64_t>(counter.lane())) *
          0x165667B19E3779F9u);
}

std::uint32_t InstanceCounters::find(const Counter& counter) const {
  return table_.find(hash_of(counter), [&](std::uint32_t number) { return counters_[number].is_of(counter); });
}

bool InstanceCounters::may_have_more(DefinitionId definition, std::size_t most_bytes) const {
  const bool is_first =
      definition.valid() && (definitions_.size() <= definition.value || definitions_[definition.value].first == none);
  const std::size_t counters = counters_.used() - free_.size();
  return is_first || (counters - counted_definitions_) * bytes_of_counter < most_bytes;
}

std::uint32_t InstanceCounters::of(DefinitionId definition, DefinitionNumber number, Place place, Lane lane) {
  Counter counter{};
  counter.definition = definition.value;
  counter.site = place.site.value;
  counter.entry = memory_.entry(*place.called);
  counter.set_lane(lane);
  std::uint32_t known = find(counter);
  if (known == none && lane != Lane{} && !may_have_more(definition, limits_.most_bytes / 2)) [[unlikely]] {
    counter.set_lane({});
    known = find(counter);
  }
  if (known == none && place.site.valid() && !may_have_more(definition, limits_.most_bytes)) [[unlikely]] {
    // The definition's counts stay exact; where they come from is lost.
    place.site = sites_.not_recorded(writer_);
    counter.site = place.site.value;
    known = find(counter);
  }
  return known != none ? known : add(counter, number, place);
}

std::uint32_t InstanceCounters::add(Counter counter, DefinitionNumber number, const Place& place) {
  const DefinitionId definition = counter.type();
  const CounterPages::Place counted{
      .definition = number, .site = place.site, .called = place.called->name, .binding = place.called->binding};
  trace::CounterRecord* record = definition.valid() ? unpark(definition, counted) : nullptr;
  if (!record) record = &pages_.add(counted);
  counter.counts = reinterpret_cast<std::uintptr_t>(record);
  auto index = static_cast<std::uint32_t>(counters_.used());
  if (free_.empty()) {
    next_.resize(index + 1, none);  // either may find no memory
    counters_.push_back(counter);
  } else {
    index = free_.back();
    free_.pop_back();
    counters_[index] = counter;
  }
  if (definition.valid()) {
    OfDefinition& all = of_definition(definition);
    next_[index] = all.first;
    if (all.enqueued) counters_[index].enqueue();
    if (all.first == none) ++counted_definitions_;
    all.first = index;
    if (!all.was_counted) ++elsewhere_.definitions;
    all.was_counted = true;
  }
  table_.insert(hash_of(counter), index);
  return index;
}

Place InstanceCounters::place(std::uint32_t counter) const {
  return {CallSiteId{counters_[counter].site}, &memory_.entry(counters_[counter].entry)};
}

InstanceCounters::OfDefinition& InstanceCounters::of_definition(DefinitionId id) {
  if (definitions_.size() <= id.value) definitions_.resize(id.value + 1);
  return definitions_[id.value];
}

std::uint64_t InstanceCounters::lives_begun(DefinitionId definition) const {
  std::uint64_t begun = 0;
  each_of(definition, [&](std::uint32_t i) {
    const trace::CounterRecord& record = pages_.look_at(counters_[i].counted());
    begun += record.created + record.adopted;
  });
  return begun;
}

bool InstanceCounters::is_idle(DefinitionId definition) const {
  bool is_idle = true;
  each_of(definition, [&](std::uint32_t i) {
    if (!is_idle) return;
    pages_.look_at(counters_[i].counted());
    is_idle = counters_[i].is_idle();
  });
  return is_idle;
}

void InstanceCounters::enqueue(DefinitionId definition) {
  of_definition(definition).enqueued = true;
  each_of(definition, [&](std::uint32_t i) { counters_[i].enqueue(); });
}

void InstanceCounters::dequeue(DefinitionId definition) {
  of_definition(definition).enqueued = false;
  each_of(definition, [&](std::uint32_t i) { counters_[i].dequeue(); });
}

bool InstanceCounters::is_enqueued(DefinitionId definition) const {
  return definition.value < definitions_.size() && definitions_[definition.value].enqueued;
}

bool InstanceCounters::may_park(const trace::CounterRecord& record, std::size_t others) const {
  const std::size_t bytes = (parked_records_ + others + 1) * sizeof(trace::CounterRecord);
  return bytes <= limits_.most_parked_bytes && pages_.may_park(record);
}

std::optional<RecordNumber> InstanceCounters::retire(DefinitionId definition) {
  std::vector<std::uint32_t> counters;
  Records parked, folded;
  each_of(definition, [&](std::uint32_t i) {
    counters.push_back(i);
    trace::CounterRecord& record = counters_[i].counted();
    (may_park(record, parked.size()) ? parked : folded).push_back(&record);
  });
  for (const trace::CounterRecord* record : folded) elsewhere_ += ended_lives_of(*record);
  if (!fold(folded)) {
    for (const trace::CounterRecord* record : folded) elsewhere_ -= ended_lives_of(*record);  // 0 where a line has them
    return std::nullopt;
  }
  const RecordNumber first = park(definition, parked);
  for (const std::uint32_t i : counters) remove(i);
  for (trace::CounterRecord* record : folded) pages_.release(*record);
  if (!counters.empty()) --counted_definitions_;
  of_definition(definition) = OfDefinition{};
  return first;
}

// Where nothing may be parked, each eviction is a line: of 1,500 types made and freed in turn, 100 times, in a memory
// for fewer than 100 of them, a life takes 50 us in place of 6, and the trace 17 MB in place of 1.
RecordNumber InstanceCounters::park(DefinitionId definition, const Records& records) {
  RecordNumber first = of_definition(definition).parked;
  for (trace::CounterRecord* record : records) {  // the oldest counter comes first in the chain
    record->next = static_cast<std::uint32_t>(first);
    first = pages_.number_of(*record);
    elsewhere_ += ended_lives_of(pages_.at(first));
  }
  parked_records_ += records.size();
  return first;
}

trace::CounterRecord* InstanceCounters::unpark(DefinitionId definition, const CounterPages::Place& place) {
  OfDefinition& all = of_definition(definition);
  trace::CounterRecord* before = nullptr;
  for (RecordNumber number = all.parked; number != RecordNumber::none;) {
    trace::CounterRecord& record = pages_.at(number);
    number = static_cast<RecordNumber>(record.next);
    if (!CounterPages::counts_at(record, place)) {
      before = &record;
      continue;
    }
    if (before) {
      before->next = record.next;
    } else {
      all.parked = number;
    }
    record.next = 0;
    --parked_records_;
    elsewhere_ -= ended_lives_of(record);
    return &record;
  }
  return nullptr;
}

void InstanceCounters::resume(DefinitionId definition, RecordNumber parked) {
  OfDefinition& all = of_definition(definition);
  all.was_counted = true;
  all.parked = parked;
}

void InstanceCounters::remove(std::uint32_t counter) {
  table_.erase(hash_of(counters_[counter]), counter);
  Counter gone{};
  gone.definition = none;
  counters_[counter] = gone;
  next_[counter] = none;
  free_.push_back(counter);
}

bool InstanceCounters::fold(Records& records, Folding when) {
  const auto called = [](const trace::CounterRecord* record) { return std::string_view(record->called); };
  // One site's records of different lanes come to stand side by side.
  std::stable_sort(records.begin(), records.end(), [&](const auto* a, const auto* b) {
    const int order = called(a).compare(called(b));
    return order != 0 ? order < 0 : a->site < b->site;
  });
  for (auto begin = records.begin(); begin != records.end();) {
    const auto end =
        std::find_if(begin, records.end(), [&](const auto* record) { return called(record) != called(*begin); });
    if (!fold_line({begin, end}, when)) return false;
    begin = end;
  }
  return true;
}

bool InstanceCounters::fold_line(std::span<trace::CounterRecord* const> records, Folding when) {
  std::vector<trace::Counts> counts;
  counts.reserve(records.size());
  const std::uint64_t offset = writer_.bytes_written();
  for (trace::CounterRecord* record : records) {
    if (counts.empty() || counts.back().site != FrameNumber{record->site})
      counts.push_back({FrameNumber{record->site}, 0, 0, 0, 0});
    counts.back().created += record->created;
    counts.back().adopted += record->adopted;
    counts.back().committed += record->committed;
    counts.back().freed += record->freed;
    CounterPages::begin_folding(*record, offset);
  }
  const trace::CounterRecord& first = *records.front();
  writer_.instances(
      {.definition = {first.definition}, .called = first.called, .binding = first.binding, .counts = counts});
  if (writer_.stopped()) return false;
  pages_.count_folded_line();
  for (trace::CounterRecord* record : records) {
    when == Folding::at_end ? pages_.stay_folded(*record) : CounterPages::end_folding(*record);
  }
  return true;
}

void InstanceCounters::fold_parked(RecordNumber first) {
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

bool InstanceCounters::fold_all() {
  struct Counted {
    DefinitionNumber definition;
    RecordNumber record;
  };
  std::vector<Counted> all;
  all.reserve(static_cast<std::size_t>(pages_.last()));
  for (std::uint32_t number = 1; number <= static_cast<std::uint32_t>(pages_.last()); ++number) {
    const trace::CounterRecord& record = pages_.at(RecordNumber{number});
    const bool is_of_instances = record.parameter == 0;  // not of uses
    if (is_of_instances && record.definition != trace::counter_file_none)
      all.push_back({{record.definition}, RecordNumber{number}});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Counted& a, const Counted& b) { return a.definition < b.definition; });
  Records records;
  for (std::size_t i = 0; i < all.size(); ++i) {
    records.push_back(&pages_.at(all[i].record));
    if (i + 1 < all.size() && all[i + 1].definition == all[i].definition) continue;
    if (!fold(records, Folding::at_end)) return false;
    records.clear();
  }
  return true;
}

Totals InstanceCounters::lives_of(const Counter& counter, const DefinitionStore& store) const {
  const trace::CounterRecord& counts = pages_.look_at(counter.counted());
  // Unnamed predefined types are never freed, and never alive.
  const bool is_never_freed = is_unnamed_predefined(store[counter.type()].call.combiner);
  return {.created = counts.created + counts.adopted, .freed = is_never_freed ? counts.created : counts.freed};
}

Totals InstanceCounters::totals(const DefinitionStore& store) const {
  Totals totals = elsewhere_;
  for (std::size_t i = 0; i < counters_.used(); ++i) {
    if (counters_[i].type().valid()) {
      totals += lives_of(counters_[i], store);
    } else if (counters_[i].counts != 0) {  // else nobody's: its definition was retired
      totals.dropped += counters_[i].counted().created;
    }
  }
  return totals;
}

std::vector<UnrecordedRecord> InstanceCounters::unrecorded() const {
  std::vector<UnrecordedRecord> items;
  for (std::uint32_t i = 0; i < counters_.used(); ++i) {
    const Counter& counter = counters_[i];
    if (counter.type().valid() || counter.counts == 0) continue;
    items.push_back({place(i).called->name,
                     counter.counted().created,
                     std::string(trace::no_memory),
                     FrameNumber{counter.site},
                     {}});
  }
  return items;
}

}  // namespace ddtscope::plugin
