#include "reporters/json/whole_file.h"

#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>

namespace ddtscope::reporters {

std::optional<TraceProblem> write_whole_file(const std::filesystem::path& file,
                                             const std::function<void(std::ostream&)>& write) {
  const std::filesystem::path unfinished = file.string() + "." + std::to_string(getpid()) + ".unfinished";
  errno = 0;
  std::ofstream stream(unfinished);
  if (stream) {
    write(stream);
    stream.close();
  }
  std::error_code error(errno, std::generic_category());
  if (stream) std::filesystem::rename(unfinished, file, error);
  if (stream && !error) return std::nullopt;
  std::error_code ignored;
  std::filesystem::remove(unfinished, ignored);
  return TraceProblem{TraceProblem::Kind::unreadable, file.string() + ": cannot be written (" + error.message() +
                                                          "); is the disk full, or the trace "
                                                          "somebody else's?"};
}

}  // namespace ddtscope::reporters
