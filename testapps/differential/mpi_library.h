// The MPI library that this program is linked with, asked in the decoder's words: what it offers, what it makes of a
// constructor call, and what it answers about the result.
#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decoder/bounds/bounds.h"
#include "decoder/definition/envelope.h"
#include "decoder/testing/test_store.h"

namespace ddtscope::differential {

/// Of the standard ABI there is a program for each library that is behind it.
inline constexpr BoundsRule rule_of_library = BoundsRule::RULE_OF_LIBRARY;

/// Keeps MPI started while it lives. Errors are returned, not raised.
class MpiSession {
 public:
  MpiSession();
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;
};

/// Its first words: "Open MPI v5.0.7", "MPICH Version:      4.2.1".
std::string library_version();
/// The release whose rule is taken for the running library.
const TakenRelease& release_of_library();
const LibraryConstants& library_constants();
/// The forms of the constructors that the library has.
std::vector<Form> library_forms();

struct OfferedType {
  PredefinedType type;
  MPI_Datatype handle;
};
/// Every predefined type that this machine has, parts of pairs before the pairs.
const std::vector<OfferedType>& offered_types();

/// F90 types that the machine has. The name of `basic` is left to the store.
struct OfferedF90Type {
  Combiner combiner;
  test::Arguments arguments;
  PredefinedType basic;
  MPI_Datatype handle;
};
const std::vector<OfferedF90Type>& offered_f90_types();

/// The handle of a NAMED or F90 definition, which is asked for once.
MPI_Datatype leaf_handle(const DefinitionStore& store, DefinitionId id);
/// A store with the library's constants that holds all its leaves.
std::unique_ptr<test::TestStore> store_of_library();

/// "MPI_SUCCESS", "MPI_ERR_TYPE (code 3: ...)".
std::string text_of_error(int error);

/// Makes the type of a call; `oldtypes` are the handles of its datatypes.
int construct(const ConstructorCall& call, std::span<const MPI_Datatype> oldtypes, MPI_Datatype* newtype);

/// What the decoding calls return, with the library's constants translated for the combiner alone.
struct DecodedType {
  int error = MPI_SUCCESS;
  Envelope envelope;
  Contents contents;  // without datatypes
  std::vector<MPI_Datatype> datatypes;
};
/// With the large-count calls where the library has them, else with the int calls. A NAMED type has no contents.
DecodedType decode(MPI_Datatype type);
/// The envelope by the int call.
int int_envelope(MPI_Datatype type, Envelope& envelope);

ObservedBounds observe(MPI_Datatype type);

}  // namespace ddtscope::differential
