// MPI_Type_c2f, which tells the INTEGER that stands for a type in Fortran: the library's Fortran layer calls it for
// every type that it gives to the program. Open MPI chooses an INTEGER when it is first asked for one, so the plugin
// never asks.
#include <mpi.h>

#include <atomic>
#include <type_traits>

#include "plugin/library/library.h"
#include "plugin/library/next_function.h"
#include "plugin/session/session.h"

namespace ddtscope::plugin {
namespace {

using ToFortran = decltype(PMPI_Type_c2f);
static_assert(std::is_same_v<ToFortran, MPI_Fint(MPI_Datatype)>);

void tell(Session& session, MPI_Datatype type, MPI_Fint integer) {
  session.guarded([&](Registry& registry) { registry.stands_in_fortran(bits_of(type), integer); });
}

/// The INTEGERs of predefined types are constants, which no call need ask for. MPI_Type_f2c changes nothing.
void tell_predefined(Session& session) {
  const auto to_c = reinterpret_cast<decltype(&PMPI_Type_f2c)>(find_function("PMPI_Type_f2c"));
  constexpr MPI_Fint most = 256;
  for (MPI_Fint integer = 0; to_c != nullptr && integer < most; ++integer) {
    const MPI_Datatype type = to_c(integer);
    if (type == nullptr) return;  // beyond the last one
    tell(session, type, integer);
  }
}

MPI_Fint intercept_to_fortran(ToFortran* next, MPI_Datatype type) {
  const MPI_Fint integer = next(type);
  if (Session* session = Session::active()) {
    static std::atomic<bool> knows_predefined{false};
    if (!knows_predefined.exchange(true, std::memory_order_relaxed)) tell_predefined(*session);
    tell(*session, type, integer);
  }
  return integer;
}

}  // namespace
}  // namespace ddtscope::plugin

#define DDTSCOPE_TO_FORTRAN(symbol)                                                                                \
  namespace ddtscope::plugin {                                                                                     \
  extern "C" __attribute__((visibility("default"))) MPI_Fint wrapped_##symbol(MPI_Datatype type) __asm__(#symbol); \
  MPI_Fint wrapped_##symbol(MPI_Datatype type) {                                                                   \
    static constinit Next<ToFortran> next(#symbol);                                                                \
    return intercept_to_fortran(next.get(), type);                                                                 \
  }                                                                                                                \
  }
DDTSCOPE_TO_FORTRAN(MPI_Type_c2f)
DDTSCOPE_TO_FORTRAN(PMPI_Type_c2f)
