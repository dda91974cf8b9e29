#include "reporters/json/whole_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>

namespace ddtscope::reporters {

std::error_code write_whole_file(const std::filesystem::path& file, const std::function<void(std::ostream&)>& write) {
  const std::filesystem::path unfinished = file.string() + "." + std::to_string(getpid()) + ".unfinished";
  errno = 0;
  std::ofstream stream(unfinished, std::ios::binary);
  if (stream) {
    write(stream);
    stream.close();
  }
  std::error_code error(errno, std::generic_category());
  if (stream) {
    std::filesystem::rename(unfinished, file, error);
  } else if (!error) {
    error = std::make_error_code(std::errc::io_error);
  }
  std::error_code ignored;
  if (error) std::filesystem::remove(unfinished, ignored);
  return error;
}

FolderLock::FolderLock(const std::filesystem::path& folder)
    : folder_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (folder_ >= 0) flock(folder_, LOCK_EX);
}

FolderLock::~FolderLock() {
  if (folder_ >= 0) close(folder_);
}

}  // namespace ddtscope::reporters
