// The job's windows, and what one-sided calls did in them.
#include "reporters/text/report_windows.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reporters/model/window_uses.h"
#include "reporters/text/columns.h"
#include "reporters/text/message_words.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t most_windows = 100;

std::string epoch_in_words(const WindowPicture& picture) {
  const std::string number = grouped(picture.epoch);
  switch (picture.mode) {
    case EpochMode::fence:
      return "after MPI_Win_fence number " + number;
    case EpochMode::start:
      return "in epoch " + number + " of MPI_Win_post and MPI_Win_start";
    case EpochMode::passive:
    case EpochMode::post:
      break;
  }
  return "in period " + number + " between each rank's lock, flushes and unlock";
}

void print_window(std::ostream& out, const TextContext& context, const WindowUses& window,
                  std::optional<std::uint64_t> epoch) {
  const Job& job = context.job;
  const JobWindow& first = job.windows[window.parts.front().value];
  out << context.style(Role::heading, window_id(window.number) + printable(named_window(window.labels)) + "  " +
                                          printable(first.called))
      << " in " << place_of(job, first.site, context.symbols) << ": " << bytes_in_words(window.bytes) << " in "
      << counted(window.number_of_calls, "call", "calls") << "\n";
  for (std::size_t i = 0; i < std::min(most_listed, window.parts.size()); ++i) {
    out << "  " << memory_in_words(job.windows[window.parts[i].value]) << "\n";
  }
  if (window.parts.size() > most_listed) {
    out << "  ... and " << grouped(std::uint64_t{window.parts.size() - most_listed}) << " more\n";
  }
  if (window.calls.empty()) {
    out << "  no one-sided call reached it\n";
    return;
  }
  std::vector<std::array<std::string, 5>> lines{{"  called", "calls", "bytes", "type at the target", "by ranks"}};
  for (const WindowCalls& calls : window.calls) {
    lines.push_back({"  " + printable(calls.called), grouped(calls.calls), bytes_in_words(calls.bytes),
                     type_in_words(job, calls.type), text_of(calls.origins)});
  }
  print_table<5>(out, context.style, lines, {Align::left, Align::right, Align::right, Align::left, Align::none});
  const WorldNumber world = first.ranks.empty() ? WorldNumber{} : first.ranks.ranges().front().world;
  const auto picture = picture_of_window(job, first.name, world, epoch, cells_of_picture);
  if (picture) {
    print_window_picture(out, context, *picture);
  } else if (epoch) {
    out << "  nothing is touched in its epoch " << grouped(*epoch) << ", as far as the trace tells\n";
  }
}

}  // namespace

std::string memory_in_words(const JobWindow& part) {
  const std::string ranks = text_of(part.ranks);
  const bool is_one = ranks.find_first_of("-,") == std::string::npos;
  const std::string whose = (is_one ? "rank " : "ranks ") + ranks;
  if (!part.size || !part.displacement_unit) return whose + ": memory that is attached";
  return whose + ": " + bytes_in_words(Exact(*part.size)) + (is_one ? "" : " each") + " in units of " +
         bytes_in_words(Exact(*part.displacement_unit));
}

void print_window_picture(std::ostream& out, const TextContext& context, const WindowPicture& picture) {
  const Job& job = context.job;
  out << "  " << epoch_in_words(picture) << ", a place for " << bytes_in_words(Exact(picture.bytes_of_cell))
      << (picture.has_conflict ? "; ! is where calls conflict" : "") << ":\n";
  std::size_t widest = 0;
  for (const DrawnMemory& memory : picture.memories) widest = std::max(widest, text_of(memory.rank).size());
  for (const DrawnMemory& memory : picture.memories) {
    const std::string rank = text_of(memory.rank);
    out << "    rank " << std::string(widest - rank.size(), ' ') << rank << " [";
    for (std::size_t at = 0; at < memory.cells.size();) {
      const bool is_conflict = memory.cells[at] == WindowPicture::conflict;
      const bool is_hole = memory.cells[at] == WindowPicture::untouched;
      std::size_t end = at;
      while (end < memory.cells.size() && (memory.cells[end] == WindowPicture::conflict) == is_conflict &&
             (memory.cells[end] == WindowPicture::untouched) == is_hole) {
        ++end;
      }
      out << context.style(is_conflict ? Role::warning
                           : is_hole   ? Role::hole
                                       : Role::data,
                           memory.cells.substr(at, end - at));
      at = end;
    }
    out << "] bytes " << grouped(Exact(memory.begin)) << " to " << grouped(Exact(memory.end) - Exact(1)) << "\n";
  }
  if (picture.left_out != 0) out << "    ... and " << counted(picture.left_out, "more rank", "more ranks") << "\n";
  for (const DrawnCalls& calls : picture.calls) {
    const std::string ranks = text_of(calls.origins);
    out << "    " << calls.letter << " " << printable(calls.called) << " " << grouped(calls.elements) << " x "
        << type_in_words(job, calls.type)
        << (ranks.find_first_of("-,") == std::string::npos ? " by rank " : " by ranks ") << ranks << " in "
        << place_of(job, calls.site, context.symbols) << "\n";
  }
  const auto has = [&](char cell) {
    return std::any_of(picture.memories.begin(), picture.memories.end(),
                       [&](const DrawnMemory& memory) { return memory.cells.find(cell) != std::string::npos; });
  };
  if (has(WindowPicture::several)) out << "    * several of these, none in conflict\n";
  if (picture.is_rough) out << "    calls of very many blocks are drawn from the first to the last, or left out\n";
}

void report_windows(std::ostream& out, const TextContext& context, const UsesQuery& query) {
  const Job& job = context.job;
  if (!messages_are_recorded(job)) {
    out << "No windows were recorded: " << why_no_messages(job) << ".\n";
    return;
  }
  const std::vector<WindowUses> all = selected_windows(job, query, context.symbols);
  if (all.empty()) {
    out << (query.filter.empty() ? "The program made no window, as far as the trace tells.\n"
                                 : "No one-sided call is of a type, function, argument or call site \"" +
                                       printable(query.filter) + "\".\n");
    return;
  }
  for (std::size_t i = 0; i < std::min(most_windows, all.size()); ++i) {
    if (i != 0) out << "\n";
    print_window(out, context, all[i], query.epoch);
  }
  if (all.size() > most_windows) {
    out << "\n... and " << grouped(std::uint64_t{all.size() - most_windows})
        << " more: `ddtscope uses --by window --csv` lists all\n";
  }
}

}  // namespace ddtscope::reporters
