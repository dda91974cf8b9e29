// Whether a message sent as one type may be received as another (MPI-4.1 3.3.1): type signatures compared
// without expanding them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "decoder/equality/fingerprint.h"
#include "decoder/layout/layout.h"

namespace ddtscope {

enum class MatchResult : std::uint8_t {
  equal,            // the same signature
  receive_longer,   // the send's signature is the beginning of the receive's: allowed (MPI-4.1 3.2.4)
  packed,           // one side is nothing but MPI_PACKED, which matches any type (MPI-4.1 5.2), and there is room
  send_longer,      // right as far as the receive goes, but the send is longer: MPI_ERR_TRUNCATE
  different_types,  // the basic types part at `entry`
  bytes_and_types,  // they part at `entry`, where one side has MPI_BYTE and the other a typed entry
  undecided,        // a length does not fit 128 bits, and the two are not copies of one layout
};
std::string_view text_of(MatchResult result);  // "equal", "receive longer", ...
/// The standard allows the first three.
constexpr bool matches(MatchResult result) {
  return result == MatchResult::equal || result == MatchResult::receive_longer || result == MatchResult::packed;
}

/// Copies of a type as a communication call has them.
struct MessageSide {
  Fingerprints& fingerprints;  // of the side's own layouts; both sides may share one
  const Layouts& layouts;
  DefinitionId type;
  Exact count;
};

/// Where the two first part.
struct MatchDifference {
  Exact entry;                                    // of the whole message, from 0
  std::optional<PredefinedId> send, receive;      // empty where that side has ended; ids of each side's own store
  Exact send_displacement, receive_displacement;  // bytes from the buffers' addresses; 0 where that side has ended
};

struct Match {
  MatchResult result;
  Exact send_entries, receive_entries;
  std::optional<MatchDifference> difference;  // for send_longer, different_types and bytes_and_types
};

/// Basic types are equal when they have the same name in MPI-4.1's Annex A (synonyms folded): C and Fortran types
/// differ but for MPI_AINT, MPI_COUNT, MPI_OFFSET, MPI_BYTE and MPI_PACKED, which are the same in both. F90 types are
/// equal when precision and range are.
///
/// The rules are relaxed for messages that are sent or received *as* MPI_PACKED (MPI-4.1 5.2): where one side's
/// signature is nothing but MPI_PACKED and the other's is not, the sizes in bytes are compared, as if packing added
/// nothing, which holds for both libraries between equal machines. A packed entry among others is no packed message:
/// the standard says nothing of it, and it equals MPI_PACKED alone.
///
/// A count below 0 is taken as 0. Time grows with the nesting, and with the logarithm of the lengths.
Match match(const MessageSide& send, const MessageSide& receive);

/// In which copy of the side's type an entry of the message stands, and which entry of that copy it is, as
/// path_to_entry takes it. 0 <= entry, and the type is not empty.
struct EntryOfCopy {
  Exact copy, entry;
};
EntryOfCopy entry_of_copy(const MessageSide& side, Exact entry);

/// Which entry of the message a byte of its data stands in, and which byte of that entry it is. 0 <= byte < the size of
/// all copies, which fits, as their entries do.
struct ByteOfEntry {
  Exact entry, byte;
};
ByteOfEntry entry_at_byte(const MessageSide& side, Exact byte);

}  // namespace ddtscope
