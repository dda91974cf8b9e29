// MPI_Type_c2f, and MPI_Type_toint of the standard ABI, which tell the INTEGER that stands for a type in Fortran: a
// Fortran layer calls it for every type that it gives to the program. Open MPI chooses an INTEGER when it is first
// asked for one, so the plugin never asks. For libraries whose handles are not INTEGERs themselves.
#include <mpi.h>

#include <atomic>
#include <type_traits>

#include "plugin/intercept/exported_function.h"
#include "plugin/library/fortran_handles.h"
#include "plugin/library/library.h"
#include "plugin/library/next_function.h"
#include "plugin/session/session.h"

namespace ddtscope::plugin {
namespace {

#ifdef DDTSCOPE_MPI_H_IS_STANDARD_ABI
using Integer = int;
using ToFortran = decltype(PMPI_Type_toint);
#else
using Integer = MPI_Fint;
using ToFortran = decltype(PMPI_Type_c2f);
#endif
static_assert(std::is_same_v<ToFortran, Integer(MPI_Datatype)>);

void tell(Session& session, MPI_Datatype type, Integer integer) {
  session.guarded([&](Registry& registry) { registry.stands_in_fortran(bits_of(type), integer); });
}

/// The INTEGERs of predefined types are constants, which no call need ask for.
void tell_predefined(Session& session) {
#ifdef DDTSCOPE_MPI_H_IS_STANDARD_ABI
  // The same as the handles (MPI-5.0 20.3).
  for (const std::string_view name : predefined_handle_names()) {
    const MPI_Datatype type = *predefined_handle(name);
    tell(session, type, static_cast<Integer>(bits_of(type)));
  }
#else
  TypeFromFortran* const from_fortran = type_from_fortran();
  constexpr Integer most = 256;
  for (Integer integer = 0; from_fortran != nullptr && integer < most; ++integer) {
    const MPI_Datatype type = from_fortran(integer);
    if (type == nullptr) return;  // beyond the last one
    tell(session, type, integer);
  }
#endif
}

Integer intercept_to_fortran(ToFortran* next, MPI_Datatype type) {
  const Integer integer = next(type);
  if (Session* session = Session::active()) {
    static std::atomic<bool> knows_predefined{false};
    if (!knows_predefined.exchange(true, std::memory_order_relaxed)) tell_predefined(*session);
    tell(*session, type, integer);
  }
  return integer;
}

}  // namespace
}  // namespace ddtscope::plugin

#define DDTSCOPE_TO_FORTRAN(symbol)                       \
  namespace ddtscope::plugin {                            \
  DDTSCOPE_EXPORTED(Integer, symbol, MPI_Datatype type) { \
    static constinit Next<ToFortran> next(#symbol);       \
    return intercept_to_fortran(next.get(), type);        \
  }                                                       \
  }
#ifdef DDTSCOPE_MPI_H_IS_STANDARD_ABI
DDTSCOPE_TO_FORTRAN(MPI_Type_toint)
DDTSCOPE_TO_FORTRAN(PMPI_Type_toint)
#else
DDTSCOPE_TO_FORTRAN(MPI_Type_c2f)
DDTSCOPE_TO_FORTRAN(PMPI_Type_c2f)
#endif
