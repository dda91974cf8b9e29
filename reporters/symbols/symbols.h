// Function, file and line of a code address in a module, from the file on this machine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reporters/trace/format/records.h"

namespace ddtscope::reporters {

struct SourceLocation {
  std::optional<std::string> function;    // demangled
  std::vector<std::string> inlined_into;  // the functions that `function` was inlined into, innermost first
  std::optional<std::string> file;
  std::optional<int> line;
  /// Why something is missing, as the end of a sentence about the module: "the file is missing"; else empty.
  std::string why_unresolved;
};

/// Opens each module once, when its first address is asked for.
class Symbols {
 public:
  Symbols();
  ~Symbols();
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;

  /// A file with another build id than the module's is not believed. `offset` is in the address space of the module's
  /// own program headers. The C library's functions are told without lines. Of an interpreter's function all is known
  /// without a file. Threads may ask at once; what is returned stays.
  const SourceLocation& resolve(const ModuleRecord& module, std::uint64_t offset);
  /// What is told of an address from then on, whatever there is of its module on this machine.
  void add_known(const ModuleRecord& module, std::uint64_t offset, SourceLocation location);

 private:
  class Module;
  struct Cache;
  std::unique_ptr<Cache> cache_;
};

}  // namespace ddtscope::reporters
