#include "reporters/trace/read/counter_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace ddtscope {
namespace {

using trace::CounterFileHeader;
using trace::CounterRecord;

TraceProblem problem_of(const std::filesystem::path& file, const std::string& sentence) {
  return {TraceProblem::Kind::unreadable, file.string() + ": " + sentence};
}

}  // namespace

std::variant<std::optional<CounterFile>, TraceProblem> read_counter_file(const std::filesystem::path& trace_file) {
  std::filesystem::path file = trace_file;
  file.replace_extension(trace::counter_file_extension);
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) {
    return std::nullopt;
  }
  std::ifstream stream(file, std::ios::binary);
  CounterFileHeader header{};
  if (!stream) {
    return problem_of(file, "cannot be read (" + std::string(std::strerror(errno)) + "); check its permissions.");
  }
  if (!stream.read(reinterpret_cast<char*>(&header), sizeof header)) {
    return std::nullopt;  // its process was stopped before the first page was there
  }
  if (std::memcmp(header.magic, trace::counter_file_magic, sizeof header.magic) != 0) {
    const bool is_untouched =
        std::all_of(std::begin(header.magic), std::end(header.magic), [](char c) { return c == '\0'; });
    if (is_untouched) {
      return std::nullopt;
    }
    return problem_of(file,
                      "this is no counter file of ddtscope's; remove it, the trace is read without counters then.");
  }
  if (header.byte_order != trace::counter_file_byte_order) {
    return problem_of(file, "was written on a machine of the other byte order; read it on one like that.");
  }
  if (header.version > trace::counter_file_version) {
    return problem_of(
        file, "has version " + std::to_string(header.version) + ", but this ddtscope reads versions up to " +
                  std::to_string(trace::counter_file_version) + "; use the ddtscope that wrote it, or a newer one.");
  }
  const std::uint64_t room = std::filesystem::file_size(file, error) / sizeof(CounterRecord);
  if (error || header.record_bytes != sizeof(CounterRecord) || header.records >= room) {
    return problem_of(file,
                      "is damaged: its header does not fit its size; remove it, the trace is read without "
                      "counters then.");
  }
  CounterFile counters;
  counters.version = header.version;
  counters.error = header.error;
  counters.ended =
      header.ended == static_cast<std::uint32_t>(trace::Completeness::complete)     ? trace::Completeness::complete
      : header.ended == static_cast<std::uint32_t>(trace::Completeness::incomplete) ? trace::Completeness::incomplete
                                                                                    : trace::Completeness::unknown;
  counters.reason = text_of_field(header.reason);
  counters.left_out = header.left_out;
  counters.why_left_out = header.why_left_out;
  counters.left_out_types = header.left_out_types;
  counters.records.resize(header.records);
  const auto bytes = static_cast<std::streamsize>(header.records * sizeof(CounterRecord));
  if (!stream.read(reinterpret_cast<char*>(counters.records.data()), bytes)) {
    return problem_of(file, "cannot be read to its end; it is damaged, or was cut while it was copied.");
  }
  // Once more: a process that runs may have folded some of the records while they were read.
  if (stream.seekg(0) && stream.read(reinterpret_cast<char*>(&header), sizeof header)) {
    counters.folded_lines = header.folded_lines;
  }
  return counters;
}

}  // namespace ddtscope
