// Lines about definitions: how they are made, what they are called, and where the library differs.
#include "reporters/trace/read/record_reader.h"

namespace ddtscope {

using namespace members;

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
  read_constructor(members, definition);
  read_contents(members, definition);
  definition.observed.size = members.integer_or_null("size");
  definition.observed.lb = members.integer_or_null("lb");
  definition.observed.extent = members.integer_or_null("extent");
  definition.observed.true_lb = members.integer_or_null("true_lb");
  definition.observed.true_extent = members.integer_or_null("true_extent");
  definition.alignment = members.has("alignment") ? std::optional(members.integer("alignment")) : std::nullopt;
  sink_.definition(definition);
  ++definitions_;
}

void RecordReader::read_constructor(const Members& members, DefinitionRecord& definition) {
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
}

void RecordReader::read_contents(const Members& members, DefinitionRecord& definition) {
  const Members envelope = members.object("envelope");
  const Members contents = members.object("contents");
  Contents& arrays = definition.contents;
  expand(contents, {"integers", envelope.count("num_integers")}, expansions_, arrays.integers);
  expand(contents, {"addresses", envelope.count("num_addresses")}, expansions_, arrays.addresses);
  expand(contents, {"large_counts", envelope.count("num_large_counts")}, expansions_, arrays.large_counts);
  definition.oldtypes.clear();
  for (const Value datatype : contents.array("datatypes")) {
    definition.oldtypes.push_back(read_oldtype(datatype));
  }
  if (definition.oldtypes.size() != envelope.count("num_datatypes")) {
    throw LineError{"contents.datatypes must have " + std::to_string(envelope.count("num_datatypes")) +
                    " elements, as the envelope says, but has " + std::to_string(definition.oldtypes.size())};
  }
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

}  // namespace ddtscope
