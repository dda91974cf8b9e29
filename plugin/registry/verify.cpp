// Our answers beside the library's.
#include "plugin/registry/verify.h"

#include <algorithm>
#include <string>

namespace ddtscope::plugin {
namespace {

using trace::Difference;
using trace::JsonLine;

std::string json_of(const Envelope& envelope) {
  JsonLine line;
  line.begin_object().key("combiner").string(row_of(envelope.combiner).mpi_name);
  line.key("num_integers").integer(envelope.num_integers).key("num_addresses").integer(envelope.num_addresses);
  line.key("num_large_counts").integer(envelope.num_large_counts).key("num_datatypes").integer(envelope.num_datatypes);
  line.end_object();
  return std::string(line.text());
}

/// The part of an array that shows where two of them part, so that a long one does not fill the trace.
std::string json_of(const std::vector<std::int64_t>& values, std::size_t first_different) {
  constexpr std::size_t shown = 8;
  JsonLine line;
  line.begin_object().key("length").integer(static_cast<std::int64_t>(values.size()));
  line.key("from").integer(static_cast<std::int64_t>(first_different)).key("values").begin_array();
  for (std::size_t i = first_different; i < values.size() && i < first_different + shown; ++i) line.integer(values[i]);
  line.end_array().end_object();
  return std::string(line.text());
}

std::string json_of(std::optional<std::int64_t> value) {
  JsonLine line;
  value ? line.integer(*value) : line.null();
  return std::string(line.text());
}

std::string json_string(std::string_view text) {
  JsonLine line;
  line.string(text);
  return std::string(line.text());
}

void compare_arrays(std::string_view array, const std::vector<std::int64_t>& computed,
                    const std::vector<std::int64_t>& library, std::vector<Difference>& differences) {
  const auto [mine, theirs] = std::mismatch(computed.begin(), computed.end(), library.begin(), library.end());
  if (mine == computed.end() && theirs == library.end()) return;
  const auto at = static_cast<std::size_t>(mine - computed.begin());
  const auto value = [&](const std::vector<std::int64_t>& values) {
    return "{\"" + std::string(array) + "\":" + json_of(values, at) + "}";
  };
  differences.push_back({"contents", value(computed), value(library)});
}

std::string describe(const DefinitionStore& store, DefinitionId id) {
  const Definition& definition = store[id];
  if (definition.predefined.valid()) return store.predefined()[definition.predefined].name;
  return "definition " + key_text(definition.key);
}

void compare_contents(const DefinitionStore& store, DefinitionId id, const DecodedType& decoded,
                      LibraryQueries& library, const KnownHandles& known, std::vector<Difference>& differences) {
  const Contents contents = contents_of(store[id].call);
  compare_arrays("integers", contents.integers, decoded.integers, differences);
  compare_arrays("addresses", contents.addresses, decoded.addresses, differences);
  compare_arrays("large_counts", contents.large_counts, decoded.large_counts, differences);
  for (std::size_t i = 0; i < decoded.datatypes.size(); ++i) {
    const HandleBits handle = decoded.datatypes[i];
    const std::optional<DefinitionId> same = known(handle);
    const std::string theirs = same ? describe(store, *same) : "another type";
    if (i >= contents.datatypes.size()) continue;  // the envelope differs, which is reported
    const DefinitionId child = contents.datatypes[i];
    // A handle that the library made for us is compared by what it decodes to.
    const bool agrees = same ? *same == child : library.envelope(handle) == envelope_of(store[child].call);
    if (!agrees) {
      const std::string at = "datatypes[" + std::to_string(i) + "]: ";
      differences.push_back({"contents", json_string(at + describe(store, child)), json_string(at + theirs)});
    }
  }
  for (const HandleBits handle : decoded.datatypes) {
    const std::optional<DefinitionId> same = known(handle);
    const Combiner combiner =
        same ? store[*same].call.combiner : library.envelope(handle).value_or(Envelope{}).combiner;
    const bool is_predefined = combiner == Combiner::named || is_unnamed_predefined(combiner);
    if (!is_predefined) library.release(handle);
  }
}

}  // namespace

std::vector<Difference> verify(const Layouts& layouts, DefinitionId id, HandleBits handle, LibraryQueries& library,
                               const KnownHandles& known) {
  std::vector<Difference> differences;
  const DefinitionStore& store = layouts.store();
  std::string problem;
  if (const std::optional<DecodedType> decoded = library.decode(handle, problem)) {
    const Envelope envelope = envelope_of(store[id].call);
    if (envelope != decoded->envelope)
      differences.push_back({"envelope", json_of(envelope), json_of(decoded->envelope)});
    compare_contents(store, id, *decoded, library, known, differences);
  } else {
    differences.push_back({"error", "null", json_string(problem)});
  }

  const Bounds& computed = layouts.computed(id);
  const ObservedBounds observed = layouts.observed(id).value_or(ObservedBounds{});
  const auto compare = [&](const char* subject, Exact mine, std::optional<std::int64_t> theirs) {
    if (mine.to_int64() == theirs) return;
    differences.push_back({subject, json_of(mine.to_int64()), json_of(theirs)});
  };
  compare("size", computed.size, observed.size);
  compare("lb", computed.lb, observed.lb);
  compare("extent", computed.extent, observed.extent);
  compare("true_lb", computed.true_lb, observed.true_lb);
  compare("true_extent", computed.true_extent, observed.true_extent);
  return differences;
}

}  // namespace ddtscope::plugin
