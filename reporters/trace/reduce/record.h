// What a rank's trace says, or those of several ranks that stand next to each other, as records in one order: joining
// takes the memory of one record from each, however long the traces are, and joining in pairs gives what joining all
// at once gives.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "reporters/trace/format/rank_ranges.h"
#include "reporters/trace/format/use_parameter.h"

namespace ddtscope::reduce {

/// Why the traces stay apart: a sentence.
struct NotReduced : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Names a module, a frame with its callers, or what else has no number that ranks would agree on. 0: none.
using Hash = std::uint64_t;
Hash hash_of(std::string_view text);

/// Records come in this order, as the lines of the merged trace do.
enum class RecordKind : std::uint8_t {
  process = 1,
  predefined,
  note,
  module,
  frame,
  unrecorded,
  failed_calls,
  uses,
  finding,
  recording_switch,
  communicator,
  operation,
  sequence,
  channels,
  collective,
  collective_sequence,
  collectives,
  messages,
  buffer,
  window,
  accesses,
  opened_file,
  view,
  file_accesses,
  window_event,
  window_sequence,
  epochs,
  attached,
  window_name,
  definition
};

/// Something that ranks may have in common without saying all the same of it.
struct Part {
  std::string what;                       // equal texts are one part; the first byte is a PartKind
  std::array<std::uint64_t, 8> counts{};  // as many as a kind has
  RankRanges ranks;
};
/// Counts of a record of uses.
trace::UseCounts uses_of(const Part& part);
void set_uses(Part& part, const trace::UseCounts& uses);
enum PartKind : char { part_self = 's', part_name = 'n', part_instances = 'i', part_difference = 'd' };

struct Record {
  RecordKind kind = RecordKind::process;
  std::uint64_t key = 0;     // of a definition its own, of a process its rank, else a hash of the body
  std::int64_t rank = 0;     // the first rank that has it
  std::uint64_t number = 0;  // among that rank's of this kind
  std::string body;          // what all ranks say alike
  std::string first;         // what the first rank says
  std::vector<Part> parts;   // in order of first use

  friend auto place_of(const Record& record) { return std::pair(record.kind, record.key); }
};

/// Adds what later ranks say of the same. Throws NotReduced where they contradict.
void combine(Record& record, Record&& later);

// As bytes, the same on every machine: a length, then the record.
void append_encoded(std::string& bytes, const Record& record);
/// Takes one record off the front; false where it is not yet whole. Throws NotReduced where the bytes are none.
bool take_encoded(std::string_view& bytes, Record& record);
/// No record that is longer is joined.
inline constexpr std::uint64_t longest_record = std::uint64_t{16} << 20;

/// A body is made of numbers and texts.
void append_number(std::string& body, std::uint64_t number);
void append_text(std::string& body, std::string_view text);
class BodyReader {
 public:
  explicit BodyReader(std::string_view body) : rest_(body) {}
  std::uint64_t number();
  std::string_view text();

 private:
  std::string_view rest_;
};

}  // namespace ddtscope::reduce
