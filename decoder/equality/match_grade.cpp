#include "decoder/equality/match_grade.h"

namespace ddtscope {
namespace {

bool is_nothing_but_bytes(const MessageSide& side) {
  const LayoutFacts& facts = side.layouts.facts(side.type);
  return facts.uniform() && side.layouts.store().predefined()[facts.first_type].name == "MPI_BYTE";
}

/// Whether so many bytes, of as many as the side has, are whole entries of it.
bool are_whole_entries(const MessageSide& side, Exact bytes) {
  return bytes == bytes_of(side) || entry_at_byte(side, bytes).byte == Exact(0);
}

Exact entries_of(const MessageSide& side) { return max(side.count, 0) * side.layouts.facts(side.type).entries; }

/// Whether all that one side has and the other has room for is alike. The entries of both fit.
bool are_alike(const MessageSide& send, const MessageSide& receive) {
  const Int128 length = min(entries_of(send), entries_of(receive)).value();
  const auto hash_of = [&](const MessageSide& side) {
    return side.fingerprints.by_representation().prefix_hash(side.layouts.root(side.type), length);
  };
  return hash_of(send) == hash_of(receive);
}

bool is_between_bytes_and_types(const MessageSide& send, const MessageSide& receive) {
  return is_nothing_but_bytes(send) || is_nothing_but_bytes(receive);
}

}  // namespace

Exact bytes_of(const MessageSide& side) { return max(side.count, 0) * side.layouts.facts(side.type).size; }

MatchGrade grade_of(const MessageSide& send, const MessageSide& receive, const Match& match) {
  if (match.result == MatchResult::undecided) return MatchGrade::undecided;
  if (matches(match.result)) return MatchGrade::fine;
  if (match.result == MatchResult::send_longer) return MatchGrade::wrong;
  if (match.result == MatchResult::bytes_and_types && is_between_bytes_and_types(send, receive)) {
    const Exact bytes = bytes_of(send);
    const Exact room = bytes_of(receive);
    if (!bytes.fits() || !room.fits()) return MatchGrade::undecided;
    return bytes <= room && are_whole_entries(receive, bytes) ? MatchGrade::same_bytes : MatchGrade::wrong;
  }
  const bool has_room = match.send_entries <= match.receive_entries;
  return has_room && are_alike(send, receive) ? MatchGrade::same_bytes : MatchGrade::wrong;
}

bool is_alike_but_longer(const MessageSide& send, const MessageSide& receive) {
  if (is_between_bytes_and_types(send, receive)) return bytes_of(receive) < bytes_of(send);
  return entries_of(receive) < entries_of(send) && are_alike(send, receive);
}

}  // namespace ddtscope
