// The walk itself, the table of rules, and where the memory of a stack ends.
#include "plugin/call/stack_walk.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <exception>
#include <mutex>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ddtscope::plugin {

thread_local constinit Mapping last_stack [[gnu::tls_model("initial-exec")]];

namespace {

/// A line of /proc/self/maps at a time, without the program's allocator: this may be a thread's first call.
class Mappings {
 public:
  Mappings() : file_(open("/proc/self/maps", O_RDONLY | O_CLOEXEC)) {}
  ~Mappings() {
    if (file_ >= 0) close(file_);
  }
  Mappings(const Mappings&) = delete;
  Mappings& operator=(const Mappings&) = delete;

  /// The one with this address; an empty one where there is none, or nothing can be read.
  Mapping find(std::uintptr_t address) {
    Mapping mapping;
    char byte = ' ';
    while (next(byte)) {
      mapping = {};
      if (!number(byte, mapping.begin) || !number(byte, mapping.end)) break;
      if (mapping.contains(address)) return mapping;
      while (byte != '\n' && next(byte)) {
      }
    }
    return {};
  }

 private:
  bool next(char& byte) {
    if (at_ == filled_) {
      const ssize_t got = file_ < 0 ? 0 : read(file_, buffer_.data(), buffer_.size());
      if (got <= 0) return false;
      filled_ = static_cast<std::size_t>(got);
      at_ = 0;
    }
    byte = buffer_[at_++];
    return true;
  }
  /// A hexadecimal number, which ends at a hyphen or a blank. `byte` is the one in front of it, or its first digit.
  bool number(char& byte, std::uintptr_t& value) {
    if (byte == '-' && !next(byte)) return false;
    while (byte != '-' && byte != ' ') {
      const bool is_decimal = byte >= '0' && byte <= '9';
      if (!is_decimal && (byte < 'a' || byte > 'f')) return false;
      value = value * 16 + static_cast<std::uintptr_t>(is_decimal ? byte - '0' : byte - 'a' + 10);
      if (!next(byte)) return false;
    }
    return true;
  }

  int file_;
  std::array<char, 4096> buffer_;
  std::size_t at_ = 0, filled_ = 0;
};

[[gnu::noinline]] Mapping find_stack(std::uintptr_t address) noexcept {
  last_stack = Mappings().find(address);
  return last_stack;
}

std::uintptr_t word_at(std::uintptr_t address) { return *reinterpret_cast<const std::uintptr_t*>(address); }

}  // namespace

Mapping stack_at(std::uintptr_t address) noexcept {
  const Mapping memory = last_stack;
  return memory.contains(address) ? memory : find_stack(address);
}

namespace {

std::uint64_t next_generation() {
  static constinit std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

FrameRules::FrameRules() : generation_(next_generation()) {
  tables_.push_back(std::make_unique<Table>(smallest_bits));
  table_ = tables_.back().get();
}

FrameRules::~FrameRules() = default;

void FrameRules::put(Table& table, std::uintptr_t address, const FrameRule& rule) {
  std::size_t at = table.home(address);
  while (table.entries[at].address.load(std::memory_order_relaxed) != 0) at = (at + 1) & table.mask;
  table.entries[at].rule.store(rule, std::memory_order_release);
  table.entries[at].address.store(address, std::memory_order_release);
  ++table.used;
}

FrameRule FrameRules::learn(std::uintptr_t address) noexcept {
  const FrameRule rule = frame_rule_at(address);
  // A signal's handler may have interrupted who has the lock.
  const std::unique_lock guard(learning_, std::try_to_lock);
  if (!guard) return rule;
  Table* table = table_.load(std::memory_order_relaxed);
  // Another thread may have been here before.
  for (std::size_t at = table->home(address);; at = (at + 1) & table->mask) {
    const std::uintptr_t known = table->entries[at].address.load(std::memory_order_relaxed);
    if (known == address) return rule;
    if (known == 0) break;
  }
  if (2 * (table->used + 1) > table->entries.size()) {
    const unsigned bits = 64 - table->shift;
    // Code that is made at run time has ever new addresses: these are looked up each time.
    if (bits == largest_bits) return rule;
    try {
      auto larger = std::make_unique<Table>(bits + 1);
      for (const Entry& entry : table->entries) {
        if (const std::uintptr_t known = entry.address.load(std::memory_order_relaxed))
          put(*larger, known, entry.rule.load(std::memory_order_relaxed));
      }
      tables_.push_back(std::move(larger));
    } catch (const std::exception&) {
      return rule;
    }
    table = tables_.back().get();
  }
  put(*table, address, rule);
  table_.store(table, std::memory_order_release);
  return rule;
}

void FrameRules::forget() noexcept {
  const std::lock_guard guard(learning_);
  // In place, whoever may be reading: one who comes by an entry's next rule also finds that it was forgotten.
  Table& table = *table_.load(std::memory_order_relaxed);
  for (Entry& entry : table.entries) entry.address.store(0, std::memory_order_relaxed);
  table.used = 0;
  generation_.store(next_generation(), std::memory_order_release);
}

namespace {

/// A frame, and the memory above it that belongs to the stack.
struct Frame {
  std::uintptr_t pointer, frame_pointer, address;
  std::uintptr_t lowest, last_word;
  const std::uintptr_t* frame_pointer_at;  // where it was read, unless that is noted
  StackWords* words;                       // what the way depended on; may be null
  bool is_word(std::uintptr_t at) const { return at >= lowest && at <= last_word && at % sizeof at == 0; }
  std::uintptr_t word_or_0(std::uintptr_t at) const { return is_word(at) ? word_at(at) : 0; }
  void note(std::uintptr_t at) const {
    if (words != nullptr) words->add(reinterpret_cast<const std::uintptr_t*>(at));
  }
  /// Most frame pointers are only handed on, or are no pointers at all: what they are matters where they tell the way.
  void note_frame_pointer() {
    if (frame_pointer_at != nullptr) note(reinterpret_cast<std::uintptr_t>(frame_pointer_at));
    frame_pointer_at = nullptr;
  }
};

/// The canonical frame address, 0 where there is none.
[[gnu::always_inline]] inline std::uintptr_t cfa_of(Frame& frame, const FrameRule& rule) noexcept {
  const auto offset = static_cast<std::uintptr_t>(std::intptr_t{rule.cfa_offset});
  switch (rule.cfa) {
    case FrameRule::Cfa::stack_pointer:
      return frame.pointer + offset;
    case FrameRule::Cfa::frame_pointer:
      frame.note_frame_pointer();
      return frame.frame_pointer + offset;
    case FrameRule::Cfa::word_of_frame:
      frame.note_frame_pointer();
      if (frame.is_word(frame.frame_pointer + offset)) frame.note(frame.frame_pointer + offset);
      return frame.word_or_0(frame.frame_pointer + offset);
    case FrameRule::Cfa::outermost:
    case FrameRule::Cfa::unknown:
      break;
  }
  return 0;
}

/// Goes on to the caller, whose canonical frame address this is.
[[gnu::always_inline]] inline void go_up(Frame& frame, const FrameRule& rule, std::uintptr_t cfa) noexcept {
  if (rule.frame_pointer != FrameRule::FramePointer::kept) {
    const auto own_offset = static_cast<std::uintptr_t>(std::intptr_t{rule.frame_pointer_offset});
    if (rule.frame_pointer == FrameRule::FramePointer::by_frame_pointer) frame.note_frame_pointer();
    const std::uintptr_t place =
        (rule.frame_pointer == FrameRule::FramePointer::below_cfa ? cfa : frame.frame_pointer) + own_offset;
    // One that is lost, or out of reach, is none: a frame that needs it lies outside of the stack.
    const bool is_there = rule.frame_pointer != FrameRule::FramePointer::lost && frame.is_word(place);
    frame.frame_pointer = is_there ? word_at(place) : 0;
    frame.frame_pointer_at = is_there ? reinterpret_cast<const std::uintptr_t*>(place) : nullptr;
  }
  frame.pointer = cfa;
  frame.note(cfa - sizeof cfa);
  frame.address = word_at(cfa - sizeof cfa);
}

[[gnu::always_inline]] inline Walk walk_once(FrameRules& rules, const ReturnPlace& place, std::size_t depth,
                                             Stack& stack) noexcept {
  if (place.frame == nullptr) return Walk::impossible;
  const std::uintptr_t lowest = reinterpret_cast<std::uintptr_t>(place.frame + 2);
  const Mapping memory = stack_at(lowest);
  if (!memory.contains(lowest)) [[unlikely]]
    return Walk::impossible;
  Frame frame{.pointer = lowest,
              .frame_pointer = place.frame[0],
              .address = reinterpret_cast<std::uintptr_t>(place.address),
              .lowest = lowest,
              .last_word = memory.end - sizeof(std::uintptr_t),
              .frame_pointer_at = place.frame,
              .words = stack.recent != nullptr ? &stack.recent->words : nullptr};
  if (frame.words != nullptr) frame.words->clear();
  Walk result = Walk::whole;
  std::size_t count = 0;
  stack.frames[count++] = place.address;
  while (count < depth) {
    const FrameRule rule = rules.of(frame.address);
    if (rule.cfa == FrameRule::Cfa::unknown) [[unlikely]]
      return Walk::impossible;
    if (rule.cfa == FrameRule::Cfa::outermost) break;
    const std::uintptr_t cfa = cfa_of(frame, rule);
    if (cfa <= frame.pointer || !frame.is_word(cfa - sizeof cfa)) [[unlikely]] {
      result = Walk::broken;
      break;
    }
    go_up(frame, rule, cfa);
    if (frame.address == 0) break;
    stack.frames[count++] = reinterpret_cast<void*>(frame.address);
  }
  stack.first = 0;
  stack.count = static_cast<std::uint32_t>(count);
  stack.hash = XXH3_64bits(stack.frames.data(), count * sizeof(void*));
  return result;
}

}  // namespace

Walk walk_stack(FrameRules& rules, const ReturnPlace& place, std::size_t depth, Stack& stack) noexcept {
  for (;;) {
    const std::uint64_t generation = rules.generation();
    const Walk result = walk_once(rules, place, depth, stack);
    if (rules.generation() == generation) [[likely]]
      return result;
  }
}

void keep_walk(RecentWalk& recent, std::uint64_t rules, std::uint64_t hash) noexcept {
  recent.hash = hash;
  recent.stack_end = last_stack.end;
  recent.rules = rules;
}

}  // namespace ddtscope::plugin
