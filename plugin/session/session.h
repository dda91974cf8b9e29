// The plugin's life in one process: begins with MPI, reads the environment, chooses the trace's folder,
// ends with MPI. Wires the registry to the library, the call sites and the trace.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "plugin/base/log.h"
#include "plugin/base/settings.h"
#include "plugin/call/program_call.h"
#include "plugin/debug_view/debug_memory.h"
#include "plugin/debug_view/debug_table.h"
#include "plugin/files/file_accesses.h"
#include "plugin/in_flight/pending_file.h"
#include "plugin/library/communicator_queries.h"
#include "plugin/library/group_queries.h"
#include "plugin/library/library.h"
#include "plugin/library/mpi_queries.h"
#include "plugin/library/status_bytes.h"
#include "plugin/messages/collectives.h"
#include "plugin/messages/messages.h"
#include "plugin/pending/pending_calls.h"
#include "plugin/registry/registry.h"
#include "plugin/session/call_times.h"
#include "plugin/session/finalize_reduce.h"
#include "plugin/sources/buffer_sources.h"
#include "plugin/uses/recording_switches.h"
#include "plugin/uses/use_counters.h"
#include "plugin/windows/window_accesses.h"
#include "reporters/trace/write/exception_text.h"

namespace ddtscope::plugin {

class alignas(64) Session {
 public:
  /// The session that records; nullptr before MPI starts, after it ends, and where the plugin stands aside.
  static Session* active() { return active_.load(std::memory_order_acquire); }

  // Called by the wrappers of init and finalize after the library's call succeeded.
  static void begin_world();
  static void end_world();
  /// All of MPI_Finalize that is the user's has run.
  static void end_user_phase();
  static void begin_session();
  static void end_session();
  /// Before MPI_Abort with this error code: where it was called from is written, and what is known, as when the process
  /// ends. Nothing is recorded any more.
  [[gnu::cold]] void aborts(int code, const ProgramCall& call) noexcept;
  /// The process ends: what is known is written. Called from the plugin's destructor.
  static void at_exit();

  /// The program's stack.
  [[gnu::always_inline]] inline void capture(Stack& stack, const ProgramCall& call) const {
    sites_->capture(stack, call.caller, call.is_fortran ? Path::fortran : Path::direct);
  }

  /// As CallSites::recall().
  [[gnu::always_inline]] inline bool recall(const ReturnPlace& place, CallSiteId& site) const {
    return sites_->recall(place, site);
  }

  /// The call site where recall() does not tell it; none where nothing is recorded any more.
  [[gnu::noinline]] CallSiteId take_site(const ProgramCall& call) noexcept;

  /// Who times the plugin's part of calls; nullptr where nobody does.
  CallTimes* call_times() const { return call_times_.get(); }

  /// Who counts uses of types, under guarded(); nullptr where nobody does, or the program has stopped it.
  UseCounters* uses() const { return counting_uses_.load(std::memory_order_relaxed); }
  /// The same, also while it is stopped: for what is freed meanwhile.
  UseCounters* stopped_uses() const { return uses_.get(); }
  /// MPI_Pcontrol: 0 stops the counting of uses, a positive level starts it again; others mean nothing.
  [[gnu::cold]] void control(int level, const ProgramCall& call) noexcept;

  /// Who watches the buffers of calls, under guarded(); nullptr where nobody does.
  PendingCalls* pending() const { return pending_.get(); }

  /// Who tells where buffers lie, under guarded(); nullptr where nobody does.
  BufferSources* sources() const { return sources_.get(); }

  /// Who gives communicators their names, under guarded(); nullptr where nobody does, and when MPI_COMM_WORLD, by which
  /// their processes are known, is no more.
  NamedCommunicators* named_communicators() const { return world_open_ ? named_communicators_.get() : nullptr; }

  /// Who gives windows their names, and records what is accessed in them, under guarded(); nullptr where nobody does.
  WindowAccesses* window_accesses() const { return world_open_ ? window_accesses_.get() : nullptr; }

  /// Who knows the files that are open, and records what is accessed in them, under guarded(); nullptr where nobody
  /// does.
  FileAccesses* file_accesses() const { return file_accesses_.get(); }

  /// Who records what goes from process to process, under guarded(); nullptr where nobody does, or the program has
  /// stopped it.
  Messages* messages() const { return recording_messages_.load(std::memory_order_relaxed); }
  /// Who shows what is under way; nullptr where nobody does, or the program has stopped it.
  PendingFile* in_flight() const { return showing_in_flight_.load(std::memory_order_relaxed); }
  /// Of a call that waits and is known by its function and its place alone.
  std::uint32_t operation_in_flight(const EntryPoint& called, const ReturnPlace& place) noexcept;
  /// The same of collective operations.
  Collectives* collectives() const { return messages() != nullptr ? collectives_.get() : nullptr; }
  /// Whether an error says that a message was received that is too long.
  bool is_truncated(int status) const;
  /// Whether an error says that a file could not be opened: all processes of the communicator have made the call, and
  /// go on (MPI-4.1 14.2.1, 14.7).
  bool is_of_file(int status) const;
  /// Whether an error says what is wrong with a call's arguments: what goes wrong later has classes that say nothing.
  bool is_refusal(int status) const;
  /// Whether what a status tells of was cancelled.
  bool is_cancelled(const MPI_Status& status) const;

  /// What statuses tell of, while uses() or pending() has somebody who wants to know.
  const StatusBytes& status_bytes() const { return status_bytes_; }

  /// Who judges calls that make, commit and free types, under guarded(); nullptr where nobody does.
  const TypeCallJudge* type_call_judge() const { return type_call_judge_.get(); }
  /// Of the handle of a named predefined type; invalid for others, and for some of them.
  [[gnu::always_inline]] inline DefinitionId predefined(HandleBits type) const { return registry_->predefined(type); }
  // Before the call. What is wrong with it is written and told.
  [[gnu::cold, gnu::noinline]] void judge_constructor(const ConstructorArguments& arguments, const ProgramCall& call);
  [[gnu::cold, gnu::noinline]] void judge_commit(HandleBits type, const ProgramCall& call) noexcept;
  [[gnu::cold, gnu::noinline]] void judge_free(HandleBits type, const ProgramCall& call) noexcept;

  /// Counts a call that came from the program and returned an error.
  [[gnu::cold, gnu::noinline]] void call_failed(int status, const ProgramCall& call) noexcept;

  /// Runs `work` on the registry; whatever goes wrong, the program does not notice. Inline, so that what
  /// `work` refers to stays in registers. A call may outlive the recording: that of a thread while another one fails,
  /// or of a child that was forked in a callback. Then nothing is done.
  template <class Work>
  [[gnu::always_inline]] inline auto guarded(const Work& work) noexcept -> decltype(work(std::declval<Registry&>())) {
    using Result = decltype(work(std::declval<Registry&>()));
    if (active_.load(std::memory_order_relaxed) != this) [[unlikely]]
      return Result();
    return attempt(work);
  }
  /// As guarded(), of a session that has just been found to record.
  template <class Work>
  [[gnu::always_inline]] inline auto attempt(const Work& work) noexcept -> decltype(work(std::declval<Registry&>())) {
    using Result = decltype(work(std::declval<Registry&>()));
    try {
      if constexpr (std::is_void_v<Result>) {
        work(*registry_);
        if (registry_->trace_stopped()) [[unlikely]]
          say_why_stopped();
        return;
      } else {
        return work(*registry_);
      }
    } catch (const std::exception& error) {
      fail(trace::text_of(error));
    } catch (...) {
      fail("unknown error");
    }
    return Result();
  }

 private:
  void end_messages();
  [[gnu::cold]] void stop_messages() noexcept;
  struct Decision;

  Session();
  /// What a program opens, and closes.
  enum class Opened : std::uint8_t { world, session };
  static void begin(Opened opened) noexcept;
  void opened_one_more(Opened opened);
  bool start(Opened opened);
  /// Of what it misses the user is told.
  bool find_library();
  void agree(Decision& decision, MPI_Comm communicator, int size);
  bool start_world();
  void meet_world() noexcept;
  bool start_sessions();
  bool open_trace(const std::string& stem);
  void make_registry(int thread_level);
  void start_uses(Opened opened);
  void start_messages();
  void start_in_flight();
  void show_to_debuggers(trace::DebugFileKind kind, const std::string& path, std::span<const std::byte> mapped = {});
  void show_finalize() noexcept;
  [[gnu::cold, gnu::noinline]] std::uint32_t new_operation_in_flight(const EntryPoint& called,
                                                                     const ReturnPlace& place) noexcept;
  void start_sources();
  void tell_error(const ToldError& error);
  void write_at_end(trace::Writer& writer, UnrecordedCalls& unrecorded) const;
  bool write_header();
  void note_lost_counters(const std::string& stem);
  void note_second_library();
  /// What was made for a trace that does not begin is gone.
  void give_up_start() noexcept;
  Rank own_rank() const { return {world_, rank_}; }
  /// As a sentence begins.
  std::string name_of_process() const;
  void watch_finalize();
  void decide(Decision& decision, std::string& notice) noexcept;
  bool decide_beside_parent(Decision& decision);
  void process_ends();
  struct Aborting;
  void record_abort() const;
  void close(const Registry::End& end);
  bool write_end(Registry::End end);
  void say_where();
  void want_symbols();
  static void keep_symbols() noexcept;
  static void say_never_begun() noexcept;
  static void merge(const std::string& own_file) noexcept;
  void fail(const char* what) noexcept;
  void say_why_stopped() noexcept;
  HeaderRecord header() const;

  static std::atomic<Session*> active_;
  /// The session of a world whose ranks will join their traces, whether it records or not. Never destroyed.
  static Session* merging_;
  /// The process in which something has started MPI, whether that is recorded or not; 0: nothing has. A child that was
  /// made past fork() has all that is here, and is another one.
  static std::atomic<pid_t> begun_in_;
  /// Whose trace has ended in this process, and is still to get its file of functions and lines.
  static Session* keeps_symbols_;
  /// Whose MPI_Finalize others can see until it has come back.
  static PendingFile* finalizing_;

  // What each call looks at.
  std::unique_ptr<Registry> registry_;
  std::unique_ptr<CallSites> sites_;
  std::unique_ptr<TypeCallJudge> type_call_judge_;
  std::unique_ptr<UseCounters> uses_;
  std::atomic<UseCounters*> counting_uses_{nullptr};  // the same, or null while the program has stopped it
  std::unique_ptr<PendingCalls> pending_;
  std::unique_ptr<BufferSources> sources_;
  std::unique_ptr<CallTimes> call_times_;
  std::atomic<Messages*> recording_messages_{nullptr};  // as counting_uses_
  std::atomic<PendingFile*> showing_in_flight_{nullptr};
  StatusBytes status_bytes_;

  Settings settings_;
  bool has_settings_ = false;  // else there was no memory for them
  MpiFunctions mpi_;
  std::unique_ptr<Log> log_;
  std::unique_ptr<MpiQueries> queries_;
  DebugMemory debug_memory_;
  trace::Writer writer_;
  CounterPages counter_pages_;
  std::unique_ptr<MpiCommunicatorQueries> communicator_queries_;
  std::unique_ptr<MpiGroupQueries> group_queries_;
  std::unique_ptr<NamedCommunicators> named_communicators_;
  PendingFile pending_file_;
  std::unique_ptr<DebugTable<trace::DebugFile>> debug_files_;  // where debuggers find both files
  std::unique_ptr<Messages> messages_;
  std::unique_ptr<Collectives> collectives_;
  std::unique_ptr<WindowAccesses> window_accesses_;
  std::unique_ptr<FileAccesses> file_accesses_;
  std::unique_ptr<Verdicts> verdicts_;
  std::unique_ptr<UseJudge> judge_;
  SeenCounts seen_counts_;
  std::unique_ptr<RecordingSwitches> switches_;
  FinalizeReduce merge_;
  int rank_ = -1;  // -1: MPI sessions only
  int size_ = -1;
  WorldNumber world_;                      // within the trace's folder
  std::optional<WorldNumber> spawned_by_;  // where that is its parent's, too
  std::string job_;
  std::string notice_;  // what the user must know of the folder
  std::string folder_;
  std::string file_;  // this process's trace
  int merge_patience_s_ = 0;
  std::atomic<int> open_sessions_{0};
  std::atomic<bool> world_open_{false};
  std::atomic<bool> is_aborted_{false};
  const Aborting* aborting_ = nullptr;  // while that is written
  std::atomic<bool> failed_{false};
  std::atomic<bool> said_why_stopped_{false};
};

}  // namespace ddtscope::plugin
