// What was read from and written to each file, and how it was viewed.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "reporters/model/file_traffic.h"
#include "reporters/model/uses.h"
#include "reporters/text/columns.h"
#include "reporters/text/report.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t most_files = 1000;
constexpr std::size_t most_views = 20;  // of one file

std::string words_listed(const std::vector<std::string_view>& words) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(most_listed, words.size()); ++i) texts.push_back(printable(words[i]));
  return some_listed(texts, words.size());
}

std::string types_text(const Job& job, const std::vector<FileType>& types) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(most_listed, types.size()); ++i) {
    texts.push_back(type_in_words(job, types[i].type));
  }
  return some_listed(texts, types.size());
}

std::string displacement_text(const FileView& view) {
  if (!view.lowest) return "at the shared file pointer";
  const std::string lowest = grouped(Exact(*view.lowest));
  return *view.lowest == *view.highest ? "from byte " + lowest + " on"
                                       : "from bytes " + lowest + " to " + grouped(Exact(*view.highest)) + " on";
}

void print_views(std::ostream& out, const TextContext& context, const FileTraffic& file) {
  const std::size_t shown = std::min(most_views, file.views.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const FileView& view = file.views[i];
    out << "  " << printable(file.name) << " seen as " << type_in_words(context.job, view.filetype) << " of "
        << type_in_words(context.job, view.etype) << ", " << displacement_text(view) << ", "
        << (view.datarep.empty() ? "its data representation is not known" : printable(view.datarep)) << "  ("
        << counted(view.count, "call", "calls") << ")\n";
  }
  if (file.views.size() > shown) {
    out << "  ... and " << grouped(std::uint64_t{file.views.size() - shown})
        << " more views of it: `ddtscope uses --by file --json` lists all\n";
  }
}

}  // namespace

void report_files(std::ostream& out, const TextContext& context, const UsesQuery& query) {
  const Job& job = context.job;
  const std::vector<FileTraffic> files = selected_files(job, query, context.symbols);
  if (files.empty()) {
    const char* const known = uses_are_recorded(job)
                                  ? "The program opened no file by MPI_File_open.\n"
                                  : "The program opened no file by MPI_File_open that was recorded.\n";
    out << (query.filter.empty() ? known
                                 : "No file, or type, function, argument or call site of one, is \"" +
                                       printable(query.filter) + "\".\n");
    return;
  }
  const std::size_t shown = std::min(most_files, files.size());
  std::vector<std::array<std::string, 7>> lines{{"written", "read", "calls", "file", "opened with", "called", "types"}};
  for (std::size_t i = 0; i < shown; ++i) {
    const FileTraffic& file = files[i];
    lines.push_back({bytes_in_words(file.amounts.written), bytes_in_words(file.amounts.read),
                     grouped(file.amounts.calls), printable(file.name), words_listed(file.modes),
                     words_listed(file.called), types_text(job, file.types)});
  }
  print_table<7>(out, context.style, lines,
                 {Align::right, Align::right, Align::right, Align::left, Align::left, Align::left, Align::none});
  if (files.size() > shown) {
    out << "... and " << grouped(std::uint64_t{files.size() - shown})
        << " more: `ddtscope uses --by file --json` lists all\n";
  }
  if (std::any_of(files.begin(), files.begin() + static_cast<std::ptrdiff_t>(shown),
                  [](const FileTraffic& file) { return !file.views.empty(); })) {
    out << "\n" << context.style(Role::heading, "Views") << "\n";
    for (std::size_t i = 0; i < shown; ++i) print_views(out, context, files[i]);
  }
}

void report_number_of_files(std::ostream& out, const TextContext& context) {
  const std::vector<FileTraffic> files = file_traffic_of(context.job);
  if (files.empty()) return;
  FileAmounts all;
  for (const FileTraffic& file : files) {
    all.written = all.written + file.amounts.written;
    all.read = all.read + file.amounts.read;
  }
  out << "\n"
      << context.style(Role::heading, "Files") << ": " << grouped(std::uint64_t{files.size()}) << " opened"
      << ", " << bytes_in_words(all.written) << " written, " << bytes_in_words(all.read)
      << " read: `ddtscope uses --by file` lists them\n";
}

}  // namespace ddtscope::reporters
