#include "reporters/report/ordered_types.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace ddtscope::reporters {
namespace {

Exact exact_or_unknown(std::optional<std::int64_t> value) { return value ? Exact(*value) : Exact::unfit(); }

/// What is compared; does not fit where it is not known.
Exact measure(const Job& job, const JobType& type, TypesOrder order, Layouts& layouts) {
  switch (order) {
    case TypesOrder::id:
      break;
    case TypesOrder::instances: {
      const Counters total = job.instances.total(type.number);
      return Exact(static_cast<Int128>(total.created)) + Exact(static_cast<Int128>(total.adopted));
    }
    case TypesOrder::live:
      return Exact(live(job.instances.total(type.number), job.store[type.definition].call.combiner));
    case TypesOrder::size:
      return exact_or_unknown(job.observed(type).size);
    case TypesOrder::extent:
      return exact_or_unknown(job.observed(type).extent);
    case TypesOrder::blocks: {
      const Exact blocks = layouts.facts(type.definition).blocks;
      layouts.make_room(layout_memory);
      return blocks;
    }
  }
  return Exact(0);
}

}  // namespace

std::vector<TypeNumber> ordered_types(const Job& job, TypesOrder order) {
  std::vector<TypeNumber> numbers = job.type_numbers();
  if (order == TypesOrder::id) return numbers;
  Layouts layouts(job.store, job.observed_bounds);
  std::vector<Exact> measures;
  measures.reserve(job.types.size());
  for (const JobType& type : job.types) measures.push_back(measure(job, type, order, layouts));
  std::vector<std::size_t> places(numbers.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
    if (!measures[a].fits() || !measures[b].fits()) return measures[a].fits() && !measures[b].fits();
    return measures[b] < measures[a];
  });
  std::vector<TypeNumber> sorted;
  sorted.reserve(numbers.size());
  for (const std::size_t place : places) sorted.push_back(numbers[place]);
  return sorted;
}

}  // namespace ddtscope::reporters
