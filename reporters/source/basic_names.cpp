#include "reporters/source/basic_names.h"

#include <algorithm>
#include <iterator>

namespace ddtscope::reporters {
namespace {

std::string_view integer_of_c(const BuiltIn& type) {
  const bool is_signed = type.kind == ScalarKind::signed_integer;
  if (has_words(type.name, "wchar_t")) return "MPI_WCHAR";
  if (has_words(type.name, "char16_t")) return "MPI_UINT16_T";
  if (has_words(type.name, "char32_t")) return "MPI_UINT32_T";
  switch (type.size) {
    case 1:
      return is_signed ? "MPI_INT8_T" : "MPI_UINT8_T";
    case 2:
      return is_signed ? "MPI_SHORT" : "MPI_UNSIGNED_SHORT";
    case 4:
      if (has_words(type.name, "long")) return is_signed ? "MPI_LONG" : "MPI_UNSIGNED_LONG";  // where long has 32 bits
      return is_signed ? "MPI_INT" : "MPI_UNSIGNED";
    case 8:
      if (has_words(type.name, "long long")) return is_signed ? "MPI_LONG_LONG" : "MPI_UNSIGNED_LONG_LONG";
      return is_signed ? "MPI_LONG" : "MPI_UNSIGNED_LONG";
    default:
      return {};
  }
}

std::string_view character_of_c(const BuiltIn& type) {
  if (type.size != 1) return {};
  if (has_words(type.name, "unsigned")) return "MPI_UNSIGNED_CHAR";
  return has_words(type.name, "signed") ? "MPI_SIGNED_CHAR" : "MPI_CHAR";
}

std::string_view floating_of_c(const BuiltIn& type) {
  if (has_words(type.name, "128")) return {};
  if (has_words(type.name, "long")) return "MPI_LONG_DOUBLE";
  return type.size == 4 ? "MPI_FLOAT" : type.size == 8 ? "MPI_DOUBLE" : "";
}

std::string_view complex_of_c(const BuiltIn& type, SourceLanguage language) {
  const bool is_cxx = language == SourceLanguage::cxx;
  if (has_words(type.name, "long")) return is_cxx ? "MPI_CXX_LONG_DOUBLE_COMPLEX" : "MPI_C_LONG_DOUBLE_COMPLEX";
  if (type.size == 8) return is_cxx ? "MPI_CXX_FLOAT_COMPLEX" : "MPI_C_FLOAT_COMPLEX";
  return type.size != 16 ? "" : is_cxx ? "MPI_CXX_DOUBLE_COMPLEX" : "MPI_C_DOUBLE_COMPLEX";
}

std::string_view basic_of_c(const BuiltIn& type, SourceLanguage language) {
  switch (type.kind) {
    case ScalarKind::signed_integer:
    case ScalarKind::unsigned_integer:
      return integer_of_c(type);
    case ScalarKind::character:
      return character_of_c(type);
    case ScalarKind::boolean:
      return type.size != 1 ? "" : language == SourceLanguage::cxx ? "MPI_CXX_BOOL" : "MPI_C_BOOL";
    case ScalarKind::floating:
      return floating_of_c(type);
    case ScalarKind::complex:
      return complex_of_c(type, language);
    default:
      return {};
  }
}

struct FortranName {
  ScalarKind kind;
  std::int64_t size;
  std::string_view basic;
};
/// Of kinds that are a compiler's defaults by the names that all libraries have.
constexpr FortranName fortran_names[] = {
    {ScalarKind::signed_integer, 1, "MPI_INTEGER1"},
    {ScalarKind::signed_integer, 2, "MPI_INTEGER2"},
    {ScalarKind::signed_integer, 4, "MPI_INTEGER"},
    {ScalarKind::signed_integer, 8, "MPI_INTEGER8"},
    {ScalarKind::signed_integer, 16, "MPI_INTEGER16"},
    {ScalarKind::floating, 2, "MPI_REAL2"},
    {ScalarKind::floating, 4, "MPI_REAL"},
    {ScalarKind::floating, 8, "MPI_DOUBLE_PRECISION"},
    {ScalarKind::floating, 16, "MPI_REAL16"},
    {ScalarKind::complex, 8, "MPI_COMPLEX"},
    {ScalarKind::complex, 16, "MPI_DOUBLE_COMPLEX"},
    {ScalarKind::complex, 32, "MPI_COMPLEX32"},
    {ScalarKind::boolean, 4, "MPI_LOGICAL"},
    {ScalarKind::character, 1, "MPI_CHARACTER"},
};

struct TypeName {
  std::string_view name, basic;
};
constexpr TypeName type_names[] = {
    {"int8_t", "MPI_INT8_T"},     {"int16_t", "MPI_INT16_T"},   {"int32_t", "MPI_INT32_T"},
    {"int64_t", "MPI_INT64_T"},   {"uint8_t", "MPI_UINT8_T"},   {"uint16_t", "MPI_UINT16_T"},
    {"uint32_t", "MPI_UINT32_T"}, {"uint64_t", "MPI_UINT64_T"}, {"wchar_t", "MPI_WCHAR"},
    {"MPI_Aint", "MPI_AINT"},     {"MPI_Count", "MPI_COUNT"},   {"MPI_Offset", "MPI_OFFSET"},
};

}  // namespace

std::string_view basic_of_built_in(const BuiltIn& type, SourceLanguage language) {
  if (language != SourceLanguage::fortran) return basic_of_c(type, language);
  const auto* const found =
      std::find_if(std::begin(fortran_names), std::end(fortran_names),
                   [&](const FortranName& name) { return name.kind == type.kind && name.size == type.size; });
  return found == std::end(fortran_names) ? std::string_view() : found->basic;
}

std::string_view basic_of_type_name(std::string_view name) {
  const auto* const found = std::find_if(std::begin(type_names), std::end(type_names),
                                         [&](const TypeName& type) { return type.name == name; });
  return found == std::end(type_names) ? std::string_view() : found->basic;
}

}  // namespace ddtscope::reporters
