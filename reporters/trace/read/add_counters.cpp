// Counters of a process that runs, was killed, or could not end its trace.
#include "reporters/trace/read/add_counters.h"

#include <algorithm>
#include <string>

#include "reporters/trace/format/error_class.h"
#include "reporters/trace/format/file_io.h"
#include "reporters/trace/format/use_parameter.h"

namespace ddtscope {
namespace {

std::string text_of_errno(std::uint32_t error) { return trace::text_of_write_error(static_cast<int>(error)); }

/// Why the trace lacks something; empty where it does not.
std::optional<std::string> why_stopped(const CounterFile& counters) {
  std::string why;
  if (counters.error == trace::counter_file_full) {
    why = "the trace reached its limit (DDTSCOPE_MAX_TRACE)";
  } else if (counters.error == trace::counter_file_abandoned) {
    why = "its process had no memory for more, and counted nothing that was done afterwards";
  } else if (counters.error != 0) {
    why = "the trace could not be written (" + text_of_errno(counters.error) + ")";
  }
  if (counters.left_out != 0) {
    why += (why.empty() ? "" : "; ") + std::to_string(counters.left_out) + " of its counters found no room (" +
           text_of_errno(counters.why_left_out) + ")";
    if (counters.left_out_types != 0) {
      why += ", which had counted " + std::to_string(counters.left_out_types) + " types";
    }
  }
  return why.empty() ? std::nullopt : std::optional(why);
}

/// The frame in the trace file; invalid where there is none, or where its line could not be written.
FrameNumber site_of(const trace::CounterRecord& record, const RecordReader& reader) {
  return record.site < reader.frames() ? FrameNumber{record.site} : FrameNumber{};
}

/// What is not in the trace file cannot be named; nor can a parameter that a newer version counts.
void add_uses(const trace::CounterRecord& record, RecordReader& reader, Words& words) {
  UsesRecord uses;
  uses.parameter = static_cast<trace::UseParameter>(record.parameter);
  uses.counts = trace::use_counts_of(record);
  if (record.parameter > UINT8_MAX || trace::name_of(uses.parameter).empty() || uses.counts.calls == 0) {
    return;
  }
  if (record.definition < reader.definitions()) {
    uses.type = DefinitionNumber{record.definition};
  } else if (record.predefined < reader.predefined().size()) {
    uses.type = words.kept(reader.predefined()[record.predefined]);
  } else {
    return;
  }
  uses.called = words.kept(text_of_field(record.called));
  uses.binding = words.kept(text_of_field(record.binding));
  uses.site = site_of(record, reader);
  reader.end().uses.push_back(uses);
}

bool is_damaged(const trace::CounterRecord& record) {
  const std::uint64_t most = std::max({record.created, record.adopted, record.committed, record.freed, record.failed});
  return most > counter_limit;
}

/// Of calls that made types, or returned an error.
void add_calls(const trace::CounterRecord& record, RecordReader& reader, Words& words) {
  FileEnd& end = reader.end();
  const FrameNumber site = site_of(record, reader);
  const std::string called = text_of_field(record.called);
  if (record.failed != 0) {
    end.failed_calls.push_back({words.kept(called),
                                words.kept(text_of_field(record.binding)),
                                name_of(trace::ErrorClass{record.error_class}),
                                site,
                                record.failed,
                                {}});
  } else if (record.definition < reader.definitions()) {
    end.instances.push_back({{record.definition},
                             site,
                             words.kept(called),
                             words.kept(text_of_field(record.binding)),
                             record.created,
                             record.adopted,
                             record.committed,
                             record.freed,
                             true,
                             0,
                             0});
  } else if (const std::uint64_t lost = record.created + record.adopted; lost != 0) {
    const bool was_dropped = record.definition == trace::counter_file_none;
    end.unrecorded.push_back(
        {called,
         lost,
         end.stopped.value_or(was_dropped ? trace::no_memory : "its definition is not in the trace"),
         site,
         {}});
  }
}

}  // namespace

std::optional<TraceProblem> add_counters(const std::filesystem::path& file, const CounterFile& counters,
                                         RecordReader& reader, Words& words) {
  FileEnd& end = reader.end();
  if (counters.version < 2) {
    end.instances.clear();  // a process that was killed while it wrote them: the counters are whole
  }
  end.failed_calls.clear();
  end.counted = true;
  end.stopped = why_stopped(counters);
  end.some_left_out = counters.left_out != 0;
  end.uses.clear();
  for (const trace::CounterRecord& record : counters.records) {
    if (counters.version >= 3 && record.parameter != 0) {
      add_uses(record, reader, words);
      continue;
    }
    if (record.folded_at != 0 && reader.has_instances_line_at(record.folded_at)) {
      continue;  // the line has them
    }
    if (is_damaged(record)) {
      return TraceProblem{TraceProblem::Kind::unreadable,
                          file.string() + ": the counters beside it are damaged; remove the file " +
                              std::string(trace::counter_file_extension) + ", then the trace is read without them."};
    }
    add_calls(record, reader, words);
  }
  if (counters.ended != trace::Completeness::unknown) {
    end.end = EndRecord{counters.ended == trace::Completeness::complete, counters.reason, {}};
  }
  return std::nullopt;
}

}  // namespace ddtscope
