// One rank's finished trace file as records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "reporters/trace/reduce/record_reduce.h"

namespace ddtscope::reduce {

/// Reads lines of a file from the front, or from anywhere, with a buffer of its own.
class LinesOfFile {
 public:
  LinesOfFile() = default;
  ~LinesOfFile();
  LinesOfFile(const LinesOfFile&) = delete;
  LinesOfFile& operator=(const LinesOfFile&) = delete;

  void open(const std::string& path);
  /// The next line without its line feed, until the next call. False at the end.
  bool next(std::string_view& line);
  /// Where the line that next() gave begins.
  std::uint64_t offset() const { return offset_ + line_begin_; }
  std::string read(std::uint64_t offset, std::uint64_t length) const;

 private:
  int file_ = -1;
  std::string buffer_;
  std::uint64_t offset_ = 0;  // of the buffer in the file
  std::size_t line_begin_ = 0, next_line_ = 0;
};

class RankTrace : public RecordSource {
 public:
  /// Goes through the file once: all but the definitions is then in memory, and where these are. Throws NotReduced
  /// where it is not whole.
  explicit RankTrace(const std::string& path);

  State state() override { return next_ < records_.size() + definitions_.size() ? State::ready : State::ended; }
  Record& head() override;
  void pop() override;
  /// The file's first line.
  const std::string& header() const { return header_; }
  WorldNumber world() const { return world_; }

 private:
  struct Line {
    std::uint32_t definition;
    std::uint32_t length;
    std::uint64_t offset;
  };
  struct DefinitionLine {
    std::uint64_t key;
    std::uint64_t offset;
    std::uint32_t length;
    std::uint32_t number;
  };

  void take(std::string_view line);
  using Take = void (RankTrace::*)(std::string_view line);
  static Take take_of(std::string_view record);
  void take_header(std::string_view line);
  void take_module(std::string_view line);
  void take_frames(std::string_view line);
  void take_failed_calls(std::string_view line);
  void take_uses(std::string_view line);
  void take_finding(std::string_view line);
  void take_switch(std::string_view line);
  void take_communicator(std::string_view line);
  void take_operation(std::string_view line);
  static void append_folded(std::string& body, const std::vector<Hash>& known, std::string_view folded);
  void take_sequence(std::string_view line);
  /// What a line says of its communicator and its sequence.
  void append_sequence_of_communicator(std::string& body, std::string_view line) const;
  void take_channels(std::string_view line);
  void append_side(std::string& body, std::string_view side) const;
  void take_collective(std::string_view line);
  void take_collectives(std::string_view line);
  void take_messages(std::string_view line);
  /// What stands above with this number.
  static Hash hash_in(const std::vector<Hash>& known, std::string_view number);
  void take_buffer(std::string_view line);
  void take_window(std::string_view line);
  void take_accesses(std::string_view line);
  void take_opened_file(std::string_view line);
  void take_view(std::string_view line);
  void take_file_accesses(std::string_view line);
  void take_window_event(std::string_view line);
  void take_epochs(std::string_view line);
  void take_attached(std::string_view line);
  void take_window_name(std::string_view line);
  std::string type_in_body(std::string_view type) const;
  /// Which call a line tells of, and which of its arguments that names a datatype, with that.
  void append_argument(std::string& body, std::string_view line) const;
  void take_end(std::string_view line);
  void add_process(std::string_view end);
  Record& add(RecordKind kind, std::uint64_t key, std::uint64_t number);
  /// One that is known by what it says.
  Record& add_by_body(RecordKind kind, std::string body, std::uint64_t number);
  /// The same of one that this rank has once. Its key.
  Hash add_of_rank(RecordKind kind, std::string body, std::uint64_t number);
  void add_count(Record& record, std::uint64_t count) const;
  /// A record that a later line counts (take_count), and where it is among all; `first` is what the first rank says.
  void add_counted(RecordKind kind, std::string body, std::string_view first, std::vector<std::size_t>& places);
  /// How often there was what one of these records says, which has the number that the member `kind` is.
  void take_count(std::string_view line, const char* kind, const std::vector<std::size_t>& places);
  Hash site_of(std::string_view value) const;
  void read_definition(const DefinitionLine& line);
  void append_members(std::string_view line);
  void append_call(std::string_view text);
  void append_contents(std::string_view text);
  void append_key(std::string_view number);
  void add_parts(std::uint32_t definition);
  void add_part(std::string what, const std::array<std::uint64_t, 4>& counts = {});

  LinesOfFile lines_;
  std::string header_;
  std::int64_t rank_ = -1;
  WorldNumber world_;  // a trace has the ranks of one
  bool whole_ = false;
  std::vector<Hash> modules_, frames_, communicator_hashes_, operations_, collective_operations_, sequences_, windows_,
      window_events_, files_;
  std::vector<std::uint64_t> keys_;  // of definitions
  std::array<std::uint64_t, 4> sums_{};
  // how many there are
  std::uint64_t predefined_ = 0, notes_ = 0, failed_calls_ = 0, uses_ = 0, channels_ = 0, collectives_ = 0,
                buffers_ = 0, accesses_ = 0, epochs_ = 0, attached_ = 0, window_names_ = 0, views_ = 0,
                file_accesses_ = 0;
  std::vector<std::size_t> findings_, switches_;  // places among the records, before they are in order
  std::vector<Record> records_;                   // in order
  std::vector<DefinitionLine> definitions_;
  std::vector<Line> more_;  // lines about definitions, by definition
  std::size_t next_ = 0;
  Record current_;
  std::unordered_map<std::string, std::size_t> part_index_;  // where in it a part stands
  bool has_current_ = false;
};

/// Within the text of a definition, this byte and sixteen digits of a key stand for the number of an oldtype: the
/// writer puts no such byte into a line.
inline constexpr char key_mark = '\x01';
inline constexpr std::size_t key_digits = 16;

}  // namespace ddtscope::reduce
