// Makes the definitions of a batch and compares each.
#include "testapps/differential/batch.h"

#include <algorithm>

#include "decoder/testing/random_types.h"
#include "testapps/differential/known_bugs.h"

namespace ddtscope::differential {
namespace {

test::RandomTypesOptions generator_options(const BatchOptions& options) {
  test::RandomTypesOptions generator;
  generator.seed = options.seed * 1000003 + options.number;
  generator.forms = library_forms();
  // No library has it.
  std::erase(generator.combiners, Combiner::value_index);
  if (options.number % 4 == 3) {
    generator.one_huge_in = options.number % 16 == 15 ? 6 : 40;
    generator.most_entries = Exact(Int128{1} << 120);
    generator.farthest_byte = Exact(Int128{1} << 120);
  }
  return generator;
}

enum class Then { go_on, avoid, stop };

/// Calls compare(id, place) for the leaves, once each in the first batch, and for each new definition.
template <class Compare>
void for_each_definition(const BatchOptions& options, test::TestStore& types, Compare compare) {
  const auto leaves = static_cast<std::uint32_t>(types.store().size());
  Place place = 0;
  for (; place < leaves; ++place) {
    if (options.number == 0 && compare(DefinitionId{place}, place) == Then::stop) return;
  }
  std::vector<Place> avoided = options.avoided;
  for (const Casualty& casualty : options.casualties) avoided.push_back(casualty.place);
  test::RandomTypes generator(types, generator_options(options));
  std::map<DefinitionId, Place> places;
  for (int i = 0; i < 10 * definitions_in_a_batch && place < leaves + definitions_in_a_batch; ++i) {
    const DefinitionId id = generator.next();
    if (!id.valid()) continue;
    const auto [known, is_new] = places.emplace(id, place);
    if (is_new) {
      const Then then = compare(id, place++);
      if (then == Then::stop) return;
      if (then == Then::avoid) avoided.push_back(known->second);
    }
    if (std::find(avoided.begin(), avoided.end(), known->second) != avoided.end()) generator.avoid(id);
  }
}

bool same_bounds(const Bounds& a, const Bounds& b) {
  return a.size == b.size && a.lb == b.lb && a.extent == b.extent && a.true_lb == b.true_lb &&
         a.true_extent == b.true_extent;
}

}  // namespace

BatchResult run_batch(const BatchOptions& options, Progress& progress) {
  BatchResult result;
  progress.place = no_place;
  progress.batch = options.number;
  const std::unique_ptr<test::TestStore> types = store_of_library();
  Comparison comparison(*types, progress.aspect);
  for_each_definition(options, *types, [&](DefinitionId id, Place place) {
    progress.steps.fetch_add(1);
    if (const KnownBug* danger = danger_of(comparison, id)) {
      ++result.cases[static_cast<std::size_t>(types->store()[id].call.combiner)];
      ++result.explained[std::string(danger->id)];
      result.avoided.push_back(place);
      return Then::avoid;
    }
    std::vector<Difference> differences;
    for (const Casualty& casualty : options.casualties) {
      if (casualty.place == place) differences.push_back(casualty.difference);
    }
    if (differences.empty()) {
      progress.place = place;
      differences = comparison.compare(id, Comparison::Packing::mostly_one);
      progress.place = no_place;
    }
    ++result.cases[static_cast<std::size_t>(types->store()[id].call.combiner)];
    result.packed += comparison.was_packed() ? 1 : 0;
    if (!same_bounds(comparison.library_rule().bounds(id), comparison.standard_rule().bounds(id))) {
      ++result.standard_differs;
    }
    const bool is_refused = !differences.empty() && differences[0].aspect == Aspect::construct;
    if (is_refused) result.avoided.push_back(place);
    const Then then = is_refused ? Then::avoid : Then::go_on;
    std::vector<std::string_view> bugs;
    for (Difference& difference : differences) {
      const KnownBug* bug = explain(comparison, id, difference);
      if (bug == nullptr) {
        result.failures.push_back({place, std::move(difference)});
        return then;
      }
      if (std::find(bugs.begin(), bugs.end(), bug->id) == bugs.end()) bugs.push_back(bug->id);
    }
    for (const std::string_view bug : bugs) ++result.explained[std::string(bug)];
    return then;
  });
  return result;
}

Remade remake(const BatchOptions& options, Place place) {
  Remade remade = {store_of_library(), {}};
  for_each_definition(options, *remade.types, [&](DefinitionId id, Place reached) {
    remade.definition = id;
    return reached == place ? Then::stop : Then::go_on;
  });
  return remade;
}

}  // namespace ddtscope::differential
