#include "reporters/debugger/basic_value.h"

#include <algorithm>
#include <cfloat>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

#include "decoder/base/hexadecimal.h"

namespace ddtscope::reporters {
namespace {

enum class Kind : std::uint8_t { bytes, character, boolean, signed_integer, unsigned_integer, real, complex };

struct Row {
  std::string_view name;
  Kind kind;
};

/// By the first names in MPI-4.1 Annex A; the size tells the rest.
constexpr Row rows[] = {
    {"MPI_CHAR", Kind::character},
    {"MPI_CHARACTER", Kind::character},
    {"MPI_SIGNED_CHAR", Kind::signed_integer},
    {"MPI_UNSIGNED_CHAR", Kind::unsigned_integer},
    {"MPI_WCHAR", Kind::signed_integer},
    {"MPI_SHORT", Kind::signed_integer},
    {"MPI_INT", Kind::signed_integer},
    {"MPI_LONG", Kind::signed_integer},
    {"MPI_LONG_LONG_INT", Kind::signed_integer},
    {"MPI_UNSIGNED_SHORT", Kind::unsigned_integer},
    {"MPI_UNSIGNED", Kind::unsigned_integer},
    {"MPI_UNSIGNED_LONG", Kind::unsigned_integer},
    {"MPI_UNSIGNED_LONG_LONG", Kind::unsigned_integer},
    {"MPI_INT8_T", Kind::signed_integer},
    {"MPI_INT16_T", Kind::signed_integer},
    {"MPI_INT32_T", Kind::signed_integer},
    {"MPI_INT64_T", Kind::signed_integer},
    {"MPI_UINT8_T", Kind::unsigned_integer},
    {"MPI_UINT16_T", Kind::unsigned_integer},
    {"MPI_UINT32_T", Kind::unsigned_integer},
    {"MPI_UINT64_T", Kind::unsigned_integer},
    {"MPI_AINT", Kind::signed_integer},
    {"MPI_COUNT", Kind::signed_integer},
    {"MPI_OFFSET", Kind::signed_integer},
    {"MPI_INTEGER", Kind::signed_integer},
    {"MPI_INTEGER1", Kind::signed_integer},
    {"MPI_INTEGER2", Kind::signed_integer},
    {"MPI_INTEGER4", Kind::signed_integer},
    {"MPI_INTEGER8", Kind::signed_integer},
    {"MPI_C_BOOL", Kind::boolean},
    {"MPI_CXX_BOOL", Kind::boolean},
    {"MPI_LOGICAL", Kind::boolean},
    {"MPI_LOGICAL1", Kind::boolean},
    {"MPI_LOGICAL2", Kind::boolean},
    {"MPI_LOGICAL4", Kind::boolean},
    {"MPI_LOGICAL8", Kind::boolean},
    {"MPI_FLOAT", Kind::real},
    {"MPI_DOUBLE", Kind::real},
    {"MPI_LONG_DOUBLE", Kind::real},
    {"MPI_REAL", Kind::real},
    {"MPI_REAL4", Kind::real},
    {"MPI_REAL8", Kind::real},
    {"MPI_REAL16", Kind::real},
    {"MPI_DOUBLE_PRECISION", Kind::real},
    {"MPI_C_COMPLEX", Kind::complex},
    {"MPI_C_DOUBLE_COMPLEX", Kind::complex},
    {"MPI_C_LONG_DOUBLE_COMPLEX", Kind::complex},
    {"MPI_CXX_FLOAT_COMPLEX", Kind::complex},
    {"MPI_CXX_DOUBLE_COMPLEX", Kind::complex},
    {"MPI_CXX_LONG_DOUBLE_COMPLEX", Kind::complex},
    {"MPI_COMPLEX", Kind::complex},
    {"MPI_DOUBLE_COMPLEX", Kind::complex},
    {"MPI_COMPLEX8", Kind::complex},
    {"MPI_COMPLEX16", Kind::complex},
    {"MPI_COMPLEX32", Kind::complex},
};

Kind kind_of(std::string_view name) {
  for (const Row& row : rows) {
    if (row.name == name) return row.kind;
  }
  if (name.starts_with("F90_REAL")) return Kind::real;
  if (name.starts_with("F90_COMPLEX")) return Kind::complex;
  if (name.starts_with("F90_INTEGER")) return Kind::signed_integer;
  return Kind::bytes;
}

std::string hexadecimal(std::span<const char> bytes) { return "0x" + hexadecimal_digits(std::as_bytes(bytes)); }

template <class Value>
Value as(std::span<const char> bytes) {
  Value value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

template <class Value>
std::string decimal(Value value) {
  char text[128];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

template <class Narrow, class Short, class Int, class Long>
std::string integer(std::span<const char> bytes) {
  switch (bytes.size()) {
    case 1:
      return std::to_string(as<Narrow>(bytes));
    case 2:
      return std::to_string(as<Short>(bytes));
    case 4:
      return std::to_string(as<Int>(bytes));
    case 8:
      return std::to_string(as<Long>(bytes));
    default:
      return hexadecimal(bytes);
  }
}

/// IEEE 754's binary128: long double on arm64, a type of its own on x86-64, where long double has 64 bits of precision.
#if LDBL_MANT_DIG == 113
using Quadruple = long double;
#else
__extension__ typedef __float128 Quadruple;
#endif

constexpr int digits_of_extended = 64, digits_of_quadruple = 113;  // binary ones, as LDBL_MANT_DIG counts them

/// The format of x86's long double: 64 bits of a whole number, then sign and exponent.
std::string extended(std::span<const char> bytes) {
  const auto digits = as<std::uint64_t>(bytes);
  const auto sign_and_exponent = as<std::uint16_t>(bytes.subspan(sizeof digits));
  const int exponent = sign_and_exponent & 0x7FFF;
  long double value = std::ldexp(static_cast<long double>(digits), std::max(exponent, 1) - 16383 - 63);
  if (exponent == 0x7FFF) {
    value =
        digits << 1 == 0 ? std::numeric_limits<long double>::infinity() : std::numeric_limits<long double>::quiet_NaN();
  }
  return decimal((sign_and_exponent & 0x8000) != 0 ? -value : value);
}

/// Of a type of 16 bytes. Fortran's are of one format, C's long double of the process's.
int digits_of(std::string_view type, int long_double_digits) {
  const bool is_fortran = type.starts_with("F90_") || type == "MPI_REAL16" || type == "MPI_COMPLEX32";
  return is_fortran ? digits_of_quadruple : long_double_digits;
}

/// A value, or half of one.
std::string real(std::span<const char> bytes, int digits) {
  switch (bytes.size()) {
    case sizeof(float):
      return decimal(as<float>(bytes));
    case sizeof(double):
      return decimal(as<double>(bytes));
    case sizeof(Quadruple):
      if (digits == digits_of_extended) return extended(bytes);
      if (digits == digits_of_quadruple) return decimal(static_cast<long double>(as<Quadruple>(bytes)));
      break;
    default:
      break;
  }
  return hexadecimal(bytes);
}

std::string character(std::span<const char> bytes) {
  if (bytes.size() != 1) return hexadecimal(bytes);
  const char c = bytes[0];
  std::string text = std::to_string(static_cast<int>(c));
  if (c == '\'' || c == '\\') return text + " '\\" + c + "'";
  return c >= ' ' && c <= '~' ? text + " '" + c + "'" : text;
}

std::string boolean(std::span<const char> bytes) {
  const std::string value = integer<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(bytes);
  return value == "0" ? "false" : value == "1" ? "true" : "true (" + value + ")";
}

}  // namespace

std::string text_of_value(const PredefinedType& type, std::span<const char> bytes, int long_double_digits) {
  switch (kind_of(type.name)) {
    case Kind::character:
      return character(bytes);
    case Kind::boolean:
      return boolean(bytes);
    case Kind::signed_integer:
      return integer<std::int8_t, std::int16_t, std::int32_t, std::int64_t>(bytes);
    case Kind::unsigned_integer:
      return integer<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(bytes);
    case Kind::real:
      return real(bytes, digits_of(type.name, long_double_digits));
    case Kind::complex: {
      const std::size_t half = bytes.size() / 2;
      const int digits = digits_of(type.name, long_double_digits);
      return "(" + real(bytes.first(half), digits) + ", " + real(bytes.subspan(half), digits) + ")";
    }
    case Kind::bytes:
      break;
  }
  return hexadecimal(bytes);
}

}  // namespace ddtscope::reporters
