#include "plugin/uses/recording_switches.h"

#include <string>

#include "plugin/base/process.h"

namespace ddtscope::plugin {

void RecordingSwitches::record(Recording recording, int level, const EntryPoint& called, CallSiteId site) {
  Key key(recording, level, &called, site);
  if (kept_.size() >= most_ && !kept_.contains(key)) {
    key = Key(recording, 0, nullptr, CallSiteId{});  // in a line of its own, without a place
    site = {};
  }
  Kept& kept = kept_[key];
  if (kept.count++ != 0) return;
  kept.number = {static_cast<std::uint32_t>(kept_.size() - 1)};
  const std::string time = timestamp();
  writer_.recording_switch({.number = kept.number,
                            .of = "uses",
                            .state = recording == Recording::off ? "off" : "on",
                            .level = level,
                            .called = called.name,
                            .binding = called.binding,
                            .site = site,
                            .time = time});
}

void RecordingSwitches::write_counts() {
  for (const auto& [key, kept] : kept_) {
    if (kept.count != 1) writer_.switch_count(kept.number, kept.count);
  }
}

}  // namespace ddtscope::plugin
