// Fills the records of the debug view.
#include "plugin/debug_view/debug_memory.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>

#include "decoder/definition/observed_bounds.h"
#include "reporters/trace/format/debug_view_checksum.h"

namespace ddtscope::plugin {
namespace {

using trace::DebugDefinition;
using trace::DebugRecordKind;

// Without the first two, definitions cannot be read; there are few of them.
constexpr std::string_view always_kept_lines[] = {"header", "predefined"};
constexpr std::string_view kept_lines[] = {"module", "frames", "name", "difference"};

bool is_one_of(std::span<const std::string_view> kinds, std::string_view record) {
  return std::find(kinds.begin(), kinds.end(), record) != kinds.end();
}

}  // namespace

DebugMemory::DebugMemory(trace::DebugView& view) : view_(view), records_(view.first_arena) {
  // An older session, which is never destroyed, may have left what it had.
  std::atomic_ref(view_.self).store(0, std::memory_order_release);
  view_.first_arena = 0;
  view_.state = static_cast<std::uint32_t>(trace::DebugViewState::idle);
  std::fill(std::begin(view_.tables), std::end(view_.tables), std::uint64_t{0});
}

DebugMemory::~DebugMemory() {
  std::atomic_ref(view_.self).store(0, std::memory_order_release);
  view_.state = static_cast<std::uint32_t>(trace::DebugViewState::idle);
}

void DebugMemory::begin(const Process& process) {
  std::memcpy(view_.magic, trace::debug_view_magic, sizeof view_.magic);
  view_.byte_order = trace::debug_view_byte_order;
  view_.version = trace::debug_view_version;
  view_.bytes = sizeof(trace::DebugView);
  view_.arena_bytes = sizeof(trace::DebugArena);
  view_.record_bytes = sizeof(trace::DebugRecord);
  view_.definition_bytes = sizeof(DebugDefinition);
  view_.table_bytes = sizeof(trace::DebugTable);
  view_.mpi_datatype_bytes = process.mpi_datatype_bytes;
  view_.pid = getpid();
  view_.rank = process.rank;
  view_.size = process.size;
  view_.state = static_cast<std::uint32_t>(trace::DebugViewState::recording);
  view_.long_double_digits = process.long_double_digits;
  // The checksum holds for the view as it will be.
  trace::DebugView whole = view_;
  whole.self = reinterpret_cast<std::uintptr_t>(&view_);
  view_.checksum = checksum_of(whole);
  std::atomic_ref(view_.self).store(whole.self, std::memory_order_release);
}

void DebugMemory::ended() { stop_recording(trace::DebugViewState::ended); }
void DebugMemory::stopped() noexcept { stop_recording(trace::DebugViewState::stopped); }
void DebugMemory::forked() noexcept { stop_recording(trace::DebugViewState::forked); }

/// What came first stays.
void DebugMemory::stop_recording(trace::DebugViewState state) noexcept {
  auto recording = static_cast<std::uint32_t>(trace::DebugViewState::recording);
  std::atomic_ref(view_.state).compare_exchange_strong(recording, static_cast<std::uint32_t>(state));
}

std::byte* DebugMemory::allocate(DefinitionId, std::size_t bytes) {
  return records_.allocate(sizeof(DebugDefinition) + bytes, DebugRecords::Room::anywhere) + sizeof(DebugDefinition);
}

void DebugMemory::release(std::byte* block, std::size_t) { records_.release(block - sizeof(DebugDefinition)); }

static_assert(FrameNumber::none == trace::debug_view_none);

void DebugMemory::definition(const Described& described, const DefinitionStore& store) {
  const Definition& definition = store[described.id];
  const ConstructorCall& call = definition.call;
  DebugDefinition record{};
  record.definition = described.id.value;
  record.line = described.number.value;
  record.key = definition.key;
  record.site = described.site.value;
  record.entry = entry(*described.called);
  record.adopted = described.adopted ? 1 : 0;
  record.combiner = combiner_code(call.combiner);
  record.large = call.form == Form::large_counts ? 1 : 0;
  record.since = described.since;
  record.datatypes = static_cast<std::uint32_t>(call.datatypes.size());
  for (std::size_t i = 0; i < std::size(observed_bounds); ++i) {
    const std::optional<std::int64_t>& bound = described.bounds.*observed_bounds[i];
    record.observed[i] = bound.value_or(0);
    if (!bound) record.undefined = static_cast<std::uint8_t>(record.undefined | 1u << i);
  }
  std::copy(call.scalars.begin(), call.scalars.end(), record.scalars);
  for (std::size_t i = 0; i < call.arrays.size(); ++i) {
    record.array_lengths[i] = call.arrays[i].length;
    record.array_widths[i] = call.arrays[i].width;
  }
  std::byte* content = definition.block - sizeof(DebugDefinition);
  std::memcpy(content, &record, sizeof record);
  records_.publish(content, sizeof record + block_bytes(call), DebugRecordKind::definition);
}

void DebugMemory::predefined(DefinitionId id, std::string_view name) {
  const trace::DebugPredefined record{.definition = id.value, .reserved = 0};
  std::byte* content = records_.allocate(sizeof record + name.size(), DebugRecords::Room::at_end);
  std::memcpy(content, &record, sizeof record);
  std::memcpy(content + sizeof record, name.data(), name.size());
  records_.publish(content, sizeof record + name.size(), DebugRecordKind::predefined);
}

std::uint32_t DebugMemory::entry(const EntryPoint& called) {
  if (&called == last_entry_.first) return last_entry_.second;
  // Some dozens at most.
  const auto found = std::find(entries_.begin(), entries_.end(), &called);
  const auto number = static_cast<std::uint32_t>(found - entries_.begin());
  if (found != entries_.end()) {
    last_entry_ = {&called, number};
    return number;
  }
  const trace::DebugEntry record{.number = number, .reserved = 0};
  std::string text = called.name;
  text += '\0';
  text += called.binding;
  entries_.push_back(&called);
  std::byte* content = records_.allocate(sizeof record + text.size(), DebugRecords::Room::at_end);
  std::memcpy(content, &record, sizeof record);
  std::memcpy(content + sizeof record, text.data(), text.size());
  records_.publish(content, sizeof record + text.size(), DebugRecordKind::entry);
  return number;
}

void DebugMemory::say_lines_are_left_out() {
  if (std::exchange(has_left_lines_out_, true)) return;
  records_.publish(records_.allocate(0, DebugRecords::Room::at_end), 0, DebugRecordKind::lines_left_out);
}

void DebugMemory::keep(std::string_view record, std::string_view line) {
  const bool is_always_kept = is_one_of(always_kept_lines, record);
  if (!is_always_kept && !is_one_of(kept_lines, record)) return;
  if (!is_always_kept && kept_ + line.size() > most_kept_) {
    say_lines_are_left_out();
    return;
  }
  kept_ += line.size() + sizeof(trace::DebugRecord);
  std::byte* content = records_.allocate(line.size(), DebugRecords::Room::at_end);
  std::memcpy(content, line.data(), line.size());
  records_.publish(content, line.size(), DebugRecordKind::line);
}

}  // namespace ddtscope::plugin
