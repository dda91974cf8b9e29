// Where the program stopped the counting of uses, and started it again: each place is a line of the trace at once, and
// counted where it comes again.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "plugin/call/call_site_id.h"
#include "plugin/call/entry_point.h"
#include "reporters/trace/write/writer.h"

namespace ddtscope::plugin {

enum class Recording : std::uint8_t { off, on };

/// Not synchronised: under the registry's lock. `most` places are told apart; at further ones the first line stands for
/// all that are like it.
class RecordingSwitches {
 public:
  explicit RecordingSwitches(trace::Writer& writer, std::size_t most = 4096) : writer_(writer), most_(most) {}

  void record(Recording recording, int level, const EntryPoint& called, CallSiteId site);
  /// What came more than once. When nothing else comes.
  void write_counts();

 private:
  using Key = std::tuple<Recording, int, const EntryPoint*, CallSiteId>;
  struct Kept {
    SwitchNumber number;
    std::uint64_t count = 0;
  };

  trace::Writer& writer_;
  const std::size_t most_;
  std::map<Key, Kept> kept_;
};

}  // namespace ddtscope::plugin
