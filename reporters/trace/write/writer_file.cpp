// Where the lines of a trace go: into its file, or into the window from which many are one write.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <utility>

#include "reporters/trace/format/file_io.h"
#include "reporters/trace/write/writer.h"

namespace ddtscope::trace {
namespace {

std::string_view whole_lines(std::string_view text) { return text.substr(0, text.rfind('\n') + 1); }

}  // namespace

bool Writer::create(const std::string& path) {
  path_ = path;
  for (std::string* const text : {&path_, &window_path_}) text->reserve(PATH_MAX);  // once there is a file, none fails
  if (!file_.create(path, O_WRONLY | O_APPEND)) return false;
  make_absolute(path_);
  window_path_.assign(path_, 0, path_.rfind('.')).append(lines_file_extension);
  return true;
}

void Writer::write_line() {
  line_.line_feed();
  if (collects_lines_) {
    collected_ += line_.text();
    if (collected_.size() >= most_collected_bytes) flush();
  } else {
    put(line_.text());
  }
  if (keeper_ && !stopped()) keeper_->keep(record_, line_.text().substr(0, line_.text().size() - 1));
}

void Writer::flush() {
  put(collected_);
  collected_.clear();
}

void Writer::put(std::string_view lines) {
  if (stopped() || lines.empty()) return;
  const bool is_too_much = bytes_written() + lines.size() > most_bytes_;
  const bool may_wait = bytes_written() >= window_from_ && !collects_lines_;
  if (const int why = is_too_much ? at_limit : may_wait ? put_in_window(lines) : append(lines)) stop(why);
}

int Writer::put_in_window(std::string_view lines) {
  if (!window_.has_room_for(lines.size())) {
    if (const int why = empty_window()) return why;
    if (!window_.is_open() && !window_.create(std::move(window_path_), first_line_hash_)) window_from_ = UINT64_MAX;
    if (!window_.has_room_for(lines.size())) return append(lines);
  }
  window_.append(lines, bytes_written());
  return 0;
}

int Writer::empty_window() {
  if (const std::uint64_t end = window_.end(); end > in_file_) {
    if (const int why = append(window_.lines().substr(in_file_ - window_.begin()))) return why;
  }
  window_.clear();
  return 0;
}

void Writer::settle() {
  window_from_ = UINT64_MAX;
  if (!window_.is_open()) return;
  if (const int why = empty_window()) {
    if (!stopped()) stop(why);
  } else {
    window_.remove();
  }
}

/// As many whole lines as the file takes.
int Writer::append(std::string_view lines) {
  const std::uint64_t limit = file_limit();
  const std::uint64_t room = limit - std::min(limit, in_file_);
  int why = lines.size() > room ? EFBIG : 0;
  if (const int problem = file_.problem()) return problem;
  if (why != 0) lines = whole_lines(lines.substr(0, room));
  std::uint64_t written = 0;
  const int error = write_all(file_.number(), lines, written);
  if (error != 0) {
    why = error;
    const std::uint64_t whole = whole_lines(lines.substr(0, written)).size();
    if (whole != written && ftruncate(file_.number(), static_cast<off_t>(in_file_ + whole)) == 0) written = whole;
  }
  in_file_ += written;
  return why;
}

void Writer::take_back(std::uint64_t bytes) {
  collected_.clear();
  if (file_.problem() != 0 || ftruncate(file_.number(), static_cast<off_t>(bytes)) != 0) return;
  in_file_ = bytes;
  why_stopped_.store(0, std::memory_order_relaxed);
}

int Writer::sync() {
  flush();
  if (const int problem = file_.problem()) return problem;
  if (fsync(file_.number()) == 0) return 0;
  return errno == EINVAL || errno == EROFS || errno == ENOTSUP ? 0 : errno;  // nothing to be done on such a file
}

int Writer::publish(const std::string& path) {
  if (is_removed()) return ENOENT;
  if (const int error = sync()) return error;
  if (const Stop why = stopped()) return why.limit_reached ? EFBIG : why.error;
  // Nothing is overwritten: nobody but this process makes the name.
  if (access(path.c_str(), F_OK) == 0) return EEXIST;
  return std::rename(path_.c_str(), path.c_str()) == 0 ? 0 : errno;
}

}  // namespace ddtscope::trace
