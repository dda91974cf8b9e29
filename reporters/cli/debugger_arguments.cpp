// What the verbs of debuggers take. All other words in front of `--` are the debugger's own.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "reporters/cli/type_arguments.h"
#include "reporters/cli/verb_arguments.h"

namespace ddtscope::reporters {
namespace {

struct DebuggerArguments {
  std::int64_t process = 0;
  std::string core, mpi;
  std::vector<std::string> program;

  void add_to(CLI::App& verb) {
    const std::string name = verb.get_name();
    process_ = verb.add_option("--pid", process, "a process that runs, of the same user")
                   ->type_name("PID")
                   ->check(CLI::Range(std::int64_t{1}, std::int64_t{INT32_MAX}));
    core_ = verb.add_option("--core", core, "a core file; no process is needed")->type_name("CORE");
    verb.add_option("--mpi", mpi, "whose plugin a program gets that loads MPI later")
        ->check(CLI::IsMember(mpi_library_texts()));
    // For help alone: these words are never parsed.
    verb.add_option("FILE", program, "the options of " + name + " itself; then a program, which it runs preloaded")
        ->option_text("[options of " + name + "] [-- PROGRAM [ARGS...]]");
    verb.footer("Exit status: that of " + name + "; 2, 126 or 127 where it cannot be started.");
  }

  Command command(DebuggerKind kind) const {
    DebuggerOptions options;
    options.kind = kind;
    if (process_->count() != 0) options.process = process;
    if (core_->count() != 0) options.core = core;
    options.mpi = mpi_library_of_text(mpi);
    return options;
  }

 private:
  CLI::Option* process_ = nullptr;
  CLI::Option* core_ = nullptr;
};

Asked declare_debugger(CLI::App& verb, DebuggerKind kind) {
  const auto debugger = std::make_shared<DebuggerArguments>();
  debugger->add_to(verb);
  return [debugger, kind] { return debugger->command(kind); };
}

}  // namespace

Asked declare_gdb(CLI::App& verb) { return declare_debugger(verb, DebuggerKind::gdb); }
Asked declare_lldb(CLI::App& verb) { return declare_debugger(verb, DebuggerKind::lldb); }

}  // namespace ddtscope::reporters
