#include "plugin/sources/call_frames.h"

#include <algorithm>
#include <memory>
#include <new>

namespace ddtscope::plugin {
namespace {

constexpr std::uintptr_t bytes_of_slot = sizeof(std::uintptr_t);

/// A frame, on the way from it to its caller's.
struct Position {
  std::uintptr_t instruction = 0;  // where it goes on
  std::uintptr_t stack_pointer = 0;
  KeptRegisters registers;
  Mapping stack;  // from where the way began

  bool is_word(std::uintptr_t at) const {
    return at >= stack.begin && at <= stack.end - bytes_of_slot && at % bytes_of_slot == 0;
  }
  std::uintptr_t frame_pointer() const { return registers.values[place_of_frame_pointer]; }
  bool knows_frame_pointer() const { return registers.known[place_of_frame_pointer]; }
};

/// What the processor has in the middle of this function.
#ifdef __x86_64__
[[gnu::always_inline]] inline void look(Position& here) noexcept {
  std::array<std::uintptr_t, kept_registers.size() + 2> words;
  asm volatile(
      "leaq 0f(%%rip), %%rax\n"
      "0:\n\t"
      "movq %%rax, 0(%0)\n\t"
      "movq %%rsp, 8(%0)\n\t"
      "movq %%rbx, 16(%0)\n\t"
      "movq %%rbp, 24(%0)\n\t"
      "movq %%r12, 32(%0)\n\t"
      "movq %%r13, 40(%0)\n\t"
      "movq %%r14, 48(%0)\n\t"
      "movq %%r15, 56(%0)"
      :
      : "r"(words.data())
      : "rax", "memory");
  here.instruction = words[0] + 1;  // as if a call ended there
  here.stack_pointer = words[1];
  std::copy(words.begin() + 2, words.end(), here.registers.values.begin());
  here.registers.known.set();
}
#else
inline void look(Position&) noexcept {}
#endif

/// The canonical frame address, by the rule of this place; 0 where there is none.
std::uintptr_t cfa_of(const Position& here, const FrameRule& rule) noexcept {
  const auto offset = static_cast<std::uintptr_t>(std::intptr_t{rule.cfa_offset});
  switch (rule.cfa) {
    case FrameRule::Cfa::stack_pointer:
      return here.stack_pointer + offset;
    case FrameRule::Cfa::frame_pointer:
      return here.knows_frame_pointer() ? here.frame_pointer() + offset : 0;
    case FrameRule::Cfa::word_of_frame: {
      const std::uintptr_t at = here.frame_pointer() + offset;
      return here.knows_frame_pointer() && here.is_word(at) ? CallFrames::word_at(at) : 0;
    }
    case FrameRule::Cfa::outermost:
    case FrameRule::Cfa::unknown:
      break;
  }
  return 0;
}

/// Of the caller.
KeptRegisters registers_behind(const Position& here, const FrameRegisters& rules, std::uintptr_t cfa) noexcept {
  using Kind = FrameRegisters::Place::Kind;
  KeptRegisters behind = here.registers;
  for (std::size_t i = 0; i < kept_registers.size(); ++i) {
    const FrameRegisters::Place& place = rules.places[i];
    if (place.kind == Kind::kept) continue;
    const bool has_base =
        place.kind == Kind::below_cfa || (place.kind == Kind::by_frame_pointer && here.knows_frame_pointer());
    const std::uintptr_t base = place.kind == Kind::below_cfa ? cfa : here.frame_pointer();
    const std::uintptr_t at = base + static_cast<std::uintptr_t>(place.offset);
    behind.known[i] = has_base && here.is_word(at);
    if (behind.known[i]) behind.values[i] = CallFrames::word_at(at);
  }
  return behind;
}

/// Goes on to the caller; `cfa` is that of the frame that was left, 0 where the way ends.
bool go_up(Position& here, std::uintptr_t& cfa) noexcept {
  const FrameRegisters rules = frame_registers_at(here.instruction);
  cfa = cfa_of(here, rules.rule);
  if (cfa <= here.stack_pointer || !here.is_word(cfa - bytes_of_slot)) {
    cfa = 0;
    return false;
  }
  here.registers = registers_behind(here, rules, cfa);
  here.stack_pointer = cfa;
  here.instruction = CallFrames::word_at(cfa - bytes_of_slot);
  return here.instruction != 0;
}

/// From this function's caller out to the frame that called the wrapper: those between are the plugin's, and the
/// library's Fortran layer's.
bool go_to(Position& here, const ReturnPlace& place) noexcept {
  constexpr int most_between = 48;
  const auto behind = reinterpret_cast<std::uintptr_t>(place.frame + 2);
  std::uintptr_t cfa = 0;
  for (int i = 0; i < most_between && here.stack_pointer < behind; ++i) {
    if (!go_up(here, cfa)) return false;
  }
  return here.stack_pointer == behind && here.instruction == reinterpret_cast<std::uintptr_t>(place.address);
}

}  // namespace

// What stood in a frame may now be between the variables of others, which address sanitizers watch; another thread may
// be writing to it.
[[gnu::no_sanitize_address, gnu::no_sanitize_thread, gnu::noinline]] std::uintptr_t CallFrames::word_at(
    std::uintptr_t address) noexcept {
  return *reinterpret_cast<const std::uintptr_t*>(address);
}

bool CallFrames::find(const ReturnPlace& place, std::size_t depth) noexcept {
  count_ = number_of_addresses_ = 0;
  if (place.frame == nullptr) return false;
  Position here;
  look(here);
  stack_ = stack_at(here.stack_pointer);
  const auto behind = reinterpret_cast<std::uintptr_t>(place.frame + 2);
  if (!stack_.contains(here.stack_pointer) || !stack_.contains(behind)) return false;
  here.stack = {here.stack_pointer, stack_.end};
  if (!go_to(here, place)) {
    here.instruction = reinterpret_cast<std::uintptr_t>(place.address);
    here.stack_pointer = behind;
    here.registers.known.reset();
    here.registers.known.set(place_of_frame_pointer);
    here.registers.values[place_of_frame_pointer] = place.frame[0];
  }
  const std::size_t wanted = std::min(depth, most);
  for (bool goes_on = true; goes_on && number_of_addresses_ < wanted;) {
    addresses_[number_of_addresses_++] = reinterpret_cast<void*>(here.instruction);
    CallFrame& frame = frames_[count_];
    frame.return_address = here.instruction;
    frame.stack_pointer = here.stack_pointer;
    frame.registers = here.registers;
    goes_on = go_up(here, frame.cfa);
    if (frame.cfa == 0) break;
    ++count_;
  }
  return count_ != 0;
}

namespace {

/// Three functions, of which their compiler says where their frames lie.
struct KnownFrames {
  std::array<std::uintptr_t, 3> cfas{};  // innermost first, of those that call the one that looks
  bool are_found = false;
  CallFrames& found;
};

[[gnu::noinline]] void look_at(KnownFrames& known) noexcept {
  CallFrames& found = known.found;
  if (!found.find(DDTSCOPE_RETURN_PLACE, known.cfas.size())) return;
  const auto cfa_of_frame = [](const CallFrame& frame) { return frame.cfa; };
  known.are_found = std::ranges::equal(found.frames(), known.cfas, {}, cfa_of_frame);
}
[[gnu::noinline]] void call_look(KnownFrames& known) noexcept {
  known.cfas[0] = reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa());
  look_at(known);
  __asm__ volatile("");  // no tail call: the frame must be there
}
[[gnu::noinline]] void call_call_look(KnownFrames& known) noexcept {
  known.cfas[1] = reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa());
  call_look(known);
  __asm__ volatile("");
}

}  // namespace

[[gnu::noinline]] bool CallFrames::are_right() noexcept {
  const std::unique_ptr<CallFrames> found(new (std::nothrow) CallFrames);
  if (found == nullptr) return false;
  KnownFrames known{.found = *found};
  known.cfas[2] = reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa());
  call_call_look(known);
  return known.are_found;
}

}  // namespace ddtscope::plugin
