// Reads one process's file, line by line, and finds the files of a trace.
#include "reporters/trace/reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <limits>
#include <new>
#include <set>
#include <span>
#include <string_view>

#include "reporters/trace/counter_reader.h"
#include "reporters/trace/error_class.h"
#include "reporters/trace/line_file.h"
#include "reporters/trace/members.h"

namespace ddtscope {
namespace {

using namespace members;

// So that sums over call sites and ranks cannot overflow; no job makes 10^12 types at one place.
constexpr std::uint64_t counter_limit = std::uint64_t{1} << 40;
// A merged trace has such sums.
constexpr std::uint64_t merged_counter_limit = std::uint64_t{1} << 53;

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

/// The lines of one file, told to the sink.
class FileReader {
 public:
  FileReader(TraceSink& sink, Words& words) : sink_(sink), words_(words) {}

  /// `begin` is where in the file the line begins.
  void read_line(const Value& object, std::size_t line, std::uint64_t begin) {
    begin_ = begin;
    const Members members(object);
    const std::string_view record = members.text("record");
    for (const auto& [name, read] : readers) {
      if (record == name) {
        (this->*read)(members, line);
        return;
      }
    }
    // Readers ignore what they do not know (FORMAT.md, Versions).
  }

  void read_header(const Members& members, std::size_t line) {
    if (line != 1) {
      throw LineError{"a second header stands here, but each process writes a file of its own"};
    }
    HeaderRecord header = header_of(members);
    merged_ = header.merged;
    for (const PredefinedType& type : header.predefined) {
      predefined_names_.insert(type.name);
    }
    sink_.header(std::move(header));
  }

  static HeaderRecord header_of(const Members& members) {
    HeaderRecord header;
    header.tool = members.text("tool");
    header.job = members.text("job");
    header.merged = members.has("merged") && members.flag("merged");
    const Members library = members.object("library");
    header.library_name = library.text("name");
    header.library_version = library.text("version");
    header.library_standard = library.text("standard");
    header.host = members.text("host");
    header.pid = members.integer("pid");
    header.rank = members.integer_or_null("rank");
    header.size = members.integer_or_null("size");
    if (header.rank && *header.rank < 0) {
      members.refuse("rank", "null or not negative");
    }
    header.program = members.text("program");
    for (const Value argument : members.array("arguments")) {
      std::string_view text;
      if (argument.get(text) != simdjson::SUCCESS) {
        throw LineError{"member \"arguments\" must hold strings, but holds " + kind_of(argument)};
      }
      header.arguments.emplace_back(text);
    }
    header.started = members.text("started");
    header.stack_depth = members.integer("stack_depth");
    header.verify = members.flag("verify");
    const Members constants = members.object("constants");
    header.constants.order_c = constants.integer32("MPI_ORDER_C");
    header.constants.order_fortran = constants.integer32("MPI_ORDER_FORTRAN");
    header.constants.distribute_block = constants.integer32("MPI_DISTRIBUTE_BLOCK");
    header.constants.distribute_cyclic = constants.integer32("MPI_DISTRIBUTE_CYCLIC");
    header.constants.distribute_none = constants.integer32("MPI_DISTRIBUTE_NONE");
    header.constants.distribute_dflt_darg = constants.integer32("MPI_DISTRIBUTE_DFLT_DARG");
    for (const Value element : members.array("predefined")) {
      header.predefined.push_back(read_predefined(Members(element, "an element of \"predefined\"")));
    }
    return header;
  }

  /// What the lines said that is not told at once.
  FileEnd& end() { return end_; }
  std::size_t definitions() const { return definitions_; }
  void set_definitions(std::size_t definitions) { definitions_ = definitions; }
  std::size_t frames() const { return frames_; }
  std::size_t modules() const { return modules_; }
  std::size_t instances_lines() const { return instances_at_.size(); }
  bool has_instances_line_at(std::uint64_t begin) const {
    return std::binary_search(instances_at_.begin(), instances_at_.end(), begin);
  }

 private:
  void read_late_predefined(const Members& members, std::size_t) {
    const PredefinedType type = read_predefined(members);
    predefined_names_.insert(type.name);
    sink_.predefined(type);
  }

  static PredefinedType read_predefined(const Members& members) {
    PredefinedType type;
    type.name = members.text("name");
    const std::string_view kind = members.text("kind");
    static constexpr std::pair<std::string_view, PredefinedKind> kinds[] = {
        {"basic", PredefinedKind::basic},
        {"pair", PredefinedKind::pair},
        {"lb_marker", PredefinedKind::lb_marker},
        {"ub_marker", PredefinedKind::ub_marker},
    };
    const auto found =
        std::find_if(std::begin(kinds), std::end(kinds), [&](const auto& row) { return row.first == kind; });
    if (found == std::end(kinds)) {
      members.refuse("kind", "basic, pair, lb_marker or ub_marker");
    }
    type.kind = found->second;
    type.size = members.integer("size");
    type.extent = members.integer("extent");
    type.alignment = members.integer("alignment");
    if (type.size < 0 || type.alignment < 1) {
      throw LineError{"predefined type " + in_quotes(type.name) +
                      " must have a size of at least 0 and an alignment of at least 1"};
    }
    if (type.kind == PredefinedKind::pair) {
      const auto parts = elements_of<2>(members.need("parts"));
      const auto first = parts ? elements_of<2>((*parts)[0]) : std::nullopt;
      const auto second = parts ? elements_of<2>((*parts)[1]) : std::nullopt;
      const auto displacement = second ? to_int64((*second)[1]) : std::nullopt;
      std::string_view names[2];
      if (!first || !to_int64((*first)[1]) || !displacement || (*first)[0].get(names[0]) != simdjson::SUCCESS ||
          (*second)[0].get(names[1]) != simdjson::SUCCESS) {
        members.refuse("parts", "[[name, 0], [name, displacement]]");
      }
      type.first = names[0];
      type.second = names[1];
      type.second_displacement = *displacement;
    }
    return type;
  }

  void check_order(const Members& members, std::size_t expected, const char* what) {
    const std::uint64_t id = members.count("id");
    if (id != expected) {
      throw LineError{std::string(what) + " " + std::to_string(id) + " stands where " + what + " " +
                      std::to_string(expected) + " must come: ids count from 0 in the order of lines"};
    }
  }

  void read_module(const Members& members, std::size_t) {
    check_order(members, modules_, "module");
    sink_.module({std::string(members.text("path")), members.text_or_null("build_id")});
    ++modules_;
  }

  std::optional<FileNumber<ModuleRecord>> module_of_frame(const Value& element) const {
    if (element.is_null()) {
      return std::nullopt;
    }
    const std::uint64_t module = to_uint64(element).value_or(UINT64_MAX);
    if (module >= modules_) {
      throw LineError{"member \"frames\" names as a module " + kind_of(element) + ", but must name one of the " +
                      std::to_string(modules_) + " that stand above this line, or null"};
    }
    return FileNumber<ModuleRecord>{static_cast<std::uint32_t>(module)};
  }

  /// A chain of calls, outermost first: each frame was called by the one before it.
  void read_frames(const Members& members, std::size_t) {
    const std::uint64_t first = members.count("first");
    if (first != frames_) {
      throw LineError{"frame " + std::to_string(first) + " stands where frame " + std::to_string(frames_) +
                      " must come: frames count from 0 in the order of lines"};
    }
    auto parent = members.number_or_null<FrameRecord>("parent", frames_, "frame");
    for (const Value element : members.array("frames")) {
      const auto two = elements_of<2>(element);
      const auto offset = two ? to_uint64((*two)[1]) : std::nullopt;
      if (!offset) {
        throw LineError{"member \"frames\" must hold [module or null, offset], but holds " + kind_of(element)};
      }
      sink_.frame({parent, module_of_frame((*two)[0]), *offset});
      parent = FileNumber<FrameRecord>{static_cast<std::uint32_t>(frames_++)};
    }
  }

  void read_definition(const Members& members, std::size_t line) {
    check_order(members, definitions_, "definition");
    DefinitionRecord& definition = definition_;
    definition.line = line;
    const std::string_view key = members.text("key");
    const auto parsed_key = key_from_text(key);
    if (!parsed_key) {
      members.refuse("key", "16 hexadecimal digits");
    }
    definition.key = *parsed_key;
    definition.site = members.number_or_null<FrameRecord>("site", frames_, "frame");
    definition.called = words_.kept(members.text("called"));
    definition.adopted = members.flag("adopted");
    const auto combiner = combiner_of_name(members.text("combiner"));
    if (!combiner) {
      members.refuse("combiner", "one of the standard's combiners");
    }
    if (*combiner == Combiner::named) {
      throw LineError{"a predefined type (MPI_COMBINER_NAMED) is no definition"};
    }
    definition.combiner = *combiner;
    const std::string_view constructor = members.text("constructor");
    definition.form = Form::int_counts;
    if (constructor == constructor_name(*combiner, Form::large_counts) && row_of(*combiner).has_large_form) {
      definition.form = Form::large_counts;
    } else if (constructor != constructor_name(*combiner, Form::int_counts)) {
      throw LineError{"constructor " + in_quotes(constructor) + " does not make a type of " +
                      std::string(members.text("combiner"))};
    }
    const Members envelope = members.object("envelope");
    const Members contents = members.object("contents");
    Contents& arrays = definition.contents;
    expand(contents, "integers", envelope.count("num_integers"), expansions_, arrays.integers);
    expand(contents, "addresses", envelope.count("num_addresses"), expansions_, arrays.addresses);
    expand(contents, "large_counts", envelope.count("num_large_counts"), expansions_, arrays.large_counts);
    definition.oldtypes.clear();
    for (const Value datatype : contents.array("datatypes")) {
      definition.oldtypes.push_back(read_oldtype(datatype));
    }
    if (definition.oldtypes.size() != envelope.count("num_datatypes")) {
      throw LineError{"contents.datatypes must have " + std::to_string(envelope.count("num_datatypes")) +
                      " elements, as the envelope says, but has " + std::to_string(definition.oldtypes.size())};
    }
    definition.observed.size = members.integer_or_null("size");
    definition.observed.lb = members.integer_or_null("lb");
    definition.observed.extent = members.integer_or_null("extent");
    definition.observed.true_lb = members.integer_or_null("true_lb");
    definition.observed.true_extent = members.integer_or_null("true_extent");
    definition.alignment = members.integer("alignment");
    sink_.definition(definition);
    ++definitions_;
  }

  OldtypeRecord read_oldtype(const Value& datatype) {
    std::string_view name;
    if (datatype.get(name) == simdjson::SUCCESS) {
      if (!predefined_names_.contains(name)) {
        throw LineError{"contents.datatypes names " + in_quotes(name) +
                        ", which is not among the header's predefined types"};
      }
      return name;
    }
    const auto id = to_uint64(datatype);
    if (!id) {
      throw LineError{"contents.datatypes must hold ids or names, but holds " + kind_of(datatype)};
    }
    if (*id >= definitions_) {
      throw LineError{"contents.datatypes names definition " + std::to_string(*id) + ", but only " +
                      std::to_string(definitions_) + " stand above this line"};
    }
    return FileNumber<DefinitionRecord>{static_cast<std::uint32_t>(*id)};
  }

  FileNumber<DefinitionRecord> definition_of(const Members& members) {
    return members.number_of<DefinitionRecord>("definition", definitions_, "definition");
  }

  void read_name(const Members& members, std::size_t) {
    sink_.name({definition_of(members), std::string(members.text("name"))});
  }

  void read_difference(const Members& members, std::size_t) {
    const auto text = [&](const char* name) { return std::string(simdjson::minify(members.need(name))); };
    sink_.difference({definition_of(members), std::string(members.text("subject")), text("computed"), text("library"),
                      merged_ ? ranks_of(members.need("ranks")) : std::vector<RankRange>()});
  }

  void read_instances(const Members& members, std::size_t) {
    instances_at_.push_back(begin_);
    InstancesRecord instances;
    instances.definition = definition_of(members);
    instances.called = words_.kept(members.text("called"));
    instances.binding = words_.kept(members.text("binding"));
    for (const Value element : members.array("counts")) {
      merged_ ? read_merged_counts(element, instances) : read_counts(element, instances);
      end_.instances.push_back(instances);
    }
  }

  /// [site or null, created, adopted, committed, freed]
  void read_counts(const Value& element, InstancesRecord& instances) {
    const auto five = elements_of<5>(element);
    if (!five || !take_counters(std::span(*five).subspan<1>(), counter_limit, instances)) {
      throw LineError{"member \"counts\" must hold [site or null, created, adopted, committed, freed], but holds " +
                      kind_of(element)};
    }
    instances.site = site_of_counts((*five)[0]);
  }

  /// The same and the ranks; nulls where the counters are not known.
  void read_merged_counts(const Value& element, InstancesRecord& instances) {
    const auto six = elements_of<6>(element);
    instances.known = six && !(*six)[1].is_null();
    const bool are_counters = six && (!instances.known || take_counters(std::span<const Value>(*six).subspan(1, 4),
                                                                        merged_counter_limit, instances));
    if (!are_counters) {
      throw LineError{
          "member \"counts\" must hold [site or null, created, adopted, committed, freed, ranks], but holds " +
          kind_of(element)};
    }
    instances.site = site_of_counts((*six)[0]);
    const std::vector<RankRange> ranks = ranks_of((*six)[5]);
    instances.first_range = static_cast<std::uint32_t>(end_.ranges.size());
    instances.ranges = static_cast<std::uint32_t>(ranks.size());
    end_.ranges.insert(end_.ranges.end(), ranks.begin(), ranks.end());
  }

  /// created, adopted, committed, freed
  template <class Counts>
  static bool take_counters(std::span<const Value> values, std::uint64_t limit, Counts& counts) {
    std::uint64_t* const numbers[] = {&counts.created, &counts.adopted, &counts.committed, &counts.freed};
    for (std::size_t i = 0; i < std::size(numbers); ++i) {
      const auto number = to_uint64(values[i]);
      if (!number || *number > limit) {
        return false;
      }
      *numbers[i] = *number;
    }
    return true;
  }

  std::optional<FileNumber<FrameRecord>> site_of_counts(const Value& value) const {
    if (value.is_null()) {
      return std::nullopt;
    }
    const auto site = to_uint64(value);
    if (!site || *site >= frames_) {
      throw LineError{"member \"counts\" names as a site " + kind_of(value) + ", but must name one of the " +
                      std::to_string(frames_) + " frames that stand above this line, or null"};
    }
    return FileNumber<FrameRecord>{static_cast<std::uint32_t>(*site)};
  }

  /// [[first, last], ...], ascending
  static std::vector<RankRange> ranks_of(const Value& value) {
    std::vector<RankRange> ranks;
    simdjson::dom::array ranges;
    bool valid = value.get(ranges) == simdjson::SUCCESS;
    if (valid) {
      for (const Value range : ranges) {
        const auto two = elements_of<2>(range);
        const auto first = two ? to_int64((*two)[0]) : std::nullopt;
        const auto last = two ? to_int64((*two)[1]) : std::nullopt;
        valid = first && last && *first >= 0 && *first <= *last && (ranks.empty() || *first > ranks.back().second);
        if (!valid) {
          break;
        }
        ranks.emplace_back(*first, *last);
      }
    }
    if (!valid) {
      throw LineError{"ranks must be [[first, last], ...], ascending, but are " + kind_of(value)};
    }
    return ranks;
  }

  void read_failed_calls(const Members& members, std::size_t) {
    FailedCallsRecord calls;
    calls.called = words_.kept(members.text("called"));
    calls.binding = words_.kept(members.text("binding"));
    if (!members.need("error_class").is_null()) {
      calls.error_class = words_.kept(members.text("error_class"));
    }
    for (const Value element : members.array("counts")) {
      const auto two = merged_ ? std::nullopt : elements_of<2>(element);
      const auto three = merged_ ? elements_of<3>(element) : std::nullopt;
      const Value* const values = two ? two->data() : three ? three->data() : nullptr;
      const auto count = values != nullptr ? to_uint64(values[1]) : std::nullopt;
      if (!count || *count > (merged_ ? merged_counter_limit : counter_limit)) {
        throw LineError{std::string("member \"counts\" must hold [site or null, count") + (merged_ ? ", ranks" : "") +
                        "], but holds " + kind_of(element)};
      }
      calls.count = *count;
      calls.site = site_of_counts(values[0]);
      calls.ranks = merged_ ? ranks_of(values[2]) : std::vector<RankRange>();
      end_.failed_calls.push_back(calls);
    }
  }

  void read_process(const Members& members, std::size_t) {
    if (!merged_) {
      return;
    }
    ProcessRecord process;
    process.rank = members.integer_or_null("rank");
    if (process.rank && *process.rank < 0) {
      members.refuse("rank", "null or not negative");
    }
    process.host = members.text("host");
    process.pid = members.integer("pid");
    process.started = members.text("started");
    process.verify = members.flag("verify");
    if (!members.need("end").is_null()) {
      const Members end = members.object("end");
      process.end = EndRecord{end.flag("complete"), std::string(end.text("reason")), std::string(end.text("ended"))};
    }
    process.stopped = members.text_or_null("stopped");
    process.last_line_cut = members.flag("last_line_cut");
    const Value counts = members.need("counts");
    if (!counts.is_null()) {
      const auto four = elements_of<4>(counts);
      if (!four || !take_counters(*four, merged_counter_limit, process.counts.emplace())) {
        members.refuse("counts", "[created, adopted, committed, freed] or null");
      }
    }
    sink_.process(std::move(process));
  }

  void read_note(const Members& members, std::size_t) { sink_.note(std::string(members.text("text"))); }

  void read_end(const Members& members, std::size_t) {
    EndRecord end;
    end.complete = members.flag("complete");
    end.reason = members.text("reason");
    end.ended = members.text("ended");
    for (const Value element : members.array("unrecorded")) {
      const Members unrecorded(element, "an element of \"unrecorded\"");
      UnrecordedRecord& record = end_.unrecorded.emplace_back();
      record.called = unrecorded.text("called");
      record.count = unrecorded.count("count");
      record.why = unrecorded.text("why");
      if (unrecorded.has("site")) {
        record.site = unrecorded.number_or_null<FrameRecord>("site", frames_, "frame");
      }
      if (merged_) {
        record.ranks = ranks_of(unrecorded.need("ranks"));
      }
    }
    end_.end = std::move(end);
    end_.counted = true;
  }

  struct Row {
    std::string_view record;
    void (FileReader::*read)(const Members&, std::size_t);
  };
  static constexpr Row readers[] = {
      {"instances", &FileReader::read_instances},
      {"frames", &FileReader::read_frames},
      {"definition", &FileReader::read_definition},
      {"name", &FileReader::read_name},
      {"module", &FileReader::read_module},
      {"difference", &FileReader::read_difference},
      {"header", &FileReader::read_header},
      {"predefined", &FileReader::read_late_predefined},
      {"end", &FileReader::read_end},
      {"failed_calls", &FileReader::read_failed_calls},
      {"process", &FileReader::read_process},
      {"note", &FileReader::read_note},
  };

  TraceSink& sink_;
  Words& words_;
  std::set<std::string, std::less<>> predefined_names_;
  bool merged_ = false;
  std::uint64_t expansions_ = 0;
  std::size_t modules_ = 0, frames_ = 0, definitions_ = 0;  // that stand above
  DefinitionRecord definition_;                             // its arrays are used again
  std::uint64_t begin_ = 0;                                 // of the line that is read
  std::vector<std::uint64_t> instances_at_;                 // where `instances` lines begin, ascending
  FileEnd end_;
};

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

std::string text_of_errno(std::uint32_t error) { return std::strerror(static_cast<int>(error)); }

/// Why the trace lacks something; empty where it does not.
std::optional<std::string> why_stopped(const CounterFile& counters) {
  std::string why;
  if (counters.error == trace::counter_file_full) {
    why = "the trace reached its limit (DDTSCOPE_MAX_TRACE)";
  } else if (counters.error != 0) {
    why = "the trace could not be written (" + text_of_errno(counters.error) + ")";
  }
  if (counters.left_out != 0) {
    why += (why.empty() ? "" : "; ") + std::to_string(counters.left_out) + " of its counters found no room (" +
           text_of_errno(counters.why_left_out) + ")";
    if (counters.left_out_types != 0) {
      why += ", which had counted " + std::to_string(counters.left_out_types) + " types";
    }
  }
  return why.empty() ? std::nullopt : std::optional(why);
}

/// Where the process could not write its counters into the trace file, they are in the file beside it.
std::optional<TraceProblem> add_counters(const std::filesystem::path& file, const CounterFile& counters,
                                         FileReader& reader, Words& words) {
  FileEnd& end = reader.end();
  if (counters.version < 2) {
    end.instances.clear();  // a process that was killed while it wrote them: the counters are whole
  }
  end.failed_calls.clear();
  end.counted = true;
  end.stopped = why_stopped(counters);
  end.some_left_out = counters.left_out != 0;
  for (const trace::CounterRecord& record : counters.records) {
    if (record.folded_at != 0 && reader.has_instances_line_at(record.folded_at)) {
      continue;  // the line has them
    }
    for (const std::uint64_t count : {record.created, record.adopted, record.committed, record.freed, record.failed}) {
      if (count > counter_limit) {
        return TraceProblem{TraceProblem::Kind::unreadable,
                            file.string() + ": the counters beside it are damaged; remove the file " +
                                std::string(trace::counter_file_extension) + ", then the trace is read without them."};
      }
    }
    std::optional<FileNumber<FrameRecord>> site;
    if (record.site < reader.frames()) {  // else none, or in a line that could not be written
      site = FileNumber<FrameRecord>{record.site};
    }
    const std::string called = text_of_field(record.called);
    if (record.failed != 0) {
      end.failed_calls.push_back({words.kept(called),
                                  words.kept(text_of_field(record.binding)),
                                  name_of(trace::ErrorClass{record.error_class}),
                                  site,
                                  record.failed,
                                  {}});
    } else if (record.definition < reader.definitions()) {
      end.instances.push_back({{record.definition},
                               site,
                               words.kept(called),
                               words.kept(text_of_field(record.binding)),
                               record.created,
                               record.adopted,
                               record.committed,
                               record.freed,
                               true,
                               0,
                               0});
    } else if (const std::uint64_t lost = record.created + record.adopted; lost != 0) {
      const bool was_dropped = record.definition == trace::counter_file_none;
      end.unrecorded.push_back(
          {called,
           lost,
           end.stopped.value_or(was_dropped ? trace::no_memory : "its definition is not in the trace"),
           site,
           {}});
    }
  }
  if (counters.ended != trace::Completeness::unknown) {
    end.end = EndRecord{counters.ended == trace::Completeness::complete, counters.reason, {}};
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
    FileReader reader(sink, words_);
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
      return FileReader::header_of(Members(object));
    } catch (const LineError& error) {
      return damaged_line(file, 1, error.what + "; the file is damaged or was edited, record it again.");
    }
  }

  std::function<void(std::uint64_t)> progress;

 private:
  static constexpr int most_attempts = 10;

  /// From line `number` on, to the end of what the file has now.
  std::optional<TraceProblem> read_lines(const std::filesystem::path& file, FileReader& reader, std::size_t& number) {
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

class TraceLineReader::Implementation {
 public:
  explicit Implementation(TraceSink& sink) : reader_(sink, words_) {}

  std::optional<Place> place_of(std::string_view line) {
    Value object;
    if (parser_.parse(line.data(), line.size()).get(object) != simdjson::SUCCESS) return std::nullopt;
    try {
      const Members members(object);
      const std::string_view record = members.text("record");
      if (record == "header") return Place{Kind::header, 0};
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

  FileReader& reader() { return reader_; }

 private:
  Words words_;
  FileReader reader_;
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

std::variant<std::vector<std::filesystem::path>, TraceProblem> find_trace_files(
    std::span<const std::filesystem::path> paths) {
  std::vector<std::filesystem::path> files;
  for (const auto& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::filesystem::path> inside;
    std::filesystem::directory_iterator entries(path, error);
    if (error) {
      return TraceProblem{TraceProblem::Kind::unreadable,
                          path.string() + ": cannot be read (" + error.message() + "); check its permissions."};
    }
    for (; entries != std::filesystem::directory_iterator(); entries.increment(error)) {
      if (entries->path().extension() == ".jsonl") {
        inside.push_back(entries->path());
      }
      if (error) {
        break;
      }
    }
    if (inside.empty()) {
      return TraceProblem{TraceProblem::Kind::unreadable,
                          path.string() +
                              ": no trace is in this folder, because it holds no *.jsonl file; give the folder that "
                              "`ddtscope exec -o` wrote."};
    }
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  // The same file twice would be the same rank twice.
  std::set<std::filesystem::path> seen;
  std::erase_if(files, [&](const auto& file) {
    std::error_code error;
    const auto canonical = std::filesystem::weakly_canonical(file, error);
    return !seen.insert(error ? file : canonical).second;
  });
  return files;
}

}  // namespace ddtscope
