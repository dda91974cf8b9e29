#include "plugin/messages/named_communicators.h"

#include <string>
#include <vector>

#include "decoder/base/grouped.h"

namespace ddtscope::plugin {
GroupRuns runs_of(const std::vector<int>& ranks) {
  GroupRuns runs;
  for (std::size_t i = 0; i < ranks.size();) {
    RankRun run{ranks[i], ranks[i]};
    if (i + 1 < ranks.size()) run.step = std::int64_t{ranks[i + 1]} - ranks[i];
    while (++i < ranks.size() && ranks[i] == run.last + run.step) run.last += run.step;
    runs.push_back(run);
  }
  return runs;
}

void NamedCommunicators::begin(const CommunicatorNames::World& world) {
  parts_.registry.beside([&] { names_.begin(world); });
}

CommunicatorNames::Call NamedCommunicators::begin_call(HandleBits parent) {
  CommunicatorNames::Call call;
  parts_.registry.beside([&] { call = names_.begin_call(parent); });
  return call;
}

void NamedCommunicators::call_failed(HandleBits parent) {
  parts_.registry.beside([&] { names_.call_failed(parent); });
}

CommunicatorName NamedCommunicators::name_of_parent(HandleBits parent) const {
  CommunicatorName name;
  parts_.registry.beside([&] { name = names_.name_of(parent); });
  return name;
}

void NamedCommunicators::made_by_parent(const Made& made, const CommunicatorNames::Call& call, HandleBits asked) {
  if (!call.parent) return made_without_name(made);
  const CommunicatorGroups groups = parts_.library.groups_of(asked);  // without the lock
  parts_.registry.beside([&] { add(made, CommunicatorNames::name_by_parent(call, groups), groups); });
}

void NamedCommunicators::made_by_members(const Made& made, const CommunicatorNames::MadeByMembers& call) {
  const CommunicatorGroups groups = parts_.library.groups_of(made.communicator);
  parts_.registry.beside([&] { add(made, names_.count_by_members(call, groups), groups); });
}

void NamedCommunicators::made_without_name(const Made& made) {
  parts_.registry.beside([&] { add(made, {}, {}); });
}

void NamedCommunicators::freed(HandleBits communicator) {
  parts_.registry.beside([&] {
    names_.forget(communicator);
    line_by_handle_.erase(communicator);
  });
}

void NamedCommunicators::add(const Made& made, CommunicatorName name, const CommunicatorGroups& groups) {
  names_.learn(made.communicator, name);
  line_by_handle_.erase(made.communicator);
  if (lines_ < options_.most_lines) {
    write_line(made, name, groups);
  } else {
    ++without_line_;
  }
}

void NamedCommunicators::write_line(const Made& made, CommunicatorName name, const CommunicatorGroups& groups) {
  const CallSiteId site = parts_.registry.types_in_use().site_of(*made.stack);
  std::vector<GroupRuns> runs;
  if (name) {
    std::size_t number = 0;
    for (const std::vector<int>& group : in_one_order(groups)) {
      runs.push_back(runs_of(group));
      number += runs.back().size();
    }
    if (number > options_.most_runs || !groups.are_whole) runs.clear();
  } else if (!without_name_.emplace(made.called, site).second) {
    return;
  }
  if (name) line_by_handle_[made.communicator] = {lines_};
  parts_.writer.communicator({.number = {lines_++},
                              .name = name ? std::optional<Key>(name.value) : std::nullopt,
                              .called = made.called->name,
                              .binding = made.called->binding,
                              .site = site,
                              .groups = runs});
}

void NamedCommunicators::write(trace::Writer& writer) const {
  if (without_line_ == 0) return;
  writer.note(counted(without_line_, "communicator is", "communicators are") + " not told: a process tells " +
              grouped(options_.most_lines) + ".");
}

}  // namespace ddtscope::plugin
