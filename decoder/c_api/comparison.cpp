// Fingerprints, matching, overlap.
#include "decoder/c_api/context.h"
#include "decoder/c_api/public_answer.h"
#include "decoder/coverage/overlap.h"
#include "decoder/equality/match.h"
#include "decoder/layout/path.h"

using namespace ddtscope;
using namespace ddtscope::c_api;

namespace {

Status put_fingerprint(const std::optional<Fingerprint>& from, ddtscope_fingerprint* to) {
  if (!from) return {DDTSCOPE_ERR_VALUE_TOO_LARGE, "a displacement, or the number of entries, does not fit 128 bits"};
  *to = {{from->words[0], from->words[1]}};
  return {};
}

int public_result(MatchResult result) {
  switch (result) {
    case MatchResult::equal:
      return DDTSCOPE_MATCH_EQUAL;
    case MatchResult::receive_longer:
      return DDTSCOPE_MATCH_RECEIVE_LONGER;
    case MatchResult::packed:
      return DDTSCOPE_MATCH_PACKED;
    case MatchResult::send_longer:
      return DDTSCOPE_MATCH_SEND_LONGER;
    case MatchResult::different_types:
      return DDTSCOPE_MATCH_DIFFERENT_TYPES;
    case MatchResult::bytes_and_types:
      return DDTSCOPE_MATCH_BYTES_AND_TYPES;
    case MatchResult::undecided:
      break;
  }
  return DDTSCOPE_MATCH_UNDECIDED;
}

/// Two messages, and how they match.
struct Messages {
  ddtscope_context::Asked send, receive;
  Match match;
};

struct MessageArguments {
  ddtscope_datatype send_type;
  std::int64_t send_count;
  ddtscope_datatype receive_type;
  std::int64_t receive_count;
  int rule;
};

Status match_messages(ddtscope_context& c, const MessageArguments& arguments, Messages& messages) {
  ddtscope_context::Asked& send = messages.send;
  ddtscope_context::Asked& receive = messages.receive;
  if (Status status = c.ask(arguments.send_type, arguments.rule, arguments.send_count, send); status.failed()) {
    return status;
  }
  if (Status status = c.ask(arguments.receive_type, arguments.rule, arguments.receive_count, receive);
      status.failed()) {
    return status;
  }
  messages.match = match({send.view->fingerprints, send.view->layouts, send.id, send.copies.count},
                         {receive.view->fingerprints, receive.view->layouts, receive.id, receive.copies.count});
  return {};
}

/// One of two messages, and what it has where they part.
struct Side {
  const char* verb;  // what becomes of it
  const ddtscope_context::Asked& asked;
  const std::optional<PredefinedId>& type;  // none where it ends before
  Exact displacement;
};

std::string text_of_side(ddtscope_context& c, const Side& message, Exact at) {
  const ddtscope_context::Asked& side = message.asked;
  std::string text = "What is ";
  text += message.verb;
  if (!message.type) return text + " ends before it.";
  const Exact entries = side.view->layouts.facts(side.id).entries;
  // In one copy of the type: the path is the same in all.
  const Exact copy(at.value() / entries.value());
  const Exact entry(at.value() % entries.value());
  text += " has " + c.store().predefined()[*message.type].name + " there, at byte " + message.displacement.to_string();
  const bool has_copies = side.copies.count != Exact(1);
  const std::vector<PathStep> way = path_to_entry(side.view->layouts, side.id, entry);
  // A predefined type is named already.
  if (way.empty()) return text + (has_copies ? ", in copy " + copy.to_string() : "") + ".";
  text += has_copies ? ": copy " + copy.to_string() + " of " : ": ";
  return text + c.text_of_way(side.id, way) + ".";
}

/// "1 entry is sent, 2 are received"
std::string text_of_entries(Exact send, Exact receive) {
  const auto verb = [](Exact entries) { return entries == Exact(1) ? " is " : " are "; };
  std::string text = !send.fits()       ? "more entries than 128 bits can count"
                     : send == Exact(1) ? "1 entry"
                                        : send.to_string() + " entries";
  text += std::string(verb(send)) + "sent, ";
  text += receive.fits() ? receive.to_string() : "more than 128 bits can count";
  return text + verb(receive) + "received";
}

std::string text_of_messages(ddtscope_context& c, const Messages& messages) {
  const Match& match = messages.match;
  std::string text = "Undecided: a length does not fit 128 bits";
  if (match.result != MatchResult::undecided) {
    text = (matches(match.result) ? "Allowed: " : "Not allowed: ") + std::string(text_of(match.result));
  }
  text += "; " + text_of_entries(match.send_entries, match.receive_entries) + ".";
  if (!match.difference) return text;
  const MatchDifference& difference = *match.difference;
  text += " They part at entry " + difference.entry.to_string() + ". ";
  const Side sent{"sent", messages.send, difference.send, difference.send_displacement};
  const Side received{"received", messages.receive, difference.receive, difference.receive_displacement};
  return text + text_of_side(c, sent, difference.entry) + " " + text_of_side(c, received, difference.entry);
}

}  // namespace

int ddtscope_layout_fingerprint(ddtscope_context* context, ddtscope_datatype datatype, int rule,
                                ddtscope_fingerprint* fingerprint) {
  return call(__func__, context, [&](ddtscope_context& c) {
    ddtscope_context::Asked asked;
    if (Status status = c.ask(datatype, rule, 1, asked); status.failed()) return status;
    if (Status status = require(fingerprint, "fingerprint"); status.failed()) return status;
    return put_fingerprint(asked.view->fingerprints.layout(asked.root), fingerprint);
  });
}

int ddtscope_signature_fingerprint(ddtscope_context* context, ddtscope_datatype datatype,
                                   ddtscope_fingerprint* fingerprint) {
  return call(__func__, context, [&](ddtscope_context& c) {
    ddtscope_context::Asked asked;
    if (Status status = c.ask(datatype, DDTSCOPE_RULE_STANDARD, 1, asked); status.failed()) return status;
    if (Status status = require(fingerprint, "fingerprint"); status.failed()) return status;
    return put_fingerprint(asked.view->fingerprints.signature(asked.root), fingerprint);
  });
}

int ddtscope_get_match(ddtscope_context* context, ddtscope_datatype send_type, int64_t send_count,
                       ddtscope_datatype receive_type, int64_t receive_count, int rule, ddtscope_match* match) {
  return call(__func__, context, [&](ddtscope_context& c) {
    Messages messages;
    if (Status status = match_messages(c, {send_type, send_count, receive_type, receive_count, rule}, messages);
        status.failed()) {
      return status;
    }
    if (Status status = require(match, "match"); status.failed()) return status;
    const Match& found = messages.match;
    *match = {};
    match->result = public_result(found.result);
    match->is_allowed = matches(found.result) ? 1 : 0;
    if (!found.difference) return Status();
    const MatchDifference& difference = *found.difference;
    match->has_difference = 1;
    match->entry = integer_of(difference.entry);
    if (difference.send) match->send_type = c.basic_name(*difference.send);
    if (difference.receive) match->receive_type = c.basic_name(*difference.receive);
    match->send_displacement = integer_of(difference.send_displacement);
    match->receive_displacement = integer_of(difference.receive_displacement);
    return Status();
  });
}

int ddtscope_match_text(ddtscope_context* context, ddtscope_datatype send_type, int64_t send_count,
                        ddtscope_datatype receive_type, int64_t receive_count, int rule, char* buffer, size_t size,
                        size_t* length) {
  return call(__func__, context, [&](ddtscope_context& c) {
    Messages messages;
    if (Status status = match_messages(c, {send_type, send_count, receive_type, receive_count, rule}, messages);
        status.failed()) {
      return status;
    }
    return put_text(text_of_messages(c, messages), {buffer, size, length});
  });
}

int ddtscope_get_overlap(ddtscope_context* context, ddtscope_datatype datatype, int rule, int64_t count,
                         ddtscope_overlap* overlap) {
  return call(__func__, context, [&](ddtscope_context& c) {
    ddtscope_context::Asked asked;
    if (Status status = c.ask(datatype, rule, count, asked); status.failed()) return status;
    if (Status status = require(overlap, "overlap"); status.failed()) return status;
    const Layouts& layouts = asked.view->layouts;
    const Exact extent = asked.copies.extent;
    *overlap = {};
    overlap->within = public_answer(overlap_within(layouts, asked.root));
    const OverlapOfCopies of_copies = find_overlap_of_copies(layouts, asked.root, extent);
    overlap->copies = public_answer(of_copies.answer);
    overlap->of_count = public_answer(overlap_of_count(layouts, asked.root, {asked.copies.count, extent}));
    if (overlap->copies != DDTSCOPE_YES) return Status();
    const FirstOverlap nearest =
        of_copies.first ? *of_copies.first : first_overlapping_copy(layouts, asked.root, extent);
    if (nearest.answer == Overlap::yes) overlap->nearest_copies = integer_of(nearest.copy);
    return Status();
  });
}
