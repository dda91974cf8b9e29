// What the lines of one file say, told to a sink.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reporters/trace/read/members.h"
#include "reporters/trace/read/reader.h"

namespace ddtscope {

/// Few words come again and again; each is kept once.
class Words {
 public:
  std::string_view kept(std::string_view word) {
    // Lines that follow each other mostly have the same.
    if (word != last_) last_ = *words_.emplace(word).first;
    return last_;
  }

 private:
  std::set<std::string, std::less<>> words_;
  std::string_view last_;
};

/// So that sums over call sites and ranks cannot overflow; no job makes 10^12 types at one place.
inline constexpr std::uint64_t counter_limit = std::uint64_t{1} << 40;
/// The limit in a merged trace, which has sums.
inline constexpr std::uint64_t merged_counter_limit = std::uint64_t{1} << 53;

/// The lines of one file.
class RecordReader {
  using Members = members::Members;
  using Value = members::Value;

 public:
  RecordReader(TraceSink& sink, Words& words) : sink_(sink), words_(words) {}

  /// `begin` is where in the file the line begins.
  void read_line(const Value& object, std::size_t line, std::uint64_t begin);

  static HeaderRecord header_of(const Members& members);

  /// What the lines said that is not told at once.
  FileEnd& end() { return end_; }
  std::size_t definitions() const { return definitions_; }
  void set_definitions(std::size_t definitions) { definitions_ = definitions; }
  std::size_t frames() const { return frames_; }
  std::size_t modules() const { return modules_; }
  /// Names of the predefined types, in the order of the file.
  const std::vector<std::string_view>& predefined() const { return predefined_; }
  std::size_t instances_lines() const { return instances_at_.size(); }
  bool has_instances_line_at(std::uint64_t begin) const {
    return std::binary_search(instances_at_.begin(), instances_at_.end(), begin);
  }

 private:
  void read_header(const Members& members, std::size_t line);
  void read_late_predefined(const Members& members, std::size_t);
  static PredefinedType read_predefined(const Members& members);
  /// Numbers of a kind ascend from 0 on.
  static void check_order(const Members& members, const char* member, std::size_t expected, const char* what);
  void read_module(const Members& members, std::size_t);
  ModuleNumber module_of_frame(const Value& element) const;
  /// A chain of calls, outermost first: each frame was called by the one before it.
  void read_frames(const Members& members, std::size_t);
  void read_definition(const Members& members, std::size_t line);
  /// The combiner, and by which form of the constructor.
  static void read_constructor(const Members& members, DefinitionRecord& definition);
  /// The arguments: integers, addresses, counts and oldtypes.
  void read_contents(const Members& members, DefinitionRecord& definition);
  /// `member` holds it.
  OldtypeRecord read_oldtype(const Value& datatype, const std::string& member = "contents.datatypes");
  /// The same, whose name stays valid.
  OldtypeRecord kept_type(const Value& datatype, const std::string& member);
  /// Which call it is that a line tells of, and where.
  template <class Record>
  void read_call(const members::Members& members, Record& record) {
    record.called = words_.kept(members.text("called"));
    record.binding = words_.kept(members.text("binding"));
    record.site = members.number_or_null<FrameRecord>("site", frames_, "frame");
  }
  /// Which call it is that a line tells of, and which of its arguments that names a datatype.
  template <class Record>
  void read_argument(const members::Members& members, Record& record) {
    record.called = words_.kept(members.text("called"));
    record.binding = words_.kept(members.text("binding"));
    record.parameter = trace::use_parameter_of(members.text("argument"));
    if (record.parameter == trace::UseParameter::none) {
      members.refuse("argument", "a parameter that names a datatype");
    }
  }
  DefinitionNumber definition_of(const Members& members);
  void read_name(const Members& members, std::size_t);
  void read_difference(const Members& members, std::size_t);
  void read_instances(const Members& members, std::size_t);
  /// [site or null, created, adopted, committed, freed]
  void read_counts(const Value& element, InstancesRecord& instances);
  /// The same and the ranks; nulls where the counters are not known.
  void read_merged_counts(const Value& element, InstancesRecord& instances);
  FrameNumber site_of_counts(const Value& value) const;
  /// [created, adopted, committed, freed]. False where one of them is no count, or is more than `limit`.
  template <class Counts>
  static bool take_counters(std::span<const Value> values, std::uint64_t limit, Counts& counts) {
    std::uint64_t* const numbers[] = {&counts.created, &counts.adopted, &counts.committed, &counts.freed};
    for (std::size_t i = 0; i < std::size(numbers); ++i) {
      const auto number = members::to_uint64(values[i]);
      if (!number || *number > limit) return false;
      *numbers[i] = *number;
    }
    return true;
  }
  /// How often there was, in the end, what one of these records says, which has the number that the member `kind` is.
  template <class Record>
  static void read_count(const Members& members, const char* kind, std::vector<Record>& records) {
    const std::uint64_t number = members.count(kind);
    if (number >= records.size()) {
      members.refuse(kind, ("the number of a " + std::string(kind) + " that stands above this line").c_str());
    }
    records[number].count = members.count("count");
  }
  /// [[first, last], ...], ascending
  std::vector<RankRange> ranks_of(const Value& value) const;
  /// An integer, which is a rank of the file's own world, or "2.0" where the file has several.
  std::optional<Rank> rank_of(const Value& value) const;
  static void read_worlds(const Members& members, HeaderRecord& header);
  void read_failed_calls(const Members& members, std::size_t);
  void read_uses(const Members& members, std::size_t);
  void read_finding(const Members& members, std::size_t);
  OtherArgumentRecord other_argument(const Members& other);
  void read_finding_count(const Members& members, std::size_t) { read_count(members, "finding", end_.findings); }
  void read_switch(const Members& members, std::size_t);
  void read_switch_count(const Members& members, std::size_t) { read_count(members, "switch", end_.switches); }
  void read_communicator(const Members& members, std::size_t);
  static GroupRuns group_of(const Value& value, const char* member);
  /// From where on a sequence is undecided, where that is said.
  std::optional<UndecidedFrom> read_undecided(const Members& members);
  void read_operation(const Members& members, std::size_t);
  void read_sequence(const Members& members, std::size_t);
  /// Appends what stands in an array of operations and loops, of whose kind `known` stand above; how many operations
  /// that is when unfolded.
  static std::uint64_t read_folded(const Value& value, std::size_t known, int depth,
                                   std::vector<SequenceElement>& elements);
  /// The communicator, the sequence, from where on it is undecided, and the rank: of a line of either kind.
  template <class Record>
  void read_sequence_of_communicator(const Members& members, SequenceOf of, Record& record);
  void read_channels(const Members& members, std::size_t);
  void read_channel_ends(const Members& members, std::vector<ChannelEnd>& channels) const;
  void read_collective(const Members& members, std::size_t);
  static CollectiveRoot read_root(const Members& members);
  static Neighbours read_neighbours(const Members& members);
  CollectiveSideRecord read_side(const Members& members, const char* name);
  void read_collectives(const Members& members, std::size_t);
  void read_messages(const Members& members, std::size_t);
  void read_buffer(const Members& members, std::size_t);
  void read_window(const Members& members, std::size_t);
  void read_opened_file(const Members& members, std::size_t);
  void read_view(const Members& members, std::size_t);
  void read_file_accesses(const Members& members, std::size_t);
  void read_accesses(const Members& members, std::size_t);
  void read_window_event(const Members& members, std::size_t);
  void read_access_of_event(const Members& members, WindowEventRecord& record);
  void read_epochs(const Members& members, std::size_t);
  void read_attached(const Members& members, std::size_t);
  void read_window_name(const Members& members, std::size_t);
  BufferPlace place_of(const Members& members) const;
  template <class Place>
  Place place_in_module(const Members& members, const char* member) const;
  UsesRecord uses_of(const Value& element, const UsesRecord& line) const;
  void read_process(const Members& members, std::size_t);
  void read_note(const Members& members, std::size_t) { sink_.note(std::string(members.text("text"))); }
  void read_end(const Members& members, std::size_t);
  /// Nothing of them is needed: the decoder says the same.
  void read_facts(const Members& members, std::size_t) { definition_of(members); }
  void meet_unknown(std::string_view kind);

  void add_predefined(std::string_view name) { predefined_.push_back(*predefined_names_.emplace(name).first); }

  TraceSink& sink_;
  Words& words_;
  std::set<std::string, std::less<>> predefined_names_;
  std::vector<std::string_view> predefined_;  // as they stand in the file; texts of the set
  bool merged_ = false;
  std::int64_t version_ = 0;
  WorldNumber world_;                // whose ranks are integers
  std::vector<WorldNumber> worlds_;  // ascending, in a merged trace of several
  std::uint64_t expansions_ = 0;
  std::size_t modules_ = 0, frames_ = 0, definitions_ = 0;  // that stand above
  DefinitionRecord definition_;                             // its arrays are used again
  std::uint64_t begin_ = 0;                                 // of the line that is read
  std::vector<std::uint64_t> instances_at_;                 // where `instances` lines begin, ascending
  FileEnd end_;
};

}  // namespace ddtscope
