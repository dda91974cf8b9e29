// At the end of the job the command writes functions and lines of the call sites beside the trace, while the program is
// still what it was: a process of its own, of which the program notices nothing.
#pragma once

#include <string>

namespace ddtscope::plugin {

/// What is run as `<command> resolve --at-end-of-job <patience_s> <folder>`.
struct SymbolsHelper {
  std::string command;  // a path
  std::string folder;   // the trace's, absolute
  int patience_s = 5;

  /// Waits until the command ends, at most `patience_s`; then it is killed. It is no child of this process, so that
  /// neither SIGCHLD nor wait() tells of it. Empty where it did its work, else why not, as a part of a sentence.
  std::string run() const;
};

/// `wanted`, or where that is empty the command beside the plugin: in the build tree, or installed. Empty where there
/// is none.
std::string find_command(const std::string& wanted);

}  // namespace ddtscope::plugin
