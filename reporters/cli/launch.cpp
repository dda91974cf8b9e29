#include "reporters/cli/launch.h"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "decoder/base/pointers_to_words.h"
#include "reporters/cli/elf_file.h"
#include "reporters/cli/launch_parts.h"

namespace ddtscope::reporters {
namespace {

namespace fs = std::filesystem;

constexpr int status_usage = 2;
// As shells have it.
constexpr int status_not_executable = 126;
constexpr int status_not_found = 127;

LaunchProblem usage(std::string sentence) { return {std::move(sentence), status_usage}; }

bool is_regular(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

std::optional<MpiLibrary> library_of_launcher() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_UNIVERSE_SIZE"}) {
    if (is_set(name)) {
      return MpiLibrary::openmpi;
    }
  }
  for (const char* name : {"PMI_RANK", "PMI_FD", "PMI_PORT", "HYDI_CONTROL_FD", "MPIR_CVAR_CH4_NETMOD"}) {
    if (is_set(name)) {
      return MpiLibrary::mpich;
    }
  }
  return std::nullopt;
}

std::optional<LaunchProblem> check_output(const fs::path& output, const std::string& said) {
  std::error_code error;
  const auto status = fs::status(output, error);
  if (fs::exists(status) && !fs::is_directory(status)) {
    return usage("the output " + said + " is a file, but must be a folder; give another one with -o.");
  }
  if (fs::is_directory(status)) {
    if (access(output.c_str(), W_OK | X_OK) != 0) {
      return usage("the output folder " + said + " cannot be written (" + std::strerror(errno) +
                   "); give another one with -o.");
    }
    return std::nullopt;
  }
  // Missing parents will be made, as far as there is a folder to make them in.
  fs::path parent = output.parent_path().empty() ? fs::path(".") : output.parent_path();
  while (!fs::exists(parent, error) && !parent.parent_path().empty() && parent != parent.parent_path()) {
    parent = parent.parent_path();
  }
  if (!fs::exists(parent, error)) {
    parent = ".";
  }
  if (!fs::is_directory(parent, error)) {
    return usage("the output folder " + said + " cannot be made, because " + parent.string() +
                 " is no folder; give another one with -o.");
  }
  if (access(parent.c_str(), W_OK | X_OK) != 0) {
    return usage("the output folder " + said + " cannot be made in " + parent.string() + " (" + std::strerror(errno) +
                 "); give another one with -o.");
  }
  return std::nullopt;
}

}  // namespace

std::variant<fs::path, LaunchProblem> find_plugin(MpiLibrary library) {
  const std::string name = "libddtscope-" + std::string(text_of(library)) + ".so";
  std::vector<fs::path> folders;
  if (is_set("DDTSCOPE_PLUGIN_DIR")) {
    folders.emplace_back(std::getenv("DDTSCOPE_PLUGIN_DIR"));
  } else {
    std::error_code error;
    const fs::path prefix = fs::read_symlink("/proc/self/exe", error).parent_path().parent_path();
    for (const char* folder : {"lib", DDTSCOPE_LIBDIR, "lib/" DDTSCOPE_MULTIARCH}) {
      folders.push_back(prefix / folder);
    }
  }
  std::string searched;
  for (const fs::path& folder : folders) {
    std::error_code error;
    const fs::path plugin = fs::absolute(folder / name, error);
    if (is_regular(plugin)) {
      // LD_PRELOAD has no way to quote its separators.
      if (plugin.string().find_first_of(" :") != std::string::npos) {
        return usage("the plugin " + plugin.string() +
                     " cannot be preloaded, because its path holds a space or a colon; move ddtscope, or set "
                     "DDTSCOPE_PLUGIN_DIR to a link without them.");
      }
      return plugin;
    }
    if (searched.find(folder.string() + ",") == std::string::npos) {
      searched += folder.string() + ", ";
    }
  }
  return usage("the plugin " + name + " is not in " + searched.substr(0, searched.size() - 2) +
               "; build ddtscope with " + std::string(text_of(library)) +
               " installed, or set DDTSCOPE_PLUGIN_DIR to the plugin's folder.");
}

std::string_view text_of(MpiLibrary library) {
  switch (library) {
    case MpiLibrary::openmpi:
      return "openmpi";
    case MpiLibrary::mpich:
      return "mpich";
    case MpiLibrary::mpi_abi:
      return "mpi_abi";
  }
  return "";
}

std::vector<std::string> mpi_library_texts() {
  std::vector<std::string> texts;
  for (const MpiLibrary library : all_mpi_libraries) texts.emplace_back(text_of(library));
  return texts;
}

std::optional<MpiLibrary> mpi_library_of_text(std::string_view text) {
  for (const MpiLibrary library : all_mpi_libraries) {
    if (text == text_of(library)) {
      return library;
    }
  }
  return std::nullopt;
}

std::optional<MpiLibrary> mpi_library_of_file(std::string_view name) {
  name = name.substr(name.rfind('/') + 1);
  if (name.starts_with("libmpi_abi.so")) {
    return MpiLibrary::mpi_abi;
  }
  if (name.starts_with("libmpich.so")) {
    return MpiLibrary::mpich;
  }
  // Debian calls MPICH's library libmpich.so.12; its own build calls it libmpi.so.12, the number of the
  // ABI that MPICH and its relatives agreed on. Open MPI has used 0, 1, 12 never, 20, 40 and 80.
  if (name == "libmpi.so.12" || name.starts_with("libmpi.so.12.")) {
    return MpiLibrary::mpich;
  }
  if (name == "libmpi.so" || name.starts_with("libmpi.so.")) {
    return MpiLibrary::openmpi;
  }
  return std::nullopt;
}

std::variant<fs::path, LaunchProblem> find_program(const std::string& name) {
  std::vector<fs::path> candidates;
  if (name.find('/') != std::string::npos) {
    candidates.emplace_back(name);
  } else {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path);
    std::string folder;
    while (std::getline(folders, folder, ':')) {
      candidates.push_back(fs::path(folder.empty() ? "." : folder) / name);
    }
  }
  std::optional<fs::path> not_executable;
  for (const fs::path& candidate : candidates) {
    std::error_code error;
    if (is_regular(candidate) && access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
    if (fs::exists(candidate, error) && !not_executable) {
      not_executable = candidate;
    }
  }
  if (not_executable) {
    std::error_code error;
    return LaunchProblem{"the program " + not_executable->string() + " cannot be run, because it is " +
                             (fs::is_directory(*not_executable, error)
                                  ? "a folder; give a program."
                                  : "not executable; set its permission (chmod +x) or name its interpreter first."),
                         status_not_executable};
  }
  return LaunchProblem{"there is no program " + name +
                           (name.find('/') != std::string::npos ? "; check the path." : " in PATH; give its path."),
                       status_not_found};
}

namespace {

/// Whether the program gets rights that its user has not: then the loader takes nothing from LD_PRELOAD (ld.so(8),
/// secure-execution mode).
bool has_rights_of_its_own(const fs::path& program) {
  struct stat status;
  struct statvfs file_system;
  if (stat(program.c_str(), &status) != 0 || statvfs(program.c_str(), &file_system) != 0) return false;
  if ((file_system.f_flag & ST_NOSUID) != 0) return false;
  const bool is_of_another_user = (status.st_mode & S_ISUID) != 0 && status.st_uid != getuid();
  const bool is_of_another_group =
      (status.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && status.st_gid != getgid();
  const bool has_capabilities = getuid() != 0 && getxattr(program.c_str(), "security.capability", nullptr, 0) > 0;
  return is_of_another_user || is_of_another_group || has_capabilities;
}

/// Each once.
std::vector<MpiLibrary> linked_mpi_libraries(const fs::path& program) {
  std::vector<MpiLibrary> linked;
  for (const std::string& name : needed_libraries(program)) {
    const auto library = mpi_library_of_file(name);
    if (library && std::find(linked.begin(), linked.end(), *library) == linked.end()) linked.push_back(*library);
  }
  return linked;
}

/// It starts the ranks itself: what is preloaded into it does not reach them.
bool is_launcher(const fs::path& program) {
  const std::string name = program.filename().string();
  const std::string first = name.substr(0, name.find('.'));  // "mpirun.openmpi"
  constexpr std::string_view launchers[] = {"mpirun", "mpiexec", "orterun", "prterun", "srun", "aprun", "jsrun"};
  return std::find(std::begin(launchers), std::end(launchers), first) != std::end(launchers);
}

std::string list_of(const std::vector<MpiLibrary>& libraries, std::string_view separator) {
  std::string list;
  for (const MpiLibrary library : libraries) {
    if (!list.empty()) list += separator;
    list += text_of(library);
  }
  return list;
}

}  // namespace

std::variant<MpiLibrary, LaunchProblem> choose_mpi_library(const fs::path& program, std::optional<MpiLibrary> wanted) {
  if (!wanted && is_launcher(program)) {
    const std::string name = program.filename().string();
    return usage(name + " starts the ranks, and ddtscope belongs inside it: " + name +
                 " -n 4 ddtscope exec -o t ./app; no trace would be written the other way round.");
  }
  const auto file = read_elf_file(program);
  if (file && has_rights_of_its_own(program)) {
    return usage(
        "the program " + program.string() +
        " runs with rights of its own (set-user-ID, set-group-ID or capabilities), so nothing can be preloaded "
        "into it; run a copy that has none.");
  }
  if (file && !file->has_interpreter) {
    return usage(
        "the program " + program.string() +
        " is linked statically, so nothing can be preloaded into it; link it dynamically with its MPI library.");
  }
  const std::vector<MpiLibrary> linked = file ? linked_mpi_libraries(program) : std::vector<MpiLibrary>();
  if (linked.size() > 1) {
    if (wanted) {
      return *wanted;
    }
    return usage("the program " + program.string() + " links " + list_of(linked, " and ") +
                 "; say which one it uses with --mpi " + list_of(linked, " or --mpi ") + ".");
  }
  if (linked.size() == 1) {
    if (wanted && *wanted != linked.front()) {
      const std::string name(text_of(linked.front()));
      return usage("the program " + program.string() + " links " + name + ", so the plugin for " +
                   std::string(text_of(*wanted)) + " does not suit it; leave --mpi out or say --mpi " + name + ".");
    }
    return linked.front();
  }
  if (wanted) {
    return *wanted;
  }
  if (const auto library = library_of_launcher()) {
    return *library;
  }
  return usage("the program " + program.string() + (file ? " links no MPI library" : " is a script") +
               ", and no MPI launcher stands around it; if it starts MPI later, say which one with --mpi " +
               list_of({std::begin(all_mpi_libraries), std::end(all_mpi_libraries)}, " or --mpi ") + ".");
}

LaunchProblem execute(const fs::path& path, std::vector<std::string> command) {
  execvp(path.c_str(), pointers_to_words(command).data());
  const int reason = errno;
  return {"the program " + path.string() + " cannot be started (" + std::strerror(reason) +
              "); check that it is built for this machine.",
          reason == ENOENT ? status_not_found : status_not_executable};
}

LaunchProblem launch(const LaunchOptions& options) {
  const auto program = find_program(options.command.front());
  if (const auto* problem = std::get_if<LaunchProblem>(&program)) {
    return *problem;
  }
  const fs::path& path = std::get<fs::path>(program);
  const auto library = choose_mpi_library(path, options.mpi);
  if (const auto* problem = std::get_if<LaunchProblem>(&library)) {
    return *problem;
  }
  const auto plugin = find_plugin(std::get<MpiLibrary>(library));
  if (const auto* problem = std::get_if<LaunchProblem>(&plugin)) {
    return *problem;
  }
  std::error_code error;
  if (options.output) {
    // The job may change its working directory before it writes.
    const fs::path output = fs::absolute(*options.output, error).lexically_normal();
    fs::path folder = output;
    if (!folder.has_filename()) {
      folder = folder.parent_path();  // "t/"
    }
    if (auto problem = check_output(folder, *options.output)) {
      return *problem;
    }
    setenv("DDTSCOPE_OUTPUT", folder.c_str(), 1);
  } else if (const char* output = std::getenv("DDTSCOPE_OUTPUT"); output != nullptr && *output != '\0') {
    if (auto problem = check_output(output, output)) {
      return *problem;
    }
  } else if (access(".", W_OK | X_OK) != 0) {
    return usage(std::string("the trace cannot be written into the working directory (") + std::strerror(errno) +
                 "); give a folder with -o.");
  }
  if (options.stack) {
    setenv("DDTSCOPE_STACK", std::to_string(*options.stack).c_str(), 1);
  }
  if (options.verify) {
    setenv("DDTSCOPE_VERIFY", "1", 1);
  }
  if (options.quiet) {
    setenv("DDTSCOPE_QUIET", "1", 1);
  }
  std::string preload = std::get<fs::path>(plugin).string();
  if (is_set("LD_PRELOAD")) {
    preload += std::string(":") + std::getenv("LD_PRELOAD");
  }
  setenv("LD_PRELOAD", preload.c_str(), 1);
  // Of this process alone, which becomes the program, the plugin says at its end that it never started MPI.
  setenv("DDTSCOPE_EXEC", std::to_string(getpid()).c_str(), 1);

  return execute(path, options.command);
}

}  // namespace ddtscope::reporters
