// Tabs between fields, newlines between records.
#include "testapps/differential/records.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace ddtscope::differential {

void write_record(int descriptor, const Record& record) {
  std::string text;
  for (const std::string& field : record) {
    if (&field != &record.front()) text += '\t';
    const std::size_t begin = text.size();
    text += field;
    std::replace_if(
        text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), [](char c) { return c == '\t' || c == '\n'; },
        ' ');
  }
  text += '\n';
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t n = write(descriptor, text.data() + written, text.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // nobody reads: nobody wants to know
    written += static_cast<std::size_t>(n);
  }
}

bool RecordReader::read_from(int descriptor) {
  std::array<char, 65536> buffer;
  ssize_t n = 0;
  do {
    n = read(descriptor, buffer.data(), buffer.size());
  } while (n < 0 && errno == EINTR);
  if (n <= 0) return false;
  pending_.append(buffer.data(), static_cast<std::size_t>(n));
  return true;
}

bool RecordReader::next(Record& record) {
  const std::size_t end = pending_.find('\n');
  if (end == std::string::npos) return false;
  record.assign(1, {});
  for (std::size_t i = 0; i < end; ++i) {
    if (pending_[i] == '\t') {
      record.emplace_back();
    } else {
      record.back() += pending_[i];
    }
  }
  pending_.erase(0, end + 1);
  return true;
}

Record record_of(const Difference& difference) {
  return {std::to_string(static_cast<int>(difference.aspect)), std::to_string(static_cast<int>(difference.kind)),
          difference.expected, difference.got};
}

Difference difference_of(const Record& record, std::size_t first) {
  Difference difference = {static_cast<Aspect>(std::stoi(record.at(first))),
                           static_cast<Difference::Kind>(std::stoi(record.at(first + 1)))};
  difference.expected = record.at(first + 2);
  difference.got = record.at(first + 3);
  return difference;
}

Difference casualty_difference(Aspect aspect, int status) {
  Difference difference = {aspect, Difference::Kind::crash};
  difference.expected = "an answer";
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    const char* name = sigabbrev_np(signal);
    difference.got = name == nullptr ? "signal " + std::to_string(signal) : std::string("SIG") + name;
    if (signal == SIGKILL || signal == SIGALRM) difference.kind = Difference::Kind::hang;
  } else {
    difference.got = "exit status " + std::to_string(WEXITSTATUS(status));
  }
  return difference;
}

}  // namespace ddtscope::differential
