// Choosing and making the trace's folder.
#include "plugin/session/output_folder.h"

#include <dirent.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string_view>

#include "reporters/trace/write/json_line.h"

namespace ddtscope::plugin {
namespace {

enum class WhoseTrace : std::uint8_t { unknown, of_this_job, of_another };

/// By its first line. A file without a whole one was just made, by a process that starts at the same time: of the same
/// job, as far as anyone can know.
WhoseTrace whose_trace(const std::string& file, const std::string& job) {
  std::ifstream stream(file);
  std::string header;
  std::getline(stream, header);
  if (stream.eof()) return WhoseTrace::unknown;
  trace::JsonLine member;
  member.key("job").string(job);
  return header.find(member.text()) != std::string::npos ? WhoseTrace::of_this_job : WhoseTrace::of_another;
}

bool holds_trace_of_another_job(const std::string& path, const std::string& job, Claim claim) {
  DIR* folder = opendir(path.c_str());
  if (!folder) return false;
  // One that tells is enough: each of many processes may look.
  WhoseTrace found = WhoseTrace::unknown;
  while (const dirent* item = found == WhoseTrace::unknown ? readdir(folder) : nullptr) {
    if (!std::string_view(item->d_name).ends_with(".jsonl")) continue;
    found = claim == Claim::whole_job ? WhoseTrace::of_another : whose_trace(path + '/' + item->d_name, job);
  }
  closedir(folder);
  return found == WhoseTrace::of_another;
}

/// A launcher's or a user's id may be a path; a part of a folder's name it can be without slashes only.
std::string in_a_name(std::string job) {
  std::replace(job.begin(), job.end(), '/', '_');
  return job;
}

}  // namespace

std::string shell_word(const std::string& path) {
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) != 0 || std::strchr("_./+:@%,=-", c) != nullptr; };
  if (!path.empty() && std::all_of(path.begin(), path.end(), is_plain)) return path;
  std::string word = "'";
  for (const char c : path) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + "'";
}

std::string absolute_folder(const std::string& path) {
  std::string absolute = path;
  char here[PATH_MAX];
  if (!path.starts_with('/') && getcwd(here, sizeof here)) absolute = std::string(here) + '/' + path;
  while (absolute.size() > 1 && absolute.ends_with('/')) absolute.pop_back();
  return absolute;
}

bool make_folder(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    if (mkdir(path.substr(0, slash).c_str(), 0777) != 0 && errno != EEXIST && errno != EROFS && errno != EACCES)
      return false;
  }
  if (mkdir(path.c_str(), 0777) == 0) return true;
  if (errno != EEXIST) return false;
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return false;
  if (S_ISDIR(status.st_mode)) return true;
  errno = ENOTDIR;
  return false;
}

OutputFolder make_output_folder(const std::string& wanted, const std::string& program, const std::string& job,
                                Claim claim) {
  OutputFolder result;
  std::string path = absolute_folder(wanted.empty() ? "ddtscope-" + program + "-" + in_a_name(job) : wanted);
  if (holds_trace_of_another_job(path, job, claim)) {
    result.notice = path + " holds another job's trace; this one goes to " + path + "-" + in_a_name(job);
    path += "-" + in_a_name(job);
  }
  if (!make_folder(path) || access(path.c_str(), W_OK | X_OK) != 0) {
    result.notice = "no trace is written: the folder " + path + " cannot be made or written (" + std::strerror(errno) +
                    "); name another one with -o or DDTSCOPE_OUTPUT";
    return result;
  }
  result.path = std::move(path);
  return result;
}

}  // namespace ddtscope::plugin
