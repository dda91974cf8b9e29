// The names of MPI's predefined datatypes, synonyms folded, and the table of those that a job uses.
#include "decoder/definition/basic_type.h"

#include <algorithm>
#include <iterator>

namespace ddtscope {
namespace {

constexpr PredefinedName basic(std::string_view name) { return {name, name, PredefinedKind::basic, {}, {}}; }
constexpr PredefinedName synonym(std::string_view name, std::string_view canonical) {
  return {name, canonical, PredefinedKind::basic, {}, {}};
}
constexpr PredefinedName pair(std::string_view name, std::string_view first, std::string_view second) {
  return {name, name, PredefinedKind::pair, first, second};
}

// In the order of MPI-4.1 Annex A.1; then what only the libraries have.
constexpr PredefinedName names[] = {
    basic("MPI_CHAR"),
    basic("MPI_SHORT"),
    basic("MPI_INT"),
    basic("MPI_LONG"),
    basic("MPI_LONG_LONG_INT"),
    synonym("MPI_LONG_LONG", "MPI_LONG_LONG_INT"),
    basic("MPI_SIGNED_CHAR"),
    basic("MPI_UNSIGNED_CHAR"),
    basic("MPI_UNSIGNED_SHORT"),
    basic("MPI_UNSIGNED"),
    basic("MPI_UNSIGNED_LONG"),
    basic("MPI_UNSIGNED_LONG_LONG"),
    basic("MPI_FLOAT"),
    basic("MPI_DOUBLE"),
    basic("MPI_LONG_DOUBLE"),
    basic("MPI_WCHAR"),
    basic("MPI_C_BOOL"),
    basic("MPI_INT8_T"),
    basic("MPI_INT16_T"),
    basic("MPI_INT32_T"),
    basic("MPI_INT64_T"),
    basic("MPI_UINT8_T"),
    basic("MPI_UINT16_T"),
    basic("MPI_UINT32_T"),
    basic("MPI_UINT64_T"),
    basic("MPI_AINT"),
    basic("MPI_COUNT"),
    basic("MPI_OFFSET"),
    basic("MPI_C_COMPLEX"),
    synonym("MPI_C_FLOAT_COMPLEX", "MPI_C_COMPLEX"),
    basic("MPI_C_DOUBLE_COMPLEX"),
    basic("MPI_C_LONG_DOUBLE_COMPLEX"),
    basic("MPI_BYTE"),
    basic("MPI_PACKED"),
    basic("MPI_CXX_BOOL"),
    basic("MPI_CXX_FLOAT_COMPLEX"),
    basic("MPI_CXX_DOUBLE_COMPLEX"),
    basic("MPI_CXX_LONG_DOUBLE_COMPLEX"),
    basic("MPI_INTEGER"),
    basic("MPI_REAL"),
    basic("MPI_DOUBLE_PRECISION"),
    basic("MPI_COMPLEX"),
    basic("MPI_LOGICAL"),
    basic("MPI_CHARACTER"),
    basic("MPI_DOUBLE_COMPLEX"),
    basic("MPI_INTEGER1"),
    basic("MPI_INTEGER2"),
    basic("MPI_INTEGER4"),
    basic("MPI_INTEGER8"),
    basic("MPI_INTEGER16"),
    basic("MPI_REAL2"),
    basic("MPI_REAL4"),
    basic("MPI_REAL8"),
    basic("MPI_REAL16"),
    basic("MPI_COMPLEX4"),
    basic("MPI_COMPLEX8"),
    basic("MPI_COMPLEX16"),
    basic("MPI_COMPLEX32"),
    pair("MPI_FLOAT_INT", "MPI_FLOAT", "MPI_INT"),
    pair("MPI_DOUBLE_INT", "MPI_DOUBLE", "MPI_INT"),
    pair("MPI_LONG_INT", "MPI_LONG", "MPI_INT"),
    pair("MPI_2INT", "MPI_INT", "MPI_INT"),
    pair("MPI_SHORT_INT", "MPI_SHORT", "MPI_INT"),
    pair("MPI_LONG_DOUBLE_INT", "MPI_LONG_DOUBLE", "MPI_INT"),
    pair("MPI_2REAL", "MPI_REAL", "MPI_REAL"),
    pair("MPI_2DOUBLE_PRECISION", "MPI_DOUBLE_PRECISION", "MPI_DOUBLE_PRECISION"),
    pair("MPI_2INTEGER", "MPI_INTEGER", "MPI_INTEGER"),
    basic("MPI_LOGICAL1"),
    basic("MPI_LOGICAL2"),
    basic("MPI_LOGICAL4"),
    basic("MPI_LOGICAL8"),
    basic("MPI_LOGICAL16"),
    pair("MPI_2COMPLEX", "MPI_COMPLEX", "MPI_COMPLEX"),
    pair("MPI_2DOUBLE_COMPLEX", "MPI_DOUBLE_COMPLEX", "MPI_DOUBLE_COMPLEX"),
    {"MPI_LB", "MPI_LB", PredefinedKind::lb_marker, {}, {}},
    {"MPI_UB", "MPI_UB", PredefinedKind::ub_marker, {}, {}},
};

std::string canonical(std::string_view name) {
  const PredefinedName* known = find_predefined_name(name);
  return std::string(known != nullptr ? known->canonical : name);
}

}  // namespace

const std::vector<PredefinedName>& predefined_names() {
  static const std::vector<PredefinedName> all(std::begin(names), std::end(names));
  return all;
}

const PredefinedName* find_predefined_name(std::string_view name) {
  static const auto index = [] {
    std::unordered_map<std::string_view, const PredefinedName*> result;
    for (const PredefinedName& known : names) result.emplace(known.name, &known);
    return result;
  }();
  const auto found = index.find(name);
  return found == index.end() ? nullptr : found->second;
}

std::int64_t natural_alignment(std::string_view canonical_name, std::int64_t size) {
  if (canonical_name.find("COMPLEX") != std::string_view::npos) size /= 2;
  if (size <= 0) return 1;
  return std::min<std::int64_t>(size & -size, 16);
}

PredefinedType described_predefined(std::string_view name, std::int64_t size, std::int64_t extent,
                                    const std::function<std::int64_t(std::string_view)>& size_of) {
  const PredefinedName* known = find_predefined_name(name);
  PredefinedType type;
  type.name = known != nullptr ? known->canonical : name;  // a library's own types are basic
  type.kind = known != nullptr ? known->kind : PredefinedKind::basic;
  type.size = size;
  type.extent = extent;
  type.alignment = natural_alignment(type.name, size);
  if (type.kind == PredefinedKind::pair) {
    type.first = known->first;
    type.second = known->second;
    const std::int64_t first_size = size_of(type.first);
    const std::int64_t second_alignment = natural_alignment(type.second, size_of(type.second));
    type.second_displacement = (first_size + second_alignment - 1) / second_alignment * second_alignment;
    type.alignment = std::max(natural_alignment(type.first, first_size), second_alignment);
  }
  return type;
}

PredefinedId PredefinedTable::add(const PredefinedType& type) {
  std::string name = canonical(type.name);
  const auto [found, is_new] = ids_.try_emplace(name, PredefinedId{static_cast<std::uint32_t>(types_.size())});
  if (is_new) {
    types_.push_back(type);
    types_.back().name = std::move(name);
    types_.back().first = canonical(type.first);
    types_.back().second = canonical(type.second);
  }
  return found->second;
}

std::optional<PredefinedId> PredefinedTable::find(std::string_view name) const {
  const auto found = ids_.find(canonical(name));
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

}  // namespace ddtscope
