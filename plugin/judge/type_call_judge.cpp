#include "plugin/judge/type_call_judge.h"

#include <algorithm>
#include <utility>

#include "decoder/definition/arguments.h"
#include "decoder/definition/combiner.h"
#include "plugin/registry/recorded_calls.h"

namespace ddtscope::plugin {
namespace {

bool is_null_array(const IntegerArray& array) { return array.data == nullptr && array.length != 0; }

/// The parameter that a sentence such as "array_of_blocklengths[3] (-1) is negative" begins with.
std::string parameter_of(const std::string& sentence) { return sentence.substr(0, sentence.find_first_of("[ ")); }

/// By the standard's C name; the second one of MPI_Type_get_value_index has its own.
std::string parameter_of_oldtype(const ConstructorCall& call, std::size_t i) {
  if (call.combiner == Combiner::value_index) return i == 0 ? "value_type" : "index_type";
  if (call.combiner == Combiner::structure) return "array_of_types";
  return "oldtype";
}

}  // namespace

void TypeCallJudge::judge(const ConstructorArguments& arguments, const Caller& caller) {
  const std::string called = caller.called->name;
  std::vector<Wrong> found = wrong_arguments(arguments);
  for (Wrong& wrong : found) wrong.message = called + ": " + wrong.message + ".";
  const bool has_lengths = arguments.call.combiner == Combiner::structure && !is_null_array(arguments.call.arrays[0]);
  for (std::size_t i = 0; !is_null_array(arguments.oldtypes) && i < arguments.oldtypes.length; ++i) {
    // Where nothing is taken of it, libraries let it pass.
    if (has_lengths && arguments.call.arrays[0][i] == 0) continue;
    const bool is_entry = arguments.call.combiner == Combiner::structure;
    const std::string parameter = parameter_of_oldtype(arguments.call, i);
    const std::string place = is_entry ? parameter + "[" + std::to_string(i) + "]" : parameter;
    add_wrong_type({{}, parameter, place, handle_at(arguments.oldtypes, i)}, called, found);
  }
  write(found, caller);
}

/// Of what is no array nothing else can be said.
std::vector<TypeCallJudge::Wrong> TypeCallJudge::wrong_arguments(const ConstructorArguments& arguments) const {
  std::vector<Wrong> found;
  std::size_t array = 0;
  for (const Parameter& parameter : row_of(arguments.call.combiner).parameters) {
    if (parameter.shape == ParameterShape::scalar) continue;
    if (is_null_array(arguments.call.arrays[array++])) {
      found.push_back(
          {FindingId::bad_argument, std::string(parameter.name), std::string(parameter.name) + " is a null pointer"});
    }
  }
  if (is_null_array(arguments.oldtypes))
    found.push_back({FindingId::bad_argument, "array_of_types", "array_of_types is a null pointer"});
  if (!found.empty()) return found;
  ConstructorCall call = arguments.call;
  call.datatypes = {};
  if (const auto problem = erroneous_argument(parts_.registry.store(), call)) {
    const std::string parameter = parameter_of(problem->text);
    found.push_back(
        {parameter == "count" ? FindingId::negative_count : FindingId::bad_argument, parameter, problem->text});
  }
  return found;
}

bool TypeCallJudge::has_wrong_types(const ConstructorArguments& arguments) const {
  for (std::size_t i = 0; !is_null_array(arguments.oldtypes) && i < arguments.oldtypes.length; ++i) {
    if (is_no_type(handle_at(arguments.oldtypes, i))) return true;
  }
  return false;
}

/// `place` says where the handle stands, its message in words.
void TypeCallJudge::add_wrong_type(const Wrong& place, std::string_view called, std::vector<Wrong>& found) const {
  Wrong wrong = place;
  const std::string as = " as " + place.message + ".";
  if (place.type == parts_.null_type) {
    wrong.id = FindingId::null_type;
    wrong.message = std::string(called) + " is given MPI_DATATYPE_NULL" + as;
  } else if (is_no_type(place.type)) {
    wrong.id = FindingId::freed_type;
    wrong.message = std::string(called) + " uses a type that was freed before," + as;
  } else {
    return;
  }
  const bool is_told = std::any_of(found.begin(), found.end(), [&](const Wrong& other) {
    return other.id == wrong.id && other.type == wrong.type && other.argument == wrong.argument;
  });
  if (!is_told) found.push_back(std::move(wrong));
}

void TypeCallJudge::judge_commit(HandleBits type, const Caller& caller) {
  std::vector<Wrong> found;
  add_wrong_type({{}, "datatype", "datatype", type}, caller.called->name, found);
  write(found, caller);
}

void TypeCallJudge::judge_free(HandleBits type, const Caller& caller) {
  std::vector<Wrong> found;
  add_wrong_type({{}, "datatype", "datatype", type}, caller.called->name, found);
  std::string predefined;
  parts_.registry.beside_all_handles([&] {
    TypesInUse& types = parts_.registry.types_in_use();
    predefined = types.predefined_name(types.find(type));
  });
  if (!predefined.empty()) {
    found.push_back(
        {FindingId::bad_argument, "datatype",
         std::string(caller.called->name) + " is given " + predefined + ", which is predefined and must not be freed.",
         type});
  }
  write(found, caller);
}

void TypeCallJudge::write(const std::vector<Wrong>& found, const Caller& caller) {
  std::vector<ToldError> told;
  parts_.registry.beside_all_handles([&] {
    TypesInUse& types = parts_.registry.types_in_use();
    for (const Wrong& wrong : found) {
      Verdict verdict;
      verdict.id = wrong.id;
      verdict.called = caller.called;
      verdict.argument = wrong.argument;
      verdict.site = types.site_of(*caller.stack);
      verdict.message = wrong.message;
      if (wrong.type != 0) {
        verdict.predefined = types.predefined_name(types.find(wrong.type));
        const FreedType* const life = wrong.id == FindingId::freed_type ? types.last_life(wrong.type) : nullptr;
        if (life != nullptr) {
          verdict.definition = life->definition;
          verdict.freed_at = types.site_alone(life->at.address);
          verdict.freed_by = life->at.called;
        }
      }
      if (!parts_.verdicts.record(verdict)) continue;
      told.push_back({verdict.message, verdict.id, caller.stack->caller});
    }
  });
  for (const ToldError& error : told) parts_.tell(error);
}

}  // namespace ddtscope::plugin
