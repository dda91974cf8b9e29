// Whether a type means the same under the three rules: bounds by value, typemaps by fingerprint.
#include <algorithm>
#include <array>
#include <vector>

#include "decoder/finding_memory.h"
#include "decoder/findings.h"
#include "decoder/typemap.h"

namespace ddtscope {
namespace {

/// How many entries are compared one by one for the first that differs.
constexpr std::size_t entries_looked_at = 1024;

std::string text_of_source(BoundsRule rule) {
  return (rule == BoundsRule::standard ? "by " : "in ") + std::string(modelled_version(rule));
}

/// One value per rule, as a call answers it: what does not fit MPI_Count is MPI_UNDEFINED.
using Values = std::array<std::optional<std::int64_t>, std::size(bounds_rules)>;

bool all_equal(const Values& values) { return values[0] == values[1] && values[0] == values[2]; }

/// "24 by MPI-4.1 and in Open MPI 4.1.4, 20 in MPICH 4.0.2".
std::string text_of_values(const Values& values) {
  std::string text;
  std::array<bool, std::size(bounds_rules)> told{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (told[i]) continue;
    if (!text.empty()) text += ", ";
    text += (values[i] ? std::to_string(*values[i]) : "MPI_UNDEFINED") + " " + text_of_source(bounds_rules[i]);
    for (std::size_t k = i + 1; k < values.size(); ++k) {
      if (values[k] != values[i]) continue;
      told[k] = true;
      text += " and " + text_of_source(bounds_rules[k]);
    }
  }
  return text;
}

/// "Entry 3 (MPI_INT) stands at 24 by MPI-4.1 ..., 20 in ...".
std::string first_moved_entry(const FindingSources& sources, DefinitionId id) {
  std::vector<TypemapCursor> cursors;
  for (const BoundsRule rule : bounds_rules) {
    const Layouts& layouts = sources.rules[rule].layouts(id);
    cursors.emplace_back(layouts, layouts.root(id));
  }
  for (std::size_t k = 0; k < entries_looked_at; ++k) {
    std::array<TypemapEntry, std::size(bounds_rules)> entries;
    Values values;
    for (std::size_t i = 0; i < cursors.size(); ++i) {
      if (!cursors[i].next(entries[i])) return "The entries differ in number.";
      values[i] = entries[i].displacement.to_int64();
    }
    if (all_equal(values)) continue;
    return "Entry " + std::to_string(k) + " (" + sources.layouts.store().predefined()[entries[0].type].name +
           ") stands at byte " + text_of_values(values) + ".";
  }
  return "Entries stand at other places; the first " + std::to_string(entries_looked_at) + " do not.";
}

std::string text_of_mistaken_stride() {
  return std::string(modelled_version(BoundsRule::openmpi)) +
         " takes the stride of -1 byte for the extent of a block: its blocks follow each other, where each "
         "should begin a byte before the last.";
}

}  // namespace

Portability compare_rules(const FindingSources& sources, DefinitionId id) {
  Portability result;
  const ConstructorCall& call = sources.layouts.store()[id].call;
  if (call.combiner == Combiner::named) return result;
  std::array<ObservedBounds, std::size(bounds_rules)> answers;
  for (std::size_t i = 0; i < answers.size(); ++i) answers[i] = as_answered(sources.rules[bounds_rules[i]].bounds(id));
  const bool empty = sources.layouts.facts(id).empty();
  for (const NamedBound& bound : named_bounds) {
    Values values;
    for (std::size_t i = 0; i < answers.size(); ++i) values[i] = answers[i].*bound.value;
    if (all_equal(values)) continue;
    result.reasons.push_back("The " + std::string(bound.name) + " is " + text_of_values(values) + ".");
    result.moves_data = result.moves_data || (!bound.is_true_bound && !empty);
  }

  FindingMemory& memory = *sources.memory;
  result.moves_entries = memory.moves_entries(sources, id);
  if (result.moves_entries) {
    result.moves_data = true;
    // A chain of types would otherwise be walked down anew from each of its links.
    const bool is_oldtypes = std::any_of(call.datatypes.begin(), call.datatypes.end(),
                                         [&](DefinitionId oldtype) { return memory.moves_entries(sources, oldtype); });
    const bool is_mistaken = has_mistaken_stride(sources, id);
    if (is_mistaken) result.reasons.push_back(text_of_mistaken_stride());
    if (is_oldtypes) {
      result.reasons.push_back("The entries of an oldtype stand at other places.");
    } else if (!is_mistaken) {
      result.reasons.push_back(first_moved_entry(sources, id));
    }
  }
  result.portable = result.reasons.empty();
  return result;
}

Portability portability_of(const FindingSources& sources, DefinitionId id) {
  return sources.memory->portability(sources, id);
}

}  // namespace ddtscope
