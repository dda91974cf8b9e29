#include "reporters/symbols/module_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "decoder/base/hexadecimal.h"

namespace ddtscope::reporters {
namespace {

// Only what is on this machine: a report must not wait for a network.
const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = nullptr,
};

std::string build_id_of(Dwfl_Module* module) {
  const unsigned char* bits = nullptr;
  GElf_Addr address = 0;
  const int length = dwfl_module_build_id(module, &bits, &address);
  return hexadecimal_digits(
      {reinterpret_cast<const std::byte*>(bits), length > 0 ? static_cast<std::size_t>(length) : 0});
}

/// Why the path cannot be a module; empty where it may be one.
std::string what_is_wrong_with(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) {
    return errno == ENOENT || errno == ENOTDIR ? "the file is missing on this machine"
                                               : std::string("the file cannot be read: ") + std::strerror(errno);
  }
  return S_ISREG(status.st_mode) ? "" : "it is not a file";
}

}  // namespace

ModuleFile::ModuleFile(const std::string& path, const std::optional<std::string>& build_id) {
  problem_ = what_is_wrong_with(path);
  if (!problem_.empty() || !open(path) || !build_id) return;
  const std::string found = build_id_of(module_);
  if (found == *build_id) return;
  module_ = nullptr;
  problem_ = found.empty() ? "the file on this machine has no build id, so it may be another one"
                           : "the file on this machine has another build id (" + found + "): it was built anew";
}

bool ModuleFile::open(const std::string& path) {
  // debuginfod would be asked over the network.
  unsetenv("DEBUGINFOD_URLS");
  dwfl_.reset(dwfl_begin(&callbacks));
  if (!dwfl_) {
    problem_ = "libdw cannot be started";
    return false;
  }
  module_ = dwfl_report_offline(dwfl_.get(), path.c_str(), path.c_str(), -1);
  dwfl_report_end(dwfl_.get(), nullptr, nullptr);
  GElf_Addr bias = 0;
  if (module_ == nullptr || dwfl_module_getelf(module_, &bias) == nullptr) {
    module_ = nullptr;
    problem_ =
        access(path.c_str(), R_OK) != 0 ? "the file cannot be read on this machine" : "the file is not an ELF file";
    return false;
  }
  bias_ = bias;
  return true;
}

}  // namespace ddtscope::reporters
