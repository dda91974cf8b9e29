// Beginning of recording in one process.
#include "plugin/session/session.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cfloat>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>

#include "plugin/base/process.h"
#include "plugin/base/spin_lock.h"
#include "plugin/library/control_variables.h"
#include "plugin/library/launched_world.h"
#include "plugin/library/predefined_types.h"
#include "plugin/session/output_folder.h"

namespace ddtscope::plugin {

extern "C" {
/// What debuggers and readers of cores look for.
[[gnu::visibility("default")]] extern trace::DebugView ddtscope_debug_view;
trace::DebugView ddtscope_debug_view{};
}

std::atomic<Session*> Session::active_{nullptr};
Session* Session::merging_ = nullptr;
std::atomic<pid_t> Session::begun_in_{0};

Session::Session() : debug_memory_(ddtscope_debug_view) {}

void Session::begin_world() { begin(Opened::world); }
void Session::begin_session() { begin(Opened::session); }

void Session::opened_one_more(Opened opened) {
  opened == Opened::world ? world_open_.store(true) : static_cast<void>(open_sessions_.fetch_add(1));
}

void Session::begin(Opened opened) noexcept {
  // Threads may open their first sessions at once.
  static constinit SpinLock beginning;
  const std::lock_guard guard(beginning);
  begun_in_.store(getpid());
  if (Session* session = active()) {
    session->opened_one_more(opened);
    if (opened == Opened::world) session->meet_world();
    // A session may allow more threads than MPI_Init did; one may be in a call now.
    session->registry_->require_locking();
    session->pending_file_.let_all_threads_call();
    return;
  }
  // Never destroyed: other threads may be inside a wrapper at any time. That of the world, of which there is one, needs
  // no memory to be made: what all ranks do together must not lack one.
  alignas(Session) static std::byte of_world[sizeof(Session)];
  Session* session = nullptr;
  try {
    session = opened == Opened::world ? new (of_world) Session() : new Session();
    session->opened_one_more(opened);
    if (!session->start(opened)) {
      session->give_up_start();
      return;
    }
    // MPI cannot be used in a forked child, and the trace is its parent's.
    pthread_atfork(nullptr, nullptr, [] {
      if (Session* const parents = active_.exchange(nullptr)) parents->debug_memory_.forked();
      merging_ = nullptr;
      keeps_symbols_ = nullptr;
      finalizing_ = nullptr;
    });
    active_.store(session, std::memory_order_release);
  } catch (const std::exception& error) {
    say_once("no trace is written by this process: ", trace::text_of(error));
    if (session) session->give_up_start();
  } catch (...) {
    say_once("no trace is written by this process: ", "unknown error");
    if (session) session->give_up_start();
  }
}

/// A file without definitions would be taken for that of a process that was killed.
void Session::give_up_start() noexcept {
  counter_pages_.remove();
  pending_file_.remove();
  writer_.remove();
}

namespace {

/// The program runs another library than the plugin is for. Without MPI the rank is only known to the launcher; one
/// line for the job is enough.
void refuse_library(std::string_view running) {
  if (!is_first_by_launcher()) return;
  const std::string right(running);
  const std::string sentence = "the program runs " + std::string(words_of_abi(running)) +
                               ", and the preloaded plugin is for " + std::string(words_of_abi(abi_name())) +
                               "; take libddtscope-" + right + ".so in place of libddtscope-" +
                               std::string(abi_name()) + ".so (ddtscope exec --mpi " + right + ")";
  say_once("no trace is written: ", sentence.c_str());
}

}  // namespace

bool Session::start(Opened opened) {
  try {
    settings_ = Settings::from_environment();
    has_settings_ = true;
  } catch (const std::bad_alloc&) {  // the other ranks go on
  }
  if (!find_library()) return false;
  const bool is_world = opened == Opened::world;
  if (is_world && !start_world()) return false;
  if (!has_settings_) throw std::bad_alloc();
  queries_ = std::make_unique<MpiQueries>(mpi_);
  int thread_level = MPI_THREAD_MULTIPLE;
  if (is_world) {
    mpi_.Query_thread(&thread_level);
    make_folder(folder_);  // on a file system of this node's own
    log_ = std::make_unique<Log>(settings_, folder_ + "/log-" + text_of(own_rank()) + ".txt");
    if (!notice_.empty()) log_->warn(notice_);
  } else if (!start_sessions()) {
    return false;
  }
  if (!settings_.problem.empty() && rank_ <= 0) log_->warn(settings_.problem);
  const std::string stem =
      folder_ + "/" + (is_world ? file_stem_of(own_rank()) : host_name() + "-" + std::to_string(getpid()));
  if (!open_trace(stem)) return false;
  make_registry(thread_level);
  if (settings_.uses) start_uses(opened);
  if (settings_.time_calls) call_times_ = std::make_unique<CallTimes>();
  registry_->write_at_end(
      [this](trace::Writer& writer, UnrecordedCalls& unrecorded) { write_at_end(writer, unrecorded); });
  if (!write_header()) return false;
  note_lost_counters(stem);
  note_second_library();
  debug_memory_.begin(
      {.rank = rank_, .size = size_, .mpi_datatype_bytes = sizeof(MPI_Datatype), .long_double_digits = LDBL_MANT_DIG});
  log_->debug("recording to " + file_);
  return true;
}

bool Session::find_library() {
  if (const std::string_view running = running_abi(); running != abi_name()) {
    refuse_library(running);
    return false;
  }
  const char* const missing = mpi_.resolve();
  if (missing != nullptr) say_once("no trace is written: the MPI library has no function ", missing);
  return missing == nullptr;
}

/// A process that has no world: nobody can be asked.
bool Session::start_sessions() {
  job_ = settings_.job.empty() ? job_id_of_launcher() : settings_.job;
  const OutputFolder folder = make_output_folder(settings_.output, file_name(program_path()), job_, Claim::one_of_many);
  folder_ = folder.path;
  if (folder_.empty()) {
    say_once(folder.notice.c_str(), "");
    return false;
  }
  log_ = std::make_unique<Log>(settings_, folder_ + "/log-" + host_name() + "-" + std::to_string(getpid()) + ".txt");
  if (!folder.notice.empty()) log_->warn(folder.notice);
  return true;
}

bool Session::open_trace(const std::string& stem) {
  sites_ = std::make_unique<CallSites>(settings_.stack_depth, is_library_module, settings_.most_memory_bytes / 4);
  if (!sites_->problem().empty() && rank_ <= 0) log_->warn(sites_->problem());
  file_ = stem + ".jsonl";
  if (!writer_.is_open() && !writer_.create(file_)) {
    const std::string reason = file_ + " (" + std::strerror(errno) + ")";
    say_once("no trace is written by this process: cannot create ", reason.c_str());
    return false;
  }
  counter_pages_.create(stem + trace::counter_file_extension);
  if (!counter_pages_.path().empty()) show_to_debuggers(trace::DebugFileKind::counters, counter_pages_.path());
  writer_.limit(settings_.most_trace_bytes);
  writer_.let_lines_wait();
  debug_memory_.keep_at_most(std::max<std::size_t>(settings_.most_memory_bytes / 8, std::size_t{1} << 18));
  writer_.tell(debug_memory_);
  return true;
}

void Session::make_registry(int thread_level) {
  registry_ =
      std::make_unique<Registry>(Registry::Options{.verify = settings_.verify,
                                                   .multithreaded = thread_level == MPI_THREAD_MULTIPLE,
                                                   .most_bytes = settings_.most_memory_bytes,
                                                   .most_parked_bytes = settings_.most_trace_bytes / 8},
                                 Registry::Surroundings{library_constants(), predefined_types(*queries_), *sites_,
                                                        *queries_, writer_, counter_pages_, debug_memory_});
}

bool Session::write_header() {
  writer_.header(header());
  const trace::Writer::Stop stop = writer_.stopped();
  if (!stop) return true;
  const std::string reason =
      stop.limit_reached ? "not even its first line fits into DDTSCOPE_MAX_TRACE" : std::strerror(stop.error);
  say_once("no trace is written by this process: ", reason.c_str());
  return false;
}

void Session::note_lost_counters(const std::string& stem) {
  if (counter_pages_.problem() == 0) return;
  const std::string why = std::strerror(counter_pages_.problem());
  log_->warn("counters would be lost if the process were killed, because " + stem + trace::counter_file_extension +
             " cannot be made (" + why + ")");
  writer_.note(name_of_process() + " could keep no counters on the disk (" + why +
               "): if it did not end in order, what it had counted is lost.");
}

void Session::note_second_library() {
  const std::string module = module_of_other_abi();
  if (module.empty()) return;
  const std::string sentence = "two MPI libraries are wanted in one process: the trace is of " +
                               std::string(words_of_abi(abi_name())) + ", but " + module;
  log_->warn(sentence);
  writer_.note(name_of_process() + ": " + sentence + ".");
}

std::string Session::name_of_process() const {
  return rank_ >= 0 ? "Rank " + text_of(own_rank()) : "A process without a rank";
}

HeaderRecord Session::header() const {
  HeaderRecord header;
  header.tool = DDTSCOPE_VERSION;
  header.job = job_;
  header.library_name = library_name();
  header.library_abi = abi_name();
  char version[std::max(MPI_MAX_LIBRARY_VERSION_STRING, 8192)] = {};  // another release may write more
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
    header.rank = own_rank();
    header.size = size_;
    header.world = world_;
    header.spawned_by = spawned_by_;
    header.launcher_job = launched_world().job;
  }
  header.program = program_path();
  header.arguments = program_arguments();
  header.started = timestamp();
  header.stack_depth = sites_->depth();
  header.verify = settings_.verify;
  header.uses = settings_.uses;
  header.messages = recording_messages_ != nullptr;
  header.sources = sources_ != nullptr;
  if (!settings_.uses) header.switched_off.emplace_back("DDTSCOPE_USES");
  if (!settings_.messages) header.switched_off.emplace_back("DDTSCOPE_MESSAGES");
  if (!settings_.sources) header.switched_off.emplace_back("DDTSCOPE_SOURCES");
  trace::add_types(header, registry_->store());
  if (settings_.control_variables && rank_ == 0) header.control_variables = datatype_control_variables(mpi_);
  return header;
}

}  // namespace ddtscope::plugin
