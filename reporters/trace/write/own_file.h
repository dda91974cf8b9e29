// A file that we made and keep open beside somebody else's program.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace ddtscope::trace {

/// The program may close descriptors that are not its own, and gets their numbers for files of its own then; and
/// another job may have made a file of the same name since ours was removed. So whoever writes asks before what
/// `problem` says, and nothing is closed or removed but the file that was made.
class OwnFile {
 public:
  OwnFile() = default;
  ~OwnFile() {
    if (problem() == 0) ::close(number_);
  }
  OwnFile(const OwnFile&) = delete;
  OwnFile& operator=(const OwnFile&) = delete;

  /// Makes the file; never overwrites. False with errno set where it cannot. `flags` beside those that make it.
  bool create(const std::string& path, int flags) {
    const int number = ::open(path.c_str(), flags | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (number < 0) return false;
    struct stat status;
    if (fstat(number, &status) != 0) {
      const int error = errno;
      ::close(number);
      unlink(path.c_str());
      errno = error;
      return false;
    }
    number_ = number;
    device_ = status.st_dev;
    inode_ = status.st_ino;
    return true;
  }
  bool is_open() const { return number_ >= 0; }
  /// Valid while `problem` says 0.
  int number() const { return number_; }
  /// Room on the disk for what is mapped and written there: a hole that cannot be filled kills by SIGBUS. In order,
  /// from the file's begin on. 0, or the errno of what kept it out. On Btrfs of older systems, and where others give
  /// pages new places, a full disk can kill all the same.
  int allocate(off_t offset, off_t bytes) const;
  /// 0 where the descriptor is that of the file that was made; else an errno, EBADF where the program closed it.
  int problem() const {
    struct stat status;
    if (number_ < 0) return EBADF;
    if (fstat(number_, &status) != 0) return errno;
    return is_this(status) ? 0 : EBADF;
  }
  /// Whether somebody has removed the file: what is written is lost.
  bool is_removed() const {
    struct stat status;
    return number_ >= 0 && fstat(number_, &status) == 0 && is_this(status) && status.st_nlink == 0;
  }
  /// Removes the name if it is still this file's.
  void remove(const std::string& path) const {
    struct stat status;
    if (number_ >= 0 && lstat(path.c_str(), &status) == 0 && is_this(status)) unlink(path.c_str());
  }

 private:
  bool is_this(const struct stat& status) const { return status.st_dev == device_ && status.st_ino == inode_; }

  int number_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace ddtscope::trace
