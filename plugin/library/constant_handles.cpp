#include "plugin/library/constant_handles.h"

#include <array>

namespace ddtscope::plugin {
namespace {

#define DDTSCOPE_PREDEFINED(name) \
  { #name, name }
#define DDTSCOPE_PREDEFINED_SINCE(version, name) \
  { #name, name, version }
const PredefinedConstant predefined_constants[] = {
    DDTSCOPE_PREDEFINED(MPI_2DOUBLE_PRECISION),
    DDTSCOPE_PREDEFINED(MPI_2INT),
    DDTSCOPE_PREDEFINED(MPI_2INTEGER),
    DDTSCOPE_PREDEFINED(MPI_2REAL),
    DDTSCOPE_PREDEFINED(MPI_AINT),
    DDTSCOPE_PREDEFINED(MPI_BYTE),
    DDTSCOPE_PREDEFINED(MPI_CHAR),
    DDTSCOPE_PREDEFINED(MPI_CHARACTER),
    DDTSCOPE_PREDEFINED(MPI_COMPLEX),
    DDTSCOPE_PREDEFINED(MPI_COMPLEX16),
    DDTSCOPE_PREDEFINED(MPI_COMPLEX32),
    DDTSCOPE_PREDEFINED(MPI_COMPLEX8),
    DDTSCOPE_PREDEFINED(MPI_COUNT),
    DDTSCOPE_PREDEFINED(MPI_CXX_BOOL),
    DDTSCOPE_PREDEFINED(MPI_CXX_DOUBLE_COMPLEX),
    DDTSCOPE_PREDEFINED(MPI_CXX_FLOAT_COMPLEX),
    DDTSCOPE_PREDEFINED(MPI_CXX_LONG_DOUBLE_COMPLEX),
    DDTSCOPE_PREDEFINED(MPI_C_BOOL),
    DDTSCOPE_PREDEFINED(MPI_C_COMPLEX),
    DDTSCOPE_PREDEFINED(MPI_C_DOUBLE_COMPLEX),
    DDTSCOPE_PREDEFINED(MPI_C_FLOAT_COMPLEX),
    DDTSCOPE_PREDEFINED(MPI_C_LONG_DOUBLE_COMPLEX),
    DDTSCOPE_PREDEFINED(MPI_DOUBLE),
    DDTSCOPE_PREDEFINED(MPI_DOUBLE_COMPLEX),
    DDTSCOPE_PREDEFINED(MPI_DOUBLE_INT),
    DDTSCOPE_PREDEFINED(MPI_DOUBLE_PRECISION),
    DDTSCOPE_PREDEFINED(MPI_FLOAT),
    DDTSCOPE_PREDEFINED(MPI_FLOAT_INT),
    DDTSCOPE_PREDEFINED(MPI_INT),
    DDTSCOPE_PREDEFINED(MPI_INT16_T),
    DDTSCOPE_PREDEFINED(MPI_INT32_T),
    DDTSCOPE_PREDEFINED(MPI_INT64_T),
    DDTSCOPE_PREDEFINED(MPI_INT8_T),
    DDTSCOPE_PREDEFINED(MPI_INTEGER),
    DDTSCOPE_PREDEFINED(MPI_INTEGER1),
    DDTSCOPE_PREDEFINED_SINCE(5, MPI_INTEGER16),
    DDTSCOPE_PREDEFINED(MPI_INTEGER2),
    DDTSCOPE_PREDEFINED(MPI_INTEGER4),
    DDTSCOPE_PREDEFINED(MPI_INTEGER8),
#ifdef MPI_LB
    DDTSCOPE_PREDEFINED(MPI_LB),
#endif
    DDTSCOPE_PREDEFINED(MPI_LOGICAL),
    DDTSCOPE_PREDEFINED(MPI_LONG),
    DDTSCOPE_PREDEFINED(MPI_LONG_DOUBLE),
    DDTSCOPE_PREDEFINED(MPI_LONG_DOUBLE_INT),
    DDTSCOPE_PREDEFINED(MPI_LONG_INT),
    DDTSCOPE_PREDEFINED(MPI_LONG_LONG_INT),
    DDTSCOPE_PREDEFINED(MPI_OFFSET),
    DDTSCOPE_PREDEFINED(MPI_PACKED),
    DDTSCOPE_PREDEFINED(MPI_REAL),
    DDTSCOPE_PREDEFINED(MPI_REAL16),
    DDTSCOPE_PREDEFINED(MPI_REAL4),
    DDTSCOPE_PREDEFINED(MPI_REAL8),
    DDTSCOPE_PREDEFINED(MPI_SHORT),
    DDTSCOPE_PREDEFINED(MPI_SHORT_INT),
    DDTSCOPE_PREDEFINED(MPI_SIGNED_CHAR),
#ifdef MPI_UB
    DDTSCOPE_PREDEFINED(MPI_UB),
#endif
    DDTSCOPE_PREDEFINED(MPI_UINT16_T),
    DDTSCOPE_PREDEFINED(MPI_UINT32_T),
    DDTSCOPE_PREDEFINED(MPI_UINT64_T),
    DDTSCOPE_PREDEFINED(MPI_UINT8_T),
    DDTSCOPE_PREDEFINED(MPI_UNSIGNED),
    DDTSCOPE_PREDEFINED(MPI_UNSIGNED_CHAR),
    DDTSCOPE_PREDEFINED(MPI_UNSIGNED_LONG),
    DDTSCOPE_PREDEFINED(MPI_UNSIGNED_LONG_LONG),
    DDTSCOPE_PREDEFINED(MPI_UNSIGNED_SHORT),
    DDTSCOPE_PREDEFINED(MPI_WCHAR),
#ifdef MPIX_C_FLOAT16
    DDTSCOPE_PREDEFINED(MPIX_C_FLOAT16),
#endif
#ifdef MPI_LOGICAL1
    DDTSCOPE_PREDEFINED_SINCE(5, MPI_LOGICAL1),
    DDTSCOPE_PREDEFINED_SINCE(5, MPI_LOGICAL2),
    DDTSCOPE_PREDEFINED_SINCE(5, MPI_LOGICAL4),
    DDTSCOPE_PREDEFINED_SINCE(5, MPI_LOGICAL8),
    DDTSCOPE_PREDEFINED_SINCE(5, MPI_LOGICAL16),
#endif
#ifdef MPI_REAL2
    DDTSCOPE_PREDEFINED_SINCE(5, MPI_REAL2),
    DDTSCOPE_PREDEFINED_SINCE(5, MPI_COMPLEX4),
#endif
#ifdef MPIX_BFLOAT16
    DDTSCOPE_PREDEFINED_SINCE(5, MPIX_BFLOAT16),
#endif
};
#undef DDTSCOPE_PREDEFINED
#undef DDTSCOPE_PREDEFINED_SINCE

}  // namespace

std::span<const std::string_view> predefined_handle_names() {
  static const auto names = [] {
    std::array<std::string_view, std::size(predefined_constants)> result;
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = predefined_constants[i].name;
    return result;
  }();
  return names;
}

std::optional<MPI_Datatype> predefined_handle(std::string_view name) {
  for (const PredefinedConstant& constant : predefined_constants) {
    if (constant.name == name) return can_be_asked_about(constant) ? std::optional(constant.handle) : std::nullopt;
  }
  return std::nullopt;
}

MPI_Datatype null_datatype() { return MPI_DATATYPE_NULL; }
MPI_Comm self_communicator() { return MPI_COMM_SELF; }
MPI_Errhandler errors_return() { return MPI_ERRORS_RETURN; }
MPI_Op bitwise_or_operation() { return MPI_BOR; }
MPI_Op no_operation() { return MPI_NO_OP; }
std::vector<PredefinedOp> predefined_operations() {
  return {{bits_of(MPI_MAX), "MPI_MAX", OpKind::extremum},
          {bits_of(MPI_MIN), "MPI_MIN", OpKind::extremum},
          {bits_of(MPI_SUM), "MPI_SUM", OpKind::arithmetic},
          {bits_of(MPI_PROD), "MPI_PROD", OpKind::arithmetic},
          {bits_of(MPI_LAND), "MPI_LAND", OpKind::logical},
          {bits_of(MPI_LOR), "MPI_LOR", OpKind::logical},
          {bits_of(MPI_LXOR), "MPI_LXOR", OpKind::logical},
          {bits_of(MPI_BAND), "MPI_BAND", OpKind::bitwise},
          {bits_of(MPI_BOR), "MPI_BOR", OpKind::bitwise},
          {bits_of(MPI_BXOR), "MPI_BXOR", OpKind::bitwise},
          {bits_of(MPI_MAXLOC), "MPI_MAXLOC", OpKind::location},
          {bits_of(MPI_MINLOC), "MPI_MINLOC", OpKind::location},
          {bits_of(MPI_REPLACE), "MPI_REPLACE", OpKind::replacement},
          {bits_of(MPI_NO_OP), "MPI_NO_OP", OpKind::replacement}};
}
MPI_Message no_message() { return MPI_MESSAGE_NO_PROC; }
MPI_Comm world_communicator() { return MPI_COMM_WORLD; }

}  // namespace ddtscope::plugin
