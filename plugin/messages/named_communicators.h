// The communicators that a program makes: each gets its name when it is made, and a line of the trace.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plugin/call/call_site_id.h"
#include "plugin/call/entry_point.h"
#include "plugin/call/stack.h"
#include "plugin/messages/communicator_names.h"
#include "plugin/registry/registry.h"
#include "reporters/trace/write/writer.h"

namespace ddtscope::plugin {

/// Ranks as they stand, where they are one step apart in a run.
GroupRuns runs_of(const std::vector<int>& ranks);

/// How the library is asked who is in a communicator that it knows to be valid.
class GroupQueries {
 public:
  virtual ~GroupQueries() = default;
  /// By local operations alone (MPI-4.1 7.3.1).
  virtual CommunicatorGroups groups_of(HandleBits communicator) = 0;
  /// In MPI_COMM_WORLD, of whom a message to this rank goes to; -1 where it is in another world.
  virtual int process_of(HandleBits communicator, int rank) = 0;
  /// Whether the program has said that messages may overtake each other (MPI-4.1 7.4.4, mpi_assert_allow_overtaking).
  virtual bool allows_overtaking(HandleBits communicator) = 0;
  /// What an info object says of the order of accumulates; none where it says nothing that the standard has.
  virtual std::optional<AccumulateOrdering> accumulate_ordering(HandleBits /*info*/) { return std::nullopt; }
  /// The ranks in MPI_COMM_WORLD of a group's processes, in its order; none where that is not known.
  virtual std::optional<std::vector<int>> processes_of_group(HandleBits /*group*/) { return std::nullopt; }
};

/// Called by the wrappers, without the registry's lock, which it takes.
class NamedCommunicators {
 public:
  struct Options {
    std::size_t most_lines = 4096;  // of the trace
    std::size_t most_runs = 1024;   // that the groups in one line have
  };
  /// All must outlive it.
  struct Parts {
    Registry& registry;
    GroupQueries& library;
    trace::Writer& writer;
  };
  NamedCommunicators(const Options& options, const Parts& parts) : options_(options), parts_(parts) {}

  void begin(const CommunicatorNames::World& world);

  /// A function that all processes of `parent` call together is about to be called.
  CommunicatorNames::Call begin_call(HandleBits parent);
  /// The library refused it.
  void call_failed(HandleBits parent);
  /// The name of the parent of a call that not all of its processes make.
  CommunicatorName name_of_parent(HandleBits parent) const;
  /// It has made one.
  struct Made {
    HandleBits communicator = 0;
    const EntryPoint* called = nullptr;
    const Stack* stack = nullptr;
  };
  /// By a call that all processes of the parent make, `call`; `asked` is of whom the library is asked who is in it: of
  /// the new one or, while that is not complete, of the one that it is a duplicate of.
  void made_by_parent(const Made& made, const CommunicatorNames::Call& call, HandleBits asked);
  /// By a call that only those make who are in the new one.
  void made_by_members(const Made& made, const CommunicatorNames::MadeByMembers& call);
  /// By a call of which nobody can say what the others would call it.
  void made_without_name(const Made& made);
  void freed(HandleBits communicator);

  /// Under the registry's lock.
  CommunicatorName name_of(HandleBits communicator) const { return names_.name_of(communicator); }
  /// Under the registry's lock. Its line in the trace; none where it has no name, or no line.
  CommunicatorNumber line_of(HandleBits communicator) const {
    const auto found = line_by_handle_.find(communicator);
    return found != line_by_handle_.end() ? found->second : CommunicatorNumber{};
  }
  /// Under the registry's lock, when nothing else comes.
  void write(trace::Writer& writer) const;

 private:
  void add(const Made& made, CommunicatorName name, const CommunicatorGroups& groups);
  void write_line(const Made& made, CommunicatorName name, const CommunicatorGroups& groups);

  const Options options_;
  const Parts parts_;
  CommunicatorNames names_;
  std::set<std::pair<const EntryPoint*, CallSiteId>> without_name_;  // whose line stands in the trace
  std::unordered_map<HandleBits, CommunicatorNumber> line_by_handle_;
  std::uint32_t lines_ = 0;
  std::uint64_t without_line_ = 0;
};

}  // namespace ddtscope::plugin
