#include "reporters/trace/write/own_file.h"

#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/statfs.h>

#include <cstdint>

namespace ddtscope::trace {
namespace {

/// Btrfs gives a page a new place each time it is written, allocated or not, unless a file is told otherwise while it
/// is empty. Other systems have no such flag, or do not need it.
void write_in_place(int file) {
  struct statfs system;
  if (fstatfs(file, &system) != 0 || static_cast<std::uint32_t>(system.f_type) != BTRFS_SUPER_MAGIC) return;
  int flags = 0;
  if (ioctl(file, FS_IOC_GETFLAGS, &flags) != 0) return;
  flags |= FS_NOCOW_FL;
  ioctl(file, FS_IOC_SETFLAGS, &flags);
}

}  // namespace

int OwnFile::allocate(off_t offset, off_t bytes) const {
  if (offset == 0) write_in_place(number_);
  return posix_fallocate(number_, offset, bytes);
}

}  // namespace ddtscope::trace
