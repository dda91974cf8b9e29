// Record by record as FORMAT.md lists them.
#include "reporters/trace/read/record_reader.h"

#include <climits>
#include <iterator>

#include "reporters/trace/format/predefined_kind.h"

namespace ddtscope {

using namespace members;

namespace {

// A merged trace has sums.
constexpr std::uint64_t merged_counter_limit = std::uint64_t{1} << 53;

/// created, adopted, committed, freed
template <class Counts>
bool take_counters(std::span<const Value> values, std::uint64_t limit, Counts& counts) {
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

std::vector<std::string> arguments_of(const Members& members) {
  std::vector<std::string> arguments;
  for (const Value argument : members.array("arguments")) {
    std::string_view text;
    if (argument.get(text) != simdjson::SUCCESS) {
      throw LineError{"member \"arguments\" must hold strings, but holds " + kind_of(argument)};
    }
    arguments.emplace_back(text);
  }
  return arguments;
}

std::optional<WorldNumber> spawned_by(const Members& members) {
  const auto world = members.integer_or_null("spawned_by");
  if (world && *world < 1) {
    members.refuse("spawned_by", "null or a number from 1 on");
  }
  return world ? std::optional(WorldNumber{*world}) : std::nullopt;
}

}  // namespace

void RecordReader::read_line(const Value& object, std::size_t line, std::uint64_t begin) {
  struct Row {
    std::string_view record;
    void (RecordReader::*read)(const Members&, std::size_t);
  };
  static constexpr Row readers[] = {
      {"instances", &RecordReader::read_instances},
      {"frames", &RecordReader::read_frames},
      {"definition", &RecordReader::read_definition},
      {"name", &RecordReader::read_name},
      {"module", &RecordReader::read_module},
      {"difference", &RecordReader::read_difference},
      {"header", &RecordReader::read_header},
      {"predefined", &RecordReader::read_late_predefined},
      {"end", &RecordReader::read_end},
      {"failed_calls", &RecordReader::read_failed_calls},
      {"uses", &RecordReader::read_uses},
      {"finding", &RecordReader::read_finding},
      {"finding_count", &RecordReader::read_finding_count},
      {"switch", &RecordReader::read_switch},
      {"switch_count", &RecordReader::read_switch_count},
      {"process", &RecordReader::read_process},
      {"note", &RecordReader::read_note},
      {"facts", &RecordReader::read_facts},
  };
  begin_ = begin;
  const Members members(object);
  const std::string_view record = members.text("record");
  for (const auto& [name, read] : readers) {
    if (record == name) {
      (this->*read)(members, line);
      return;
    }
  }
  meet_unknown(record);
}

/// Readers ignore what they do not know, and say so (FORMAT.md, Versions).
void RecordReader::meet_unknown(std::string_view kind) {
  constexpr std::size_t most_kinds = 8;
  if (version_ < trace::first_version_with_kinds_to_come || end_.unknown_kinds.size() == most_kinds) return;
  end_.unknown_kinds.insert(in_quotes(kind));
}

/// Which world the file is of, or which ones.
void RecordReader::read_worlds(const Members& members, HeaderRecord& header) {
  if (members.has("launcher_job")) {
    header.launcher_job = members.text("launcher_job");
  }
  if (members.has("world")) {
    header.world = {members.integer("world")};
    if (header.world.value < 2) {
      members.refuse("world", "a number from 2 on, because the first world's files say none");
    }
    header.spawned_by = spawned_by(members);
  }
  if (!members.has("worlds")) {
    return;
  }
  if (!header.merged || members.has("world")) {
    throw LineError{"member \"worlds\" stands in the header of a file of one world"};
  }
  for (const Value element : members.array("worlds")) {
    const Members entry(element, "an element of \"worlds\"");
    World world;
    world.number = {entry.integer("world")};
    const WorldNumber last = header.worlds.empty() ? WorldNumber{0} : header.worlds.back().number;
    if (world.number <= last) {
      entry.refuse("world", "a number from 1 on that is larger than those before it");
    }
    world.spawned_by = spawned_by(entry);
    world.size = entry.integer_or_null("size");
    world.program = entry.text("program");
    world.arguments = arguments_of(entry);
    header.worlds.push_back(std::move(world));
  }
}

void RecordReader::read_header(const Members& members, std::size_t line) {
  if (line != 1) {
    throw LineError{"a second header stands here, but each process writes a file of its own"};
  }
  HeaderRecord header = header_of(members);
  merged_ = header.merged;
  version_ = header.version;
  world_ = header.world;
  for (const World& world : header.worlds) {
    worlds_.push_back(world.number);
  }
  for (const PredefinedType& type : header.predefined) {
    add_predefined(type.name);
  }
  sink_.header(std::move(header));
}

HeaderRecord RecordReader::header_of(const Members& members) {
  HeaderRecord header;
  header.version = members.integer("version");
  header.tool = members.text("tool");
  header.job = members.text("job");
  header.merged = members.has("merged") && members.flag("merged");
  const Members library = members.object("library");
  header.library_name = library.text("name");
  if (library.has("abi")) header.library_abi = library.text("abi");
  header.library_version = library.text("version");
  header.library_standard = library.text("standard");
  header.host = members.text("host");
  header.pid = members.integer("pid");
  read_worlds(members, header);
  if (const auto rank = members.integer_or_null("rank")) {
    if (*rank < 0) {
      members.refuse("rank", "null or not negative");
    }
    header.rank = Rank{header.world, *rank};
  }
  header.size = members.integer_or_null("size");
  if (header.size && (*header.size < 1 || *header.size > INT_MAX)) {  // MPI_Comm_size gives an int
    members.refuse("size", "null or from 1 to 2^31 - 1");
  }
  if (header.size && header.rank && header.rank->number >= *header.size) {
    members.refuse("rank", "null or less than the size");
  }
  header.program = members.text("program");
  header.arguments = arguments_of(members);
  header.started = members.text("started");
  header.stack_depth = members.integer("stack_depth");
  header.verify = members.flag("verify");
  header.uses = members.has("uses") && members.flag("uses");
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

void RecordReader::read_late_predefined(const Members& members, std::size_t) {
  const PredefinedType type = read_predefined(members);
  add_predefined(type.name);
  sink_.predefined(type);
}

PredefinedType RecordReader::read_predefined(const Members& members) {
  PredefinedType type;
  type.name = members.text("name");
  const std::string_view kind = members.text("kind");
  const auto known = trace::predefined_kind_of_name(kind);
  if (!known) {
    members.refuse("kind", "basic, pair, lb_marker or ub_marker");
  }
  type.kind = *known;
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

void RecordReader::check_order(const Members& members, const char* member, std::size_t expected, const char* what) {
  const std::uint64_t number = members.count(member);
  if (number != expected) {
    throw LineError{std::string(what) + " " + std::to_string(number) + " stands where " + what + " " +
                    std::to_string(expected) + " must come: they count from 0 in the order of lines"};
  }
}

void RecordReader::read_module(const Members& members, std::size_t) {
  check_order(members, "id", modules_, "module");
  sink_.module({std::string(members.text("path")), members.text_or_null("build_id")});
  ++modules_;
}

ModuleNumber RecordReader::module_of_frame(const Value& element) const {
  if (element.is_null()) {
    return {};
  }
  const std::uint64_t module = to_uint64(element).value_or(UINT64_MAX);
  if (module >= modules_) {
    throw LineError{"member \"frames\" names as a module " + kind_of(element) + ", but must name one of the " +
                    std::to_string(modules_) + " that stand above this line, or null"};
  }
  return ModuleNumber{static_cast<std::uint32_t>(module)};
}

void RecordReader::read_frames(const Members& members, std::size_t) {
  check_order(members, "first", frames_, "frame");
  auto parent = members.number_or_null<FrameRecord>("parent", frames_, "frame");
  for (const Value element : members.array("frames")) {
    const auto two = elements_of<2>(element);
    const auto offset = two ? to_uint64((*two)[1]) : std::nullopt;
    if (!offset) {
      throw LineError{"member \"frames\" must hold [module or null, offset], but holds " + kind_of(element)};
    }
    sink_.frame({parent, module_of_frame((*two)[0]), *offset});
    parent = FrameNumber{static_cast<std::uint32_t>(frames_++)};
  }
}

void RecordReader::read_definition(const Members& members, std::size_t line) {
  check_order(members, "id", definitions_, "definition");
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
  definition.alignment = members.has("alignment") ? std::optional(members.integer("alignment")) : std::nullopt;
  sink_.definition(definition);
  ++definitions_;
}

OldtypeRecord RecordReader::read_oldtype(const Value& datatype, const std::string& member) {
  std::string_view name;
  if (datatype.get(name) == simdjson::SUCCESS) {
    if (!predefined_names_.contains(name)) {
      throw LineError{member + " names " + in_quotes(name) + ", which is not among the header's predefined types"};
    }
    return name;
  }
  const auto id = to_uint64(datatype);
  if (!id) {
    throw LineError{
        member +
        (member == "contents.datatypes" ? " must hold ids or names, but holds " : " must be an id or a name, but is ") +
        kind_of(datatype)};
  }
  if (*id >= definitions_) {
    throw LineError{member + " names definition " + std::to_string(*id) + ", but only " + std::to_string(definitions_) +
                    " stand above this line"};
  }
  return DefinitionNumber{static_cast<std::uint32_t>(*id)};
}

DefinitionNumber RecordReader::definition_of(const Members& members) {
  return members.number_of<DefinitionRecord>("definition", definitions_, "definition");
}

void RecordReader::read_name(const Members& members, std::size_t) {
  sink_.name({definition_of(members), std::string(members.text("name"))});
}

void RecordReader::read_difference(const Members& members, std::size_t) {
  const auto text = [&](const char* name) { return std::string(simdjson::minify(members.need(name))); };
  const DefinitionNumber definition = definition_of(members);
  sink_.difference({std::string(members.text("subject")), text("computed"), text("library"), definition,
                    merged_ ? ranks_of(members.need("ranks")) : std::vector<RankRange>()});
}

void RecordReader::read_instances(const Members& members, std::size_t) {
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

void RecordReader::read_counts(const Value& element, InstancesRecord& instances) {
  const auto five = elements_of<5>(element);
  if (!five || !take_counters(std::span(*five).subspan<1>(), counter_limit, instances)) {
    throw LineError{"member \"counts\" must hold [site or null, created, adopted, committed, freed], but holds " +
                    kind_of(element)};
  }
  instances.site = site_of_counts((*five)[0]);
}

void RecordReader::read_merged_counts(const Value& element, InstancesRecord& instances) {
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

FrameNumber RecordReader::site_of_counts(const Value& value) const {
  if (value.is_null()) {
    return {};
  }
  const auto site = to_uint64(value);
  if (!site || *site >= frames_) {
    throw LineError{"member \"counts\" names as a site " + kind_of(value) + ", but must name one of the " +
                    std::to_string(frames_) + " frames that stand above this line, or null"};
  }
  return FrameNumber{static_cast<std::uint32_t>(*site)};
}

std::optional<Rank> RecordReader::rank_of(const Value& value) const {
  Rank rank{world_, 0};
  if (const auto number = to_int64(value)) {
    rank.number = *number;
  } else {
    std::string_view text;
    const auto take = [&](std::int64_t& integer) {
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), integer);
      text.remove_prefix(static_cast<std::size_t>(end - text.data()));
      return error == std::errc();
    };
    if (value.get(text) != simdjson::SUCCESS || !take(rank.world.value) || !text.starts_with('.')) {
      return std::nullopt;
    }
    text.remove_prefix(1);
    if (!take(rank.number) || !text.empty()) {
      return std::nullopt;
    }
  }
  const bool is_known =
      worlds_.empty() ? rank.world == world_ : std::binary_search(worlds_.begin(), worlds_.end(), rank.world);
  return rank.number >= 0 && is_known ? std::optional(rank) : std::nullopt;
}

std::vector<RankRange> RecordReader::ranks_of(const Value& value) const {
  std::vector<RankRange> ranks;
  simdjson::dom::array ranges;
  bool valid = value.get(ranges) == simdjson::SUCCESS;
  if (valid) {
    for (const Value range : ranges) {
      const auto two = elements_of<2>(range);
      const auto first = two ? rank_of((*two)[0]) : std::nullopt;
      const auto last = two ? rank_of((*two)[1]) : std::nullopt;
      valid = first && last && first->world == last->world && *first <= *last &&
              (ranks.empty() || *first > Rank{ranks.back().world, ranks.back().last});
      if (!valid) {
        break;
      }
      ranks.push_back({first->number, last->number, first->world});
    }
  }
  if (!valid) {
    throw LineError{std::string("ranks must be [[first, last], ...], ascending") +
                    (worlds_.empty() ? "" : ", each of one of the header's worlds") + ", but are " + kind_of(value)};
  }
  return ranks;
}

void RecordReader::read_failed_calls(const Members& members, std::size_t) {
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

void RecordReader::read_process(const Members& members, std::size_t) {
  if (!merged_) {
    return;
  }
  ProcessRecord process;
  const Value rank = members.need("rank");
  process.rank = rank_of(rank);
  if (!process.rank && !rank.is_null()) {
    members.refuse("rank", worlds_.empty() ? "null or not negative" : "null or a rank of one of the header's worlds");
  }
  process.host = members.text("host");
  process.pid = members.integer("pid");
  process.started = members.text("started");
  if (members.has("program")) {
    process.program = members.text("program");
    process.arguments = arguments_of(members);
  }
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

void RecordReader::read_end(const Members& members, std::size_t) {
  EndRecord end;
  end.complete = members.flag("complete");
  end.reason = members.text("reason");
  end.ended = members.text("ended");
  if (members.has("without_facts")) end.without_facts = members.count("without_facts");
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

}  // namespace ddtscope
