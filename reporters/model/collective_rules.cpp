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
    {"reduce_scatter", {CollectiveRule::Amounts::reduction, false, false}},
    {"reduce_scatter_block", {CollectiveRule::Amounts::reduction, false, false}},
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

}  // namespace ddtscope::reporters
