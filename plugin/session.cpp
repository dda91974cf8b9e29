// Beginning and end of recording in one process.
#include "plugin/session.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string_view>

#include "plugin/control_variables.h"
#include "plugin/output_folder.h"

namespace ddtscope::plugin {
namespace {

std::string program_path() {
  char buffer[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", buffer, sizeof buffer);
  return length > 0 ? std::string(buffer, static_cast<std::size_t>(length)) : std::string();
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::vector<std::string> program_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::vector<std::string> arguments;
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = std::min(all.find('\0', begin), all.size());
    arguments.push_back(all.substr(begin, end - begin));
    begin = end + 1;
  }
  if (!arguments.empty()) arguments.erase(arguments.begin());
  return arguments;
}

std::string host_name() {
  char buffer[HOST_NAME_MAX + 1] = {};
  return gethostname(buffer, sizeof buffer - 1) == 0 ? buffer : "unknown";
}

std::string utc_now(const char* format, bool milliseconds) {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  std::strftime(text, sizeof text, format, &parts);
  if (!milliseconds) return text;
  const auto part = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  char fraction[16];
  std::snprintf(fraction, sizeof fraction, ".%03dZ", static_cast<int>(part));
  return std::string(text) + fraction;
}

std::string timestamp() { return utc_now("%Y-%m-%dT%H:%M:%S", true); }

/// Unique enough for a folder name, and sorted by time.
std::string new_job_id() { return utc_now("%Y%m%d-%H%M%S", false) + "-" + std::to_string(getpid()); }

/// In a process without MPI_COMM_WORLD nobody can be asked: the launcher's variables tell what all
/// processes of the job have in common.
std::string job_id_of_launcher() {
  const auto variable = [](const char* name) {
    const char* value = secure_getenv(name);
    return std::string(value ? value : "");
  };
  for (const char* name : {"PMIX_NAMESPACE", "PMI_JOBID", "PMI_ID_NAMESPACE"}) {
    if (const std::string value = variable(name); !value.empty()) return value;
  }
  // A batch job may start several programs: each is a step of its own.
  const std::string step = variable("SLURM_STEP_ID");
  if (const std::string job = variable("SLURM_JOB_ID"); !job.empty() && !step.empty()) return job + "." + step;
  // Under a launcher without a name for the job, its processes on one host have the same parent.
  const bool launched = secure_getenv("PMI_RANK") || secure_getenv("PMIX_RANK");
  return host_name() + "-" + std::to_string(launched ? getppid() : getpid());
}

std::vector<PredefinedHandle> predefined_of(LibraryQueries& queries) {
  std::vector<PredefinedHandle> result;
  const auto size_of = [&](std::string_view name) -> std::int64_t {
    const std::optional<MPI_Datatype> handle = predefined_handle(name);
    return handle ? queries.bounds(bits_of(*handle)).size.value_or(0) : 0;
  };
  for (const std::string_view name : predefined_handle_names()) {
    const std::optional<MPI_Datatype> handle = predefined_handle(name);
    const PredefinedName* known = find_predefined_name(name);
    if (!handle) continue;
    const ObservedBounds bounds = queries.bounds(bits_of(*handle));
    PredefinedType type;
    type.name = known ? known->canonical : name;  // a library's own types are basic
    type.kind = known ? known->kind : PredefinedKind::basic;
    type.size = bounds.size.value_or(0);
    type.extent = bounds.extent.value_or(0);
    const bool marker = type.kind == PredefinedKind::lb_marker || type.kind == PredefinedKind::ub_marker;
    if (type.size == 0 && !marker) continue;  // exported, but the machine has no such type
    type.alignment = natural_alignment(type.name, type.size);
    if (type.kind == PredefinedKind::pair) {
      type.first = known->first;
      type.second = known->second;
      const std::int64_t first_size = size_of(type.first);
      const std::int64_t second_alignment = natural_alignment(type.second, size_of(type.second));
      type.second_displacement = (first_size + second_alignment - 1) / second_alignment * second_alignment;
      type.alignment = std::max(natural_alignment(type.first, first_size), second_alignment);
    }
    result.push_back({bits_of(*handle), std::move(type)});
  }
  // Pairs are laid out from their parts, which must come first.
  std::stable_sort(result.begin(), result.end(), [](const PredefinedHandle& a, const PredefinedHandle& b) {
    return (a.type.kind == PredefinedKind::pair) < (b.type.kind == PredefinedKind::pair);
  });
  return result;
}

}  // namespace

/// What rank 0 decides for all.
struct Session::Decision {
  char folder[PATH_MAX];
  char job[256];
};

std::atomic<Session*> Session::active_{nullptr};

void Session::begin_world() { begin(true); }
void Session::begin_session() { begin(false); }

void Session::begin(bool world) noexcept {
  if (Session* session = active()) {
    world ? session->world_open_.store(true) : static_cast<void>(session->open_sessions_.fetch_add(1));
    // A session may allow more threads than MPI_Init did. No other thread is in a call until it is open.
    session->registry_->require_locking();
    return;
  }
  try {
    // Never destroyed: other threads may be inside a wrapper at any time.
    auto* session = new Session();
    world ? session->world_open_.store(true) : static_cast<void>(session->open_sessions_.fetch_add(1));
    if (!session->start(world)) return;
    // MPI cannot be used in a forked child, and the trace is its parent's.
    pthread_atfork(nullptr, nullptr, [] { active_.store(nullptr, std::memory_order_release); });
    active_.store(session, std::memory_order_release);
  } catch (const std::exception& error) {
    say_once("no trace is written: ", error.what());
  } catch (...) {
    say_once("no trace is written: ", "unknown error");
  }
}

bool Session::start(bool world) {
  settings_ = Settings::from_environment();
  if (!is_expected_library()) {
    // Without MPI the rank is only known to the launcher; one line for the job is enough.
    const char* rank = secure_getenv("OMPI_COMM_WORLD_RANK");
    if (!rank) rank = secure_getenv("PMI_RANK");
    if (!rank || std::string_view(rank) == "0") {
      const std::string plugin = "libddtscope-" + std::string(library_name()) + ".so";
      say_once(
          "no trace is written: the program runs another MPI library than the preloaded plugin is for; take the other "
          "one instead of ",
          plugin.c_str());
    }
    return false;
  }
  if (const char* missing = mpi_.resolve()) {
    say_once("no trace is written: the MPI library has no function ", missing);
    return false;
  }
  queries_ = std::make_unique<MpiQueries>(mpi_);
  int thread_level = MPI_THREAD_MULTIPLE;
  if (world) {
    const MPI_Comm communicator = world_communicator();
    mpi_.Comm_rank(communicator, &rank_);
    mpi_.Comm_size(communicator, &size_);
    mpi_.Query_thread(&thread_level);
    Decision decision{};
    std::string notice;
    if (rank_ == 0) decide(decision, notice);
    // Whatever went wrong on rank 0, the others wait for this.
    if (size_ > 1) mpi_.Bcast(&decision, sizeof decision, *predefined_handle("MPI_BYTE"), 0, communicator);
    folder_ = decision.folder;
    job_ = decision.job;
    if (folder_.empty()) {
      if (rank_ == 0) say_once(notice.empty() ? "no trace is written: no memory" : notice.c_str(), "");
      return false;
    }
    make_folder(folder_);  // on a file system of this node's own
    log_ = std::make_unique<Log>(settings_, folder_ + "/log-" + std::to_string(rank_) + ".txt");
    if (!notice.empty()) log_->warn(notice);
  } else {
    job_ = settings_.job.empty() ? job_id_of_launcher() : settings_.job;
    const OutputFolder folder =
        make_output_folder(settings_.output, file_name(program_path()), job_, Claim::one_of_many);
    folder_ = folder.path;
    if (folder_.empty()) {
      say_once(folder.notice.c_str(), "");
      return false;
    }
    log_ = std::make_unique<Log>(settings_, folder_ + "/log-" + host_name() + "-" + std::to_string(getpid()) + ".txt");
    if (!folder.notice.empty()) log_->warn(folder.notice);
  }
  if (!settings_.problem.empty() && rank_ <= 0) log_->warn(settings_.problem);

  sites_ = std::make_unique<CallSites>(settings_.stack_depth, is_library_module);
  if (!sites_->problem().empty() && rank_ <= 0) log_->warn(sites_->problem());

  const std::string file = folder_ + "/" +
                           (world ? "rank-" + std::to_string(rank_) : host_name() + "-" + std::to_string(getpid())) +
                           ".jsonl";
  if (!writer_.is_open() && !writer_.create(file)) {
    const std::string reason = file + " (" + std::strerror(errno) + ")";
    say_once("no trace is written by this process: cannot create ", reason.c_str());
    return false;
  }
  registry_ = std::make_unique<Registry>(
      Registry::Options{.verify = settings_.verify, .multithreaded = thread_level == MPI_THREAD_MULTIPLE},
      library_constants(), predefined_of(*queries_), *sites_, *queries_, writer_);
  writer_.header(header(), registry_->store());
  if (writer_.error() != 0) {
    fail_write();
    return false;
  }
  if (world) watch_finalize();
  log_->debug("recording to " + file);
  return true;
}

void Session::decide(Decision& decision, std::string& notice) noexcept {
  try {
    job_ = settings_.job.empty() ? new_job_id() : settings_.job;
    OutputFolder folder = make_output_folder(settings_.output, file_name(program_path()), job_, Claim::whole_job);
    // This rank's file is the claim: of two jobs that start at once, one makes it.
    if (!folder.path.empty() && !writer_.create(folder.path + "/rank-0.jsonl") && errno == EEXIST) {
      folder = make_output_folder(folder.path, file_name(program_path()), job_, Claim::whole_job);
    }
    notice = folder.notice;
    std::snprintf(decision.folder, sizeof decision.folder, "%s", folder.path.c_str());
    std::snprintf(decision.job, sizeof decision.job, "%s", job_.c_str());
  } catch (...) {
    decision.folder[0] = '\0';
  }
}

trace::Header Session::header() const {
  trace::Header header;
  header.tool = DDTSCOPE_VERSION;
  header.job = job_;
  header.library_name = library_name();
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  if (mpi_.Get_library_version(version, &length) == MPI_SUCCESS) {
    header.library_version = version;
    std::replace(header.library_version.begin(), header.library_version.end(), '\t', ' ');
    while (!header.library_version.empty() && std::strchr(" \n\r", header.library_version.back()))
      header.library_version.pop_back();
  }
  int major = 0;
  int minor = 0;
  mpi_.Get_version(&major, &minor);
  header.library_standard = std::to_string(major) + "." + std::to_string(minor);
  header.host = host_name();
  header.pid = getpid();
  if (rank_ >= 0) {
    header.rank = rank_;
    header.size = size_;
  }
  header.program = program_path();
  header.arguments = program_arguments();
  header.started = timestamp();
  header.stack_depth = sites_->depth();
  header.verify = settings_.verify;
  if (settings_.control_variables && rank_ == 0) header.control_variables = datatype_control_variables(mpi_);
  return header;
}

void Session::watch_finalize() {
  // The attributes of MPI_COMM_SELF are deleted first in MPI_Finalize, the youngest first (MPI-4.1 11.2.4): this one,
  // set before any of the program's, is deleted after the callbacks in which libraries free their types, and
  // while all other processes still wait. After MPI_Finalize it may be too late: a launcher may end what is
  // left of a job as soon as one process fails.
  int keyval = MPI_KEYVAL_INVALID;
  const auto deleted = [](MPI_Comm, int, void*, void*) -> int {
    Session::end_user_phase();
    return MPI_SUCCESS;
  };
  const auto copied_nowhere = [](MPI_Comm, int, void*, void*, void*, int* flag) -> int {
    *flag = 0;
    return MPI_SUCCESS;
  };
  if (mpi_.Comm_create_keyval(copied_nowhere, deleted, &keyval, nullptr) == MPI_SUCCESS) {
    mpi_.Comm_set_attr(self_communicator(), keyval, nullptr);
  }
}

void Session::end_user_phase() {
  Session* session = active();
  if (session && session->open_sessions_ == 0) session->close(true, "MPI_Finalize", Registry::Patience::endless);
}

void Session::end_world() {
  Session* session = active();
  if (!session) return;
  session->world_open_ = false;
  if (session->open_sessions_ == 0) session->close(true, "MPI_Finalize", Registry::Patience::endless);
}

void Session::end_session() {
  // More sessions may be opened later: the trace is closed when the process ends.
  if (Session* session = active()) session->open_sessions_.fetch_sub(1);
}

void Session::at_exit() {
  Session* session = active();
  if (!session) return;
  if (session->world_open_) {
    session->close(false, "exit without MPI_Finalize", Registry::Patience::bounded);
  } else if (session->open_sessions_ > 0) {
    session->close(false, "exit without MPI_Session_finalize", Registry::Patience::bounded);
  } else {
    session->close(true, "MPI_Session_finalize", Registry::Patience::bounded);
  }
}

void Session::close(bool complete, std::string_view reason, Registry::Patience patience) {
  active_.store(nullptr, std::memory_order_release);
  bool written = false;
  guarded([&](Registry& registry) {
    written = registry.close({.complete = complete, .reason = reason, .time = timestamp(), .patience = patience});
  });
  if (!written || failed_ || rank_ > 0) return;
  try {
    const Registry::Totals totals = registry_->totals();
    const auto counted = [](std::uint64_t count, const std::string& what) {
      return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
    };
    log_->say(counted(totals.created, "type") + " of " + counted(totals.definitions, "definition") + " on this rank, " +
              std::to_string(totals.created - totals.freed) + " not freed; read the trace with: ddtscope summary " +
              folder_);
  } catch (...) {
    say_once("trace in ", folder_.c_str());
  }
}

void Session::fail(const char* what) noexcept {
  active_.store(nullptr, std::memory_order_release);
  if (!failed_.exchange(true)) say_once("stops recording, the program goes on: ", what);
}

void Session::fail_write() noexcept { fail(std::strerror(registry_->write_error())); }

namespace {
// Runs after the program's own destructors, which may still finalize MPI.
__attribute__((destructor)) void process_ends() { Session::at_exit(); }
}  // namespace

}  // namespace ddtscope::plugin
