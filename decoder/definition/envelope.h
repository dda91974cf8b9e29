// MPI_Type_get_envelope and MPI_Type_get_contents over a definition (MPI-4.1 5.1.13), both forms, with
// the standard's errors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decoder/definition/arguments.h"
#include "decoder/definition/definition.h"
#include "decoder/definition/error_class.h"

namespace ddtscope {

struct Envelope {
  std::int64_t num_integers = 0;
  std::int64_t num_addresses = 0;
  std::int64_t num_large_counts = 0;
  std::int64_t num_datatypes = 0;
  Combiner combiner = Combiner::named;
  friend bool operator==(const Envelope&, const Envelope&) = default;
};

struct Contents {
  std::vector<std::int64_t> integers;
  std::vector<std::int64_t> addresses;
  std::vector<std::int64_t> large_counts;
  std::vector<DefinitionId> datatypes;

  /// The array that holds the parameters of a kind.
  std::vector<std::int64_t>& values_of(ParameterKind kind, Form form);
  friend bool operator==(const Contents&, const Contents&) = default;
};

/// The envelope as the large-count getter returns it. Never fails.
Envelope envelope_of(const ConstructorCall& call);

/// Which pair of getters asks: the int getters refuse types that need large counts.
enum class Getter : std::uint8_t { int_counts, large_counts };

/// MPI_Type_get_envelope (or _c). ErrorClass::type from the int getter on a type that needs large counts:
/// then `envelope` is unchanged.
ErrorClass get_envelope(const DefinitionStore& store, DefinitionId id, Getter getter, Envelope& envelope);

/// The arrays that the program offers to MPI_Type_get_contents: their lengths are the max_ arguments.
/// Elements beyond the envelope's numbers are left as they are.
struct ContentsArrays {
  std::span<std::int64_t> integers;
  std::span<std::int64_t> addresses;
  std::span<std::int64_t> large_counts;
  std::span<DefinitionId> datatypes;
};
/// MPI_Type_get_contents (or _c). ErrorClass::type for a NAMED type and where the envelope has it,
/// ErrorClass::argument where an array is shorter than the envelope says: then all are left as they are.
ErrorClass get_contents(const DefinitionStore& store, DefinitionId id, Getter getter, const ContentsArrays& arrays);

/// All contents in arrays of exactly the envelope's lengths; empty for NAMED.
Contents contents_of(const ConstructorCall& call);

/// The arguments of a call that is being put together, in the order of the combiner's row.
struct CallArguments {
  std::array<std::int64_t, 4> scalars{};
  std::array<std::vector<std::int64_t>, 4> arrays{};
  std::vector<DefinitionId> datatypes{};
};
/// The same as the decoding calls return them, ready for CallFromContents.
Contents contents_of(Combiner combiner, Form form, const CallArguments& arguments);

/// Contents that are not copied yet.
struct ContentsView {
  IntegerArray integers, addresses, large_counts;
  std::size_t num_datatypes = 0;
};
/// Numbers of values that a combiner cannot have, or a count that is none: of the values, scalars alone are read.
std::optional<ArgumentProblem> impossible_lengths(Combiner combiner, Form form, const ContentsView& contents);

/// Rebuilds a constructor call from decoded contents, as a reader or an adopting tool has them.
/// The call views memory of this object.
class CallFromContents {
 public:
  /// False where the lengths do not fit the combiner, or an argument is impossible (arguments.h): then
  /// `problem()` says which, and `error()` is its class.
  bool build(Combiner combiner, Form form, const Contents& contents);
  const ConstructorCall& call() const { return call_; }
  const std::string& problem() const { return problem_; }
  ErrorClass error() const { return error_; }

 private:
  ConstructorCall call_;
  std::array<std::vector<std::int32_t>, 4> narrow_;
  std::array<std::vector<std::int64_t>, 4> wide_;
  std::vector<DefinitionId> datatypes_;
  std::string problem_;
  ErrorClass error_ = ErrorClass::success;
};

}  // namespace ddtscope
