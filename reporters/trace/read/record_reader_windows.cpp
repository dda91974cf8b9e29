// Lines that say what one-sided calls reach, and in which windows.
#include <algorithm>
#include <climits>
#include <iterator>

#include "reporters/trace/read/record_reader.h"

namespace ddtscope {

using namespace members;

void RecordReader::read_window(const Members& members, std::size_t) {
  check_order(members, "id", end_.windows.size(), "window");
  WindowRecord record;
  const auto name = key_from_text(members.text("name"));
  if (!name) members.refuse("name", "16 digits of a hexadecimal number");
  record.name = *name;
  const std::string_view flavour = members.text("flavour");
  const auto* const found = std::find_if(std::begin(all_window_flavours), std::end(all_window_flavours),
                                         [&](WindowFlavour one) { return name_of(one) == flavour; });
  if (found == std::end(all_window_flavours)) {
    members.refuse("flavour", R"("create", "allocate", "shared" or "dynamic")");
  }
  record.flavour = *found;
  record.size = members.integer_or_null("size");
  record.displacement_unit = members.integer_or_null("displacement_unit");
  const bool has_memory = record.flavour != WindowFlavour::dynamic;
  if (record.size.has_value() != has_memory || record.size.value_or(0) < 0) {
    members.refuse("size", "a number of bytes, or of a dynamic window null");
  }
  if (record.displacement_unit.has_value() != has_memory || record.displacement_unit.value_or(1) < 1) {
    members.refuse("displacement_unit", "a number of bytes that is 1 or more, or of a dynamic window null");
  }
  read_call(members, record);
  if (merged_) record.ranks = ranks_of(members.need("ranks"));
  end_.windows.push_back(std::move(record));
}

void RecordReader::read_accesses(const Members& members, std::size_t) {
  AccessesRecord record;
  record.window = members.number_of<WindowRecord>("window", end_.windows.size(), "window");
  record.target = members.integer("target");
  if (record.target < 0) members.refuse("target", "a rank");
  record.type = kept_type(members.need("type"), "type");
  record.elements = members.count("elements");
  read_argument(members, record);
  record.site = members.number_or_null<FrameRecord>("site", frames_, "frame");
  record.lowest = members.integer("lowest");
  record.highest = members.integer("highest");
  if (record.highest < record.lowest) members.refuse("highest", "no less than the lowest displacement");
  record.count = members.count("count");
  if (merged_) record.ranks = ranks_of(members.need("ranks"));
  end_.accesses.push_back(std::move(record));
}

void RecordReader::read_access_of_event(const Members& members, WindowEventRecord& record) {
  record.type = kept_type(members.need("type"), "type");
  record.elements = members.count("elements");
  read_argument(members, record);
  record.displacement = members.integer("displacement");
  if (members.has("times")) {
    record.times = members.count("times");
    record.step = members.integer("step");
    // The last displacement is an MPI_Aint, too.
    std::int64_t way = 0;
    const bool is_run = record.times > 1 && record.times - 1 <= INT64_MAX && record.step != 0 &&
                        !__builtin_mul_overflow(static_cast<std::int64_t>(record.times - 1), record.step, &way) &&
                        !__builtin_add_overflow(record.displacement, way, &way);
    if (!is_run) members.refuse("times", "2 or more, with a step that is not 0 and ends within 64 bits");
  }
  if (members.has("op")) record.op = words_.kept(members.text("op"));
}

void RecordReader::read_window_event(const Members& members, std::size_t) {
  check_order(members, "id", end_.window_events.size(), "window_event");
  WindowEventRecord record;
  const auto kind = window_event_of(members.text("kind"));
  if (!kind) members.refuse("kind", "the name of an event of a window");
  record.kind = *kind;
  if (has_target(record.kind) && (!may_be_of_all_targets(record.kind) || !members.need("target").is_null())) {
    record.target = members.integer("target");
    if (*record.target < 0 || *record.target > INT_MAX) members.refuse("target", "a rank");
  }
  if (has_group(record.kind)) record.group = group_of(members.need("group"), "group");
  if (record.kind == WindowEventKind::lock) record.is_exclusive = members.flag("exclusive");
  if (has_asserts(record.kind)) {
    for (const Value element : members.array("assert")) {
      std::string_view word;
      const bool is_word = element.get(word) == simdjson::SUCCESS;
      if (!is_word || !record.asserts.add(word)) members.refuse("assert", "names of assertions");
    }
  }
  if (record.kind == WindowEventKind::ordering) {
    record.ordering.set = 0;
    for (const Value element : members.array("accumulate_ordering")) {
      std::string_view word;
      const bool is_word = element.get(word) == simdjson::SUCCESS;
      if (!is_word || !record.ordering.add(word)) members.refuse("accumulate_ordering", "names of pairs of accesses");
    }
  }
  if (is_of_access(record.kind)) {
    read_access_of_event(members, record);
  } else {
    record.called = words_.kept(members.text("called"));
    record.binding = words_.kept(members.text("binding"));
  }
  record.site = members.number_or_null<FrameRecord>("site", frames_, "frame");
  end_.window_events.push_back(std::move(record));
}

void RecordReader::read_window_name(const Members& members, std::size_t) {
  WindowNameRecord record;
  record.window = members.number_of<WindowRecord>("window", end_.windows.size(), "window");
  record.name = members.text("name");
  if (merged_) record.ranks = ranks_of(members.need("ranks"));
  end_.window_names.push_back(std::move(record));
}

void RecordReader::read_epochs(const Members& members, std::size_t) {
  EpochsRecord record;
  record.window = members.number_of<WindowRecord>("window", end_.windows.size(), "window");
  record.sequence = members.number_of<SequenceRecord>("sequence", end_.sequences.size(), "sequence");
  if (end_.sequences[record.sequence.value].of != SequenceOf::window_events) {
    members.refuse("sequence", "the number of a sequence of window_events");
  }
  record.undecided = read_undecided(members);
  if (merged_) record.ranks = ranks_of(members.need("ranks"));
  end_.epochs.push_back(std::move(record));
}

void RecordReader::read_attached(const Members& members, std::size_t) {
  AttachedRecord record;
  record.window = members.number_of<WindowRecord>("window", end_.windows.size(), "window");
  std::int64_t end = INT64_MIN;
  for (const Value element : members.array("ranges")) {
    const auto two = elements_of<2>(element);
    const auto address = two ? to_int64((*two)[0]) : std::nullopt;
    const auto bytes = two ? to_int64((*two)[1]) : std::nullopt;
    const bool is_behind = address && bytes && *bytes > 0 && *address >= end;
    if (!is_behind || __builtin_add_overflow(*address, *bytes, &end)) {
      members.refuse("ranges", "[address, bytes], ascending and apart");
    }
    record.ranges.push_back({*address, *bytes});
  }
  if (merged_) record.ranks = ranks_of(members.need("ranks"));
  end_.attached.push_back(std::move(record));
}

}  // namespace ddtscope
