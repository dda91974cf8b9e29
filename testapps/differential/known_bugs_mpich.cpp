// What MPICH 4.0.2 does wrong and MPICH's rule for bounds does not tell.
#include "testapps/differential/known_bugs.h"

namespace ddtscope::differential {

namespace {

// mpich-int-envelope-error

/// MPI_Type_get_envelope on a type that needs large counts gives MPI_ERR_OTHER.
bool is_int_envelope_error(Comparison& comparison, DefinitionId id, const Difference& difference) {
  return difference.aspect == Aspect::int_envelope && difference.kind == Difference::Kind::answer &&
         envelope_of(comparison.types().store()[id].call).num_large_counts > 0 &&
         difference.got == text_of_error(MPI_ERR_OTHER);
}

constexpr KnownBug bugs[] = {
    {"mpich-int-envelope-error", is_int_envelope_error,
     [](test::TestStore& types) {
       return types.make(Combiner::contiguous, Form::large_counts, {{2}}, {types.named("MPI_INT")});
     }},
};

}  // namespace

std::span<const KnownBug> known_bugs() { return bugs; }

}  // namespace ddtscope::differential
