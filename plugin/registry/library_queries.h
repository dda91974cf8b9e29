// What the plugin asks the MPI library about a datatype. An interface, so that the registry is tested
// without MPI; implemented over the library's own functions in mpi_queries.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "decoder/definition/definition.h"
#include "decoder/definition/envelope.h"

namespace ddtscope::plugin {

using HandleBits = std::uint64_t;

/// A type as the library decodes it. The handles in `datatypes` are the caller's to release, unless
/// they are predefined.
struct DecodedType {
  Combiner combiner = Combiner::named;
  Form form = Form::int_counts;
  Envelope envelope;
  std::vector<std::int64_t> integers, addresses, large_counts;
  std::vector<HandleBits> datatypes;
};

/// Only called with handles that are known to be valid datatypes.
class LibraryQueries {
 public:
  virtual ~LibraryQueries() = default;
  virtual ObservedBounds bounds(HandleBits type) = 0;
  /// Empty where the library's getters fail; `problem` then says which and how.
  virtual std::optional<DecodedType> decode(HandleBits type, std::string& problem) = 0;
  /// The envelope alone, by the getter for the form that is asked for.
  virtual std::optional<Envelope> envelope(HandleBits type) = 0;
  /// The type's name as the library has it (MPI_Type_get_name); empty where it has none.
  virtual std::string name(HandleBits type) = 0;
  /// Gives back a derived handle that decode() returned.
  virtual void release(HandleBits type) = 0;
};

}  // namespace ddtscope::plugin
