// What a process's debug view says (reporters/trace/format/debug_view.h), copied out and checked. Memory may be
// damaged, cut, or somebody's forgery: what does not fit is left out and said.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "decoder/definition/definition.h"
#include "reporters/debug_view/memory.h"
#include "reporters/trace/format/counter_file.h"
#include "reporters/trace/format/debug_view.h"
#include "reporters/trace/format/debug_windows.h"
#include "reporters/trace/read/pending_records.h"
#include "reporters/trace/read/reader.h"

namespace ddtscope::reporters {

/// A definition's number in the process: what handles, counters and oldtypes say.
using ViewNumber = std::uint32_t;

struct ViewDefinition {
  trace::DebugDefinition fixed;
  Combiner combiner = Combiner::named;
  IntegerArray datatypes;              // ViewNumbers, in the contents' memory
  std::array<IntegerArray, 4> arrays;  // the same
};

struct ViewEntry {
  std::string name, binding;
};

/// A counter and its counts, where those were there.
struct ViewCounter {
  trace::DebugCounter fixed;
  std::optional<trace::CounterRecord> counts;
};

/// Whether the process stands still, or its memory was kept and the counters in their file may be of later.
enum class Instant : std::uint8_t { now, past };

/// Why counters have no counts, where some have none.
enum class WithoutCounts : std::uint8_t { not_there, do_not_fit, of_another_job, of_parent };

struct ViewContents {
  trace::DebugView view;
  std::uint64_t address = 0;
  std::vector<trace::DebugArena> arenas;         // their headers
  std::vector<std::string> lines;                // of the trace, as they came
  bool lines_left_out = false;                   // the process had no room for all
  std::map<ViewNumber, std::string> predefined;  // names
  std::map<std::uint32_t, ViewEntry> entries;    // by number
  std::map<ViewNumber, ViewDefinition> definitions;
  std::vector<trace::DebugHandle> handles;   // slots that are taken
  std::vector<std::uint64_t> handle_places;  // where each of them stands
  std::vector<ViewCounter> counters;         // by index
  WithoutCounts without_counts = WithoutCounts::not_there;
  std::vector<trace::DebugOlderLife> older_lives;  // by index
  std::vector<trace::DebugEvicted> evicted;
  std::vector<trace::DebugFortran> fortran;
  std::vector<trace::DebugFree> frees;
  std::vector<trace::DebugWindow> windows;  // that are alive; what has come back is applied
  bool may_lack_windows = false;            // the process has no room for more, or they are damaged
  bool are_windows_known = false;           // else none was made, or they are not recorded
  std::optional<PendingFile> pending;       // what the process was in the middle of
  std::string pending_problem;              // why nothing is known of that, as a sentence; else empty
  bool may_pending_be_later = false;        // than a core: what stands in the file now, which cores mostly lack
  std::vector<std::string> damages;         // a sentence each, the first ones
  std::uint64_t damage_count = 0;
  std::deque<std::vector<std::uint64_t>> memory;  // what the definitions' arrays are in, aligned to 8 bytes

  bool is_damaged() const { return damage_count != 0; }
};

/// A life that was not freed.
struct LiveType {
  ViewNumber definition = 0;
  std::uint64_t handle = 0;    // 0 for one below a younger life of the same handle
  bool is_predefined = false;  // named, or an F90 type
};

/// Calls `visit(LiveType)` for each that the handles tell of; of slots that were being changed nothing is known.
template <class Visit>
void each_live(const ViewContents& contents, const Visit& visit) {
  for (const trace::DebugHandle& slot : contents.handles) {
    if (slot.state != trace::DebugHandleState::live || slot.sequence % 2 != 0) continue;
    visit(LiveType{slot.definition, slot.handle, (slot.flags & trace::debug_handle_predefined) != 0});
  }
  for (const trace::DebugOlderLife& life : contents.older_lives) {
    if (life.handle == 0 || life.counter >= contents.counters.size()) continue;
    visit(LiveType{contents.counters[life.counter].fixed.definition, 0, false});
  }
}

/// "NAME: sentence".
TraceProblem unreadable(const std::string& name, const std::string& sentence);

/// All that the view at `address` leads to. A problem where there is no view, or none that this version can read.
/// Takes time and memory in proportion to the memory that is there. May throw std::bad_alloc.
std::variant<ViewContents, TraceProblem> read_debug_view(const ReadMemory& read, std::uint64_t address,
                                                         const std::string& name, Instant instant = Instant::now);

}  // namespace ddtscope::reporters
