#include "plugin/library/status_bytes.h"

#include <cstring>

#include "plugin/library/library.h"

namespace ddtscope::plugin {
namespace {

/// MPI-4.1 deprecates the _x functions, which all libraries have, for the _c ones, which those before MPI-4 lack.
template <class Function>
void find(Function*& function, const char* name, const char* newer_name) {
  void* found = find_function(name);
  if (found == nullptr) found = find_function(newer_name);
  function = reinterpret_cast<Function*>(found);
}

}  // namespace

void StatusBytes::begin() {
  find(elements_, "PMPI_Get_elements_x", "PMPI_Get_elements_c");
  find(set_elements_, "PMPI_Status_set_elements_x", "PMPI_Status_set_elements_c");
  set_cancelled_ = reinterpret_cast<decltype(set_cancelled_)>(find_function("PMPI_Status_set_cancelled"));
  byte_ = predefined_handle("MPI_BYTE");
  are_in_fields_ = are_proved();
}

std::int64_t StatusBytes::ask(const MPI_Status& status) const {
  MPI_Count count = 0;
  const bool is_told = elements_ != nullptr && byte_ && elements_(&status, *byte_, &count) == MPI_SUCCESS;
  return is_told ? static_cast<std::int64_t>(count) : -1;
}

bool StatusBytes::are_proved() const {
  // Where mpi.h says nothing no status is set either: behind the standard ABI another library may be found, which takes
  // no handle of its, and ends the process.
  if (bytes_in_fields(MPI_Status{}) < 0) return false;
  if (elements_ == nullptr || set_elements_ == nullptr || set_cancelled_ == nullptr || !byte_) return false;
  // Each byte of the number by itself, and whatever was there before.
  constexpr MPI_Count counts[] = {0, 1, 8, 0x1234, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000005, 0x123456789AB};
  for (const MPI_Count count : counts) {
    for (const int is_cancelled : {0, 1}) {
      if (!is_proved(0x00, count, is_cancelled) || !is_proved(0xA5, count, is_cancelled)) return false;
    }
  }
  return true;
}

/// Whether a status that the library has set says in its fields what was set, and what it answers itself.
bool StatusBytes::is_proved(unsigned char fill, MPI_Count count, int is_cancelled) const {
  MPI_Status status;
  std::memset(&status, fill, sizeof status);
  if (set_cancelled_(&status, is_cancelled) != MPI_SUCCESS || set_elements_(&status, *byte_, count) != MPI_SUCCESS)
    return false;
  return ask(status) == count && bytes_in_fields(status) == count;
}

}  // namespace ddtscope::plugin
