// Findings about what libraries make of a type.
#include "decoder/findings/finding_detectors.h"

namespace ddtscope::findings {
namespace {

/// How bad the difference is; nothing where there is none.
std::optional<Severity> severity_of(const Subject& s, DefinitionId type, const Portability& portability) {
  if (portability.portable) return std::nullopt;
  if (portability.moves_entries) return Severity::warning;
  // The bounds of a type that is resized reach nothing else.
  const bool matters = portability.moves_data && !s.memory.is_resized(s.sources, type) && !is_of_variables(s, type);
  return matters ? Severity::warning : Severity::note;
}

/// What helps against a stride of -1 byte in Open MPI: other bounds do not, for the entries themselves stand elsewhere.
constexpr std::string_view without_stride =
    "Make it with MPI_Type_create_hindexed_block and the displacements 0, -1, -2 and so on, which all "
    "libraries follow, and set its bounds with MPI_Type_create_resized.";

std::string as_text(std::optional<std::int64_t> value) { return value ? grouped(Exact(*value)) : "MPI_UNDEFINED"; }

}  // namespace

MaybeDraft not_portable(const Subject& s) {
  const Portability& portability = s.memory.portability(s.sources, s.id);
  const std::optional<Severity> severity = severity_of(s, s.id, portability);
  // Libraries differ in what they make of values that do not fit; what is wrong is the type.
  if (!severity || beyond_count(s, s.id)) return {};
  const bool is_oldtypes = some_oldtype(s, [&](DefinitionId oldtype) {
    const std::optional<Severity> of_oldtype = severity_of(s, oldtype, s.memory.portability(s.sources, oldtype));
    return of_oldtype && *of_oldtype >= *severity;
  });
  if (is_oldtypes) return {};
  std::string message;
  for (const std::string& reason : portability.reasons) message += (message.empty() ? "" : " ") + reason;
  if (!portability.moves_data) {
    return Draft{Severity::note, message,
                 s.facts.empty() ? "This matters only to a program that computes with the bounds of an empty type."
                                 : "This matters only to a program that computes with the true bounds."};
  }
  if (portability.moves_entries) {
    return Draft{Severity::warning, message,
                 has_mistaken_stride(s.sources, s.id)
                     ? std::string(without_stride)
                     : "Set the bounds of its oldtypes with MPI_Type_create_resized before copies of them are placed."};
  }
  const std::optional<std::string> resize = advised_resize(s);
  if (!resize) return {};
  return about_bounds(s, {is_of_variables(s, s.id) ? Severity::note : Severity::warning, message,
                          *resize + " has the same bounds everywhere."});
}

MaybeDraft library_disagrees(const Subject& s) {
  const auto disagrees = [&](DefinitionId type) {
    const std::optional<ObservedBounds> observed = s.layouts.observed(type);
    return observed && *observed != as_answered(s.layouts.computed(type));
  };
  if (!disagrees(s.id) || beyond_count(s, s.id) || some_oldtype(s, disagrees)) return {};
  const ObservedBounds observed = *s.layouts.observed(s.id);
  const ObservedBounds standard = as_answered(s.layouts.computed(s.id));
  std::string differences;
  bool moves_data = false;
  for (const NamedBound& bound : named_bounds) {
    if (observed.*bound.value == standard.*bound.value) continue;
    differences += (differences.empty() ? "" : ", ") + std::string(bound.name) + " " + as_text(observed.*bound.value) +
                   " (by the standard " + as_text(standard.*bound.value) + ")";
    moves_data = moves_data || (!bound.is_true_bound && !s.facts.empty());
  }
  std::string models;
  bool is_known = false;
  for (const BoundsRule library : library_rules) {
    if (s.sources.library && *s.sources.library != library) continue;
    const std::string name(s.sources.rules.releases()[library].name);
    if (observed == as_answered(s.sources.rules[library].bounds(s.id))) {
      is_known = true;
      models = name;
      break;
    }
    models += (models.empty() ? "" : " and ") + name;
  }
  std::string message = "The library answers: " + differences + ".";
  message += is_known ? " So does " + models + " as ddtscope knows it."
                      : " That is not what ddtscope knows of " + models + ", either.";
  std::string advice = "This matters only to a program that computes with these bounds.";
  if (has_mistaken_stride(s.sources, s.id)) {
    advice = without_stride;
  } else if (moves_data) {
    const std::optional<std::string> resize = advised_resize(s);
    if (!resize) return {};
    advice = *resize + " has bounds that do not depend on the library.";
  }
  const bool is_alarming = moves_data && !is_known;
  return about_bounds(s, {is_alarming ? Severity::warning : Severity::note, message, advice});
}

}  // namespace ddtscope::findings
