#include "plugin/registry/registry_parts.h"

namespace ddtscope::plugin {
namespace {

/// This part of the memory counts what has a counter already at further call sites.
constexpr std::size_t counters_share = 4;

}  // namespace

RegistryParts::RegistryParts(const RegistryOptions& options, const RegistrySurroundings& around)
    : lock_(options.multithreaded ? SpinLock::Needed::yes : SpinLock::Needed::no),
      verifies_(options.verify),
      frees_(around.memory.table(trace::DebugTableKind::frees)),
      sites_(around.sites),
      library_(around.library),
      writer_(around.writer),
      pages_(around.pages),
      counters_({options.most_bytes / counters_share, options.most_parked_bytes},
                {around.pages, around.sites, around.writer, around.memory}),
      cache_({.most_bytes = options.most_bytes, .layouts = options.verify ? CachedLayouts::all : CachedLayouts::none},
             {around.constants, counters_, around.sites, around.writer, around.memory}),
      lives_(around.memory),
      types_in_use_({lives_, cache_, around.sites, around.writer, frees_}),
      failed_(around.pages, options.most_bytes / counters_share / InstanceCounters::bytes_of_counter + 1) {
  if (options.multithreaded) lives_.split();
  predefined_ = PredefinedHandles(begin_predefined(around.predefined));
  cache_.begin_counting();
}

std::vector<PredefinedHandles::Item> RegistryParts::begin_predefined(const std::vector<PredefinedHandle>& predefined) {
  std::vector<PredefinedHandles::Item> items;
  for (const PredefinedHandle& item : predefined) {
    const DefinitionId id = cache_.add_predefined(item.type);
    lives_.begin(item.handle, {.definition = id, .predefined = true}, [](std::uint32_t) {});
    items.push_back({item.handle, lives_.find(item.handle)->type()});
  }
  return items;
}

std::uint32_t RegistryParts::counter_of(DefinitionId definition, const Place& place, HandleBits handle) {
  if (!definition.valid()) return counters_.of(definition, {}, place);
  return counters_.of(definition, cache_.number_of(definition), place, counting_lane(handle));
}

void RegistryParts::begin_life(HandleBits handle, DefinitionId definition, std::uint32_t counter) {
  lives_.begin(handle,
               {.definition = definition,
                .counter = counter,
                .predefined = is_unnamed_predefined(cache_.store()[definition].call.combiner)},
               [&](std::uint32_t ended) { end_life(ended); });
}

void RegistryParts::drop(HandleBits newtype, const Place& place) {
  ++counters_.counted(counter_of(DefinitionId{}, place, newtype)).created;
  lives_.drop(newtype, [&](std::uint32_t counter) { end_life(counter); });
}

Totals RegistryParts::count_totals() const {
  Totals totals = counters_.totals(cache_.store());
  totals.some_forgotten = cache_.has_forgotten_some();
  return totals;
}

}  // namespace ddtscope::plugin
