// Starting a debugger that knows `mpitype`.
#include <glob.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iomanip>
#include <sstream>

#include "reporters/cli/launch.h"
#include "reporters/cli/launch_parts.h"
#include "reporters/trace/format/number_of_text.h"

namespace ddtscope::reporters {
namespace {

namespace fs = std::filesystem;

/// Beside the command: PREFIX/bin and PREFIX/share.
std::variant<fs::path, LaunchProblem> find_script(const std::string& name) {
  std::error_code error;
  const fs::path prefix = fs::read_symlink("/proc/self/exe", error).parent_path().parent_path();
  const fs::path script = prefix / "share" / "ddtscope" / "debugger" / name;
  if (fs::is_regular_file(script, error)) return script;
  return LaunchProblem{
      "the debugger's script " + script.string() + " is missing; install it (Debian: ddtscope-debugger).", 2};
}

std::vector<std::string> matches(const char* pattern) {
  std::vector<std::string> found;
  glob_t result{};
  if (glob(pattern, 0, nullptr, &result) == 0) {
    found.assign(result.gl_pathv, result.gl_pathv + result.gl_pathc);
  }
  globfree(&result);
  return found;
}

/// lldb's Python needs a module of its own, which Debian's package does not find by itself.
void help_lldb_find_its_module(const fs::path& lldb) {
  std::error_code error;
  const fs::path prefix = fs::canonical(lldb, error).parent_path().parent_path();
  const auto modules = matches((prefix / "lib/python3*/dist-packages/lldb/embedded_interpreter.py").c_str());
  if (error || modules.empty()) return;
  const char* known = std::getenv("PYTHONPATH");
  // And what that module imports, whatever Python stands first in PATH.
  std::string path = fs::path(modules.back()).parent_path().parent_path().string() + ":/usr/lib/python3/dist-packages";
  if (known != nullptr && *known != '\0') path += std::string(":") + known;
  setenv("PYTHONPATH", path.c_str(), 1);
}

std::variant<fs::path, LaunchProblem> find_debugger(DebuggerKind kind) {
  if (kind == DebuggerKind::gdb) return find_program("gdb");
  auto found = find_program("lldb");
  if (std::holds_alternative<fs::path>(found)) return found;
  std::uint64_t newest = 0;
  const std::string named = "/usr/bin/lldb-";
  for (const std::string& path : matches((named + "[0-9]*").c_str())) {
    const auto version = number_of_text<std::uint64_t>(std::string_view(path).substr(named.size()));
    if (version.value_or(0) > newest) {
      newest = *version;
      found = fs::path(path);
    }
  }
  return found;
}

/// The plugin that the program is to be preloaded with.
std::variant<fs::path, LaunchProblem> plugin_of(const DebuggerOptions& options) {
  const auto program = find_program(options.command.front());
  if (const auto* problem = std::get_if<LaunchProblem>(&program)) return *problem;
  const auto library = choose_mpi_library(std::get<fs::path>(program), options.mpi);
  if (const auto* problem = std::get_if<LaunchProblem>(&library)) return *problem;
  return find_plugin(std::get<MpiLibrary>(library));
}

std::vector<std::string> gdb_command(const DebuggerOptions& options, const fs::path& script,
                                     const std::string& preload) {
  std::vector<std::string> command = {"gdb", "-iex", "source " + script.string()};
  if (!preload.empty()) {
    command.insert(command.end(), {"-iex", "set environment LD_PRELOAD " + preload});
  }
  command.insert(command.end(), options.own.begin(), options.own.end());
  if (options.process) command.insert(command.end(), {"-p", std::to_string(*options.process)});
  if (options.core) command.insert(command.end(), {"-c", *options.core});
  if (!options.command.empty()) {
    command.emplace_back("--args");
    command.insert(command.end(), options.command.begin(), options.command.end());
  }
  return command;
}

/// As lldb's commands have a word with blanks in it.
std::string quoted_for_lldb(const std::string& word) {
  std::ostringstream text;
  text << std::quoted(word);
  return text.str();
}

std::vector<std::string> lldb_command(const DebuggerOptions& options, const fs::path& script,
                                      const std::string& preload) {
  std::vector<std::string> command = {"lldb", "-O", "command script import " + quoted_for_lldb(script.string())};
  command.insert(command.end(), options.own.begin(), options.own.end());
  if (options.process) command.insert(command.end(), {"-p", std::to_string(*options.process)});
  if (options.core) command.insert(command.end(), {"-c", *options.core});
  if (!options.command.empty()) {
    // To what the user's ~/.lldbinit has set.
    command.insert(command.end(),
                   {"-O", "settings append target.env-vars LD_PRELOAD=" + quoted_for_lldb(preload), "--"});
    command.insert(command.end(), options.command.begin(), options.command.end());
  }
  return command;
}

}  // namespace

LaunchProblem launch_debugger(const DebuggerOptions& options) {
  const bool is_gdb = options.kind == DebuggerKind::gdb;
  const auto debugger = find_debugger(options.kind);
  if (std::holds_alternative<LaunchProblem>(debugger)) {
    return {std::string(is_gdb ? "gdb" : "lldb") +
                " is not in PATH; install it (Debian: " + (is_gdb ? "gdb" : "lldb, python3-lldb") + ").",
            std::get<LaunchProblem>(debugger).status};
  }
  const auto script = find_script(is_gdb ? "mpitype_gdb.py" : "mpitype_lldb.py");
  if (const auto* problem = std::get_if<LaunchProblem>(&script)) return *problem;
  std::string preload;
  // With a core the program is only looked at.
  if (!options.command.empty() && !options.core) {
    const auto plugin = plugin_of(options);
    if (const auto* problem = std::get_if<LaunchProblem>(&plugin)) return *problem;
    preload = std::get<fs::path>(plugin).string();
    if (const char* set = std::getenv("LD_PRELOAD"); set != nullptr && *set != '\0') preload += std::string(":") + set;
  }
  if (!is_gdb) help_lldb_find_its_module(std::get<fs::path>(debugger));
  return execute(std::get<fs::path>(debugger), is_gdb ? gdb_command(options, std::get<fs::path>(script), preload)
                                                      : lldb_command(options, std::get<fs::path>(script), preload));
}

}  // namespace ddtscope::reporters
