#include "reporters/model/collective_rules.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>

#include "reporters/model/uses.h"

namespace ddtscope::reporters {
namespace {

struct RuleRow {
  std::string_view function;
  CollectiveRule rule;
};

constexpr RuleRow rule_rows[] = {
    {"bcast", {CollectiveRule::Amounts::blocks, false, false}},
    {"gather", {CollectiveRule::Amounts::blocks, false, true}},
    {"gatherv", {CollectiveRule::Amounts::blocks, false, true}},
    {"scatter", {CollectiveRule::Amounts::blocks, true, false}},
    {"scatterv", {CollectiveRule::Amounts::blocks, true, false}},
    {"allgather", {CollectiveRule::Amounts::blocks, false, true}},
    {"allgatherv", {CollectiveRule::Amounts::blocks, false, true}},
    {"alltoall", {CollectiveRule::Amounts::blocks, true, true}},
    {"alltoallv", {CollectiveRule::Amounts::blocks, true, true}},
    {"alltoallw", {CollectiveRule::Amounts::blocks, true, true}},
    {"reduce", {CollectiveRule::Amounts::reduction, false, false}},
    {"allreduce", {CollectiveRule::Amounts::reduction, false, false}},
    {"scan", {CollectiveRule::Amounts::reduction, false, false}},
    {"exscan", {CollectiveRule::Amounts::reduction, false, false}},
    {"reduce_scatter", {CollectiveRule::Amounts::reduction, false, false, true}},
    {"reduce_scatter_block", {CollectiveRule::Amounts::reduction, false, false, true}},
    {"neighbor_allgather", {CollectiveRule::Amounts::neighbours, false, true}},
    {"neighbor_allgatherv", {CollectiveRule::Amounts::neighbours, false, true}},
    {"neighbor_alltoall", {CollectiveRule::Amounts::neighbours, true, true}},
    {"neighbor_alltoallv", {CollectiveRule::Amounts::neighbours, true, true}},
    {"neighbor_alltoallw", {CollectiveRule::Amounts::neighbours, true, true}},
};

const CollectiveRule* row_of(std::string_view function) {
  const auto found = std::find_if(std::begin(rule_rows), std::end(rule_rows),
                                  [&](const RuleRow& row) { return row.function == function; });
  return found == std::end(rule_rows) ? nullptr : &found->rule;
}

using RootIs = CollectiveRoot::Is;

/// Whether processes of the root's group say what the other group makes them: the root is number `root` of them.
bool are_as_the_root_has_it(const CallOfGroup& group, const CollectiveRoot& told, std::int64_t root) {
  if (!std::binary_search(group.processes.begin(), group.processes.end(), root)) return told.is == RootIs::nobody;
  return told.is == RootIs::itself && group.processes.size() == 1;
}

bool do_roots_agree(const CallOfGroup& one, const CollectiveRoot& root, const CallOfGroup& other,
                    const CollectiveRoot& other_root) {
  const bool is_named = root.is == RootIs::process;
  const bool is_other_named = other_root.is == RootIs::process;
  if (one.group == other.group) return is_named || is_other_named ? root == other_root : true;
  if (is_named && is_other_named) return false;
  if (is_named) return are_as_the_root_has_it(other, other_root, root.rank);
  if (is_other_named) return are_as_the_root_has_it(one, root, other_root.rank);
  return root.is != RootIs::itself && other_root.is != RootIs::itself;
}

}  // namespace

CollectiveRule collective_rule(const std::string& function) {
  std::string_view name = function;
  if (name.ends_with("_init")) name.remove_suffix(5);
  if (const CollectiveRule* rule = row_of(name)) return *rule;
  // Nonblocking forms are named so; intercomm_merge and others that begin so are in no row.
  const CollectiveRule* rule = name.starts_with('i') ? row_of(name.substr(1)) : nullptr;
  return rule != nullptr ? *rule : CollectiveRule{};
}

CollectiveCalls::CollectiveCalls(const Job& job) : job_(job) {
  std::map<std::string, std::uint32_t> known;
  for (const CollectiveOperation& one : job.messages.collective_operations) {
    std::string function = bare_function_of(one.called);
    const auto [found, is_new] = known.try_emplace(std::move(function), static_cast<std::uint32_t>(rules_.size()));
    if (is_new) rules_.push_back(collective_rule(found->first));
    functions_.push_back(found->second);
  }
}

CollectiveCalls::Disagree CollectiveCalls::compare(CollectiveIndex one, CollectiveIndex other) const {
  if (!are_of_one_function(one, other)) return Disagree::call;
  const CollectiveOperation& a = job_.messages.collective_operations[one.value];
  const CollectiveOperation& b = job_.messages.collective_operations[other.value];
  if (a.root != b.root) return Disagree::root;
  return a.op != b.op ? Disagree::op : Disagree::no;
}

CollectiveCalls::Disagree CollectiveCalls::compare_in_groups(const CallOfGroup& one, const CallOfGroup& other) const {
  if (!are_of_one_function(one.call, other.call)) return Disagree::call;
  const CollectiveOperation& a = job_.messages.collective_operations[one.call.value];
  const CollectiveOperation& b = job_.messages.collective_operations[other.call.value];
  const bool have_roots = a.root.is != RootIs::none && b.root.is != RootIs::none;
  if (have_roots ? !do_roots_agree(one, a.root, other, b.root) : a.root != b.root) return Disagree::root;
  // Of who has no part in a reduction the operation is not significant. Where there is no root each group has a
  // reduction of its own (MPI-4.1 6.2.3).
  const bool has_no_part = a.root.is == RootIs::nobody || b.root.is == RootIs::nobody;
  const bool is_one_reduction = have_roots || one.group == other.group;
  return a.op != b.op && is_one_reduction && !has_no_part ? Disagree::op : Disagree::no;
}

}  // namespace ddtscope::reporters
