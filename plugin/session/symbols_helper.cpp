#include "plugin/session/symbols_helper.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "decoder/base/pointers_to_words.h"

extern "C" {
/// clone(2) by the C library's own name: run times of sanitizers stand before the other one, and take what shares the
/// memory for a fork.
int clone_unseen(int (*function)(void*), void* stack, int flags, void* argument, ...) __asm__("__clone");
}

namespace ddtscope::plugin {
namespace {

constexpr std::string_view done = "kept\n";  // what the command prints when it has done its work
constexpr std::size_t most_told = 300;

class FileDescriptor {
 public:
  explicit FileDescriptor(int value = -1) : value_(value) {}
  FileDescriptor(FileDescriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~FileDescriptor() {
    if (value_ >= 0) close(value_);
  }
  int get() const { return value_; }

 private:
  int value_;
};

/// Not one of the three that the command gets, which the program may have closed.
FileDescriptor beyond_standard(int descriptor) {
  const FileDescriptor low(descriptor);
  return FileDescriptor(fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

/// Of the program's environment what any command needs: nothing of the plugin, of MPI, of allocators, and no
/// debuginfod, which would ask the network.
std::vector<std::string> plain_environment() {
  std::vector<std::string> variables = {"LC_ALL=C"};
  for (const char* name :
       {"PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"}) {
    if (const char* value = secure_getenv(name)) variables.push_back(std::string(name) + '=' + value);
  }
  return variables;
}

/// How the command starts: with no signal blocked or ignored, in a folder that nobody wants to unmount, and with no
/// file of the program's.
class SpawnRules {
 public:
  explicit SpawnRules(int output) {
    posix_spawnattr_init(&attributes_);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    posix_spawn_file_actions_addchdir_np(&actions_, "/");
  }
  ~SpawnRules() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnRules(const SpawnRules&) = delete;
  SpawnRules& operator=(const SpawnRules&) = delete;

  const posix_spawnattr_t* attributes() const { return &attributes_; }
  const posix_spawn_file_actions_t* actions() const { return &actions_; }

 private:
  posix_spawnattr_t attributes_;
  posix_spawn_file_actions_t actions_;
};

struct Spawn {
  const SpawnRules* rules;
  char* const* arguments;
  char* const* environment;
  pid_t process = 0;
  int error = 0;
};

/// In the process between: starts the command, and ends.
int spawn(void* argument) {
  Spawn& wanted = *static_cast<Spawn*>(argument);
  wanted.error = posix_spawn(&wanted.process, wanted.arguments[0], wanted.rules->actions(), wanted.rules->attributes(),
                             wanted.arguments, wanted.environment);
  return 0;
}

/// The command as the child of a process that has ended. That one shares this one's memory (no page is copied, however
/// many there are), and has no signal for its end: the program gets no SIGCHLD, and its wait() does not see it
/// (__WCLONE). An error number, or 0.
int spawn_orphan(Spawn& wanted) {
  constexpr std::size_t stack_bytes = std::size_t{1} << 17;
  void* stack = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return errno;
  // No handler of the program's may run there, on its memory.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t between =
      clone_unseen(spawn, static_cast<std::byte*>(stack) + stack_bytes, CLONE_VM | CLONE_VFORK, &wanted);
  const int error = between < 0 ? errno : 0;
  if (between > 0) waitpid(between, nullptr, static_cast<int>(__WCLONE));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  munmap(stack, stack_bytes);
  return error != 0 ? error : wanted.error;
}

/// Processes that nobody waits for would become children of this one.
bool adopts_orphans() {
  int is_subreaper = 0;
  return getpid() == 1 || (prctl(PR_GET_CHILD_SUBREAPER, &is_subreaper) == 0 && is_subreaper != 0);
}

std::int64_t now_ms() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
}

enum class Ended : std::uint8_t { yes, no };

/// What is written until the other end is closed, which is when the command has ended, or until the time has come.
std::pair<std::string, Ended> read_until(int descriptor, std::int64_t end_ms) {
  std::string text;
  for (;;) {
    const std::int64_t left = end_ms - now_ms();
    if (left <= 0) return {text, Ended::no};
    pollfd wanted{descriptor, POLLIN, 0};
    if (poll(&wanted, 1, static_cast<int>(left)) <= 0) continue;  // a signal, or the time
    std::array<char, 512> bytes;
    const ssize_t length = read(descriptor, bytes.data(), bytes.size());
    if (length == 0) return {text, Ended::yes};
    if (length > 0) text.append(bytes.data(), std::min(static_cast<std::size_t>(length), most_told));
    if (text.size() > most_told) text.resize(most_told);
  }
}

std::string first_line(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  if (line.ends_with('.')) line.pop_back();
  return line;
}

}  // namespace

std::string SymbolsHelper::run() const {
  if (adopts_orphans()) return "this process takes orphans in, and would get one";
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::strerror(errno);
  const FileDescriptor reading(ends[0]);
  FileDescriptor writing = beyond_standard(ends[1]);
  std::vector<std::string> words = {command, "resolve", "--at-end-of-job", std::to_string(patience_s), folder};
  std::vector<std::string> variables = plain_environment();
  const std::vector<char*> arguments = pointers_to_words(words);
  const std::vector<char*> environment = pointers_to_words(variables);
  const SpawnRules rules(writing.get());
  Spawn wanted{&rules, arguments.data(), environment.data()};
  const std::int64_t end_ms = now_ms() + std::int64_t{patience_s} * 1000;
  if (const int error = spawn_orphan(wanted); error != 0) {
    return command + " cannot be run: " + std::strerror(error);
  }
  writing = FileDescriptor();
  const auto [told, ended] = read_until(reading.get(), end_ms);
  if (ended == Ended::no) {
    kill(wanted.process, SIGKILL);               // it is there: it has its end of the pipe
    read_until(reading.get(), now_ms() + 1000);  // what it was writing is gone with it
    for (const char* file : {"/symbols.json.", "/sources.json."}) {
      unlink((folder + file + std::to_string(wanted.process) + ".unfinished").c_str());
    }
    if (told == done) return {};  // what the sources say can be looked for whenever they are at hand
    return "it took longer than " + std::to_string(patience_s) + " s";
  }
  if (told == done) return {};
  return told.empty() ? command + " ended early" : first_line(told);
}

std::string find_command(const std::string& wanted) {
  if (!wanted.empty()) return wanted;
  Dl_info own{};
  if (dladdr(reinterpret_cast<const void*>(&find_command), &own) == 0 || own.dli_fname == nullptr) return {};
  char* resolved = realpath(own.dli_fname, nullptr);
  if (resolved == nullptr) return {};
  const std::string plugin = resolved;
  std::free(resolved);
  // From lib, or from lib/x86_64-linux-gnu.
  const std::string folder = plugin.substr(0, plugin.rfind('/'));
  for (const char* beside : {"/../bin/ddtscope", "/../../bin/ddtscope"}) {
    char* command = realpath((folder + beside).c_str(), nullptr);
    if (command == nullptr) continue;
    std::string found = command;
    std::free(command);
    if (access(found.c_str(), X_OK) == 0) return found;
  }
  return {};
}

}  // namespace ddtscope::plugin
