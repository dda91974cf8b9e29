// A program or a shared library on this machine, and its debugging information in whatever file that is.
#pragma once

#include <elfutils/libdwfl.h>

#include <memory>
#include <optional>
#include <string>

namespace ddtscope::reporters {

class ModuleFile {
 public:
  /// `build_id` is hexadecimal: a file with another one is not taken. Nothing is asked over a network.
  ModuleFile(const std::string& path, const std::optional<std::string>& build_id);

  bool is_open() const { return module_ != nullptr; }
  /// Why it is not, as the end of a sentence about the file: "the file is missing on this machine".
  const std::string& problem() const { return problem_; }
  /// Null where it is not open.
  Dwfl_Module* module() const { return module_; }
  /// What libdwfl adds to the addresses of the file's own program headers.
  Dwarf_Addr bias() const { return bias_; }

 private:
  bool open(const std::string& path);

  std::unique_ptr<Dwfl, void (*)(Dwfl*)> dwfl_{nullptr, dwfl_end};
  Dwfl_Module* module_ = nullptr;
  Dwarf_Addr bias_ = 0;
  std::string problem_;
};

}  // namespace ddtscope::reporters
