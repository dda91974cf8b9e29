// The lines of a trace that say what one-sided calls reach, and in which windows.
#include "reporters/trace/write/writer.h"

namespace ddtscope::trace {

void Writer::window(const WindowLine& line) {
  begin("window").key("id").integer(line.number.value).key("name").word(key_text(line.name));
  line_.key("flavour").word(name_of(line.flavour)).key("size");
  line.size ? line_.integer(*line.size) : line_.null();
  line_.key("displacement_unit");
  line.displacement_unit ? line_.integer(*line.displacement_unit) : line_.null();
  line_.key("called").string(line.called).key("binding").string(line.binding).key("site");
  number_or_null(line.site);
  if (is_merged()) ranks(line.ranks);
  finish();
}

void Writer::window_name(const WindowNameLine& line) {
  begin("window_name").key("window").integer(line.window.value).key("name").string(line.name);
  if (is_merged()) ranks(line.ranks);
  finish();
}

void Writer::accesses(const AccessesLine& line) {
  begin("accesses").key("window").integer(line.window.value).key("target").integer(line.target);
  argument_members(line);
  line_.key("site");
  number_or_null(line.site);
  line_.key("lowest").integer(line.lowest).key("highest").integer(line.highest).key("count");
  counter(line.count);
  if (is_merged()) ranks(line.ranks);
  finish();
}

void Writer::window_event(const WindowEventLine& line) {
  begin("window_event").key("id").integer(line.number.value).key("kind").word(name_of(line.kind));
  if (has_target(line.kind)) {
    line_.key("target");
    line.target ? line_.integer(*line.target) : line_.null();
  }
  if (has_group(line.kind)) {
    line_.key("group");
    group(line.group);
  }
  if (line.kind == WindowEventKind::lock) line_.key("exclusive").boolean(line.is_exclusive);
  if (has_asserts(line.kind)) {
    line_.key("assert").begin_array();
    for (std::size_t i = 0; i < std::size(WindowAsserts::names); ++i) {
      if ((line.asserts.set >> i & 1) != 0) line_.word(WindowAsserts::names[i]);
    }
    line_.end_array();
  }
  if (line.kind == WindowEventKind::ordering) {
    line_.key("accumulate_ordering").begin_array();
    for (std::size_t i = 0; i < std::size(AccumulateOrdering::names); ++i) {
      if ((line.ordering.set >> i & 1) != 0) line_.word(AccumulateOrdering::names[i]);
    }
    line_.end_array();
  }
  if (is_of_access(line.kind)) {
    line_.key("displacement").integer(line.displacement);
    if (line.times > 1) {
      line_.key("times");
      counter(line.times);
      line_.key("step").integer(line.step);
    }
    argument_members(line);
    if (!line.op.empty()) line_.key("op").string(line.op);
  } else {
    line_.key("called").string(line.called).key("binding").string(line.binding);
  }
  line_.key("site");
  number_or_null(line.site);
  finish();
}

void Writer::epochs(const EpochsLine& line) {
  begin("epochs").key("window").integer(line.window.value).key("sequence").integer(line.sequence.value);
  undecided_member(line.undecided);
  if (is_merged()) ranks(line.ranks);
  finish();
}

void Writer::attached(const AttachedLine& line) {
  begin("attached").key("window").integer(line.window.value).key("ranges").begin_array();
  for (const AttachedRange& range : line.ranges) {
    line_.begin_array().integer(range.address).integer(range.bytes).end_array();
  }
  line_.end_array();
  if (is_merged()) ranks(line.ranks);
  finish();
}

}  // namespace ddtscope::trace
