// Reads .eh_frame_hdr and .eh_frame, as the System V ABI and the Linux Standard Base describe them, and runs the
// instructions of one function up to one address. Whatever is met that is not known makes the rule unknown.
#include "plugin/call/frame_rule.h"

#include <array>
#include <cstring>
#include <limits>
#include <optional>

#include "plugin/base/loaded_module.h"

namespace ddtscope::plugin {

#ifdef __x86_64__

namespace {

// Numbers of registers in the tables (System V ABI for x86-64, 3.6.2).
constexpr std::uint64_t frame_pointer_register = 6;
constexpr std::uint64_t stack_pointer_register = 7;
constexpr std::uint64_t return_address_register = 16;

// How addresses are written (LSB, DWARF exception header encoding).
constexpr std::uint8_t encoding_absolute = 0x00;
constexpr std::uint8_t encoding_unsigned_4 = 0x03;
constexpr std::uint8_t encoding_pc_relative_signed_4 = 0x1B;
constexpr std::uint8_t encoding_header_relative_signed_4 = 0x3B;

/// Bytes of a module. Beyond their end everything reads as 0, and is_good() tells.
class Bytes {
 public:
  Bytes(std::uintptr_t at, std::uintptr_t end) : at_(at), end_(at < end ? end : at) {}

  std::uintptr_t at() const { return at_; }
  std::uintptr_t end() const { return end_; }
  bool is_good() const { return is_good_; }
  bool has_more() const { return is_good_ && at_ < end_; }

  template <class Integer>
  Integer take() {
    Integer value = 0;
    if (end_ - at_ < sizeof value) {
      fail();
    } else {
      std::memcpy(&value, reinterpret_cast<const void*>(at_), sizeof value);
      at_ += sizeof value;
    }
    return value;
  }
  std::uint64_t take_uleb128() { return take_leb128().value; }
  std::int64_t take_sleb128() {
    const auto [value, bits, is_negative] = take_leb128();
    const std::uint64_t sign = is_negative && bits < 64 ? ~std::uint64_t{0} << bits : 0;
    return static_cast<std::int64_t>(value | sign);
  }
  void skip(std::uint64_t bytes) { bytes <= end_ - at_ ? static_cast<void>(at_ += bytes) : fail(); }
  /// These bytes, which are then skipped.
  Bytes part(std::uint64_t bytes) {
    const std::uintptr_t begin = at_;
    skip(bytes);
    return {begin, is_good_ ? at_ : begin};
  }

 private:
  struct Leb128 {
    std::uint64_t value;
    unsigned bits;
    bool is_negative;
  };
  Leb128 take_leb128() {
    Leb128 number{0, 0, false};
    for (;;) {
      const auto byte = take<std::uint8_t>();
      if (number.bits < 64) number.value |= std::uint64_t{byte & 0x7Fu} << number.bits;
      number.bits += 7;
      number.is_negative = (byte & 0x40) != 0;
      if ((byte & 0x80) == 0) return number;
    }
  }
  void fail() {
    is_good_ = false;
    at_ = end_;
  }

  std::uintptr_t at_, end_;
  bool is_good_ = true;
};

/// Where a module says how its functions' frames are.
struct Tables {
  std::uintptr_t address;             // that is looked for
  std::uintptr_t header = 0;          // .eh_frame_hdr
  std::uintptr_t begin = 0, end = 0;  // of the segment in which it lies, and .eh_frame with it
};

int find_tables(dl_phdr_info* info, std::size_t, void* data) {
  auto& tables = *static_cast<Tables*>(data);
  if (!segment_of(*info, tables.address)) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_GNU_EH_FRAME) continue;
    tables.header = info->dlpi_addr + header.p_vaddr;
    const ElfW(Phdr)* segment = segment_of(*info, tables.header, header.p_memsz);
    if (!segment) break;
    tables.begin = info->dlpi_addr + segment->p_vaddr;
    tables.end = tables.begin + segment->p_filesz;
  }
  return 1;
}

/// The entry of the function that covers the address, by the sorted table; it may be that of one before, if there is a
/// gap.
std::optional<std::uintptr_t> find_function(const Tables& tables) {
  Bytes header(tables.header, tables.end);
  const auto version = header.take<std::uint8_t>();
  const auto frame_encoding = header.take<std::uint8_t>();
  const auto count_encoding = header.take<std::uint8_t>();
  const auto table_encoding = header.take<std::uint8_t>();
  if (version != 1 || frame_encoding != encoding_pc_relative_signed_4 || count_encoding != encoding_unsigned_4 ||
      table_encoding != encoding_header_relative_signed_4) {
    return std::nullopt;  // no linker writes anything else
  }
  header.take<std::int32_t>();
  const auto count = header.take<std::uint32_t>();
  struct Row {
    std::int32_t function, entry;
  };
  const std::uintptr_t rows = header.at();
  if (!header.is_good() || count == 0 || (header.end() - rows) / sizeof(Row) < count) return std::nullopt;
  const auto row = [&](std::size_t index) {
    Row found;
    std::memcpy(&found, reinterpret_cast<const void*>(rows + index * sizeof found), sizeof found);
    return found;
  };
  const auto absolute = [&](std::int32_t offset) {
    return tables.header + static_cast<std::uintptr_t>(std::intptr_t{offset});
  };
  std::size_t first = 0;
  std::size_t behind = count;
  while (behind - first > 1) {
    const std::size_t middle = first + (behind - first) / 2;
    (absolute(row(middle).function) <= tables.address ? first : behind) = middle;
  }
  const Row found = row(first);
  if (absolute(found.function) > tables.address) return std::nullopt;
  return absolute(found.entry);
}

/// Reads the length at the beginning of an entry; nothing where it has none.
std::optional<Bytes> entry_at(std::uintptr_t address, const Tables& tables) {
  if (address < tables.begin || address >= tables.end) return std::nullopt;
  Bytes bytes(address, tables.end);
  const auto length = bytes.take<std::uint32_t>();
  constexpr std::uint32_t is_64_bit_format = 0xFFFFFFFF;
  if (length == 0 || length == is_64_bit_format) return std::nullopt;
  const Bytes entry = bytes.part(length);
  if (!bytes.is_good()) return std::nullopt;
  return entry;
}

std::optional<std::uintptr_t> take_address(Bytes& bytes, std::uint8_t encoding) {
  const std::uintptr_t here = bytes.at();
  if (encoding == encoding_pc_relative_signed_4) {
    return here + static_cast<std::uintptr_t>(std::intptr_t{bytes.take<std::int32_t>()});
  }
  if (encoding == encoding_absolute) return bytes.take<std::uintptr_t>();
  return std::nullopt;
}

/// What functions of a kind have in common (CIE).
struct Common {
  std::uint64_t code_alignment;
  std::int64_t data_alignment;
  std::uint8_t address_encoding = encoding_absolute;
  bool has_augmentation = false;
  Bytes instructions;
};

std::optional<Common> common_at(std::uintptr_t address, const Tables& tables) {
  std::optional<Bytes> entry = entry_at(address, tables);
  if (!entry || entry->take<std::uint32_t>() != 0) return std::nullopt;
  const auto version = entry->take<std::uint8_t>();
  if (version != 1 && version != 3) return std::nullopt;
  std::array<char, 8> augmentation{};
  std::size_t letters = 0;
  while (const char letter = static_cast<char>(entry->take<std::uint8_t>())) {
    if (letters == augmentation.size()) return std::nullopt;
    augmentation[letters++] = letter;
  }
  Common common{
      .code_alignment = entry->take_uleb128(), .data_alignment = entry->take_sleb128(), .instructions = {0, 0}};
  const std::uint64_t return_column = version == 1 ? entry->take<std::uint8_t>() : entry->take_uleb128();
  if (return_column != return_address_register) return std::nullopt;
  if (letters > 0 && augmentation[0] != 'z') return std::nullopt;
  common.has_augmentation = letters > 0;
  if (common.has_augmentation) {
    Bytes data = entry->part(entry->take_uleb128());
    for (std::size_t i = 1; i < letters; ++i) {
      switch (augmentation[i]) {
        case 'R':
          common.address_encoding = data.take<std::uint8_t>();
          break;
        case 'L':
          data.take<std::uint8_t>();
          break;
        case 'P':
          if (const auto encoding = data.take<std::uint8_t>(); (encoding & 0x0F) == 0x0B || (encoding & 0x0F) == 0x03) {
            data.skip(4);
          } else if ((encoding & 0x0F) == 0x00 || (encoding & 0x0F) == 0x0C || (encoding & 0x0F) == 0x04) {
            data.skip(8);
          } else {
            return std::nullopt;
          }
          break;
        default:  // 'S' among them: the frame of a signal's handler, which nobody called
          return std::nullopt;
      }
    }
    if (!data.is_good()) return std::nullopt;
  }
  if (!entry->is_good()) return std::nullopt;
  common.instructions = *entry;
  return common;
}

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
  Cell frame_pointer, return_address;

  Cell* cell(std::uint64_t number) {
    if (number == frame_pointer_register) return &frame_pointer;
    return number == return_address_register ? &return_address : nullptr;
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
      case 0x09:  // DW_CFA_register
      case 0x14:  // DW_CFA_val_offset
        code.take_uleb128();
        set(number, {State::Kind::other});
        return true;
      case 0x15:  // DW_CFA_val_offset_sf
        code.take_sleb128();
        set(number, {State::Kind::other});
        return true;
      case 0x10: {  // DW_CFA_expression
        const std::optional<RegisterAndOffset> found = simple_expression(code.part(code.take_uleb128()));
        const bool is_known = found && !found->is_word && found->number == frame_pointer_register;
        set(number, is_known ? State::Cell{State::Kind::expression, found->offset} : State::Cell{State::Kind::other});
        return true;
      }
      case 0x16:  // DW_CFA_val_expression
        code.part(code.take_uleb128());
        set(number, {State::Kind::other});
        return true;
      default:
        return false;
    }
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
  const State::Cell& pointer = state.frame_pointer;
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

}  // namespace

FrameRule frame_rule_at(std::uintptr_t return_address) noexcept {
  // Within the call instruction: what stands behind it may be another function.
  Tables tables{.address = return_address - 1};
  if (dl_iterate_phdr(find_tables, &tables) == 0 || tables.end == 0) return {};
  const std::optional<std::uintptr_t> function = find_function(tables);
  if (!function) return {};
  std::optional<Bytes> entry = entry_at(*function, tables);
  if (!entry) return {};
  const std::uintptr_t here = entry->at();
  const auto back = entry->take<std::uint32_t>();
  if (back == 0 || back > here - tables.begin) return {};
  const std::optional<Common> common = common_at(here - back, tables);
  if (!common) return {};
  const std::optional<std::uintptr_t> begin = take_address(*entry, common->address_encoding);
  // The length is written as the address is, but says itself what it is.
  const std::uint64_t length =
      common->address_encoding == encoding_absolute ? entry->take<std::uint64_t>() : entry->take<std::uint32_t>();
  if (common->has_augmentation) entry->skip(entry->take_uleb128());
  if (!begin || !entry->is_good() || tables.address < *begin || tables.address - *begin >= length) return {};
  Machine machine(*common, tables.address);
  if (!machine.run(common->instructions, *begin)) return {};
  machine.begin_function();
  if (!machine.run(*entry, *begin)) return {};
  return rule_of(machine.result());
}

#else

FrameRule frame_rule_at(std::uintptr_t) noexcept { return {}; }

#endif

}  // namespace ddtscope::plugin
