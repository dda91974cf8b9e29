// Where a buffer of the program's was when a call got it, as the trace says it: from that and the program's debugging
// information follows, later and elsewhere, which variable it is. Record and line are the same.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reporters/trace/format/file_number.h"

namespace ddtscope {

/// In the static memory of a module: the address as in its file, as those of frames are.
template <class Module>
struct StaticPlaceIn {
  Module module;
  std::uint64_t offset = 0;
  friend auto operator<=>(const StaticPlaceIn&, const StaticPlaceIn&) = default;
};

/// In the memory that each thread has of a module for itself, of the thread that called: so many bytes behind its
/// beginning.
template <class Module>
struct ThreadPlaceIn {
  Module module;
  std::uint64_t offset = 0;
  friend auto operator<=>(const ThreadPlaceIn&, const ThreadPlaceIn&) = default;
};

/// A value that leads to the buffer.
struct PlaceRoute {
  std::uint32_t frame = 0;  // so many calls outwards; 0 for an argument of the call
  std::int64_t at = 0;      // a slot's distance from the frame's CFA, a register's number in DWARF or an argument's
  /// Empty: the value is the address. Else it is that of a pointer, which stands so many bytes behind the value.
  std::optional<std::int64_t> through;
  std::int64_t behind = 0;  // the address less the pointer that was found, both in one block
  friend auto operator<=>(const PlaceRoute&, const PlaceRoute&) = default;
};

/// On the stack of the thread that called.
struct StackPlace {
  std::uint32_t frame = 0;                    // so many calls outwards from the call site's innermost frame
  std::int64_t distance = 0;                  // of the address from that frame's CFA, in bytes
  std::optional<std::int64_t> stack_pointer;  // of that frame at the call, from its CFA
  /// That hold the address, of that frame: arrays of a length that is not constant lie where one of them says.
  std::vector<PlaceRoute> slots = {}, registers = {};
  friend auto operator<=>(const StackPlace&, const StackPlace&) = default;
};

/// Elsewhere: in memory that was allocated, as a rule.
struct HeapPlace {
  struct Block {
    std::uint64_t offset = 0;  // of the address in its block
    std::uint64_t usable = 0;  // bytes of the block
    /// What looks like the header of a small one may be left over from what was in that memory before; a large one has
    /// pages of its own, and then both of its ends say so. Its usable bytes are a multiple of 16, those of others 8
    /// more.
    bool is_certain() const {
      constexpr std::uint64_t most = std::uint64_t{1} << 60;
      return usable % 16 == 0 && usable < most && offset < most;
    }
    friend auto operator<=>(const Block&, const Block&) = default;
  };
  std::vector<PlaceRoute> slots, registers, arguments;
  std::optional<Block> block;
  std::vector<PlaceRoute> statics = {};  // at the addresses of the module in which the frame's code lies
  friend auto operator<=>(const HeapPlace&, const HeapPlace&) = default;
};

/// Nothing was found, or read safely: why.
struct NoPlace {
  std::string why;
  friend auto operator<=>(const NoPlace&, const NoPlace&) = default;
};

template <class Module>
using BufferPlaceIn = std::variant<StaticPlaceIn<Module>, ThreadPlaceIn<Module>, StackPlace, HeapPlace, NoPlace>;
using BufferPlace = BufferPlaceIn<ModuleNumber>;

/// What the descriptor says that a Fortran compiler passes for an array of any type and rank (MPI-4.1 19.1.6).
struct ArrayDescriptor {
  enum class Element : std::uint8_t { integer, logical, real, complex, character, derived };
  Element element = Element::integer;
  std::uint32_t bytes = 0;  // of one element
  bool is_section = false;  // elements that do not follow each other, which the library describes by a type of its own
  friend auto operator<=>(const ArrayDescriptor&, const ArrayDescriptor&) = default;
};
inline constexpr std::array<std::string_view, 6> names_of_array_elements{"integer", "logical",   "real",
                                                                         "complex", "character", "derived"};

}  // namespace ddtscope
