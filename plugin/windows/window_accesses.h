// The windows that are alive, each with a name that is one in all its processes and a line of the trace; and what
// one-sided calls reach in them: for each place of the program, target and type the lowest and the highest
// displacement, however many calls there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "plugin/call/call_site_id.h"
#include "plugin/call/entry_point.h"
#include "plugin/call/stack.h"
#include "plugin/messages/named_communicators.h"
#include "plugin/registry/registry.h"
#include "plugin/uses/folded_calls.h"
#include "plugin/uses/use_counters.h"
#include "reporters/trace/write/writer.h"

namespace ddtscope::plugin {

/// Called by the wrappers, without the registry's lock, which it takes.
class WindowAccesses {
 public:
  struct Options {
    UseConstants constants = {};
    HandleBits world = 0;             // MPI_COMM_WORLD
    std::uint32_t most_lines = 4096;  // of windows, in the trace
    std::size_t most_bytes = 0;       // of accesses
  };
  /// All must outlive it.
  struct Parts {
    Registry& registry;
    GroupQueries& library;
    NamedCommunicators& communicators;
    trace::Writer& writer;
  };
  WindowAccesses(const Options& options, const Parts& parts) : options_(options), parts_(parts) {}

  /// A function that all processes of the communicator call together is about to be called: it counts among those that
  /// make communicators of it.
  CommunicatorNames::Call begin_call(HandleBits communicator) { return parts_.communicators.begin_call(communicator); }
  /// The library refused it.
  void call_failed(HandleBits communicator) { parts_.communicators.call_failed(communicator); }
  /// It has made one.
  struct Made {
    HandleBits window = 0, communicator = 0;
    WindowFlavour flavour = WindowFlavour::create;
    std::int64_t size = 0, displacement_unit = 1;  // in bytes; of a dynamic one they mean nothing
    const EntryPoint* called = nullptr;
    const Stack* stack = nullptr;
  };
  void made(const Made& made, const CommunicatorNames::Call& call);
  void freed(HandleBits window);

  /// A one-sided call (UseRow::is_one_sided) has come back.
  void accessed(const UsingCall& call);

  /// Under the registry's lock, when nothing else comes.
  void write(trace::Writer& writer) const;

 private:
  struct Window {
    WindowNumber line;
    bool is_of_world = false;    // its ranks are those of MPI_COMM_WORLD
    std::vector<int> processes;  // else by rank: the ranks in MPI_COMM_WORLD; the first ones where it is too large
  };
  /// What accesses of one line have in common.
  struct Place {
    WindowNumber window;
    int target = 0;  // in MPI_COMM_WORLD
    DefinitionNumber definition;
    PredefinedId predefined;
    std::uint64_t elements = 0;
    trace::UseParameter parameter = trace::UseParameter::none;
    const EntryPoint* called = nullptr;
    CallSiteId site;
    friend bool operator==(const Place&, const Place&) = default;
    std::size_t hash() const;
  };
  /// What a call says, before it is known to whom.
  struct Access {
    HandleBits window = 0, type = 0;
    int target = 0;  // in the window
    std::int64_t displacement = 0;
  };
  void add(const Access& access, Place place, const Stack& stack);
  static int process_of(const Window& window, int target);

  const Options options_;
  const Parts parts_;
  std::unordered_map<HandleBits, Window> windows_;
  std::uint32_t lines_ = 0;
  FoldedCalls<Place, FoldedNumbers> accesses_;  // and their displacements
  std::uint64_t of_unknown_ = 0;                // accesses of which the window, the target or the type is not known
};

}  // namespace ddtscope::plugin
