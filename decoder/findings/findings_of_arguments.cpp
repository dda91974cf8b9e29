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
      return "Member " + grouped(i) + " (" + s.name_of(oldtype) + " at byte " + grouped(Exact(displacements[i])) + ")";
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

/// Whether the block's own data stands at addresses, wherever the block is counted from: 0 is the right place for it.
bool is_made_of_addresses(const Subject& s, std::size_t block) {
  return is_address(s.layouts.facts(s.call.datatypes[s.is(Combiner::structure) ? block : 0]).true_lb);
}

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
    if (is_near && is_made_of_addresses(s, i)) continue;
    if (is_near && !result.first_near) result.first_near = i;
    if (is_one && result.count++ == 0) result.first = i;
  }
  return result;
}

/// A C struct of a constructor's members, in their order.
struct CStruct {
  std::vector<Exact> offsets;  // by member; of empty ones, where the next would stand
  Exact size;
  Exact packed_size;
};

Exact rounded_up(Exact value, std::int64_t alignment) {
  const Exact rest = value.fits() ? Exact(static_cast<std::int64_t>(value.value() % alignment)) : Exact(0);
  return rest == Exact(0) ? value : value + Exact(alignment) - rest;
}

/// Where the displacements are the running sums of the members' sizes, the struct that was meant; else empty.
std::optional<CStruct> struct_of_running_sums(const Subject& s, const ConstructorCall& call) {
  if (call.combiner != Combiner::structure) return std::nullopt;
  const IntegerArray& displacements = call.array("array_of_displacements");
  const IntegerArray& blocklengths = call.array("array_of_blocklengths");
  CStruct meant;
  std::int64_t alignment = 1;
  std::size_t members = 0;
  for (std::size_t i = 0; i < call.datatypes.size(); ++i) {
    const LayoutFacts& member = s.layouts.facts(call.datatypes[i]);
    const bool is_empty = blocklengths[i] <= 0 || member.empty();
    if (!is_empty) meant.size = rounded_up(meant.size, member.alignment);
    meant.offsets.push_back(meant.size);
    if (is_empty) continue;
    if (Exact(displacements[i]) != meant.packed_size) return std::nullopt;
    meant.packed_size = meant.packed_size + Exact(blocklengths[i]) * member.size;
    meant.size = meant.size + Exact(blocklengths[i]) * s.layouts.extent(call.datatypes[i]);
    alignment = std::max(alignment, member.alignment);
    ++members;
  }
  meant.size = rounded_up(meant.size, alignment);
  return members > 1 ? std::optional(std::move(meant)) : std::nullopt;
}

/// "0, 8, 24"; long lists are cut.
std::string list_of(const std::vector<Exact>& values) {
  constexpr std::size_t limit = 8;
  std::string list;
  for (std::size_t i = 0; i < std::min(limit, values.size()); ++i) list += (i == 0 ? "" : ", ") + values[i].to_string();
  return list + (values.size() > limit ? ", ..." : "");
}

std::string what_offsetof_gives(const CStruct& meant) {
  return "offsetof gives " + list_of(meant.offsets) + " for a C struct of these members, and sizeof " +
         meant.size.to_string();
}

/// Words that follow each other may be separate variables: at some address all of them are aligned. Nobody has such
/// variables behind a char.
bool may_be_variables(const Subject& s) {
  const IntegerArray& displacements = s.call.array("array_of_displacements");
  for (std::size_t i = 0; i < displacements.length; ++i) {
    if (displacements[i] % 4 != 0) return false;
  }
  return s.memory.alignment_masks(s.layouts, s.root).could_be_aligned();
}

/// Sums of sizes make a packed struct: right where the program says its size, and else mostly padding that was
/// forgotten.
Draft about_running_sums(const Subject& s, const CStruct& meant, const std::string& what) {
  const bool is_rounded_up = !s.facts.ub_marker && s.facts.true_lb == Exact(0) && s.extent > s.facts.true_ub;
  return {
      s.is_resized() || may_be_variables(s) ? Severity::note : Severity::warning,
      what + ": the displacements are the running sums of the members' sizes" +
          (is_rounded_up ? ", as in a packed struct; but the extent was rounded up from " + grouped(s.facts.true_ub) +
                               " to " + grouped(s.extent) + ", so that in an array the second element is looked for " +
                               bytes(s.extent - s.facts.true_ub) + " too far on"
                         : "") +
          ".",
      what_offsetof_gives(meant) + ". If the struct is packed, MPI_Type_create_resized(" + s.name_of(s.id) + ", 0, " +
          meant.packed_size.to_string() + ") says so."};
}

/// A struct whose bounds were set to those of the C struct while its members stand as in a packed one.
MaybeDraft about_resized_sums(const Subject& s) {
  const DefinitionId oldtype = s.call.datatypes[0];
  if (s.is_aligned(oldtype)) return {};
  const std::optional<CStruct> meant = struct_of_running_sums(s, s.store[oldtype].call);
  if (!meant || s.extent != meant->size || meant->size == meant->packed_size) return {};
  return Draft{Severity::warning,
               "The extent, " + bytes(s.extent) + ", is that of the C struct, but the displacements of " +
                   s.name_of(oldtype) + " are the running sums of its members' sizes.",
               what_offsetof_gives(*meant) + ": give these displacements."};
}

}  // namespace

MaybeDraft misaligned_members(const Subject& s) {
  if (s.facts.empty() || s.is(Combiner::dup)) return {};
  const auto is_off = [&](DefinitionId type) { return !s.is_aligned(type); };
  const auto has_odd_extent = [&](DefinitionId type) {
    return !s.layouts.facts(type).empty() && !is_multiple(s.layouts.extent(type), s.layouts.facts(type).alignment);
  };
  if (s.is(Combiner::resized)) {
    if (MaybeDraft draft = about_resized_sums(s)) return draft;
  }
  if (some_oldtype(s, is_off)) return {};
  if (!is_off(s.id)) {
    if (!s.is(Combiner::resized) || !has_odd_extent(s.id)) return {};
    return Draft{Severity::note,
                 "The extent, " + bytes(s.extent) + ", is no multiple of " + grouped(Exact(s.facts.alignment)) +
                     ", the alignment of its entries: the second copy is misaligned.",
                 "This is right for an array of packed structs, or for displacements in bytes. Else give sizeof of the "
                 "struct."};
  }
  if (some_oldtype(s, has_odd_extent)) return {};
  const std::string what = text_of_misaligned(s) + " is off its alignment";
  if (const std::optional<CStruct> meant = struct_of_running_sums(s, s.call)) {
    return about_running_sums(s, *meant, what);
  }
  const bool is_padded = s.is(Combiner::structure) && !s.facts.uniform() && !s.facts.ub_marker &&
                         s.facts.true_lb == Exact(0) && s.extent > s.facts.true_ub;
  const std::optional<std::string> resize = is_padded ? advised_resize(s) : std::nullopt;
  if (resize) {
    // Separate variables may stand so, counted from the first of them: nobody has an array of those.
    const bool is_packed = !s.memory.alignment_masks(s.layouts, s.root).could_be_aligned();
    return about_bounds(
        s, {is_packed ? Severity::warning : Severity::note,
            what + ", as in a packed struct; but the extent was rounded up from " + grouped(s.facts.true_ub) + " to " +
                grouped(s.extent) + ", so that in an array the second element is looked for " +
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
  const std::string first = "Displacement " + grouped(addresses.first) + " (" +
                            hexadecimal(displacements[addresses.first]) + ") looks like an address";
  if (addresses.first_near) {
    return Draft{Severity::warning,
                 first + ", displacement " + grouped(*addresses.first_near) + " (" +
                     grouped(Exact(displacements[*addresses.first_near])) +
                     ") is counted from a buffer: no buffer is right for both.",
                 "Subtract the same base from all of them: MPI_Aint_diff(address, base)."};
  }
  const std::string others = addresses.count == 1 ? "" : ", as do " + grouped(addresses.count - 1) + " more";
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
               grouped(empty) + " of the " + grouped(blocklengths.length) + " blocks " +
                   (empty == 1 ? "has length 0: block " : "have length 0, the first of them block ") + grouped(first) +
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
  const std::string call = is_callable ? ": MPI_Type_create_resized(type, " + bounds.lb.to_string() + ", " +
                                             bounds.extent.to_string() + ") sets the same bounds"
                                       : "";
  return Draft{Severity::note,
               "Member " + grouped(place) + " is " + s.name_of(*found) + ", which was removed in MPI-3.0.",
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
