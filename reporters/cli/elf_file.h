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
/// dynamic loader finds them. Libraries that are not found are listed, but not opened.
std::vector<std::string> needed_libraries(const std::filesystem::path& program);

}  // namespace ddtscope::reporters
