#include "reporters/measure/subject.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "decoder/coverage/overlap.h"
#include "decoder/definition/sub_store.h"
#include "decoder/normal_form/simplify.h"
#include "decoder/notation/constructor_code.h"
#include "reporters/code/code.h"
#include "reporters/measure/block_rows.h"
#include "reporters/model/job_of_text.h"
#include "reporters/model/uses.h"
#include "reporters/report/ordered_types.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t most_measured_types = 5;
constexpr std::int64_t usual_bytes = std::int64_t{1} << 20;
/// What a compiler is given of arguments, parts included.
constexpr std::size_t most_arguments = std::size_t{1} << 20;
constexpr std::size_t shown_array = 6;
constexpr int shown_depth = 3;

/// The type with what it is made of, apart from all others.
struct Part {
  explicit Part(const Job& job, TypeNumber type)
      : store(job.store, job.observed_bounds), layouts(store.store(), store) {
    const DefinitionId ids[] = {job.type(type).definition};
    store.add(ids);
    id = store.to_local(ids[0]).in_store;
  }
  SubStore store;
  Layouts layouts;
  DefinitionId id;
};

/// With its oldtypes in it, as deep as a line can show.
std::string nested_call(const DefinitionStore& store, DefinitionId id, int depth = shown_depth) {
  const NameOldtype name = [&](DefinitionId oldtype) {
    return depth == 0 ? std::string("...") : nested_call(store, oldtype, depth - 1);
  };
  return constructor_call_text(store, id, name, shown_array);
}

std::size_t arguments_of(const DefinitionStore& store) {
  std::size_t sum = 0;
  for (std::uint32_t i = 0; i < store.size(); ++i) {
    const ConstructorCall& call = store[DefinitionId{i}].call;
    for (const IntegerArray& array : call.arrays) sum += array.length;
    sum += call.datatypes.size();
  }
  return sum;
}

struct FormSource {
  FormKind kind;
  const DefinitionStore& store;
  DefinitionId id;
};

/// Empty where the form was added; else why it cannot be.
std::string add_form(MeasureSubject& subject, const FormSource& source) {
  const std::string function = "make_" + std::to_string(subject.forms.size());
  auto made = c_function_of(source.store, source.id, function);
  if (auto* problem = std::get_if<NoCode>(&made)) return std::move(problem->sentence);
  const Combiner combiner = source.store[source.id].call.combiner;
  const bool is_made = combiner != Combiner::named && !is_unnamed_predefined(combiner);
  subject.forms.push_back(
      {source.kind, nested_call(source.store, source.id), std::move(std::get<std::string>(made)), is_made});
  return {};
}

/// What is told beside the type itself: each other way to make it.
void add_other_forms(MeasureSubject& subject, Part& part) {
  const Key own = part.store.store()[part.id].key;
  Simplifier simplifier(part.store.store(), part.layouts);
  const DefinitionId normal = simplifier.normal_form(part.id);
  const Key of_normal = simplifier.normal_forms()[normal].key;
  if (of_normal != own) add_form(subject, {FormKind::simpler, simplifier.normal_forms(), normal});
  const auto call =
      blockwise_call(part.layouts, part.layouts.root(part.id), subject.rows, {subject.lb, subject.extent});
  if (!call) return;
  const auto made = job_of_text(*call, BoundsRule::standard);
  const auto* text = std::get_if<JobOfText>(&made);
  if (text == nullptr) return;
  const JobType& type = text->job->type(text->type);
  if (type.key != own && type.key != of_normal) {
    add_form(subject, {FormKind::blockwise, text->job->store, type.definition});
  }
}

Exact span_of(const MeasureSubject& subject, std::int64_t copies) {
  return Exact(subject.true_extent) + abs(Exact(subject.extent)) * Exact(copies - 1);
}

bool fits(const MeasureSubject& subject, std::int64_t copies) {
  const Exact most(most_measured_bytes);
  return span_of(subject, copies) <= most && Exact(subject.size) * Exact(copies) <= most;
}

/// A text says why so many copies cannot be measured.
std::string set_copies(MeasureSubject& subject, std::optional<std::int64_t> wanted) {
  subject.copies = wanted.value_or(std::max<std::int64_t>(1, (usual_bytes - 1) / subject.size + 1));
  while (!wanted && subject.copies > 1 && !fits(subject, subject.copies)) subject.copies /= 2;
  if (!fits(subject, subject.copies)) {
    const std::string copies = subject.copies > 1 ? std::to_string(subject.copies) + " copies" : "one copy";
    return copies + " would take " + std::max(span_of(subject, subject.copies), Exact(subject.size)).to_string() +
           " bytes of memory, and at most 256 MiB are taken.";
  }
  const std::int64_t others = (subject.copies - 1) * subject.extent;
  const auto first = (Exact(subject.true_lb) + Exact(std::min<std::int64_t>(0, others))).to_int64();
  if (!first) return "its copies begin where no 64 bits reach.";
  subject.first = *first;
  subject.span = subject.true_extent + std::abs(others);
  return {};
}

/// Rows of all copies: as one row where they go on evenly, as memory that is no longer in pieces where they adjoin.
void set_turns(MeasureSubject& subject) {
  subject.turns = subject.copies;
  subject.stride = subject.extent;
  if (subject.rows.size() != 1) return;
  BlockRow& row = subject.rows.front();
  if (row.count == 1) {
    row.stride = subject.extent;
  } else if (row.stride * row.count != subject.extent) {
    return;
  }
  row.count *= subject.copies;
  subject.turns = 1;
  if (row.stride == row.length) row = {row.displacement, row.length * row.count, 1, 0};
}

/// A text says what of the type does not fit.
std::string set_bounds(MeasureSubject& subject, const Part& part) {
  const LayoutFacts& facts = part.layouts.facts(part.id);
  if (facts.empty() || facts.size == Exact(0)) return "it has no data.";
  const std::pair<std::int64_t&, Exact> bounds[] = {{subject.size, facts.size},
                                                    {subject.lb, part.layouts.lb(part.id)},
                                                    {subject.extent, part.layouts.extent(part.id)},
                                                    {subject.true_lb, facts.true_lb},
                                                    {subject.true_extent, facts.true_extent()},
                                                    {subject.blocks, facts.blocks}};
  for (const auto& [value, exact] : bounds) {
    const auto narrow = exact.to_int64();
    if (!narrow) return "its size or bounds do not fit 64 bits.";
    value = *narrow;
  }
  return {};
}

}  // namespace

std::variant<MeasureSubject, std::string> subject_of(const Job& job, TypeNumber type,
                                                     std::optional<std::int64_t> copies) {
  Part part(job, type);
  MeasureSubject subject;
  subject.type = type;
  if (std::string why = set_bounds(subject, part); !why.empty()) return why;
  if (std::string why = set_copies(subject, copies); !why.empty()) return why;
  if (arguments_of(part.store.store()) > most_arguments) {
    return "its calls have more arguments than a compiler is given, which are " + std::to_string(most_arguments) + ".";
  }
  const LayoutId root = part.layouts.root(part.id);
  auto rows = block_rows(part.layouts, root);
  auto values = value_rows(part.layouts, root);
  if (!rows) {
    return "its blocks are at more than " + std::to_string(most_rows) + " uneven places, which are not compared.";
  }
  if (!values) {
    return "it has numbers with padding among more than " + std::to_string(most_rows) +
           " changes from one basic type to another, which are not compared.";
  }
  subject.rows = *std::move(rows);
  subject.values = *std::move(values);
  if (std::string why = add_form(subject, {FormKind::itself, part.store.store(), part.id}); !why.empty()) return why;
  add_other_forms(subject, part);
  subject.may_receive =
      overlap_of_count(part.layouts, root, {Exact(subject.copies), Exact(subject.extent)}) != Overlap::yes;
  set_turns(subject);
  return subject;
}

std::vector<TypeNumber> types_worth_measuring(const Job& job) {
  std::vector<TypeNumber> types;
  for (const MovedType& moved : moved_types(job)) {
    if (types.size() < most_measured_types) types.push_back(job.number_of(moved.type));
  }
  if (types.empty()) types = ordered_types(job, TypesOrder::instances);
  types.resize(std::min(types.size(), most_measured_types));
  return types;
}

}  // namespace ddtscope::reporters
