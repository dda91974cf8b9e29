// The collective operations that a process calls: of each communicator the folded sequence of the calls, each of which
// takes its place when it begins (MPI-4.1 6, 7.4, 8).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "plugin/messages/channels.h"
#include "plugin/messages/collective_call.h"
#include "plugin/messages/collective_sides.h"
#include "plugin/messages/folded_sequence.h"
#include "plugin/messages/named_communicators.h"
#include "plugin/registry/registry.h"
#include "plugin/uses/op_types.h"
#include "plugin/uses/use_counters.h"

namespace ddtscope::plugin {

/// Called by the wrappers, without the registry's lock, which it takes.
class Collectives {
 public:
  struct Options {
    UseConstants constants = {};
    HandleBits world = 0, self = 0;
    std::vector<PredefinedOp> ops = {};
    std::size_t most_bytes = std::size_t{1} << 22;
    std::size_t most_bytes_of_arrays = std::size_t{1} << 20;  // of blocks, of those
    std::size_t most_neighbours = 1024;                       // that are told of a communicator
  };
  /// All must outlive it.
  struct Parts {
    Registry& registry;
    UseCounters& uses;
    NamedCommunicators& communicators;
  };
  Collectives(const Options& options, const Parts& parts);

  /// A call that took its place.
  struct Placed {
    enum class State : std::uint8_t {
      nowhere,
      in_sequence,
      left  // a type of it is not known: it takes its place when the call has come back
    };
    State state = State::nowhere;
    std::uint32_t communicator = 0;
    std::uint64_t place = 0;  // in the sequence
  };
  /// A call whose row says that it is collective (UseRow::collective) is about to begin. `also` is done under the same
  /// hold of the registry's lock.
  template <class Also>
  Placed begin(const UsingCall& call, const Also& also) {
    Begun begun;
    parts_.registry.beside([&] {
      also();
      step(call, begun);
    });
    return begun.found == Found::ask ? ask_and_begin(call) : begun.placed;
  }
  Placed begin(const UsingCall& call) {
    return begin(call, [] {});
  }
  /// The library has returned, and the call's types are known.
  void end(const UsingCall& call, const Placed& placed);
  enum class Failure : std::uint8_t {
    refused,    // its arguments were: it may be that nobody took part
    in_between  // it took part, as far as it came
  };
  /// Nobody knows what the program does about it.
  void failed(const Placed& placed, Failure failure);

  void communicator_freed(HandleBits communicator);
  /// Under the registry's lock: nothing is known from here on.
  void stop(Unknown why);
  /// Under the registry's lock, when nothing else comes: the lines, whose sequences are numbered on from `next`.
  void write(trace::Writer& writer, std::uint32_t& next);
  /// Calls on communicators that the trace has no line for, though they have names.
  std::uint64_t without_line() const { return without_line_; }

 private:
  struct OfCommunicator {
    explicit OfCommunicator(FoldedSymbols& symbols) : sequence(symbols) {}
    PredefinedCommunicator predefined = PredefinedCommunicator::none;
    CommunicatorNumber line;
    Communicator described;
    Unknown unknown = Unknown::none;
    std::uint64_t unknown_from = 0;
    bool has_neighbourhoods = false;  // whether operations of neighbourhoods are among the calls
    FoldedSequence sequence;
    /// Nothing is known from this place on.
    void lose(std::uint64_t from, Unknown why) {
      if (unknown != Unknown::none && unknown_from <= from) return;
      unknown = why;
      unknown_from = from;
    }
  };
  /// A call made lately of which no array decides what it is.
  struct RecentCall {
    const EntryPoint* called = nullptr;
    CallSiteId site;
    std::uint32_t communicator = 0;
    CollectiveSides::Words words = {};
    std::uint32_t call = 0;
    bool is(const RecentCall& other) const {
      return called == other.called && site == other.site && communicator == other.communicator && words == other.words;
    }
  };
  enum class Found : std::uint8_t { yes, ask, no };
  struct Begun {
    Placed placed;
    Found found = Found::no;
  };
  Placed ask_and_begin(const UsingCall& call);
  HandleBits communicator_of(const UsingCall& call) const {
    return call.arguments.handle(call.arguments.row.collective.communicator, options_.constants);
  }

  // Under the registry's lock.
  void step(const UsingCall& call, Begun& begun);
  Found find(HandleBits handle, std::uint32_t& number);
  Placed place(const UsingCall& call, std::uint32_t number);
  RecentCall& slot_of(const RecentCall& call);
  std::optional<std::uint32_t> call_of(const UsingCall& call, CallSiteId site, const Communicator& communicator);
  std::string_view op_of(const UseCall& call) const;
  void write_calls(trace::Writer& writer);
  std::optional<Neighbours> neighbours_of(const OfCommunicator& communicator) const;
  bool is_full() const { return symbols_.bytes() + calls_.bytes() >= options_.most_bytes; }

  static constexpr std::uint32_t alone = UINT32_MAX;  // a communicator of this process only
  static constexpr unsigned bits_of_recent = 8;

  const Options options_;
  const Parts parts_;
  TypesInUse& types_;
  const OpTypes ops_;
  CollectiveSides sides_;
  FoldedSymbols symbols_;  // counts the bytes of all sequences
  CollectiveCalls calls_;
  std::deque<OfCommunicator> communicators_;  // each stays where it is
  std::unordered_map<HandleBits, std::uint32_t> communicator_by_handle_;
  HandleBits last_handle_ = 0;  // of them, which was looked up last, where it is not alone
  std::uint32_t last_communicator_ = alone;
  std::array<RecentCall, std::size_t{1} << bits_of_recent> recent_;
  std::uint64_t without_line_ = 0;
  bool is_stopped_ = false;
};

}  // namespace ddtscope::plugin
