// Our answers beside the library's.
#include "plugin/registry/verify.h"

#include <algorithm>
#include <string>

namespace ddtscope::plugin {
namespace {

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
                    const std::vector<std::int64_t>& library, std::vector<DifferenceRecord>& differences) {
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

std::vector<DifferenceRecord> compare_contents(const DefinitionStore& store, DefinitionId id,
                                               const LibraryAnswers& answers, const KnownHandles& known) {
  const DecodedType& decoded = *answers.decoded;
  const Contents contents = contents_of(store[id].call);
  std::vector<DifferenceRecord> found;
  compare_arrays("integers", contents.integers, decoded.integers, found);
  compare_arrays("addresses", contents.addresses, decoded.addresses, found);
  compare_arrays("large_counts", contents.large_counts, decoded.large_counts, found);
  // Where the numbers of datatypes differ, the envelopes do, which is reported.
  for (std::size_t i = 0; i < decoded.datatypes.size() && i < contents.datatypes.size(); ++i) {
    const std::optional<DefinitionId> same = known(decoded.datatypes[i]);
    const DefinitionId child = contents.datatypes[i];
    // A handle that the library made for us is compared by what it decodes to.
    const bool agrees = same ? *same == child : answers.children[i] == envelope_of(store[child].call);
    if (agrees) continue;
    const std::string at = "datatypes[" + std::to_string(i) + "]: ";
    const std::string theirs = same ? describe(store, *same) : "another type";
    found.push_back({"contents", json_string(at + describe(store, child)), json_string(at + theirs)});
  }
  return found;
}

void compare_bounds(const Layouts& layouts, DefinitionId id, std::vector<DifferenceRecord>& found) {
  const Bounds& computed = layouts.computed(id);
  const ObservedBounds observed = layouts.observed(id).value_or(ObservedBounds{});
  const auto compare = [&](const char* subject, Exact mine, std::optional<std::int64_t> theirs) {
    if (mine.to_int64() == theirs) return;
    found.push_back({subject, json_of(mine.to_int64()), json_of(theirs)});
  };
  compare("size", computed.size, observed.size);
  compare("lb", computed.lb, observed.lb);
  compare("extent", computed.extent, observed.extent);
  compare("true_lb", computed.true_lb, observed.true_lb);
  compare("true_extent", computed.true_extent, observed.true_extent);
}

}  // namespace

LibraryAnswers ask_library(HandleBits handle, LibraryQueries& library) {
  LibraryAnswers answers;
  answers.decoded = library.decode(handle, answers.problem);
  if (!answers.decoded) return answers;
  for (const HandleBits child : answers.decoded->datatypes) answers.children.push_back(library.envelope(child));
  return answers;
}

void give_back(const LibraryAnswers& answers, LibraryQueries& library) {
  for (std::size_t i = 0; i < answers.children.size(); ++i) {
    const Combiner combiner = answers.children[i].value_or(Envelope{}).combiner;
    const bool is_predefined = combiner == Combiner::named || is_unnamed_predefined(combiner);
    if (!is_predefined) library.release(answers.decoded->datatypes[i]);
  }
}

std::vector<DifferenceRecord> differences(const Layouts& layouts, DefinitionId id, const LibraryAnswers& answers,
                                          const KnownHandles& known) {
  std::vector<DifferenceRecord> found;
  const DefinitionStore& store = layouts.store();
  if (!answers.decoded) {
    found.push_back({"error", "null", json_string(answers.problem)});
  } else {
    const Envelope envelope = envelope_of(store[id].call);
    if (envelope != answers.decoded->envelope)
      found.push_back({"envelope", json_of(envelope), json_of(answers.decoded->envelope)});
    const std::vector<DifferenceRecord> of_contents = compare_contents(store, id, answers, known);
    found.insert(found.end(), of_contents.begin(), of_contents.end());
  }
  compare_bounds(layouts, id, found);
  return found;
}

}  // namespace ddtscope::plugin
