#include "plugin/uses/use_judge.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "decoder/base/exact.h"
#include "decoder/base/grouped.h"

namespace ddtscope::plugin {
namespace {

/// No object of a program lies below this address.
constexpr std::int64_t first_page = 4096;

/// "datatype", or the entry of an array of them.
std::string argument_in_words(const UseAmount& amount) {
  std::string words(trace::name_of(amount.parameter));
  if (amount.is_entry) words += "[" + std::to_string(amount.entry) + "]";
  return words;
}

bool has_negative_partitions(const UseCall& call, const Use& use) {
  return use.copies == Copies::partitions && call.integer(call.row.uses.partitions) < 0;
}

bool has_negative_count(const UseCall& call, const UseAmount& amount) {
  const Use& use = *call.row.uses.all()[amount.which];
  return amount.is_negative && (call.row.has_count_array[amount.which] || use.copies != Copies::partitions ||
                                call.integer_of(use.count, call.row.count_bytes) < 0);
}

/// Why a type that nothing is done with is no error.
std::string nothing_moves(const UseAmount& amount) {
  return amount.is_at_nobody ? " The other process is MPI_PROC_NULL, so that nothing moves."
                             : " Its count is 0, so that nothing moves.";
}

}  // namespace

void UseJudge::judge(const UsingCall& call, const Communicators& communicators) {
  std::vector<Suspicion> found;
  parts_.registry.beside_all_handles([&] { found = look(call, communicators); });
  std::erase_if(found,
                [&](Suspicion& suspicion) { return suspicion.depends_on_bounds && is_right_by_bounds(suspicion); });
  std::vector<ToldError> told;
  parts_.registry.beside([&] {
    for (const Suspicion& suspicion : found) {
      if (!parts_.verdicts.record(suspicion.verdict)) continue;
      told.push_back({suspicion.verdict.message, suspicion.verdict.id, call.stack->caller});
    }
  });
  for (const ToldError& error : told) parts_.tell(error);
}

void UseJudge::settle(const UsingCall& call, CallOutcome outcome) {
  std::optional<Verdicts::Settled> settled;
  parts_.registry.beside([&] {
    const CallSiteId site = parts_.registry.types_in_use().site_of(*call.stack);
    settled = parts_.verdicts.settle(call.called, site, outcome);
  });
  if (!settled || !settled->is_error) return;
  parts_.tell({settled->message, settled->id, call.stack->caller});
}

std::vector<UseJudge::Suspicion> UseJudge::look(const UsingCall& call, const Communicators& communicators) {
  UseAmounts amounts(options_.constants);
  const HandleBits wanted = amounts.wanted_communicator(call.arguments);
  const Communicator* const communicator =
      wanted != 0 ? communicators.find(wanted) : amounts.of_result(call.arguments, communicators);
  std::vector<Suspicion> found;
  for (const UseAmount& amount : amounts.of(call.arguments, communicator)) {
    // Of a communicator that is not known, who is the root is not known either.
    const bool is_for_some = call.arguments.row.uses.all()[amount.which]->side != Side::all;
    if (wanted != 0 && communicator == nullptr && is_for_some) continue;
    look_at(call, amount, found);
  }
  return found;
}

void UseJudge::look_at(const UsingCall& call, const UseAmount& amount, std::vector<Suspicion>& found) {
  if (amount.is_entry && amount.elements == 0 && !amount.is_negative) return;
  Suspicion suspicion;
  Verdict& verdict = suspicion.verdict;
  verdict.called = call.called;
  verdict.argument = trace::name_of(amount.parameter);
  verdict.site = parts_.registry.types_in_use().site_of(*call.stack);
  const bool is_type_wrong = look_at_type(call, amount, suspicion);
  if (is_type_wrong) found.push_back(suspicion);
  if (amount.is_negative) look_at_negative(call, amount, suspicion, found);
  if (!is_type_wrong && call.arguments.row.uses.op >= 0) {
    Suspicion operation = suspicion;
    if (look_at_operation(call, amount, operation)) found.push_back(std::move(operation));
  }
  const bool is_known = verdict.definition.valid() || !verdict.predefined.empty();
  if (is_type_wrong || !is_known) return;
  if (amount.has_null_buffer) {
    Suspicion null_buffer = suspicion;
    look_at_null_buffer(call, amount, null_buffer);
    if (null_buffer.depends_on_bounds) found.push_back(std::move(null_buffer));
  }
  if (amount.null_result != 0) found.push_back(null_result(call, amount, std::move(suspicion)));
}

/// A number of partitions is no count of elements (MPI-4.1 4.2.1).
void UseJudge::look_at_negative(const UsingCall& call, const UseAmount& amount, Suspicion negative,
                                std::vector<Suspicion>& found) const {
  Verdict& verdict = negative.verdict;
  verdict.severity = Severity::error;
  verdict.certainty = Certainty::certain;
  verdict.freed_by = nullptr;
  verdict.freed_at = {};
  if (has_negative_count(call.arguments, amount)) {
    verdict.id = FindingId::negative_count;
    verdict.message = count_in_words(call, amount);
    found.push_back(negative);
  }
  if (has_negative_partitions(call.arguments, *call.arguments.row.uses.all()[amount.which])) {
    verdict.id = FindingId::bad_argument;
    verdict.message = std::string(call.called->name) + " is given " +
                      std::to_string(call.arguments.integer(call.arguments.row.uses.partitions)) + " partitions for " +
                      std::string(trace::name_of(amount.parameter)) + ".";
    found.push_back(std::move(negative));
  }
}

/// Fills in which type it is. True where it may not be used.
bool UseJudge::look_at_type(const UsingCall& call, const UseAmount& amount, Suspicion& suspicion) {
  TypesInUse& types = parts_.registry.types_in_use();
  Verdict& verdict = suspicion.verdict;
  const TypeInUse type = types.find(amount.type);
  const bool moves = amount.elements != 0 || call.arguments.row.uses.all()[amount.which]->is_of_view();
  const std::string called = call.called->name;
  const std::string argument = argument_in_words(amount);
  if (type.state == TypeInUse::State::known) {
    verdict.definition = type.number;
    verdict.predefined = types.predefined_name(type);
    if (!type.lacks_commit) return false;
    verdict.id = FindingId::uncommitted_type;
    verdict.message = called + " uses a type that was not committed, as " + argument + ".";
  } else if (type.state == TypeInUse::State::freed) {
    verdict.id = FindingId::freed_type;
    verdict.message = called + " uses a type that was freed before, as " + argument + ".";
    if (const FreedType* life = types.last_life(amount.type)) {
      verdict.definition = life->definition;
      verdict.freed_at = types.site_alone(life->at.address);
      verdict.freed_by = life->at.called;
    }
  } else if (amount.type == options_.null_type) {
    verdict.id = FindingId::null_type;
    verdict.message = called + " is given MPI_DATATYPE_NULL as " + argument + ".";
  } else if (!moves || type.state == TypeInUse::State::lost) {
    return false;  // the library may not have looked at it, or takes it
  } else {
    verdict.id = FindingId::null_type;
    verdict.certainty = Certainty::provisional;
    verdict.message =
        called + " is given as " + argument + " what is no datatype: nobody has made a type of this handle.";
  }
  if (!moves && !amount.is_negative) {
    verdict.severity = Severity::warning;
    verdict.message += nothing_moves(amount);
  }
  return true;
}

bool UseJudge::look_at_operation(const UsingCall& call, const UseAmount& amount, Suspicion& suspicion) {
  TypesInUse& types = parts_.registry.types_in_use();
  const TypeInUse type = types.find(amount.type);
  if (type.state != TypeInUse::State::known) return false;
  const OpTypes::Pair pair = pair_of(call.arguments, type);
  const std::optional<Misfit> wrong = misfit_of(call, amount, ops_.find(pair.op));
  if (!wrong) {
    ops_.remember(pair);
    return false;
  }
  // Of a one-sided operation the origin speaks for the others.
  if (amount.parameter != UseParameter::datatype && amount.parameter != UseParameter::origin_datatype) return false;
  Verdict& verdict = suspicion.verdict;
  verdict.id = FindingId::op_type;
  verdict.severity = wrong->severity;
  verdict.message = std::string(call.called->name) + " is given " + wrong->what + ".";
  if (wrong->severity == Severity::warning)
    verdict.message += " It is erroneous by MPI-4.1 6.9.2; the bytes are those of one that is right.";
  return true;
}

/// Operations of the program's own take any type, but one-sided calls take none of them; these take derived types, too,
/// where all entries are of one basic type (MPI-4.1 6.9.2, 12.3.4).
std::optional<UseJudge::Misfit> UseJudge::misfit_of(const UsingCall& call, const UseAmount& amount,
                                                    const PredefinedOp* op) const {
  const bool is_one_sided = call.arguments.row.is_one_sided();
  if (op == nullptr && is_one_sided && !ops_.empty())
    return Misfit{Severity::error, "an operation that is not predefined, which one-sided calls do not take"};
  if (op == nullptr || (op->kind == OpKind::replacement && !is_one_sided)) return std::nullopt;
  const BasicTypes basic = parts_.registry.types_in_use().basic_types_of(amount.type);
  const std::string undefined = std::string(op->name) + ", which is not defined for ";
  const bool takes_derived = amount.parameter != UseParameter::datatype;
  if (basic.are_derived && !takes_derived) return Misfit{Severity::error, undefined + "a derived type"};
  if (!basic.second.empty())
    return Misfit{Severity::error, undefined + "a type of several basic types, " + std::string(basic.first) + " and " +
                                       std::string(basic.second)};
  const std::optional<Severity> severity = misfit(op->kind, basic.first);
  if (!severity) return std::nullopt;
  return Misfit{*severity, undefined + (basic.are_derived ? "a type of " : "") + std::string(basic.first)};
}

std::string UseJudge::count_in_words(const UsingCall& call, const UseAmount& amount) const {
  const UseRow& row = call.arguments.row;
  const Use& use = *row.uses.all()[amount.which];
  const std::string of = " for " + std::string(trace::name_of(amount.parameter)) + ".";
  const std::string called = call.called->name;
  if (!row.has_count_array[amount.which]) {
    return called + " is given a count of " + std::to_string(call.arguments.integer_of(use.count, row.count_bytes)) +
           of;
  }
  const auto* const counts = reinterpret_cast<const void*>(call.arguments.words[use.count]);
  return called + " is given a count of " + std::to_string(element_in_memory(counts, amount.entry, row.count_bytes)) +
         ", entry " + std::to_string(amount.entry) + " of the counts," + of;
}

/// The displacements stand behind the counts in all calls that have them; those of neighbourhoods with types of their
/// own are addresses (MPI-4.1 8.6.3).
void UseJudge::look_at_null_buffer(const UsingCall& call, const UseAmount& amount, Suspicion& suspicion) const {
  const UseRow& row = call.arguments.row;
  const Use& use = *row.uses.all()[amount.which];
  suspicion.verdict.id = FindingId::null_buffer;
  suspicion.verdict.severity = Severity::error;
  suspicion.type = amount.type;
  suspicion.last_copy = static_cast<std::int64_t>(amount.elements - 1);
  if (row.has_count_array[amount.which] && amount.is_entry) {
    const auto* const displacements = reinterpret_cast<const void*>(call.arguments.words[use.count + 1]);
    if (displacements == nullptr) return;
    const std::uint8_t bytes = use.is_of_neighbours() ? sizeof(std::intptr_t) : row.count_bytes;
    suspicion.displacement = element_in_memory(displacements, amount.entry, bytes);
  } else if (row.has_count_array[amount.which]) {
    suspicion.first_copy = amount.first_copy;
    suspicion.last_copy = amount.last_copy;
  }
  suspicion.depends_on_bounds = true;
  suspicion.is_partitioned = use.copies == Copies::partitions;
  suspicion.verdict.message = std::string(call.called->name) + " is given a null pointer as the buffer of " +
                              std::to_string(amount.elements) + (amount.elements == 1 ? " element" : " elements") +
                              " of " + argument_in_words(amount) + ".";
}

UseJudge::Suspicion UseJudge::null_result(const UsingCall& call, const UseAmount& amount, Suspicion suspicion) {
  suspicion.verdict.id = FindingId::null_buffer;
  suspicion.verdict.severity = Severity::error;
  suspicion.type = amount.type;
  suspicion.last_copy = static_cast<std::int64_t>(amount.null_result - 1);
  suspicion.depends_on_bounds = true;
  suspicion.verdict.message =
      std::string(call.called->name) + " is given a null pointer as the buffer of its result, " +
      counted(amount.null_result, "element of", "elements of") + " " + argument_in_words(amount) + ".";
  return suspicion;
}

/// MPI_BOTTOM is a null pointer: with it a type of absolute addresses is right (MPI-4.1 5.1.12), but in partitioned
/// operations (MPI-4.1 4.2.3).
bool UseJudge::is_right_by_bounds(Suspicion& suspicion) const {
  const Touched touched = touched_bytes(suspicion);
  if (touched == Touched::lowest) return false;
  if (touched == Touched::none || !suspicion.is_partitioned) return true;
  suspicion.verdict.id = FindingId::bad_argument;
  suspicion.verdict.message =
      std::string(suspicion.verdict.called->name) +
      " is given MPI_BOTTOM and a type of absolute addresses, which partitioned operations do not take.";
  return false;
}

UseJudge::Touched UseJudge::touched_bytes(const Suspicion& suspicion) const {
  const ObservedBounds bounds = parts_.library.bounds(suspicion.type);
  if (!bounds.size || *bounds.size == 0 || !bounds.true_lb || !bounds.extent) return Touched::none;
  const Exact first = Exact(suspicion.first_copy) * Exact(*bounds.extent);
  const Exact last = Exact(suspicion.last_copy) * Exact(*bounds.extent);
  if (!first.fits() || !last.fits()) return Touched::none;
  const Exact lowest = Exact(suspicion.displacement) + Exact(*bounds.true_lb) + (last < first ? last : first);
  if (!lowest.fits()) return Touched::none;
  return lowest.value() < first_page ? Touched::lowest : Touched::at_addresses;
}

}  // namespace ddtscope::plugin
