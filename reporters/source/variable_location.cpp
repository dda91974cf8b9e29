#include "reporters/source/variable_location.h"

#include <dwarf.h>

#include <algorithm>
#include <span>

namespace ddtscope::reporters {
namespace {

using Base = SymbolicValue::Base;
using Operations = std::span<const Dwarf_Op>;

constexpr std::size_t most_operations = 256;
constexpr std::int64_t farthest_place = std::int64_t{1} << 48;  // from a base that is no constant, bytes

std::int64_t sum_of(std::int64_t one, std::int64_t other) {  // of a damaged file it may be any number
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(one) + static_cast<std::uint64_t>(other));
}

bool is_place(const SymbolicValue& value) {
  const auto is_near = [](std::int64_t distance) { return distance > -farthest_place && distance < farthest_place; };
  return value.base == Base::constant || (is_near(value.plus) && is_near(value.at));
}

std::optional<int> register_in(const Dwarf_Op& operation) {
  if (operation.atom >= DW_OP_reg0 && operation.atom <= DW_OP_reg31) return operation.atom - DW_OP_reg0;
  if (operation.atom == DW_OP_regx && operation.number < 1024) return static_cast<int>(operation.number);
  return std::nullopt;
}

/// One expression (DWARF 5, 2.5 and 2.6). What it does not follow makes the part unknown.
class Evaluation {
 public:
  Evaluation(Dwarf_Attribute* attribute, const CallingFrame* frame, FrameTables& tables)
      : attribute_(attribute), frame_(frame), tables_(tables) {}

  std::vector<VariablePiece> pieces(Operations operations) {
    std::vector<VariablePiece> pieces;
    std::int64_t offset = 0;
    begin_piece();
    for (const Dwarf_Op& operation : operations.first(std::min(operations.size(), most_operations))) {
      if (operation.atom == DW_OP_piece) {
        const auto size = static_cast<std::int64_t>(operation.number);
        if (size < 0 || size > (std::int64_t{1} << 40)) return {};
        pieces.push_back(finished(offset, size));
        offset += size;
        begin_piece();
      } else {
        apply(operation);
      }
    }
    if (pieces.empty()) pieces.push_back(finished(0, std::nullopt));
    return pieces;
  }

 private:
  void begin_piece() {
    stack_.clear();
    piece_ = {};
    piece_.kind = VariablePiece::Kind::memory;
    fails_ = false;
  }

  VariablePiece finished(std::int64_t offset, std::optional<std::int64_t> size) {
    VariablePiece piece = piece_;
    if (piece.kind != VariablePiece::Kind::in_register) {
      if (stack_.empty()) fails_ = true;
      if (!fails_) piece.value = stack_.back();
    }
    if (!is_place(piece.value)) fails_ = true;
    if (fails_) piece.kind = VariablePiece::Kind::unknown;
    piece.offset = offset;
    piece.size = size;
    return piece;
  }

  void push(SymbolicValue value) { stack_.push_back(value); }
  void constant(std::int64_t number) { push({Base::constant, 0, number}); }
  static void add(std::int64_t& sum, std::int64_t more) { sum = sum_of(sum, more); }

  void apply(const Dwarf_Op& operation) {
    if (fails_) return;
    const auto number = static_cast<std::int64_t>(operation.number);
    const std::uint8_t atom = operation.atom;
    if (const auto held = register_in(operation)) {
      piece_.kind = VariablePiece::Kind::in_register;
      piece_.value = {Base::in_register, *held, 0};
      return;
    }
    if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31) return value_of_register(atom - DW_OP_breg0, number);
    if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31) return constant(atom - DW_OP_lit0);
    switch (atom) {
      case DW_OP_addr:
      case DW_OP_const1u:
      case DW_OP_const1s:
      case DW_OP_const2u:
      case DW_OP_const2s:
      case DW_OP_const4u:
      case DW_OP_const4s:
      case DW_OP_const8u:
      case DW_OP_const8s:
      case DW_OP_constu:
      case DW_OP_consts:
        return constant(number);
      case DW_OP_addrx:
      case DW_OP_GNU_addr_index:
        return indexed_address(operation);
      case DW_OP_bregx:
        return value_of_register(static_cast<int>(number), static_cast<std::int64_t>(operation.number2));
      case DW_OP_fbreg:
        return frame_base(number);
      case DW_OP_call_frame_cfa:
        return push({Base::cfa, 0, 0});
      case DW_OP_stack_value:
        piece_.kind = VariablePiece::Kind::value;
        return;
      case DW_OP_form_tls_address:
      case DW_OP_GNU_push_tls_address:
        return in_thread();
      case DW_OP_nop:
        return;
      default:
        return change_top(atom, number);
    }
  }

  void in_thread() {
    if (stack_.empty() || stack_.back().base != Base::constant) {
      fails_ = true;
    } else {
      stack_.back().base = Base::thread;
    }
  }

  /// Operations on what was pushed before.
  void change_top(std::uint8_t atom, std::int64_t number) {
    if (stack_.empty()) {
      fails_ = true;
      return;
    }
    if (atom == DW_OP_plus_uconst) {
      add(stack_.back().plus, number);
    } else if (atom == DW_OP_deref && stack_.back().base == Base::cfa) {
      stack_.back() = {Base::slot, stack_.back().plus, 0};
    } else if ((atom == DW_OP_plus || atom == DW_OP_minus) && stack_.size() > 1 &&
               stack_.back().base == Base::constant) {
      const std::int64_t more = stack_.back().plus;
      stack_.pop_back();
      add(stack_.back().plus, atom == DW_OP_plus ? more : sum_of(~more, 1));
    } else {
      fails_ = true;
    }
  }

  void indexed_address(const Dwarf_Op& operation) {
    Dwarf_Attribute address;
    Dwarf_Addr value = 0;
    if (dwarf_getlocation_attr(attribute_, &operation, &address) == 0 && dwarf_formaddr(&address, &value) == 0) {
      constant(static_cast<std::int64_t>(value));
    } else {
      fails_ = true;
    }
  }

  void value_of_register(int number, std::int64_t offset) {
    if (frame_ == nullptr) {
      fails_ = true;
      return;
    }
    const FrameFacts& facts = tables_.at(frame_->pc);
    const auto registers = tables_.registers();
    std::optional<std::int64_t> distance;
    if (registers && number == registers->stack_pointer) {
      distance = frame_->stack_pointer ? frame_->stack_pointer : facts.stack_pointer;
      if (!distance) fails_ = true;
    } else if (registers && number == registers->frame_pointer) {
      distance = facts.frame_pointer;
    }
    push(distance ? SymbolicValue{Base::cfa, 0, sum_of(*distance, offset)}
                  : SymbolicValue{Base::in_register, number, offset});
  }

  void frame_base(std::int64_t offset) {
    Dwarf_Attribute attribute;
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    Dwarf_Die function = frame_ == nullptr ? Dwarf_Die{} : frame_->function;
    if (function.addr == nullptr || dwarf_attr_integrate(&function, DW_AT_frame_base, &attribute) == nullptr ||
        dwarf_getlocation_addr(&attribute, frame_->pc, &operations, &count, 1) != 1 || count != 1) {
      fails_ = true;
      return;
    }
    if (operations[0].atom == DW_OP_call_frame_cfa) return push({Base::cfa, 0, offset});
    const auto registers = tables_.registers();
    if (const auto held = register_in(operations[0])) {
      // clang counts from where the stack pointer is behind the prologue, also while arguments are pushed.
      if (registers && *held == registers->stack_pointer) return usual_stack_pointer(offset);
      return value_of_register(*held, offset);
    }
    if (operations[0].atom >= DW_OP_breg0 && operations[0].atom <= DW_OP_breg31) {
      return value_of_register(operations[0].atom - DW_OP_breg0,
                               sum_of(static_cast<std::int64_t>(operations[0].number), offset));
    }
    fails_ = true;
  }

  void usual_stack_pointer(std::int64_t offset) {
    Dwarf_Addr base = 0;
    Dwarf_Addr begin = 0;
    Dwarf_Addr end = 0;
    Dwarf_Die function = frame_->function;
    for (std::ptrdiff_t next = 0; (next = dwarf_ranges(&function, next, &base, &begin, &end)) > 0;) {
      if (frame_->pc < begin || frame_->pc >= end) continue;
      if (const auto distance = tables_.usual_stack_pointer(begin, end)) {
        return push({Base::cfa, 0, sum_of(*distance, offset)});
      }
    }
    fails_ = true;
  }

  Dwarf_Attribute* attribute_;
  const CallingFrame* frame_;
  FrameTables& tables_;
  std::vector<SymbolicValue> stack_;
  VariablePiece piece_;
  bool fails_ = false;
};

struct OperationsAt {
  Operations operations;
  bool are_over = false;  // they are those of a place before
};

/// What the list of locations has for the place. Compilers end the range of a register that the called function may
/// change before the return address, and clang ends ranges before arguments are pushed.
OperationsAt operations_at(Dwarf_Attribute* attribute, Dwarf_Addr pc) {
  constexpr Dwarf_Addr farthest = 64;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  for (const Dwarf_Addr at : {pc, pc - 1}) {
    if (dwarf_getlocation_addr(attribute, at, &operations, &count, 1) == 1 && count > 0) {
      return {{operations, count}, false};
    }
  }
  OperationsAt last{{}, true};
  Dwarf_Addr end_of_last = 0;
  Dwarf_Addr base = 0;
  Dwarf_Addr begin = 0;
  Dwarf_Addr end = 0;
  for (std::ptrdiff_t next = 0;
       (next = dwarf_getlocations(attribute, next, &base, &begin, &end, &operations, &count)) > 0;) {
    if (begin < pc && end <= pc && end + farthest > pc && end > end_of_last && count > 0) {
      last.operations = {operations, count};
      end_of_last = end;
    }
  }
  return last;
}

/// See is told of each range of a list of locations, and of what stands there.
template <class See>
void each_range(Dwarf_Attribute* attribute, const See& see) {
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  Dwarf_Addr base = 0;
  Dwarf_Addr begin = 0;
  Dwarf_Addr end = 0;
  for (std::ptrdiff_t next = 0;
       (next = dwarf_getlocations(attribute, next, &base, &begin, &end, &operations, &count)) > 0;) {
    if (begin < end && count > 0) see(begin, end, Operations{operations, count});
  }
}

/// The slot that an expression says at a place of the function's.
std::optional<VariablePiece> slot_at(Dwarf_Attribute* attribute, const CallingFrame& frame, Dwarf_Addr pc,
                                     Operations operations, FrameTables& tables) {
  CallingFrame there = frame;
  if (pc != frame.pc) there.stack_pointer.reset();  // which was recorded of the call
  there.pc = pc;
  const std::vector<VariablePiece> pieces = Evaluation(attribute, &there, tables).pieces(operations);
  const bool is_slot = pieces.size() == 1 && pieces[0].kind == VariablePiece::Kind::memory && !pieces[0].size &&
                       pieces[0].value.base == Base::cfa;
  return is_slot ? std::optional(pieces[0]) : std::nullopt;
}

}  // namespace

std::optional<VariablePiece> slot_behind(Dwarf_Die* variable, const CallingFrame& frame, FrameTables& tables) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(variable, DW_AT_location, &attribute) == nullptr) return std::nullopt;
  bool was_before = false;
  bool is_known = false;
  Dwarf_Addr first = 0;
  Operations operations;
  each_range(&attribute, [&](Dwarf_Addr begin, Dwarf_Addr end, Operations there) {
    was_before |= end <= frame.pc;
    is_known |= begin <= frame.pc && frame.pc < end;
    if (begin <= frame.pc || (first != 0 && begin >= first)) return;
    first = begin;
    operations = there;
  });
  if (!was_before || is_known || first == 0) return std::nullopt;
  auto slot = slot_at(&attribute, frame, first, operations, tables);
  if (slot) slot->is_over = true;
  return slot;
}

std::vector<std::int64_t> slots_of(Dwarf_Die* variable, const CallingFrame& frame, FrameTables& tables) {
  std::vector<std::int64_t> slots;
  Dwarf_Attribute attribute;
  if (dwarf_attr(variable, DW_AT_location, &attribute) == nullptr) return slots;
  each_range(&attribute, [&](Dwarf_Addr begin, Dwarf_Addr end, Operations there) {
    const bool is_everywhere = frame.pc >= begin && frame.pc < end;
    if (const auto slot = slot_at(&attribute, frame, is_everywhere ? frame.pc : begin, there, tables)) {
      slots.push_back(slot->value.plus);
    }
  });
  return slots;
}

std::vector<VariablePiece> pieces_of(Dwarf_Die* variable, const CallingFrame* frame, FrameTables& tables) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(variable, DW_AT_location, &attribute) == nullptr) return {};
  OperationsAt at;
  if (frame != nullptr) {
    at = operations_at(&attribute, frame->pc);
  } else {
    Dwarf_Op* found = nullptr;
    std::size_t count = 0;
    if (dwarf_getlocation(&attribute, &found, &count) != 0) return {};
    at.operations = {found, count};
  }
  if (at.operations.empty()) return {};
  std::vector<VariablePiece> pieces = Evaluation(&attribute, frame, tables).pieces(at.operations);
  for (VariablePiece& piece : pieces) piece.is_over = at.are_over;
  return pieces;
}

}  // namespace ddtscope::reporters
