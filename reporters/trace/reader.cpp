// Reads one process's file, line by line.
#include "reporters/trace/reader.h"

#include <new>
#include <string_view>

#include "reporters/trace/add_counters.h"
#include "reporters/trace/line_file.h"
#include "reporters/trace/record_reader.h"

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
  if (*number > trace_format_version) {
    return TraceProblem{TraceProblem::Kind::unreadable,
                        where(file, 1) + "this trace has format version " + std::to_string(*number) +
                            ", but this ddtscope reads versions up to " + std::to_string(trace_format_version) +
                            "; use the ddtscope that wrote it, or a newer one."};
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

}  // namespace

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
    reader.end().last_line_cut = !lines_.rest().empty();
    sink.end(std::move(reader.end()));
    return std::nullopt;
  }

  std::variant<HeaderRecord, TraceProblem> read_header(const std::filesystem::path& file) {
    if (auto problem = lines_.open(file)) {
      return std::move(*problem);
    }
    Value object;
    bool at_end = false;
    if (auto problem = parse(file, 1, object, at_end)) {
      return std::move(*problem);
    }
    try {
      return RecordReader::header_of(Members(object));
    } catch (const LineError& error) {
      return damaged_line(file, 1, error.what + "; the file is damaged or was edited, record it again.");
    }
  }

  std::function<void(std::uint64_t)> progress;

 private:
  static constexpr int most_attempts = 10;

  /// From line `number` on, to the end of what the file has now.
  std::optional<TraceProblem> read_lines(const std::filesystem::path& file, RecordReader& reader, std::size_t& number) {
    std::uint64_t told = lines_.bytes_read();
    for (;; ++number) {
      Value object;
      bool at_end = false;
      if (auto problem = parse(file, number, object, at_end)) {
        return problem;
      }
      if (progress && lines_.bytes_read() != told) {
        progress(lines_.bytes_read() - told);
        told = lines_.bytes_read();
      }
      if (at_end) {
        return std::nullopt;
      }
      try {
        reader.read_line(object, number, lines_.line_begin());
      } catch (const LineError& error) {
        return damaged_line(file, number, error.what + "; the file is damaged or was edited, record it again.");
      }
    }
  }

  /// The next line as JSON; it lives until the next call.
  std::optional<TraceProblem> parse(const std::filesystem::path& file, std::size_t number, Value& object,
                                    bool& at_end) {
    std::string_view line;
    switch (lines_.next(line)) {
      case LineFile::Next::line:
        break;
      case LineFile::Next::failed:
        return lines_.failure();
      case LineFile::Next::too_long:
        return number == 1 ? no_trace(file)
                           : damaged_line(file, number,
                                          "the line is longer than the 2^30 bytes that ddtscope reads; the file is "
                                          "damaged, record it again.");
      case LineFile::Next::end:
        if (number == 1) {
          return no_line(file, lines_.rest());
        }
        at_end = true;
        return std::nullopt;
    }
    // The bytes behind the line may be read: no copy is made of it.
    const simdjson::error_code error = parser_.parse(line.data(), line.size(), false).get(object);
    if (number == 1) {
      return error != simdjson::SUCCESS ? no_trace(file) : check_format(object, file);
    }
    if (error == simdjson::MEMALLOC) {
      throw std::bad_alloc();
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
  Words words_;
};

static_assert(LineFile::padding >= simdjson::SIMDJSON_PADDING);

namespace {

/// Turns what may be thrown into a problem that names the file.
template <class Read>
auto guarded(const std::filesystem::path& file, Read read) -> decltype(read()) {
  try {
    return read();
  } catch (const TraceRefused& refused) {
    return TraceProblem{TraceProblem::Kind::unreadable, refused.sentence};
  } catch (const std::bad_alloc&) {
    return TraceProblem{TraceProblem::Kind::unreadable,
                        file.string() + ": the trace does not fit into memory; read it on a larger machine."};
  } catch (const std::exception& error) {
    return TraceProblem{TraceProblem::Kind::unreadable, file.string() + ": cannot be read: " + error.what()};
  }
}

}  // namespace

TraceReader::TraceReader() : implementation_(std::make_unique<Implementation>()) {}
TraceReader::~TraceReader() = default;

std::optional<TraceProblem> TraceReader::read(const std::filesystem::path& file, TraceSink& sink) {
  return guarded(file, [&] { return implementation_->read(file, sink); });
}

std::variant<HeaderRecord, TraceProblem> TraceReader::read_header(const std::filesystem::path& file) {
  return guarded(file, [&] { return implementation_->read_header(file); });
}

void TraceReader::on_progress(std::function<void(std::uint64_t)> act) { implementation_->progress = std::move(act); }

}  // namespace ddtscope
