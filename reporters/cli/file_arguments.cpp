// What verbs take that write traces, or what stands beside them.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "reporters/cli/report_arguments.h"
#include "reporters/cli/type_arguments.h"
#include "reporters/cli/verb_arguments.h"
#include "reporters/trace/format/stack_depth.h"

namespace ddtscope::reporters {
namespace {

struct ExecArguments {
  LaunchOptions launch;
  std::string output, mpi;
  unsigned stack = 0;

  void add_to(CLI::App& verb) {
    output_ = verb.add_option("-o,--output", output, "the trace's folder (default: ddtscope-<program>-<jobid>)")
                  ->type_name("DIR");
    mpi_ = verb.add_option("--mpi", mpi, "for scripts and programs that load MPI later")
               ->check(CLI::IsMember(mpi_library_texts()));
    stack_ = verb.add_option("--stack", stack, "frames of each call site: 16 by default, 0 for none")
                 ->type_name("N")
                 ->check(CLI::Range(0, trace::largest_stack_depth));
    verb.add_flag("--verify", launch.verify, "compare each definition with the library's own answers");
    verb.add_flag("--quiet", launch.quiet, "no line about the trace at the end of the job");
    // For help alone: the program's words are never parsed.
    verb.add_option("PROGRAM", launch.command, "the program and its arguments; behind -- where its name begins with -")
        ->option_text("[--] PROGRAM [ARGS...]");
    verb.footer("Stands inside the launcher: mpirun -n 4 ddtscope exec -o t -- ./app");
  }

  Command command() {
    if (output_->count() != 0) {
      launch.output = output;
    }
    if (mpi_->count() != 0) {
      launch.mpi = mpi_library_of_text(mpi);
    }
    if (stack_->count() != 0) {
      launch.stack = stack;
    }
    if (launch.output && launch.output->empty()) {
      return usage("-o needs the name of a folder.");
    }
    return launch;
  }

 private:
  CLI::Option* output_ = nullptr;
  CLI::Option* mpi_ = nullptr;
  CLI::Option* stack_ = nullptr;
};

struct RecoverArguments {
  std::vector<std::string> cores;
  std::vector<std::int64_t> processes;
  std::string folder;

  void add_to(CLI::App& verb) {
    verb.add_option("CORE", cores, "core files of one job's processes")->type_name("");
    take_one_each_time(
        *verb.add_option("--pid", processes, "a process that runs, of the same user; it stands still while it is read")
             ->type_name("PID")
             ->check(CLI::Range(std::int64_t{1}, std::int64_t{INT32_MAX})));
    verb.add_option("-o,--output", folder, "the folder of the recovered trace")->type_name("DIR")->required();
  }

  Command command() const {
    if (cores.empty() && processes.empty()) {
      return usage("say what to recover from: core files, or --pid PID.");
    }
    return RecoverOptions{{cores.begin(), cores.end()}, processes, folder};
  }
};

}  // namespace

Asked declare_exec(CLI::App& verb) {
  const auto exec = std::make_shared<ExecArguments>();
  exec->add_to(verb);
  return [exec] { return exec->command(); };
}

Asked declare_merge(CLI::App& verb) {
  struct Merge {
    std::vector<std::string> traces;
    std::string folder;
  };
  const auto merge = std::make_shared<Merge>();
  take_traces(verb, merge->traces);
  verb.add_option("-o,--output", merge->folder, "the folder of the merged trace")->type_name("DIR")->required();
  return [merge] { return MergeCommand{{merge->traces.begin(), merge->traces.end()}, merge->folder}; };
}

Asked declare_resolve(CLI::App& verb) {
  struct Resolve {
    std::vector<std::string> traces;
    unsigned seconds = 0;
  };
  const auto resolve = std::make_shared<Resolve>();
  take_traces(verb, resolve->traces);
  // The plugin's: quiet, and ended by itself. No group: help does not show it.
  verb.add_option("--at-end-of-job", resolve->seconds, "the seconds that it may take")
      ->group("")
      ->check(CLI::Range(1, INT32_MAX));
  return [resolve] { return ResolveOptions{{resolve->traces.begin(), resolve->traces.end()}, resolve->seconds}; };
}

Asked declare_recover(CLI::App& verb) {
  const auto recover = std::make_shared<RecoverArguments>();
  recover->add_to(verb);
  return [recover] { return recover->command(); };
}

}  // namespace ddtscope::reporters
