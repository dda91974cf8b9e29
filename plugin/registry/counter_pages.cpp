#include "plugin/registry/counter_pages.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>
#include <new>

#include "reporters/trace/format/file_io.h"

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
  for (std::size_t chunk = 0; chunk < chunks_.size(); ++chunk) munmap(chunks_[chunk], bytes_of(chunk));
}

void CounterPages::create(const std::string& path) {
  if (!file_.create(path, O_RDWR)) {
    problem_ = errno;
    return;
  }
  path_ = path;
  trace::make_absolute(path_);
  add_page();
  if (problem_ != 0) {  // not even one page: no file is better than an empty one
    remove();
    return;
  }
  header_ = reinterpret_cast<trace::CounterFileHeader*>(address_of(0));
  header_->byte_order = trace::counter_file_byte_order;
  header_->version = trace::counter_file_version;
  header_->record_bytes = sizeof(trace::CounterRecord);
  std::memcpy(header_->magic, trace::counter_file_magic, sizeof header_->magic);
}

std::size_t CounterPages::chunk_of(std::size_t page) { return static_cast<std::size_t>(std::bit_width(page + 1)) - 1; }

std::byte* CounterPages::address_of(std::size_t page) const {
  const std::size_t chunk = chunk_of(page);
  return chunks_[chunk] + (page - first_page_of(chunk)) * page_bytes;
}

trace::CounterRecord& CounterPages::record_at(std::size_t number) const {
  return reinterpret_cast<trace::CounterRecord*>(address_of(number / per_page))[number % per_page];
}

void CounterPages::add_page() {
  if (!file_.is_open() || problem_ != 0 || !allocate_in_file(pages_)) {
    map_in_plain_memory(pages_);
  } else {
    ++pages_in_file_;
  }
  ++pages_;
}

bool CounterPages::allocate_in_file(std::size_t page) {
  const std::size_t offset = page * page_bytes;
  problem_ = trace::is_beyond_file_limit(offset + page_bytes) ? EFBIG : file_.problem();
  if (problem_ == 0) problem_ = file_.allocate(static_cast<off_t>(offset), page_bytes);
  const std::size_t chunk = chunk_of(page);
  if (problem_ == 0 && chunk == chunks_.size()) {
    chunks_.reserve(chunk + 1);
    void* const memory =
        mmap(nullptr, bytes_of(chunk), PROT_READ | PROT_WRITE, MAP_SHARED, file_.number(), static_cast<off_t>(offset));
    if (memory == MAP_FAILED) {
      problem_ = errno;
    } else {
      chunks_.push_back(static_cast<std::byte*>(memory));
    }
  }
  has_room_to_spare_ = problem_ == 0 && !trace::is_beyond_file_limit(2 * offset);
  return problem_ == 0;
}

void CounterPages::map_in_plain_memory(std::size_t page) {
  const std::size_t chunk = chunk_of(page);
  constexpr int protection = PROT_READ | PROT_WRITE;
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS;
  if (chunk == chunks_.size()) {
    chunks_.reserve(chunk + 1);
    void* const memory = mmap(nullptr, bytes_of(chunk), protection, flags, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    chunks_.push_back(static_cast<std::byte*>(memory));
  } else if (page == pages_in_file_) {  // in place of what the file does not have of this chunk
    const std::size_t bytes = (first_page_of(chunk + 1) - page) * page_bytes;
    if (mmap(address_of(page), bytes, protection, flags | MAP_FIXED, -1, 0) == MAP_FAILED) throw std::bad_alloc();
  }
}

static_assert(DefinitionNumber::none == trace::counter_file_none && FrameNumber::none == trace::counter_file_none &&
              PredefinedNumber::none == trace::counter_file_none);

trace::CounterRecord& CounterPages::add(const Place& place) {
  const bool is_new = free_.empty();
  trace::CounterRecord* record = nullptr;
  if (is_new) {
    while (used_ >= pages_ * per_page) add_page();
    record = &record_at(used_);
    ++used_;
  } else {
    record = &look_at(*free_.back());
    free_.pop_back();
  }
  record->site = place.site.value;
  put_text(record->binding, place.binding);
  put_text(record->called, place.called);
  record->error_class = static_cast<std::uint32_t>(place.error_class);
  record->parameter = static_cast<std::uint32_t>(place.parameter);
  record->predefined = place.predefined.value;
  std::atomic_ref(record->definition).store(place.definition.value, std::memory_order_release);
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

void CounterPages::stay_folded(const trace::CounterRecord& record) {
  if (is_left_out(record)) left_out_and_folded_ += record.created + record.adopted;
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
  return problem_ != 0 && static_cast<std::size_t>(number_of(record)) >= pages_in_file_ * per_page;
}

bool CounterPages::counts_at(const trace::CounterRecord& record, const Place& place) {
  const auto is_text = [](const auto& field, std::string_view text) {
    return std::string_view(field) == text.substr(0, sizeof field - 1);
  };
  return record.site == place.site.value && is_text(record.called, place.called) &&
         is_text(record.binding, place.binding);
}

bool CounterPages::may_park(const trace::CounterRecord& record) const {
  return has_room_to_spare_ && !is_left_out(record);
}

RecordNumber CounterPages::number_of(const trace::CounterRecord& record) const {
  const auto* const bytes = reinterpret_cast<const std::byte*>(&record);
  std::size_t chunk = chunks_.size() - 1;  // that most pages are in
  while (bytes < chunks_[chunk] || chunks_[chunk] + bytes_of(chunk) <= bytes) --chunk;
  return static_cast<RecordNumber>(first_page_of(chunk) * per_page +
                                   static_cast<std::size_t>(bytes - chunks_[chunk]) / sizeof(trace::CounterRecord));
}

trace::CounterRecord& CounterPages::at(RecordNumber number) {
  const std::size_t page = static_cast<std::size_t>(number) / per_page;
  const auto end = looked_at_.begin() + static_cast<std::ptrdiff_t>(number_looked_at_);
  if (page < pages_in_file_ && std::find(looked_at_.begin(), end, page) == end) {
    if (number_looked_at_ == most_looked_at) {
      // The file has what these pages hold. Whoever counts there meanwhile gets them back from it.
      for (const std::size_t other : looked_at_) madvise(address_of(other), page_bytes, MADV_DONTNEED);
      number_looked_at_ = 0;
    }
    looked_at_[number_looked_at_++] = page;
  }
  // Touched by a write, and left as it is: where a read brings a page in, the system maps what is around it, too, up to
  // megabytes.
  trace::CounterRecord& record = record_at(static_cast<std::size_t>(number));
  const std::atomic_ref next(record.next);
  next.fetch_xor(1, std::memory_order_relaxed);
  next.fetch_xor(1, std::memory_order_relaxed);
  return record;
}

void CounterPages::trace_stopped(std::uint32_t why) {
  if (header_ != nullptr) header_->error = why;
}

void CounterPages::ended(trace::Completeness completeness, std::string_view reason) {
  if (header_ == nullptr) return;
  header_->left_out_types = 0;
  for (std::size_t i = pages_in_file_ * per_page; i < used_; ++i) {
    const trace::CounterRecord& record = record_at(i);
    if (record.parameter == 0) header_->left_out_types += record.created + record.adopted;
  }
  header_->left_out_types -= left_out_and_folded_;
  put_text(header_->reason, reason);
  header_->ended = static_cast<std::uint32_t>(completeness);
}

void CounterPages::remove() {
  if (!path_.empty()) file_.remove(path_);
  path_.clear();
}

}  // namespace ddtscope::plugin
