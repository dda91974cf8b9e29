// Reads one process's file, line by line.
#include "reporters/trace/read/reader.h"

#include <new>
#include <string_view>
#include <vector>

#include "reporters/trace/read/add_counters.h"
#include "reporters/trace/read/add_pending.h"
#include "reporters/trace/read/line_file.h"
#include "reporters/trace/read/lines_beside.h"
#include "reporters/trace/read/prefetcher.h"
#include "reporters/trace/read/record_reader.h"

namespace ddtscope {
namespace {

using namespace members;

std::string where(const std::filesystem::path& file, std::size_t line) {
  return file.string() + ":" + std::to_string(line) + ": ";
}

TraceProblem no_trace(const std::filesystem::path& file) {
  return {TraceProblem::Kind::unreadable,
          where(file, 1) +
              "this is no ddtscope trace, because its first line is not a trace header; give the folder or the "
              "*.jsonl files that `ddtscope exec` wrote."};
}

/// The first line says what the file is, before anything else of it is believed.
std::optional<TraceProblem> check_format(const Value& line, const std::filesystem::path& file) {
  simdjson::dom::object object;
  if (line.get(object) != simdjson::SUCCESS) {
    return no_trace(file);
  }
  const auto is_text = [&](const char* name, std::string_view wanted) {
    std::string_view text;
    return object.at_key(name).get(text) == simdjson::SUCCESS && text == wanted;
  };
  if (!is_text("format", "ddtscope-trace") || !is_text("record", "header")) {
    return no_trace(file);
  }
  Value version;
  const auto number = object.at_key("version").get(version) == simdjson::SUCCESS ? to_int64(version) : std::nullopt;
  if (!number || *number < 1) {
    return TraceProblem{
        TraceProblem::Kind::unreadable,
        where(file, 1) + "the header does not say a format version; the file is damaged, record it again."};
  }
  if (*number > trace::format_version) {
    return TraceProblem{TraceProblem::Kind::unreadable,
                        where(file, 1) + "this trace " + newer_format(static_cast<std::uint64_t>(*number))};
  }
  return std::nullopt;
}
/// A file that holds no whole line: of a process that was stopped at once, or no trace at all.
TraceProblem no_line(const std::filesystem::path& file, std::string_view text) {
  const bool may_be_trace = text.starts_with(std::string_view("{\"record\":").substr(0, text.size())) ||
                            text.starts_with(std::string_view("{\"record\": \"header\"").substr(0, text.size()));
  if (!may_be_trace) {
    return no_trace(file);
  }
  return {TraceProblem::Kind::no_header, where(file, 1) +
                                             "the file holds no whole line, because its process was stopped before it "
                                             "wrote its header; run the program again."};
}

TraceProblem damaged_line(const std::filesystem::path& file, std::size_t number, const std::string& what) {
  return {TraceProblem::Kind::unreadable, where(file, number) + what};
}

/// A line that did not come from the file, but from the one beside it.
TraceProblem damaged_beside(const std::filesystem::path& file, std::size_t number) {
  return {TraceProblem::Kind::unreadable,
          lines_file_of(file).string() + ": is damaged: line " + std::to_string(number) +
              " of the trace, which stands in it, is no record; remove it, the trace is "
              "read without its last lines then."};
}

}  // namespace

std::string newer_format(std::uint64_t version) {
  return "has format version " + std::to_string(version) + ", but this ddtscope reads versions up to " +
         std::to_string(trace::format_version) + "; use the ddtscope that wrote it, or a newer one.";
}

class TraceReader::Implementation {
 public:
  std::optional<TraceProblem> read(const std::filesystem::path& file, TraceSink& sink) {
    if (auto problem = lines_.open(file)) {
      return problem;
    }
    RecordReader reader(sink, words_);
    std::size_t number = 1;
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
      if (auto problem = read_lines(file, reader, number)) {
        return problem;
      }
      if (reader.end().end) {
        break;
      }
      auto read = read_counter_file(file);
      if (auto* problem = std::get_if<TraceProblem>(&read)) {
        return std::move(*problem);
      }
      const auto& counters = std::get<std::optional<CounterFile>>(read);
      if (!counters) {
        break;
      }
      // A process that runs has taken counts out of the counters and put them behind what was read.
      if (counters->folded_lines > reader.instances_lines() && attempt + 1 < most_attempts) {
        continue;
      }
      if (auto problem = add_counters(file, *counters, reader, words_)) {
        return problem;
      }
      break;
    }
    add_pending(file, reader, words_);
    reader.end().last_line_cut = !lines_.rest().empty();
    sink.end(std::move(reader.end()));
    return std::nullopt;
  }

  std::variant<HeaderRecord, TraceProblem> read_header(const std::filesystem::path& file) {
    if (auto problem = lines_.open(file)) {
      return std::move(*problem);
    }
    NextLine line = parse(file, 1, document_);
    if (line.problem) {
      return *std::move(line.problem);
    }
    try {
      return RecordReader::header_of(Members(line.object));
    } catch (const LineError& error) {
      return damaged_line(file, 1, error.what + "; the file is damaged or was edited, record it again.");
    }
  }

  std::function<void(std::uint64_t)> progress;

 private:
  static constexpr int most_attempts = 10;

  // What is parsed before a thread is begun for the rest: most files are shorter.
  static constexpr std::uint64_t worth_a_thread = std::uint64_t{4} << 20;
  // Lines are handed over so many, or about so many bytes, at once.
  static constexpr std::size_t lines_of_batch = 128;
  static constexpr std::uint64_t bytes_of_batch = std::uint64_t{256} << 10;
  // A document takes ten times the memory of the longest line that it had: that of a longer one is given back.
  static constexpr std::size_t long_line = std::size_t{8} << 10;

  struct PlaceOfLine {
    std::uint64_t begin = 0;
    bool is_beside = false;  // its end
  };
  struct ParsedLine {
    simdjson::dom::document document;
    PlaceOfLine place;
  };
  /// Lines that follow each other, and why there is no further one where the file has a problem.
  struct Batch {
    std::vector<ParsedLine> lines{lines_of_batch};
    std::size_t used = 0;
    std::uint64_t bytes_read = 0;  // of the file
    std::optional<TraceProblem> problem;
  };

  /// From line `number` on, to the end of what the file has now.
  std::optional<TraceProblem> read_lines(const std::filesystem::path& file, RecordReader& reader, std::size_t& number) {
    std::uint64_t told = lines_.bytes_read();
    const auto tell = [&](std::uint64_t bytes_read) {
      if (progress && bytes_read != told) {
        progress(bytes_read - told);
        told = bytes_read;
      }
    };
    const auto take = [&](const Value& object, const PlaceOfLine& place) -> std::optional<TraceProblem> {
      try {
        reader.read_line(object, number, place.begin);
      } catch (const LineError& error) {
        if (place.is_beside) return damaged_beside(file, number);
        return damaged_line(file, number, error.what + "; the file is damaged or was edited, record it again.");
      }
      ++number;
      return std::nullopt;
    };
    while (lines_.bytes_read() < worth_a_thread) {
      NextLine next = parse(file, number, document_);
      if (next.problem) {
        return std::move(next.problem);
      }
      tell(lines_.bytes_read());
      if (next.at_end) {
        return std::nullopt;
      }
      if (auto problem = take(next.object, {lines_.line_begin(), lines_.line_is_beside()})) {
        return problem;
      }
    }
    Prefetcher<Batch> batches([&, next = number](Batch& batch) mutable { return parse_batch(file, next, batch); });
    while (Batch* const batch = batches.next()) {
      tell(batch->bytes_read);
      for (std::size_t i = 0; i < batch->used; ++i) {
        if (auto problem = take(batch->lines[i].document.root(), batch->lines[i].place)) {
          return problem;
        }
      }
      if (batch->problem) {
        return std::move(batch->problem);
      }
    }
    return std::nullopt;
  }

  /// From line `number` on; false where there is no further batch.
  bool parse_batch(const std::filesystem::path& file, std::size_t& number, Batch& batch) {
    batch.used = 0;
    do {
      ParsedLine& line = batch.lines[batch.used];
      if (line.document.capacity() > long_line) {
        line.document = {};
      }
      NextLine next = parse(file, number, line.document);
      batch.problem = std::move(next.problem);
      batch.bytes_read = lines_.bytes_read();
      if (batch.problem || next.at_end) {
        return false;
      }
      line.place = {lines_.line_begin(), lines_.line_is_beside()};
      ++batch.used;
      ++number;
    } while (batch.used < lines_of_batch && lines_.line_begin() - batch.lines[0].place.begin < bytes_of_batch);
    return true;
  }

  /// A line as JSON, which lives in its document; or why there is none.
  struct NextLine {
    Value object;
    std::optional<TraceProblem> problem;
    bool at_end = false;
  };
  NextLine parse(const std::filesystem::path& file, std::size_t number, simdjson::dom::document& document) {
    NextLine next;
    std::string_view line;
    switch (lines_.next(line)) {
      case LineFile::Next::line: {
        // The bytes behind the line may be read: no copy is made of it.
        const simdjson::error_code error =
            parser_.parse_into_document(document, line.data(), line.size(), false).get(next.object);
        next.problem = number != 1                  ? problem_of(error, file, number)
                       : error != simdjson::SUCCESS ? no_trace(file)
                                                    : check_format(next.object, file);
        break;
      }
      case LineFile::Next::failed:
        next.problem = lines_.failure();
        break;
      case LineFile::Next::too_long:
        next.problem = number == 1 ? no_trace(file)
                                   : damaged_line(file, number,
                                                  "the line is longer than the 2^30 bytes that ddtscope reads; the "
                                                  "file is damaged, record it again.");
        break;
      case LineFile::Next::end:
        if (number == 1) next.problem = no_line(file, lines_.rest());
        next.at_end = true;
        break;
    }
    return next;
  }

  /// What is wrong with a line that is not the first.
  std::optional<TraceProblem> problem_of(simdjson::error_code error, const std::filesystem::path& file,
                                         std::size_t number) const {
    if (error == simdjson::MEMALLOC) {
      throw std::bad_alloc();
    }
    if (error != simdjson::SUCCESS && lines_.line_is_beside()) {
      return damaged_beside(file, number);
    }
    if (error == simdjson::DEPTH_ERROR) {
      return damaged_line(file, number,
                          "the line nests deeper than a trace does; the file is damaged, record it again.");
    }
    if (error == simdjson::NUMBER_ERROR) {
      return damaged_line(file, number,
                          "a number in the line is malformed or does not fit 64 bits; the file is damaged or was "
                          "edited, record it again.");
    }
    if (error != simdjson::SUCCESS) {
      return damaged_line(file, number,
                          "the line is not JSON; the file is damaged, record it again or remove the line.");
    }
    return std::nullopt;
  }

  LineFile lines_;
  simdjson::dom::parser parser_;
  simdjson::dom::document document_;
  Words words_;
};

static_assert(LineFile::padding >= simdjson::SIMDJSON_PADDING);

TraceReader::TraceReader() : implementation_(std::make_unique<Implementation>()) {}
TraceReader::~TraceReader() = default;

std::optional<TraceProblem> TraceReader::read(const std::filesystem::path& file, TraceSink& sink) {
  return guarded_read(file.string(), [&] { return implementation_->read(file, sink); });
}

std::variant<HeaderRecord, TraceProblem> TraceReader::read_header(const std::filesystem::path& file) {
  return guarded_read(file.string(), [&] { return implementation_->read_header(file); });
}

void TraceReader::on_progress(std::function<void(std::uint64_t)> act) { implementation_->progress = std::move(act); }

}  // namespace ddtscope
