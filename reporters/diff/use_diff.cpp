#include "reporters/diff/use_diff.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "reporters/diff/places.h"
#include "reporters/model/uses.h"

namespace ddtscope::reporters {
namespace {

/// What is one use in both jobs: the place's name, the function, the argument, and the type as `type_name` has it.
using UseKey = std::tuple<std::string, std::string_view, trace::UseParameter, std::string>;
using Uses = std::map<UseKey, UsedThere>;

template <class TypeName>
Uses uses_by_place(const ReportContext& context, const TypeName& type_name) {
  Uses uses;
  PlaceNames places(context);
  for (const TypeUse& use : context.job.uses) {
    UsedThere& there = uses[{places.of(use.site), function_of(use.called), use.parameter, type_name(use.type)}];
    if (there.calls == 0 && there.elements == 0) {
      there = {use.type, use.called, use.parameter, use.site, 0, 0, Exact(0)};
    }
    there.calls += use.counts.calls;
    there.elements += use.counts.elements;
    there.bytes = there.bytes + bytes_of(context.job, use);
  }
  return uses;
}

bool is_same(const UsedThere& before, const UsedThere& after) {
  return before.calls == after.calls && before.elements == after.elements && is_same_amount(before.bytes, after.bytes);
}

bool has_more_bytes(const UseChange& a, const UseChange& b) {
  const auto bytes = [](const UseChange& change) {
    const Exact value = (change.after ? *change.after : *change.before).bytes;
    return value.fits() ? value.value() : Int128{1} << 126;
  };
  return std::tuple(a.after.has_value(), bytes(a)) > std::tuple(b.after.has_value(), bytes(b));
}

}  // namespace

std::string_view function_of(std::string_view called) {
  if (called.starts_with("PMPI_")) called.remove_prefix(1);
  return called;
}

std::string old_name_of(const Job& new_job, DefinitionId type, const OldType& old_of) {
  const TypeNumber now = new_job.number_of(type);
  if (!now.valid()) return std::string(new_job.name_of(type));
  const TypeNumber old = old_of(now);
  return old.valid() ? text_of(old) : "new " + text_of(now);
}

std::vector<UseChange> changed_uses(const DiffInput& input, const OldType& old_of) {
  const Job& old_job = input.before.job;
  const Job& new_job = input.after.job;
  Uses before = uses_by_place(input.before, [&](DefinitionId type) { return old_job.name_of(type); });
  const Uses after = uses_by_place(input.after, [&](DefinitionId type) { return old_name_of(new_job, type, old_of); });
  std::vector<UseChange> changes;
  for (const auto& [key, now] : after) {
    const auto old = before.find(key);
    if (old == before.end()) {
      changes.push_back({std::nullopt, now});
      continue;
    }
    if (!is_same(old->second, now)) changes.push_back({old->second, now});
    before.erase(old);
  }
  for (const auto& [key, gone] : before) changes.push_back({gone, std::nullopt});
  std::stable_sort(changes.begin(), changes.end(), has_more_bytes);
  return changes;
}

}  // namespace ddtscope::reporters
