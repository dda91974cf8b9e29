#include "reporters/trace/read/line_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace ddtscope {
namespace {

constexpr std::size_t block = std::size_t{1} << 20;

}  // namespace

std::optional<TraceProblem> LineFile::open(const std::filesystem::path& file) {
  path_ = file;
  begin_ = end_ = 0;
  bytes_read_ = 0;
  error_ = 0;
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) {
    return TraceProblem{TraceProblem::Kind::unreadable,
                        file.string() + ": no such file or folder; give the folder that `ddtscope exec -o` wrote."};
  }
  if (std::filesystem::is_directory(status)) {
    return TraceProblem{
        TraceProblem::Kind::unreadable,
        file.string() + ": is a folder, not a trace file; give the folder that holds its *.jsonl files."};
  }
  if (!std::filesystem::is_regular_file(status)) {  // who waits for a pipe without a writer waits for ever
    return TraceProblem{TraceProblem::Kind::unreadable,
                        file.string() +
                            ": is a pipe or a device, but a trace is read more than once; write it into a file, and "
                            "give that."};
  }
  file_.reset(std::fopen(file.c_str(), "rbe"));
  if (!file_) {
    error_ = errno;
    return failure();
  }
  std::setvbuf(file_.get(), nullptr, _IONBF, 0);  // the buffer is here
  return std::nullopt;
}

LineFile::Next LineFile::next(std::string_view& line) {
  std::size_t searched = begin_;
  while (true) {
    const void* const found =
        searched == end_ ? nullptr : std::memchr(buffer_.data() + searched, '\n', end_ - searched);
    if (found != nullptr) {
      const auto feed = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
      line = {buffer_.data() + begin_, feed - begin_};
      line_begin_ = bytes_read_ - (end_ - begin_);
      begin_ = feed + 1;
      return Next::line;
    }
    if (end_ - begin_ > longest_line) {
      return Next::too_long;
    }
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
    end_ -= begin_;
    begin_ = 0;
    searched = end_;
    // A long line makes the buffer grow by doubling.
    buffer_.resize(std::max(buffer_.size(), end_ + std::max(block, end_) + padding));
    errno = 0;
    const std::size_t got = std::fread(buffer_.data() + end_, 1, buffer_.size() - padding - end_, file_.get());
    bytes_read_ += got;
    end_ += got;
    if (got == 0) {
      const bool has_failed = std::ferror(file_.get()) != 0;
      error_ = has_failed ? errno : 0;
      std::clearerr(file_.get());
      return has_failed ? Next::failed : Next::end;
    }
  }
}

TraceProblem LineFile::failure() const {
  return {TraceProblem::Kind::unreadable,
          path_.string() + ": cannot be read (" + std::strerror(error_) + "); check its permissions."};
}

}  // namespace ddtscope
