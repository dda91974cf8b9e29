// What a rank sent and received, as records.
#include "reporters/trace/reduce/json_text.h"
#include "reporters/trace/reduce/rank_trace.h"

namespace ddtscope::reduce {

Hash RankTrace::hash_in(const std::vector<Hash>& known, std::string_view number) {
  const std::uint64_t place = count_of(number);
  if (place >= known.size()) throw NotReduced("its trace was edited");
  return known[place];
}

void RankTrace::take_operation(std::string_view line) {
  std::string body;
  append_argument(body, line);
  append_number(body, site_of(member_of(line, "site")));
  operations_.push_back(add_by_body(RecordKind::operation, std::move(body), operations_.size()).key);
}

/// Operations, which are among the `known`, by their hashes, because numbers differ between ranks: how many elements,
/// and each, a loop as how often and what is in it.
void RankTrace::append_folded(std::string& body, const std::vector<Hash>& known, std::string_view folded) {
  std::uint64_t elements = 0;
  std::string text;
  for (JsonWalk walk(folded); walk.next(); ++elements) {
    if (!walk.value().starts_with('[')) {
      append_number(text, 0);
      append_number(text, hash_in(known, walk.value()));
      continue;
    }
    JsonWalk loop(walk.value());
    append_number(text, loop.next() ? count_of(loop.value()) : 0);
    append_folded(text, known, loop.next() ? loop.value() : std::string_view("[]"));
  }
  append_number(body, elements);
  body += text;
}

void RankTrace::take_sequence(std::string_view line) {
  const std::string_view of = member_of(line, "of");
  const bool is_of_windows = of == R"("window_events")";
  const auto& known = of.empty() ? operations_ : is_of_windows ? window_events_ : collective_operations_;
  const RecordKind kind = of.empty()      ? RecordKind::sequence
                          : is_of_windows ? RecordKind::window_sequence
                                          : RecordKind::collective_sequence;
  std::string body;
  append_folded(body, known, member_of(line, "operations"));
  sequences_.push_back(add_by_body(kind, std::move(body), sequences_.size()).key);
}

void RankTrace::append_sequence_of_communicator(std::string& body, std::string_view line) const {
  append_number(body, static_cast<std::uint64_t>(rank_));
  const std::string_view communicator = member_of(line, "communicator");
  const bool is_predefined = communicator.starts_with('"');
  append_number(body, is_predefined ? 0 : hash_in(communicator_hashes_, communicator));
  append_text(body, is_predefined ? communicator : std::string_view());
  append_number(body, hash_in(sequences_, member_of(line, "sequence")));
  append_text(body, member_of(line, "undecided"));
}

void RankTrace::take_channels(std::string_view line) {
  std::string body;
  append_sequence_of_communicator(body, line);
  for (const char* member : {"direction", "partitioned", "unordered", "channels"}) {
    append_text(body, member_of(line, member));
  }
  add_by_body(RecordKind::channels, std::move(body), channels_++);
}

/// How many runs there are, and each; or none, and the word that stands in their place.
void RankTrace::append_side(std::string& body, std::string_view side) const {
  if (!side.starts_with('[')) {
    append_number(body, 0);
    append_text(body, side);
    return;
  }
  std::uint64_t runs = 0;
  std::string text;
  for (JsonWalk walk(side); walk.next(); ++runs) {
    JsonWalk run(walk.value());
    append_number(text, run.next() ? count_of(run.value()) : 0);
    append_text(text, run.next() ? type_in_body(run.value()) : std::string());
    append_number(text, run.next() ? count_of(run.value()) : 0);
  }
  append_number(body, runs + 1);
  body += text;
}

void RankTrace::take_collective(std::string_view line) {
  std::string body;
  for (const char* member : {"called", "binding", "root", "op"}) append_text(body, member_of(line, member));
  append_number(body, site_of(member_of(line, "site")));
  append_side(body, member_of(line, "send"));
  append_side(body, member_of(line, "receive"));
  collective_operations_.push_back(
      add_by_body(RecordKind::collective, std::move(body), collective_operations_.size()).key);
}

void RankTrace::take_collectives(std::string_view line) {
  std::string body;
  append_sequence_of_communicator(body, line);
  append_text(body, member_of(line, "neighbours"));
  add_by_body(RecordKind::collectives, std::move(body), collectives_++);
}

void RankTrace::take_messages(std::string_view line) {
  const std::string_view left_out = member_of(line, "left_out");
  Record& record = add(RecordKind::messages, hash_of(left_out), 0);
  record.body = left_out;
  add_count(record, 1);
}

}  // namespace ddtscope::reduce
