// How bad it is that the types of a message are not those of its receive.
#pragma once

#include <cstdint>

#include "decoder/equality/match.h"

namespace ddtscope {

enum class MatchGrade : std::uint8_t {
  fine,
  undecided,
  /// Erroneous by MPI-4.1 3.3.1, but the same bytes arrive between equal machines: all basic types that differ have the
  /// same representation_of(), or one side is MPI_BYTE alone and what is sent are whole entries of what is received.
  same_bytes,
  wrong,
};

/// `match` is that of the two sides. Undecided only where a length does not fit 128 bits.
MatchGrade grade_of(const MessageSide& send, const MessageSide& receive, const Match& match);

/// Of all copies of a side.
Exact bytes_of(const MessageSide& side);

/// Whether all that the receive has room for has the same representation on both sides, or one side is MPI_BYTE alone,
/// and the message goes on.
bool is_alike_but_longer(const MessageSide& send, const MessageSide& receive);

}  // namespace ddtscope
