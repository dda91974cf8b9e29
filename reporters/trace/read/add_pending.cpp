#include "reporters/trace/read/add_pending.h"

#include <utility>

#include "reporters/trace/format/use_parameter.h"
#include "reporters/trace/read/counter_reader.h"
#include "reporters/trace/read/pending_reader.h"

namespace ddtscope {
namespace {

/// What is not in the trace file cannot be named.
OperationRecord record_of(const trace::PendingOperation& operation, const RecordReader& reader, Words& words) {
  OperationRecord record;
  record.called = words.kept(text_of_field(operation.called));
  record.binding = words.kept(text_of_field(operation.binding));
  record.elements = operation.elements;
  if (operation.site < reader.frames()) record.site = FrameNumber{operation.site};
  if (operation.parameter == 0 || operation.parameter > UINT8_MAX) return record;
  record.parameter = static_cast<trace::UseParameter>(operation.parameter);
  if (operation.definition < reader.definitions()) {
    record.type = DefinitionNumber{operation.definition};
  } else if (operation.predefined < reader.predefined().size()) {
    record.type = words.kept(reader.predefined()[operation.predefined]);
  }
  return record;
}

}  // namespace

void add_pending(const std::filesystem::path& file, RecordReader& reader, Words& words) {
  auto read = read_pending_file(file);
  if (auto* problem = std::get_if<TraceProblem>(&read)) {
    reader.end().pending = PendingRecord{std::move(problem->sentence), {}, {}};
    return;
  }
  auto& found = std::get<std::optional<PendingFile>>(read);
  if (!found) return;
  PendingRecord record{{}, std::move(*found), {}};
  for (const trace::PendingOperation& operation : record.file.operations) {
    record.operations.push_back(record_of(operation, reader, words));
  }
  reader.end().pending = std::move(record);
}

}  // namespace ddtscope
