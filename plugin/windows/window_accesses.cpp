#include "plugin/windows/window_accesses.h"

#include <algorithm>
#include <utility>

#include "decoder/base/grouped.h"

namespace ddtscope::plugin {
namespace {

/// Which of a call's arguments describes the target: where there is one type for all, that one.
const Use& target_of(const UseRow& row) {
  for (const Use* const use : row.uses.all()) {
    if (use->parameter == trace::UseParameter::target_datatype) return *use;
  }
  return row.uses.first;
}

}  // namespace

std::size_t WindowAccesses::Place::hash() const {
  return HashOfWords()
      .add(std::uint64_t{predefined.value} << 32 ^ definition.value)
      .add(std::uint64_t{window.value} << 32 | static_cast<std::uint32_t>(target))
      .add(elements)
      .add(called)
      .add(std::uint64_t{site.value})
      .value();
}

void WindowAccesses::made(const Made& made, const CommunicatorNames::Call& call) {
  CommunicatorGroups groups;
  if (call.parent) groups = parts_.library.groups_of(made.communicator);  // without the lock
  const CommunicatorName name = CommunicatorNames::name_by_parent(call, groups);
  parts_.registry.beside([&] {
    windows_.erase(made.window);
    if (!name || lines_ == options_.most_lines) return;
    const bool is_of_world = made.communicator == options_.world;
    if (is_of_world) groups.own.clear();
    const WindowNumber line{lines_++};
    windows_[made.window] = {line, is_of_world, std::move(groups.own)};
    const bool has_memory = made.flavour != WindowFlavour::dynamic;
    parts_.writer.window({.number = line,
                          .name = name.value,
                          .flavour = made.flavour,
                          .size = has_memory ? std::optional(std::max<std::int64_t>(made.size, 0)) : std::nullopt,
                          .displacement_unit = has_memory ? std::optional(made.displacement_unit) : std::nullopt,
                          .called = made.called->name,
                          .binding = made.called->binding,
                          .site = parts_.registry.types_in_use().site_of(*made.stack)});
  });
}

void WindowAccesses::freed(HandleBits window) {
  parts_.registry.beside([&] { windows_.erase(window); });
}

/// The displacement stands behind the target's rank in every function (MPI-4.1 12.3).
void WindowAccesses::accessed(const UsingCall& call) {
  const UseRow& row = call.arguments.row;
  const Use& use = target_of(row);
  Access access;
  access.target = call.arguments.integer(use.peer);
  if (access.target == options_.constants.null_process) return;
  Place place;
  place.elements = row.uses.fixed_count != 0 ? row.uses.fixed_count : call.arguments.count(use.count);
  if (place.elements == 0) return;
  access.displacement = call.arguments.words[use.peer + 1];
  access.window = call.arguments.handle(row.window >= 0 ? row.window : row.holder, options_.constants);
  access.type = call.arguments.handle(use.type, options_.constants);
  place.parameter = use.parameter;
  place.called = call.called;
  parts_.registry.beside([&] { add(access, place, *call.stack); });
}

int WindowAccesses::process_of(const Window& window, int target) {
  if (target < 0) return -1;
  if (window.is_of_world) return target;
  const auto rank = static_cast<std::size_t>(target);
  return rank < window.processes.size() ? window.processes[rank] : -1;
}

void WindowAccesses::add(const Access& access, Place place, const Stack& stack) {
  const auto window = windows_.find(access.window);
  place.target = window != windows_.end() ? process_of(window->second, access.target) : -1;
  const TypeInUse type = parts_.registry.types_in_use().find(access.type);
  if (place.target < 0 || type.state != TypeInUse::State::known) {
    ++of_unknown_;
    return;
  }
  place.window = window->second.line;
  place.definition = type.number;
  place.predefined = type.predefined;
  place.site = parts_.registry.types_in_use().site_of(stack);
  FoldedNumbers* const displacements = accesses_.find(place, options_.most_bytes);
  if (displacements != nullptr) displacements->add(access.displacement);
}

void WindowAccesses::write(trace::Writer& writer) const {
  const TypesInUse& types = parts_.registry.types_in_use();
  for (const auto& [place, all] : accesses_.all()) {
    writer.accesses({.window = place.window,
                     .target = place.target,
                     .definition = place.definition,
                     .predefined = types.predefined_name({place.definition, place.predefined, TypeInUse::State::known}),
                     .elements = place.elements,
                     .called = place.called->name,
                     .binding = place.called->binding,
                     .parameter = place.parameter,
                     .site = place.site,
                     .lowest = all.lowest,
                     .highest = all.highest,
                     .count = all.count});
  }
  const auto note = [&](std::uint64_t number, const char* why) {
    if (number != 0) writer.note(counted(number, "access to a window is", "accesses to windows are") + why);
  };
  note(of_unknown_, " not told: the window, its target or the type is not known.");
  note(accesses_.without_memory(), " not told: there is no memory for more (DDTSCOPE_MAX_MEMORY).");
}

}  // namespace ddtscope::plugin
