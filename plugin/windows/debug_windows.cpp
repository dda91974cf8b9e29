#include "plugin/windows/debug_windows.h"

#include <algorithm>
#include <atomic>

#include "plugin/messages/named_communicators.h"

namespace ddtscope::plugin {
namespace {

using trace::DebugGroup;
using trace::DebugWindow;
using trace::DebugWindowChange;
using trace::DebugWindowEvent;

DebugGroup group_of(const std::vector<int>& ranks) {
  DebugGroup group{};
  group.processes = static_cast<std::uint32_t>(ranks.size());
  for (const auto& run : runs_of(ranks)) {
    if (group.used == DebugGroup::most) break;
    auto& place = group.runs[group.used++];
    place[0] = static_cast<std::int32_t>(run.first);
    place[1] = static_cast<std::int32_t>(run.last);
    place[2] = static_cast<std::int32_t>(run.step);
  }
  return group;
}

}  // namespace

DebugWindows::Place DebugWindows::made(const Made& made) {
  Place place;
  if (!table_) {
    constexpr auto kind = trace::DebugTableKind::windows;
    table_.emplace(memory_.table(kind), kind, DebugWindow::most);
  }
  const std::size_t used = table_->used();
  DebugWindow* const begin = table_->data();
  DebugWindow* const free = std::find_if(begin, begin + used, [](const DebugWindow& one) { return one.is_alive == 0; });
  if (free == begin + DebugWindow::most) return place;
  place.window_ = free;
  DebugWindow& window = *free;
  window = {};
  window.handle = made.window;
  window.line = made.line;
  window.flavour = static_cast<std::uint32_t>(made.flavour);
  window.predefined = made.predefined;
  window.communicator = made.communicator;
  window.base = made.base;
  window.size = made.size;
  window.displacement_unit = made.displacement_unit;
  WindowEvent event;
  event.called = made.called;
  event.site = made.site;
  window.made = event_of(event);
  window.is_unknown = made.is_unknown ? 1 : 0;
  window.is_alive = 1;
  if (free == begin + used) table_->set_used(used + 1);
  return place;
}

DebugWindows::Place DebugWindows::find(HandleBits handle) {
  Place place;
  if (!table_) return place;
  DebugWindow* const end = table_->data() + table_->used();
  DebugWindow* const found = std::find_if(
      table_->data(), end, [&](const DebugWindow& one) { return one.is_alive != 0 && one.handle == handle; });
  if (found != end) place.window_ = found;
  return place;
}

void DebugWindows::freed(Place& place) {
  if (place) place.window_->is_alive = 0;
  place = {};
}

void DebugWindows::named(Place& place, std::string_view label) {
  if (!place) return;
  auto& to = place.window_->label;
  std::fill(std::begin(to), std::end(to), '\0');
  label.copy(to, sizeof to - 1);
}

void DebugWindows::lost(Place& place) {
  if (!place) return;
  place.window_->is_unknown = 1;
}

std::uint32_t DebugWindows::place_in_trace(PredefinedId type) {
  if (!type.valid()) return trace::debug_view_none;
  if (type.value >= places_in_trace_.size()) places_in_trace_.resize(type.value + 1, trace::debug_view_none);
  std::uint32_t& known = places_in_trace_[type.value];
  if (known == trace::debug_view_none) {
    known = types_.place_in_trace({{}, type, TypeInUse::State::known}).value;
  }
  return known;
}

DebugWindowEvent DebugWindows::event_of(const WindowEvent& event) {
  DebugWindowEvent told{};
  told.kind = static_cast<std::uint32_t>(event.kind);
  told.entry = memory_.entry(*event.called);
  told.site = event.site.value;
  told.target = event.target;
  told.definition = trace::debug_view_none;
  told.predefined = trace::debug_view_none;
  if (is_of_access(event.kind)) {
    if (event.definition.valid()) {
      told.definition = event.definition.value;
    } else {
      told.predefined = place_in_trace(event.predefined);
    }
  }
  told.elements = event.elements;
  told.displacement = event.displacement;
  told.step = event.step;
  told.times = event.times;
  told.asserts = event.asserts.set;
  told.is_exclusive = event.is_exclusive ? 1 : 0;
  return told;
}

void DebugWindows::settle(Place& place) {
  const DebugWindow& window = *place.window_;
  if (window.ticket == 0) return;
  if (std::atomic_ref(place.window_->returned).load(std::memory_order_acquire) == window.ticket) settle_always(place);
}

void DebugWindows::settle_always(Place& place) {
  if (place.window_->ticket == 0) return;
  DebugWindowChange(*place.window_).apply_last();
  place.run_.times = 0;
}

/// Where another thread is in such a call still, that one is taken to be over.
DebugWindows::Call DebugWindows::begin(Place& place, const WindowEvent& event, const std::vector<int>* group) {
  if (!place) return {};
  settle_always(place);
  DebugWindow& window = *place.window_;
  window.last = event_of(event);
  window.last_group = group != nullptr ? group_of(*group) : DebugGroup{};
  window.accesses_before = window.accesses_used;
  window.ticket = ++tickets_;
  place.run_.times = 0;  // what is accessed from now on is another call's to complete
  return {&window.returned, window.ticket};
}

void DebugWindows::came_back(const Call& call) {
  if (call.returned == nullptr) return;
  // A call of another thread that began later may be back already.
  const std::atomic_ref returned(*call.returned);
  std::uint64_t last = returned.load(std::memory_order_relaxed);
  while (last < call.ticket && !returned.compare_exchange_weak(last, call.ticket, std::memory_order_release)) {
  }
}

void DebugWindows::take_back(Place& place, const Call& call) {
  if (place && call.ticket != 0 && place.window_->ticket == call.ticket) place.window_->ticket = 0;
}

void DebugWindows::done(Place& place, const WindowEvent& event) { came_back(begin(place, event, nullptr)); }

void DebugWindows::accessed(Place& place, const Access& access) {
  if (!place) return;
  settle(place);
  DebugWindow& window = *place.window_;
  WindowEvent& run = place.run_;
  const std::int64_t displacement = access.event.displacement;
  if (run.times != 0 && run.is_like(access.event)) {
    DebugWindowEvent& last = window.accesses[window.accesses_used - 1];
    std::int64_t step = last.step;
    const bool is_second = run.times == 1 && !__builtin_sub_overflow(displacement, run.displacement, &step);
    if ((is_second || (run.times > 1 && displacement == place.next_)) &&
        !__builtin_add_overflow(displacement, step, &place.next_)) {
      ++run.times;
      last.step = step;
      last.times = run.times;
      return;
    }
  }
  run.times = 0;
  if (window.accesses_used == DebugWindow::most_accesses) {
    ++window.accesses_left_out;
    return;
  }
  DebugWindowEvent& told = window.accesses[window.accesses_used];
  told = event_of(access.event);
  told.origin = access.origin;
  told.reads = access.reads ? 1 : 0;
  ++window.accesses_used;
  run = access.event;
  run.times = 1;
}

void DebugWindows::accessed_unknown(Place& place) {
  if (!place) return;
  settle(place);
  place.run_.times = 0;  // it is the last one
  ++place.window_->accesses_left_out;
}

void DebugWindows::take_back_access(Place& place) {
  if (!place) return;
  DebugWindow& window = *place.window_;
  if (place.run_.times == 0) {
    if (window.accesses_left_out != 0) --window.accesses_left_out;
    return;
  }
  DebugWindowEvent& last = window.accesses[window.accesses_used - 1];
  if (--last.times == 0) --window.accesses_used;
  place.run_.times = 0;  // the next one begins anew
}

void DebugWindows::completed(Place& place, const WindowEvent& event) {
  if (!place) return;
  settle(place);
  DebugWindow& window = *place.window_;
  DebugWindowEvent like = event_of(event);
  DebugWindowEvent* const end = window.accesses + window.accesses_used;
  DebugWindowEvent* const found = std::find_if(window.accesses, end, [&](const DebugWindowEvent& one) {
    return one.entry == like.entry && one.site == like.site && one.target == like.target &&
           one.definition == like.definition && one.predefined == like.predefined && one.elements == like.elements &&
           one.at_origin < one.times;
  });
  if (found == end || ++found->at_origin < found->times || found->reads == 0) return;
  if (found == end - 1) place.run_.times = 0;
  std::copy(found + 1, end, found);
  --window.accesses_used;
  if (window.accesses_before > static_cast<std::uint32_t>(found - window.accesses)) --window.accesses_before;
}

}  // namespace ddtscope::plugin
