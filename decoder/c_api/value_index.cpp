// The pair types of MPI_MINLOC and MPI_MAXLOC (MPI-4.1 6.9.4).
#include <algorithm>
#include <optional>
#include <string_view>

#include "decoder/c_api/context.h"
#include "decoder/definition/basic_type.h"

using namespace ddtscope;
using namespace ddtscope::c_api;

namespace {

enum class Family { integer, floating_point, other };

/// The groups of MPI-4.1 6.9.2 for which MPI_MIN and MPI_MAX are defined; types of both languages are integers.
Family family_of(std::string_view name) {
  static constexpr std::string_view integers[] = {
      "MPI_INT",         "MPI_LONG",          "MPI_SHORT",         "MPI_UNSIGNED_SHORT",
      "MPI_UNSIGNED",    "MPI_UNSIGNED_LONG", "MPI_LONG_LONG_INT", "MPI_UNSIGNED_LONG_LONG",
      "MPI_SIGNED_CHAR", "MPI_UNSIGNED_CHAR", "MPI_INT8_T",        "MPI_INT16_T",
      "MPI_INT32_T",     "MPI_INT64_T",       "MPI_UINT8_T",       "MPI_UINT16_T",
      "MPI_UINT32_T",    "MPI_UINT64_T",      "MPI_INTEGER",       "MPI_INTEGER1",
      "MPI_INTEGER2",    "MPI_INTEGER4",      "MPI_INTEGER8",      "MPI_INTEGER16",
      "MPI_AINT",        "MPI_OFFSET",        "MPI_COUNT"};
  static constexpr std::string_view floating_point[] = {
      "MPI_FLOAT", "MPI_DOUBLE", "MPI_LONG_DOUBLE", "MPI_REAL",  "MPI_DOUBLE_PRECISION",
      "MPI_REAL2", "MPI_REAL4",  "MPI_REAL8",       "MPI_REAL16"};
  if (std::find(std::begin(integers), std::end(integers), name) != std::end(integers)) return Family::integer;
  if (std::find(std::begin(floating_point), std::end(floating_point), name) != std::end(floating_point)) {
    return Family::floating_point;
  }
  return Family::other;
}

Family family_of(const DefinitionStore& store, DefinitionId id) {
  switch (store[id].call.combiner) {
    case Combiner::named:
      return family_of(store.predefined()[store[id].predefined].name);
    case Combiner::f90_integer:
      return Family::integer;
    case Combiner::f90_real:
      return Family::floating_point;
    default:
      return Family::other;
  }
}

/// "MPI_DOUBLE_INT"; empty where the standard names no pair of the two.
std::string_view named_pair(const DefinitionStore& store, DefinitionId value, DefinitionId index) {
  if (!store[value].predefined.valid() || !store[index].predefined.valid()) return {};
  const std::string& first = store.predefined()[store[value].predefined].name;
  const std::string& second = store.predefined()[store[index].predefined].name;
  for (const PredefinedName& known : predefined_names()) {
    if (known.kind == PredefinedKind::pair && known.first == first && known.second == second) return known.name;
  }
  return {};
}

Status value_index(ddtscope_context& context, ddtscope_datatype value_type, ddtscope_datatype index_type,
                   ddtscope_datatype* pair_type) {
  DefinitionId value, index;
  if (Status status = context.resolve(value_type, "value_type", value); status.failed()) return status;
  if (Status status = context.resolve(index_type, "index_type", index); status.failed()) return status;
  if (Status status = require(pair_type, "pair_type"); status.failed()) return status;
  const DefinitionStore& store = context.store();
  // What libraries name beside the standard's pairs are pairs of complex values, for which there is no least.
  if (family_of(store, value) == Family::other) {
    *pair_type = DDTSCOPE_DATATYPE_NULL;
    return {};
  }
  if (const std::string_view name = named_pair(store, value, index); !name.empty()) {
    const std::optional<DefinitionId> pair = context.predefined(name);
    *pair_type = pair ? context.handle(*pair) : DDTSCOPE_DATATYPE_NULL;
    return {};
  }
  if (family_of(store, index) != Family::integer) {
    *pair_type = DDTSCOPE_DATATYPE_NULL;
    return {};
  }
  const ddtscope_datatype types[] = {value_type, index_type};
  return context.construct({Combiner::value_index, Form::int_counts, {}, {}, types, pair_type});
}

}  // namespace

int ddtscope_type_get_value_index(ddtscope_context* context, ddtscope_datatype value_type, ddtscope_datatype index_type,
                                  ddtscope_datatype* pair_type) {
  return call(__func__, context,
              [&](ddtscope_context& c) { return value_index(c, value_type, index_type, pair_type); });
}
