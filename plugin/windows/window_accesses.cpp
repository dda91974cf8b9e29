#include "plugin/windows/window_accesses.h"

#include <algorithm>
#include <utility>

#include "decoder/base/grouped.h"
#include "decoder/base/hash_of_words.h"
#include "plugin/messages/sequence_lines.h"

namespace ddtscope::plugin {
namespace {

/// Which of a call's arguments describes the target: where there is one type for all, that one.
const Use& target_of(const UseRow& row) {
  for (const Use* const use : row.uses.all()) {
    if (use->parameter == trace::UseParameter::target_datatype) return *use;
  }
  return row.uses.first;
}

/// Whether the origin has all that it is made for, once the call is complete there: MPI_Get and MPI_Rget.
bool is_get(const UseRow& row) { return row.access[0] == Access::writes; }

std::uint64_t origin_of(const UseCall& call) {
  const auto position = call.row.uses.first.buffer;
  return position >= 0 ? static_cast<std::uint64_t>(call.words[position]) : 0;
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
  const auto ordering = made.info ? parts_.library.accumulate_ordering(*made.info) : std::nullopt;  // nor here
  parts_.registry.beside([&] {
    Window& window = windows_[made.window];
    shown_.freed(window.shown);
    window = {};
    window.is_judged = !is_stopped_;
    window.is_of_world = made.communicator == options_.world;
    if (!window.is_of_world) window.processes = std::move(groups.own);
    const bool has_memory = made.flavour != WindowFlavour::dynamic;
    if (has_memory && made.displacement_unit < 1) return;  // no library should have taken that
    const CallSiteId site = parts_.registry.types_in_use().site_of(*made.stack);
    DebugWindows::Made shown{.window = made.window,
                             .flavour = made.flavour,
                             .communicator = call.parent.value,
                             .base = made.base,
                             .size = made.size,
                             .displacement_unit = made.displacement_unit,
                             .called = made.called,
                             .site = site,
                             .is_unknown = is_stopped_};
    if (made.communicator == options_.world) shown.predefined = 1;
    if (made.communicator == options_.self) shown.predefined = 2;
    const bool has_line = name && lines_ != options_.most_lines;
    if (has_line) shown.line = lines_;
    window.shown = shown_.made(shown);
    if (!has_line) return;
    const WindowNumber line{lines_++};
    window.recorded =
        &recorded_.emplace_back(Recorded{line, made.flavour, std::make_unique<WindowSequence>(events_, symbols_)});
    symbols_.count_bytes(sizeof(Recorded));
    if (is_stopped_) window.recorded->sequence->lose(Unknown::switched_off);
    parts_.writer.window({.number = line,
                          .name = name.value,
                          .flavour = made.flavour,
                          .size = has_memory ? std::optional(std::max<std::int64_t>(made.size, 0)) : std::nullopt,
                          .displacement_unit = has_memory ? std::optional(made.displacement_unit) : std::nullopt,
                          .called = made.called->name,
                          .binding = made.called->binding,
                          .site = site});
    WindowSequence* const sequence = ordering ? sequence_of(window) : nullptr;
    if (sequence == nullptr) return;
    WindowEvent event{.kind = WindowEventKind::ordering, .ordering = *ordering};
    event.called = made.called;
    event.site = site;
    sequence->append(event);
  });
}

DebugWindows::Place WindowAccesses::freeing(HandleBits handle, const EntryPoint& called, const Stack& stack) {
  std::optional<ToldError> told;
  DebugWindows::Place shown;
  parts_.registry.beside([&] {
    Window* const window = find(handle);
    if (window == nullptr) return;
    shown = window->shown;
    const auto lapse = window->is_judged ? window->state.lapse_of_free() : std::nullopt;
    if (lapse) record_lapse(*lapse, called, stack, told);
    if (window->recorded != nullptr) window->recorded->end();
    last_handle_ = 0;
    last_window_ = nullptr;
    // Nothing comes any more of them.
    for (auto& [request, of_handle] : requests_) {
      number_of_requests_ -= static_cast<std::uint32_t>(
          std::erase_if(of_handle, [&](const auto& one) { return one.second.window == handle; }));
    }
    std::erase_if(requests_, [](const auto& of_handle) { return of_handle.second.empty(); });
    windows_.erase(handle);
  });
  if (told) parts_.tell(*told);
  return shown;
}

void WindowAccesses::freed(HandleBits handle, DebugWindows::Place shown) {
  parts_.registry.beside([&] {
    if (!shown) shown = shown_.find(handle);
    shown_.freed(shown);
  });
}

void WindowAccesses::not_freed(DebugWindows::Place shown) {
  parts_.registry.beside([&] { shown_.lost(shown); });
}

void WindowAccesses::Recorded::end() {
  if (!sequence) return;
  ended = sequence->end();
  sequence.reset();
}

void WindowAccesses::attached(HandleBits handle, const AttachedRange& range) {
  parts_.registry.beside([&] {
    const Window* const window = find(handle);
    if (window != nullptr && window->recorded != nullptr) window->recorded->attached.add(range);
  });
}

void WindowAccesses::named(HandleBits handle, std::string_view name) {
  parts_.registry.beside([&] {
    Window* const window = find(handle);
    if (window == nullptr) return;
    shown_.named(window->shown, name);
    if (window->recorded == nullptr || names_.size() == options_.most_lines) return;
    const WindowNumber line = window->recorded->line;
    if (names_.emplace(line.value, name).second) parts_.writer.window_name({.window = line, .name = name});
  });
}

void WindowAccesses::group_freed(HandleBits group) {
  parts_.registry.beside([&] { groups_.erase(group); });
}

WindowAccesses::Window* WindowAccesses::find(HandleBits handle) {
  if (last_window_ != nullptr && handle == last_handle_) [[likely]]
    return last_window_;
  const auto found = windows_.find(handle);
  if (found == windows_.end()) return nullptr;
  last_handle_ = handle;
  last_window_ = &found->second;
  return last_window_;
}

WindowSequence* WindowAccesses::sequence_of(const Window& window) {
  if (window.recorded == nullptr || !window.recorded->sequence) return nullptr;
  WindowSequence& sequence = *window.recorded->sequence;
  if (!sequence.is_known()) return nullptr;
  if (symbols_.bytes() + events_.bytes() >= options_.most_bytes) {
    sequence.lose(Unknown::memory);
    return nullptr;
  }
  return &sequence;
}

void WindowAccesses::record_lapse(const EpochState::Lapse& lapse, const EntryPoint& called, const Stack& stack,
                                  std::optional<ToldError>& told) {
  Verdict verdict;
  verdict.id = FindingId::bad_argument;
  verdict.called = &called;
  verdict.argument = lapse.argument;
  verdict.site = parts_.registry.types_in_use().site_of(stack);
  verdict.message = std::string(called.name) + " " + lapse.what;
  if (parts_.verdicts.record(verdict)) told = ToldError{verdict.message, verdict.id, stack.caller};
}

/// The displacement stands behind the target's rank in every function (MPI-4.1 12.3). Nothing where nobody is reached.
std::optional<WindowAccesses::Access> WindowAccesses::access_of(const UseCall& call) const {
  const UseRow& row = call.row;
  const Use& use = target_of(row);
  Access access;
  access.target = call.integer(use.peer);
  if (access.target == options_.constants.null_process) return std::nullopt;
  access.elements = row.uses.fixed_count != 0 ? row.uses.fixed_count : call.count(use.count);
  if (access.elements == 0) return std::nullopt;
  access.displacement = call.words[use.peer + 1];
  access.window = call.handle(row.window >= 0 ? row.window : row.holder, options_.constants);
  access.type = call.handle(use.type, options_.constants);
  access.parameter = use.parameter;
  return access;
}

WindowAccesses::Begun WindowAccesses::begin(const UsingCall& call) {
  const std::optional<Access> access = access_of(call.arguments);
  Begun begun;
  if (!access) return begun;
  std::optional<ToldError> told;
  parts_.registry.beside([&] {
    if (is_stopped_) return;
    Window* const window = find(access->window);
    bool is_wrong = false;
    bool is_of_fence = false;
    if (window != nullptr && window->is_judged) {
      const bool has_request = call.arguments.row.lasts == Lasts::request;
      if (has_request || !window->state.is_open_to_all()) {
        const EpochState::Target target{access->target, process_of(*window, access->target), has_request};
        is_wrong = !window->state.allows(target);
        if (is_wrong) record_lapse(window->state.lapse_of_access(target), *call.called, *call.stack, told);
      }
      is_of_fence = window->state.accessed();
    }
    begun = add(*access, call, window);
    begun.is_wrong = is_wrong;
    begun.is_of_fence = is_of_fence;
  });
  if (told) parts_.tell(*told);
  return begun;
}

WindowAccesses::Begun WindowAccesses::end(const UsingCall& call, const Begun& begun, CallOutcome outcome) {
  const bool has_failed = outcome == CallOutcome::failed;
  const bool is_late = begun.state == Begun::State::left;
  Begun recorded = begun;
  if (!is_late && !has_failed) return recorded;
  const std::optional<Access> access = access_of(call.arguments);
  parts_.registry.beside([&] {
    Window* const window = access ? find(access->window) : nullptr;
    if (has_failed && begun.is_of_fence && window != nullptr) window->state.take_back_access();
    if (has_failed && !is_late && window != nullptr) shown_.take_back_access(window->shown);
    if (is_late && !has_failed && !is_stopped_ && access) {
      recorded = add(*access, call, window);
      if (recorded.state == Begun::State::left) {
        ++of_unknown_;
        WindowSequence* const sequence = window != nullptr ? sequence_of(*window) : nullptr;
        if (sequence != nullptr) sequence->lose(Unknown::type);
      }
    }
    if (has_failed && recorded.recorded != nullptr) recorded.recorded->take_back(recorded.place);
  });
  return recorded;
}

void WindowAccesses::has_request(const UsingCall& call, const Begun& begun, const Holder& request) {
  const std::optional<Access> access = access_of(call.arguments);
  if (!access || begun.state != Begun::State::recorded) return;
  parts_.registry.beside([&] {
    const TypeInUse type = parts_.registry.types_in_use().find(access->type);
    const Window* const window = find(access->window);
    if (window == nullptr || type.state != TypeInUse::State::known) return;
    const WindowEvent event = event_of(WindowEventKind::completed, *access, call, *window, type);
    const std::uint64_t number = last_request_.load(std::memory_order_relaxed) + 1;
    requests_[request.handle].emplace(request.place, Requested{begun.recorded, access->window, event, number});
    last_request_.store(number, std::memory_order_relaxed);
    ++number_of_requests_;
  });
}

/// Of those that share a handle the one that the program keeps at that place. Where there is none, nobody knows which
/// of them it is: all, so that none is waited for that is complete.
void WindowAccesses::request_completed(const Holder& request, std::uint64_t last) {
  parts_.registry.beside([&] {
    const auto found = requests_.find(request.handle);
    if (found == requests_.end()) return;
    ByPlace& of_handle = found->second;
    std::size_t taken = take_completed(of_handle, of_handle.equal_range(request.place), last);
    if (taken == 0) taken = take_completed(of_handle, {of_handle.begin(), of_handle.end()}, last);
    number_of_requests_ -= static_cast<std::uint32_t>(taken);
    if (of_handle.empty()) requests_.erase(found);
  });
}

/// Those that were there when the call began, in the order in which they were asked for. How many they are.
std::size_t WindowAccesses::take_completed(ByPlace& requests,
                                           const std::pair<ByPlace::iterator, ByPlace::iterator>& range,
                                           std::uint64_t last) {
  std::vector<ByPlace::iterator> completed;
  for (auto each = range.first; each != range.second; ++each) {
    if (each->second.number <= last) completed.push_back(each);
  }
  std::sort(completed.begin(), completed.end(), [](auto a, auto b) { return a->second.number < b->second.number; });
  for (const ByPlace::iterator each : completed) {
    const Requested& one = each->second;
    if (one.recorded != nullptr && one.recorded->sequence) one.recorded->sequence->append_access(one.event);
    if (Window* const window = find(one.window)) shown_.completed(window->shown, one.event);
    requests.erase(each);
  }
  return completed.size();
}

/// Asks the library once for each handle of a group. None where nobody knows who that is.
std::optional<std::uint32_t> WindowAccesses::group_number(const SynchronisingCall& call) {
  std::optional<std::uint32_t> number;
  bool is_known = false;
  parts_.registry.beside([&] {
    const auto found = groups_.find(call.group);
    is_known = found != groups_.end();
    if (is_known) number = found->second;
  });
  if (is_known) return number;
  const auto processes = parts_.library.processes_of_group(call.group);  // without the lock
  parts_.registry.beside([&] {
    if (processes && events_.bytes() < options_.most_bytes) number = events_.intern(*processes);
    groups_[call.group] = number;
  });
  return number;
}

WindowEvent WindowAccesses::event_of(const SynchronisingCall& call, const Window& window, std::uint32_t group) {
  WindowEvent event{.kind = call.kind, .asserts = call.asserts, .is_exclusive = call.is_exclusive};
  if (call.target != Synchronisation::all_targets) event.target = process_of(window, call.target);
  event.group = group;
  event.called = call.called;
  event.site = parts_.registry.types_in_use().site_of(*call.stack);
  return event;
}

WindowAccesses::Begun WindowAccesses::begin(const SynchronisingCall& call) {
  Begun begun;
  if (call.target == options_.constants.null_process) return begun;
  std::optional<std::uint32_t> group;
  if (has_group(call.kind)) group = group_number(call);
  std::optional<ToldError> told;
  parts_.registry.beside([&] {
    Window* const window = find(call.window);
    if (is_stopped_ || window == nullptr) return;
    begun.state = Begun::State::recorded;
    const Synchronisation what = synchronisation_of(call, group);
    if (window->is_judged) {
      if (const auto lapse = window->state.lapse_of(what)) {
        record_lapse(*lapse, *call.called, *call.stack, told);
        begun.is_wrong = true;
      } else {
        window->state.apply(what);
      }
    }
    WindowSequence* const sequence = sequence_of(*window);
    if (sequence == nullptr && !window->shown) return;
    const WindowEvent event = event_of(call, *window, group.value_or(0));
    const bool is_target_known = call.target == Synchronisation::all_targets || event.target >= 0;
    if (is_target_known) {
      begun.shown = shown_.begin(window->shown, event, what.group);
    } else {
      shown_.lost(window->shown);
    }
    if (sequence == nullptr) return;
    if (!is_target_known || (has_group(call.kind) && !group)) {
      sequence->lose(Unknown::target);
      return;
    }
    begun.recorded = window->recorded;
    begun.place = sequence->append(event);
  });
  if (told) parts_.tell(*told);
  return begun;
}

/// A call that is wrong has done something where the library lets it pass. What is open after one that is right and
/// fails nobody knows.
void WindowAccesses::end(const SynchronisingCall& call, const Begun& begun, CallOutcome outcome) {
  const bool has_failed = outcome == CallOutcome::failed;
  if (begun.state == Begun::State::nothing || (!has_failed && !begun.is_wrong)) return;
  std::optional<std::uint32_t> group;
  if (has_group(call.kind) && !has_failed) group = group_number(call);
  parts_.registry.beside([&] {
    Window* const window = find(call.window);
    if (window != nullptr && has_failed && !begun.is_wrong) window->is_judged = false;
    if (window != nullptr && has_failed) {
      shown_.take_back(window->shown, begun.shown);
      if (!begun.is_wrong) shown_.lost(window->shown);
    }
    if (window != nullptr && !has_failed) window->state.apply(synchronisation_of(call, group));
    if (begun.recorded == nullptr || !has_failed) return;
    begun.recorded->take_back(begun.place);
    if (!begun.is_wrong && begun.recorded->sequence) begun.recorded->sequence->lose(Unknown::failed);
  });
}

Synchronisation WindowAccesses::synchronisation_of(const SynchronisingCall& call,
                                                   std::optional<std::uint32_t> group) const {
  return {call.kind, call.asserts, call.target, call.is_exclusive, group ? &events_.group(*group) : nullptr};
}

void WindowAccesses::begin_test(const SynchronisingCall& call) {
  std::optional<ToldError> told;
  parts_.registry.beside([&] {
    const Window* const window = find(call.window);
    if (is_stopped_ || window == nullptr || !window->is_judged) return;
    const auto lapse = window->state.lapse_of({.kind = call.kind});
    if (lapse) record_lapse(*lapse, *call.called, *call.stack, told);
  });
  if (told) parts_.tell(*told);
}

void WindowAccesses::tested(const SynchronisingCall& call) {
  parts_.registry.beside([&] {
    Window* const window = find(call.window);
    if (is_stopped_ || window == nullptr) return;
    window->state.apply({.kind = call.kind});
    const WindowEvent event = event_of(call, *window, 0);
    shown_.done(window->shown, event);
    if (WindowSequence* const sequence = sequence_of(*window)) sequence->append(event);
  });
}

void WindowAccesses::ordered(const SynchronisingCall& call) {
  const std::optional<AccumulateOrdering> ordering = parts_.library.accumulate_ordering(call.info);
  if (!ordering) return;
  parts_.registry.beside([&] {
    Window* const window = find(call.window);
    if (is_stopped_ || window == nullptr) return;
    WindowEvent event = event_of(call, *window, 0);
    event.ordering = *ordering;
    if (WindowSequence* const sequence = sequence_of(*window)) sequence->append(event);
  });
}

int WindowAccesses::process_of(const Window& window, int target) {
  if (target < 0) return -1;
  if (window.is_of_world) return target;
  const auto rank = static_cast<std::size_t>(target);
  return rank < window.processes.size() ? window.processes[rank] : -1;
}

std::string_view WindowAccesses::op_of(const UseCall& call) {
  if (call.row.uses.op < 0) return {};
  const PredefinedOp* const op = ops_.find(call.handle(call.row.uses.op, options_.constants));
  return op != nullptr ? op->name : std::string_view("user-defined");
}

WindowEvent WindowAccesses::event_of(WindowEventKind kind, const Access& access, const UsingCall& call,
                                     const Window& window, const TypeInUse& type) {
  WindowEvent event{.kind = kind};
  event.target = process_of(window, access.target);
  event.called = call.called;
  event.site = parts_.registry.types_in_use().site_of(*call.stack);
  event.definition = type.number;
  event.predefined = type.predefined;
  event.elements = access.elements;
  event.parameter = access.parameter;
  event.op = op_of(call.arguments);
  event.displacement = access.displacement;
  return event;
}

WindowAccesses::Begun WindowAccesses::add(const Access& access, const UsingCall& call, Window* window) {
  Begun begun;
  const bool is_target_known =
      window != nullptr && window->recorded != nullptr && process_of(*window, access.target) >= 0;
  if (!is_target_known) {
    ++of_unknown_;
    if (window != nullptr) shown_.accessed_unknown(window->shown);
    if (WindowSequence* const sequence = window != nullptr ? sequence_of(*window) : nullptr) {
      sequence->lose(Unknown::target);
    }
    return begun;
  }
  const TypeInUse type = parts_.registry.types_in_use().find(access.type);
  if (type.state != TypeInUse::State::known) {
    begun.state = Begun::State::left;
    return begun;
  }
  const WindowEvent event = event_of(WindowEventKind::access, access, call, *window, type);
  const Place place{.window = window->recorded->line,
                    .target = event.target,
                    .definition = event.definition,
                    .predefined = event.predefined,
                    .elements = event.elements,
                    .parameter = event.parameter,
                    .called = event.called,
                    .site = event.site};
  FoldedNumbers* const displacements = accesses_.find(place, options_.most_bytes);
  if (displacements != nullptr) displacements->add(access.displacement);
  begun.state = Begun::State::recorded;
  shown_.accessed(window->shown, {event, origin_of(call.arguments), is_get(call.arguments.row)});
  WindowSequence* const sequence = sequence_of(*window);
  if (sequence == nullptr) return begun;
  begun.recorded = window->recorded;
  begun.place = sequence->append_access(event);
  return begun;
}

void WindowAccesses::stop(Unknown why) {
  if (is_stopped_) return;
  is_stopped_ = true;
  for (Recorded& recorded : recorded_) {
    if (recorded.sequence) recorded.sequence->lose(why);
  }
  for (auto& [handle, window] : windows_) {
    window.is_judged = false;
    shown_.lost(window.shown);
  }
}

void WindowAccesses::write_events(trace::Writer& writer) const {
  const TypesInUse& types = parts_.registry.types_in_use();
  std::uint32_t number = 0;
  for (const WindowEvent& event : events_.all()) {
    trace::WindowEventLine line;
    line.number = {number++};
    line.kind = event.kind;
    line.called = event.called->name;
    line.binding = event.called->binding;
    line.site = event.site;
    line.asserts = event.asserts;
    line.ordering = event.ordering;
    if (event.target != WindowEvent::all_targets) line.target = event.target;
    line.is_exclusive = event.is_exclusive;
    const GroupRuns group = has_group(event.kind) ? runs_of(events_.group(event.group)) : GroupRuns();
    line.group = group;
    line.definition = event.definition;
    line.predefined = types.predefined_name({event.definition, event.predefined, TypeInUse::State::known});
    line.elements = event.elements;
    line.parameter = event.parameter;
    line.displacement = event.displacement;
    line.step = event.step;
    line.times = event.times;
    line.op = event.op;
    writer.window_event(line);
  }
}

void WindowAccesses::write(trace::Writer& writer, std::uint32_t& next) {
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
  for (Recorded& recorded : recorded_) recorded.end();  // the last events among them
  write_events(writer);
  SequenceLines sequences({symbols_, writer, next}, SequenceOf::window_events);
  for (const Recorded& recorded : recorded_) {
    const WindowSequence::Ended& ended = recorded.ended;
    if (ended.is_empty) continue;
    writer.epochs(
        {.window = recorded.line, .sequence = sequences.number_of(ended.places), .undecided = ended.undecided});
  }
  for (Recorded& recorded : recorded_) {
    const bool is_known = recorded.flavour == WindowFlavour::dynamic && !is_stopped_ && recorded.attached.is_known();
    if (is_known) writer.attached({.window = recorded.line, .ranges = recorded.attached.ranges()});
  }
  const auto note = [&](std::uint64_t number, const char* why) {
    if (number != 0) writer.note(counted(number, "access to a window is", "accesses to windows are") + why);
  };
  note(of_unknown_, " not told: the window, its target or the type is not known.");
  note(accesses_.without_memory(), " not told: there is no memory for more (DDTSCOPE_MAX_MEMORY).");
}

}  // namespace ddtscope::plugin
