// Findings about sizes, extents and bounds.
#include "decoder/findings/finding_detectors.h"

namespace ddtscope::findings {
namespace {

constexpr Exact int_max = Exact(std::int64_t{INT32_MAX});

bool is_beyond_bounds(const Subject& s, DefinitionId type) {
  const LayoutFacts& facts = s.layouts.facts(type);
  const Exact lb = s.layouts.lb(type);
  return !facts.empty() && (facts.true_lb < lb || facts.true_ub > lb + s.layouts.extent(type));
}

}  // namespace

MaybeDraft exceeds_int(const Subject& s) {
  if (const auto beyond = beyond_count(s, s.id)) {
    if (some_oldtype(s, [&](DefinitionId oldtype) { return beyond_count(s, oldtype).has_value(); })) return {};
    const std::string value = beyond->second.fits() ? ", " + grouped(beyond->second) + "," : ", more than 128 bits,";
    const bool is_told = beyond->first != no_call_tells;
    return Draft{Severity::error,
                 "The " + std::string(beyond->first) + value + " does not fit MPI_Count" +
                     (is_told ? ": the calls that tell it answer MPI_UNDEFINED." : "."),
                 "Check the counts and displacements: no memory holds such a type."};
  }
  const auto is_beyond = [&](auto value_of) {
    return value_of(s.id) > int_max && !some_oldtype(s, [&](DefinitionId t) { return value_of(t) > int_max; });
  };
  const bool size = is_beyond([&](DefinitionId t) { return s.layouts.facts(t).size; });
  const bool entries = is_beyond([&](DefinitionId t) { return s.layouts.facts(t).entries; });
  const bool extent = !is_absolute(s) && is_beyond([&](DefinitionId t) { return abs(s.layouts.extent(t)); });
  if (size || entries) {
    std::string message;
    if (size) {
      message = "The size is " + bytes(s.facts.size) +
                ", more than an int holds: MPI_Type_size and MPI_Pack_size give MPI_UNDEFINED.";
    }
    if (entries) {
      message += std::string(size ? " " : "") + "There are " + grouped(s.facts.entries) +
                 " entries, more than an int holds: MPI_Get_elements gives MPI_UNDEFINED for a whole one.";
    }
    return Draft{Severity::note, message,
                 "Use MPI_Type_size_c, MPI_Pack_size_c and MPI_Get_elements_c, or before MPI-4.0 MPI_Type_size_x and "
                 "MPI_Get_elements_x: they answer in an MPI_Count."};
  }
  if (extent) {
    return Draft{
        Severity::note,
        "The extent is " + bytes(s.extent) + ", more than an int holds; MPI_Type_get_extent gives it in an MPI_Aint.",
        "Keep it, and what is computed from it, in an MPI_Aint or MPI_Count."};
  }
  return {};
}

MaybeDraft missing_resize(const Subject& s) {
  if (!s.is(Combiner::structure) || s.facts.empty() || is_absolute(s)) return {};
  const Exact needed = padded(s, s.facts.true_extent());
  if (!(abs(s.extent) < needed) || s.memory.copies_overlap(s.layouts, s.id) == Overlap::yes) return {};
  // Members that are themselves longer than their extent are no members of a C struct.
  if (some_oldtype(s, [&](DefinitionId t) { return s.layouts.facts(t).true_extent() > abs(s.layouts.extent(t)); })) {
    return {};
  }
  const std::optional<std::string> resize = advised_resize(s);
  if (!resize) return {};
  return about_bounds(
      s, {Severity::warning,
          "The extent is " + bytes(s.extent) + ", but a C struct with members at these displacements has " +
              grouped(suggested_bounds(s).extent) +
              ": in an array the second element is looked for at the wrong place." + origin_of_bounds(s),
          *resize + ", with sizeof of the struct for the extent."});
}

MaybeDraft beyond_bounds(const Subject& s) {
  // What the other findings about bounds say of the same bytes is more.
  if (!is_beyond_bounds(s, s.id) || s.is_resized() || s.extent < Exact(0)) return {};
  if (s.memory.copies_overlap(s.layouts, s.id) == Overlap::yes) return {};
  const bool is_oldtypes = some_oldtype(s, [&](DefinitionId oldtype) {
    return is_beyond_bounds(s, oldtype) &&
           (!s.is(Combiner::resized) || (s.layouts.lb(oldtype) == s.lb && s.layouts.extent(oldtype) == s.extent));
  });
  if (is_oldtypes) return {};
  const Exact before = max(Exact(0), s.lb - s.facts.true_lb);
  const Exact behind = max(Exact(0), s.facts.true_ub - s.ub);
  std::string message = "The data lies from byte " + grouped(s.facts.true_lb) + " to " + grouped(s.facts.true_ub) +
                        ", the bounds are " + grouped(s.lb) + " to " + grouped(s.ub) + ":";
  if (before > Exact(0)) message += " " + bytes(before) + " before them";
  if (before > Exact(0) && behind > Exact(0)) message += " and";
  if (behind > Exact(0)) message += " " + bytes(behind) + " behind";
  if (s.facts.true_extent() <= s.extent) {
    message += ". Copies stand apart.";
  } else {
    message += s.memory.copies_overlap(s.layouts, s.id) == Overlap::undecided ? ". Whether copies overlap is undecided."
                                                                              : ". Copies interleave without overlap.";
  }
  const bool has_room = s.facts.true_lb >= Exact(0) && s.facts.true_ub <= s.extent;  // in N times the extent
  return Draft{Severity::note, message,
               "N copies need " + grouped(s.facts.true_extent()) + " + (N - 1) * " + grouped(s.extent) +
                   " bytes from byte " + grouped(s.facts.true_lb) + " on" +
                   (has_room ? "." : ", not N * " + grouped(s.extent) + ".")};
}

MaybeDraft negative_lb(const Subject& s) {
  const auto is_negative = [&](DefinitionId type) {
    const LayoutFacts& facts = s.layouts.facts(type);
    return !facts.empty() && (facts.true_lb < Exact(0) || s.layouts.lb(type) < Exact(0));
  };
  if (!is_negative(s.id) || some_oldtype(s, is_negative)) return {};
  if (!(s.facts.true_lb < Exact(0))) {
    return Draft{Severity::note,
                 "The lower bound is " + grouped(s.lb) + "; the data begins at byte " + grouped(s.facts.true_lb) +
                     ", so that nothing before the buffer's address is touched.",
                 "There is nothing to do, unless a program takes the lower bound for the first byte."};
  }
  if (is_of_variables(s, s.id)) {
    return Draft{Severity::note,
                 "Members stand on both sides of the buffer's address, from byte " + grouped(s.facts.true_lb) + " to " +
                     grouped(s.facts.true_ub) + ": separate variables, counted from one of them.",
                 "Give the address of the variable that the displacements are counted from."};
  }
  return Draft{Severity::note,
               "The data begins at byte " + grouped(s.facts.true_lb) + ": " + bytes(-s.facts.true_lb) +
                   " before the address that is given as the buffer.",
               "Give an address that has " + bytes(-s.facts.true_lb) +
                   " of the same array before it, not the array's beginning."};
}

MaybeDraft gap_before_lb(const Subject& s) {
  const auto has_gap = [&](DefinitionId type) {
    return !s.layouts.facts(type).empty() && s.layouts.lb(type) > Exact(0);
  };
  if (!has_gap(s.id) || is_absolute(s) || s.is_resized() || some_oldtype(s, has_gap)) return {};
  const std::optional<std::string> resize = advised_resize(s);
  if (!resize) return {};
  return Draft{Severity::note,
               "The lower bound is " + grouped(s.lb) + ": the first " + bytes(s.lb) +
                   " are no part of the extent, so that copies stand " + bytes(abs(s.extent)) + " apart.",
               "This is right for a single copy. For an array of structs or rows that begin at byte 0: " + *resize +
                   ", or more if something follows."};
}

MaybeDraft negative_extent(const Subject& s) {
  const auto leads_down = [&](DefinitionId type) {
    return !s.layouts.facts(type).empty() && s.layouts.extent(type) < Exact(0);
  };
  if (!leads_down(s.id) || some_oldtype(s, leads_down)) return {};
  return Draft{Severity::note,
               "The extent is " + grouped(s.extent) + ": each copy stands " + bytes(-s.extent) +
                   " before the one that it follows.",
               "With a count of N, give the address of the highest copy: (N - 1) * " + grouped(-s.extent) +
                   " bytes must lie before it."};
}

}  // namespace ddtscope::findings
