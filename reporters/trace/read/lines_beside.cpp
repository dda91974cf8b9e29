#include "reporters/trace/read/lines_beside.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "reporters/trace/format/file_io.h"

namespace ddtscope {
namespace {

using trace::LinesFileHeader;

class OpenFile {
 public:
  explicit OpenFile(const std::filesystem::path& path)
      : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~OpenFile() {
    if (number_ >= 0) ::close(number_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

/// What is wrong with a header that is whole; the lines may still be fewer than it says.
std::optional<std::string> problem_of(const LinesFileHeader& header, std::uint64_t trace) {
  if (std::memcmp(header.magic, trace::lines_file_magic, sizeof header.magic) != 0) {
    return "this is no file of a trace's last lines; remove it, the trace is read without.";
  }
  if (header.byte_order != trace::lines_file_byte_order) {
    return "was written on a machine of the other byte order; read it on one like that.";
  }
  if (header.version > trace::lines_file_version) {
    return "has version " + std::to_string(header.version) + ", but this ddtscope reads versions up to " +
           std::to_string(trace::lines_file_version) + "; use the ddtscope that wrote it, or a newer one.";
  }
  if (header.trace != trace) {
    return "has the last lines of another trace than the one beside it; remove it, the trace is read without.";
  }
  if (header.length > trace::lines_file_room) {
    return "is damaged: its header does not fit its size; remove it, the trace is read without its last lines then.";
  }
  return std::nullopt;
}

}  // namespace

std::variant<LinesBeside, TraceProblem> read_lines_beside(const std::filesystem::path& trace_file,
                                                          std::uint64_t trace) {
  const std::filesystem::path path = lines_file_of(trace_file);
  const auto refused = [&](const std::string& sentence) {
    return TraceProblem{TraceProblem::Kind::unreadable, path.string() + ": " + sentence};
  };
  LinesBeside beside;
  std::error_code ignored;
  if (path == trace_file || !std::filesystem::is_regular_file(path, ignored)) return beside;
  const OpenFile file(path);
  if (file.number() < 0) {
    if (errno == ENOENT) return beside;
    return refused("cannot be read (" + std::string(std::strerror(errno)) + "); check its permissions.");
  }
  LinesFileHeader header{};
  if (!trace::read_all_at(file.number(), 0, &header, sizeof header)) return beside;  // killed while it was made
  if (std::all_of(std::begin(header.magic), std::end(header.magic), [](char c) { return c == '\0'; })) return beside;
  if (const auto problem = problem_of(header, trace)) return refused(*problem);
  beside.begin = header.begin;
  beside.lines.resize(header.length);
  if (!trace::read_all_at(file.number(), trace::lines_file_header_bytes, beside.lines.data(), beside.lines.size())) {
    return refused("is cut short: it says that it has " + std::to_string(header.length) +
                   " bytes of lines; remove it, the trace is read without its last lines then.");
  }
  // Once more: a process that runs may have put others in their place meanwhile.
  LinesFileHeader after{};
  const bool is_same = trace::read_all_at(file.number(), 0, &after, sizeof after) && after.begin == header.begin &&
                       after.length >= header.length;
  beside.state = is_same ? LinesBeside::State::read : LinesBeside::State::changing;
  return beside;
}

}  // namespace ddtscope
