// Reading control variables whose name or description speaks of datatypes.
#include "plugin/library/control_variables.h"

#include <array>
#include <string>

#include "decoder/base/lower_case.h"

namespace ddtscope::plugin {
namespace {

bool concerns_datatypes(const std::string& name_or_description) {
  const std::string text = lower_case(name_or_description);
  for (const char* word : {"datatype", "ddt_", "dataloop", "yaksa"}) {
    if (text.find(word) != std::string::npos) return true;
  }
  return false;
}

template <class Value>
std::string read_number(const MpiFunctions& mpi, MPI_T_cvar_handle handle) {
  Value value{};
  return mpi.T_cvar_read(handle, &value) == MPI_SUCCESS ? std::to_string(value) : std::string();
}

std::string read_value(const MpiFunctions& mpi, MPI_T_cvar_handle handle, MPI_Datatype type, int count) {
  const auto is = [&](const char* name) {
    const std::optional<MPI_Datatype> known = predefined_handle(name);
    return known && *known == type;
  };
  if (is("MPI_CHAR")) {
    std::string text(static_cast<std::size_t>(std::max(count, 0)) + 1, '\0');
    if (mpi.T_cvar_read(handle, text.data()) != MPI_SUCCESS) return {};
    return text.c_str();
  }
  if (count != 1) return {};
  if (is("MPI_C_BOOL")) return read_number<bool>(mpi, handle);
  if (is("MPI_INT")) return read_number<int>(mpi, handle);
  if (is("MPI_UNSIGNED")) return read_number<unsigned>(mpi, handle);
  if (is("MPI_UNSIGNED_LONG")) return read_number<unsigned long>(mpi, handle);
  if (is("MPI_UNSIGNED_LONG_LONG")) return read_number<unsigned long long>(mpi, handle);
  if (is("MPI_DOUBLE")) return read_number<double>(mpi, handle);
  return {};
}

}  // namespace

std::vector<HeaderRecord::ControlVariable> datatype_control_variables(const MpiFunctions& mpi) {
  std::vector<HeaderRecord::ControlVariable> result;
  int provided = 0;
  if (mpi.T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return result;
  int variables = 0;
  mpi.T_cvar_get_num(&variables);
  for (int index = 0; index < variables; ++index) {
    std::array<char, 256> name{};
    std::array<char, 2048> description{};
    int name_length = static_cast<int>(name.size());
    int description_length = static_cast<int>(description.size());
    int verbosity = 0;
    int binding = 0;
    int scope = 0;
    MPI_Datatype type;
    MPI_T_enum enumeration;
    if (mpi.T_cvar_get_info(index, name.data(), &name_length, &verbosity, &type, &enumeration, description.data(),
                            &description_length, &binding, &scope) != MPI_SUCCESS ||
        binding != MPI_T_BIND_NO_OBJECT ||
        !(concerns_datatypes(name.data()) || concerns_datatypes(description.data()))) {
      continue;
    }
    MPI_T_cvar_handle handle;
    int count = 0;
    if (mpi.T_cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS) continue;
    result.push_back({name.data(), read_value(mpi, handle, type, count), description.data()});
    mpi.T_cvar_handle_free(&handle);
  }
  mpi.T_finalize();
  return result;
}

}  // namespace ddtscope::plugin
