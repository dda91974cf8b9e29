// What findings say of a type in common.
#include "decoder/findings/finding_subject.h"

#include "decoder/coverage/overlap.h"

namespace ddtscope::findings {
namespace {

/// Heap, stack and mapped memory of a 64-bit process: 64 TiB and more, 48 bits at most. Nothing that is counted from
/// a buffer is as large.
constexpr Exact least_address = Exact(INT64_C(1) << 46);
constexpr Exact greatest_address = Exact((INT64_C(1) << 48) - 1);

bool stand_apart(const Subject& s, Exact extent) {
  const Overlap overlap =
      extent == s.extent ? s.memory.copies_overlap(s.layouts, s.id) : overlap_of_copies(s.layouts, s.root, extent);
  return overlap == Overlap::no;
}

/// Whether an array of the type can have these bounds.
bool are_sound(const Subject& s, const Bounds& bounds) {
  if (bounds.lb > Exact(0) && !is_absolute(s)) return false;
  if (s.is(Combiner::structure)) {
    // The rounding, which a packed struct does not have, is no wish of the program's as an explicit bound is.
    if (!s.is_aligned(s.id) && !s.facts.ub_marker) return false;
    if (abs(bounds.extent) < padded(s, s.facts.true_extent())) return false;
  }
  return stand_apart(s, bounds.extent);
}

}  // namespace

Subject::Subject(const FindingSources& from, DefinitionId type)
    : sources(from),
      layouts(from.layouts),
      store(from.layouts.store()),
      memory(*from.memory),
      id(type),
      call(store[type].call),
      root(layouts.root(type)),
      facts(layouts.facts(type)),
      lb(layouts.lb(type)),
      extent(layouts.extent(type)),
      ub(lb + extent),
      member_lengths_(call.combiner == Combiner::structure ? &call.array("array_of_blocklengths") : nullptr) {}

std::string Subject::name_of(DefinitionId type) const {
  return is_named(type) ? store.predefined()[store[type].predefined].name : sources.name_oldtype(type);
}

std::string Subject::text_of_entry(const TypemapEntry& entry) const {
  return store.predefined()[entry.type].name + " at byte " + grouped(entry.displacement);
}

std::string bytes(Exact value) { return counted(value, "byte", "bytes"); }

Exact padded(const Subject& s, Exact length) {
  if (!length.fits() || !s.is_aligned(s.id)) return length;
  const Int128 over = length.value() % s.facts.alignment;
  return over == 0 ? length : length + Exact(s.facts.alignment - over);
}

SuggestedBounds suggested_bounds(const Subject& s) {
  const Bounds& standard = s.layouts.computed(s.id);
  if (are_sound(s, standard)) return {standard.lb, standard.extent};
  const Exact lb = is_absolute(s) ? s.facts.true_lb : min(Exact(0), s.facts.true_lb);
  return {lb, padded(s, s.facts.true_ub - lb)};
}

std::optional<std::string> advised_resize(const Subject& s) {
  if (beyond_count(s, s.id)) return std::nullopt;
  const SuggestedBounds bounds = suggested_bounds(s);
  if (!bounds.lb.to_int64() || !bounds.extent.to_int64() || !(bounds.lb + bounds.extent).to_int64()) {
    return std::nullopt;
  }
  return "MPI_Type_create_resized(" + s.name_of(s.is(Combiner::resized) ? s.call.datatypes[0] : s.id) + ", " +
         bounds.lb.to_string() + ", " + bounds.extent.to_string() + ")";
}

std::string origin_of_bounds(const Subject& s) {
  if (!s.is(Combiner::structure) || !s.facts.ub_marker) return {};
  const IntegerArray& displacements = s.call.array("array_of_displacements");
  for (std::size_t i = 0; i < s.call.datatypes.size(); ++i) {
    const DefinitionId oldtype = s.call.datatypes[i];
    const std::optional<Exact>& marker = s.layouts.facts(oldtype).ub_marker;
    const std::int64_t blocklength = s.blocklength_of_member(i);
    if (!marker || blocklength <= 0) continue;
    const Exact steps = max(Exact(0), Exact(blocklength - 1) * s.layouts.extent(oldtype));
    if (!(Exact(displacements[i]) + *marker + steps == *s.facts.ub_marker)) continue;
    return " Its bounds, " + grouped(s.lb) + " to " + grouped(s.ub) + ", come from member " + grouped(i) + " (" +
           s.name_of(oldtype) + "), which has explicit ones: members without do not count.";
  }
  return {};
}

std::optional<std::pair<std::string_view, Exact>> beyond_count(const Subject& s, DefinitionId type) {
  const LayoutFacts& facts = s.layouts.facts(type);
  const std::pair<std::string_view, Exact> values[] = {{"size", facts.size},
                                                       {"number of entries", facts.entries},
                                                       {"true lower bound", facts.true_lb},
                                                       {"true extent", facts.true_extent()},
                                                       {"extent", s.layouts.extent(type)},
                                                       {no_call_tells, facts.true_ub}};
  for (const auto& value : values) {
    if (!value.second.to_int64()) return value;
  }
  return std::nullopt;
}

bool is_address(Exact displacement) { return displacement >= least_address && displacement <= greatest_address; }
bool is_absolute(const Subject& s) { return is_address(s.facts.true_lb); }

bool is_of_variables(const Subject& s, DefinitionId type) {
  const LayoutFacts& facts = s.layouts.facts(type);
  return s.store[type].call.combiner == Combiner::structure && facts.true_lb < Exact(0) && facts.true_ub > Exact(0);
}

Draft about_bounds(const Subject& s, Draft draft) {
  if (draft.severity == Severity::note || !s.is_resized()) return draft;
  draft.severity = Severity::note;
  draft.message += " The program resizes it: this matters only where the type is used as it is.";
  return draft;
}

}  // namespace ddtscope::findings
