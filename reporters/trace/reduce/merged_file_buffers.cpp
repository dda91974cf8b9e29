// Where the ranks' buffers were, as lines of the merged trace.
#include <algorithm>

#include "reporters/trace/format/number_of_text.h"
#include "reporters/trace/reduce/json_text.h"
#include "reporters/trace/reduce/merged_file.h"

namespace ddtscope::reduce {
namespace {

std::int64_t signed_of(std::string_view value) {
  if (value.starts_with('"')) value = value.substr(1, value.size() - 2);
  return number_of_text<std::int64_t>(value).value_or(0);
}

/// The elements of an array in their order.
class Elements {
 public:
  explicit Elements(std::string_view array) : walk_(array) {}
  /// Empty behind the last one.
  std::string_view next() { return walk_.next() ? walk_.value() : std::string_view(); }

 private:
  JsonWalk walk_;
};

std::vector<PlaceRoute> routes_of(std::string_view heap, std::string_view member) {
  std::vector<PlaceRoute> routes;
  const std::string_view array = member_of(heap, member);
  if (array.empty()) return routes;
  for (JsonWalk walk(array); walk.next();) {
    Elements values(walk.value());
    PlaceRoute route;
    if (member != "arguments") route.frame = static_cast<std::uint32_t>(count_of(values.next()));
    route.at = signed_of(values.next());
    const std::string_view through = values.next();
    if (through != "null") route.through = signed_of(through);
    if (const std::string_view behind = values.next(); !behind.empty()) route.behind = signed_of(behind);
    routes.push_back(route);
  }
  return routes;
}

HeapPlace heap_of(std::string_view heap) {
  HeapPlace place{routes_of(heap, "slots"),
                  routes_of(heap, "registers"),
                  routes_of(heap, "arguments"),
                  {},
                  routes_of(heap, "statics")};
  if (const std::string_view block = member_of(heap, "block"); block != "null") {
    Elements two(block);
    const std::uint64_t offset = count_of(two.next());
    place.block = {offset, count_of(two.next())};
  }
  return place;
}

StackPlace stack_of(std::string_view stack, std::string_view stack_pointer, std::string_view held) {
  Elements two(stack);
  const auto frame = static_cast<std::uint32_t>(count_of(two.next()));
  StackPlace place{frame, signed_of(two.next()), {}};
  if (!stack_pointer.empty()) place.stack_pointer = signed_of(stack_pointer);
  if (!held.empty()) {
    place.slots = routes_of(held, "slots");
    place.registers = routes_of(held, "registers");
  }
  return place;
}

ArrayDescriptor descriptor_of(std::string_view descriptor) {
  Elements three(descriptor);
  const std::string element = text_of_string(three.next());
  const auto* const name = std::find(names_of_array_elements.begin(), names_of_array_elements.end(), element);
  if (name == names_of_array_elements.end()) throw NotReduced("its trace was edited");
  const auto bytes = static_cast<std::uint32_t>(count_of(three.next()));
  return {static_cast<ArrayDescriptor::Element>(name - names_of_array_elements.begin()), bytes, three.next() == "true"};
}

}  // namespace

BufferPlace MergedFile::place_of_buffer(BodyReader& body) const {
  if (const std::uint64_t kind = body.number(); kind != 0) {
    const auto found = module_numbers_.find(body.number());
    if (found == module_numbers_.end()) throw NotReduced("a module is missing");
    const std::uint64_t offset = body.number();
    if (kind == 1) return StaticPlaceIn<ModuleNumber>{found->second, offset};
    return ThreadPlaceIn<ModuleNumber>{found->second, offset};
  }
  const std::string_view stack = body.text();
  const std::string_view stack_pointer = body.text();
  const std::string_view held = body.text();
  const std::string_view heap = body.text();
  const std::string_view none = body.text();
  if (!stack.empty()) return stack_of(stack, stack_pointer, held);
  if (!heap.empty()) return heap_of(heap);
  return NoPlace{text_of_string(none)};
}

void MergedFile::write_buffers() {
  std::uint32_t number = 0;
  for (const Record& record : buffers_) {
    BodyReader body(record.body);
    trace::BufferLine line;
    line.number = {number++};
    ArgumentWords words;
    read_argument(body, line, words);
    if (const std::string_view position = body.text(); !position.empty()) line.position = count_of(position);
    if (const std::string_view descriptor = body.text(); !descriptor.empty()) {
      line.descriptor = descriptor_of(descriptor);
    }
    line.site = site(body.number());
    const BufferPlace place = place_of_buffer(body);
    line.place = &place;
    line.ranks = record.parts[0].ranks.ranges();
    writer_.buffer(line);
  }
}

}  // namespace ddtscope::reduce
