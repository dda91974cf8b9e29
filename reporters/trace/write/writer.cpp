// Lines of the trace, member by member as FORMAT.md lists them.
#include "reporters/trace/write/writer.h"

#include <array>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "decoder/definition/envelope.h"
#include "decoder/notation/constructor_code.h"
#include "reporters/trace/format/named_constants.h"
#include "reporters/trace/format/predefined_kind.h"
#include "reporters/trace/format/records.h"
#include "reporters/trace/write/facts.h"

namespace ddtscope::trace {

JsonLine& Writer::begin(std::string_view record) {
  line_.clear();
  record_ = record;
  return line_.begin_object().key("record").word(record);
}

void Writer::finish() {
  line_.end_object();
  write_line();
}

bool Writer::finish_definition() {
  finish();
  if (stopped()) return false;
  ++definitions_;
  return true;
}

void add_types(HeaderRecord& header, const DefinitionStore& store) {
  header.constants = store.constants();
  for (std::uint32_t i = 0; i < store.predefined().size(); ++i) {
    const PredefinedType& type = store.predefined()[PredefinedId{i}];
    if (store.find_predefined(type.name)) header.predefined.push_back(type);
  }
}

void Writer::header(const HeaderRecord& header) {
  is_merged_ = header.merged;
  begin("header").key("format").string("ddtscope-trace").key("version");
  line_.integer(header.version);
  if (is_merged()) line_.key("merged").boolean(true);
  world_ = header.world;
  if (!world_.is_first()) {
    line_.key("world").integer(world_.value);
    spawned_by(header.spawned_by);
  }
  if (!header.worlds.empty()) worlds(header.worlds);
  line_.key("tool").string(header.tool).key("job").string(header.job);
  line_.key("library").begin_object().key("name").string(header.library_name);
  if (!header.library_abi.empty()) line_.key("abi").string(header.library_abi);
  line_.key("version").string(header.library_version).key("standard").string(header.library_standard).end_object();
  line_.key("host").string(header.host).key("pid").integer(header.pid);
  const auto integer_or_null = [&](std::string_view key, std::optional<std::int64_t> value) {
    line_.key(key);
    value ? line_.integer(*value) : line_.null();
  };
  integer_or_null("rank", header.rank ? std::optional(header.rank->number) : std::nullopt);
  integer_or_null("size", header.size);
  if (!header.launcher_job.empty()) line_.key("launcher_job").string(header.launcher_job);
  command(header.program, header.arguments);
  line_.key("started").string(header.started).key("stack_depth").integer(header.stack_depth);
  line_.key("verify").boolean(header.verify);
  for (const RecordedPart& part : recorded_parts) {
    if (header.*part.of_header) line_.key(part.name).boolean(true);
  }
  if (!header.switched_off.empty()) {
    line_.key("switched_off").begin_array();
    for (const std::string& variable : header.switched_off) line_.string(variable);
    line_.end_array();
  }
  const LibraryConstants& constants = header.constants;
  line_.key("constants").begin_object();
  for (const auto& [name, value] : named_constants) line_.key(name).integer(constants.*value);
  line_.end_object();
  line_.key("predefined").begin_array();
  for (const PredefinedType& type : header.predefined) {
    line_.begin_object();
    predefined_members(type);
    line_.end_object();
  }
  line_.end_array();
  if (header.control_variables) {
    line_.key("cvars").begin_array();
    for (const HeaderRecord::ControlVariable& variable : *header.control_variables) {
      line_.begin_object().key("name").string(variable.name).key("value").string(variable.value);
      line_.key("description").string(variable.description).end_object();
    }
    line_.end_array();
  }
  finish();
  first_line_hash_ = XXH3_64bits(line_.text().data(), line_.text().size() - 1);
  if (may_lines_wait_) window_from_ = bytes_written() + worth_a_window;
}

void Writer::spawned_by(std::optional<WorldNumber> world) {
  line_.key("spawned_by");
  world ? line_.integer(world->value) : line_.null();
}

void Writer::worlds(std::span<const World> worlds) {
  line_.key("worlds").begin_array();
  for (const World& world : worlds) {
    line_.begin_object().key("world").integer(world.number.value);
    spawned_by(world.spawned_by);
    line_.key("size");
    world.size ? line_.integer(*world.size) : line_.null();
    command(world.program, world.arguments);
    line_.end_object();
  }
  line_.end_array();
}

void Writer::command(std::string_view program, std::span<const std::string> arguments) {
  line_.key("program").string(program).key("arguments").begin_array();
  for (const std::string& argument : arguments) line_.string(argument);
  line_.end_array();
}

void Writer::predefined_members(const PredefinedType& type) {
  line_.key("name").string(type.name).key("kind").string(name_of(type.kind));
  line_.key("size").integer(type.size).key("extent").integer(type.extent).key("alignment").integer(type.alignment);
  line_.key("parts");
  if (type.kind == PredefinedKind::pair) {
    line_.begin_array().begin_array().string(type.first).integer(0).end_array();
    line_.begin_array().string(type.second).integer(type.second_displacement).end_array().end_array();
  } else {
    line_.null();
  }
}

void Writer::predefined(const PredefinedType& type) {
  begin("predefined");
  predefined_members(type);
  finish();
}

void Writer::module(ModuleNumber number, std::string_view path, std::string_view build_id, std::string_view function) {
  begin("module").key("id").integer(number.value).key("path").string(path).key("build_id");
  build_id.empty() ? line_.null() : line_.string(build_id);
  if (!function.empty()) line_.key("function").string(function);
  finish();
}

void Writer::frames(FrameNumber first, FrameNumber parent, std::span<const Frame> frames) {
  begin("frames").key("first").integer(first.value).key("parent");
  number_or_null(parent);
  line_.key("frames").begin_array();
  for (const Frame& frame : frames) {
    line_.begin_array();
    number_or_null(frame.module);
    line_.exact(Exact(static_cast<Int128>(frame.offset))).end_array();
  }
  line_.end_array();
  finish();
}

void Writer::name_or_number(DefinitionId id, const NumberedStore& definitions) {
  const PredefinedId predefined = definitions.store[id].predefined;
  name_or_number(
      predefined.valid() ? std::string_view(definitions.store.predefined()[predefined].name) : std::string_view(),
      definitions.numbers[id]);
}

void Writer::name_or_number(std::string_view predefined, DefinitionNumber definition) {
  if (predefined.empty()) {
    number_or_null(definition);
  } else {
    line_.string(predefined);
  }
}

void Writer::contents(const ConstructorCall& call, const NumberedStore& definitions) {
  // Arguments go to the arrays that the decoding calls return them in; long arrays are written as
  // they stand in the call, not copied first.
  const CombinerRow& row = row_of(call.combiner);
  const auto write_kind = [&](std::string_view key, auto belongs) {
    line_.key(key).begin_array();
    std::size_t scalar = 0;
    std::size_t array = 0;
    for (const Parameter& parameter : row.parameters) {
      const bool is_scalar = parameter.shape == ParameterShape::scalar;
      const std::size_t slot = is_scalar ? scalar++ : array++;
      if (!belongs(parameter.kind)) continue;
      if (is_scalar) {
        line_.integer(call.scalars[slot]);
      } else {
        line_.compact_elements(call.arrays[slot]);
      }
    }
    line_.end_array();
  };
  const bool large = call.form == Form::large_counts;
  line_.key("contents").begin_object();
  write_kind("integers", [&](ParameterKind kind) {
    return kind == ParameterKind::integer || (!large && kind == ParameterKind::count);
  });
  write_kind("addresses", [&](ParameterKind kind) { return !large && kind == ParameterKind::address; });
  write_kind("large_counts", [&](ParameterKind kind) { return large && kind != ParameterKind::integer; });
  line_.key("datatypes").begin_array();
  for (const DefinitionId oldtype : call.datatypes) name_or_number(oldtype, definitions);
  line_.end_array().end_object();
}

bool Writer::definition(const DefinitionLine& line, const NumberedStore& definitions, const ObservedBounds& observed) {
  definition_members(line, definitions, observed);
  return finish_definition();
}

bool Writer::definition(const DefinitionLine& line, const Layouts& layouts, const DefinitionNumbers& numbers) {
  definition_members(line, {layouts.store(), numbers}, layouts.observed(line.definition).value_or(ObservedBounds{}));
  append_facts(line_, layouts, line.definition);
  return finish_definition();
}

void Writer::definition_members(const DefinitionLine& line, const NumberedStore& definitions,
                                const ObservedBounds& observed) {
  const auto& [store, numbers] = definitions;
  const Definition& definition = store[line.definition];
  const ConstructorCall& call = definition.call;

  begin("definition").key("id").integer(numbers[line.definition].value).key("key").word(key_text(definition.key));
  line_.key("site");
  number_or_null(line.site);
  line_.key("called").string(line.called).key("adopted").boolean(line.adopted);
  if (is_merged()) ranks(line.ranks);
  line_.key("combiner").word(row_of(call.combiner).mpi_name);
  line_.key("constructor").word(constructor_name(call.combiner, call.form));
  call_text_.clear();
  append_constructor_call(call_text_, store, line.definition,
                          [&](DefinitionId id) { return "D" + std::to_string(definitions.numbers[id].value); });
  line_.key("call").string(call_text_);

  const Envelope envelope = envelope_of(call);
  line_.key("envelope").begin_object().key("num_integers").integer(envelope.num_integers);
  line_.key("num_addresses").integer(envelope.num_addresses);
  line_.key("num_large_counts").integer(envelope.num_large_counts);
  line_.key("num_datatypes").integer(envelope.num_datatypes).end_object();
  contents(call, definitions);
  observed_members(observed);
}

void Writer::observed_members(const ObservedBounds& bounds) {
  const auto sum = [](std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
    return a && b ? (Exact(*a) + Exact(*b)).to_int64() : std::nullopt;
  };
  std::array<std::string_view, 7> undefined;
  std::size_t number_undefined = 0;
  const auto value = [&](std::string_view key, std::optional<std::int64_t> known) {
    line_.key(key);
    if (known) {
      line_.integer(*known);
    } else {
      line_.null();
      undefined[number_undefined++] = key;
    }
  };
  value("size", bounds.size);
  value("lb", bounds.lb);
  value("ub", sum(bounds.lb, bounds.extent));
  value("extent", bounds.extent);
  value("true_lb", bounds.true_lb);
  value("true_ub", sum(bounds.true_lb, bounds.true_extent));
  value("true_extent", bounds.true_extent);
  line_.key("undefined").begin_array();
  for (const std::string_view key : std::span(undefined).first(number_undefined)) line_.word(key);
  line_.end_array();
}

bool Writer::facts(const FactsLine& facts) {
  begin("facts").key("definition").integer(facts.definition.value).key("key").raw(facts.key).raw(facts.members);
  line_.end_object();
  if (bytes_written() + collected_.size() + line_.text().size() + room_for_end > most_bytes_) return false;
  write_line();
  return !stopped();
}

void Writer::name(DefinitionNumber definition, std::string_view name) {
  begin("name").key("definition").integer(definition.value).key("name").string(name);
  finish();
}

void Writer::difference(const DifferenceRecord& difference) {
  begin("difference").key("definition").integer(difference.definition.value).key("subject").string(difference.subject);
  line_.key("computed").raw(difference.computed).key("library").raw(difference.library);
  if (is_merged()) ranks(difference.ranks);
  finish();
}

void Writer::instances(const InstancesLine& line) {
  begin("instances").key("definition").integer(line.definition.value);
  line_.key("called").string(line.called).key("binding").string(line.binding).key("counts").begin_array();
  for (const Counts& counts : line.counts) {
    line_.begin_array();
    number_or_null(counts.site);
    for (const std::uint64_t count : {counts.created, counts.adopted, counts.committed, counts.freed}) counter(count);
    line_.end_array();
  }
  line_.end_array();
  finish();
}

void Writer::failed_calls(std::span<const FailedCallsRecord> calls) {
  const FailedCallsRecord& first = calls.front();
  begin("failed_calls").key("called").string(first.called).key("binding").string(first.binding).key("error_class");
  first.error_class.empty() ? line_.null() : line_.string(first.error_class);
  line_.key("counts").begin_array();
  for (const FailedCallsRecord& of_site : calls) {
    line_.begin_array();
    number_or_null(of_site.site);
    counter(of_site.count);
    if (is_merged()) ranges(of_site.ranks);
    line_.end_array();
  }
  line_.end_array();
  finish();
}

void Writer::ranks(RankSpan ranks) {
  line_.key("ranks");
  ranges(ranks);
}

void Writer::ranges(RankSpan ranks) {
  line_.begin_array();
  for (const RankRange& range : ranks) {
    line_.begin_array();
    rank({range.world, range.first});
    rank({range.world, range.last});
    line_.end_array();
  }
  line_.end_array();
}

void Writer::rank(Rank rank) {
  if (rank.world == world_) {
    line_.integer(rank.number);
  } else {
    line_.string(text_of(rank));
  }
}

void Writer::merged_header(std::string_view json) {
  is_merged_ = true;
  copied_line(json);
}

void Writer::copied_line(std::string_view json) {
  line_.clear();
  line_.raw(json);
  write_line();
}

void Writer::definition(const DefinitionText& text) {
  begin("definition").key("id").integer(text.number.value).key("key").word(key_text(text.key)).key("site");
  number_or_null(text.site);
  line_.key("called").string(text.called).key("adopted").boolean(text.adopted);
  ranks(text.ranks);
  line_.raw(text.members);
  if (!text.facts.empty()) line_.raw(text.facts);
  finish_definition();
}

void Writer::process(const ProcessRecord& process) {
  begin("process").key("rank");
  if (process.rank) {
    rank(*process.rank);
  } else {
    line_.null();
  }
  line_.key("host").string(process.host).key("pid").integer(process.pid).key("started").string(process.started);
  if (process.program) command(*process.program, process.arguments);
  line_.key("verify").boolean(process.verify);
  for (const RecordedPart& part : recorded_parts) {
    if (const auto& is_recorded = process.*part.of_process) line_.key(part.name).boolean(*is_recorded);
  }
  line_.key("end");
  if (process.end) {
    line_.begin_object().key("complete").boolean(process.end->complete).key("reason").string(process.end->reason);
    line_.key("ended").string(process.end->ended).end_object();
  } else {
    line_.null();
  }
  line_.key("stopped");
  process.stopped ? line_.string(*process.stopped) : line_.null();
  line_.key("last_line_cut").boolean(process.last_line_cut).key("counts");
  if (const auto& counts = process.counts) {
    line_.begin_array();
    for (const std::uint64_t count : {counts->created, counts->adopted, counts->committed, counts->freed}) {
      counter(count);
    }
    line_.end_array();
  } else {
    line_.null();
  }
  finish();
}

void Writer::note(std::string_view sentence) {
  begin("note").key("text").string(sentence);
  finish();
}

void Writer::instances(const RankInstancesLine& line) {
  begin("instances").key("definition").integer(line.definition.value);
  line_.key("called").string(line.called).key("binding").string(line.binding).key("counts").begin_array();
  for (const RankCounts& part : line.counts) {
    line_.begin_array();
    number_or_null(part.counts.site);
    for (const std::uint64_t count :
         {part.counts.created, part.counts.adopted, part.counts.committed, part.counts.freed}) {
      if (part.known) {
        counter(count);
      } else {
        line_.null();
      }
    }
    ranges(part.ranks);
    line_.end_array();
  }
  line_.end_array();
  finish();
}

void Writer::end(const EndRecord& end, std::span<const UnrecordedRecord> unrecorded) {
  begin("end").key("complete").boolean(end.complete).key("reason").string(end.reason).key("ended").string(end.ended);
  line_.key("without_facts").integer(static_cast<std::int64_t>(end.without_facts));
  line_.key("unrecorded").begin_array();
  for (const UnrecordedRecord& item : unrecorded) {
    line_.begin_object().key("called").string(item.called);
    line_.key("count").exact(Exact(static_cast<Int128>(item.count))).key("why").string(item.why);
    if (is_merged() || item.site.valid()) {
      line_.key("site");
      number_or_null(item.site);
    }
    if (is_merged()) ranks(item.ranks);
    line_.end_object();
  }
  line_.end_array();
  finish();
  flush();
  settle();
}

}  // namespace ddtscope::trace
