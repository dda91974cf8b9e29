#include "plugin/in_flight/pending_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "reporters/trace/format/counter_file.h"
#include "reporters/trace/format/file_io.h"

namespace ddtscope::plugin {

thread_local constinit PlacesInFlight places_in_flight{};
thread_local constinit PendingFile::OwnRecord PendingFile::own_record_;

namespace {

template <std::size_t size>
void put_text(char (&to)[size], const char* text) {
  std::strncpy(to, text, size - 1);  // zeros behind; cut where it is too long
}

/// Whether it runs still: a number that another thread has got since only keeps its record from being given again.
bool is_alive(std::uint32_t thread) {
  return syscall(SYS_tgkill, getpid(), static_cast<pid_t>(thread), 0) == 0 || errno != ESRCH;
}

}  // namespace

PendingFile::~PendingFile() {
  if (header_ != nullptr) munmap(header_, file_bytes);
}

bool PendingFile::create(const std::string& path, Threads threads) {
  if (trace::is_beyond_file_limit(file_bytes)) {
    errno = EFBIG;
    return false;
  }
  if (!file_.create(path, O_RDWR)) return false;
  path_ = path;
  trace::make_absolute(path_);
  int problem = file_.allocate(0, file_bytes);
  void* memory = MAP_FAILED;
  if (problem == 0) {
    memory = mmap(nullptr, file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.number(), 0);
    problem = memory == MAP_FAILED ? errno : 0;
  }
  if (problem != 0) {
    remove();
    errno = problem;
    return false;
  }
  auto* const header = static_cast<trace::PendingFileHeader*>(memory);
  threads_ = reinterpret_cast<trace::PendingThread*>(header + 1);
  operations_ = reinterpret_cast<trace::PendingOperation*>(threads_ + most_threads);
  channels_ = reinterpret_cast<trace::PendingChannel*>(operations_ + most_operations);
  started_ = reinterpret_cast<trace::PendingStarted*>(channels_ + most_channels);
  header->byte_order = trace::counter_file_byte_order;
  header->version = trace::pending_file_version;
  header->threads = most_threads;
  header->operations = most_operations;
  header->channels = most_channels;
  header->started = most_started;
  header->threads_may_call = threads == Threads::all_may_call ? 1 : 0;
  header->process = static_cast<std::uint32_t>(getpid());
  release_fence();
  std::memcpy(header->magic, trace::pending_file_magic, sizeof header->magic);
  header_ = header;
  threads_kind_ = threads;
  return true;
}

void PendingFile::remove() {
  if (!path_.empty()) file_.remove(path_);
  path_.clear();
}

void PendingFile::set_state(trace::PendingState state) {
  if (header_ != nullptr) std::atomic_ref(header_->state).store(static_cast<std::uint32_t>(state));
}

std::uint32_t PendingFile::add_operation(const Operation& operation) {
  const std::uint32_t number = header_->operations_used;
  if (number == most_operations) {
    ++header_->operations_left_out;
    return trace::pending_none;
  }
  trace::PendingOperation& record = operations_[number];
  put_text(record.called, operation.called->name);
  put_text(record.binding, operation.called->binding);
  record.site = operation.site.value;
  record.definition = operation.definition;
  record.predefined = operation.predefined;
  record.parameter = operation.parameter;
  record.elements = operation.elements;
  calls_[number] = {operation.called, operation.site};
  std::atomic_ref(header_->operations_used).store(number + 1, std::memory_order_release);
  return number;
}

std::uint32_t PendingFile::operation_of(const EntryPoint& called, CallSiteId site) {
  if (const std::uint32_t known = find_operation(called, site); known != trace::pending_none) return known;
  const auto [found, is_new] = by_call_.try_emplace({&called, site.value}, trace::pending_none);
  if (is_new) found->second = add_operation({.called = &called, .site = site});
  if (found->second != trace::pending_none) {
    found_[hash_of(called, site)].store(found->second + 1, std::memory_order_release);
  }
  return found->second;
}

std::uint32_t PendingFile::find_operation(const EntryPoint& called, CallSiteId site) const {
  const std::uint32_t number = found_[hash_of(called, site)].load(std::memory_order_acquire) - 1;
  if (number == trace::pending_none) return number;
  const CallOfOperation& call = calls_[number];
  return call.called == &called && call.site == site ? number : trace::pending_none;
}

void PendingFile::let_all_threads_call() {
  if (header_ == nullptr) return;
  threads_kind_.store(Threads::all_may_call);
  std::atomic_ref(header_->threads_may_call).store(1);
}

std::uint32_t PendingFile::add_channel(const trace::PendingChannel& channel) {
  const std::uint32_t number = header_->channels_used;
  if (number == most_channels) {
    ++header_->channels_left_out;
    return trace::pending_none;
  }
  channels_[number] = channel;
  std::atomic_ref(header_->channels_used).store(number + 1, std::memory_order_release);
  return number;
}

/// One that nobody has, or whose thread has ended; none, for this thread's life, where there is none.
trace::PendingThread* PendingFile::take_thread() {
  own_record_ = {this, nullptr};
  const auto thread = static_cast<std::uint32_t>(syscall(SYS_gettid));
  for (std::uint32_t i = 0; i < most_threads; ++i) {
    const std::atomic_ref owner(threads_[i].thread);
    std::uint32_t before = owner.load();
    if (before != 0 && is_alive(before)) continue;
    if (!owner.compare_exchange_strong(before, thread)) continue;
    std::atomic_ref(threads_[i].call).store(0);
    std::uint32_t used = std::atomic_ref(header_->threads_used).load();
    while (used < i + 1 && !std::atomic_ref(header_->threads_used).compare_exchange_weak(used, i + 1)) {
    }
    own_record_.record = &threads_[i];
    return own_record_.record;
  }
  std::atomic_ref(header_->threads_left_out).fetch_add(1);
  return nullptr;
}

void PendingFile::start_beside(HandleBits request, const PlaceInFlight& place) {
  const std::uint32_t home = home_of(request);
  for (std::uint32_t i = 0; i < window; ++i) {
    if (take(started_[(home + i) % most_started], request, place)) return;
  }
  std::atomic_ref(header_->started_left_out).fetch_add(1, relaxed);
}

void PendingFile::complete_beside(HandleBits request) {
  const std::uint32_t home = home_of(request);
  for (std::uint32_t i = 1; i < window; ++i) {
    const std::atomic_ref there(started_[(home + i) % most_started].request);
    if (there.load(relaxed) != request) continue;
    there.store(0, std::memory_order_release);
    return;
  }
}

}  // namespace ddtscope::plugin
