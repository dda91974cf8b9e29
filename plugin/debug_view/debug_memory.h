// The plugin's memory that debuggers and readers of cores look at: `ddtscope_debug_view` and what it leads to
// (reporters/trace/format/debug_view.h). It is where the registry keeps its definitions and handles, not a copy.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "decoder/definition/definition.h"
#include "plugin/call/entry_point.h"
#include "plugin/debug_view/debug_records.h"
#include "reporters/trace/format/debug_view.h"
#include "reporters/trace/format/file_number.h"
#include "reporters/trace/write/writer.h"

namespace ddtscope::plugin {

/// Not synchronised: filled by the one thread that starts the session, then under the registry's lock.
class DebugMemory final : public DefinitionStorage, public trace::LineKeeper {
 public:
  /// `view` is what is published; it must outlive the object, which takes everything back when it is destroyed.
  explicit DebugMemory(trace::DebugView& view);
  ~DebugMemory() override;

  struct Process {
    std::int64_t rank, size;  // -1 without MPI_COMM_WORLD
    std::uint32_t mpi_datatype_bytes;
    std::uint32_t long_double_digits;  // LDBL_MANT_DIG
  };
  /// Readers find the view from now on.
  void begin(const Process& process);
  void ended();
  /// What happens from now on is not recorded. From any thread.
  void stopped() noexcept;
  /// This process is a child of the one that records. From a handler of pthread_atfork().
  void forked() noexcept;
  /// Lines of which there may be any number are kept up to so many bytes: the view lacks later ones, and says so.
  void keep_at_most(std::size_t bytes) { most_kept_ = bytes; }

  // What definitions point to stands in their records.
  std::byte* allocate(DefinitionId id, std::size_t bytes) override;
  void release(std::byte* block, std::size_t bytes) override;
  /// The definition's record is whole.
  struct Described {
    DefinitionId id;
    DefinitionNumber number;
    FrameNumber site;
    const EntryPoint* called;
    bool adopted;
    std::uint32_t since;  // generation of the first handle that can stand for it
    const ObservedBounds& bounds;
  };
  void definition(const Described& described, const DefinitionStore& store);
  void predefined(DefinitionId id, std::string_view name);
  /// The number under which the view lists an entry point.
  std::uint32_t entry(const EntryPoint& called);
  const EntryPoint& entry(std::uint32_t number) const { return *entries_[number]; }

  /// Keeps the lines that definitions and counters refer to.
  void keep(std::string_view record, std::string_view line) override;

  std::uint64_t& table(trace::DebugTableKind kind) { return view_.tables[static_cast<std::size_t>(kind)]; }

 private:
  void stop_recording(trace::DebugViewState state) noexcept;
  void say_lines_are_left_out();

  trace::DebugView& view_;
  DebugRecords records_;
  std::vector<const EntryPoint*> entries_;
  std::pair<const EntryPoint*, std::uint32_t> last_entry_{};  // asked for
  std::size_t most_kept_ = SIZE_MAX;
  std::size_t kept_ = 0;
  bool has_left_lines_out_ = false;
};

}  // namespace ddtscope::plugin
