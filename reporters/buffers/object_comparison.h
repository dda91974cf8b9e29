// A buffer held against a variable that it may be: do its entries stand for what is there, and is there room for them?
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "decoder/findings/findings.h"
#include "reporters/model/job.h"
#include "reporters/source/program_variables.h"
#include "reporters/struct_layout/comparison.h"

namespace ddtscope::reporters {

/// Bytes from the beginning of an object, the first one and the one behind the last.
struct ByteRange {
  std::int64_t begin = 0, end = 0;
  std::int64_t length() const { return end - begin; }
  bool contains(const ByteRange& other) const { return begin <= other.begin && other.end <= end; }
};

/// An entry that does not stand for what is there, or a member of which there is nothing.
struct WrongPart {
  Verdict verdict = Verdict::fits;
  std::string text;  // "MPI_INT at x[0] of type double: floating against integer"
};

struct ObjectComparison {
  std::vector<WrongPart> parts;  // worst first
  ByteRange touched;             // from the object's beginning
  /// Where the object may be touched; none where that is not known.
  std::optional<ByteRange> object;
  std::string shape;   // why an array is taken for another one, a clause; else empty
  std::string extent;  // why a second copy is not where the object has its own, a clause; else empty
  /// Whether the types were, or need not be: memory of characters may be anything. False where nothing can be said.
  bool is_compared = false;

  bool is_too_small() const { return object && !object->contains(touched); }
  std::optional<Severity> severity_of_types() const;  // of all but the length; none where they fit
  std::optional<Severity> severity() const;           // the worst; none where all fits
};

/// The bytes that a buffer touches, from its address; none where that does not fit 64 bits.
std::optional<ByteRange> touched_by(const Job& job, const JobBuffer& buffer);

/// Rules: MPI_BYTE, MPI_PACKED and characters may stand for anything, and memory of characters or of void may be
/// anything. Of a union's alternatives the one that fits best counts. A member that is left out is told of structs that
/// a type made by MPI_Type_create_struct stands for.
ObjectComparison compare(const Job& job, const JobBuffer& buffer, const FoundObject& object);

}  // namespace ddtscope::reporters
