// Files that others may be reading: they get their name when they are whole.
// Who reads one and writes it anew keeps others from doing so at once.
#pragma once

#include <filesystem>
#include <functional>
#include <ostream>
#include <system_error>

namespace ddtscope::reporters {

/// Has `write` write the file. Where that does not succeed, what is wrong; the file is as it was before.
std::error_code write_whole_file(const std::filesystem::path& file, const std::function<void(std::ostream&)>& write);

/// Waits until nobody else has a lock of the folder, and has it while it lives. It has none where the folder cannot be
/// opened, or its file system knows no locks.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int folder_;
};

}  // namespace ddtscope::reporters
