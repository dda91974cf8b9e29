// What an executable or shared library says about the libraries that it needs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ddtscope::reporters {

struct ElfFile {
  bool has_interpreter = false;  // false for a static executable and for most libraries
  std::vector<std::string> needed;
  std::vector<std::string> rpath, runpath;  // $ORIGIN expanded
};

/// Empty where the file cannot be read or is no ELF file.
std::optional<ElfFile> read_elf_file(const std::filesystem::path& path);

/// Names of all libraries that a program would load, as its files name them: breadth first, as the
/// dynamic loader finds them. Libraries that are not found are listed, but not opened. The loader itself would tell
/// (LD_TRACE_LOADED_OBJECTS), but runs for 5 ms in place of 0.4, in each rank, and is whatever the file names as its
/// interpreter.
std::vector<std::string> needed_libraries(const std::filesystem::path& program);

}  // namespace ddtscope::reporters
