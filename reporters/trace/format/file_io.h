// Reading and writing all of something, whatever interrupts it.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace ddtscope::trace {

/// Why the trace's file takes nothing, for people.
inline const char* text_of_write_error(int error) {
  return error == EBADF ? "the program closed its file" : std::strerror(error);
}

/// Bytes of the longest file that this process may make: to try more would kill it by SIGXFSZ.
inline std::uint64_t file_limit() {
  rlimit limit;
  const bool is_limited = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return is_limited ? limit.rlim_cur : UINT64_MAX;
}
inline bool is_beyond_file_limit(std::uint64_t bytes) { return bytes > file_limit(); }

/// Makes it a name of the file that stays right where the program changes its folder.
inline void make_absolute(std::string& path) {
  char absolute[PATH_MAX];
  if (realpath(path.c_str(), absolute) != nullptr) path = absolute;
}

/// Writes all of it at the file's end. `written` counts on with every byte; the errno of what kept others out, else 0.
inline int write_all(int file, std::string_view bytes, std::uint64_t& written) {
  while (!bytes.empty()) {
    const ssize_t part = write(file, bytes.data(), bytes.size());
    if (part > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(part));
      written += static_cast<std::uint64_t>(part);
    } else if (part == 0 || errno != EINTR) {
      return part == 0 ? EIO : errno;
    }
  }
  return 0;
}

/// How many bytes from `offset` on there are and went to `to`. Where they do not fill it, `error` is why, 0 at the
/// file's end.
inline std::size_t read_at(int file, std::uint64_t offset, std::span<char> to, int& error) {
  error = 0;
  std::size_t got = 0;
  while (got < to.size()) {
    const ssize_t part = pread(file, to.data() + got, to.size() - got, static_cast<off_t>(offset + got));
    if (part > 0) {
      got += static_cast<std::size_t>(part);
    } else if (part == 0 || errno != EINTR) {
      error = part == 0 ? 0 : errno;
      break;
    }
  }
  return got;
}

/// Whether all of them are there.
inline bool read_all_at(int file, std::uint64_t offset, void* to, std::size_t bytes) {
  int error = 0;
  return read_at(file, offset, {static_cast<char*>(to), bytes}, error) == bytes;
}

}  // namespace ddtscope::trace
