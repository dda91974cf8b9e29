// Where the buffers of calls lie, in the trace once for each call site, argument, type, count and position: static
// memory, a frame of the stack, or what leads to memory that was allocated (the trace's FORMAT.md).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "plugin/call/call_site.h"
#include "plugin/pending/pending_calls.h"
#include "plugin/sources/call_frames.h"
#include "plugin/sources/heap_search.h"
#include "plugin/uses/seen_counts.h"
#include "reporters/trace/write/writer.h"

namespace ddtscope::plugin {

/// Called by the wrappers, without the registry's lock, which it takes.
class BufferSources {
 public:
  struct Options {
    UseConstants constants;
    std::size_t most_bytes = std::size_t{1} << 21;
    std::uint32_t most_of_one_argument = 16;  // types, counts and positions, at one call site
  };
  /// All must outlive it.
  struct Parts {
    Registry& registry;
    CallSites& sites;
    PendingCalls& pending;
    SeenCounts& seen;
    trace::Writer& writer;
  };
  BufferSources(const Options& options, const Parts& parts);

  /// What of it does not work in this process; empty if nothing.
  std::string problem() const;

  /// A call is about to begin, or has come back where too little was known of it before.
  [[gnu::always_inline]] inline void look_at(const UsingCall& call, const PlainUse& plain, const ReturnPlace& place) {
    if (!is_known(call, plain)) [[unlikely]]
      record(UsingCall(call), PlainUse(plain), ReturnPlace(place));
  }

  /// Says what was left out. Under the registry's lock, when nothing else comes.
  void write(trace::Writer& writer) const;

 private:
  /// One buffer that was not seen before.
  struct Wanted {
    Buffer buffer;
    std::optional<std::uint64_t> position;
    std::optional<ArrayDescriptor> descriptor;
    std::uint64_t key = 0;
    std::int8_t parameter = -1;  // the position of the buffer among the call's arguments
    BufferPlace place;
    bool is_placed = false;
  };
  static constexpr std::size_t most_recent = 1024;
  static constexpr std::size_t bytes_of_key = 6 * sizeof(void*);  // a node and its slot

  static bool is_plain(const UsingCall& call, const PlainUse& plain) {
    return call.arguments.row.has_one_plain_buffer && plain.key != 0;
  }
  bool is_known(const UsingCall& call, const PlainUse& plain);
  bool is_full(const UsingCall& call);
  std::uint64_t place_of(const UsingCall& call);
  std::uint64_t signature_of(const UsingCall& call);
  [[gnu::noinline]] void record(UsingCall call, PlainUse plain, ReturnPlace place);
  /// What is to be done about a buffer: nothing where it was told before, or is not to be told; nor where there is no
  /// room for another one of its argument, ever.
  enum class Step : std::uint8_t { nothing, tell, leave_out };
  struct NewBuffers {
    std::vector<Wanted> wanted;
    bool are_left_out = false;  // further ones
    bool is_full = false;       // none of its arguments will ever have another one
  };
  NewBuffers new_buffers(const UsingCall& call);
  Step step_for(const CallBuffer& found, const UsingCall& call, Wanted& wanted);
  void find_places(std::vector<Wanted>& all, const UsingCall& call, const ReturnPlace& place);
  /// The frames that the call site has; why there are none.
  const char* find_frames(CallFrames& frames, const UsingCall& call, const ReturnPlace& place, CallSiteId site);
  void find_shared_memory(Wanted& wanted);
  void find_own_memory(Wanted& wanted);
  void find_place(Wanted& wanted, const CallFrames& frames, std::size_t dropped, const UsingCall& call);
  void write_line(const Wanted& wanted);

  const Options options_;
  const Parts parts_;
  TypesInUse& types_;
  const bool are_frames_right_;
  const OwnMemory memory_;
  std::array<std::uint64_t, most_recent> recent_{};          // signatures
  std::array<std::uint64_t, most_recent> full_{};            // places
  std::unordered_set<std::uint64_t> keys_;                   // of buffers
  std::unordered_map<std::uint64_t, std::uint32_t> number_;  // of each argument at a call site
  std::uint32_t next_ = 0;
  bool are_too_many_ = false, had_no_room_ = false;
};

}  // namespace ddtscope::plugin
