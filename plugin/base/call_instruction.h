// What the instruction before a return address says of the call: all that is assumed of a processor's calls.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

namespace ddtscope::plugin {

/// Whose instructions are read. With `any` none are, and calls are taken for calls by name.
enum class Instructions : std::uint8_t { x86_64, aarch64, any };

#if defined(__x86_64__)
inline constexpr Instructions own_instructions = Instructions::x86_64;
#elif defined(__aarch64__)
inline constexpr Instructions own_instructions = Instructions::aarch64;
#else
inline constexpr Instructions own_instructions = Instructions::any;
#endif

/// How a function was called: by its name, or through a pointer, as callbacks are.
enum class CalledBy : std::uint8_t { name, pointer };

/// Code that ends at a return address.
struct CodeBefore {
  std::span<const unsigned char> bytes;
  std::uintptr_t end = 0;
};
/// The most that is read of it.
inline constexpr std::size_t longest_call = 12;

namespace detail {

/// call rel32, or call *offset(%rip), as -fno-plt has it.
template <class IsCode>
CalledBy called_on_x86_64(const CodeBefore& code, const IsCode& is_code) {
  const auto* const next = code.bytes.data() + code.bytes.size();
  if (code.bytes.size() < 6) return CalledBy::name;
  if (next[-6] == 0xFF && next[-5] == 0x15) return CalledBy::name;
  std::int32_t offset;
  std::memcpy(&offset, next - 4, sizeof offset);
  const bool is_call = next[-5] == 0xE8 && is_code(code.end + static_cast<std::uintptr_t>(std::intptr_t{offset}));
  return is_call ? CalledBy::name : CalledBy::pointer;
}

/// bl, or adrp x, ldr x, [x, ...], blr x, as -fno-plt has it.
template <class IsCode>
CalledBy called_on_aarch64(const CodeBefore& code, const IsCode& is_code) {
  if (code.bytes.size() < 4) return CalledBy::name;
  const auto word_before = [&](std::size_t words) {
    std::uint32_t word = 0;
    if (words * 4 > code.bytes.size()) return word;
    std::memcpy(&word, code.bytes.data() + code.bytes.size() - words * 4, sizeof word);
    return word;
  };
  const std::uint32_t call = word_before(1);
  if (call >> 26 == 0b100101) {  // bl: 26 bits, in words, from the call itself
    const auto words = static_cast<std::int32_t>(call << 6) >> 6;
    const bool is_call = is_code(code.end - 4 + static_cast<std::uintptr_t>(std::intptr_t{words} * 4));
    return is_call ? CalledBy::name : CalledBy::pointer;
  }
  const std::uint32_t target = call >> 5 & 31;
  const bool is_register_call = (call & 0xFFFFFC1F) == 0xD63F0000;  // blr
  const std::uint32_t load = word_before(2);
  const bool is_from_table = (load & 0xFFC00000) == 0xF9400000 && (load & 31) == target;  // ldr, of 64 bits
  const std::uint32_t page = word_before(3);
  const bool is_page_of_table = (page & 0x9F000000) == 0x90000000 && (page & 31) == (load >> 5 & 31);  // adrp
  return is_register_call && is_from_table && is_page_of_table ? CalledBy::name : CalledBy::pointer;
}

}  // namespace detail

/// `is_code(address)` tells whether the caller's module has code there.
template <class IsCode>
CalledBy called_by(Instructions instructions, const CodeBefore& code, const IsCode& is_code) {
  switch (instructions) {
    case Instructions::x86_64:
      return detail::called_on_x86_64(code, is_code);
    case Instructions::aarch64:
      return detail::called_on_aarch64(code, is_code);
    case Instructions::any:
      break;
  }
  return CalledBy::name;
}

/// Whether nothing is to be assumed of the processor (DDTSCOPE_PORTABLE=1): no instructions are read, and stacks are
/// taken by libunwind alone. What other processors than x86-64 and arm64 have at best can so be tried on these.
bool is_portable_wanted() noexcept;

}  // namespace ddtscope::plugin
