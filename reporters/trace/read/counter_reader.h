// Reads the counter file of a process whose trace file has no counters: one that runs still, was killed, or
// could not write them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "reporters/trace/format/counter_file.h"
#include "reporters/trace/read/reader.h"

namespace ddtscope {

struct CounterFile {
  std::uint32_t version = 1;
  std::uint32_t error = 0;  // as in the file's header
  trace::Completeness ended = trace::Completeness::unknown;
  std::string reason;
  std::uint32_t left_out = 0, why_left_out = 0;
  std::uint64_t left_out_types = 0;
  std::uint64_t folded_lines = 0;  // at least as many as the records tell of
  std::vector<trace::CounterRecord> records;
};

/// The counters beside `trace_file`; empty where there are none. Never throws but std::bad_alloc.
std::variant<std::optional<CounterFile>, TraceProblem> read_counter_file(const std::filesystem::path& trace_file);

/// Text of a field that zeros end.
template <std::size_t size>
std::string text_of_field(const char (&field)[size]) {
  std::size_t length = 0;
  while (length < size && field[length] != '\0') ++length;
  return std::string(field, length);
}

}  // namespace ddtscope
