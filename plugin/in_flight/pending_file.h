// Which call each thread is in, and which operations are started and not complete, in memory that outlives the process:
// a mapped file (reporters/trace/format/pending_file.h).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "plugin/call/call_site_id.h"
#include "plugin/call/entry_point.h"
#include "plugin/registry/library_queries.h"
#include "reporters/trace/format/pending_file.h"
#include "reporters/trace/write/own_file.h"

namespace ddtscope::plugin {

/// Where a message, or a collective operation, has its place.
struct PlaceInFlight {
  std::uint32_t channel = trace::pending_none;
  std::uint32_t operation = trace::pending_none;
  std::uint64_t place = trace::pending_no_place;
};

/// Those of the call that this thread has begun last: none where the first has no operation.
using PlacesInFlight = std::array<PlaceInFlight, 2>;
extern thread_local constinit PlacesInFlight places_in_flight [[gnu::tls_model("initial-exec")]];

/// All records are in the file, or there is none. What finds no room is counted. Whatever is added is added under the
/// registry's lock; what a thread does, and what is started, is written without it.
class PendingFile {
 public:
  PendingFile() = default;
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  enum class Threads : std::uint8_t { one_calls, all_may_call };
  /// Makes the file; never overwrites. False with errno set where it cannot: then nothing is recorded.
  bool create(const std::string& path, Threads threads);
  void remove();
  const std::string& path() const { return path_; }
  /// Where it is mapped; null where it is not.
  const void* memory() const { return header_; }
  static constexpr std::size_t bytes() { return file_bytes; }
  void switch_off() { set_state(trace::PendingState::switched_off); }
  void process_ended() { set_state(trace::PendingState::ended); }

  struct Operation {
    const EntryPoint* called = nullptr;
    CallSiteId site = {};
    std::uint32_t definition = trace::pending_none, predefined = trace::pending_none;
    std::uint32_t parameter = 0;
    std::uint64_t elements = 0;
  };
  /// From now on, whatever was said when it was created.
  void let_all_threads_call();
  /// Its number; none where there is no room.
  std::uint32_t add_operation(const Operation& operation);
  /// The same of a call that is known by its function and site alone, once for each.
  std::uint32_t operation_of(const EntryPoint& called, CallSiteId site);
  /// Without the lock: none where it was not added yet, or is not known any more.
  std::uint32_t find_operation(const EntryPoint& called, CallSiteId site) const;

  std::uint32_t add_channel(const trace::PendingChannel& channel);
  void leave_out_channel() { ++header_->channels_left_out; }
  /// Null for none.
  trace::PendingChannel* channel(std::uint32_t number) const {
    return number != trace::pending_none ? channels_ + number : nullptr;
  }

  /// This thread goes into a call that may not come back soon; out of it by leave().
  void enter(trace::PendingCall call, const PlacesInFlight& places) {
    trace::PendingThread* const own = own_thread();
    if (own == nullptr) [[unlikely]]
      return;
    begin_change(*own);
    own->operation = places[0].operation;
    for (std::size_t i = 0; i < places.size(); ++i) {
      own->channel[i] = places[i].channel;
      own->place[i] = places[i].place;
    }
    own->requests = 0;
    own->call = static_cast<std::uint32_t>(call);
    end_change(*own);
  }
  /// MPI_REQUEST_NULL: what is waited for is never it.
  void leave_out_request(HandleBits request) { null_request_ = request; }
  /// Whether this thread is in a call already.
  bool is_in_call() {
    trace::PendingThread* const own = own_thread();
    return own != nullptr && own->call != static_cast<std::uint32_t>(trace::PendingCall::none);
  }
  /// The same of one that waits for requests: `handle(i)` of so many.
  template <class Handle>
  void enter_wait(trace::PendingCall call, std::uint32_t operation, std::size_t requests, const Handle& handle) {
    trace::PendingThread* const own = own_thread();
    if (own == nullptr) [[unlikely]]
      return;
    begin_change(*own);
    own->operation = operation;
    own->channel[0] = own->channel[1] = trace::pending_none;
    std::uint32_t awaited = 0;
    for (std::size_t i = 0; i < requests; ++i) {
      const HandleBits request = handle(i);
      if (request == 0 || request == null_request_) continue;
      if (awaited < trace::PendingThread::most_requests) own->request[awaited] = request;
      ++awaited;
    }
    own->requests = awaited;
    own->call = static_cast<std::uint32_t>(call);
    end_change(*own);
  }
  void leave() {
    trace::PendingThread* const own = own_thread();
    if (own == nullptr) return;
    std::atomic_ref(own->call).store(static_cast<std::uint32_t>(trace::PendingCall::none), std::memory_order_release);
  }

  /// An operation is started, and a request of this handle is what it is known by from now on.
  [[gnu::always_inline]] inline void start(HandleBits request, const PlaceInFlight& place) {
    if (request == 0 || place.operation == trace::pending_none) return;
    if (!take(started_[home_of(request)], request, place)) [[unlikely]]
      start_beside(request, place);
  }
  /// It is complete, or nobody will see it any more.
  [[gnu::always_inline]] inline void complete(HandleBits request) {
    if (request == 0) return;
    const std::atomic_ref there(started_[home_of(request)].request);
    if (there.load(relaxed) != request) [[unlikely]]
      return complete_beside(request);
    there.store(0, std::memory_order_release);
  }

 private:
  static constexpr std::memory_order relaxed = std::memory_order_relaxed;
  static constexpr std::uint32_t most_threads = 32, most_operations = 512, most_channels = 1024, most_started = 2048;
  static constexpr std::size_t file_bytes =
      sizeof(trace::PendingFileHeader) + most_threads * sizeof(trace::PendingThread) +
      most_operations * sizeof(trace::PendingOperation) + most_channels * sizeof(trace::PendingChannel) +
      most_started * sizeof(trace::PendingStarted);
  static constexpr std::uint32_t window = 16;  // of records that a request may stand in
  static constexpr std::uint64_t being_written = trace::pending_being_written;
  static constexpr std::size_t most_found = 256;

  /// What is stored before it is seen before what is stored behind it, by other processes. GCC's thread sanitizer takes
  /// no fences, and threads of this process do not read that.
  static void release_fence() {
#ifdef __SANITIZE_THREAD__
    std::atomic_signal_fence(std::memory_order_release);
#else
    std::atomic_thread_fence(std::memory_order_release);
#endif
  }
  template <class Record>
  static void begin_change(Record& record) {
    std::atomic_ref(record.sequence).store(record.sequence + 1, relaxed);
    release_fence();
  }
  template <class Record>
  static void end_change(Record& record) {
    std::atomic_ref(record.sequence).store(record.sequence + 1, std::memory_order_release);
  }
  static std::uint32_t home_of(HandleBits request) {
    return static_cast<std::uint32_t>(request * 0x9E3779B97F4A7C15u >> 53);
  }
  static_assert(std::uint64_t{most_started} == std::uint64_t{1} << (64 - 53));
  static std::size_t hash_of(const EntryPoint& called, CallSiteId site) {
    const std::uint64_t words = reinterpret_cast<std::uintptr_t>(&called) ^ std::uint64_t{site.value} << 20;
    return words * 0x9E3779B97F4A7C15u >> 56;
  }
  /// False where the record is another one's. One of the same handle of which nobody saw the end is done; or the
  /// library has one handle for all that is complete at once.
  [[gnu::always_inline]] inline bool take(trace::PendingStarted& record, HandleBits request,
                                          const PlaceInFlight& place) {
    const std::atomic_ref there(record.request);
    std::uint64_t before = there.load(relaxed);
    if (before != 0 && before != request) [[unlikely]]
      return false;
    // Readers take no record of a request that is being written.
    if (threads_kind_.load(relaxed) == Threads::one_calls) [[likely]] {
      there.store(being_written, relaxed);
    } else if (!there.compare_exchange_strong(before, being_written, std::memory_order_acquire)) {
      return false;
    }
    begin_change(record);
    record.operation = place.operation;
    record.channel = place.channel;
    record.place = place.place;
    end_change(record);
    there.store(request, std::memory_order_release);
    return true;
  }
  void start_beside(HandleBits request, const PlaceInFlight& place);
  void complete_beside(HandleBits request);
  [[gnu::always_inline]] inline trace::PendingThread* own_thread() {
    return own_record_.file == this ? own_record_.record : take_thread();
  }
  trace::PendingThread* take_thread();
  void set_state(trace::PendingState state);

  /// The thread's record in the file that it was taken from.
  struct OwnRecord {
    const PendingFile* file = nullptr;
    trace::PendingThread* record = nullptr;
  };
  static thread_local constinit OwnRecord own_record_ [[gnu::tls_model("initial-exec")]];

  trace::OwnFile file_;
  std::string path_;
  HandleBits null_request_ = 0;
  std::atomic<Threads> threads_kind_ = Threads::all_may_call;
  trace::PendingFileHeader* header_ = nullptr;
  trace::PendingThread* threads_ = nullptr;
  trace::PendingOperation* operations_ = nullptr;
  trace::PendingChannel* channels_ = nullptr;
  trace::PendingStarted* started_ = nullptr;
  std::map<std::pair<const EntryPoint*, std::uint32_t>, std::uint32_t> by_call_;
  /// Numbers of operations that were found lately; which ones these are is looked up.
  std::array<std::atomic<std::uint32_t>, most_found> found_{};
  struct CallOfOperation {
    const EntryPoint* called = nullptr;
    CallSiteId site = {};
  };
  std::array<CallOfOperation, most_operations> calls_{};  // written before the number is told
};

/// A thread is in a call, as long as this lives.
class CallInFlight {
 public:
  /// Nowhere where there is no file.
  CallInFlight(PendingFile* file, trace::PendingCall call, const PlacesInFlight& places)
      : file_(places[0].operation != trace::pending_none ? file : nullptr) {
    if (file_ != nullptr) file_->enter(call, places);
  }
  ~CallInFlight() {
    if (file_ != nullptr) file_->leave();
  }
  CallInFlight(const CallInFlight&) = delete;
  CallInFlight& operator=(const CallInFlight&) = delete;

 private:
  PendingFile* const file_;
};

}  // namespace ddtscope::plugin
