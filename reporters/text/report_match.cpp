// Whether two types match, for people.
#include "reporters/report/type_match.h"
#include "reporters/text/report.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

std::string party_text(const MatchParty& party, Exact entries) {
  const LayoutFacts& facts = party.job->layouts.facts(party.job->type(party.type).definition);
  return counted(Exact(party.count), "copy of ", "copies of ") + printable(text_of(party)) + ": " +
         counted(entries, "entry", "entries") + ", " + counted(Exact(party.count) * facts.size, "byte", "bytes");
}

struct Place {
  const MatchParty& party;
  std::optional<PredefinedId> type;
  Exact displacement;
  EntryOfCopy at;
};

std::string place_text(const Place& place) {
  if (!place.type) return "nothing: it has ended";
  return printable(basic_at(place.party, place.type)) + " at byte " + grouped(place.displacement) +
         (place.party.count > 1 ? " (entry " + grouped(place.at.entry) + " of copy " + grouped(place.at.copy) + ")"
                                : "");
}

std::string what_is_fine(const Match& match) {
  switch (match.result) {
    case MatchResult::receive_longer:
      return "the message is the beginning of what can be received (MPI-4.1 3.2.4).";
    case MatchResult::packed:
      return "MPI_PACKED matches any type (MPI-4.1 5.2), and there is room.";
    default:
      return "the same basic types in the same order (MPI-4.1 3.3.1).";
  }
}

std::string what_is_wrong(const TypeMatch& match) {
  if (match.grade == MatchGrade::same_bytes) {
    return "erroneous by MPI-4.1 3.3.1, though the same bytes arrive between machines like this one.";
  }
  return match.is_truncated ? "the message is longer than the receive: it is truncated."
                            : "the basic types differ (MPI-4.1 3.3.1).";
}

}  // namespace

void report_match(std::ostream& out, const Style& style, const TypeMatch& match) {
  out << "sent      " << party_text(match.send, match.match.send_entries) << "\n"
      << "received  " << party_text(match.receive, match.match.receive_entries) << "\n";
  switch (match.grade) {
    case MatchGrade::fine:
      out << style(Role::heading, "They match") << ": " << what_is_fine(match.match) << "\n";
      return;
    case MatchGrade::undecided:
      out << style(Role::warning, "Undecided") << ": their lengths do not fit 128 bits.\n";
      return;
    case MatchGrade::same_bytes:
    case MatchGrade::wrong:
      break;
  }
  out << style(Role::warning, "They do not match") << ": " << what_is_wrong(match) << "\n";
  const MatchDifference& difference = *match.match.difference;
  out << "Entry " << grouped(difference.entry) << " is the first that differs: sent is "
      << place_text({match.send, difference.send, difference.send_displacement, match.sent_at}) << ", received "
      << place_text({match.receive, difference.receive, difference.receive_displacement, match.received_at}) << ".\n";
}

}  // namespace ddtscope::reporters
