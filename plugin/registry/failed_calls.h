// Calls of which there is no record: those that returned an error, and those whose type, or uses of types, could not be
// recorded.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugin/registry/counter_pages.h"
#include "plugin/registry/place.h"
#include "reporters/trace/write/writer.h"

namespace ddtscope::plugin {

/// Calls that returned an error, counted by name, error class and call site, in records that outlive the process. Not
/// synchronised.
class FailedCalls {
 public:
  /// Beyond `most`, further call sites are not told apart.
  FailedCalls(CounterPages& pages, std::size_t most) : pages_(pages), most_(most) {}

  bool has_room_for(const Place& place, trace::ErrorClass error_class) const {
    return failed_.size() < most_ || failed_.contains({place.called->name, error_class, place.site});
  }
  void count(const Place& place, trace::ErrorClass error_class);
  /// One line for each name and error class.
  void write(trace::Writer& writer) const;

 private:
  struct FailedCall {
    std::string_view called;
    trace::ErrorClass error_class;
    CallSiteId site;
    friend auto operator<=>(const FailedCall&, const FailedCall&) = default;
  };
  CounterPages& pages_;
  const std::size_t most_;
  std::map<FailedCall, trace::CounterRecord*> failed_;
};

/// Calls whose type, or whose uses of types, could not be recorded, by name and reason. Not synchronised.
class UnrecordedCalls {
 public:
  void count(const EntryPoint& called, std::string why, std::uint64_t number = 1) {
    counts_[{called.name, std::move(why)}] += number;
  }
  /// For the trace's last line.
  void add_to(std::vector<UnrecordedRecord>& items) const {
    for (const auto& [what, count] : counts_) items.push_back({what.first, count, what.second, {}, {}});
  }

 private:
  std::map<std::pair<std::string, std::string>, std::uint64_t> counts_;
};

/// Writes what was counted beside the registry, and says what was not.
using WriteAtEnd = std::function<void(trace::Writer&, UnrecordedCalls&)>;

}  // namespace ddtscope::plugin
