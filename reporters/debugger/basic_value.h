// Bytes of a basic type as the value that they stand for.
#pragma once

#include <span>
#include <string>

#include "decoder/definition/basic_type.h"

namespace ddtscope::reporters {

/// "42", "1.5", "104 'h'", "(1, -2)", "true"; hexadecimal bytes for types that have no values of their own (MPI_BYTE,
/// MPI_PACKED) and for unknown ones. `bytes` are as many as the type's size. `long_double_digits` is LDBL_MANT_DIG of
/// where they come from.
std::string text_of_value(const PredefinedType& type, std::span<const char> bytes, int long_double_digits);

}  // namespace ddtscope::reporters
