#include "reporters/diff/alike_types.h"

#include <algorithm>
#include <unordered_map>

namespace ddtscope::reporters {
namespace {

bool have_same_library(const HeaderRecord& a, const HeaderRecord& b) {
  return a.library_name == b.library_name && a.abi() == b.abi() && a.library_version == b.library_version;
}

/// Whether predefined types that two equal calls name are the same on both machines.
bool are_predefined_equal(const Job& before, DefinitionId old, const Job& after, DefinitionId now) {
  const auto& olds = before.store[old].call.datatypes;
  const auto& nows = after.store[now].call.datatypes;
  if (olds.size() != nows.size()) return false;
  for (std::size_t i = 0; i < olds.size(); ++i) {
    const bool is_derived = before.number_of(olds[i]).valid();
    if (is_derived != after.number_of(nows[i]).valid()) return false;
    if (is_derived) continue;
    const PredefinedType& a = before.store.predefined()[before.store[olds[i]].predefined];
    const PredefinedType& b = after.store.predefined()[after.store[nows[i]].predefined];
    if (a.name != b.name || a.size != b.size || a.extent != b.extent || a.alignment != b.alignment) return false;
  }
  return true;
}

/// Oldtypes stand before what is made of them: what is no counterpart makes all that is made of it none, too.
std::vector<bool> with_equal_parts(const Job& job, std::vector<bool> equal) {
  for (const JobType& type : job.types) {
    for (const DefinitionId oldtype : job.store[type.definition].call.datatypes) {
      const TypeNumber number = job.number_of(oldtype);
      if (number.valid() && !equal[number.value]) equal[type.number.value] = false;
    }
  }
  return equal;
}

/// What is part of a type that is no counterpart may be asked about because of that.
std::vector<bool> with_equal_holders(const Job& job, std::vector<bool> equal) {
  for (std::size_t i = job.types.size(); i-- > 0;) {
    const JobType& type = job.types[i];
    if (equal[type.number.value]) continue;
    for (const DefinitionId oldtype : job.store[type.definition].call.datatypes) {
      if (const TypeNumber number = job.number_of(oldtype); number.valid()) equal[number.value] = false;
    }
  }
  return equal;
}

}  // namespace

AlikeTypes alike_types(const DiffInput& input) {
  const Job& before = input.before.job;
  const Job& after = input.after.job;
  AlikeTypes alike{std::vector<bool>(before.types.size() + 1), std::vector<bool>(after.types.size() + 1)};
  if (!have_same_library(before.header(), after.header())) return alike;
  std::unordered_map<Key, TypeNumber> by_key;
  for (const JobType& type : before.types) by_key.try_emplace(type.key, type.number);
  std::vector<TypeNumber> old_of(after.types.size() + 1);
  for (const JobType& type : after.types) {
    const auto found = by_key.find(type.key);
    if (found == by_key.end()) continue;
    const JobType& old = before.type(found->second);
    if (before.observed_bounds.observed(old.definition) != after.observed_bounds.observed(type.definition)) continue;
    if (!are_predefined_equal(before, old.definition, after, type.definition)) continue;
    old_of[type.number.value] = old.number;
    alike.before[old.number.value] = alike.after[type.number.value] = true;
  }
  alike.before = with_equal_holders(before, with_equal_parts(before, std::move(alike.before)));
  alike.after = with_equal_holders(after, with_equal_parts(after, std::move(alike.after)));
  // Both sides must agree.
  std::vector<bool> of_both(before.types.size() + 1);
  for (const JobType& type : after.types) {
    const TypeNumber old = old_of[type.number.value];
    const bool are_alike = old.valid() && alike.after[type.number.value] && alike.before[old.value];
    alike.after[type.number.value] = are_alike;
    if (are_alike) of_both[old.value] = true;
  }
  alike.before = std::move(of_both);
  return alike;
}

}  // namespace ddtscope::reporters
