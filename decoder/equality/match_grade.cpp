#include "decoder/equality/match_grade.h"

#include "decoder/definition/basic_kind.h"
#include "decoder/layout/typemap.h"

namespace ddtscope {
namespace {

constexpr int most_runs = 1 << 20;

/// The runs of one side's signature, entry by entry or many at once.
class Runs {
 public:
  explicit Runs(const MessageSide& side)
      : side_(side),
        cursor_(side.fingerprints.index(), side.layouts.root(side.type),
                {max(side.count, 0), side.layouts.extent(side.type)}) {
    advance();
  }
  bool at_end() const { return at_end_; }
  const PredefinedType& type() const { return side_.layouts.store().predefined()[run_.type]; }
  Exact left() const { return run_.repeat; }
  void take(Exact entries) {
    run_.repeat = run_.repeat - entries;
    if (run_.repeat == Exact(0)) advance();
  }

 private:
  void advance() { at_end_ = !cursor_.next(run_); }

  const MessageSide& side_;
  SignatureCursor cursor_;
  SignatureRun run_{};
  bool at_end_ = false;
};

bool are_alike(const PredefinedType& one, const PredefinedType& other) {
  return one.name == other.name || (one.size == other.size && basic_kind(one.name) == basic_kind(other.name));
}

bool is_nothing_but_bytes(const MessageSide& side) {
  const LayoutFacts& facts = side.layouts.facts(side.type);
  return facts.uniform() && side.layouts.store().predefined()[facts.first_type].name == "MPI_BYTE";
}

/// Whether so many bytes, of as many as the side has, are whole entries of it.
bool are_whole_entries(const MessageSide& side, Exact bytes) {
  Runs entries(side);
  for (int run = 0; run < most_runs && !entries.at_end() && Exact(0) < bytes; ++run) {
    const Exact size(static_cast<Int128>(entries.type().size));
    if (!bytes.fits() || !entries.left().fits() || size == Exact(0)) return false;
    const Exact taken = min(entries.left(), Exact(bytes.value() / size.value()));
    if (taken == Exact(0)) return false;
    bytes = bytes - taken * size;
    entries.take(taken);
  }
  return bytes == Exact(0);
}

enum class Alike : std::uint8_t { no, as_far_as_received, all };

Alike alike(const MessageSide& send, const MessageSide& receive) {
  Runs sent(send);
  Runs received(receive);
  for (int run = 0; run < most_runs && !sent.at_end() && !received.at_end(); ++run) {
    if (!are_alike(sent.type(), received.type())) return Alike::no;
    const Exact both = min(sent.left(), received.left());
    if (!both.fits()) return Alike::no;
    sent.take(both);
    received.take(both);
  }
  if (sent.at_end()) return Alike::all;
  return received.at_end() ? Alike::as_far_as_received : Alike::no;
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
    const bool has_room = !(bytes_of(receive) < bytes_of(send));
    return has_room && are_whole_entries(receive, bytes_of(send)) ? MatchGrade::same_bytes : MatchGrade::wrong;
  }
  return alike(send, receive) == Alike::all ? MatchGrade::same_bytes : MatchGrade::wrong;
}

bool is_alike_but_longer(const MessageSide& send, const MessageSide& receive) {
  if (is_between_bytes_and_types(send, receive)) return bytes_of(receive) < bytes_of(send);
  return alike(send, receive) == Alike::as_far_as_received;
}

}  // namespace ddtscope
