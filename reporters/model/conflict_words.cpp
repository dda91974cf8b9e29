#include "reporters/model/conflict_words.h"

#include "decoder/base/grouped.h"

namespace ddtscope::reporters {
namespace {

std::string ordinal(std::uint64_t number) {
  const char* ending = "th";
  if (number % 100 < 11 || number % 100 > 13) {
    ending = number % 10 == 1 ? "st" : number % 10 == 2 ? "nd" : number % 10 == 3 ? "rd" : "th";
  }
  return grouped(number) + ending;
}

std::string epoch_in_words(const EpochTarget& target, Rank origin, std::uint64_t place) {
  switch (target.mode) {
    case EpochMode::fence:
      return "between its " + ordinal(place) + " MPI_Win_fence and the next";
    case EpochMode::start:
      return "in one epoch of MPI_Win_post and MPI_Win_start, the " + ordinal(place + 1) + " of these processes";
    case EpochMode::passive:
    case EpochMode::post:
      break;
  }
  return "between two synchronisations of rank " + text_of(origin) + "'s lock, its " + ordinal(place + 1) +
         " such period";
}

}  // namespace

/// "writes 4 x MPI_INT", "adds to ..."
std::string ConflictWords::deed(std::uint32_t shape, const EpochAccess& access) {
  const EpochShape& calls = contents_.shape(shape);
  const AccessShape& kind = parties_.search().shape(parties_.of(shape));
  const char* const verb = kind.kind == AccessKind::put                   ? "writes "
                           : kind.kind == AccessKind::get                 ? "reads "
                           : parties_.search().writes(parties_.of(shape)) ? "updates "
                                                                          : "reads ";
  const std::string with_op = kind.kind == AccessKind::accumulate ? " by " + std::string(calls.op) : "";
  return verb + grouped(calls.elements) + " x " + job_.name_of(calls.type) + " at displacement " +
         grouped(Exact(access.displacement)) + with_op;
}

std::string ConflictWords::message(const EpochTarget& target, std::pair<Rank, Rank> ranks,
                                   const EpochConflict& conflict, std::uint64_t place, bool is_of_one) {
  const EpochShape& own = contents_.shape(conflict.first);
  const EpochShape& others = contents_.shape(conflict.second);
  const bool is_same = is_of_one && conflict.first == conflict.second &&
                       conflict.first_access.displacement == conflict.second_access.displacement;
  const std::string window =
      " of rank " + text_of(target.rank) + "'s window" + names_.in_words(target.window->name, target.rank);
  std::string text;
  if (conflict.bytes) {
    const Interval& bytes = *conflict.bytes;
    const bool is_one = bytes.end - bytes.begin == 1;
    text = (is_one ? "Byte " : "Bytes ") + grouped(Exact(bytes.begin)) +
           (is_one ? "" : " to " + grouped(Exact(bytes.end - 1))) + window;
    if (target.unit != 1) {
      text += " (displacement " + grouped(Exact(floor_quotient(bytes.begin, target.unit))) + ", in units of " +
              grouped(Exact(target.unit)) + " bytes)";
    }
  } else {
    text = "Some bytes" + window;
  }
  text += " are touched twice " + epoch_in_words(target, ranks.first, place) + ": " + std::string(own.called) +
          (is_of_one ? "" : " of rank " + text_of(ranks.first)) + " " + deed(conflict.first, conflict.first_access);
  if (is_same) {
    text += ", more than once";
  } else {
    text += ", " + std::string(others.called) + (is_of_one ? "" : " of rank " + text_of(ranks.second)) + " " +
            deed(conflict.second, conflict.second_access);
  }
  return text + (is_of_one ? "; both are calls of rank " + text_of(ranks.first) + "." : ".");
}

std::string ConflictWords::advice(const EpochTarget& target, const EpochConflict& conflict, bool is_of_one) {
  const auto is_accumulate = [&](std::uint32_t shape) {
    const AccessKind kind = parties_.search().shape(parties_.of(shape)).kind;
    return kind == AccessKind::accumulate || kind == AccessKind::compare_and_swap;
  };
  if (is_accumulate(conflict.first) && is_accumulate(conflict.second)) {
    const bool lacks_order = is_of_one && !(contents_.shape(conflict.first).ordering.has(AccumulateOrdering::waw) &&
                                            contents_.shape(conflict.second).ordering.has(AccumulateOrdering::waw));
    return "Accumulates may meet only with one predefined type, elements at the same places, and the same op or "
           "MPI_NO_OP; else put a synchronisation between them" +
           std::string(lacks_order
                           ? ". Those of one process have no order here: accumulate_ordering leaves out \"waw\"."
                           : ".");
  }
  const char* const first = target.mode == EpochMode::fence   ? "Put an MPI_Win_fence between the two"
                            : target.mode == EpochMode::start ? "Give each an epoch of its own"
                                                              : "Put an MPI_Win_flush between the two";
  return std::string(first) +
         ", let them touch different bytes, or use accumulates: MPI_Accumulate with MPI_REPLACE writes, "
         "MPI_Get_accumulate with MPI_NO_OP reads.";
}

}  // namespace ddtscope::reporters
