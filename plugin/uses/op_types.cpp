#include "plugin/uses/op_types.h"

#include <algorithm>

#include "decoder/definition/basic_type.h"

namespace ddtscope::plugin {
namespace {

/// The groups of MPI-4.1 6.9.2, one bit each, and what stands in none of them.
enum Group : std::uint16_t {
  none = 0,
  c_integer = 1,
  fortran_integer = 2,
  floating_point = 4,
  logical_type = 8,
  complex_type = 16,
  byte = 32,
  multi_language = 64,
  pair = 128,
  like_c_integer = 256,  // of their kind and size, but not in the group
  unknown = 512
};

struct Row {
  std::string_view names;  // with blanks around each
  Group group;
};
constexpr Row rows[] = {
    {" INT LONG SHORT UNSIGNED_SHORT UNSIGNED UNSIGNED_LONG LONG_LONG_INT UNSIGNED_LONG_LONG SIGNED_CHAR UNSIGNED_CHAR "
     "INT8_T INT16_T INT32_T INT64_T UINT8_T UINT16_T UINT32_T UINT64_T ",
     c_integer},
    {" INTEGER INTEGER1 INTEGER2 INTEGER4 INTEGER8 INTEGER16 ", fortran_integer},
    {" FLOAT DOUBLE REAL DOUBLE_PRECISION LONG_DOUBLE REAL2 REAL4 REAL8 REAL16 ", floating_point},
    {" LOGICAL C_BOOL CXX_BOOL LOGICAL1 LOGICAL2 LOGICAL4 LOGICAL8 LOGICAL16 ", logical_type},
    {" COMPLEX C_COMPLEX C_DOUBLE_COMPLEX C_LONG_DOUBLE_COMPLEX CXX_FLOAT_COMPLEX CXX_DOUBLE_COMPLEX "
     "CXX_LONG_DOUBLE_COMPLEX DOUBLE_COMPLEX COMPLEX4 COMPLEX8 COMPLEX16 COMPLEX32 ",
     complex_type},
    {" BYTE ", byte},
    {" AINT OFFSET COUNT ", multi_language},
    {" CHAR ", like_c_integer},
    {" WCHAR CHARACTER PACKED ", none},
};

Group group_of(std::string_view type) {
  const PredefinedName* const known = find_predefined_name(type);
  constexpr std::string_view prefix = "MPI_";
  if (known == nullptr || !type.starts_with(prefix)) return unknown;  // the library's own
  if (known->kind == PredefinedKind::pair) return pair;
  const std::string word = " " + std::string(known->canonical.substr(prefix.size())) + " ";
  for (const Row& row : rows) {
    if (row.names.find(word) != row.names.npos) return row.group;
  }
  return unknown;
}

/// The types that an operation is defined for, and those that are the same in memory.
struct Domain {
  int right;
  int alike;
};
Domain domain_of(OpKind op) {
  switch (op) {
    case OpKind::extremum:
      return {c_integer | fortran_integer | floating_point | multi_language, like_c_integer};
    case OpKind::arithmetic:
      return {c_integer | fortran_integer | floating_point | complex_type | multi_language, like_c_integer};
    case OpKind::logical:
      return {c_integer | logical_type, fortran_integer | multi_language | like_c_integer};
    case OpKind::bitwise:
      return {c_integer | fortran_integer | byte | multi_language, like_c_integer};
    case OpKind::location:
      return {pair, none};
    case OpKind::replacement:
      break;
  }
  return {0xFFFF, none};
}

}  // namespace

std::optional<Severity> misfit(OpKind op, std::string_view type) {
  const Group group = group_of(type);
  const Domain domain = domain_of(op);
  if (group == unknown || (domain.right & group) != 0 || op == OpKind::replacement) return std::nullopt;
  return (domain.alike & group) != 0 ? Severity::warning : Severity::error;
}

const PredefinedOp* OpTypes::find(HandleBits op) const {
  const auto found =
      std::find_if(ops_.begin(), ops_.end(), [&](const PredefinedOp& known) { return known.handle == op; });
  return found != ops_.end() ? &*found : nullptr;
}

}  // namespace ddtscope::plugin
