// What comes out of a walk: entries, blocks or runs, neighbours merged where they join, many at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "decoder/layout/array_values.h"
#include "decoder/layout/block_kernels.h"
#include "decoder/layout/typemap.h"
#include "decoder/layout/typemap_walk.h"

namespace ddtscope {

/// How a kind of unit comes out: the piece that the first copy of a run is (or all copies, where they join: then the
/// run becomes one), the pieces of `count` copies, and whether a piece goes on with the one before.
template <class Units, class Numbers>
struct Pieces;

template <class Numbers>
struct Pieces<EntryUnits, Numbers> {
  using Number = typename Numbers::Number;
  struct Piece {
    PredefinedId type;
    Number displacement = 0;
  };
  static constexpr bool may_join = false;
  static Piece first(UnitRun<Number>& run) {
    return {run.unit->first_type, run.base + Numbers::of(run.unit->first_displacement)};
  }
  static bool join(Piece&, const Piece&) { return false; }
  static void move(Piece& piece, Number by) { piece.displacement += by; }
  static void put(TypemapEntry& out, const Piece& piece) { out = {piece.type, Numbers::exact(piece.displacement)}; }
};

template <class Numbers>
struct Pieces<BlockUnits, Numbers> {
  using Number = typename Numbers::Number;
  struct Piece {
    Number displacement = 0;
    Number length = 0;
  };
  static constexpr bool may_join = true;
  static Piece first(UnitRun<Number>& run) {
    const Number begin = Numbers::of(run.unit->first_displacement);
    Piece piece = {run.base + begin, Numbers::of(run.unit->size)};
    if (!(run.copies == Number(1)) && Numbers::of(run.unit->last_end) == begin + run.stride) {
      piece.length = piece.length * run.copies;
      run.copies = 1;
    }
    return piece;
  }
  static bool join(Piece& open, const Piece& next) {
    if (!(open.displacement + open.length == next.displacement)) return false;
    open.length += next.length;
    return true;
  }
  static void move(Piece& piece, Number by) { piece.displacement += by; }
  static void put(Block& out, const Piece& piece) {
    out = {Numbers::exact(piece.displacement), Numbers::exact(piece.length)};
  }
  static void put(NarrowBlock& out, const Piece& piece) {
    out = {static_cast<std::int64_t>(piece.displacement), static_cast<std::int64_t>(piece.length)};
  }
};

template <class Numbers>
struct Pieces<RunUnits, Numbers> {
  using Number = typename Numbers::Number;
  struct Piece {
    PredefinedId type;
    Number repeat = 0;
  };
  static constexpr bool may_join = true;
  static Piece first(UnitRun<Number>& run) {
    const Piece piece = {run.unit->first_type, run.copies * Numbers::of(run.unit->entries)};
    run.copies = 1;
    return piece;
  }
  static bool join(Piece& open, const Piece& next) {
    if (open.type != next.type) return false;
    open.repeat += next.repeat;
    return true;
  }
  static void move(Piece&, Number) {}
  static void put(SignatureRun& out, const Piece& piece) { out = {piece.type, Numbers::exact(piece.repeat)}; }
};

/// The pieces of a walk in order. A piece that may join the next is held back until the next is seen.
template <class Units, class Numbers>
class TypemapStream {
 public:
  using Kind = Pieces<Units, Numbers>;
  using Number = typename Numbers::Number;
  using Piece = typename Kind::Piece;

  TypemapStream(const Layouts& layouts, const LayoutNode& top) : walk_(layouts, top) {
    load([&](UnitRun<Number>& run) { return walk_.begin(run); });
  }

  bool seek(LayoutIndex& index, Exact unit) {
    is_open_ = false;
    return load([&](UnitRun<Number>& run) { return walk_.seek(index, unit, run); });
  }

  /// As many as there is room for; fewer only at the end.
  template <class Out>
  std::size_t read(Out* out, std::size_t room) {
    std::size_t written = 0;
    while (true) {
      if (rest_.done()) {
        if constexpr (std::is_same_v<Out, NarrowBlock>) {
          if (auto* frame = walk_.plain_parts()) {
            written += read_parts(*frame, out + written, room - written);
            if (written == room) return written;
          }
        }
        if (!load([&](UnitRun<Number>& run) { return walk_.advance(run); })) {
          if (is_open_ && written < room) {
            Kind::put(out[written++], open_);
            is_open_ = false;
          }
          return written;
        }
      }
      if constexpr (!Kind::may_join) {
        const std::size_t count = rest_.count(room - written);
        take(out + written, count);
        written += count;
        if (written == room) return written;
      } else {
        if (is_open_) {
          if (Kind::join(open_, rest_.next)) {
            rest_.pass(1);
            continue;
          }
          if (written == room) return written;
          Kind::put(out[written++], open_);
        }
        // The copies of a run do not join each other: all but the last one that there is room for are complete.
        const std::size_t count = rest_.count(room - written + 1);
        take(out + written, count - 1);
        written += count - 1;
        open_ = rest_.next;
        is_open_ = true;
        rest_.pass(1);
      }
    }
  }

 private:
  /// The rest of a run: what is left of a group of copies, then all other groups. A value that loops can keep in
  /// registers.
  struct Rest {
    Piece next;   // the next copy
    Piece group;  // the first copy of the group
    Number left = 0;
    Number copies = 0;
    Number stride = 0;
    Number groups = 1;
    Number group_stride = 0;

    bool done() const { return left == Number(0); }
    /// The number of copies that are left, `most` at most.
    std::size_t count(std::size_t most) const { return Numbers::least(left + (groups - 1) * copies, most); }
    /// Moves on by so many copies of the group.
    void pass(Number passed) {
      left = left - passed;
      if (!(left == Number(0))) {
        Kind::move(next, passed * stride);
      } else if (!(groups == Number(1))) {
        groups = groups - 1;
        left = copies;
        Kind::move(group, group_stride);
        next = group;
      }
    }
  };

  /// Goes on with the run that a step of the walk finds; false where it finds none.
  template <class Step>
  bool load(const Step& step) {
    UnitRun<Number> run;
    const bool found = step(run);
    rest_ = Rest{};
    if (!found) return false;
    rest_.next = rest_.group = Kind::first(run);
    rest_.left = rest_.copies = run.copies;
    rest_.stride = run.stride;
    rest_.groups = run.groups;
    rest_.group_stride = run.group_stride;
    return true;
  }

  template <class Out>
  void take(Out* out, std::size_t count) {
    Rest rest = rest_;
    while (count > 0) {
      const std::size_t now = Numbers::least(rest.left, count);
      put_copies(out, now, rest.next, rest.stride);
      rest.pass(Numbers::of_size(now));
      out += now;
      count -= now;
    }
    rest_ = rest;
  }

  template <class Out>
  static void put_copies(Out* out, std::size_t count, Piece piece, Number stride) {
    if constexpr (std::is_same_v<Out, NarrowBlock>) {
      put_strided_blocks(out, count, Lanes64{piece.displacement, piece.length}, stride);
    } else {
      for (std::size_t i = 0; i < count; ++i) {
        Kind::put(out[i], piece);
        if (i + 1 < count) Kind::move(piece, stride);
      }
    }
  }

  /// The blocks of parts that are one block each; stops where there is no room.
  std::size_t read_parts(typename Walk<Units, Numbers>::Frame& frame, NarrowBlock* out, std::size_t room) {
    const LayoutNode& node = *frame.node;
    const LayoutFacts& child = walk_.child_facts(node);
    const PlainParts parts = {frame.base + Numbers::of(child.first_displacement), Numbers::of(node.displacement_unit),
                              Numbers::of(child.size)};
    // Where the parts are even, many are written at once; where they turn out not to be, that is not tried for a while.
    constexpr std::size_t least_at_once = 8, most_at_once = 1024, pause = 4096;
    std::size_t written = 0;
    frame.part = with_parts(node, [&](auto displacements, auto blocklengths) {
      const std::size_t end = node.part_count;
      const PartArrays<decltype(displacements), decltype(blocklengths)> arrays{parts, displacements, blocklengths};
      std::size_t i = frame.part;
      std::size_t next_try = i;
      Piece open = open_;
      bool is_open = is_open_;
      while (i < end) {
        if (blocklengths(i) <= 0) {
          ++i;
          continue;
        }
        const Piece piece = {parts.origin + static_cast<Number>(displacements(i)) * parts.unit,
                             static_cast<Number>(blocklengths(i)) * parts.size};
        if (is_open) {
          if (Kind::join(open, piece)) {
            ++i;
            continue;
          }
          if (written == room) break;
          Kind::put(out[written++], open);
        }
        const std::size_t at_once = std::min({room - written, end - i - 1, most_at_once}) / 4 * 4;
        if (i >= next_try && at_once >= least_at_once) {
          if (put_even_blocks(out + written, i, at_once, arrays)) {
            written += at_once;
            i += at_once;
            is_open = false;
            continue;
          }
          next_try = i + pause;
        }
        open = piece;
        is_open = true;
        ++i;
      }
      open_ = open;
      is_open_ = is_open;
      return i;
    });
    return written;
  }

  Walk<Units, Numbers> walk_;
  Rest rest_;
  Piece open_;  // what came before
  bool is_open_ = false;
};

}  // namespace ddtscope
