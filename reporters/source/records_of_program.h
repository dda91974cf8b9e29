// The records of a program: what its debugging information says of structs, classes and derived types.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reporters/source/source_type.h"

namespace ddtscope::reporters {

/// What is known of a record before it is read.
struct RecordHead {
  std::string_view name;  // without its namespaces
  std::int64_t size = 0;  // bytes
};
using RecordFilter = std::function<bool(const RecordHead&)>;

/// A program or a shared library on this machine.
class SourceProgram {
 public:
  /// `build_id` is hexadecimal: a file with another one is not taken.
  explicit SourceProgram(const std::string& path, const std::optional<std::string>& build_id = std::nullopt);
  ~SourceProgram();
  SourceProgram(const SourceProgram&) = delete;
  SourceProgram& operator=(const SourceProgram&) = delete;

  /// Those that have a name and that the filter wants, each once, in the order of the file. Where there are none to be
  /// had, why, as the end of a sentence about the file: "the file has no debugging information".
  std::variant<std::vector<NamedRecord>, std::string> records(const RecordFilter& is_wanted);

 private:
  class Walk;
  struct File;
  std::unique_ptr<File> file_;
};

/// Why there is no record, or which there are: a sentence.
struct NoRecord {
  enum class Fault : std::uint8_t {
    of_program,  // it cannot be read, or has no debugging information
    of_name,     // no record has it, or several have
  };
  Fault fault;
  std::string sentence;
};
/// The record that somebody means by a text: "particle", "struct particle", "halo::particle" or "particle.h:7".
std::variant<NamedRecord, NoRecord> find_record(const std::string& program, const std::string& text);

}  // namespace ddtscope::reporters
