// Command lines of any kind, and the reports that they ask for. The input holds the words, with a zero behind each.
// Programs and debuggers are not started, processes not looked at; traces are the golden ones or do not exist, and
// nothing can be written where results are to go.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reporters/cli/options.h"
#include "reporters/measure/program.h"
#include "reporters/measure/subject.h"

namespace ddtscope::reporters::fuzz {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void stumble(const std::string& what, const std::string& output) {
  std::fprintf(stderr, "%s: %s\n", what.c_str(), output.c_str());
  std::abort();
}

/// What goes to the standard output and the standard error meanwhile.
class Captured {
 public:
  Captured() : out_before_(std::cout.rdbuf(out_.rdbuf())), errors_before_(std::cerr.rdbuf(errors_.rdbuf())) {}
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  ~Captured() {
    std::cout.rdbuf(out_before_);
    std::cerr.rdbuf(errors_before_);
  }
  std::string out() const { return out_.str(); }
  std::string errors() const { return errors_.str(); }

 private:
  std::ostringstream out_, errors_;
  std::streambuf* out_before_;
  std::streambuf* errors_before_;
};

/// The golden trace that a word stands for, or a file of that name where there are none.
fs::path harmless(const fs::path& path) {
  static const std::vector<fs::path> traces = [] {
    std::vector<fs::path> found;
    for (const char* version : {"v1", "v2", "v5", "v6", "v7", "v8", "v9"}) {
      for (const auto& entry : fs::directory_iterator(fs::path(DDTSCOPE_TESTDATA) / version)) {
        found.push_back(entry.path());
      }
    }
    std::sort(found.begin(), found.end());
    return found;
  }();
  const std::string& text = path.native();
  if (text.size() == 1 && text[0] >= 'a' && static_cast<std::size_t>(text[0] - 'a') < traces.size()) {
    return traces[static_cast<std::size_t>(text[0] - 'a')];
  }
  return fs::path("/dev/null/" + text);
}

void make_harmless(std::vector<fs::path>& paths) {
  for (fs::path& path : paths) path = harmless(path);
}

/// All but what programs say: what they would be made of, and the report of what one says that ends at once.
int measure_without_programs(const MeasureOptions& options, const Job& job, const std::vector<TypeNumber>& types) {
  Measurement measurement;
  for (const TypeNumber number : types) {
    const auto made = subject_of(job, number, options.count);
    if (const auto* why = std::get_if<std::string>(&made)) {
      measurement.types.emplace_back().type = number;
      measurement.types.back().why_not = *why;
      continue;
    }
    const MeasureSubject& subject = std::get<MeasureSubject>(made);
    const std::string program = program_of(subject);
    if (program.find('@') != program.npos) stumble("a place of the program is not filled", program);
    if (table_of(subject).size() < 16) stumble("the table is too short", program);
    measurement.types.push_back(answers_of(subject, "").type);
  }
  options.report.format->measurement(std::cout, job, measurement);
  return exit_fine;
}

struct Run {
  int operator()(const Said& said) const { return said.status; }
  int operator()(const LaunchOptions& options) const {
    if (options.command.empty()) stumble("a program without a name is to be started", "");
    return exit_fine;
  }
  int operator()(const DebuggerOptions&) const { return exit_fine; }
  int operator()(SummaryCommand& command) const {
    make_harmless(command.report.traces);
    return run_summary(command.report);
  }
  int operator()(PendingOptions& command) const {
    make_harmless(command.report.traces);
    return run_pending(command);
  }
  int operator()(UsesOptions& command) const {
    make_harmless(command.report.traces);
    return run_uses(command);
  }
  int operator()(TypesOptions& command) const {
    make_harmless(command.report.traces);
    return run_types(command);
  }
  int operator()(CheckOptions& command) const {
    make_harmless(command.report.traces);
    make_harmless(command.suppressions);
    return run_check(command);
  }
  int operator()(ShowVerbOptions& options) const {
    make_harmless(options.report.traces);
    // A typemap of any length is asked for, but not all of it printed here.
    if (options.typemap_entries) options.typemap_entries = std::min<std::size_t>(*options.typemap_entries, 100);
    return run_show(options);
  }
  int operator()(CodeVerbOptions& options) const {
    make_harmless(options.traces);
    return run_code(options);
  }
  int operator()(MatchOptions& options) const {
    make_harmless(options.report.traces);
    return run_match(options);
  }
  int operator()(MeasureOptions& options) const {
    make_harmless(options.report.traces);
    return run_measure(options, measure_without_programs);
  }
  int operator()(StructVerbOptions& options) const {
    options.program = harmless(options.program);
    return run_struct_code(options);
  }
  int operator()(PageOptions& options) const {
    make_harmless(options.traces);
    options.file = "/dev/null/" + options.file.native();
    return run_report(options);
  }
  int operator()(DiffOptions& options) const {
    options.before = harmless(options.before);
    options.after = harmless(options.after);
    if (!options.page.empty()) options.page = "/dev/null/" + options.page.native();
    return run_diff(options);
  }
  int operator()(MergeCommand& command) const {
    make_harmless(command.traces);
    return run_merge(command.traces, "/dev/null/" + command.folder.native());
  }
  int operator()(const ResolveOptions&) const { return exit_fine; }  // it writes beside the trace
  int operator()(RecoverOptions& options) const {
    make_harmless(options.cores);
    options.processes.clear();
    if (options.cores.empty()) return exit_fine;
    options.folder = "/dev/null/" + options.folder.native();
    return run_recover(options);
  }
  int operator()(const ExplainOptions& options) const { return run_explain(options); }
};

/// Without the sequences for colours that ddtscope itself writes.
std::string without_colours(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const std::size_t end = text.starts_with("\x1b[") ? text.find_first_not_of("0123456789;", 2) : text.npos;
    if (end != text.npos && text[end] == 'm') {
      text.remove_prefix(end + 1);
    } else {
      plain += text.front();
      text.remove_prefix(1);
    }
  }
  return plain;
}

/// What a terminal would obey, or could not show.
void check_printable(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool is_c1 = byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if ((byte < 0x20 && byte != '\n') || byte == 0x7F || is_c1) stumble("a control character is printed", text);
  }
  try {
    static_cast<void>(nlohmann::json(text).dump());
  } catch (const nlohmann::json::exception&) {
    stumble("what is printed is no UTF-8", text);
  }
}

bool is_json_wanted(const Command& command) {
  return std::visit(
      [](const auto& wanted) {
        if constexpr (requires { wanted.report; }) {
          return wanted.report.format->name() == "json";
        } else if constexpr (requires { wanted.format; }) {
          return wanted.format->name() == "json";
        } else {
          return false;
        }
      },
      command);
}

void check(const std::vector<std::string>& words) {
  const Captured captured;
  Command command = command_of(words);
  const bool is_said = std::holds_alternative<Said>(command);
  if (!is_said && !(captured.out() + captured.errors()).empty()) {
    stumble("something is said of what is to be done", captured.out() + captured.errors());
  }
  const bool is_json = is_json_wanted(command);
  const int status = std::visit(Run(), command);
  const std::string out = captured.out();
  const std::string errors = captured.errors();
  if (status < exit_fine || status > exit_unreadable) stumble("the status is " + std::to_string(status), errors);
  check_printable(without_colours(out));
  check_printable(errors);
  const bool is_refused = status == exit_usage || status == exit_unreadable;
  if (is_refused == errors.empty()) stumble("the status " + std::to_string(status) + " does not go with", errors);
  // Under it may stand what somebody wrote, with a caret under the place.
  const std::size_t sentence = errors.find('\n') + 1;
  const std::string excerpt = errors.substr(std::min(sentence, errors.size()));
  const bool is_place =
      excerpt.starts_with("  ") && excerpt.ends_with("^\n") && std::count(excerpt.begin(), excerpt.end(), '\n') == 2;
  if (is_refused && (!errors.starts_with("ddtscope: ") || !(excerpt.empty() || is_place))) {
    stumble("that is not one sentence", errors);
  }
  if (is_refused && !out.empty()) stumble("output in spite of an error", out);
  if (!is_refused && is_json && !nlohmann::json::accept(out)) stumble("that is no JSON", out);
}

}  // namespace
}  // namespace ddtscope::reporters::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> words;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\0'), rest.size());
    words.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
  ddtscope::reporters::fuzz::check(words);
  return 0;
}
