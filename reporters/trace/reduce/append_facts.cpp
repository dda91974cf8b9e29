#include "reporters/trace/reduce/append_facts.h"

#include <exception>
#include <optional>

#include "reporters/trace/reduce/json_text.h"
#include "reporters/trace/reduce/rank_trace.h"

namespace ddtscope::reduce {
namespace {

std::uint64_t append_from(trace::Writer& writer, const std::string& file, const LineFacts::Limits& limits) {
  const std::uint64_t end = writer.bytes_written();
  LinesOfFile lines;
  lines.open(file);
  std::string_view line;
  if (!lines.next(line)) return writer.definitions();
  LineFacts facts(line, limits);
  std::uint32_t number = 0;
  std::uint64_t written = 0;
  while (number < writer.definitions() && lines.next(line) && lines.offset() < end) {
    const std::string_view record = record_of(line);
    if (record == "predefined") facts.predefined(line);
    if (record != "definition") continue;
    const std::string_view members = facts.next(line);
    if (!members.empty()) {
      if (!writer.facts({.definition = {number}, .key = member_of(line, "key"), .members = members})) break;
      ++written;
    }
    ++number;
  }
  return writer.definitions() - written;
}

}  // namespace

std::uint64_t append_facts(trace::Writer& writer, const std::string& file, const LineFacts::Limits& limits) noexcept {
  const std::uint64_t begin = writer.bytes_written();
  try {
    writer.collect_lines();
    const std::uint64_t without = append_from(writer, file, limits);
    writer.flush();
    if (!writer.stopped()) return without;
  } catch (const std::exception&) {  // whoever reads the trace works them out
  }
  writer.take_back(begin);
  return writer.definitions();
}

}  // namespace ddtscope::reduce
