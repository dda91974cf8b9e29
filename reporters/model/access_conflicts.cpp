#include "reporters/model/access_conflicts.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <utility>

#include "decoder/layout/span.h"
#include "decoder/layout/typemap.h"

namespace ddtscope::reporters {
namespace {

constexpr std::string_view no_op = "MPI_NO_OP";

/// Which accumulates may meet that are concurrent: those with the same op, or one that only reads, MPI_NO_OP (MPI-4.1
/// 12.2.1, the default of the info key accumulate_ops). Those of different processes are, and of one process those that
/// the info key accumulate_ordering leaves without an order (MPI-4.1 12.7.2). MPI_Compare_and_swap is an op of its own,
/// which the standard's own programs use beside MPI_REPLACE (MPI-4.1 12.8, the list-based lock).
bool go_together(const AccessShape& a, const AccessShape& b) {
  const auto op_of = [](const AccessShape& shape) {
    return shape.kind == AccessKind::compare_and_swap ? std::string_view("MPI_REPLACE") : shape.op;
  };
  return op_of(a) == op_of(b) || op_of(a) == no_op || op_of(b) == no_op;
}

/// Whether two updates of one process are made in the order of its calls, one of them being the first. Of a call that
/// reads what it updates the reading is enough: it is atomic.
bool are_ordered(const AccessShape& a, const AccessShape& b) {
  const auto are = [&](const AccessShape& shape) {
    using enum AccumulateOrdering::One;
    const bool is_by_reading = (a.fetches || b.fetches) && (shape.ordering.has(raw) || shape.ordering.has(war));
    return shape.ordering.has(waw) || is_by_reading;
  };
  return are(a) && are(b);
}

std::int64_t modulo(std::int64_t value, std::int64_t step) {
  const std::int64_t rest = value % step;
  return rest < 0 ? rest + step : rest;
}

std::optional<Interval> moved(const std::optional<Interval>& bytes, std::int64_t by) {
  if (!bytes) return {};
  const auto begin = (Exact(bytes->begin) + Exact(by)).to_int64();
  const auto end = (Exact(bytes->end) + Exact(by)).to_int64();
  if (!begin || !end) return {};
  return Interval{*begin, *end};
}

/// Where all first entries of a layout's elements begin within the steps of its leaf; invalid: at several places.
class Phases {
 public:
  Phases(const Layouts& layouts, DefinitionId leaf, std::int64_t step)
      : layouts_(layouts), leaf_(layouts.root(leaf)), step_(step) {}

  struct Answer {
    bool is_one = true, is_empty = false;
    std::int64_t phase = 0;
  };
  Answer of(LayoutId id) {
    if (id == leaf_) return {};
    if (const auto known = known_.find(id.value); known != known_.end()) return known->second;
    const Answer answer = of_node(layouts_[id]);
    known_.emplace(id.value, answer);
    return answer;
  }
  /// Of copies so far apart.
  Answer of_copies(Answer one, Exact count, Exact stride) const {
    if (one.is_empty || count <= Exact(1) || !one.is_one) return one;
    if (!stride.fits() || stride.value() % step_ != 0) one.is_one = false;
    return one;
  }

 private:
  Answer of_node(const LayoutNode& node) {
    if (node.facts.empty()) return {true, true, 0};
    switch (node.kind) {
      case LayoutKind::basic:
        return {};
      case LayoutKind::empty:
        return {true, true, 0};
      case LayoutKind::repeat:
        return of_copies(of(node.child), node.count, node.stride);
      case LayoutKind::parts:
        break;
    }
    Answer all{true, true, 0};
    for (std::size_t i = 0; i < node.part_count && all.is_one; ++i) {
      const LayoutPart part = node.part(i);
      if (part.blocklength <= 0) continue;
      const Answer one = of_copies(of(part.child), Exact(part.blocklength), part.extent);
      if (one.is_empty) continue;
      if (!part.displacement.fits()) return {false, false, 0};
      const std::int64_t phase =
          modulo(static_cast<std::int64_t>(part.displacement.value() % step_) + one.phase, step_);
      if (!one.is_one || (!all.is_empty && phase != all.phase)) all.is_one = false;
      all.is_empty = false;
      all.phase = phase;
    }
    return all;
  }

  const Layouts& layouts_;
  const LayoutId leaf_;
  const std::int64_t step_;
  std::unordered_map<std::uint32_t, Answer> known_;
};

}  // namespace

/// What one search has found: each two parties once.
class ConflictSearch::Found {
 public:
  explicit Found(std::span<const PlacedAccess> accesses) : accesses_(accesses) {}

  bool has(std::size_t a, std::size_t b) { return places_.contains(key(a, b)); }
  void add(std::size_t a, std::size_t b, std::optional<Interval> bytes) {
    const auto [known, is_new] = places_.try_emplace(key(a, b), all.conflicts.size());
    if (is_new) {
      all.conflicts.push_back({std::min(a, b), std::max(a, b), bytes});
      return;
    }
    AccessConflict& one = all.conflicts[known->second];
    if (bytes && (!one.bytes || bytes->begin < one.bytes->begin)) one = {std::min(a, b), std::max(a, b), bytes};
  }

  AccessConflicts all;

 private:
  std::uint64_t number(std::size_t access) {
    const std::uint64_t of = std::uint64_t{accesses_[access].party} << 32 | accesses_[access].origin;
    return numbers_.try_emplace(of, numbers_.size()).first->second;
  }
  std::uint64_t key(std::size_t a, std::size_t b) {
    const std::uint64_t one = number(a), other = number(b);
    return std::min(one, other) << 32 | std::max(one, other);
  }

  std::span<const PlacedAccess> accesses_;
  std::unordered_map<std::uint64_t, std::uint64_t> numbers_;  // of parties and origins
  std::unordered_map<std::uint64_t, std::size_t> places_;     // in all.conflicts, by two of them
};

/// Which access has written which bytes; the last one where several have.
class ConflictSearch::WrittenBytes {
 public:
  struct Written {
    Interval bytes;
    std::uint32_t access = 0;
  };
  /// In all O(log n) for each.
  void add(Interval bytes, std::uint32_t access) {
    auto at = written_.lower_bound(bytes.begin);
    if (at != written_.begin()) {
      const auto before = std::prev(at);
      const Ending old = before->second;
      if (old.end > bytes.begin) before->second.end = bytes.begin;
      if (old.end > bytes.end) at = written_.emplace_hint(at, bytes.end, old);
    }
    while (at != written_.end() && at->first < bytes.end) {
      const Ending old = at->second;
      at = written_.erase(at);
      if (old.end > bytes.end) at = written_.emplace_hint(at, bytes.end, old);
    }
    written_.emplace_hint(at, bytes.begin, Ending{bytes.end, access});
  }
  /// The lowest of these bytes that are written.
  std::optional<Written> first_in(Interval bytes) const {
    auto at = written_.upper_bound(bytes.begin);
    if (at != written_.begin() && std::prev(at)->second.end > bytes.begin) --at;
    if (at == written_.end() || at->first >= bytes.end) return {};
    return Written{{std::max(bytes.begin, at->first), std::min(bytes.end, at->second.end)}, at->second.access};
  }

 private:
  struct Ending {
    std::int64_t end = 0;
    std::uint32_t access = 0;
  };
  std::map<std::int64_t, Ending> written_;  // by first bytes; apart
};

DefinitionId ConflictSearch::leaf_of(DefinitionId type) const {
  std::vector<DefinitionId> open{type};
  std::map<std::uint32_t, bool> seen;
  DefinitionId leaf;
  while (!open.empty()) {
    const DefinitionId id = open.back();
    open.pop_back();
    if (!seen.emplace(id.value, true).second || layouts_.facts(id).empty()) continue;
    const ConstructorCall& call = layouts_.store()[id].call;
    if (call.datatypes.empty()) {
      if (leaf.valid() && leaf != id) return {};
      leaf = id;
      continue;
    }
    open.insert(open.end(), call.datatypes.begin(), call.datatypes.end());
  }
  return leaf;
}

std::uint32_t ConflictSearch::add_party(const AccessShape& shape) {
  Party party;
  party.shape = shape;
  const bool has_op = shape.kind == AccessKind::accumulate;
  party.is_atomic = has_op || shape.kind == AccessKind::compare_and_swap;
  party.writes = shape.kind != AccessKind::get && !(has_op && shape.op == no_op);
  if (party.is_atomic) {
    party.leaf = leaf_of(shape.type);
    if (party.leaf.valid()) {
      const PredefinedId predefined = layouts_.store()[party.leaf].predefined;
      const bool is_pair = predefined.valid() && layouts_.store().predefined()[predefined].kind == PredefinedKind::pair;
      const Exact step = is_pair ? layouts_.extent(party.leaf) : layouts_.facts(party.leaf).size;
      const std::optional<std::int64_t> bytes = step.to_int64();
      if (bytes && *bytes > 0) {
        party.step = *bytes;
      } else {
        party.leaf = {};
      }
    }
  }
  const Span span = span_of(layouts_, shape.type, Exact(static_cast<Int128>(shape.elements)));
  const auto begin = span.first.to_int64();
  const auto end = span.end.to_int64();
  if (begin && end) {
    if (*begin != *end) party.hull = Interval{*begin, *end};
  } else {
    party.is_beyond = true;
  }
  parties_.push_back(party);
  return static_cast<std::uint32_t>(parties_.size() - 1);
}

ConflictSearch::Meeting ConflictSearch::meeting(std::uint32_t one, std::uint32_t other, Between which) const {
  const Party& a = parties_[one];
  const Party& b = parties_[other];
  if (!a.writes && !b.writes) return Meeting::allowed;
  if (!a.is_atomic || !b.is_atomic || !a.leaf.valid() || a.leaf != b.leaf) return Meeting::conflict;
  // Those of one process that have an order are not concurrent, so that their ops may differ.
  if (which == Between::calls_of_one && are_ordered(a.shape, b.shape)) return Meeting::allowed_in_step;
  return go_together(a.shape, b.shape) ? Meeting::allowed_in_step : Meeting::conflict;
}

bool ConflictSearch::conflict(std::uint32_t a, const TouchedBlock& of_a, std::uint32_t b, const TouchedBlock& of_b,
                              Between which) const {
  switch (meeting(a, b, which)) {
    case Meeting::allowed:
      return false;
    case Meeting::allowed_in_step:
      return modulo(of_a.phase, parties_[a].step) != modulo(of_b.phase, parties_[b].step);
    case Meeting::conflict:
      break;
  }
  return true;
}

ConflictSearch::Blocks ConflictSearch::make_blocks(const Party& party) const {
  Blocks made;
  const LayoutId root = layouts_.root(party.shape.type);
  const Copies copies{Exact(static_cast<Int128>(party.shape.elements)), layouts_.extent(party.shape.type)};
  const LayoutFacts facts = facts_of_copies(layouts_, root, copies);
  const bool has_phases = party.is_atomic && party.leaf.valid();
  const bool is_of_pairs = has_phases && !layouts_.facts(party.leaf).uniform();
  const Exact number = is_of_pairs ? facts.entries : facts.blocks;
  if (!(number <= Exact(static_cast<Int128>(limits_.blocks_of_one)))) return made;
  if (is_of_pairs) {
    TypemapCursor cursor(layouts_, root, copies);
    TypemapEntry entry;
    std::int64_t phase = 0;
    for (std::size_t i = 0; cursor.next(entry); ++i) {
      const std::int64_t at = static_cast<std::int64_t>(entry.displacement.value());
      if (i % 2 == 0) phase = modulo(at, party.step);
      made.blocks.push_back({{at, at + layouts_.store().predefined()[entry.type].size}, phase});
    }
  } else {
    BlockCursor cursor(layouts_, root, copies);
    std::array<NarrowBlock, 256> some;
    for (std::size_t read = some.size(); read == some.size();) {
      read = cursor.next(some);
      for (std::size_t i = 0; i < read; ++i) {
        const std::int64_t at = some[i].displacement;
        made.blocks.push_back({{at, at + some[i].length}, has_phases ? modulo(at, party.step) : 0});
      }
    }
  }
  made.is_known = true;
  return made;
}

const ConflictSearch::Blocks& ConflictSearch::blocks_of(Party& party) {
  if (blocks_.empty()) blocks_.emplace_back();
  if (party.blocks == 0) {
    const BlocksKey key{party.shape.type.value, party.shape.elements, party.is_atomic && party.leaf.valid()};
    const auto [known, is_new] = blocks_index_.try_emplace(key, static_cast<std::uint32_t>(blocks_.size()));
    if (is_new) blocks_.push_back(make_blocks(party));
    party.blocks = known->second;
  }
  return blocks_[party.blocks];
}

/// Pieces in order of their first bytes; of those that reach the next one's, each group needs the one that ends last,
/// and another access's.
void ConflictSearch::sweep(std::span<const PlacedAccess> accesses, Between which, Found& found) {
  struct Group {
    std::uint32_t party = 0, origin = 0;
    std::int64_t phase = 0;
    bool are_several = false;
  };
  constexpr std::uint32_t nobody = UINT32_MAX;
  struct Active {
    std::uint32_t group = 0, last = nobody, other = nobody;  // accesses
    std::int64_t last_end = 0, other_end = 0;
  };
  const bool is_within = which == Between::calls_of_one;
  std::vector<Group> groups;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::int64_t>, std::uint32_t> numbers;
  std::vector<std::size_t> large, pending, over;
  pieces_.clear();
  std::size_t blocks_taken = 0;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    Party& party = parties_[accesses[i].party];
    if (party.is_beyond) {
      ++found.all.undecided;
      continue;
    }
    const std::optional<Interval> hull = moved(party.hull, accesses[i].at);
    if (!hull) {
      if (party.hull) ++found.all.undecided;
      continue;
    }
    const Blocks& blocks = blocks_of(party);
    if (!blocks.is_known || blocks_taken + blocks.blocks.size() > limits_.blocks) {
      large.push_back(i);
      continue;
    }
    blocks_taken += blocks.blocks.size();
    if (is_within) {
      if (accesses[i].until != PlacedAccess::never_over) {
        over.push_back(i);
        continue;
      }
      pending.push_back(i);
    }
    std::uint32_t group = nobody;
    std::int64_t of_phase = 0;
    for (const TouchedBlock& block : blocks.blocks) {
      if (group == nobody || block.phase != of_phase) {
        of_phase = block.phase;
        const std::int64_t phase = modulo(block.phase + modulo(accesses[i].at, party.step), party.step);
        const auto [known, is_new] = numbers.try_emplace({accesses[i].party, accesses[i].origin, phase},
                                                         static_cast<std::uint32_t>(groups.size()));
        if (is_new) groups.push_back({accesses[i].party, accesses[i].origin, phase, accesses[i].are_several});
        group = known->second;
      }
      pieces_.push_back(
          {block.bytes.begin + accesses[i].at, block.bytes.end + accesses[i].at, static_cast<std::uint32_t>(i), group});
    }
    const bool is_there_twice = is_within ? accesses[i].is_repeated : accesses[i].are_several;
    if (is_there_twice && meeting(accesses[i].party, accesses[i].party, which) == Meeting::conflict) {
      const auto lowest =
          std::min_element(blocks.blocks.begin(), blocks.blocks.end(),
                           [](const TouchedBlock& a, const TouchedBlock& b) { return a.bytes.begin < b.bytes.begin; });
      found.add(i, i, moved(lowest->bytes, accesses[i].at));
    }
  }
  std::sort(pieces_.begin(), pieces_.end(), [](const Piece& a, const Piece& b) {
    return std::tuple(a.begin, a.access) < std::tuple(b.begin, b.access);
  });
  const auto conflict = [&](std::uint32_t one, std::uint32_t other) {
    const Group& a = groups[one];
    const Group& b = groups[other];
    if (!is_within && a.origin == b.origin && !a.are_several) return false;
    const Meeting meets = meeting(a.party, b.party, which);
    return meets == Meeting::conflict || (meets == Meeting::allowed_in_step && a.phase != b.phase);
  };
  std::vector<Active> active;
  std::vector<std::size_t> of_group(groups.size(), SIZE_MAX);  // in `active`
  for (const Piece& piece : pieces_) {
    for (std::size_t i = 0; i < active.size();) {
      const Active& one = active[i];
      if (one.last_end <= piece.begin) {
        of_group[one.group] = SIZE_MAX;
        active[i] = active.back();
        active.pop_back();
        if (i < active.size()) of_group[active[i].group] = i;
        continue;
      }
      ++i;
      // The access itself is another process's, too, where several did the same.
      const bool is_last = one.last != piece.access || (!is_within && accesses[piece.access].are_several);
      if (!is_last && one.other_end <= piece.begin) continue;
      const std::size_t other = is_last ? one.last : one.other;
      if (!conflict(piece.group, one.group)) continue;
      found.add(piece.access, other,
                Interval{piece.begin, std::min(piece.end, is_last ? one.last_end : one.other_end)});
    }
    std::size_t& place = of_group[piece.group];
    if (place == SIZE_MAX) {
      place = active.size();
      active.push_back({piece.group, piece.access, nobody, piece.end, INT64_MIN});
      continue;
    }
    Active& own = active[place];
    if (own.last == piece.access) {
      own.last_end = std::max(own.last_end, piece.end);
    } else if (piece.end > own.last_end) {
      own.other = std::exchange(own.last, piece.access);
      own.other_end = std::exchange(own.last_end, piece.end);
    } else if (own.other == piece.access || piece.end > own.other_end) {
      own.other_end = own.other == piece.access ? std::max(own.other_end, piece.end) : piece.end;
      own.other = piece.access;
    }
  }
  if (!over.empty()) meet_those_over(accesses, pending, over, found);
  if (!large.empty()) pair_large(accesses, which, large, found);
}

/// What writes, in its order, and what only reads, in the order in which it is over: that meets what is written by
/// then.
void ConflictSearch::meet_those_over(std::span<const PlacedAccess> accesses, std::span<const std::size_t> pending,
                                     std::vector<std::size_t>& over, Found& found) {
  std::vector<std::size_t> writes;
  for (const std::size_t i : pending) {
    if (parties_[accesses[i].party].writes) writes.push_back(i);
  }
  std::stable_sort(writes.begin(), writes.end(),
                   [&](std::size_t a, std::size_t b) { return accesses[a].since < accesses[b].since; });
  std::stable_sort(over.begin(), over.end(),
                   [&](std::size_t a, std::size_t b) { return accesses[a].until < accesses[b].until; });
  const auto each_block = [&](std::size_t access, auto see) {
    Party& party = parties_[accesses[access].party];
    const std::int64_t at = accesses[access].at;
    for (const TouchedBlock& block : blocks_of(party).blocks) {
      see(Interval{block.bytes.begin + at, block.bytes.end + at},
          modulo(block.phase + modulo(at, party.step), party.step));
    }
  };
  WrittenBytes by_any;
  std::map<std::pair<std::uint32_t, std::int64_t>, WrittenBytes> by_party;  // and phase
  std::size_t left = limits_.pairs;
  auto next = writes.begin();
  for (const std::size_t read : over) {
    for (; next != writes.end() && accesses[*next].since < accesses[read].until; ++next) {
      const auto access = static_cast<std::uint32_t>(*next);
      each_block(access, [&](Interval bytes, std::int64_t phase) {
        by_any.add(bytes, access);
        by_party[{accesses[access].party, phase}].add(bytes, access);
      });
    }
    each_block(read, [&](Interval bytes, std::int64_t phase) {
      if (!by_any.first_in(bytes)) return;
      for (const auto& [of, written] : by_party) {
        if (left == 0) {
          ++found.all.undecided;
          return;
        }
        --left;
        const Meeting meets = meeting(accesses[read].party, of.first, Between::calls_of_one);
        if (meets == Meeting::allowed || (meets == Meeting::allowed_in_step && phase == of.second)) continue;
        if (const auto first = written.first_in(bytes)) found.add(read, first->access, first->bytes);
      }
    });
  }
}

std::optional<std::int64_t> ConflictSearch::phase_of(const Party& party) const {
  Phases phases(layouts_, party.leaf, party.step);
  const Phases::Answer answer =
      phases.of_copies(phases.of(layouts_.root(party.shape.type)), Exact(static_cast<Int128>(party.shape.elements)),
                       layouts_.extent(party.shape.type));
  return answer.is_one ? std::optional(answer.phase) : std::nullopt;
}

SharedByte ConflictSearch::shared(const PlacedAccess& a, const PlacedAccess& b) {
  const AccessShape& one = parties_[a.party].shape;
  const AccessShape& other = parties_[b.party].shape;
  const Exact distance = Exact(b.at) - Exact(a.at);
  const std::optional<std::int64_t> fitting = distance.to_int64();
  if (!fitting) return {Overlap::undecided};
  const SharedKey key{one.type.value, one.elements, other.type.value, other.elements, *fitting};
  if (const auto known = shared_.find(key); known != shared_.end()) return known->second;
  if (exact_pairs_left_ == 0) return {Overlap::undecided};
  --exact_pairs_left_;
  const auto placed = [&](const AccessShape& shape, Exact at) {
    return PlacedCopies{layouts_.root(shape.type), layouts_.extent(shape.type),
                        Exact(static_cast<Int128>(shape.elements)), at};
  };
  const SharedByte answer = shared_byte(layouts_, placed(one, 0), placed(other, distance));
  shared_.emplace(key, answer);
  return answer;
}

void ConflictSearch::pair_large(std::span<const PlacedAccess> accesses, Between which,
                                std::span<const std::size_t> large, Found& found) {
  const bool is_within = which == Between::calls_of_one;
  std::vector<bool> is_large(accesses.size(), false);
  for (const std::size_t i : large) is_large[i] = true;
  std::size_t left = limits_.pairs;
  for (const std::size_t i : large) {
    const std::optional<Interval> own = moved(parties_[accesses[i].party].hull, accesses[i].at);
    for (std::size_t k = 0; k < accesses.size(); ++k) {
      if (is_large[k] && k < i) continue;  // that pair was looked at
      if (k == i && is_within && !accesses[i].is_repeated) continue;
      if (!is_within && accesses[i].origin == accesses[k].origin && !accesses[i].are_several) continue;
      if (accesses[i].since >= accesses[k].until || accesses[k].since >= accesses[i].until) continue;
      if (left == 0) {
        ++found.all.undecided;
        return;
      }
      --left;
      const Meeting meets = meeting(accesses[i].party, accesses[k].party, which);
      if (meets == Meeting::allowed || found.has(i, k)) continue;
      const std::optional<Interval> other = moved(parties_[accesses[k].party].hull, accesses[k].at);
      if (!own || !other || own->end <= other->begin || other->end <= own->begin) continue;
      if (meets == Meeting::allowed_in_step) {
        const Party& a = parties_[accesses[i].party];
        const std::optional<std::int64_t> phase = phase_of(a);
        const std::optional<std::int64_t> other_phase = phase_of(parties_[accesses[k].party]);
        if (!phase || !other_phase) {
          if (k != i || !is_within) ++found.all.undecided;
          continue;
        }
        if (modulo(*phase + modulo(accesses[i].at, a.step), a.step) ==
            modulo(*other_phase + modulo(accesses[k].at, a.step), a.step)) {
          continue;
        }
      }
      const SharedByte answer = shared(accesses[i], accesses[k]);
      if (answer.answer == Overlap::undecided) ++found.all.undecided;
      if (answer.answer != Overlap::yes) continue;
      std::optional<Interval> bytes;
      if (answer.byte) {
        const std::optional<std::int64_t> byte = (*answer.byte + Exact(accesses[i].at)).to_int64();
        if (byte) bytes = Interval{*byte, *byte + 1};
      }
      found.add(i, k, bytes);
    }
  }
}

AccessConflicts ConflictSearch::search(std::span<const PlacedAccess> accesses, Between which) {
  Found found(accesses);
  exact_pairs_left_ = limits_.exact_pairs;
  sweep(accesses, which, found);
  return std::move(found.all);
}

}  // namespace ddtscope::reporters
