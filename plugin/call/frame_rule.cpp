// Runs the instructions of one function's tables up to one address. Whatever is met that is not known makes the rule
// unknown.
#include "plugin/call/frame_rule.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "plugin/call/eh_frame.h"

namespace ddtscope::plugin {
namespace {

using eh_frame::Bytes;
using eh_frame::Common;
using eh_frame::frame_pointer_register;
using eh_frame::return_address_register;
using eh_frame::stack_pointer_register;

/// The rows of the frame's table that matter here.
struct State {
  enum class Kind : std::uint8_t { same, offset, expression, undefined, other };
  struct Cell {
    Kind kind = Kind::same;
    std::int64_t offset = 0;
  };
  std::uint64_t cfa_register = 0;
  std::int64_t cfa_offset = 0;
  bool cfa_is_word = false;  // by an expression: the word at register + offset
  bool cfa_is_known = true;
  std::array<Cell, kept_registers.size()> kept;
  Cell return_address;
  const Cell& frame_pointer() const { return kept[place_of_frame_pointer]; }

  Cell* cell(std::uint64_t number) {
    if (number == return_address_register) return &return_address;
    const auto* const place = std::ranges::find(kept_registers, number);
    return place != kept_registers.end() ? &kept[static_cast<std::size_t>(place - kept_registers.begin())] : nullptr;
  }
};

/// DW_OP_bregN offset and nothing else, or DW_OP_deref behind it: what gcc writes for a function that aligns its stack.
struct RegisterAndOffset {
  std::uint64_t number;
  std::int64_t offset;
  bool is_word;
};
std::optional<RegisterAndOffset> simple_expression(Bytes expression) {
  constexpr std::uint8_t breg0 = 0x70;
  constexpr std::uint8_t breg31 = 0x8F;
  constexpr std::uint8_t deref = 0x06;
  const auto first = expression.take<std::uint8_t>();
  if (first < breg0 || first > breg31) return std::nullopt;
  RegisterAndOffset found{first - std::uint64_t{breg0}, expression.take_sleb128(), false};
  if (expression.has_more()) {
    if (expression.take<std::uint8_t>() != deref || expression.has_more()) return std::nullopt;
    found.is_word = true;
  }
  if (!expression.is_good()) return std::nullopt;
  return found;
}

/// Runs instructions (DWARF 5, 6.4.2) until one is for a later address than the one asked for.
class Machine {
 public:
  Machine(const Common& common, std::uintptr_t address) : common_(common), address_(address) {}

  /// False where an instruction is not known. `location` is where the first one holds.
  bool run(Bytes code, std::uintptr_t location) {
    location_ = location;
    is_behind_ = false;
    while (code.has_more() && !is_behind_) {
      if (!step(code)) return false;
    }
    return code.is_good();
  }
  /// What the state is now is what DW_CFA_restore goes back to.
  void begin_function() { initial_ = state_; }
  const State& result() const { return state_; }

 private:
  bool step(Bytes& code) {
    const auto byte = code.take<std::uint8_t>();
    const std::uint64_t low = byte & 0x3Fu;
    switch (byte & 0xC0) {
      case 0x40:
        advance(low);
        return true;
      case 0x80:
        set(low, {State::Kind::offset, scaled(code.take_uleb128())});
        return true;
      case 0xC0:
        restore(low);
        return true;
      default:
        return step_extended(byte, code);
    }
  }

  bool step_extended(std::uint8_t operation, Bytes& code) {
    switch (operation) {
      case 0x00:  // DW_CFA_nop
        return true;
      case 0x02:  // DW_CFA_advance_loc1
        advance(code.take<std::uint8_t>());
        return true;
      case 0x03:  // DW_CFA_advance_loc2
        advance(code.take<std::uint16_t>());
        return true;
      case 0x04:  // DW_CFA_advance_loc4
        advance(code.take<std::uint32_t>());
        return true;
      case 0x0A:  // DW_CFA_remember_state
        if (depth_ == remembered_.size()) return false;
        remembered_[depth_++] = state_;
        return true;
      case 0x0B:  // DW_CFA_restore_state
        if (depth_ == 0) return false;
        state_ = remembered_[--depth_];
        return true;
      case 0x2E:  // DW_CFA_GNU_args_size
        code.take_uleb128();
        return true;
      case 0x0C:
      case 0x0D:
      case 0x0E:
      case 0x0F:
      case 0x12:
      case 0x13:
        return define_cfa(operation, code);
      default:
        return define_register(operation, code);
    }
  }

  bool define_cfa(std::uint8_t operation, Bytes& code) {
    if (operation == 0x0F) {  // DW_CFA_def_cfa_expression
      const std::optional<RegisterAndOffset> found = simple_expression(code.part(code.take_uleb128()));
      state_.cfa_is_known = found && found->is_word;
      if (state_.cfa_is_known) set_cfa(found->number, found->offset);
      state_.cfa_is_word = state_.cfa_is_known;
      return true;
    }
    if (operation == 0x0C || operation == 0x12) {  // DW_CFA_def_cfa, DW_CFA_def_cfa_sf
      const std::uint64_t number = code.take_uleb128();
      set_cfa(number,
              operation == 0x0C ? static_cast<std::int64_t>(code.take_uleb128()) : scaled_signed(code.take_sleb128()));
      state_.cfa_is_known = true;
      state_.cfa_is_word = false;
      return true;
    }
    if (state_.cfa_is_word) return false;  // these change one half of a register and an offset
    if (operation == 0x0D) {               // DW_CFA_def_cfa_register
      state_.cfa_register = code.take_uleb128();
    } else {  // DW_CFA_def_cfa_offset, DW_CFA_def_cfa_offset_sf
      state_.cfa_offset =
          operation == 0x0E ? static_cast<std::int64_t>(code.take_uleb128()) : scaled_signed(code.take_sleb128());
    }
    return true;
  }

  bool define_register(std::uint8_t operation, Bytes& code) {
    const std::uint64_t number = code.take_uleb128();
    switch (operation) {
      case 0x05:  // DW_CFA_offset_extended
        set(number, {State::Kind::offset, scaled(code.take_uleb128())});
        return true;
      case 0x11:  // DW_CFA_offset_extended_sf
        set(number, {State::Kind::offset, scaled_signed(code.take_sleb128())});
        return true;
      case 0x06:  // DW_CFA_restore_extended
        restore(number);
        return true;
      case 0x07:  // DW_CFA_undefined
        set(number, {State::Kind::undefined});
        return true;
      case 0x08:  // DW_CFA_same_value
        set(number, {State::Kind::same});
        return true;
      default:
        return define_otherwise(operation, number, code);
    }
  }

  bool define_otherwise(std::uint8_t operation, std::uint64_t number, Bytes& code) {
    State::Cell cell{State::Kind::other};
    switch (operation) {
      case 0x09:  // DW_CFA_register
      case 0x14:  // DW_CFA_val_offset
        code.take_uleb128();
        break;
      case 0x15:  // DW_CFA_val_offset_sf
        code.take_sleb128();
        break;
      case 0x10: {  // DW_CFA_expression
        const std::optional<RegisterAndOffset> found = simple_expression(code.part(code.take_uleb128()));
        const bool is_known = found && !found->is_word && found->number == frame_pointer_register;
        if (is_known) cell = {State::Kind::expression, found->offset};
        break;
      }
      case 0x16:  // DW_CFA_val_expression
        code.part(code.take_uleb128());
        break;
      default:
        return false;
    }
    set(number, cell);
    return true;
  }

  void advance(std::uint64_t delta) {
    location_ += delta * common_.code_alignment;
    is_behind_ = location_ > address_;
  }
  std::int64_t scaled(std::uint64_t factored) const { return scaled_signed(static_cast<std::int64_t>(factored)); }
  std::int64_t scaled_signed(std::int64_t factored) const {
    std::int64_t product = 0;
    return __builtin_mul_overflow(factored, common_.data_alignment, &product) ? std::numeric_limits<std::int64_t>::max()
                                                                              : product;
  }
  void set(std::uint64_t number, State::Cell cell) {
    if (State::Cell* mine = state_.cell(number)) *mine = cell;
  }
  void restore(std::uint64_t number) {
    if (State::Cell* mine = state_.cell(number)) *mine = *initial_.cell(number);
  }
  void set_cfa(std::uint64_t number, std::int64_t offset) {
    state_.cfa_register = number;
    state_.cfa_offset = offset;
  }

  State state_;
  const Common& common_;
  std::uintptr_t address_, location_ = 0;
  bool is_behind_ = false;
  State initial_;
  std::array<State, 16> remembered_;
  std::size_t depth_ = 0;
};

template <class Narrow>
bool fits(std::int64_t value) {
  return value >= std::numeric_limits<Narrow>::min() && value <= std::numeric_limits<Narrow>::max();
}

FrameRule rule_of(const State& state) {
  using Kind = State::Kind;
  if (state.return_address.kind == Kind::undefined) return {.cfa = FrameRule::Cfa::outermost};
  // The call pushed it: it stands nowhere else.
  if (state.return_address.kind != Kind::offset || state.return_address.offset != -8) return {};
  if (!state.cfa_is_known || !fits<std::int32_t>(state.cfa_offset)) return {};
  FrameRule rule{.cfa_offset = static_cast<std::int32_t>(state.cfa_offset)};
  if (state.cfa_register == frame_pointer_register) {
    rule.cfa = state.cfa_is_word ? FrameRule::Cfa::word_of_frame : FrameRule::Cfa::frame_pointer;
  } else if (state.cfa_register == stack_pointer_register && !state.cfa_is_word) {
    rule.cfa = FrameRule::Cfa::stack_pointer;
  } else {
    return {};
  }
  const State::Cell& pointer = state.frame_pointer();
  const bool has_place = pointer.kind == Kind::offset || pointer.kind == Kind::expression;
  if (pointer.kind == Kind::same) {
    rule.frame_pointer = FrameRule::FramePointer::kept;
  } else if (has_place && fits<std::int16_t>(pointer.offset)) {
    rule.frame_pointer =
        pointer.kind == Kind::offset ? FrameRule::FramePointer::below_cfa : FrameRule::FramePointer::by_frame_pointer;
    rule.frame_pointer_offset = static_cast<std::int16_t>(pointer.offset);
  } else {
    rule.frame_pointer = FrameRule::FramePointer::lost;
  }
  return rule;
}

FrameRegisters::Place place_of(const State::Cell& cell) {
  using Kind = FrameRegisters::Place::Kind;
  switch (cell.kind) {
    case State::Kind::same:
      return {Kind::kept, 0};
    case State::Kind::offset:
      return {Kind::below_cfa, cell.offset};
    case State::Kind::expression:
      return {Kind::by_frame_pointer, cell.offset};
    case State::Kind::undefined:
    case State::Kind::other:
      break;
  }
  return {Kind::lost, 0};
}

/// What holds at the call instruction that returns there.
std::optional<State> state_at(std::uintptr_t return_address) noexcept {
  // Within the call instruction: what stands behind it may be another function.
  const std::uintptr_t address = return_address - 1;
  const std::optional<eh_frame::Function> function = eh_frame::find_function(address);
  if (!function) return std::nullopt;
  Machine machine(function->common, address);
  if (!machine.run(function->common.instructions, function->begin)) return std::nullopt;
  machine.begin_function();
  if (!machine.run(function->instructions, function->begin)) return std::nullopt;
  return machine.result();
}

}  // namespace

FrameRule frame_rule_at(std::uintptr_t return_address) noexcept {
  const std::optional<State> state = state_at(return_address);
  return state ? rule_of(*state) : FrameRule{};
}

FrameRegisters frame_registers_at(std::uintptr_t return_address) noexcept {
  FrameRegisters registers;
  const std::optional<State> state = state_at(return_address);
  if (!state) return registers;
  registers.rule = rule_of(*state);
  std::ranges::transform(state->kept, registers.places.begin(), place_of);
  return registers;
}

}  // namespace ddtscope::plugin
