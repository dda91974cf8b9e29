// Where a process's memory is: in a core file, or in the process.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "reporters/debug_view/memory.h"
#include "reporters/debug_view/view_contents.h"
#include "reporters/trace/read/reader.h"

namespace ddtscope::reporters {

class MemorySource {
 public:
  virtual ~MemorySource() = default;
  virtual bool read(std::uint64_t address, void* to, std::size_t bytes) = 0;
  /// Where a view may be, likely places first. It is a variable of the plugin's: what is larger than any module's
  /// variables is left out.
  virtual const std::vector<MemoryRange>& ranges() const = 0;
  virtual Instant instant() const = 0;
  /// What messages call it: "core.123", "process 123".
  virtual const std::string& name() const = 0;
};

using MemorySourceResult = std::variant<std::unique_ptr<MemorySource>, TraceProblem>;

/// An ELF core file. No executable and no library is needed: what a core leaves out is only looked for in the plugin's
/// counter file.
MemorySourceResult open_core(const std::filesystem::path& path);

/// A process of the same user, which stands still as long as the result lives, unless a debugger has it already.
MemorySourceResult open_process(pid_t pid);

/// Finds the view in the memory and reads it.
std::variant<ViewContents, TraceProblem> read_debug_view(MemorySource& memory);

}  // namespace ddtscope::reporters
