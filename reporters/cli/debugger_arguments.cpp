#include "reporters/cli/debugger_arguments.h"

#include <cstdint>
#include <iostream>

#include "reporters/cli/type_arguments.h"
#include "reporters/trace/format/number_of_text.h"

namespace ddtscope {

Command debugger_command(DebuggerKind kind, const std::vector<std::string>& arguments,
                         const std::vector<std::string>& command) {
  DebuggerOptions options;
  options.kind = kind;
  options.command = command;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    const bool has_value = i + 1 < arguments.size();
    if (word == "-h" || word == "--help") {
      const char* name = kind == DebuggerKind::gdb ? "gdb" : "lldb";
      std::cout << "ddtscope " << name << " [--pid PID | --core CORE] [--mpi openmpi|mpich|mpi_abi] [options of "
                << name << "] [-- PROGRAM ARGS]\nStarts " << name
                << " with the command `mpitype`; a program that it runs is preloaded.\n";
      return Said{exit_fine};
    }
    if (word != "--pid" && word != "--core" && word != "--mpi") {
      options.own.push_back(word);
      continue;
    }
    if (!has_value) {
      return usage(word + " needs a value.");
    }
    const std::string& value = arguments[++i];
    if (word == "--pid") {
      options.process = number_of_text<std::int64_t>(value);
    } else if (word == "--core") {
      options.core = value;
    } else {
      options.mpi = mpi_library_of_text(value);
    }
    if ((word == "--pid" && (options.process.value_or(0) <= 0 || *options.process > INT32_MAX)) ||
        (word == "--mpi" && !options.mpi)) {
      return usage(word + " cannot be \"" + value + "\".");
    }
  }
  return options;
}

}  // namespace ddtscope
