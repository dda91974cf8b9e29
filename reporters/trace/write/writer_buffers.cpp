// The line of a trace that says where a buffer was.
#include "reporters/trace/write/writer.h"

namespace ddtscope::trace {
namespace {

void routes(JsonLine& line, const char* key, std::span<const PlaceRoute> routes) {
  line.key(key).begin_array();
  const bool is_argument = std::string_view(key) == "arguments";
  for (const PlaceRoute& route : routes) {
    line.begin_array();
    if (!is_argument) line.integer(route.frame);
    line.integer(route.at);
    route.through ? line.integer(*route.through) : line.null();
    if (route.behind != 0) line.integer(route.behind);
    line.end_array();
  }
  line.end_array();
}

struct PlaceMembers {
  JsonLine& line;
  void operator()(const StaticPlaceIn<ModuleNumber>& place) const {
    line.key("static").begin_array().integer(place.module.value).exact(Exact(static_cast<Int128>(place.offset)));
    line.end_array();
  }
  void operator()(const ThreadPlaceIn<ModuleNumber>& place) const {
    line.key("thread").begin_array().integer(place.module.value).exact(Exact(static_cast<Int128>(place.offset)));
    line.end_array();
  }
  void operator()(const StackPlace& place) const {
    line.key("stack").begin_array().integer(place.frame).integer(place.distance).end_array();
    if (place.stack_pointer) line.key("stack_pointer").integer(*place.stack_pointer);
    if (place.slots.empty() && place.registers.empty()) return;
    line.key("held").begin_object();
    routes(line, "slots", place.slots);
    routes(line, "registers", place.registers);
    line.end_object();
  }
  void operator()(const HeapPlace& place) const {
    line.key("heap").begin_object();
    routes(line, "slots", place.slots);
    routes(line, "registers", place.registers);
    routes(line, "arguments", place.arguments);
    if (!place.statics.empty()) routes(line, "statics", place.statics);
    line.key("block");
    if (place.block) {
      line.begin_array().exact(Exact(static_cast<Int128>(place.block->offset)));
      line.exact(Exact(static_cast<Int128>(place.block->usable))).end_array();
    } else {
      line.null();
    }
    line.end_object();
  }
  void operator()(const NoPlace& place) const { line.key("none").string(place.why); }
};

}  // namespace

void Writer::buffer(const BufferLine& line) {
  begin("buffer").key("id").integer(line.number.value);
  argument_members(line);
  if (line.position) line_.key("position").integer(static_cast<std::int64_t>(*line.position));
  if (line.descriptor) {
    line_.key("descriptor").begin_array();
    line_.word(names_of_array_elements[static_cast<std::size_t>(line.descriptor->element)]);
    line_.integer(line.descriptor->bytes).boolean(line.descriptor->is_section).end_array();
  }
  line_.key("site");
  number_or_null(line.site);
  std::visit(PlaceMembers{line_}, *line.place);
  if (is_merged()) ranks(line.ranks);
  finish();
}

}  // namespace ddtscope::trace
