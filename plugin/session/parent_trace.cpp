#include "plugin/session/parent_trace.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "plugin/session/output_folder.h"
#include "reporters/trace/format/file_io.h"
#include "reporters/trace/reduce/json_text.h"

namespace ddtscope::plugin {
namespace {

constexpr std::size_t longest_header = std::size_t{1} << 20;
// A process of the parent may spawn a moment before its rank 0 has written the header.
constexpr int most_attempts = 100;
constexpr long attempt_ns = 10'000'000;
constexpr time_t just_made_s = 60;

struct FirstLine {
  std::string text;       // empty where it is not whole
  bool may_come = false;  // the file was made just now
};

FirstLine first_line_of(const std::string& path) {
  FirstLine line;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return line;
  struct stat status {};
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
    std::string text(longest_header, '\0');
    int error = 0;
    text.resize(trace::read_at(file, 0, text, error));
    const std::size_t feed = text.find('\n');
    if (feed != text.npos) {
      line.text = text.substr(0, feed);
    } else {
      line.may_come = status.st_mtime + just_made_s > time(nullptr);
    }
  }
  close(file);
  return line;
}

class Search {
 public:
  explicit Search(const LaunchedWorld& world) : world_(world) {}

  void look_into(const std::string& folder) {
    // Where the parent found no parent's trace itself, it is the first of its own.
    look_for(folder, WorldNumber{});
    if (!world_.parent_number.is_first()) look_for(folder, world_.parent_number);
  }

  /// All folders of `folder` whose names begin so.
  void look_beside(const std::string& folder, std::string_view prefix) {
    DIR* const entries = opendir(folder.c_str());
    if (!entries) return;
    while (const dirent* entry = readdir(entries)) {
      if (std::string_view(entry->d_name).starts_with(prefix)) look_into(folder + "/" + entry->d_name);
    }
    closedir(entries);
  }

  const std::optional<ParentTrace>& found() const { return found_; }
  bool may_come() const { return may_come_; }

 private:
  void look_for(const std::string& folder, WorldNumber number) {
    // The file of rank 0 goes when the other one is there.
    look_at(folder, file_stem_of({number, 0}) + ".jsonl");
    look_at(folder, merged_file_of(number));
  }
  void look_at(const std::string& folder, const std::string& name) {
    // Where it has used up its numbers, the launcher gives them again.
    if (access((folder + "/" + merged_file_of(world_.number)).c_str(), F_OK) == 0) return;
    const FirstLine line = first_line_of(folder + "/" + name);
    may_come_ = may_come_ || line.may_come;
    if (reduce::text_of_string(reduce::member_of(line.text, "launcher_job")) != world_.parent) return;
    // A launcher's names come again after a while: the youngest trace is the one.
    const std::string started = reduce::text_of_string(reduce::member_of(line.text, "started"));
    if (found_ && started <= started_) return;
    started_ = started;
    found_ = ParentTrace{folder, reduce::text_of_string(reduce::member_of(line.text, "job")), {}};
    const std::string_view number = reduce::member_of(line.text, "world");
    if (!number.empty()) found_->world.value = static_cast<std::int64_t>(reduce::count_of(number));
  }

  const LaunchedWorld& world_;
  std::optional<ParentTrace> found_;
  std::string started_;
  bool may_come_ = false;
};

void look_for(Search& search, const std::string& wanted) {
  if (wanted.empty()) return search.look_beside(absolute_folder(""), "ddtscope-");
  const std::string path = absolute_folder(wanted);
  search.look_into(path);
  const std::size_t slash = path.rfind('/');
  search.look_beside(path.substr(0, std::max<std::size_t>(slash, 1)), path.substr(slash + 1) + "-");
}

}  // namespace

std::optional<ParentTrace> find_parent_trace(const LaunchedWorld& world, const std::string& wanted) {
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    Search search(world);
    look_for(search, wanted);
    if (search.found() || !search.may_come()) return search.found();
    const timespec pause{0, attempt_ns};
    nanosleep(&pause, nullptr);
  }
  return std::nullopt;
}

}  // namespace ddtscope::plugin
