// Memory of a process that runs, held still while it is read.
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "reporters/debug_view/memory_source.h"
#include "reporters/trace/format/file_io.h"

namespace ddtscope::reporters {
namespace {

namespace fs = std::filesystem;

std::string folder_of(pid_t pid) { return "/proc/" + std::to_string(pid); }

/// A thread that has ended and is not forgotten yet, as the first one where it did not wait for the others.
bool has_ended(const std::string& folder) {
  std::ifstream status(folder + "/status");
  constexpr std::string_view member = "State:\t";
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(member)) return line.find_first_of("ZX", member.size()) == member.size();
  }
  return true;
}

/// A thread's folder, by which the process's memory can be read.
std::string folder_of_memory(pid_t pid) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_of(pid) + "/task", error)) {
    if (!has_ended(entry.path())) return entry.path();
  }
  return folder_of(pid);
}

/// The threads of a process, stopped. No signal is sent, so neither the process nor its launcher sees it.
class StoppedThreads {
 public:
  /// errno of what kept a thread from being stopped; 0.
  int stop(pid_t pid) {
    // Threads that go on may start others.
    for (bool is_new = true; is_new;) {
      is_new = false;
      std::error_code error;
      for (const auto& entry : fs::directory_iterator(folder_of(pid) + "/task", error)) {
        const std::string name = entry.path().filename();
        pid_t thread = 0;
        std::from_chars(name.data(), name.data() + name.size(), thread);
        if (thread == 0 || threads_.contains(thread)) continue;
        if (ptrace(PTRACE_SEIZE, thread, nullptr, nullptr) != 0) {
          const int why = errno;
          if (why == ESRCH || has_ended(entry.path())) continue;
          return why;
        }
        threads_.insert(thread);
        is_new = true;
        ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr);
        int status = 0;
        while (waitpid(thread, &status, __WALL) < 0 && errno == EINTR) {
        }
        // A signal that came first must not be lost.
        if (WIFSTOPPED(status) && status >> 16 == 0 && WSTOPSIG(status) != SIGTRAP) {
          signals_.emplace_back(thread, WSTOPSIG(status));
        }
      }
    }
    return 0;
  }

  StoppedThreads() = default;
  StoppedThreads(const StoppedThreads&) = delete;
  StoppedThreads& operator=(const StoppedThreads&) = delete;
  ~StoppedThreads() {
    for (const pid_t thread : threads_) {
      const auto signal =
          std::find_if(signals_.begin(), signals_.end(), [&](const auto& known) { return known.first == thread; });
      const long pending = signal != signals_.end() ? signal->second : 0;
      ptrace(PTRACE_DETACH, thread, nullptr, pending);
    }
  }

 private:
  std::set<pid_t> threads_;
  std::vector<std::pair<pid_t, int>> signals_;
};

class ProcessMemory : public MemorySource {
 public:
  explicit ProcessMemory(pid_t pid) : name_("process " + std::to_string(pid)) {}
  ~ProcessMemory() override {
    if (memory_ >= 0) close(memory_);
  }

  std::optional<TraceProblem> open(pid_t pid) {
    std::error_code ignored;
    if (!fs::exists(folder_of(pid), ignored)) {
      return TraceProblem{TraceProblem::Kind::unreadable, name_ + ": there is no such process."};
    }
    const std::string folder = folder_of_memory(pid);
    memory_ = ::open((folder + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
    if (memory_ >= 0 && !find_ranges(folder)) {
      return unreadable(
          name_,
          "no view of ddtscope's is in it, because the plugin is not; give a process of the program, not its "
          "launcher, that runs under `ddtscope exec`.");
    }
    const int error = memory_ < 0 ? errno : is_traced(pid) ? 0 : threads_.stop(pid);
    if (error != 0) return TraceProblem{TraceProblem::Kind::unreadable, name_ + why_not(error)};
    return std::nullopt;
  }

  bool read(std::uint64_t address, void* to, std::size_t bytes) override {
    return trace::read_all_at(memory_, address, to, bytes);
  }

  const std::vector<MemoryRange>& ranges() const override { return ranges_; }
  Instant instant() const override { return Instant::now; }
  const std::string& name() const override { return name_; }

 private:
  static std::string why_not(int error) {
    if (error == ENOSYS) {
      return ": one process cannot trace another here, as under an emulator of the processor; a core can be read.";
    }
    return std::string(": its memory may not be read (") + std::strerror(error) +
           "); it must belong to the same user, and the system must let one process trace another "
           "(kernel.yama.ptrace_scope, containers).";
  }

  /// By a debugger, who has stopped it, or will not let it go.
  static bool is_traced(pid_t pid) {
    std::ifstream status(folder_of(pid) + "/status");
    constexpr std::string_view member = "TracerPid:";
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with(member)) return std::stol(line.substr(member.size())) != 0;
    }
    return false;
  }

  /// The plugin's variables. The system names the files of all mappings: elsewhere no view can be, and a process must
  /// not stand still while all its memory is searched. False where the plugin is not there.
  bool find_ranges(const std::string& folder) {
    std::ifstream maps(folder + "/maps");
    bool is_plugins = false;
    std::uint64_t end = 0;
    for (std::string line; std::getline(maps, line);) {
      std::istringstream words(line);
      MemoryRange range;
      std::string rights, offset, device, inode, path;
      char dash = 0;
      words >> std::hex >> range.begin >> dash >> range.end >> rights >> offset >> device >> inode;
      std::getline(words >> std::ws, path);
      // What follows the plugin's mappings without a file is the rest of its variables.
      const bool has_file = !path.empty() && path.front() != '[';
      is_plugins = has_file ? path.find("libddtscope-") != std::string::npos : is_plugins && range.begin == end;
      end = range.end;
      if (is_plugins && rights.starts_with("rw")) ranges_.push_back(range);
    }
    return !ranges_.empty();
  }

  std::string name_;
  int memory_ = -1;
  StoppedThreads threads_;
  std::vector<MemoryRange> ranges_;
};

}  // namespace

MemorySourceResult open_process(pid_t pid) {
  auto memory = std::make_unique<ProcessMemory>(pid);
  if (auto problem = memory->open(pid)) return std::move(*problem);
  return memory;
}

}  // namespace ddtscope::reporters
