#include "reporters/trace/read/line_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "reporters/trace/format/file_io.h"
#include "reporters/trace/read/lines_beside.h"

namespace ddtscope {
namespace {

constexpr std::size_t block = std::size_t{1} << 20;

}  // namespace

std::optional<TraceProblem> LineFile::open(const std::filesystem::path& file) {
  path_ = file;
  begin_ = end_ = 0;
  bytes_read_ = bytes_of_file_ = 0;
  error_ = 0;
  first_line_hash_.reset();
  problem_.reset();
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) {
    return TraceProblem{TraceProblem::Kind::unreadable,
                        file.string() +
                            ": no such file or folder; give the folder that `ddtscope exec -o` wrote (a program that "
                            "never calls MPI_Init has none)."};
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
      if (line_begin_ == 0) first_line_hash_ = XXH3_64bits(line.data(), line.size());
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
    if (read_more() == 0) {
      return error_ != 0 || problem_ ? Next::failed : Next::end;
    }
  }
}

/// What follows in the file or beside it, behind what was read already; how many bytes.
std::size_t LineFile::read_more() {
  // A process that runs appends the lines beside to the file before it puts others there: whoever finds neither finds
  // them when he looks once more.
  constexpr int most_attempts = 10;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    std::size_t got = read_file();
    if (got == 0 && error_ == 0 && first_line_hash_) got = read_beside();
    if (got != 0 || error_ != 0 || problem_ || !first_line_hash_) return got;
    if (attempt != 0 && !beside_changes_) break;
  }
  return 0;
}

/// Room for so many bytes more, and for those that are read ahead.
char* LineFile::room_for(std::size_t bytes) {
  buffer_.resize(std::max(buffer_.size(), end_ + bytes + padding));
  return buffer_.data() + end_;
}

std::size_t LineFile::read_file() {
  room_for(std::max(block, end_));  // a long line makes the buffer grow by doubling
  const std::size_t room = buffer_.size() - padding - end_;
  const std::size_t got = trace::read_at(fileno(file_.get()), bytes_read_, {buffer_.data() + end_, room}, error_);
  if (got != 0) error_ = 0;  // the next attempt has it again
  bytes_read_ += got;
  end_ += got;
  if (got != 0) bytes_of_file_ = bytes_read_;
  return got;
}

std::size_t LineFile::read_beside() {
  beside_changes_ = false;
  auto read = read_lines_beside(path_, *first_line_hash_);
  if (auto* const problem = std::get_if<TraceProblem>(&read)) {
    problem_ = std::move(*problem);
    return 0;
  }
  const LinesBeside& beside = std::get<LinesBeside>(read);
  const bool is_read = beside.state == LinesBeside::State::read;
  beside_changes_ = beside.state == LinesBeside::State::changing;
  if (!is_read || bytes_read_ < beside.begin || bytes_read_ - beside.begin >= beside.lines.size()) return 0;
  const std::string_view more = std::string_view(beside.lines).substr(bytes_read_ - beside.begin);
  std::copy(more.begin(), more.end(), room_for(more.size()));
  bytes_read_ += more.size();
  end_ += more.size();
  return more.size();
}

TraceProblem LineFile::failure() const {
  if (problem_) return *problem_;
  return {TraceProblem::Kind::unreadable,
          path_.string() + ": cannot be read (" + std::strerror(error_) + "); check its permissions."};
}

}  // namespace ddtscope
