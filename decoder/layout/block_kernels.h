// The innermost loops of block streaming, with one store per block: copies one stride apart, and parts that are one
// block each. Written as plain loops they are slower than MPI_Pack, which also moves the bytes (MPICH 4.0.2, gcc 12,
// ns per block of ci/bench's "blocks"): vector 0.14 -> 0.28, at -O3 0.25 (MPI_Pack 0.25); nest 0.25 -> 0.34, 0.33
// (0.30); indexed 0.33 -> 1.04, 1.00 (0.37).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "decoder/layout/array_values.h"
#include "decoder/layout/typemap.h"

namespace ddtscope {

using Lanes64 [[gnu::vector_size(16)]] = std::uint64_t;
using Lanes32 [[gnu::vector_size(16)]] = std::uint32_t;

template <class Lanes, class Integer>
Lanes load_lanes(const Integer* values) {
  Lanes lanes;
  std::memcpy(&lanes, values, sizeof(lanes));
  return lanes;
}

inline bool is_zero(Lanes64 lanes) { return (lanes[0] | lanes[1]) == 0; }

inline void put_block(NarrowBlock& out, Lanes64 block) { std::memcpy(&out, &block, sizeof(out)); }

/// `count` blocks, from this one on. All modulo 2^64.
inline void put_strided_blocks(NarrowBlock* out, std::size_t count, Lanes64 block, std::uint64_t stride) {
  const Lanes64 step = {stride, 0};
  const Lanes64 four_steps = {4 * stride, 0};
  // Four chains of additions: one would be what the loop waits for.
  Lanes64 second = block + step;
  Lanes64 third = second + step;
  Lanes64 fourth = third + step;
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    put_block(out[i], block);
    put_block(out[i + 1], second);
    put_block(out[i + 2], third);
    put_block(out[i + 3], fourth);
    block += four_steps;
    second += four_steps;
    third += four_steps;
    fourth += four_steps;
  }
  for (; i < count; ++i, block += step) put_block(out[i], block);
}

/// Parts that are one block each: where they stand, modulo 2^64.
struct PlainParts {
  std::uint64_t origin;  // added to each displacement
  std::uint64_t unit;    // bytes per displacement, and per blocklength
  std::uint64_t size;
};

/// Displacements in bytes, four at a time, and whether one stands `distance` bytes behind the one before.
template <class Displacements>
class DisplacementLanes {
 public:
  DisplacementLanes(Displacements values, const PlainParts& parts, std::uint64_t distance)
      : values_(values), parts_(parts), distance_(distance) {}

  std::uint64_t at(std::size_t i) const { return parts_.origin + static_cast<std::uint64_t>(values_(i)) * parts_.unit; }
  /// Looks at i + 4, too.
  void load(std::size_t i, Lanes64& first, Lanes64& second) {
    first = Lanes64{at(i), at(i + 1)};
    second = Lanes64{at(i + 2), at(i + 3)};
    const Lanes64 distances = {distance_, distance_};
    found_ |=
        (Lanes64{first[1], second[0]} - first == distances) | (Lanes64{second[1], at(i + 4)} - second == distances);
  }
  bool found() const { return !is_zero(found_); }

 private:
  Displacements values_;
  PlainParts parts_;
  std::uint64_t distance_;
  Lanes64 found_ = {};
};

/// The same for 32-bit displacements and a unit that is a power of two: without multiplication, and a comparison of the
/// low 32 bits, which may find a distance where there is none.
class ShiftedDisplacementLanes {
 public:
  ShiftedDisplacementLanes(ArrayValues<std::int32_t> values, const PlainParts& parts, std::uint64_t distance)
      : values_(values.values), shift_(std::countr_zero(parts.unit)) {
    // A signed value with its top bit flipped is an unsigned one that is 2^31 larger.
    const std::uint64_t origin = parts.origin - (parts.unit << 31);
    origin_ = Lanes64{origin, origin};
    const bool is_possible = distance % parts.unit == 0;
    const auto steps = static_cast<std::uint32_t>(distance / parts.unit);
    steps_ = Lanes32{steps, steps, steps, steps};
    possible_ = is_possible ? ~Lanes32{} : Lanes32{};
  }
  static bool suits(const PlainParts& parts) { return std::has_single_bit(parts.unit); }

  void load(std::size_t i, Lanes64& first, Lanes64& second) {
    const auto values = load_lanes<Lanes32>(values_ + i);
    found_ |= reinterpret_cast<Lanes32>(load_lanes<Lanes32>(values_ + i + 1) - values == steps_);
    const Lanes32 top = {1U << 31, 1U << 31, 1U << 31, 1U << 31};
    const Lanes32 flipped = values ^ top;
    first = (reinterpret_cast<Lanes64>(__builtin_shufflevector(flipped, Lanes32{}, 0, 4, 1, 5)) << shift_) + origin_;
    second = (reinterpret_cast<Lanes64>(__builtin_shufflevector(flipped, Lanes32{}, 2, 6, 3, 7)) << shift_) + origin_;
  }
  bool found() const { return !is_zero(reinterpret_cast<Lanes64>(found_ & possible_)); }

 private:
  const std::int32_t* values_;
  int shift_;
  Lanes64 origin_;
  Lanes32 steps_, possible_, found_ = {};
};

/// Whether blocklengths are all the same, four at a time.
template <class Blocklengths>
class SameBlocklengths {
 public:
  SameBlocklengths(Blocklengths values, std::int64_t wanted) : values_(values), wanted_(wanted) {}
  void look(std::size_t i) {
    if constexpr (std::is_same_v<Blocklengths, ArrayValues<std::int32_t>>) {
      const auto wanted = static_cast<std::uint32_t>(wanted_);
      const Lanes32 all = {wanted, wanted, wanted, wanted};
      differences_ |= load_lanes<Lanes32>(values_.values + i) ^ all;
    } else if constexpr (!std::is_same_v<Blocklengths, OneValue>) {
      for (std::size_t k = i; k < i + 4; ++k) differ_ |= values_(k) != wanted_;
    }
  }
  bool hold() const { return !differ_ && is_zero(reinterpret_cast<Lanes64>(differences_)); }

 private:
  Blocklengths values_;
  std::int64_t wanted_;
  Lanes32 differences_ = {};
  bool differ_ = false;
};

/// Parts that are one block each, and their arrays.
template <class Displacements, class Blocklengths>
struct PartArrays {
  PlainParts parts;
  Displacements displacements;
  Blocklengths blocklengths;
};

template <class Lanes, class Displacements, class Blocklengths>
bool put_even_blocks_as(NarrowBlock* out, std::size_t begin, std::size_t count,
                        const PartArrays<Displacements, Blocklengths>& of) {
  const std::int64_t blocklength = of.blocklengths(begin + count);
  const std::uint64_t length = static_cast<std::uint64_t>(blocklength) * of.parts.size;
  const Lanes64 lengths = {length, length};
  Lanes lanes(of.displacements, of.parts, length);
  SameBlocklengths<Blocklengths> same(of.blocklengths, blocklength);
  for (std::size_t i = begin; i < begin + count; i += 4, out += 4) {
    same.look(i);
    Lanes64 first, second;
    lanes.load(i, first, second);
    put_block(out[0], __builtin_shufflevector(first, lengths, 0, 2));
    put_block(out[1], __builtin_shufflevector(first, lengths, 1, 3));
    put_block(out[2], __builtin_shufflevector(second, lengths, 0, 2));
    put_block(out[3], __builtin_shufflevector(second, lengths, 1, 3));
  }
  return blocklength > 0 && same.hold() && !lanes.found();
}

/// The blocks of the `count` parts from `begin` on, where these and the part behind them have the same blocklength and
/// none joins the next. Else, or where that is not quickly seen: false, and what `out` holds is of no use. `count` must
/// be a multiple of 4.
template <class Displacements, class Blocklengths>
bool put_even_blocks(NarrowBlock* out, std::size_t begin, std::size_t count,
                     const PartArrays<Displacements, Blocklengths>& of) {
  if constexpr (std::is_same_v<Displacements, ArrayValues<std::int32_t>>) {
    if (ShiftedDisplacementLanes::suits(of.parts)) {
      return put_even_blocks_as<ShiftedDisplacementLanes>(out, begin, count, of);
    }
  }
  return put_even_blocks_as<DisplacementLanes<Displacements>>(out, begin, count, of);
}

}  // namespace ddtscope
