// The buffers that a call's arguments describe (MPI-4.1 2.5, 3.2, 6, 12): of its own process, as far as the standard
// calls them significant.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "plugin/pending/buffer.h"
#include "plugin/pending/type_shapes.h"
#include "plugin/uses/use_counters.h"

namespace ddtscope::plugin {

/// One of a call's buffers, or a block of it.
struct CallBuffer {
  Buffer buffer;
  std::uint8_t argument = 0;   // blocks of one argument have the same number
  std::uint32_t position = 0;  // of a block, in the arrays of its argument
};

/// Where so many elements of a type lie from an address on, at least one. False where it does not fit 64 bits.
[[gnu::always_inline]] inline bool find_hull(std::int64_t address, std::uint64_t elements, const TypeShape& shape,
                                             Hull& hull) {
  if (shape.kind != TypeShape::Extent::bounded ||
      elements > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    return false;
  std::int64_t last;  // of the last copy
  std::int64_t begin;
  std::int64_t end;
  const auto copies = static_cast<std::int64_t>(elements) - 1;
  if (__builtin_mul_overflow(copies, shape.extent, &last) || __builtin_add_overflow(address, shape.true_lb, &begin) ||
      __builtin_add_overflow(address, shape.true_ub, &end))
    return false;
  if (last < 0) [[unlikely]] {
    if (__builtin_add_overflow(begin, last, &begin)) return false;
  } else if (__builtin_add_overflow(end, last, &end)) {
    return false;
  }
  hull.begin = begin;
  hull.end = end;
  return true;
}

/// Elements of a type, as a call has them. False where it does not fit 64 bits.
[[gnu::always_inline]] inline bool place(Buffer& buffer, const TypeShape& shape) {
  if (!find_hull(buffer.address, buffer.elements, shape, buffer.hull)) return false;
  buffer.number = shape.number;
  buffer.predefined = shape.predefined;
  buffer.is_solid = shape.is_solid;
  return true;
}

/// Reads calls of one library. Not synchronised: under the registry's lock. Its answers are in memory that is used
/// again.
class CallBuffers {
 public:
  CallBuffers(const UseConstants& constants, TypesInUse& types, TypeShapes& shapes)
      : constants_(constants), types_(types), shapes_(shapes), amounts_(constants) {}

  /// Of one call: blocks for so many processes.
  static constexpr std::size_t most_buffers = 8192;
  /// Of one request: their numbers stand on a thread's stack.
  static constexpr std::size_t most_partitions = 1024;

  enum class Found : std::uint8_t {
    all,
    too_little,   // the library is to be asked for unknown_shapes() first
    too_much,     // nobody looks at so many, or they cannot be placed
    nobody_knows  // the communicator, or a type
  };
  /// `communicator` may be null.
  Found find(const UsingCall& call, const Communicator* communicator);
  /// Valid until the next call.
  const std::vector<CallBuffer>& buffers() const { return buffers_; }
  void clear() { buffers_.clear(); }
  /// The types that must fit each other, with the elements of each that do: of one-sided operations, of a rooted
  /// collective's root, and of file views. Places and hulls are not filled in.
  const std::vector<Buffer>& paired_types() const { return paired_types_; }
  /// Types whose shapes are not known.
  struct Unknown {
    HandleBits handle = 0;
    TypeKey key = 0;
    TypeInUse type;
  };
  const std::vector<Unknown>& unknown_shapes() const { return unknown_; }

 private:
  /// One argument, as it is read.
  struct Argument {
    const UsingCall& call;
    const UseAmount& amount;
    const Use& use;
    const TypeShape& shape;
  };

  void add_paired_type(const UsingCall& call, const UseAmount& amount, const Communicator* communicator);
  Found add_amount(const UsingCall& call, const UseAmount& amount, const Communicator* communicator);
  Found add_reduction(const Argument& argument, const Communicator* communicator);
  Found add_blocks(const Argument& argument, const Communicator* communicator);
  Found add_partitions(const Argument& argument);
  Found add(const Argument& argument, Buffer buffer, std::size_t position = 0);
  const TypeShape* shape_of_handle(HandleBits handle);

  const UseConstants constants_;
  TypesInUse& types_;
  TypeShapes& shapes_;
  UseAmounts amounts_;
  std::vector<CallBuffer> buffers_;
  std::vector<Buffer> paired_types_;
  std::vector<Unknown> unknown_;
};

}  // namespace ddtscope::plugin
