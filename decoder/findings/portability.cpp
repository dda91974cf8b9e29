// Whether a type means the same by the standard and in all modelled releases: bounds by value, typemaps by fingerprint.
#include <algorithm>
#include <array>
#include <vector>

#include "decoder/base/grouped.h"
#include "decoder/findings/finding_memory.h"
#include "decoder/findings/findings.h"
#include "decoder/layout/typemap.h"

namespace ddtscope {
namespace {

/// How many entries are compared one by one for the first that differs.
constexpr std::size_t compared_entries = 1024;

/// One value per model, as a call answers it: what does not fit MPI_Count is MPI_UNDEFINED.
using Values = std::array<std::optional<std::int64_t>, std::size(bounds_models)>;

bool all_equal(const Values& values) {
  return std::all_of(values.begin(), values.end(), [&](const auto& value) { return value == values[0]; });
}

void append(std::string& text, std::string_view part, std::string_view separator) {
  if (!text.empty()) text += separator;
  text += part;
}

/// The releases of a rule whose model `is_meant`: "in Open MPI 4.1 to 5.0 and 6.1"; empty where there are none.
template <class IsMeant>
std::string text_of_sources(BoundsRule rule, IsMeant is_meant) {
  const std::span<const ModelledRelease> releases = modelled_releases(rule);
  std::string text;
  for (std::size_t i = 0; i < releases.size(); ++i) {
    if (!is_meant(releases[i].model)) continue;
    std::size_t last = i;
    while (last + 1 < releases.size() && is_meant(releases[last + 1].model)) ++last;
    append(text, releases[i].series, " and ");
    if (last != i) text += " to " + std::string(releases[last].series);
    i = last;
  }
  if (text.empty()) return text;
  if (rule == BoundsRule::standard) return "by " + std::string(newest_release(rule).name);
  return "in " + std::string(product_name(rule)) + " " + text;
}

/// "24 by MPI-4.1 and in Open MPI 4.1 to 6.0, 20 in MPICH 4.0 to 5.0".
std::string text_of_values(const Values& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::find(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(i), values[i]) !=
        values.begin() + static_cast<std::ptrdiff_t>(i)) {
      continue;  // told
    }
    std::string sources;
    for (const BoundsRule rule : bounds_rules) {
      const std::string releases = text_of_sources(
          rule, [&](BoundsModel model) { return values[static_cast<std::size_t>(model)] == values[i]; });
      if (!releases.empty()) append(sources, releases, " and ");
    }
    append(text, (values[i] ? grouped(Exact(*values[i])) : "MPI_UNDEFINED") + " " + sources, ", ");
  }
  return text;
}

/// "Entry 3 (MPI_INT) stands at 24 by MPI-4.1 ..., 20 in ...".
std::string first_moved_entry(const FindingSources& sources, DefinitionId id) {
  std::vector<TypemapCursor> cursors;
  for (const BoundsModel model : bounds_models) {
    const Layouts& layouts = sources.rules[model].layouts();
    cursors.emplace_back(layouts, layouts.root(id));
  }
  for (std::size_t k = 0; k < compared_entries; ++k) {
    std::array<TypemapEntry, std::size(bounds_models)> entries;
    Values values;
    for (std::size_t i = 0; i < cursors.size(); ++i) {
      if (!cursors[i].next(entries[i])) return "The entries differ in number.";
      values[i] = entries[i].displacement.to_int64();
    }
    if (all_equal(values)) continue;
    return "Entry " + grouped(k) + " (" + sources.layouts.store().predefined()[entries[0].type].name +
           ") stands at byte " + text_of_values(values) + ".";
  }
  return "Entries stand at other places; the first " + grouped(compared_entries) + " do not.";
}

constexpr std::string_view mistaken_stride =
    "Open MPI takes the stride of -1 byte for the extent of a block: its blocks follow each other, where each should "
    "begin a byte before the last.";

}  // namespace

Portability compare_rules(const FindingSources& sources, DefinitionId id) {
  Portability result;
  const ConstructorCall& call = sources.layouts.store()[id].call;
  if (call.combiner == Combiner::named) return result;
  std::array<ObservedBounds, std::size(bounds_models)> answers;
  for (const BoundsModel model : bounds_models) {
    answers[static_cast<std::size_t>(model)] = as_answered(sources.rules[model].bounds(id));
  }
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
    if (is_mistaken) result.reasons.emplace_back(mistaken_stride);
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
