// The plugin's settings, from DDTSCOPE_* variables of the environment.
#pragma once

#include <cstdint>
#include <string>

namespace ddtscope::plugin {

enum class LogTarget { default_line, file, standard_error, none };

struct Settings {
  std::string output;              // DDTSCOPE_OUTPUT: the trace's folder; empty: ddtscope-<program>-<jobid>
  std::string job;                 // DDTSCOPE_JOB: the job's id; empty: made from time and pid
  int stack_depth = 16;            // DDTSCOPE_STACK
  bool verify = false;             // DDTSCOPE_VERIFY
  bool control_variables = false;  // DDTSCOPE_MPI_T
  bool stop_on_error = false;      // DDTSCOPE_ON_ERROR=stop: SIGSTOP where an error is found before the call
  bool quiet = false;              // DDTSCOPE_QUIET
  std::uint64_t most_trace_bytes = std::uint64_t{1} << 30;   // DDTSCOPE_MAX_TRACE: of this process's trace file
  std::uint64_t most_memory_bytes = std::uint64_t{1} << 25;  // DDTSCOPE_MAX_MEMORY: of what is kept of definitions
  bool uses = true;                                          // DDTSCOPE_USES: what is done with the types
  bool messages = true;                                      // DDTSCOPE_MESSAGES: communicators, and what they carry
  bool sources = true;                                       // DDTSCOPE_SOURCES: where the buffers of calls lie
  bool time_calls = false;                                   // DDTSCOPE_TIME_CALLS: what the plugin takes of calls
  bool merge = true;                                         // DDTSCOPE_MERGE: one file for all ranks
  int merge_patience_s = 60;                                 // DDTSCOPE_MERGE_TIMEOUT: how long a rank may be silent
  bool symbols = true;                                       // DDTSCOPE_SYMBOLS: functions and lines at the job's end
  int symbols_patience_s = 5;                                // DDTSCOPE_SYMBOLS_TIMEOUT: how long that may take
  std::string command;                                       // DDTSCOPE_COMMAND: who does it; empty: beside the plugin
  LogTarget log = LogTarget::default_line;                   // DDTSCOPE_LOG=file|stderr
  std::string log_level;                                     // DDTSCOPE_LOG_LEVEL
  std::string problem;                                       // a variable that could not be understood; empty if none

  static Settings from_environment();
};

}  // namespace ddtscope::plugin
