// Findings about where members stand and how a type is written.
#include <algorithm>

#include "decoder/findings/finding_detectors.h"

namespace ddtscope::findings {
namespace {

/// No variable lies below: the first pages are never mapped.
constexpr Exact never_an_address = Exact(65536);
/// No variable is longer than 1 TiB: what stands far away because it is itself so long stands there rightly.
constexpr Exact longest_variable = Exact(INT64_C(1) << 40);

std::string hexadecimal(Exact value) {
  std::string digits;
  for (Int128 rest = value.value(); rest > 0; rest /= 16) {
    digits.push_back("0123456789abcdef"[static_cast<std::size_t>(rest % 16)]);
  }
  return "0x" + std::string(digits.rbegin(), digits.rend());
}

bool is_multiple(Exact value, std::int64_t of) { return value.fits() && value.value() % of == 0; }

/// The first entry in typemap order that is off its alignment. There is one.
TypemapEntry first_misaligned_entry(const Subject& s) {
  LayoutId id = s.root;
  Exact base = 0;
  // Down to the first copy of the first part that has one; below the children nothing is aligned to more than 64
  // bytes, so that the first 64 copies show all there are.
  while (s.layouts[id].kind != LayoutKind::basic) {
    const LayoutNode& node = s.layouts[id];
    const bool is_repeat = node.kind == LayoutKind::repeat;
    const std::size_t parts = is_repeat ? 1 : node.part_count;
    bool is_found = false;
    for (std::size_t i = 0; i < parts && !is_found; ++i) {
      const LayoutPart part = is_repeat ? LayoutPart{} : node.part(i);
      const LayoutId child = is_repeat ? node.child : part.child;
      const Exact count = is_repeat ? node.count : Exact(part.blocklength);
      const Exact stride = is_repeat ? node.stride : part.extent;
      const Exact first = is_repeat ? base : base + part.displacement;
      const AlignmentMasks& masks = s.memory.alignment_masks(s.layouts, child);
      for (std::int64_t k = 0; k < 64 && Exact(k) < count && !is_found; ++k) {
        const Exact at = first + Exact(k) * stride;
        if (placed(masks, {at, 1, 0}).aligned()) continue;
        is_found = true;
        base = at;
        id = child;
      }
    }
    if (!is_found) break;
  }
  return {s.layouts[id].basic, base};
}

/// "Member 1 (MPI_DOUBLE at byte 1)" of a struct, "MPI_DOUBLE at byte 12" of others.
std::string text_of_misaligned(const Subject& s) {
  if (s.is(Combiner::structure)) {
    const IntegerArray& displacements = s.call.array("array_of_displacements");
    for (std::size_t i = 0; i < s.call.datatypes.size(); ++i) {
      const DefinitionId oldtype = s.call.datatypes[i];
      const Placement placement = {Exact(displacements[i]), Exact(s.blocklength_of_member(i)),
                                   s.layouts.extent(oldtype)};
      if (placed(s.memory.alignment_masks(s.layouts, s.layouts.root(oldtype)), placement).aligned()) continue;
      return "Member " + text_of(i) + " (" + s.name_of(oldtype) + " at byte " + std::to_string(displacements[i]) + ")";
    }
  }
  return s.text_of_entry(first_misaligned_entry(s));
}

/// The bytes from the first to the last of block i of a combiner with displacements.
Exact length_of_block(const Subject& s, std::size_t i) {
  const std::int64_t blocklength = s.has_parameter("array_of_blocklengths") ? s.call.array("array_of_blocklengths")[i]
                                                                            : s.call.scalar("blocklength");
  if (blocklength <= 0) return 0;
  const DefinitionId oldtype = s.call.datatypes[s.is(Combiner::structure) ? i : 0];
  return s.layouts.facts(oldtype).true_extent() + Exact(blocklength - 1) * abs(s.layouts.extent(oldtype));
}

struct Addresses {
  std::size_t count = 0;
  std::size_t first = 0;                  // the first block that stands at one
  std::optional<std::size_t> first_near;  // the first that stands near the buffer
};

/// Among the displacements of blocks that are not empty; only those in bytes can be addresses.
Addresses look_for_addresses(const Subject& s) {
  const std::span<const Parameter> parameters = row_of(s.call.combiner).parameters;
  const bool in_bytes = std::any_of(parameters.begin(), parameters.end(), [](const Parameter& parameter) {
    return parameter.name == "array_of_displacements" && parameter.kind == ParameterKind::address;
  });
  if (!in_bytes) return {};
  const IntegerArray& displacements = s.call.array("array_of_displacements");
  Addresses result;
  for (std::size_t i = 0; i < displacements.length; ++i) {
    const Exact displacement = displacements[i];
    const bool is_one = is_address(displacement);
    const bool is_near = abs(displacement) < never_an_address;
    if (!is_one && !is_near) continue;
    const Exact length = length_of_block(s, i);
    if (length == Exact(0) || !(length < longest_variable)) continue;
    if (is_near && !result.first_near) result.first_near = i;
    if (is_one && result.count++ == 0) result.first = i;
  }
  return result;
}

}  // namespace

MaybeDraft misaligned_members(const Subject& s) {
  if (s.facts.empty() || s.is(Combiner::dup)) return {};
  const auto is_off = [&](DefinitionId type) { return !s.is_aligned(type); };
  const auto has_odd_extent = [&](DefinitionId type) {
    return !s.layouts.facts(type).empty() && !is_multiple(s.layouts.extent(type), s.layouts.facts(type).alignment);
  };
  if (some_oldtype(s, is_off)) return {};
  if (!is_off(s.id)) {
    if (!s.is(Combiner::resized) || !has_odd_extent(s.id)) return {};
    return Draft{Severity::note,
                 "The extent, " + bytes(s.extent) + ", is no multiple of " + std::to_string(s.facts.alignment) +
                     ", the alignment of its entries: the second copy is misaligned.",
                 "This is right for an array of packed structs, or for displacements in bytes. Else give sizeof of the "
                 "struct."};
  }
  if (some_oldtype(s, has_odd_extent)) return {};
  const std::string what = text_of_misaligned(s) + " is off its alignment";
  const bool is_padded = s.is(Combiner::structure) && !s.facts.uniform() && !s.facts.ub_marker &&
                         s.facts.true_lb == Exact(0) && s.extent > s.facts.true_ub;
  const std::optional<std::string> resize = is_padded ? advised_resize(s) : std::nullopt;
  if (resize) {
    // Separate variables may stand so, counted from the first of them: nobody has an array of those.
    const bool is_packed = !s.memory.alignment_masks(s.layouts, s.root).could_be_aligned();
    return about_bounds(
        s, {is_packed ? Severity::warning : Severity::note,
            what + ", as in a packed struct; but the extent was rounded up from " + text_of(s.facts.true_ub) + " to " +
                text_of(s.extent) + ", so that in an array the second element is looked for " +
                bytes(s.extent - s.facts.true_ub) + " too far on.",
            *resize + ", with sizeof of the packed struct for the extent. If the struct is not packed, check the "
                      "displacement."});
  }
  return Draft{Severity::note, what + ".",
               "This is right for packed data. Else check the displacements: offsetof gives those of a C struct."};
}

MaybeDraft absolute_addresses(const Subject& s) {
  const Addresses addresses = look_for_addresses(s);
  if (s.facts.empty() || addresses.count == 0) return {};
  const IntegerArray& displacements = s.call.array("array_of_displacements");
  const std::string first = "Displacement " + text_of(addresses.first) + " (" +
                            hexadecimal(displacements[addresses.first]) + ") looks like an address";
  if (addresses.first_near) {
    return Draft{Severity::warning,
                 first + ", displacement " + text_of(*addresses.first_near) + " (" +
                     std::to_string(displacements[*addresses.first_near]) +
                     ") is counted from a buffer: no buffer is right for both.",
                 "Subtract the same base from all of them: MPI_Aint_diff(address, base)."};
  }
  const std::string others = addresses.count == 1 ? "" : ", as do " + text_of(addresses.count - 1) + " more";
  return Draft{Severity::note, first + others + ".",
               "Use it with MPI_BOTTOM as the buffer only, or subtract the buffer's address: MPI_Aint_diff(address, "
               "base)."};
}

MaybeDraft empty_type(const Subject& s) {
  if (!s.facts.empty()) return {};
  const auto is_derived = [&](DefinitionId oldtype) { return !s.is_named(oldtype); };
  const auto has_entries = [&](DefinitionId oldtype) { return !s.layouts.facts(oldtype).empty(); };
  const auto& oldtypes = s.call.datatypes;
  const bool is_oldtypes = std::any_of(oldtypes.begin(), oldtypes.end(), is_derived) &&
                           std::none_of(oldtypes.begin(), oldtypes.end(), has_entries);
  if (is_oldtypes) return {};
  return Draft{
      Severity::note, "It has no entries: nothing is sent or received with it.",
      "There is nothing to do where that is meant, as for a process that owns no part. Else check the counts."};
}

MaybeDraft empty_blocks(const Subject& s) {
  if (s.facts.empty() || !s.has_parameter("array_of_blocklengths")) return {};
  const IntegerArray& blocklengths = s.call.array("array_of_blocklengths");
  std::size_t empty = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < blocklengths.length; ++i) {
    if (blocklengths[i] == 0 && empty++ == 0) first = i;
  }
  if (empty == 0) return {};
  return Draft{Severity::note,
               text_of(empty) + " of the " + text_of(blocklengths.length) + " blocks " +
                   (empty == 1 ? "has length 0: block " : "have length 0, the first of them block ") + text_of(first) +
                   ".",
               "They add nothing. Leave them out of the arguments."};
}

MaybeDraft removed_markers(const Subject& s) {
  const auto is_marker = [&](DefinitionId oldtype) {
    if (!s.is_named(oldtype)) return false;
    const PredefinedKind kind = s.store.predefined()[s.store[oldtype].predefined].kind;
    return kind == PredefinedKind::lb_marker || kind == PredefinedKind::ub_marker;
  };
  const auto& oldtypes = s.call.datatypes;
  const auto found = std::find_if(oldtypes.begin(), oldtypes.end(), is_marker);
  if (found == oldtypes.end()) return {};
  const auto place = static_cast<std::size_t>(found - oldtypes.begin());
  const Bounds& bounds = s.layouts.computed(s.id);
  const bool is_callable = bounds.lb.to_int64() && bounds.extent.to_int64() && !beyond_count(s, s.id);
  const std::string call = is_callable ? ": MPI_Type_create_resized(type, " + text_of(bounds.lb) + ", " +
                                             text_of(bounds.extent) + ") sets the same bounds"
                                       : "";
  return Draft{Severity::note,
               "Member " + text_of(place) + " is " + s.name_of(*found) + ", which was removed in MPI-3.0.",
               "Make the type without markers and resize it" + call + "."};
}

MaybeDraft simpler_type(const Subject& s) {
  if (s.is(Combiner::dup)) return {};  // a duplicate is made for its own life
  const std::optional<Simpler> simpler = s.sources.simplifier.simpler(s.id, s.sources.name_oldtype);
  if (!simpler) return {};
  const auto& oldtypes = s.call.datatypes;
  const auto same = std::find_if(oldtypes.begin(), oldtypes.end(), [&](DefinitionId oldtype) {
    return simpler->call == constructor_call_text(s.store, oldtype, s.sources.name_oldtype);
  });
  if (same != oldtypes.end()) {
    return Draft{Severity::note, s.name_of(*same) + " is the same type.",
                 "There is nothing to do where a count happens to be 1, or where the resize makes sure of the bounds."};
  }
  return Draft{Severity::note, simpler->call + " is the same type.",
               "Use it: it says what the type is, and a library has less to keep and to look at."};
}

}  // namespace ddtscope::findings
