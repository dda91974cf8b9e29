#include "plugin/counter_pages.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

#include "reporters/trace/file_io.h"

namespace ddtscope::plugin {
namespace {

/// Zeros behind; cut where it is too long, so that a zero always ends it.
template <std::size_t size>
void put_text(char (&to)[size], std::string_view text) {
  const std::size_t length = std::min(text.size(), size - 1);
  std::memcpy(to, text.data(), length);
  std::memset(to + length, 0, size - length);
}

}  // namespace

CounterPages::~CounterPages() {
  for (void* page : pages_) munmap(page, page_bytes);
}

void CounterPages::create(const std::string& path) {
  if (!file_.create(path, O_RDWR)) {
    problem_ = errno;
    return;
  }
  // The program may change its folder before the file is removed.
  char absolute[PATH_MAX];
  path_ = realpath(path.c_str(), absolute) != nullptr ? absolute : path;
  pages_.reserve(16);
  header_ = static_cast<trace::CounterFileHeader*>(map_next_page());
  if (problem_ != 0) {  // not even one page: no file is better than an empty one
    header_ = nullptr;
    remove();
    return;
  }
  header_->byte_order = trace::counter_file_byte_order;
  header_->version = trace::counter_file_version;
  header_->record_bytes = sizeof(trace::CounterRecord);
  std::memcpy(header_->magic, trace::counter_file_magic, sizeof header_->magic);
}

void* CounterPages::map_next_page() {
  const std::size_t offset = pages_.size() * page_bytes;
  void* page = MAP_FAILED;
  if (file_.is_open() && problem_ == 0) {
    problem_ = trace::is_beyond_file_limit(offset + page_bytes) ? EFBIG : file_.problem();
    if (problem_ == 0) {
      // Allocated before it is touched: a hole that cannot be filled kills by SIGBUS.
      problem_ = posix_fallocate(file_.number(), static_cast<off_t>(offset), page_bytes);
    }
    if (problem_ == 0) {
      page = mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.number(), static_cast<off_t>(offset));
      if (page == MAP_FAILED) problem_ = errno;
    }
  }
  if (page != MAP_FAILED) {
    ++pages_in_file_;
  } else {
    page = mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  if (page == MAP_FAILED) throw std::bad_alloc();
  pages_.push_back(page);
  return page;
}

trace::CounterRecord& CounterPages::add(const Place& place) {
  const bool is_new = free_.empty();
  trace::CounterRecord* record = nullptr;
  if (is_new) {
    if (used_ >= pages_.size() * per_page) {
      pages_.reserve(pages_.size() + 1);
      map_next_page();
    }
    record = static_cast<trace::CounterRecord*>(pages_[used_ / per_page]) + used_ % per_page;
    ++used_;
  } else {
    record = free_.back();
    free_.pop_back();
  }
  record->site = place.site;
  put_text(record->binding, place.binding);
  put_text(record->called, place.called);
  record->error_class = static_cast<std::uint32_t>(place.error_class);
  std::atomic_ref(record->definition).store(place.definition, std::memory_order_release);
  if (header_ == nullptr) return *record;
  // Readers of a killed process see the fields of every record that is counted. Those in plain memory are not.
  if (is_left_out(*record)) {
    ++header_->left_out;
    header_->why_left_out = static_cast<std::uint32_t>(problem_);
  } else if (is_new) {
    std::atomic_ref(header_->records).store(used_ - 1, std::memory_order_release);
  }
  return *record;
}

void CounterPages::begin_folding(trace::CounterRecord& record, std::uint64_t offset) {
  std::atomic_ref(record.folded_at).store(offset, std::memory_order_release);
}

void CounterPages::end_folding(trace::CounterRecord& record) {
  record.created = record.adopted = record.committed = record.freed = 0;
  std::atomic_ref(record.folded_at).store(0, std::memory_order_release);
}

void CounterPages::count_folded_line() {
  if (header_ != nullptr) std::atomic_ref(header_->folded_lines).fetch_add(1, std::memory_order_release);
}

void CounterPages::release(trace::CounterRecord& record) {
  free_.push_back(&record);
  std::atomic_ref(record.definition).store(trace::counter_file_none, std::memory_order_release);
  if (header_ != nullptr && is_left_out(record)) --header_->left_out;
}

bool CounterPages::is_left_out(const trace::CounterRecord& record) const {
  if (problem_ == 0) return false;
  const auto* const bytes = reinterpret_cast<const std::byte*>(&record);
  return std::none_of(pages_.begin(), pages_.begin() + static_cast<std::ptrdiff_t>(pages_in_file_), [&](void* page) {
    const auto* const begin = static_cast<const std::byte*>(page);
    return begin <= bytes && bytes < begin + page_bytes;
  });
}

void CounterPages::trace_stopped(std::uint32_t why) {
  if (header_ != nullptr) header_->error = why;
}

void CounterPages::ended(trace::Completeness completeness, std::string_view reason) {
  if (header_ == nullptr) return;
  header_->left_out_types = 0;
  for (std::size_t i = pages_in_file_ * per_page; i < used_; ++i) {
    const auto& record = static_cast<const trace::CounterRecord*>(pages_[i / per_page])[i % per_page];
    header_->left_out_types += record.created + record.adopted;
  }
  put_text(header_->reason, reason);
  header_->ended = static_cast<std::uint32_t>(completeness);
}

void CounterPages::remove() {
  if (!path_.empty()) file_.remove(path_);
  path_.clear();
}

}  // namespace ddtscope::plugin
