// Writes the records of all ranks as the job's one trace file (FORMAT.md, Merged traces).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reporters/trace/reduce/json_text.h"
#include "reporters/trace/reduce/line_facts.h"
#include "reporters/trace/reduce/record.h"
#include "reporters/trace/write/writer.h"

namespace ddtscope::reduce {

/// Until finish() the file has another name, and is removed with this object. Definitions and
/// channels come in order of their keys but stand in the file in order of ranks: in between they are in a file without
/// a name. All functions throw NotReduced.
class MergedFile {
 public:
  /// How many records may come: what the first process keeps of them stays small beside a program's own memory.
  struct Limits {
    std::size_t definitions = std::size_t{1} << 19;  // 40 bytes of each are in memory
    std::size_t of_one_rank = std::size_t{1} << 22;  // channels and collectives: as many bytes of each
    std::size_t others = std::size_t{1} << 19;       // call sites, operations, windows: all of each is in memory
  };
  /// `header` is the first line of rank 0's trace; `ranks` processes must come.
  MergedFile(std::string path, std::string header, std::int64_t ranks, const Limits& limits);
  ~MergedFile();
  MergedFile(const MergedFile&) = delete;
  MergedFile& operator=(const MergedFile&) = delete;

  void add(const Record& record);
  /// The file is whole and has its name.
  void finish();

 private:
  struct Stored {
    std::uint64_t key;
    std::uint64_t offset;
    std::uint64_t number;
    std::uint32_t rank;
    std::uint32_t length;
    std::uint32_t id;  // in the merged file
  };
  static bool stands_first(const Stored& a, const Stored& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.number < b.number;
  }

  void write_header();
  void write_process(const Record& record);
  void store(const Record& record);
  /// Into the file without a name; where it is there.
  Stored put(const Record& record);
  void flush_store();
  Record stored(const Stored& definition) const;
  void write_frames();
  void write_definition(const Stored& definition);
  void write_instances(const Stored& definition, const Record& record);
  void write_differences(const Stored& definition);
  void begin_facts();
  std::string with_numbers(std::string_view body) const;
  FrameNumber site(Hash hash) const;
  /// How the file's lines say which type it is; neither: there is none.
  struct WrittenType {
    DefinitionNumber definition;
    std::string predefined;
  };
  /// `type` as bodies of records have it.
  WrittenType written(std::string_view type) const;
  void write_failed_calls();
  void write_uses();
  void write_findings();
  struct OtherArgument;
  void read_other(BodyReader& body, trace::FindingLine& line, OtherArgument& other) const;
  void write_switches();
  void write_communicators();
  using Numbers = std::unordered_map<Hash, std::uint32_t>;
  /// The number of what has this hash.
  static std::uint32_t number_in(const Numbers& numbers, Hash hash);
  /// A member that holds a group, and one that says from where on a sequence is undecided.
  static GroupRuns runs_of(std::string_view group);
  static UndecidedFrom undecided_of(std::string_view text, std::string& why);
  void write_messages();
  void write_operations();
  /// Appends the elements that the body has next.
  static void read_folded(BodyReader& body, const Numbers& numbers, std::vector<SequenceElement>& elements);
  void write_sequences();
  /// What the body has next, and the words that the line refers to.
  template <class Line>
  void read_sequence_of_communicator(BodyReader& body, const Numbers& sequences, Line& line, std::string& why) const;
  void write_channels();
  struct CollectiveSideWords;
  trace::CollectiveSideLine read_side(BodyReader& body, CollectiveSideWords& words) const;
  void write_collectives();
  /// The words that a line of one argument refers to.
  struct ArgumentWords {
    std::string predefined, called, binding;
  };
  /// What the body has next: which type, how many elements, and whose argument it is.
  template <class Line>
  void read_argument(BodyReader& body, Line& line, ArgumentWords& words) const {
    WrittenType type = written(body.text());
    line.definition = type.definition;
    line.elements = count_of(body.text());
    words.predefined = std::move(type.predefined);
    words.called = text_of_string(body.text());
    words.binding = text_of_string(body.text());
    line.predefined = words.predefined;
    line.called = words.called;
    line.binding = words.binding;
    line.parameter = trace::use_parameter_of(text_of_string(body.text()));
  }
  void write_buffers();
  BufferPlace place_of_buffer(BodyReader& body) const;
  void write_windows();
  void write_accesses();
  OpenedFileNumber file_of(BodyReader& body) const;
  void write_files();
  void write_window_events();
  void write_window_sequences();
  void write_epochs();
  void write_attached();
  void write_window_names();
  void write_end();
  void check_written() const;

  std::string path_, unfinished_;
  std::string header_;
  std::int64_t ranks_;
  const Limits limits_;
  std::int64_t processes_ = 0;
  bool complete_ = true;
  std::string ended_;
  Hash common_ = 0;
  std::array<bool, std::size(recorded_parts)> recorded_{};  // by rank 0
  trace::Writer writer_;
  std::vector<Record> predefined_, notes_, modules_, frames_, unrecorded_, failed_calls_, uses_, findings_, switches_,
      communicators_, operations_, sequences_, collective_operations_, collective_sequences_, messages_, buffers_,
      windows_, accesses_, window_events_, window_sequences_, epochs_, attached_, window_names_, files_, views_,
      file_accesses_;
  std::unordered_map<Hash, ModuleNumber> module_numbers_;
  std::unordered_map<Hash, FrameNumber> frame_numbers_;
  Numbers communicator_numbers_, operation_numbers_, sequence_numbers_, collective_numbers_,
      collective_sequence_numbers_, window_numbers_, window_event_numbers_, window_sequence_numbers_, file_numbers_;
  int store_ = -1;
  std::string store_buffer_;
  std::uint64_t stored_bytes_ = 0;  // in the file; the buffer's stand behind
  std::vector<Stored> definitions_;
  std::vector<Stored> channels_;
  std::vector<Stored> collectives_;
  std::vector<std::uint32_t> by_key_;  // the definitions' places, once they are in order of ranks
  std::vector<std::uint32_t> with_differences_;
  std::optional<LineFacts> facts_;  // where there is memory for them
};

}  // namespace ddtscope::reduce
