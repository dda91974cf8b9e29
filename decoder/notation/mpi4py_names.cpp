#include "decoder/notation/mpi4py_names.h"

#include <algorithm>
#include <iterator>

namespace ddtscope {
namespace {

struct OtherName {
  std::string_view mpi4py, standard;
};
// Those that are not the standard's without "MPI_"; the first of each standard name is written.
constexpr OtherName other_names[] = {
    {"TWOINT", "MPI_2INT"},
    {"INT_INT", "MPI_2INT"},
    {"LONG_LONG", "MPI_LONG_LONG_INT"},
    {"UNSIGNED_INT", "MPI_UNSIGNED"},
    {"SIGNED_SHORT", "MPI_SHORT"},
    {"SIGNED_INT", "MPI_INT"},
    {"SIGNED_LONG", "MPI_LONG"},
    {"SIGNED_LONG_LONG", "MPI_LONG_LONG_INT"},
    {"BOOL", "MPI_C_BOOL"},
    {"SINT8_T", "MPI_INT8_T"},
    {"SINT16_T", "MPI_INT16_T"},
    {"SINT32_T", "MPI_INT32_T"},
    {"SINT64_T", "MPI_INT64_T"},
    {"F_INT", "MPI_INTEGER"},
    {"F_BOOL", "MPI_LOGICAL"},
    {"F_FLOAT", "MPI_REAL"},
    {"F_DOUBLE", "MPI_DOUBLE_PRECISION"},
    {"F_COMPLEX", "MPI_COMPLEX"},
    {"F_FLOAT_COMPLEX", "MPI_COMPLEX"},
    {"F_DOUBLE_COMPLEX", "MPI_DOUBLE_COMPLEX"},
};
/// What mpi4py is made without.
constexpr std::string_view without_name[] = {
    "MPI_2REAL", "MPI_2DOUBLE_PRECISION", "MPI_2INTEGER", "MPI_2COMPLEX", "MPI_2DOUBLE_COMPLEX", "MPI_LOGICAL16",
};

}  // namespace

std::string mpi4py_method(Combiner combiner) {
  constexpr std::string_view type = "MPI_Type_", create = "create_";
  std::string_view rest = row_of(combiner).constructor;
  if (!rest.starts_with(type)) return {};
  rest.remove_prefix(type.size());
  if (combiner == Combiner::dup) return "Dup";
  if (combiner == Combiner::value_index) return "Get_value_index";
  if (rest.starts_with(create)) rest.remove_prefix(create.size());
  return "Create_" + std::string(rest);
}

std::optional<Combiner> combiner_of_mpi4py_method(std::string_view method) {
  if (method == "Create_dup") return Combiner::dup;
  for (int i = 1; i < combiner_count; ++i) {
    if (mpi4py_method(static_cast<Combiner>(i)) == method) return static_cast<Combiner>(i);
  }
  return std::nullopt;
}

std::string standard_name_of_mpi4py(std::string_view name) {
  for (const OtherName& other : other_names) {
    if (other.mpi4py == name) return std::string(other.standard);
  }
  return "MPI_" + std::string(name);
}

bool is_mpi4py_parameter(std::string_view name, std::string_view standard_name) {
  if (standard_name == "array_of_types") return name == "datatypes";
  return "array_of_" + std::string(name) == standard_name;
}

std::optional<std::string> mpi4py_type(std::string_view canonical_name) {
  if (std::find(std::begin(without_name), std::end(without_name), canonical_name) != std::end(without_name)) {
    return std::nullopt;
  }
  if (canonical_name == "MPI_2INT") return "TWOINT";
  if (canonical_name == "MPI_LONG_LONG_INT") return "LONG_LONG";
  if (!canonical_name.starts_with("MPI_")) return std::nullopt;
  return std::string(canonical_name.substr(4));
}

}  // namespace ddtscope
