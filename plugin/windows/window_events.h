// What a process does about windows. Each different thing is told once, and known by its number.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "decoder/base/interned.h"
#include "plugin/call/call_site_id.h"
#include "plugin/call/entry_point.h"
#include "plugin/registry/types_in_use.h"
#include "reporters/trace/format/records.h"

namespace ddtscope::plugin {

/// As in trace::WindowEventLine. A group is known by its number.
struct WindowEvent {
  WindowEventKind kind = WindowEventKind::fence;
  WindowAsserts asserts = {};
  AccumulateOrdering ordering = {};
  bool is_exclusive = false;
  int target = all_targets;  // in MPI_COMM_WORLD
  std::uint32_t group = 0;
  const EntryPoint* called = nullptr;
  CallSiteId site = {};
  // Of an access.
  DefinitionNumber definition = {};
  PredefinedId predefined = {};
  std::uint64_t elements = 0;
  trace::UseParameter parameter = trace::UseParameter::none;
  std::string_view op = {};  // of static text
  std::int64_t displacement = 0, step = 0;
  std::uint64_t times = 1;

  static constexpr int all_targets = -1;
  /// Whether they are the same but for where the accesses begin, and how many there are.
  bool is_like(const WindowEvent& other) const {
    return kind == other.kind && target == other.target && called == other.called && site == other.site &&
           elements == other.elements && definition == other.definition && predefined == other.predefined &&
           op.data() == other.op.data() && parameter == other.parameter && asserts == other.asserts &&
           ordering == other.ordering && is_exclusive == other.is_exclusive && group == other.group;
  }
  friend bool operator==(const WindowEvent& a, const WindowEvent& b) {
    return a.displacement == b.displacement && a.times == b.times && a.step == b.step && a.is_like(b);
  }
};

/// Not synchronised.
class WindowEvents {
 public:
  std::uint32_t intern(const WindowEvent& event);
  /// The number of these ranks in MPI_COMM_WORLD.
  std::uint32_t intern(const std::vector<int>& group);
  const std::vector<WindowEvent>& all() const { return all_.all(); }
  const std::vector<int>& group(std::uint32_t number) const { return *groups_[number]; }
  /// About so many.
  std::size_t bytes() const { return bytes_; }

 private:
  struct Hash {
    std::uint64_t operator()(const WindowEvent& event) const;
  };
  static constexpr std::size_t bytes_of_group = 96;  // with its node

  std::size_t bytes_ = 0;
  Interned<WindowEvent, Hash> all_;
  std::map<std::vector<int>, std::uint32_t> group_numbers_;
  std::vector<const std::vector<int>*> groups_;
};

}  // namespace ddtscope::plugin
