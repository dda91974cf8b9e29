// Reads one process's file, line by line, and finds the files of a trace.
#include "reporters/trace/reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <new>
#include <set>
#include <string_view>
#include <unordered_set>

#include <nlohmann/json.hpp>

#include "reporters/trace/counter_reader.h"
#include "reporters/trace/members.h"

namespace ddtscope {
namespace {

using nlohmann::json;
using namespace members;

// No line of a trace nests deeper than its strided runs, which the writer caps at 64 groups.
constexpr int json_depth_limit = 1024;
// So that sums over call sites and ranks cannot overflow; no job makes 10^12 types at one place.
constexpr std::uint64_t counter_limit = std::uint64_t{1} << 40;

bool nests_too_deep(std::string_view line) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > json_depth_limit) {
        return true;
      }
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

class FileReader {
 public:
  explicit FileReader(RankTrace& trace) : trace_(trace) {}

  void read_line(const json& object, std::size_t line) {
    const Members members(object, {});
    const std::string& record = members.text("record");
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
    HeaderRecord& header = trace_.header;
    header.tool = members.text("tool");
    header.job = members.text("job");
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
    for (const json& argument : members.array("arguments")) {
      if (!argument.is_string()) {
        throw LineError{"member \"arguments\" must hold strings, but holds " + kind_of(argument)};
      }
      header.arguments.push_back(argument.get<std::string>());
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
    for (const json& element : members.array("predefined")) {
      add_predefined(Members(element, "an element of \"predefined\""));
    }
  }

 private:
  void read_late_predefined(const Members& members, std::size_t) { add_predefined(members); }

  void add_predefined(const Members& members) {
    trace_.header.predefined.push_back(read_predefined(members));
    predefined_names_.insert(trace_.header.predefined.back().name);
  }

  PredefinedType read_predefined(const Members& members) {
    PredefinedType type;
    type.name = members.text("name");
    const std::string& kind = members.text("kind");
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
      const json& parts = members.array("parts");
      const auto is_part = [](const json& part) {
        return part.is_array() && part.size() == 2 && part[0].is_string() && to_int64(part[1]);
      };
      if (parts.size() != 2 || !is_part(parts[0]) || !is_part(parts[1])) {
        members.refuse("parts", "[[name, 0], [name, displacement]]");
      }
      type.first = parts[0][0].get<std::string>();
      type.second = parts[1][0].get<std::string>();
      type.second_displacement = *to_int64(parts[1][1]);
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
    check_order(members, trace_.modules.size(), "module");
    trace_.modules.push_back({members.text("path"), members.text_or_null("build_id")});
  }

  std::optional<FileNumber<ModuleRecord>> module_of_frame(const json& element) const {
    if (element.is_null()) {
      return std::nullopt;
    }
    const std::uint64_t module = to_uint64(element).value_or(UINT64_MAX);
    if (module >= trace_.modules.size()) {
      throw LineError{"member \"frames\" names as a module " + kind_of(element) + ", but must name one of the " +
                      std::to_string(trace_.modules.size()) + " that stand above this line, or null"};
    }
    return FileNumber<ModuleRecord>{static_cast<std::uint32_t>(module)};
  }

  /// A chain of calls, outermost first: each frame was called by the one before it.
  void read_frames(const Members& members, std::size_t) {
    const std::uint64_t first = members.count("first");
    if (first != trace_.frames.size()) {
      throw LineError{"frame " + std::to_string(first) + " stands where frame " + std::to_string(trace_.frames.size()) +
                      " must come: frames count from 0 in the order of lines"};
    }
    auto parent = members.number_or_null<FrameRecord>("parent", trace_.frames.size(), "frame");
    for (const json& element : members.array("frames")) {
      const bool has_two = element.is_array() && element.size() == 2;
      const auto offset = has_two ? to_uint64(element[1]) : std::nullopt;
      if (!offset) {
        throw LineError{"member \"frames\" must hold [module or null, offset], but holds " + kind_of(element)};
      }
      const auto number = static_cast<std::uint32_t>(trace_.frames.size());
      trace_.frames.push_back({parent, module_of_frame(element[0]), *offset});
      parent = FileNumber<FrameRecord>{number};
    }
  }

  void read_definition(const Members& members, std::size_t line) {
    check_order(members, trace_.definitions.size(), "definition");
    DefinitionRecord definition;
    definition.line = line;
    const std::string& key = members.text("key");
    const auto parsed_key = key_from_text(key);
    if (!parsed_key) {
      members.refuse("key", "16 hexadecimal digits");
    }
    definition.key = *parsed_key;
    definition.site = members.number_or_null<FrameRecord>("site", trace_.frames.size(), "frame");
    definition.called = members.text("called");
    definition.adopted = members.flag("adopted");
    const auto combiner = combiner_of_name(members.text("combiner"));
    if (!combiner) {
      members.refuse("combiner", "one of the standard's combiners");
    }
    if (*combiner == Combiner::named) {
      throw LineError{"a predefined type (MPI_COMBINER_NAMED) is no definition"};
    }
    definition.combiner = *combiner;
    const std::string& constructor = members.text("constructor");
    if (constructor == constructor_name(*combiner, Form::large_counts) && row_of(*combiner).has_large_form) {
      definition.form = Form::large_counts;
    } else if (constructor != constructor_name(*combiner, Form::int_counts)) {
      throw LineError{"constructor " + in_quotes(constructor) + " does not make a type of " + members.text("combiner")};
    }
    const Members envelope = members.object("envelope");
    const Members contents = members.object("contents");
    definition.integers = expanded(contents, "integers", envelope.count("num_integers"), expansions_);
    definition.addresses = expanded(contents, "addresses", envelope.count("num_addresses"), expansions_);
    definition.large_counts = expanded(contents, "large_counts", envelope.count("num_large_counts"), expansions_);
    const json& datatypes = contents.array("datatypes");
    if (datatypes.size() != envelope.count("num_datatypes")) {
      throw LineError{"contents.datatypes must have " + std::to_string(envelope.count("num_datatypes")) +
                      " elements, as the envelope says, but has " + std::to_string(datatypes.size())};
    }
    definition.datatypes.reserve(datatypes.size());
    for (const json& datatype : datatypes) {
      definition.datatypes.push_back(read_oldtype(datatype));
    }
    definition.observed.size = members.integer_or_null("size");
    definition.observed.lb = members.integer_or_null("lb");
    definition.observed.extent = members.integer_or_null("extent");
    definition.observed.true_lb = members.integer_or_null("true_lb");
    definition.observed.true_extent = members.integer_or_null("true_extent");
    definition.alignment = members.integer("alignment");
    trace_.definitions.push_back(std::move(definition));
  }

  OldtypeRecord read_oldtype(const json& datatype) {
    if (datatype.is_string()) {
      const auto& name = datatype.get_ref<const std::string&>();
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
    if (*id >= trace_.definitions.size()) {
      throw LineError{"contents.datatypes names definition " + std::to_string(*id) + ", but only " +
                      std::to_string(trace_.definitions.size()) + " stand above this line"};
    }
    return FileNumber<DefinitionRecord>{static_cast<std::uint32_t>(*id)};
  }

  FileNumber<DefinitionRecord> definition_of(const Members& members) {
    return members.number_of<DefinitionRecord>("definition", trace_.definitions.size(), "definition");
  }

  void read_name(const Members& members, std::size_t) {
    trace_.names.push_back({definition_of(members), members.text("name")});
  }

  void read_difference(const Members& members, std::size_t) {
    const auto text = [&](const char* name) {
      return members.need(name).dump(-1, ' ', false, json::error_handler_t::replace);
    };
    trace_.differences.push_back({definition_of(members), members.text("subject"), text("computed"), text("library")});
  }

  void read_instances(const Members& members, std::size_t) {
    InstancesRecord instances;
    instances.definition = definition_of(members);
    instances.called = members.text("called");
    instances.binding = members.text("binding");
    for (const json& element : members.array("counts")) {
      const bool has_five = element.is_array() && element.size() == 5;
      std::array<std::uint64_t, 4> numbers{};
      bool valid = has_five && (element[0].is_null() || to_uint64(element[0]));
      for (std::size_t i = 0; valid && i < numbers.size(); ++i) {
        const auto number = to_uint64(element[i + 1]);
        valid = number.has_value() && *number <= counter_limit;
        numbers[i] = number.value_or(0);
      }
      if (!valid) {
        throw LineError{"member \"counts\" must hold [site or null, created, adopted, committed, freed], but holds " +
                        kind_of(element)};
      }
      instances.site.reset();
      if (const auto site = to_uint64(element[0])) {
        if (*site >= trace_.frames.size()) {
          throw LineError{"member \"counts\" names frame " + std::to_string(*site) + ", but only " +
                          std::to_string(trace_.frames.size()) + " stand above this line"};
        }
        instances.site = FileNumber<FrameRecord>{static_cast<std::uint32_t>(*site)};
      }
      instances.created = numbers[0];
      instances.adopted = numbers[1];
      instances.committed = numbers[2];
      instances.freed = numbers[3];
      trace_.instances.push_back(instances);
    }
  }

  void read_end(const Members& members, std::size_t) {
    EndRecord end;
    end.complete = members.flag("complete");
    end.reason = members.text("reason");
    end.ended = members.text("ended");
    for (const json& element : members.array("unrecorded")) {
      const Members unrecorded(element, "an element of \"unrecorded\"");
      trace_.unrecorded.push_back({unrecorded.text("called"), unrecorded.count("count"), unrecorded.text("why"), {}});
    }
    trace_.end = std::move(end);
    trace_.counted = true;
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
  };

  RankTrace& trace_;
  std::unordered_set<std::string> predefined_names_;
  std::uint64_t expansions_ = 0;
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
std::optional<TraceProblem> check_format(const json& object, const std::filesystem::path& file) {
  if (!object.is_object()) {
    return no_trace(file);
  }
  const auto format = object.find("format");
  const auto version = object.find("version");
  const auto record = object.find("record");
  if (format == object.end() || *format != "ddtscope-trace" || record == object.end() || *record != "header") {
    return no_trace(file);
  }
  const auto number = version == object.end() ? std::nullopt : to_int64(*version);
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

std::variant<std::string, TraceProblem> read_whole(const std::filesystem::path& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) {
    return TraceProblem{TraceProblem::Kind::unreadable,
                        file.string() + ": no such file or folder; give the folder that `ddtscope exec -o` wrote."};
  }
  if (std::filesystem::is_directory(status)) {
    return TraceProblem{
        TraceProblem::Kind::unreadable,
        file.string() + ": is a folder, not a trace file; give the folder that holds its *.jsonl files."};
  }
  std::ifstream stream(file, std::ios::binary);
  std::string text;
  if (stream) {
    char buffer[1 << 16];
    while (stream.read(buffer, sizeof buffer) || stream.gcount() > 0) {
      text.append(buffer, static_cast<std::size_t>(stream.gcount()));
    }
  }
  if (!stream.eof() || stream.bad()) {
    return TraceProblem{TraceProblem::Kind::unreadable,
                        file.string() + ": cannot be read (" + std::strerror(errno) + "); check its permissions."};
  }
  return text;
}

std::string why_stopped(std::uint32_t error) {
  return error == trace::counter_file_full
             ? "the trace reached its limit (DDTSCOPE_MAX_TRACE)"
             : "the trace could not be written (" + std::string(std::strerror(static_cast<int>(error))) + ")";
}

/// Where the process could not write its counters into the trace file, they are in the file beside it.
std::optional<TraceProblem> add_counters(RankTrace& trace) {
  auto read = read_counter_file(trace.file);
  if (auto* problem = std::get_if<TraceProblem>(&read)) {
    return std::move(*problem);
  }
  const std::optional<CounterFile>& counters = std::get<std::optional<CounterFile>>(read);
  if (!counters) {
    return std::nullopt;
  }
  trace.instances.clear();  // a process that was killed while it wrote them: the counters are whole
  trace.counted = true;
  if (counters->error != 0) {
    trace.stopped = why_stopped(counters->error);
  }
  for (const trace::CounterRecord& record : counters->records) {
    for (const std::uint64_t count : {record.created, record.adopted, record.committed, record.freed}) {
      if (count > counter_limit) {
        return TraceProblem{TraceProblem::Kind::unreadable,
                            trace.file.string() + ": the counters beside it are damaged; remove the file " +
                                std::string(trace::counter_file_extension) + ", then the trace is read without them."};
      }
    }
    std::optional<FileNumber<FrameRecord>> site;
    if (record.site < trace.frames.size()) {  // else none, or in a line that could not be written
      site = FileNumber<FrameRecord>{record.site};
    }
    const std::string called = text_of_field(record.called);
    if (record.definition < trace.definitions.size()) {
      trace.instances.push_back({{record.definition},
                                 site,
                                 called,
                                 text_of_field(record.binding),
                                 record.created,
                                 record.adopted,
                                 record.committed,
                                 record.freed});
    } else if (const std::uint64_t lost = record.created + record.adopted; lost != 0) {
      trace.unrecorded.push_back({called, lost, trace.stopped.value_or("its definition is not in the trace"), site});
    }
  }
  if (counters->ended != trace::Completeness::unknown) {
    trace.end = EndRecord{counters->ended == trace::Completeness::complete, counters->reason, {}};
  }
  return std::nullopt;
}

ReadResult read_unguarded(const std::filesystem::path& file) {
  auto whole = read_whole(file);
  if (auto* problem = std::get_if<TraceProblem>(&whole)) {
    return std::move(*problem);
  }
  const std::string text = std::move(std::get<std::string>(whole));
  RankTrace trace;
  trace.file = file;
  trace.last_line_cut = !text.empty() && text.back() != '\n';
  FileReader reader(trace);
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) {
      break;
    }
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (nests_too_deep(line)) {
      return number == 1
                 ? no_trace(file)
                 : TraceProblem{TraceProblem::Kind::unreadable,
                                where(file, number) +
                                    "the line nests deeper than a trace does; the file is damaged, record it again."};
    }
    const json object = json::parse(line, nullptr, false);
    if (number == 1) {
      if (auto problem = check_format(object, file)) {
        return *problem;
      }
    }
    if (object.is_discarded()) {
      return TraceProblem{
          TraceProblem::Kind::unreadable,
          where(file, number) + "the line is not JSON; the file is damaged, record it again or remove the line."};
    }
    try {
      reader.read_line(object, number);
    } catch (const LineError& error) {
      return TraceProblem{TraceProblem::Kind::unreadable,
                          where(file, number) + error.what + "; the file is damaged or was edited, record it again."};
    }
  }
  if (number == 0) {
    const bool may_be_trace = text.starts_with(std::string_view("{\"record\":").substr(0, text.size())) ||
                              text.starts_with(std::string_view("{\"record\": \"header\"").substr(0, text.size()));
    if (!may_be_trace) {
      return no_trace(file);
    }
    return TraceProblem{TraceProblem::Kind::no_header,
                        where(file, 1) +
                            "the file holds no whole line, because its process was stopped before it wrote its "
                            "header; run the program again."};
  }
  if (!trace.end) {
    if (auto problem = add_counters(trace)) {
      return *problem;
    }
  }
  return trace;
}

}  // namespace

ReadResult read_trace_file(const std::filesystem::path& file) {
  try {
    return read_unguarded(file);
  } catch (const std::bad_alloc&) {
    return TraceProblem{TraceProblem::Kind::unreadable,
                        file.string() + ": the trace does not fit into memory; read it on a larger machine."};
  } catch (const std::exception& error) {
    return TraceProblem{TraceProblem::Kind::unreadable, file.string() + ": cannot be read: " + error.what()};
  }
}

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
