// Datatypes in one line of text: the notation of a 1995 proposal to the MPI Forum, grown to all constructors
// of MPI-4.1. Printer and parser are each other's inverse. bnf.md explains it with examples.
//
//   datatype    = basic | "U" number "(" description ")" | "U" number
//                 (a number names a type: it is spelt where it first stands, and only named afterwards)
//   description = ["C:"] (contiguous | other)           (C: the large-count constructor, suffix _c)
//   contiguous  = count datatype
//   other       = "D:"   datatype                                                               dup
//               | "V:"   datatype ":" count ":" blocklength ":" stride                          vector
//               | "HV:"  the same, the stride in bytes                                          hvector
//               | "X:"   datatype ":" count ":" {blocklength "/" displacement ","}              indexed
//               | "HX:"  the same, displacements in bytes                                       hindexed
//               | "XB:"  datatype ":" count ":" blocklength ":" {displacement ","}              indexed_block
//               | "HXB:" the same, displacements in bytes                                       hindexed_block
//               | "S:"   count ":" {datatype "/" blocklength "/" displacement ","}              struct
//               | "A:"   datatype ":" ndims ":" order ":" {size "/" subsize "/" start ","}      subarray
//               | "DA:"  datatype ":" size ":" rank ":" ndims ":" order ":"
//                        {gsize "/" distribution "/" argument "/" psize ","}                    darray
//               | "Z:"   datatype ":" lb ":" extent                                             resized
//               | "FR:"  precision ":" range                                                    f90_real
//               | "FC:"  precision ":" range                                                    f90_complex
//               | "FI:"  range                                                                  f90_integer
//               | "VI:"  datatype ":" datatype                                                  value_index
//   order       = "C" | "F"                  distribution = "B" (block) | "C" (cyclic) | "N" (none)
//   argument    = number | "*" (default)     precision, range = number | "*" (MPI_UNDEFINED)
//   basic       = "i" int | "d" double | "f" float | "c" char | "R" Fortran REAL | "b" byte | "P" packed
//               | "LD" long double | "L" Fortran LOGICAL | "LB" | "UB" | any other predefined name in full
//
// {x ","} is as many x as the count, or the dimensions, say, with commas between them. Numbers are decimal,
// with a minus sign where they are negative. No blanks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "decoder/definition/definition.h"
#include "decoder/definition/error_class.h"
#include "decoder/definition/f90.h"

namespace ddtscope {

/// The number by which a derived type is named; different types need different numbers.
using BnfNumber = std::function<std::uint64_t(DefinitionId)>;

/// A definition in the notation. Without numbers of the caller's, types are numbered from 1 in the order in
/// which they first stand in the text. The text is as long as the description: shared parts are spelt once.
std::string bnf_text(const DefinitionStore& store, DefinitionId id, const BnfNumber& number_of = nullptr);

/// What the parser finds outside the text. An empty function knows nothing.
struct BnfEnvironment {
  /// The definition of a predefined name; by default the store's own.
  std::function<std::optional<DefinitionId>(std::string_view name)> predefined;
  /// A type that is named by its number and spelt nowhere in the text.
  std::function<std::optional<DefinitionId>(std::uint64_t number)> numbered;
  F90Types f90_type = common_f90_type;
};

struct BnfError {
  std::size_t position = 0;  // bytes from the text's beginning
  std::string expected;      // "a number", "a number of blocks; count (-1) is negative"
  ErrorClass error = ErrorClass::argument;
};

struct BnfResult {
  DefinitionId type;  // valid where there is no error
  std::unordered_map<std::uint64_t, DefinitionId> numbers;
  std::optional<BnfError> error;
};

/// Interns the type that the text describes, and the types that it is made of; after an error, those that were
/// complete before it. Arguments must be correct by the standard (arguments.h). A number may be spelt again with
/// the same description, as in text that spells shared parts twice. Time and memory grow with the text's length.
BnfResult parse_bnf(DefinitionStore& store, std::string_view text, const BnfEnvironment& environment = {});

}  // namespace ddtscope
