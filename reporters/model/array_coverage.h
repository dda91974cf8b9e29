// Which elements of a user's array a type touches, and how often.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "reporters/model/job.h"

namespace ddtscope::reporters {

/// An array such as `double u[8][10]`, and the element whose address is the buffer's.
struct UserArray {
  std::vector<std::int64_t> sizes;        // the last one is that of elements that follow each other; none less than 1
  std::string element;                    // a basic type of the job's; empty: the first of the type's
  std::vector<std::int64_t> at;           // by dimension; those that are missing are 0
  std::optional<std::int64_t> row_bytes;  // from one row to the next, where that is not the elements' length
};

/// So many elements are looked at; an array of more is refused.
inline constexpr std::int64_t array_elements_limit = std::int64_t{1} << 24;

/// What copies of a type do to an array. Rows are those of the last dimension.
struct ArrayCoverage {
  std::int64_t rows = 0, columns = 0;
  std::int64_t element_bytes = 0, row_bytes = 0;
  std::string element;
  Exact buffer = 0;  // the byte of the array at which the buffer begins
  /// By element in the order of memory: how many entries touch it, at most 255; and whether some byte of it is not
  /// touched, or not by an entry that is as long as the element and stands on it.
  std::vector<std::uint8_t> times;
  std::vector<bool> is_partly;
  std::uint64_t touched = 0, touched_twice = 0, partly = 0;  // elements
  std::uint64_t outside = 0;                                 // entries with a byte that is in no element
  std::optional<Exact> first_outside;                        // the array's byte where the first of them begins
  Exact hidden = 0;                                          // entries that were too many to look at
};

/// Of `count` copies, where that is given. What is wrong with the array, else.
std::variant<ArrayCoverage, std::string> coverage_of_array(const Job& job, TypeNumber type, const UserArray& array,
                                                           std::int64_t count);

/// "[1][0]", the element at a row and column.
std::string indices_of(const UserArray& array, std::int64_t row, std::optional<std::int64_t> column);

}  // namespace ddtscope::reporters
