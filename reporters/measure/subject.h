// What is to be measured of a type: the ways to make it, how many copies of it, and where their bytes lie.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "reporters/measure/measurement.h"
#include "reporters/model/job.h"

namespace ddtscope::reporters {

struct SubjectForm {
  FormKind kind = FormKind::itself;
  std::string call;
  std::string function;  // C: "static MPI_Datatype make_0(void) { ... }"
  bool is_made = true;   // else it is predefined: neither committed nor freed
};

/// Blocks of one length, one every `stride` bytes. The displacement is from the buffer's address.
struct BlockRow {
  std::int64_t displacement = 0, length = 0, count = 1, stride = 0;
  friend bool operator==(const BlockRow&, const BlockRow&) = default;
};

/// Entries that follow each other in the data, of which only the first bytes have a meaning: the others are padding,
/// such as 6 bytes of a long double.
struct ValueRow {
  std::int64_t size = 0, meaning = 0, count = 1;
  friend bool operator==(const ValueRow&, const ValueRow&) = default;
};

struct MeasureSubject {
  TypeNumber type;
  std::vector<SubjectForm> forms;
  std::int64_t size = 0, lb = 0, extent = 0, true_lb = 0, true_extent = 0;
  std::int64_t blocks = 0;
  std::int64_t copies = 1;
  std::int64_t first = 0, span = 0;    // the memory of all copies, from the buffer's address
  bool may_receive = true;             // no byte is written twice
  std::vector<BlockRow> rows;          // in the order of the typemap
  std::int64_t turns = 1, stride = 0;  // of all rows
  std::vector<ValueRow> values;        // of one copy; empty where all bytes have a meaning
};

/// Memory that the copies of a type may span.
inline constexpr std::int64_t most_measured_bytes = std::int64_t{256} << 20;

/// `copies`: by default so many that 1 MiB of data is moved. A text says why the type cannot be measured.
std::variant<MeasureSubject, std::string> subject_of(const Job& job, TypeNumber type,
                                                     std::optional<std::int64_t> copies);

/// Those of a job that are worth a look: that moved the most bytes, or where that is not known, that were made most
/// often. At most five.
std::vector<TypeNumber> types_worth_measuring(const Job& job);

}  // namespace ddtscope::reporters
