// .eh_frame_hdr and .eh_frame of a module, as the System V ABI and the Linux Standard Base describe them: which bytes
// are about one function. What no linker for x86-64 writes is not found.
#pragma once

#include <link.h>

#include <cstdint>
#include <cstring>
#include <optional>

namespace ddtscope::plugin::eh_frame {

// Numbers of registers in the tables (System V ABI for x86-64, 3.6.2).
inline constexpr std::uint64_t frame_pointer_register = 6;
inline constexpr std::uint64_t stack_pointer_register = 7;
inline constexpr std::uint64_t return_address_register = 16;

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

/// What functions of a kind have in common (CIE).
struct Common {
  std::uint64_t code_alignment;
  std::int64_t data_alignment;
  std::uint8_t address_encoding;
  bool has_augmentation = false;
  Bytes instructions;
};

/// What the tables say of one function.
struct Function {
  Common common;
  std::uintptr_t begin;
  Bytes instructions;
};

/// The function that covers the address. Looks through the loader's list of modules; allocates nothing, and reads
/// nothing outside of the module.
std::optional<Function> find_function(std::uintptr_t address) noexcept;

}  // namespace ddtscope::plugin::eh_frame
