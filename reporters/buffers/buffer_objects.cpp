#include "reporters/buffers/buffer_objects.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace ddtscope::reporters {
namespace {

constexpr std::size_t most_objects = 32;  // of one buffer

struct Route {
  const PlaceRoute* route;
  FrameValue::Where where;
};

}  // namespace

ProgramVariables* BufferObjects::program(std::optional<ModuleIndex> module) {
  if (!module || job_.module(*module).function) return nullptr;
  std::unique_ptr<ProgramVariables>& known = programs_[*module];
  if (!known) known = std::make_unique<ProgramVariables>(job_.module(*module).path, job_.module(*module).build_id);
  return known.get();
}

std::vector<FoundObject> BufferObjects::of(const JobBuffer& buffer) {
  std::vector<FoundObject> objects = found(buffer);
  if (objects.empty()) {
    std::optional<ModuleIndex> module = buffer.site ? job_.frame(*buffer.site).module : std::nullopt;
    if (const auto* place = std::get_if<StaticPlaceIn<ModuleIndex>>(&buffer.place)) module = place->module;
    if (const auto* place = std::get_if<ThreadPlaceIn<ModuleIndex>>(&buffer.place)) module = place->module;
    if (program(module) != nullptr) silent_.insert(*module);
  }
  return objects;
}

std::vector<FoundObject> BufferObjects::found(const JobBuffer& buffer) {
  if (const auto* place = std::get_if<StaticPlaceIn<ModuleIndex>>(&buffer.place)) {
    ProgramVariables* const variables = program(place->module);
    return variables != nullptr ? variables->in_static_memory(place->offset) : std::vector<FoundObject>();
  }
  if (const auto* place = std::get_if<ThreadPlaceIn<ModuleIndex>>(&buffer.place)) {
    ProgramVariables* const variables = program(place->module);
    return variables != nullptr ? variables->in_thread_memory(place->offset) : std::vector<FoundObject>();
  }
  if (const auto* place = std::get_if<StackPlace>(&buffer.place)) {
    // Arrays of a length that is not constant, and alloca's memory, have no fixed place in their frames.
    std::vector<FoundObject> found = on_stack(buffer, *place);
    return found.empty() ? pointed_to(buffer, {place->slots, place->registers, {}, {}}) : found;
  }
  if (const auto* place = std::get_if<HeapPlace>(&buffer.place)) return pointed_to(buffer, *place);
  return {};
}

std::vector<FoundObject> BufferObjects::on_stack(const JobBuffer& buffer, const StackPlace& place) {
  if (!buffer.site) return {};
  const std::vector<FrameIndex> stack = job_.stack(*buffer.site);
  if (place.frame >= stack.size()) return {};
  const JobFrame& frame = job_.frame(stack[place.frame]);
  ProgramVariables* const variables = program(frame.module);
  if (variables == nullptr) return {};
  std::vector<FoundObject> found = variables->on_stack({frame.offset, place.stack_pointer}, place.distance);
  if (!found.empty() || place.frame == 0 || !place.stack_pointer) return found;
  // What a function is given on the stack lies in its caller's frame, and is its own.
  const JobFrame& called = job_.frame(stack[place.frame - 1]);
  ProgramVariables* const callee = program(called.module);
  const std::int64_t distance = place.distance - *place.stack_pointer;
  return callee != nullptr && distance >= 0 ? callee->on_stack({called.offset, {}}, distance) : found;
}

std::vector<FoundObject> BufferObjects::pointed_to(const JobBuffer& buffer, const HeapPlace& place) {
  if (!buffer.site) return {};
  std::vector<Route> routes;
  for (const PlaceRoute& route : place.slots) routes.push_back({&route, FrameValue::Where::slot});
  for (const PlaceRoute& route : place.registers) routes.push_back({&route, FrameValue::Where::in_register});
  for (const PlaceRoute& route : place.statics) routes.push_back({&route, FrameValue::Where::in_static_memory});
  // The address itself says more than one that leads to it, and inner frames are nearer to the call.
  const auto rank = [](const PlaceRoute& route) {
    return std::tuple(route.behind != 0, route.through.has_value(), route.frame);
  };
  std::stable_sort(routes.begin(), routes.end(),
                   [&](const Route& a, const Route& b) { return rank(*a.route) < rank(*b.route); });
  const std::vector<FrameIndex> stack = job_.stack(*buffer.site);
  std::vector<FoundObject> found;
  const PlaceRoute* last = nullptr;
  std::size_t begin = 0;  // of those by routes that are as near
  const auto by_scope = [&] {
    std::stable_sort(found.begin() + static_cast<std::ptrdiff_t>(begin), found.end(),
                     [](const FoundObject& a, const FoundObject& b) { return a.scope < b.scope; });
    begin = found.size();
  };
  for (const auto& [route, where] : routes) {
    if (route->frame >= stack.size() || found.size() >= most_objects) continue;
    if (last != nullptr && rank(*last) != rank(*route)) by_scope();
    last = route;
    const JobFrame& frame = job_.frame(stack[route->frame]);
    ProgramVariables* const variables = program(frame.module);
    if (variables == nullptr) continue;
    auto more = variables->pointed_to({frame.offset, {}}, {where, route->at, route->through, route->behind});
    std::move(more.begin(), more.end(), std::back_inserter(found));
  }
  by_scope();
  return found;
}

bool BufferObjects::has_information(const JobBuffer& buffer) {
  if (!buffer.site) return false;
  const std::vector<FrameIndex> stack = job_.stack(*buffer.site);
  const auto* const place = std::get_if<StackPlace>(&buffer.place);
  const std::size_t which = place != nullptr ? place->frame : 0;
  if (which >= stack.size()) return false;
  const ProgramVariables* const variables = program(job_.frame(stack[which]).module);
  return variables != nullptr && variables->problem().empty();
}

std::vector<std::string> BufferObjects::problems() const {
  std::vector<std::string> problems;
  for (const ModuleIndex module : silent_) {
    const std::string& problem = programs_.at(module)->problem();
    if (problem.empty()) continue;
    problems.push_back("It is not known which variables the buffers are: " + job_.module(module).path + ": " + problem +
                       ".");
  }
  return problems;
}

}  // namespace ddtscope::reporters
