// What was measured of types: figures, and of what could not be measured why.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reporters/model/ids.h"

namespace ddtscope::reporters {

/// The time of one operation, from several samples of many operations each.
struct Figure {
  double median_ns = 0;
  double spread = 0;  // between the samples' quartiles, as a part of the median
  std::uint64_t samples = 0;
};

/// Of one way to make a type. What does not apply is empty: nothing makes or commits predefined types, and nothing may
/// be received into a type that touches a byte twice.
struct FormFigures {
  std::optional<Figure> create, commit, pack, unpack;
  std::optional<Figure> send;  // MPI_Sendrecv on MPI_COMM_SELF, with the type on both sides
};

enum class FormKind : std::uint8_t {
  itself,
  simpler,    // as simpler-type proposes it, parts included
  blockwise,  // one call of its contiguous blocks
};

/// One way to make the type.
struct MeasuredForm {
  FormKind kind = FormKind::itself;
  std::string call;  // "MPI_Type_vector(6, 1, 8, MPI_DOUBLE)"
  FormFigures figures;
  std::string why_not;  // a sentence where it was not measured; else empty
  /// Where the library packed, unpacked or received other bytes than the typemap says: a sentence.
  std::string wrong_data;
};

/// The same bytes without a derived datatype.
struct PlainFigures {
  Figure copy;  // memcpy
  Figure pack;  // a loop over the type's blocks, by hand
  std::optional<Figure> unpack;
  Figure send;  // MPI_Sendrecv of MPI_BYTE
};

struct MeasuredType {
  TypeNumber type;
  std::int64_t copies = 0;  // that each operation takes, as a count argument
  std::int64_t bytes = 0;   // of data in these copies
  std::int64_t blocks = 0;  // of one copy
  std::optional<PlainFigures> plain;
  std::vector<MeasuredForm> forms;  // the type itself first
  std::string why_not;              // a sentence where nothing was measured; else empty
  bool has_failed = false;          // the compiler or the program did; `why_not` says how
  std::string last_lines;           // of its standard error, where it failed
};

struct Measurement {
  std::string host;      // by MPI_Get_processor_name: several where a launcher takes them; empty where no program ran
  std::string library;   // "Open MPI v4.1.4"; empty where no program ran
  std::string compiler;  // the command
  std::vector<MeasuredType> types;
};

/// Of one type, kept with its trace.
struct KeptMeasurement {
  std::string host, library, compiler;  // as in Measurement
  MeasuredType type;                    // with figures of packing, at least of the type itself
};

/// 10^9 bytes per second.
inline double gigabytes_per_second(std::int64_t bytes, const Figure& figure) {
  return static_cast<double>(bytes) / figure.median_ns;
}

}  // namespace ddtscope::reporters
