// The files of a trace.
#include "reporters/trace/read/trace_files.h"

#include <algorithm>
#include <set>

namespace ddtscope {

std::variant<std::vector<std::filesystem::path>, TraceProblem> find_trace_files(
    std::span<const std::filesystem::path> paths) {
  std::vector<std::filesystem::path> files;
  for (const auto& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::filesystem::path> inside;
    std::filesystem::directory_iterator entries(path, error);
    if (error) {
      return TraceProblem{TraceProblem::Kind::unreadable,
                          path.string() + ": cannot be read (" + error.message() + "); check its permissions."};
    }
    for (; entries != std::filesystem::directory_iterator(); entries.increment(error)) {
      if (entries->path().extension() == ".jsonl") {
        inside.push_back(entries->path());
      }
      if (error) {
        break;
      }
    }
    if (inside.empty()) {
      return TraceProblem{TraceProblem::Kind::unreadable,
                          path.string() +
                              ": no trace is in this folder, because it holds no *.jsonl file; give the folder that "
                              "`ddtscope exec -o` wrote."};
    }
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  // The same file twice would be the same rank twice.
  std::set<std::filesystem::path> seen;
  std::erase_if(files, [&](const auto& file) {
    std::error_code error;
    const auto canonical = std::filesystem::weakly_canonical(file, error);
    return !seen.insert(error ? file : canonical).second;
  });
  return files;
}

}  // namespace ddtscope
