// Traces of any kind, read and reported in every form. The input holds the files of a trace, divided by lines that
// hold "---" only: the first is rank-0.jsonl, others are of further ranks; one that begins as a counter file does is
// that of rank 0.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "reporters/fuzz/mutate_lines.h"
#include "reporters/html/report.h"
#include "reporters/json/json.h"
#include "reporters/json/json_format.h"
#include "reporters/merge/merge.h"
#include "reporters/model/job.h"
#include "reporters/model/waiting.h"
#include "reporters/sarif/sarif_format.h"
#include "reporters/text/report.h"
#include "reporters/trace/format/counter_file.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace ddtscope::reporters::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_files = 4;
constexpr std::size_t types_shown = 4;
constexpr std::string_view divider = "\n---\n";

/// A folder of this process, in memory where there is such a file system.
const fs::path& folder() {
  static const fs::path path = [] {
    const fs::path memory = "/dev/shm";
    const fs::path parent = fs::is_directory(memory) ? memory : fs::temp_directory_path();
    fs::path made = parent / ("ddtscope-fuzz-" + std::to_string(getpid()));
    fs::create_directories(made);
    std::atexit([] { fs::remove_all(folder()); });
    return made;
  }();
  return path;
}

void write_files(std::string_view input) {
  for (const auto& entry : fs::directory_iterator(folder())) fs::remove_all(entry.path());
  int rank = 0;
  for (std::size_t n = 0; n < most_files && !input.empty(); ++n) {
    const std::size_t end = std::min(input.find(divider), input.size());
    const std::string_view part = input.substr(0, end == input.size() ? end : end + 1);
    input.remove_prefix(std::min(input.size(), end + divider.size()));
    const bool counts = part.starts_with(std::string_view(trace::counter_file_magic, sizeof trace::counter_file_magic));
    const std::string name = counts ? "rank-0.counters" : "rank-" + std::to_string(rank++) + ".jsonl";
    std::ofstream(folder() / name, std::ios::binary) << part;
  }
}

void fail(const char* what, const std::string& text) {
  std::fprintf(stderr, "%s: %s\n", what, text.c_str());
  std::abort();
}

/// What goes to a terminal has no control characters but line feeds, and is UTF-8.
void check_text(const std::string& text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    if (printable(line) != line) fail("not printable", line);
    begin = end + 1;
  }
}

void check_json(const std::string& text) {
  if (Json::parse(text, nullptr, false).is_discarded()) fail("not JSON", text);
}

void report_all(const Job& job) {
  Analysis analysis(job);
  Symbols symbols;
  const ReportContext context{job, analysis, symbols};
  const TextFormat text{Style(Colour::never)};
  const JsonFormat json;
  const SarifFormat sarif;  // JSON that has its own of findings
  const WaitingRanks waiting = waiting_ranks(job);
  for (const ReportFormat* format : std::initializer_list<const ReportFormat*>{&text, &json, &sarif}) {
    const auto written = [&](auto write) {
      std::ostringstream out;
      write(out);
      if (format == &text) {
        check_text(out.str());
      } else {
        check_json(out.str());
      }
    };
    written([&](std::ostream& out) {
      JobFindings findings(job, analysis);
      format->check(out, context, findings);
    });
    if (format == &sarif) break;
    written([&](std::ostream& out) { format->summary(out, context); });
    written([&](std::ostream& out) { format->types(out, context, TypesOrder::blocks); });
    written([&](std::ostream& out) { format->layout_groups(out, context); });
    for (const UsesBy by : {UsesBy::bytes, UsesBy::calls, UsesBy::type, UsesBy::site, UsesBy::pair,
                            UsesBy::communicator, UsesBy::window, UsesBy::file}) {
      written([&](std::ostream& out) { format->uses(out, context, {.by = by}); });
    }
    written([&](std::ostream& out) { format->pending(out, context, waiting); });
    for (std::size_t i = 0; i < std::min(types_shown, job.types.size()); ++i) {
      const TypeNumber number = job.types[job.types.size() - 1 - i].number;
      ShowOptions show{number, {}, 50, i % 2 == 0 ? 3 : INT64_MAX, true};
      written([&](std::ostream& out) { format->show(out, context, show); });
      for (const View view : {View::rows, View::grid, View::runs, View::tree}) {
        show.view = view;
        written([&](std::ostream& out) { format->show(out, context, show); });
      }
    }
  }
}

void write_page(const Job& job) {
  Analysis analysis(job);
  Symbols symbols;
  std::ostringstream page;
  write_html_report(page, {job, analysis, symbols});
  if (!page.view().ends_with("</html>\n")) fail("no whole page", page.str());
}

/// What is merged is read again, and has the same types.
void merge_and_read(const Job& job) {
  static const fs::path place = folder() / "merged";
  fs::create_directories(place);
  const fs::path file = place / "trace.jsonl";
  if (const auto problem = write_merged(job, file)) fail("not merged", problem->sentence);
  const fs::path paths[] = {file};
  const LoadResult loaded = load_job(paths);
  if (const auto* problem = std::get_if<TraceProblem>(&loaded)) fail("merged, but not read", problem->sentence);
  const Job& merged = *std::get<std::unique_ptr<Job>>(loaded);
  if (merged.types.size() != job.types.size() || merged.ranks.size() != job.ranks.size()) {
    fail("merged otherwise", file.string());
  }
  for (std::size_t i = 0; i < job.types.size(); ++i) {
    const JobType& a = job.types[i];
    const JobType& b = merged.types[i];
    const auto places = [](const Job& of, const JobType& type) {
      const InstancesTable::Range instances = of.instances.of(type.number);
      return std::distance(instances.begin(), instances.end());
    };
    if (job.store[a.definition].key != b.key || job.names(a.number) != merged.names(b.number) ||
        places(job, a) != places(merged, b)) {
      fail("merged otherwise", text_of(a.number));
    }
  }
}

void run(std::string_view input) {
  write_files(input);
  const fs::path paths[] = {folder()};
  const LoadResult loaded = load_job(paths);
  if (const auto* problem = std::get_if<TraceProblem>(&loaded)) {
    if (problem->sentence.empty() || problem->sentence.find('\n') != std::string::npos) {
      fail("not one sentence", problem->sentence);
    }
    return;
  }
  const Job& job = *std::get<std::unique_ptr<Job>>(loaded);
  report_all(job);
  write_page(job);
  merge_and_read(job);
}

}  // namespace
}  // namespace ddtscope::reporters::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  std::mt19937 random(seed);
  if (random() % 8 == 0) return LLVMFuzzerMutate(data, size, most);
  std::string text(reinterpret_cast<const char*>(data), size);
  text = ddtscope::reporters::fuzz::mutate_lines(std::move(text), random);
  text.resize(std::min(text.size(), most));
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ddtscope::reporters::fuzz::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
