#include "reporters/trace/reduce/line_facts.h"

#include <new>
#include <optional>
#include <string>
#include <utility>

#include "decoder/definition/basic_type.h"
#include "decoder/definition/combiner.h"
#include "decoder/definition/f90.h"
#include "reporters/trace/format/named_constants.h"
#include "reporters/trace/format/number_of_text.h"
#include "reporters/trace/format/predefined_kind.h"
#include "reporters/trace/reduce/json_text.h"
#include "reporters/trace/write/facts.h"

namespace ddtscope::reduce {
namespace {

/// An integer, as JSON or as a decimal string; empty for everything else.
std::optional<std::int64_t> integer_of(std::string_view value) {
  if (value.starts_with('"') && value.size() >= 2) value = value.substr(1, value.size() - 2);
  return number_of_text<std::int64_t>(value);
}

LibraryConstants constants_of(std::string_view header) {
  LibraryConstants constants;
  const std::string_view values = member_of(header, "constants");
  for (const auto& [name, value] : trace::named_constants) {
    constants.*value = static_cast<std::int32_t>(integer_of(member_of(values, name)).value_or(0));
  }
  return constants;
}

/// Appends an integer array, [first, step, n] within it expanded. False where it is none.
bool append_integers(std::string_view array, std::vector<std::int64_t>& values) {
  constexpr std::size_t most_values = std::size_t{1} << 21;  // in eight bytes of text
  JsonWalk walk(array);
  while (true) {
    for (std::int64_t value = 0; walk.next_integer(value);) values.push_back(value);  // most of them
    if (!walk.next()) break;
    if (!walk.value().starts_with('[')) {
      const auto value = integer_of(walk.value());
      if (!value) return false;
      values.push_back(*value);
      continue;
    }
    JsonWalk three(walk.value());
    std::optional<std::int64_t> numbers[3];
    for (auto& number : numbers) {
      if (three.next()) number = integer_of(three.value());
    }
    auto [first, step, length] = numbers;
    if (!first || !step || length.value_or(-1) < 0) return false;
    if (static_cast<std::uint64_t>(*length) + values.size() > most_values) return false;
    for (std::int64_t value = *first; *length > 0; --*length) {
      values.push_back(value);
      if (*length > 1 && __builtin_add_overflow(value, *step, &value)) return false;
    }
  }
  return true;
}

}  // namespace

LineFacts::LineFacts(std::string_view header, const Limits& limits)
    : limits_(limits), store_(constants_of(header)), layouts_(store_, observed_) {
  for (JsonWalk walk(member_of(header, "predefined")); walk.next();) add_predefined(walk.value());
}

void LineFacts::predefined(std::string_view line) { add_predefined(line); }

void LineFacts::add_predefined(std::string_view object) {
  PredefinedType type;
  type.name = text_of_string(member_of(object, "name"));
  type.kind = trace::predefined_kind_of_name(text_of_string(member_of(object, "kind"))).value_or(PredefinedKind::basic);
  type.size = integer_of(member_of(object, "size")).value_or(0);
  type.extent = integer_of(member_of(object, "extent")).value_or(0);
  type.alignment = integer_of(member_of(object, "alignment")).value_or(1);
  if (type.kind == PredefinedKind::pair) {
    JsonWalk parts(member_of(object, "parts"));
    for (std::string* name : {&type.first, &type.second}) {
      if (!parts.next()) return;
      JsonWalk part(parts.value());
      if (part.next()) *name = text_of_string(part.value());
      if (part.next()) type.second_displacement = integer_of(part.value()).value_or(0);
    }
  }
  store_.add_predefined(type);
}

std::string_view LineFacts::next(std::string_view definition) {
  line_.clear();
  const std::size_t number = numbers_.size();
  numbers_.push_back(DefinitionId{});
  try {
    const DefinitionId id = is_late() ? DefinitionId{} : define(definition);
    if (id.valid()) {
      numbers_[number] = id;
      trace::append_facts(line_, layouts_, id);
      layouts_.make_room(limits_.bytes_of_layouts);
      return line_.text();
    }
  } catch (const std::bad_alloc&) {  // the trace can do without
    is_late_ = true;
    line_.clear();
  }
  ++without_;
  return {};
}

bool LineFacts::is_late() {
  is_late_ = is_late_ || std::chrono::steady_clock::now() - begin_ > limits_.time;
  return is_late_;
}

DefinitionId LineFacts::define(std::string_view definition) {
  std::optional<Combiner> combiner;
  ObservedBounds bounds;
  const std::pair<std::string_view, std::optional<std::int64_t>*> integers[] = {{"size", &bounds.size},
                                                                                {"lb", &bounds.lb},
                                                                                {"extent", &bounds.extent},
                                                                                {"true_lb", &bounds.true_lb},
                                                                                {"true_extent", &bounds.true_extent}};
  std::string_view constructor, contents;
  for (JsonWalk walk(definition); walk.next();) {
    if (walk.name() == "combiner") combiner = combiner_of_name(text_of_string(walk.value()));
    if (walk.name() == "constructor") constructor = walk.value();
    if (walk.name() == "contents") contents = walk.value();
    for (const auto& [name, value] : integers) {
      if (walk.name() == name) *value = integer_of(walk.value());
    }
  }
  if (!combiner || store_.bytes() + contents.size() > limits_.bytes_of_definitions || !take_contents(contents)) {
    return {};
  }
  const bool is_large = row_of(*combiner).has_large_form &&
                        text_of_string(constructor) == constructor_name(*combiner, Form::large_counts);
  if (!call_.build(*combiner, is_large ? Form::large_counts : Form::int_counts, contents_)) return {};
  if (is_f90(*combiner)) store_.add_basic(observed_f90_type(call_.call(), bounds));
  const DefinitionStore::Interned interned = store_.intern(call_.call());
  if (interned.is_new) observed_.add(interned.id, bounds);
  return interned.id;
}

bool LineFacts::take_contents(std::string_view contents) {
  contents_.integers.clear();
  contents_.addresses.clear();
  contents_.large_counts.clear();
  contents_.datatypes.clear();
  bool taken = true;
  for (JsonWalk walk(contents); walk.next() && taken;) {
    if (walk.name() == "integers") taken = append_integers(walk.value(), contents_.integers);
    if (walk.name() == "addresses") taken = append_integers(walk.value(), contents_.addresses);
    if (walk.name() == "large_counts") taken = append_integers(walk.value(), contents_.large_counts);
    if (walk.name() == "datatypes") taken = take_datatypes(walk.value());
  }
  return taken;
}

bool LineFacts::take_datatypes(std::string_view datatypes) {
  for (JsonWalk walk(datatypes); walk.next();) {
    DefinitionId oldtype;
    if (walk.value().starts_with('"')) {
      oldtype = store_.find_predefined(text_of_string(walk.value())).value_or(DefinitionId{});
    } else if (const std::uint64_t number = count_of(walk.value()); number < numbers_.size()) {
      oldtype = numbers_[number];
    }
    if (!oldtype.valid()) return false;
    contents_.datatypes.push_back(oldtype);
  }
  return true;
}

}  // namespace ddtscope::reduce
