// Starting a program under the plugin that suits its MPI library.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ddtscope::reporters {

/// What a program is linked with; for each there is a plugin. mpi_abi is the standard ABI of MPI-5, whichever library
/// is behind it.
enum class MpiLibrary : std::uint8_t { openmpi, mpich, mpi_abi };
inline constexpr MpiLibrary all_mpi_libraries[] = {MpiLibrary::openmpi, MpiLibrary::mpich, MpiLibrary::mpi_abi};
std::string_view text_of(MpiLibrary library);
/// Of all of them.
std::vector<std::string> mpi_library_texts();
std::optional<MpiLibrary> mpi_library_of_text(std::string_view text);

/// The MPI library behind a shared library's name, "libmpi.so.40"; empty for any other library.
std::optional<MpiLibrary> mpi_library_of_file(std::string_view library_name);

struct LaunchOptions {
  std::optional<std::string> output;
  std::optional<MpiLibrary> mpi;
  std::optional<unsigned> stack;
  bool verify = false;
  bool quiet = false;
  std::vector<std::string> command;  // program and arguments
};

/// Why the program cannot be started: one sentence and the exit status.
struct LaunchProblem {
  std::string sentence;
  int status;
};

/// The program as a shell would find it.
std::variant<std::filesystem::path, LaunchProblem> find_program(const std::string& name);

/// Which plugin a program wants: by what it links, else by what the user says, else by the launcher's
/// environment.
std::variant<MpiLibrary, LaunchProblem> choose_mpi_library(const std::filesystem::path& program,
                                                           std::optional<MpiLibrary> wanted);

/// Sets the environment and becomes the program. Returns only on failure.
LaunchProblem launch(const LaunchOptions& options);

enum class DebuggerKind : std::uint8_t { gdb, lldb };

struct DebuggerOptions {
  DebuggerKind kind = DebuggerKind::gdb;
  std::optional<std::int64_t> process;
  std::optional<std::string> core;
  std::optional<MpiLibrary> mpi;
  std::vector<std::string> own;      // the debugger's own options, as they are
  std::vector<std::string> command;  // program and arguments, preloaded when the debugger runs it; may be empty
};

/// Becomes the debugger, with `mpitype` known to it. Returns only on failure.
LaunchProblem launch_debugger(const DebuggerOptions& options);

}  // namespace ddtscope::reporters
