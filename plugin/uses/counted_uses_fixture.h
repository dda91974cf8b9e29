// A registry with a trace, and who counts uses beside it, for tests: MPI_INT and MPI_DOUBLE are the types that are
// predefined, and all that the library is asked about is alike.
#pragma once

#include <memory>
#include <vector>

#include "plugin/registry/plain_library.h"
#include "plugin/registry/registry_calls.h"
#include "plugin/registry/trace_fixture.h"
#include "plugin/uses/use_counters.h"

namespace ddtscope::plugin {

class CountedUsesTest : public TraceTest {
 protected:
  /// The constants are put into the options.
  void begin_counting(CommunicatorQueries& communicators, UseCounters::Options options) {
    const std::vector predefined{basic_handle(mpi_int, "MPI_INT", 4), basic_handle(mpi_double, "MPI_DOUBLE", 8)};
    registry_ = std::make_unique<Registry>(
        Registry::Options{}, Registry::Surroundings{{}, predefined, sites_, library_, writer_, pages_, memory_});
    options.constants = constants;
    uses_ = std::make_unique<UseCounters>(options, *registry_, pages_, communicators);
  }

  static constexpr UseConstants constants{.in_place = -1, .null_process = -9, .root = -8, .handle_bytes = 8};
  PlainLibrary library_{{4, 0, 4, 0, 4}};
  std::unique_ptr<Registry> registry_;
  std::unique_ptr<UseCounters> uses_;
  Stack stack_;
};

}  // namespace ddtscope::plugin
