// The modules of the process as the loader has them: which of them an address lies in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reporters/trace/format/file_number.h"

struct dl_phdr_info;

namespace ddtscope::plugin {

struct Module {
  std::uintptr_t begin, end;  // of all its segments
  std::uintptr_t bias;        // what the loader has added to the addresses of its file
  std::string name;           // as the loader has it
  std::string path;           // absolute, where there is such a file
  std::string build_id;       // hexadecimal; empty where it has none
  bool is_library;            // the MPI library's
  ModuleNumber number;        // in the trace; invalid until somebody gives it one

  bool lies_at(std::uintptr_t from, std::uintptr_t to, std::string_view called) const {
    return begin == from && end == to && name == called;
  }
};

/// Not synchronised.
class ModuleTable {
 public:
  /// Looks for those that are there. `is_library_module` tells by file name which are the MPI library's.
  explicit ModuleTable(std::function<bool(std::string_view)> is_library_module);

  /// That in which the address lies, also where it was loaded since the last look; nullptr where there is none. Until
  /// the next look.
  Module* at(std::uintptr_t address);
  /// Looks anew. Those that are gone; what is there still keeps its number.
  std::vector<Module> take_lost();
  /// What was kept since the beginning.
  std::size_t bytes() const { return bytes_; }

 private:
  void look();
  /// What the loader tells of one that is not known. Under its lock: files are looked at by add().
  std::optional<Module> new_module(const dl_phdr_info& info) const;
  void add(Module&& module);

  std::function<bool(std::string_view)> is_library_module_;
  std::vector<Module> modules_;
  unsigned long long loaded_ = 0;  // how many the process had loaded, ever, at the last look
  std::size_t bytes_ = 0;
};

}  // namespace ddtscope::plugin
