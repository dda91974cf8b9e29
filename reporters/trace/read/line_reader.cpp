// Reads lines that do not stand in a file.
#include "reporters/trace/read/record_reader.h"

namespace ddtscope {

using namespace members;

class TraceLineReader::Implementation {
 public:
  explicit Implementation(TraceSink& sink) : reader_(sink, words_) {}

  std::optional<Place> place_of(std::string_view line) {
    Value object;
    if (parser_.parse(line.data(), line.size()).get(object) != simdjson::SUCCESS) return std::nullopt;
    try {
      const Members members(object);
      const std::string_view record = members.text("record");
      if (record == "header") return Place{Kind::header, members.count("version")};
      if (record == "predefined") return Place{Kind::predefined, 0};
      if (record == "module") return Place{Kind::module, members.count("id")};
      if (record == "frames") return Place{Kind::frames, members.count("first")};
      return Place{};
    } catch (const LineError&) {
      return std::nullopt;
    }
  }

  std::optional<std::string> read(std::string_view line) {
    Value object;
    if (parser_.parse(line.data(), line.size()).get(object) != simdjson::SUCCESS) return "it is not JSON";
    try {
      reader_.read_line(object, ++lines_, 0);
    } catch (const LineError& error) {
      return error.what;
    }
    return std::nullopt;
  }

  RecordReader& reader() { return reader_; }

 private:
  Words words_;
  RecordReader reader_;
  simdjson::dom::parser parser_;
  std::size_t lines_ = 0;
};

TraceLineReader::TraceLineReader(TraceSink& sink) : implementation_(std::make_unique<Implementation>(sink)) {}
TraceLineReader::~TraceLineReader() = default;

std::optional<TraceLineReader::Place> TraceLineReader::place_of(std::string_view line) {
  return implementation_->place_of(line);
}
std::optional<std::string> TraceLineReader::read(std::string_view line) { return implementation_->read(line); }
void TraceLineReader::set_definitions(std::size_t definitions) {
  implementation_->reader().set_definitions(definitions);
}
std::size_t TraceLineReader::frames() const { return implementation_->reader().frames(); }
std::size_t TraceLineReader::modules() const { return implementation_->reader().modules(); }

}  // namespace ddtscope
