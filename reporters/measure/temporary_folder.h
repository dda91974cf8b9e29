// Files that are not to outlive what they are needed for.
#pragma once

#include <filesystem>
#include <string>

namespace ddtscope::reporters {

/// A folder of a name that is given to nobody else, removed with all that is in it.
class TemporaryFolder {
 public:
  /// In TMPDIR, or /tmp.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  /// Empty where it could not be made; error() says why.
  const std::filesystem::path& path() const { return path_; }
  const std::string& error() const { return error_; }

 private:
  std::filesystem::path path_;
  std::string error_;
};

}  // namespace ddtscope::reporters
