// Where the program itself stopped the recording for a time, by MPI_Pcontrol; and call sites that nobody wanted.
#include <ostream>
#include <set>
#include <string>

#include "reporters/model/uses.h"
#include "reporters/text/report.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

enum class State : std::uint8_t { off, on };
bool is_of(const RecordingSwitch& one, std::string_view part, State state) {
  return one.of == part && one.is_off == (state == State::off);
}

/// "MPI_Pcontrol(0) in setup (x.c:12), 3 times on ranks 0-3", for each, with "or" between them.
std::string places(const TextContext& context, std::string_view part, State state) {
  std::string list;
  for (const RecordingSwitch& one : context.job.switches) {
    if (!is_of(one, part, state)) continue;
    list += (list.empty() ? "" : " or ") + printable(one.called) + "(" + std::to_string(one.level) + ")" +
            (one.site ? " in " + place_of(context.job, one.site, context.symbols) : "") +
            (one.count == 1 ? "" : ", " + grouped(one.count) + " times") +
            (one.ranks.empty() ? "" : " on " + words_of(one.ranks));
  }
  return list;
}

std::uint64_t number(const Job& job, std::string_view part, State state) {
  std::uint64_t sum = 0;
  for (const RecordingSwitch& one : job.switches) {
    if (is_of(one, part, state)) sum += one.count;
  }
  return sum;
}

}  // namespace

void report_switches(std::ostream& out, const TextContext& context) {
  if (is_switched_off(context.job, "DDTSCOPE_STACK")) {
    out << "\n" << context.style(Role::warning, "Not recorded") << ": call sites; DDTSCOPE_STACK was 0.\n";
  }
  std::set<std::string_view> parts;
  for (const RecordingSwitch& one : context.job.switches) {
    if (one.is_off) parts.insert(one.of);
  }
  for (const std::string_view part : parts) {
    const std::string until = places(context, part, State::on);
    const bool to_the_end = number(context.job, part, State::off) > number(context.job, part, State::on);
    std::string end = until;
    if (to_the_end) end += until.empty() ? "the end of the job" : " or the end of the job";
    out << "\n"
        << context.style(Role::warning, "Not recorded") << ": " << printable(part) << " between "
        << places(context, part, State::off) << " and " << end << ".\n";
  }
}

}  // namespace ddtscope::reporters
