// Lines that say where a buffer was when a call got it.
#include <algorithm>

#include "reporters/trace/read/record_reader.h"

namespace ddtscope {

using namespace members;

namespace {

constexpr std::uint64_t most_frames = std::uint64_t{1} << 20;  // more than a stack has

/// Distances and offsets add up: none is near what fits no more.
std::optional<std::int64_t> distance_of(const Value& value) {
  constexpr std::int64_t farthest = std::int64_t{1} << 60;
  const auto number = to_int64(value);
  return number && *number > -farthest && *number < farthest ? number : std::nullopt;
}

/// [frame, at, through or null], and how far behind where it is not 0; of an argument without the frame.
std::optional<PlaceRoute> route_of(const Value& element, std::size_t frames) {
  simdjson::dom::array values;
  if (element.get(values) != simdjson::SUCCESS) return std::nullopt;
  if (values.size() != frames + 2 && values.size() != frames + 3) return std::nullopt;
  PlaceRoute route;
  std::size_t place = 1 - frames;
  for (const Value value : values) {
    const auto number = distance_of(value);
    if (!number && (place != 2 || !value.is_null())) return std::nullopt;
    switch (place++) {
      case 0:
        if (*number < 0 || static_cast<std::uint64_t>(*number) >= most_frames) return std::nullopt;
        route.frame = static_cast<std::uint32_t>(*number);
        break;
      case 1:
        route.at = *number;
        break;
      case 2:
        route.through = number;
        break;
      default:
        route.behind = *number;
    }
  }
  return route;
}

std::vector<PlaceRoute> routes_of(const Members& heap, const char* member) {
  const std::size_t frames = std::string_view(member) == "arguments" ? 0 : 1;
  std::vector<PlaceRoute> routes;
  for (const Value element : heap.array(member)) {
    const auto route = route_of(element, frames);
    if (!route) {
      throw LineError{"member " + heap.full(member) + " must hold " + (frames == 0 ? "[" : "[frame, ") +
                      "place, offset or null], but holds " + kind_of(element)};
    }
    routes.push_back(*route);
  }
  return routes;
}

HeapPlace heap_of(const Members& heap) {
  HeapPlace place{routes_of(heap, "slots"), routes_of(heap, "registers"), routes_of(heap, "arguments"), {}};
  if (heap.has("statics")) place.statics = routes_of(heap, "statics");
  if (const Value block = heap.need("block"); !block.is_null()) {
    const auto two = elements_of<2>(block);
    const auto offset = two ? to_uint64((*two)[0]) : std::nullopt;
    const auto usable = two ? to_uint64((*two)[1]) : std::nullopt;
    if (!offset || !usable) heap.refuse("block", "null or [offset, usable bytes]");
    place.block = {*offset, *usable};
  }
  return place;
}

StackPlace stack_of(const Members& members) {
  const auto two = elements_of<2>(members.need("stack"));
  const auto frame = two ? to_uint64((*two)[0]) : std::nullopt;
  const auto distance = two ? distance_of((*two)[1]) : std::nullopt;
  if (!frame || !distance || *frame >= most_frames) members.refuse("stack", "[frame, distance]");
  StackPlace place{static_cast<std::uint32_t>(*frame), *distance, {}};
  if (members.has("stack_pointer")) {
    place.stack_pointer = distance_of(members.need("stack_pointer"));
    if (!place.stack_pointer) members.refuse("stack_pointer", "a distance in bytes");
  }
  if (members.has("held")) {
    const Members held = members.object("held");
    place.slots = routes_of(held, "slots");
    place.registers = routes_of(held, "registers");
  }
  return place;
}

ArrayDescriptor descriptor_of(const Members& members) {
  const auto three = elements_of<3>(members.need("descriptor"));
  std::string_view element;
  bool is_section = false;
  const auto bytes = three ? to_uint64((*three)[1]) : std::nullopt;
  const bool is_read = bytes && *bytes <= UINT32_MAX && (*three)[0].get(element) == simdjson::SUCCESS &&
                       (*three)[2].get(is_section) == simdjson::SUCCESS;
  const auto* const name = std::find(names_of_array_elements.begin(), names_of_array_elements.end(), element);
  if (!is_read || name == names_of_array_elements.end()) {
    members.refuse("descriptor", "[kind of element, its bytes, whether it is a section]");
  }
  return {static_cast<ArrayDescriptor::Element>(name - names_of_array_elements.begin()),
          static_cast<std::uint32_t>(*bytes), is_section};
}

}  // namespace

/// A place in a module's memory.
template <class Place>
Place RecordReader::place_in_module(const Members& members, const char* member) const {
  const auto two = elements_of<2>(members.need(member));
  const auto module = two ? to_uint64((*two)[0]) : std::nullopt;
  const auto offset = two ? to_uint64((*two)[1]) : std::nullopt;
  if (!module || !offset || *module >= modules_) {
    members.refuse(member, "[module that stands above this line, offset]");
  }
  return Place{{static_cast<std::uint32_t>(*module)}, *offset};
}

BufferPlace RecordReader::place_of(const Members& members) const {
  if (members.has("static")) return place_in_module<StaticPlaceIn<ModuleNumber>>(members, "static");
  if (members.has("thread")) return place_in_module<ThreadPlaceIn<ModuleNumber>>(members, "thread");
  if (members.has("stack")) return stack_of(members);
  if (members.has("heap")) return heap_of(members.object("heap"));
  if (members.has("none")) return NoPlace{std::string(members.text("none"))};
  throw LineError{R"(one of the members "static", "thread", "stack", "heap" and "none" must say where the buffer was)"};
}

void RecordReader::read_buffer(const Members& members, std::size_t) {
  check_order(members, "id", end_.buffers.size(), "buffer");
  BufferRecord record;
  record.type = kept_type(members.need("type"), "type");
  record.elements = members.count("elements");
  read_argument(members, record);
  if (members.has("position")) record.position = members.count("position");
  if (members.has("descriptor")) record.descriptor = descriptor_of(members);
  record.site = members.number_or_null<FrameRecord>("site", frames_, "frame");
  record.place = place_of(members);
  if (merged_) record.ranks = ranks_of(members.need("ranks"));
  end_.buffers.push_back(std::move(record));
}

}  // namespace ddtscope
