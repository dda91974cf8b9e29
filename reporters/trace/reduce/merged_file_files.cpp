// The files that the ranks opened, their views, and what was accessed in them, as lines of the merged trace.
#include "reporters/trace/format/number_of_text.h"
#include "reporters/trace/reduce/json_text.h"
#include "reporters/trace/reduce/merged_file.h"

namespace ddtscope::reduce {

OpenedFileNumber MergedFile::file_of(BodyReader& body) const {
  const auto file = file_numbers_.find(body.number());
  if (file == file_numbers_.end()) throw NotReduced("a file is missing");
  return {file->second};
}

void MergedFile::write_files() {
  for (const Record& record : files_) {
    const OpenedFileNumber number{static_cast<std::uint32_t>(file_numbers_.size())};
    file_numbers_.emplace(record.key, number.value);
    BodyReader body(record.body);
    std::string words[5];
    for (std::string& word : words) {
      const std::string_view text = body.text();
      if (text != "null") word = text_of_string(text);
    }
    writer_.opened_file({.number = number,
                         .name = words[0],
                         .communicator = words[1],
                         .mode = words[2],
                         .called = words[3],
                         .binding = words[4],
                         .site = site(body.number()),
                         .ranks = record.parts[0].ranks.ranges()});
  }
  for (const Record& record : views_) {
    BodyReader body(record.body);
    trace::ViewLine line;
    line.file = file_of(body);
    const WrittenType etype = written(body.text());
    const WrittenType filetype = written(body.text());
    line.etype = {etype.definition, etype.predefined};
    line.filetype = {filetype.definition, filetype.predefined};
    const std::string datarep = text_of_string(body.text());
    const std::string called = text_of_string(body.text());
    const std::string binding = text_of_string(body.text());
    line.datarep = datarep;
    line.called = called;
    line.binding = binding;
    line.site = site(body.number());
    const std::optional<std::int64_t> lowest = integer_or_null_of(body.text());
    const std::optional<std::int64_t> highest = integer_or_null_of(body.text());
    line.is_at_current = !lowest;
    line.lowest = lowest.value_or(0);
    line.highest = highest.value_or(0);
    line.count = count_of(body.text());
    line.ranks = record.parts[0].ranks.ranges();
    writer_.view(line);
  }
  for (const Record& record : file_accesses_) {
    BodyReader body(record.body);
    trace::FileAccessesLine line;
    line.file = file_of(body);
    ArgumentWords words;
    read_argument(body, line, words);
    line.site = site(body.number());
    line.count = count_of(body.text());
    line.ranks = record.parts[0].ranks.ranges();
    writer_.file_accesses(line);
  }
}

}  // namespace ddtscope::reduce
