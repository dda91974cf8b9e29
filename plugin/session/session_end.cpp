// End of recording in one process: in order with MPI, at the process's own end, or because something went wrong.
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "decoder/base/grouped.h"
#include "plugin/base/process.h"
#include "plugin/library/launched_world.h"
#include "plugin/session/output_folder.h"
#include "plugin/session/session.h"
#include "reporters/trace/format/file_io.h"
#include "reporters/trace/reduce/append_facts.h"

namespace ddtscope::plugin {

PendingFile* Session::finalizing_ = nullptr;

/// The calls that follow are the library's and the plugin's own: what others see is where the process is.
void Session::show_finalize() noexcept {
  finalizing_ = &pending_file_;
  PendingFile* const file = showing_in_flight_.exchange(nullptr);
  if (file == nullptr) return;
  static constexpr EntryPoint entry{"MPI_Finalize", "c"};
  guarded([&](Registry& registry) {
    registry.beside([&] {
      PlacesInFlight places;
      places[0].operation = file->operation_of(entry, {});
      file->enter(trace::PendingCall::finalize, places);
    });
  });
}

void Session::end_user_phase() {
  Session* session = active();
  if (session && session->open_sessions_ > 0) {  // its trace goes on
    session->stop_messages();
    session = nullptr;
  }
  if (session != nullptr) session->show_finalize();
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
  if (PendingFile* const file = std::exchange(finalizing_, nullptr)) file->remove();
  keep_symbols();
}

void Session::end_session() {
  // More sessions may be opened later: the trace is closed when the process ends.
  if (Session* session = active()) session->open_sessions_.fetch_sub(1);
}

void Session::at_exit() {
  const pid_t begun_in = begun_in_;
  if (begun_in != 0 && begun_in != getpid()) return;
  if (Session* session = active()) session->process_ends();
  keep_symbols();  // of a world, too, whose MPI_Finalize was called past the plugin
  if (begun_in == 0) say_never_begun();
}

/// Whoever started this process by `ddtscope exec` waits for a trace. What has children is a script or a launcher: they
/// may have started MPI.
void Session::say_never_begun() noexcept {
  try {
    const char* const expected = std::getenv("DDTSCOPE_EXEC");
    rusage of_children{};
    if (expected == nullptr || std::to_string(getpid()) != expected || !is_first_by_launcher()) return;
    if (getrusage(RUSAGE_CHILDREN, &of_children) != 0 || of_children.ru_maxrss != 0) return;
    if (Settings::from_environment().log == LogTarget::none) return;
    const std::string sentence = file_name(program_path()) + " ended, and no call of MPI_Init was seen in it";
    say_once("no trace is written: ", sentence.c_str());
  } catch (...) {  // no memory
  }
}

struct Session::Aborting {
  const EntryPoint& called;
  int code;
  const Stack& stack;
};

void Session::aborts(int code, const ProgramCall& call) noexcept {
  if (begun_in_ != getpid() || is_aborted_.exchange(true)) return;
  Stack stack;
  capture(stack, call);
  const Aborting aborting{*call.entry, code, stack};
  aborting_ = &aborting;
  process_ends();
  aborting_ = nullptr;
}

/// Under the registry's lock: a signal's handler that calls MPI_Abort may have interrupted who has it, and must not
/// wait.
void Session::record_abort() const {
  if (aborting_ == nullptr || !verdicts_) return;
  Verdict verdict;
  verdict.id = FindingId::job_aborted;
  verdict.severity = Severity::warning;
  verdict.called = &aborting_->called;
  verdict.argument = "errorcode";
  verdict.site = registry_->types_in_use().site_of(aborting_->stack);
  verdict.message = "The program ends the job by " + std::string(aborting_->called.name) + ", with error code " +
                    std::to_string(aborting_->code) + ".";
  verdicts_->record(verdict);
}

void Session::process_ends() {
  if (PendingFile* const file = showing_in_flight_.exchange(nullptr)) file->process_ended();
  Registry::End end{.complete = false, .reason = {}, .patience = Registry::Patience::bounded};
  if (aborting_ != nullptr) {
    end.reason = "MPI_Abort";
  } else if (world_open_) {
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
  if (end.complete) pending_file_.remove();
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
    const std::string dropped = totals.dropped == 0 ? ""
                                                    : ", and " + counted(totals.dropped, "type", "types") +
                                                          " whose definitions are not recorded";
    const std::string definitions =
        (totals.some_forgotten ? "at most " : "") + counted(totals.definitions, "definition", "definitions");
    log_->say(counted(totals.created, "type", "types") + " of " + definitions + " on this rank, " +
              grouped(totals.created - totals.freed) + " not freed" + dropped +
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
  if (showing_in_flight_.exchange(nullptr) != nullptr) pending_file_.remove();
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
