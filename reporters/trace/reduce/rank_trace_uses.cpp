// How a rank used types, as records.
#include "decoder/definition/definition.h"
#include "reporters/trace/reduce/json_text.h"
#include "reporters/trace/reduce/rank_trace.h"

namespace ddtscope::reduce {

/// The name of a predefined type as it stands there; of a definition its key, because numbers differ between ranks.
std::string RankTrace::type_in_body(std::string_view type) const {
  if (type.starts_with('"') || type == "null") return std::string(type);
  const std::uint64_t definition = count_of(type);
  if (definition >= keys_.size()) throw NotReduced("its trace was edited");
  return key_mark + key_text(keys_[definition]);
}

/// Where a line has none: null, and empty texts.
void RankTrace::append_argument(std::string& body, std::string_view line) const {
  const std::string_view type = member_of(line, "type");
  append_text(body, type.empty() ? std::string("null") : type_in_body(type));
  for (const char* member : {"elements", "called", "binding", "argument"}) append_text(body, member_of(line, member));
}

void RankTrace::take_uses(std::string_view line) {
  const auto [type_value, called, binding, argument, counts] =
      members_of(line, std::array{"type", "called", "binding", "argument", "counts"});
  const std::string type = type_in_body(type_value);
  for (JsonWalk walk(counts); walk.next();) {
    JsonWalk numbers(walk.value());
    std::string body;
    append_text(body, type);
    for (const std::string_view value : {called, binding, argument}) append_text(body, value);
    append_number(body, site_of(numbers.next() ? numbers.value() : std::string_view()));
    Record& record = add_by_body(RecordKind::uses, std::move(body), uses_++);
    Part& part = record.parts.emplace_back();
    part.what = part_self;
    trace::UseCounts one{};
    for (std::uint64_t* const count : {&one.calls, &one.elements, &one.smallest, &one.largest}) {
      *count = numbers.next() ? count_of(numbers.value()) : 0;
    }
    if (numbers.next()) {
      if (numbers.value() != "null") one.received = count_of(numbers.value());
      for (std::uint64_t* const count : {&one.sent_calls, &one.sent_elements}) {
        *count = numbers.next() ? count_of(numbers.value()) : 0;
      }
    }
    set_uses(part, one);
    part.ranks.add(Rank{{}, rank_});
  }
}

}  // namespace ddtscope::reduce
