// The first line: the process or the job, its library, and the predefined types.
#include "reporters/trace/read/record_reader.h"

#include <climits>

#include "reporters/trace/format/named_constants.h"
#include "reporters/trace/format/predefined_kind.h"

namespace ddtscope {

using namespace members;

namespace {

std::optional<WorldNumber> spawned_by(const Members& members) {
  const auto world = members.integer_or_null("spawned_by");
  if (world && *world < 1) {
    members.refuse("spawned_by", "null or a number from 1 on");
  }
  return world ? std::optional(WorldNumber{*world}) : std::nullopt;
}

LibraryConstants constants_of(const Members& members) {
  LibraryConstants constants;
  for (const auto& [name, value] : trace::named_constants) constants.*value = members.integer32(name);
  return constants;
}

}  // namespace

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
    if (*rank < 0 || *rank > INT_MAX) {  // MPI_Comm_rank gives an int
      members.refuse("rank", "null or from 0 to 2^31 - 1");
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
  header.arguments = members.texts("arguments");
  header.started = members.text("started");
  header.stack_depth = members.integer("stack_depth");
  header.verify = members.flag("verify");
  for (const RecordedPart& part : recorded_parts) {
    header.*part.of_header = members.has(part.name) && members.flag(part.name);
  }
  if (members.has("switched_off")) header.switched_off = members.texts("switched_off");
  header.constants = constants_of(members.object("constants"));
  for (const Value element : members.array("predefined")) {
    header.predefined.push_back(read_predefined(Members(element, "an element of \"predefined\"")));
  }
  if (members.has("cvars")) {
    header.control_variables.emplace();
    for (const Value element : members.array("cvars")) {
      const Members variable(element, "an element of \"cvars\"");
      header.control_variables->push_back({std::string(variable.text("name")), std::string(variable.text("value")),
                                           std::string(variable.text("description"))});
    }
  }
  return header;
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
    world.arguments = entry.texts("arguments");
    header.worlds.push_back(std::move(world));
  }
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

}  // namespace ddtscope
