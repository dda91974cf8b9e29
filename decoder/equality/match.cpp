// The standard's type matching over signatures that are never expanded.
#include "decoder/equality/match.h"

#include <algorithm>

#include "decoder/equality/signature_difference.h"
#include "decoder/layout/typemap.h"

namespace ddtscope {
namespace {

constexpr std::string_view byte_name = "MPI_BYTE";
constexpr std::string_view packed_name = "MPI_PACKED";

/// One side's copies.
class Message {
 public:
  explicit Message(const MessageSide& side)
      : side_(side), root_(side.layouts.root(side.type)), facts_(side.layouts.facts(side.type)) {
    copies_ = {max(side.count, 0), side.layouts.extent(side.type)};
  }

  LayoutId root() const { return root_; }
  Exact entries() const { return copies_.count == Exact(0) ? Exact(0) : copies_.count * facts_.entries; }
  Exact size() const { return copies_.count * facts_.size; }
  /// The entry that is not whole in the first `bytes` bytes of the data. 0 <= bytes < size().
  Exact entry_at_byte(Exact bytes) const { return ddtscope::entry_at_byte(side_, bytes).entry; }
  /// Nothing but MPI_PACKED. There must be entries.
  bool is_packed() const { return facts_.uniform() && name_of(facts_.first_type) == packed_name; }
  std::string_view name_of(PredefinedId type) const { return side_.layouts.store().predefined()[type].name; }

  RepeatedSignature signature() const { return {side_.fingerprints, root_}; }
  SignatureHash prefix_hash(Exact length) const { return side_.fingerprints.prefix_hash(root_, length.value()); }

  /// 0 <= entry < entries().
  TypemapEntry at(Exact entry) const {
    TypemapEntry found;
    TypemapCursor cursor(side_.fingerprints.index(), root_, copies_);
    cursor.seek(entry);
    cursor.next(found);
    return found;
  }

 private:
  const MessageSide& side_;
  LayoutId root_;
  const LayoutFacts& facts_;
  Copies copies_;
};

/// What both sides have at their entry.
MatchDifference difference_at(const Message& send, Exact send_entry, const Message& receive, Exact receive_entry) {
  MatchDifference difference = {send_entry, {}, {}, 0, 0};
  const auto look = [](const Message& message, Exact entry, std::optional<PredefinedId>& type, Exact& displacement) {
    if (!(entry < message.entries())) return;
    const TypemapEntry found = message.at(entry);
    type = found.type;
    displacement = found.displacement;
  };
  look(send, send_entry, difference.send, difference.send_displacement);
  look(receive, receive_entry, difference.receive, difference.receive_displacement);
  return difference;
}

/// Packed data on one side: bytes are all that can be compared.
void match_packed(const Message& send, const Message& receive, Match& match) {
  const Exact room = receive.size();
  if (!send.size().fits() || !room.fits()) {
    match.result = MatchResult::undecided;
  } else if (send.size() <= room) {
    match.result = MatchResult::packed;
  } else {
    match.result = MatchResult::send_longer;
    match.difference = difference_at(send, send.entry_at_byte(room), receive, receive.entries());
  }
}

void match_typed(const Message& send, const Message& receive, Match& match) {
  const Exact common = min(send.entries(), receive.entries());
  if (send.prefix_hash(common) == receive.prefix_hash(common)) {
    match.result = send.entries() > receive.entries()   ? MatchResult::send_longer
                   : send.entries() < receive.entries() ? MatchResult::receive_longer
                                                        : MatchResult::equal;
    if (match.result == MatchResult::send_longer) match.difference = difference_at(send, common, receive, common);
    return;
  }
  const Exact entry = first_difference(send.signature(), receive.signature(), common.value());
  match.difference = difference_at(send, entry, receive, entry);
  const std::string_view sent = send.name_of(*match.difference->send);
  const std::string_view received = receive.name_of(*match.difference->receive);
  const bool is_bytes = sent == byte_name || received == byte_name;
  const bool is_packed = sent == packed_name || received == packed_name;
  match.result = is_bytes && !is_packed ? MatchResult::bytes_and_types : MatchResult::different_types;
}

}  // namespace

std::string_view text_of(MatchResult result) {
  switch (result) {
    case MatchResult::equal:
      return "equal";
    case MatchResult::receive_longer:
      return "receive longer";
    case MatchResult::packed:
      return "packed";
    case MatchResult::send_longer:
      return "send longer";
    case MatchResult::different_types:
      return "different types";
    case MatchResult::bytes_and_types:
      return "bytes and types";
    case MatchResult::undecided:
      return "undecided";
  }
  return "";
}

Match match(const MessageSide& send_side, const MessageSide& receive_side) {
  const Message send(send_side);
  const Message receive(receive_side);
  Match match = {MatchResult::undecided, send.entries(), receive.entries(), {}};
  if (!match.send_entries.fits() || !match.receive_entries.fits()) {
    // One layout has one signature, however long.
    const bool is_one_layout = &send_side.layouts == &receive_side.layouts && send.root() == receive.root();
    if (is_one_layout && send_side.count == receive_side.count) match.result = MatchResult::equal;
    if (is_one_layout && send_side.count < receive_side.count) match.result = MatchResult::receive_longer;
    return match;
  }
  const bool has_both = !(match.send_entries == Exact(0)) && !(match.receive_entries == Exact(0));
  if (has_both && send.is_packed() != receive.is_packed()) {
    match_packed(send, receive, match);
  } else {
    match_typed(send, receive, match);
  }
  return match;
}

EntryOfCopy entry_of_copy(const MessageSide& side, Exact entry) {
  const CopyAndUnit place = copy_of_unit<EntryUnits>(side.layouts.facts(side.type), entry, 0);
  return {place.copy, place.unit};
}

ByteOfEntry entry_at_byte(const MessageSide& side, Exact byte) {
  const Layouts& layouts = side.layouts;
  Exact entry = 0;
  LayoutId id = layouts.root(side.type);
  while (true) {
    const LayoutNode& node = layouts[id];
    const Int128 copies = byte.value() / node.facts.size.value();
    entry += Exact(copies) * node.facts.entries;
    byte = byte - Exact(copies) * node.facts.size;
    if (node.kind == LayoutKind::basic) return {entry, byte};
    id = node.child;
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      id = node.children[i];
      const Exact blocklength = std::max<std::int64_t>(node.blocklength_of(i), 0);
      const Exact size = blocklength * layouts[id].facts.size;
      if (byte < size) break;
      byte = byte - size;
      entry += blocklength * layouts[id].facts.entries;
    }
  }
}

}  // namespace ddtscope
