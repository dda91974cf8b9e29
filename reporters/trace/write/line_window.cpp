#include "reporters/trace/write/line_window.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <utility>

#include "reporters/trace/format/file_io.h"

namespace ddtscope::trace {
namespace {

constexpr std::size_t mapped_bytes = lines_file_header_bytes + lines_file_room;
#ifndef XFS_SUPER_MAGIC
constexpr long XFS_SUPER_MAGIC = 0x58465342;
#endif

/// Whether pages that are allocated can be written again and again, and are seen by all who read the file, in order:
/// where a page gets a new place each time (Btrfs, ZFS) a full disk kills by SIGBUS in spite of its allocation, and on
/// a file system of the network other machines see pages one by one.
bool can_be_mapped(int file) {
  struct statfs system;
  if (fstatfs(file, &system) != 0) return false;
  const auto type = static_cast<std::uint32_t>(system.f_type);
  return type == EXT4_SUPER_MAGIC || type == XFS_SUPER_MAGIC || type == TMPFS_MAGIC;
}

}  // namespace

LineWindow::~LineWindow() { unmap(); }

bool LineWindow::create(std::string&& path, std::uint64_t trace) {
  if (is_beyond_file_limit(mapped_bytes) || !file_.create(path, O_RDWR)) return false;
  path_ = std::move(path);
  if (!map()) {
    remove();
    return false;
  }
  header_->byte_order = lines_file_byte_order;
  header_->version = lines_file_version;
  header_->trace = trace;
  std::atomic_signal_fence(std::memory_order_release);  // whoever is killed here leaves no magic, or all
  std::memcpy(header_->magic, lines_file_magic, sizeof header_->magic);
  return true;
}

bool LineWindow::map() {
  if (!can_be_mapped(file_.number()) || file_.allocate(0, mapped_bytes) != 0) return false;
  void* const memory = mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.number(), 0);
  if (memory == MAP_FAILED) return false;
  header_ = static_cast<LinesFileHeader*>(memory);
  lines_ = static_cast<char*>(memory) + lines_file_header_bytes;
  return true;
}

void LineWindow::unmap() {
  if (header_ != nullptr) munmap(header_, mapped_bytes);
  header_ = nullptr;
  lines_ = nullptr;
  length_ = 0;
}

void LineWindow::append(std::string_view lines, std::uint64_t offset) {
  // Whoever reads meanwhile, or after the process was killed, sees lines of one place in the trace alone.
  if (length_ == 0) {
    // Exchanged, so that no byte of the new lines is there before.
    std::atomic_ref(header_->length).exchange(0, std::memory_order_acq_rel);
    std::atomic_ref(header_->begin).exchange(offset, std::memory_order_acq_rel);
    begin_ = offset;
  }
  std::memcpy(lines_ + length_, lines.data(), lines.size());
  length_ += lines.size();
  std::atomic_ref(header_->length).store(length_, std::memory_order_release);
}

void LineWindow::remove() {
  unmap();
  if (!path_.empty()) file_.remove(path_);
  path_.clear();
}

}  // namespace ddtscope::trace
