// Findings about bytes that are touched more than once.
#include <algorithm>
#include <array>

#include "decoder/coverage/overlap.h"
#include "decoder/coverage/overlap_between.h"
#include "decoder/findings/finding_detectors.h"
#include "decoder/layout/path.h"
#include "decoder/layout/span.h"
#include "decoder/layout/typemap.h"

namespace ddtscope::findings {
namespace {

/// How many entries are looked at for two that share a byte.
constexpr std::size_t entries_looked_at = 4096;
/// How many constructors are named on the way to an entry.
constexpr std::size_t longest_path = 4;
/// How far down an element is looked for that the extent is a multiple of.
constexpr int deepest_unit = 64;

/// Whether the extent is a whole number of elements that stand apart: then it was probably chosen as a unit to count
/// displacements in.
bool is_displacement_unit(const Subject& s) {
  if (!s.is(Combiner::resized)) return false;
  const Exact distance = abs(s.extent);
  if (!(distance > Exact(0))) return false;
  DefinitionId type = s.call.datatypes[0];
  for (int depth = 0; depth < deepest_unit; ++depth) {
    const Exact element = abs(s.layouts.extent(type));
    if (element > Exact(0) && s.layouts.facts(type).true_extent() <= element &&
        distance.value() % element.value() == 0) {
      return true;
    }
    const std::span<const DefinitionId> oldtypes = s.store[type].call.datatypes;
    if (oldtypes.empty() ||
        std::any_of(oldtypes.begin(), oldtypes.end(), [&](DefinitionId oldtype) { return oldtype != oldtypes[0]; })) {
      return false;
    }
    type = oldtypes[0];
  }
  return false;
}

/// "2 (T9 block 0, element 2 > MPI_INT at byte 8)"; of a deep type without the way there.
std::string text_of_place(const Subject& s, std::size_t k, const TypemapEntry& entry) {
  const std::vector<PathStep> path = path_to_entry(s.layouts, s.id, Exact(static_cast<std::int64_t>(k)));
  const std::string what = path.size() > longest_path ? s.text_of_entry(entry)
                                                      : text_of_path(s.store, path, s.sources.name_oldtype) +
                                                            " at byte " + grouped(entry.displacement);
  return grouped(k) + " (" + what + ")";
}

/// The end of a sentence: ": by entry 0 (... at byte 0) and entry 2 (... at byte 3)."
std::string entries_that_share(const Subject& s, Exact byte) {
  TypemapCursor cursor(s.layouts, s.root);
  std::array<TypemapEntry, 64> batch;
  std::string first;
  for (std::size_t seen = 0; seen < entries_looked_at; seen += batch.size()) {
    const std::size_t number = cursor.next(batch);
    for (std::size_t i = 0; i < number; ++i) {
      const TypemapEntry& entry = batch[i];
      const Exact end = entry.displacement + Exact(s.store.predefined()[entry.type].size);
      if (!(entry.displacement <= byte && byte < end)) continue;
      const std::string text = text_of_place(s, seen + i, entry);
      if (!first.empty()) return ": by entry " + first + " and entry " + text + ".";
      first = text;
    }
    if (number < batch.size()) return {};
  }
  const std::string cap = "the first " + grouped(entries_looked_at) + " entries";
  return first.empty() ? ": by entries after " + cap + "." : ": by entry " + first + " and by one after " + cap + ".";
}

}  // namespace

MaybeDraft copies_overlap(const Subject& s) {
  const auto overlap_of = [&](DefinitionId type) { return s.memory.copies_overlap(s.layouts, type); };
  if (s.facts.empty() || s.is(Combiner::dup) || overlap_of(s.id) != Overlap::yes) return {};
  // No memory holds two copies.
  if (beyond_count(s, s.id)) return {};
  const bool is_oldtypes = some_oldtype(s, [&](DefinitionId oldtype) { return overlap_of(oldtype) == Overlap::yes; });
  const bool keeps_extent = is_oldtypes && s.is(Combiner::resized) && s.layouts.extent(s.call.datatypes[0]) == s.extent;
  if (is_oldtypes && !s.is(Combiner::resized)) return {};

  const FirstOverlap first = s.memory.first_overlapping_copy(s.layouts, s.id);
  const bool is_known = first.answer == Overlap::yes;
  const bool adjacent =
      is_known ? first.copy == Exact(1)
               : shared_byte(s.layouts, {s.root, s.extent, 1}, {s.root, s.extent, 1, s.extent}).answer == Overlap::yes;
  const Span one = span_of(s.layouts, s.id, 1);
  const std::string apart = s.extent == Exact(0) ? "All copies stand in the same place: the extent is 0"
                                                 : "Copies stand " + bytes(abs(s.extent)) +
                                                       " apart, but the data of one spans " + grouped(one.length()) +
                                                       ", from byte " + grouped(one.first) + " to " + grouped(one.end);
  const std::string memory =
      "N copies need " + grouped(one.length()) + " + (N - 1) * " + grouped(abs(s.extent)) + " bytes.";
  if (adjacent && !is_displacement_unit(s)) {
    const std::optional<std::string> resize = advised_resize(s);
    if (!resize) return {};
    return about_bounds(s, {Severity::warning, apart + ": each copy overlaps the next." + origin_of_bounds(s),
                            *resize + " keeps them apart; take sizeof for the extent where it is a C struct."});
  }
  // A resize to the extent that was there adds nothing to a note. To a warning it does: the oldtype's has become a note
  // by being resized.
  if (keeps_extent) return {};
  if (adjacent) {
    return Draft{Severity::note, apart + ": each copy overlaps the next.",
                 "This is right for an extent that displacements are counted in, with counts of 1 as in MPI_Scatterv. "
                 "Receive no copies that overlap in one call. " +
                     memory};
  }
  if (!is_known) {
    return Draft{Severity::note, apart + ": some copies overlap; from how many on was not found out.",
                 "Receive no copies that overlap in one call. " + memory};
  }
  return Draft{Severity::note, apart + ": copy " + grouped(first.copy) + " is the first that touches bytes of copy 0.",
               "This is right for up to " + grouped(first.copy) +
                   " copies, as for neighbouring columns of a matrix. Receive no more in one call. " + memory};
}

namespace {

/// All blocks stand in one place: a value, or a block, is repeated on purpose.
bool is_one_block_again(const Subject& s) {
  if (s.has_parameter("stride")) return s.call.scalar("stride") == 0;
  if (!s.has_parameter("array_of_displacements") || s.is(Combiner::structure)) return false;
  const IntegerArray& displacements = s.call.array("array_of_displacements");
  for (std::size_t i = 1; i < displacements.length; ++i) {
    if (displacements[i] != displacements[0]) return false;
  }
  return true;
}

}  // namespace

MaybeDraft entries_overlap(const Subject& s) {
  const auto overlaps = [&](DefinitionId type) { return s.memory.entries_overlap(s.layouts, type) == Overlap::yes; };
  if (!overlaps(s.id) || some_oldtype(s, overlaps)) return {};
  const std::optional<Exact> byte = byte_touched_twice(s.layouts, s.root);
  std::string message = "One copy touches some bytes more than once.";
  if (byte) message = "One copy touches byte " + grouped(*byte) + " more than once" + entries_that_share(s, *byte);
  if (is_one_block_again(s) && s.sources.is_only_read && s.sources.is_only_read(s.id)) {
    return Draft{Severity::note, message,
                 "It repeats one block, and is only sent or written to files here, which is right: to receive with it "
                 "would be erroneous (MPI-4.1 5.1.11)."};
  }
  std::string advice = "Send with it only: to receive is erroneous (MPI-4.1 5.1.11).";
  if (s.is(Combiner::vector) && abs(Exact(s.call.scalar("stride"))) < Exact(s.call.scalar("blocklength"))) {
    const std::string blocklength = grouped(Exact(s.call.scalar("blocklength")));
    advice += " Blocks of " + blocklength + " elements stand apart from a stride of " + blocklength + " on.";
  } else {
    advice += " If it is not meant, check its displacements, strides and counts.";
  }
  return Draft{Severity::warning, message, advice};
}

}  // namespace ddtscope::findings
