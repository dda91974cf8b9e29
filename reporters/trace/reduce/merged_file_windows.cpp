// The ranks' windows, and what they reached in them, as lines of the merged trace.
#include <algorithm>
#include <iterator>

#include "reporters/trace/reduce/json_text.h"
#include "reporters/trace/reduce/merged_file.h"

namespace ddtscope::reduce {
namespace {

WindowFlavour flavour_of(std::string_view name) {
  const auto* const found = std::find_if(std::begin(all_window_flavours), std::end(all_window_flavours),
                                         [&](WindowFlavour one) { return name_of(one) == name; });
  return found != std::end(all_window_flavours) ? *found : WindowFlavour::dynamic;
}

}  // namespace

void MergedFile::write_windows() {
  std::uint32_t number = 0;
  for (const Record& record : windows_) {
    window_numbers_.emplace(record.key, number);
    BodyReader body(record.body);
    trace::WindowLine line;
    line.number = {number++};
    line.name = key_from_text(text_of_string(body.text())).value_or(0);
    line.flavour = flavour_of(text_of_string(body.text()));
    line.size = integer_or_null_of(body.text());
    line.displacement_unit = integer_or_null_of(body.text());
    const std::string called = text_of_string(body.text());
    const std::string binding = text_of_string(body.text());
    line.called = called;
    line.binding = binding;
    line.site = site(body.number());
    line.ranks = record.parts[0].ranks.ranges();
    writer_.window(line);
  }
}

void MergedFile::write_window_names() {
  for (const Record& record : window_names_) {
    BodyReader body(record.body);
    trace::WindowNameLine line;
    line.window = {number_in(window_numbers_, body.number())};
    const std::string name = text_of_string(body.text());
    line.name = name;
    line.ranks = record.parts[0].ranks.ranges();
    writer_.window_name(line);
  }
}

void MergedFile::write_accesses() {
  for (const Record& record : accesses_) {
    BodyReader body(record.body);
    trace::AccessesLine line;
    line.window = {number_in(window_numbers_, body.number())};
    ArgumentWords words;
    read_argument(body, line, words);
    line.site = site(body.number());
    for (std::int64_t* const member : {&line.target, &line.lowest, &line.highest}) {
      *member = integer_or_null_of(body.text()).value_or(0);
    }
    line.count = count_of(body.text());
    line.ranks = record.parts[0].ranks.ranges();
    writer_.accesses(line);
  }
}

void MergedFile::write_window_events() {
  std::uint32_t number = 0;
  for (const Record& record : window_events_) {
    BodyReader body(record.body);
    trace::WindowEventLine line;
    line.number = {number};
    ArgumentWords words;
    read_argument(body, line, words);
    line.site = site(body.number());
    const auto kind = window_event_of(text_of_string(body.text()));
    if (!kind) throw NotReduced("its trace was edited");
    line.kind = *kind;
    line.target = integer_or_null_of(body.text());
    const GroupRuns group = runs_of(body.text());
    line.group = group;
    line.is_exclusive = body.text() == "true";
    for (JsonWalk walk(body.text()); walk.next();) line.asserts.add(text_of_string(walk.value()));
    line.displacement = integer_or_null_of(body.text()).value_or(0);
    if (const std::string_view times = body.text(); !times.empty()) line.times = count_of(times);
    line.step = integer_or_null_of(body.text()).value_or(0);
    const std::string_view op_text = body.text();
    const std::string op = op_text.empty() ? std::string() : text_of_string(op_text);
    line.op = op;
    line.ordering.set = 0;
    for (JsonWalk walk(body.text()); walk.next();) line.ordering.add(text_of_string(walk.value()));
    writer_.window_event(line);
    window_event_numbers_.emplace(record.key, number++);
  }
}

void MergedFile::write_window_sequences() {
  auto number = static_cast<std::uint32_t>(sequences_.size() + collective_sequences_.size());
  std::vector<SequenceElement> elements;
  for (const Record& record : window_sequences_) {
    BodyReader body(record.body);
    elements.clear();
    read_folded(body, window_event_numbers_, elements);
    writer_.sequence({number}, elements, SequenceOf::window_events);
    window_sequence_numbers_.emplace(record.key, number++);
  }
}

void MergedFile::write_epochs() {
  for (const Record& record : epochs_) {
    BodyReader body(record.body);
    trace::EpochsLine line;
    line.window = {number_in(window_numbers_, body.number())};
    line.sequence = {number_in(window_sequence_numbers_, body.number())};
    std::string why;
    if (const std::string_view undecided = body.text(); !undecided.empty()) {
      line.undecided = undecided_of(undecided, why);
    }
    line.ranks = record.parts[0].ranks.ranges();
    writer_.epochs(line);
  }
}

void MergedFile::write_attached() {
  for (const Record& record : attached_) {
    BodyReader body(record.body);
    trace::AttachedLine line;
    line.window = {number_in(window_numbers_, body.number())};
    std::vector<AttachedRange> ranges;
    for (JsonWalk walk(body.text()); walk.next();) {
      JsonWalk two(walk.value());
      AttachedRange range;
      for (std::int64_t* const number : {&range.address, &range.bytes}) {
        if (two.next()) *number = integer_or_null_of(two.value()).value_or(0);
      }
      ranges.push_back(range);
    }
    line.ranges = ranges;
    line.ranks = record.parts[0].ranks.ranges();
    writer_.attached(line);
  }
}

}  // namespace ddtscope::reduce
