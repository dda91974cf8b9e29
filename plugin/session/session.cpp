// Beginning and end of recording in one process.
#include "plugin/session/session.h"

#include <limits.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>

#include "plugin/base/process.h"
#include "plugin/base/spin_lock.h"
#include "plugin/library/control_variables.h"
#include "plugin/library/predefined_types.h"
#include "plugin/session/output_folder.h"
#include "plugin/session/parent_trace.h"
#include "reporters/trace/format/file_io.h"
#include "reporters/trace/reduce/append_facts.h"

namespace ddtscope::plugin {

extern "C" {
/// What debuggers and readers of cores look for.
[[gnu::visibility("default")]] extern trace::DebugView ddtscope_debug_view;
trace::DebugView ddtscope_debug_view{};
}

/// What rank 0 decides for all, and what any rank objects to: each sends its own, and all get the bits of all. Where
/// another rank than 0 has nothing to say there are zeros.
struct Session::Decision {
  char folder[PATH_MAX];
  char job[256];
  int merge_patience_s;        // 0: the ranks' traces stay apart
  std::int64_t world;          // 0: the first
  std::int64_t spawned_by;     // where it is not the first
  std::int64_t cannot_reduce;  // not 0: some rank
};

std::atomic<Session*> Session::active_{nullptr};
Session* Session::merging_ = nullptr;

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
  if (Session* session = active()) {
    session->opened_one_more(opened);
    // A session may allow more threads than MPI_Init did; one may be in a call now.
    session->registry_->require_locking();
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
      active_.store(nullptr, std::memory_order_release);
      merging_ = nullptr;
      keeps_symbols_ = nullptr;
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
  writer_.remove();
}

namespace {

/// The program runs another library than the plugin is for. Without MPI the rank is only known to the launcher; one
/// line for the job is enough.
void refuse_library(std::string_view running) {
  const char* rank = secure_getenv("OMPI_COMM_WORLD_RANK");
  if (!rank) rank = secure_getenv("PMI_RANK");
  if (rank && std::string_view(rank) != "0") return;
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
  if (const std::string_view running = running_abi(); running != abi_name()) {
    refuse_library(running);
    return false;
  }
  if (const char* missing = mpi_.resolve()) {
    say_once("no trace is written: the MPI library has no function ", missing);
    return false;
  }
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
  registry_->write_at_end([this](trace::Writer& writer) { write_at_end(writer); });
  if (!write_header()) return false;
  note_lost_counters(stem);
  note_second_library();
  debug_memory_.begin({.rank = rank_, .size = size_, .mpi_datatype_bytes = sizeof(MPI_Datatype)});
  log_->debug("recording to " + file_);
  return true;
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
  writer_.note((rank_ >= 0 ? "Rank " + text_of(own_rank()) : "A process without a rank") +
               " could keep no counters on the disk (" + why +
               "): if it did not end in order, what it had counted is lost.");
}

void Session::note_second_library() {
  const std::string module = module_of_other_abi();
  if (module.empty()) return;
  const std::string sentence = "two MPI libraries are wanted in one process: the trace is of " +
                               std::string(words_of_abi(abi_name())) + ", but " + module;
  log_->warn(sentence);
  writer_.note((rank_ >= 0 ? "Rank " + text_of(own_rank()) : "A process without a rank") + ": " + sentence + ".");
}

/// Where all ranks meet: each comes by everything in here that is collective, whatever it lacks itself.
bool Session::start_world() {
  const MPI_Comm communicator = world_communicator();
  mpi_.Comm_rank(communicator, &rank_);
  mpi_.Comm_size(communicator, &size_);
  Decision decision{};
  if (rank_ == 0 && has_settings_) decide(decision, notice_);
  // All ranks or none: nobody shall wait in the end for one that was never able to answer.
  decision.cannot_reduce = merge_.reserve(mpi_, rank_, size_) ? 0 : 1;
  if (size_ > 1) {
    const Decision own = decision;
    mpi_.Allreduce(&own, &decision, sizeof own, *predefined_handle("MPI_BYTE"), bitwise_or_operation(), communicator);
  }
  if (decision.folder[0] == '\0') {
    if (rank_ == 0) say_once(notice_.empty() ? "no trace is written: no memory" : notice_.c_str(), "");
    return false;
  }
  merge_patience_s_ = decision.merge_patience_s;
  if (merge_patience_s_ == 0 || decision.cannot_reduce != 0) {
    merge_.give_up("a rank had no memory when it began");
  } else {
    merge_.begin(merge_patience_s_);
  }
  if (merge_patience_s_ > 0) merging_ = this;
  watch_finalize();
  if (decision.world != 0) {
    world_ = {decision.world};
    spawned_by_ = WorldNumber{decision.spawned_by};
  }
  folder_ = decision.folder;
  job_ = decision.job;
  return true;
}

void Session::decide(Decision& decision, std::string& notice) noexcept {
  try {
    decision.merge_patience_s = settings_.merge ? settings_.merge_patience_s : 0;
    if (decide_beside_parent(decision)) return;
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
    notice.clear();
  }
}

/// A spawned world is of its parent's job, if that has a trace that is found and takes the world's files.
bool Session::decide_beside_parent(Decision& decision) {
  const LaunchedWorld launched = launched_world();
  if (launched.parent.empty()) return false;
  const std::optional<ParentTrace> parent = find_parent_trace(launched, settings_.output);
  if (!parent || !writer_.create(parent->folder + "/" + file_stem_of({launched.number, 0}) + ".jsonl")) return false;
  std::snprintf(decision.folder, sizeof decision.folder, "%s", parent->folder.c_str());
  std::snprintf(decision.job, sizeof decision.job, "%s", parent->job.c_str());
  decision.world = launched.number.value;
  decision.spawned_by = parent->world.value;
  return true;
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
  trace::add_types(header, registry_->store());
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
  if (session && session->open_sessions_ > 0) session = nullptr;  // its trace goes on
  const bool has_ended = session && session->write_end({.complete = true, .reason = "MPI_Finalize"});
  static const std::string none;
  merge(has_ended && !session->registry_->trace_stopped() ? std::as_const(session->file_) : none);
  if (!has_ended) return;
  session->say_where();
  session->want_symbols();
}

void Session::merge(const std::string& own_file) noexcept {
  Session* session = std::exchange(merging_, nullptr);
  if (!session) return;
  try {
    // Reserved when the session began, so that it takes part whatever there is left.
    const FinalizeReduce::Result result = session->merge_.run(own_file, session->folder_);
    if (result.merged) {
      session->writer_.remove();
    } else if (session->rank_ == 0) {
      const std::string detail = std::string(result.reason) + "; `ddtscope merge` joins them";
      say_once("the ranks' traces stay apart: ", detail.c_str());
    }
  } catch (...) {
    say_once("the ranks' traces stay apart: ", "no memory");
  }
}

void Session::end_world() {
  if (Session* session = active()) {
    session->world_open_ = false;
    if (session->open_sessions_ == 0) session->close({.complete = true, .reason = "MPI_Finalize"});
  }
  keep_symbols();
}

void Session::end_session() {
  // More sessions may be opened later: the trace is closed when the process ends.
  if (Session* session = active()) session->open_sessions_.fetch_sub(1);
}

void Session::at_exit() {
  if (Session* session = active()) session->process_ends();
  keep_symbols();  // of a world, too, whose MPI_Finalize was called past the plugin
}

void Session::process_ends() {
  Registry::End end{.complete = false, .reason = {}, .patience = Registry::Patience::bounded};
  if (world_open_) {
    end.reason = "exit without MPI_Finalize";
  } else if (open_sessions_ > 0) {
    end.reason = "exit without MPI_Session_finalize";
  } else {
    end.complete = true;
    end.reason = "MPI_Session_finalize";
  }
  close(end);
}

void Session::close(const Registry::End& end) {
  if (!write_end(end)) return;
  say_where();
  if (end.complete) want_symbols();
}

/// Whether there is a trace that knows of its end. The time is now.
bool Session::write_end(Registry::End end) {
  active_.store(nullptr, std::memory_order_release);
  bool written = false;
  attempt([&](Registry& registry) {
    const std::string now = timestamp();
    end.time = now;
    // Where the ranks join their traces, that is done once for all; a job that is being torn down leaves it to readers.
    if (end.complete && !merging_) end.add_facts = [this] { return reduce::append_facts(writer_, file_, {}); };
    written = registry.close(end);
  });
  debug_memory_.ended();
  if (failed_) return false;
  if (rank_ <= 0 && registry_->trace_is_removed()) {
    say_once("the trace is lost, because its file was removed while the program ran: ", folder_.c_str());
    return false;
  }
  return written;
}

void Session::say_where() {
  if (rank_ > 0 || settings_.log == LogTarget::none) return;
  try {
    const Registry::Totals totals = registry_->totals();
    const auto counted = [](std::uint64_t count, const std::string& what) {
      return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
    };
    const std::string dropped =
        totals.dropped == 0 ? "" : ", and " + counted(totals.dropped, "type") + " whose definitions are not recorded";
    const std::string definitions =
        (totals.some_forgotten ? "at most " : "") + counted(totals.definitions, "definition");
    log_->say(counted(totals.created, "type") + " of " + definitions + " on this rank, " +
              std::to_string(totals.created - totals.freed) + " not freed" + dropped +
              "; read the trace with: ddtscope summary " + shell_word(folder_));
  } catch (...) {
    say_once("trace in ", folder_.c_str());
  }
}

void Session::call_failed(int status, const ProgramCall& call) noexcept {
  // A class is a code, too. What is neither did not come from the library, which may abort where it is asked for it.
  trace::ErrorClass error_class = error_class_of_value(status);
  int value = 0;
  if (error_class == trace::ErrorClass{} && status > 0 && mpi_.Error_class(status, &value) == MPI_SUCCESS) {
    error_class = error_class_of_value(value);
  }
  Stack stack;
  sites_->capture(stack, call.caller, Path::failed);
  guarded([&](Registry& registry) { registry.failed(*call.entry, error_class, stack); });
}

void Session::fail(const char* what) noexcept {
  active_.store(nullptr, std::memory_order_release);
  debug_memory_.stopped();
  if (failed_.exchange(true)) return;
  say_once("stops recording, the program goes on: ", what);
  try {
    registry_->abandon();
  } catch (...) {  // the counters say it all the same
  }
}

void Session::say_why_stopped() noexcept {
  if (said_why_stopped_.exchange(true)) return;
  const trace::Writer::Stop stop = registry_->trace_stopped();
  if (stop.limit_reached) {
    counter_pages_.trace_stopped(trace::counter_file_full);
    say_once("the trace has reached its limit (DDTSCOPE_MAX_TRACE): ",
             "new definitions are counted, not recorded; the program goes on");
  } else {
    counter_pages_.trace_stopped(static_cast<std::uint32_t>(stop.error));
    say_once("new definitions are not recorded any more, the program goes on: ",
             trace::text_of_write_error(stop.error));
  }
}

namespace {
// Runs after the program's own destructors, which may still finalize MPI.
__attribute__((destructor)) void process_ends() { Session::at_exit(); }
}  // namespace

}  // namespace ddtscope::plugin
