// The first page: what a job did with datatypes.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "decoder/base/joined.h"
#include "decoder/bounds/library_versions.h"
#include "reporters/model/summary.h"
#include "reporters/model/uses.h"
#include "reporters/model/worlds.h"
#include "reporters/text/report.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t most_made_limit = 10;
constexpr std::size_t left_behind_limit = 10;
constexpr std::uint64_t worst_limit = 5;
constexpr std::size_t progress_limit = 8;
constexpr std::size_t worlds_limit = 10;
constexpr std::size_t programs_limit = 10;

/// Of all worlds.
std::uint64_t size_of(const Job& job) {
  std::uint64_t size = 0;
  for (const JobWorld& world : worlds_of(job)) {
    size += static_cast<std::uint64_t>(std::max<std::int64_t>(0, world.size.value_or(0)));
  }
  return size;
}

/// " of 3 worlds", where there are several.
std::string of_worlds(const Job& job) {
  const std::size_t worlds = worlds_of(job).size();
  return worlds < 2 ? "" : " of " + counted(static_cast<std::uint64_t>(worlds), "world", "worlds");
}

/// How far the ranks came that did not end.
void print_progress(std::ostream& out, const Job& job) {
  std::size_t printed = 0;
  for (const JobRank& rank : job.ranks) {
    if (rank.complete() || !rank.counters) {
      continue;
    }
    if (printed++ == progress_limit) {
      out << "         ... `ddtscope summary --json` lists all\n";
      return;
    }
    out << "         "
        << (rank.header.rank ? "rank " + text_of(*rank.header.rank)
                             : printable(rank.header.host) + " process " + std::to_string(rank.header.pid))
        << ": up to then " << counted(rank.counters->created + rank.counters->adopted, "type", "types") << " made, "
        << grouped(rank.counters->freed) << " freed\n";
  }
}

/// What runs in each world of a job that spawned some.
void print_worlds(std::ostream& out, const TextContext& context) {
  const std::vector<JobWorld> worlds = worlds_of(context.job);
  for (std::size_t i = 0; i < worlds.size(); ++i) {
    const JobWorld& world = worlds[i];
    out << (i == 0 ? "worlds   " : "         ");
    if (i == worlds_limit) {
      out << "... " << counted(static_cast<std::uint64_t>(worlds.size() - i), "more", "more")
          << ": `ddtscope summary --json` lists all\n";
      return;
    }
    std::vector<std::string> programs;
    for (const std::string& program : world.programs) {
      programs.push_back(printable(program));
    }
    const auto size = static_cast<std::uint64_t>(std::max<std::int64_t>(0, world.size.value_or(0)));
    out << world.number.value << ": " << counted(size, "rank", "ranks") << " of " << joined(programs, ", ")
        << (world.spawned_by ? ", spawned by world " + std::to_string(world.spawned_by->value) : "") << ", "
        << (world.complete ? "complete" : context.style(Role::warning, "incomplete")) << "\n";
  }
}

std::string command_of(const HeaderRecord& header) {
  std::string command = header.program;
  for (const std::string& argument : header.arguments) {
    command += " " + argument;
  }
  if (command.size() > 200) command.replace(200, std::string::npos, "...");
  return printable(command);
}

/// What the job runs, and which ranks run what where that is not the same for all of a world's.
void print_programs(std::ostream& out, const Job& job) {
  std::vector<std::pair<const HeaderRecord*, RankRanges>> commands;  // in order of ranks
  const auto is_less = [](const HeaderRecord* a, const HeaderRecord* b) {
    return std::tie(a->program, a->arguments) < std::tie(b->program, b->arguments);
  };
  std::map<const HeaderRecord*, std::size_t, decltype(is_less)> places(is_less);
  for (const JobRank& rank : job.ranks) {
    const HeaderRecord& header = rank.header;
    if (header.rank && header.world != job.header().world) {
      continue;  // said with its world
    }
    const auto [place, is_new] = places.try_emplace(&header, commands.size());
    if (is_new) {
      commands.push_back({&header, {}});
    }
    if (header.rank) {
      commands[place->second].second.add(*header.rank);
    }
  }
  for (std::size_t i = 0; i < commands.size(); ++i) {
    out << (i == 0 ? "program  " : "         ");
    if (i == programs_limit) {
      out << "... " << counted(static_cast<std::uint64_t>(commands.size() - i), "more", "more")
          << ": `ddtscope summary --json` lists all\n";
      return;
    }
    const auto& [header, ranks] = commands[i];
    out << command_of(*header) << (commands.size() > 1 && !ranks.empty() ? " (" + words_of(ranks) + ")" : "") << "\n";
  }
}

void print_job(std::ostream& out, const TextContext& context) {
  const Job& job = context.job;
  const HeaderRecord& header = job.header();
  std::set<std::string_view> hosts;
  for (const JobRank& rank : job.ranks) hosts.insert(rank.header.host);
  out << context.style(job.complete() ? Role::heading : Role::warning, "trace    " + completeness(job)) << "\n";
  print_progress(out, job);
  print_programs(out, job);
  out << "ranks    " << (header.size ? grouped(size_of(job)) : "unknown (MPI sessions)") << " on "
      << (hosts.size() == 1 ? printable(*hosts.begin())
                            : counted(static_cast<std::uint64_t>(hosts.size()), "host", "hosts"))
      << ", started " << printable(header.started) << "\n"
      << "library  " << printable(header.library_name)
      << (header.abi() == header.library_name ? "" : " behind " + printable(header.abi())) << ", MPI "
      << printable(header.library_standard) << ": " << printable(first_line_of_version(header.library_version)) << "\n";
  if (has_spawned_worlds(job)) {
    print_worlds(out, context);
  }
  for (const std::string& note : job.notes) {
    out << "note     " << printable(note) << "\n";
  }
}

/// In a list, where the id stands in a column of its own.
std::string name_and_call(const Job& job, TypeNumber number) {
  const std::string name = quoted_name(job, number);
  return (name.empty() ? "" : name + "  ") + call_of(job, number);
}

/// Whether some rank's counters tell of the type.
bool is_counted(const Job& job, TypeNumber type) {
  const InstancesTable::Range instances = job.instances.of(type);
  return std::any_of(instances.begin(), instances.end(),
                     [](const Instances& part) { return part.counters.has_value(); });
}

void print_most_made(std::ostream& out, const TextContext& context, const Summary& summary) {
  const Job& job = context.job;
  const std::size_t shown = std::min(most_made_limit, summary.most_made.size());
  bool has_made_for_another = false;
  out << "\n" << context.style(Role::heading, "Made most often") << "\n";
  for (std::size_t i = 0; i < shown; ++i) {
    const JobType& type = job.type(summary.most_made[i]);
    const Counters total = job.instances.total(type.number);
    const std::optional<FrameIndex> site = busiest_site(job, type.number);
    has_made_for_another = has_made_for_another || (site && is_made_for_another(job, *site));
    std::size_t sites = 0;
    for (const Instances& instances : job.instances.of(type.number)) {
      sites += instances.site ? 1 : 0;
    }
    out << "  " << padded_right(text_of(type.number), 6)
        << padded_left(is_counted(job, type.number) ? grouped(total.created + total.adopted) : "?", 10) << "  "
        << name_and_call(job, type.number) << "\n"
        << std::string(20, ' ') << context.style(Role::data, one_line_layout(job, type.number)) << "\n"
        << std::string(20, ' ') << "made in " << place_of(job, site, context.symbols)
        << (sites > 1
                ? " and at " + counted(static_cast<std::uint64_t>(sites - 1), "other call site", "other call sites")
                : "")
        << "\n";
  }
  if (shown < summary.most_made.size()) {
    out << "  ... and "
        << counted(static_cast<std::uint64_t>(summary.most_made.size() - shown), "more definition", "more definitions")
        << ": `ddtscope types` lists all\n";
  }
  out << std::string(20, ' ') << "# touched, . not, > and so on"
      << (has_made_for_another ? "; made in A for B: A made it, in B, which the program called" : "") << "\n";
}

/// "  error  buffers-overlap  T1 "column", called in main (halo.c:18), ranks 0-3"
void print_one_of_the_worst(std::ostream& out, const TextContext& context, const JobFinding& finding,
                            const SiteFrames& frames) {
  const TypeNumber number = context.job.number_of(finding.type);
  const std::string type = number.valid() ? id_and_name(context.job, number)
                           : finding.type ? printable(context.job.name_of(*finding.type))
                                          : printable(finding.called);
  out << "  " << context.style(Role::warning, padded_right(text_of(finding.severity), 9))
      << padded_right(finding.kind->id, 20) << " " << type << (type.empty() ? "" : ", ")
      << place_in_words(context, finding, frames) << (finding.ranks.empty() ? "" : ", " + words_of(finding.ranks))
      << "\n";
}

/// What is wrong comes before what was made.
void print_what_is_wrong(std::ostream& out, const TextContext& context) {
  JobFindings findings = JobFindings::of_summary(context.job, context.analysis, context.kept_sources);
  const FindingCounts& counts = findings.counts();
  std::vector<std::string> parts;
  if (counts.errors != 0) parts.push_back(counted(counts.errors, "error", "errors"));
  if (counts.warnings != 0) parts.push_back(counted(counts.warnings, "warning", "warnings"));
  if (!parts.empty()) {
    const SiteFrames frames(context.job);
    const auto print = [&](const JobFinding& finding) { print_one_of_the_worst(out, context, finding, frames); };
    out << "\n" << context.style(Role::warning, joined(parts, " and ")) << ": `ddtscope check` says what and why\n";
    findings.each(Severity::error, print, {.all = worst_limit});
    findings.each(Severity::warning, print, {.all = worst_limit - std::min(worst_limit, counts.errors)});
    const std::uint64_t more = counts.errors + counts.warnings;
    if (more > worst_limit) out << "  ... and " << grouped(more - worst_limit) << " more\n";
  } else if (findings.has_types() && !context.job.types.empty()) {
    out << "\nNo errors and no warnings";
    if (counts.notes != 0) {
      out << "; " << counted(counts.notes, "note", "notes") << ": `ddtscope check` has "
          << (counts.notes == 1 ? "it" : "them");
    }
    out << ".\n";
  }
  if (buffers_are_recorded(context.job) && context.kept_sources == nullptr) {
    out << "\nThe program's buffers and structs were not looked at: `ddtscope check` does.\n";
  }
  if (!findings.has_types()) {
    out << "\nThe definitions are too many to look at each of them here: `ddtscope check` does.\n";
  }
}

void print_list(std::ostream& out, const TextContext& context, const std::string& heading,
                const std::vector<LeftBehind>& list) {
  const SiteFrames frames(context.job);
  std::uint64_t lives = 0;
  for (const LeftBehind& left : list) {
    lives += static_cast<std::uint64_t>(left.lives);
  }
  out << "\n"
      << context.style(Role::warning, heading) << ": " << counted(lives, "instance", "instances") << " of "
      << counted(static_cast<std::uint64_t>(list.size()), "definition", "definitions") << "\n";
  for (std::size_t i = 0; i < std::min(left_behind_limit, list.size()); ++i) {
    out << "  " << padded_right(text_of(list[i].type), 6)
        << padded_left(grouped(static_cast<std::uint64_t>(list[i].lives)), 10) << "  "
        << name_and_call(context.job, list[i].type) << ", made in "
        << telling_place_of(context.job, list[i].site, frames, context.symbols) << "\n";
  }
  if (list.size() > left_behind_limit) {
    out << "  ... and "
        << counted(static_cast<std::uint64_t>(list.size() - left_behind_limit), "more definition", "more definitions")
        << "\n";
  }
}

void print_failed_calls(std::ostream& out, const TextContext& context) {
  const std::vector<FailedCalls>& all = context.job.failed_calls;
  std::uint64_t calls = 0;
  for (const FailedCalls& failed : all) {
    calls += failed.count;
  }
  out << "\n"
      << context.style(Role::warning, "Failed calls") << ": " << counted(calls, "call", "calls")
      << " returned an error\n";
  for (std::size_t i = 0; i < std::min(left_behind_limit, all.size()); ++i) {
    const FailedCalls& failed = all[i];
    out << "  " << padded_left(grouped(failed.count), 10) << "  " << printable(failed.called) << ": "
        << (failed.error_class.empty() ? "an error class of the program's own" : printable(failed.error_class))
        << (failed.ranks.empty() ? "" : " (" + words_of(failed.ranks) + ")") << ", in "
        << place_of(context.job, failed.site, context.symbols) << "\n";
  }
  if (all.size() > left_behind_limit) {
    out << "  ... and "
        << counted(static_cast<std::uint64_t>(all.size() - left_behind_limit), "more place", "more places")
        << ": `ddtscope summary --json` lists all\n";
  }
}

}  // namespace

std::string completeness(const Job& job) {
  const auto count = static_cast<std::uint64_t>(job.ranks.size());
  if (job.complete()) {
    const bool no_ranks = !job.ranks.front().header.rank;
    return "complete: " +
           (count == 1 ? std::string(no_ranks ? "the process" : "the only rank")
                       : "all " + grouped(count) + (no_ranks ? " processes" : " ranks") + of_worlds(job)) +
           (no_ranks ? " ended in MPI_Session_finalize" : " ended in MPI_Finalize");
  }
  std::map<std::string, std::pair<RankRanges, std::size_t>> ends;
  for (const JobRank& rank : job.ranks) {
    const std::string how = rank.stopped      ? "took no more definitions, because " + printable(*rank.stopped)
                            : rank.complete() ? "ended in MPI_Finalize"
                            : rank.end        ? "ended by " + printable(rank.end->reason)
                            // Only where it has counters is it known that it had room for its end.
                            : !rank.counters     ? "wrote no end (still running, killed, or the disk was full)"
                            : rank.last_line_cut ? "did not end MPI (still running, or killed while writing)"
                                                 : "did not end MPI (still running, or killed)";
    auto& [ranks, processes] = ends[how];
    ++processes;
    if (rank.header.rank) {
      ranks.add(*rank.header.rank);
    }
  }
  if (!job.missing_ranks.empty()) {
    auto& [ranks, processes] = ends["left nothing to read"];
    for (const Rank rank : job.missing_ranks) {
      ranks.add(rank);
      ++processes;
    }
  }
  std::vector<std::string> parts;
  for (const auto& [how, who] : ends) {
    parts.push_back((who.first.empty() ? counted(static_cast<std::uint64_t>(who.second), "process", "processes")
                                       : words_of(who.first)) +
                    " " + how);
  }
  return "incomplete: " + joined(parts, "; ");
}

void report_left_behind(std::ostream& out, const TextContext& context) {
  const Summary summary = summarise(context.job);
  if (!summary.never_freed.empty()) {
    print_list(out, context, context.job.complete() ? "Never freed" : "Live now", summary.never_freed);
  }
  std::vector<LeftBehind> uncommitted;
  std::vector<std::string> parts;
  for (const LeftBehind& left : summary.never_committed) {
    if (left.part_of_another) {
      parts.push_back(id_and_name(context.job, left.type));
    } else {
      uncommitted.push_back(left);
    }
  }
  if (!uncommitted.empty()) {
    print_list(out, context, "Never committed", uncommitted);
  }
  if (!parts.empty()) {
    const std::size_t count = parts.size();
    parts.resize(std::min<std::size_t>(count, 20));
    out << "\nNever committed, but used as parts of other types: " << joined(parts, ", ")
        << (count > parts.size() ? " and " + grouped(static_cast<std::uint64_t>(count - parts.size())) + " more" : "")
        << "\n";
  }
  if (!context.job.failed_calls.empty()) {
    print_failed_calls(out, context);
  }
  report_switches(out, context);
  report_unrecorded(out, context);
}

namespace {

template <class IsTold>
void report_unrecorded_if(std::ostream& out, const TextContext& context, const IsTold& is_told) {
  const char* heading = "Not recorded";
  for (const Unrecorded& unrecorded : context.job.unrecorded) {
    if (!is_told(unrecorded)) continue;
    if (heading != nullptr) out << "\n" << context.style(Role::warning, std::exchange(heading, nullptr)) << "\n";
    out << "  " << padded_left(grouped(unrecorded.count), 10) << "  " << printable(unrecorded.called) << ": "
        << printable(unrecorded.why) << (unrecorded.ranks.empty() ? "" : " (" + words_of(unrecorded.ranks) + ")")
        << (unrecorded.site ? ", in " + place_of(context.job, unrecorded.site, context.symbols) : "") << "\n";
  }
}

}  // namespace

void report_unrecorded(std::ostream& out, const TextContext& context) {
  report_unrecorded_if(out, context, [](const Unrecorded&) { return true; });
}

void report_unrecorded_uses(std::ostream& out, const TextContext& context) {
  report_unrecorded_if(out, context, is_of_uses);
}

void report_summary(std::ostream& out, const TextContext& context) {
  const Job& job = context.job;
  const Summary summary = summarise(job);
  print_job(out, context);
  out << "\n";
  if (job.types.empty()) {
    out << context.style(Role::heading, job.complete() ? "The program made no derived datatype."
                                                       : "No derived datatype was made as far as the trace tells.")
        << "\n";
  } else {
    const std::string definitions =
        counted(static_cast<std::uint64_t>(job.types.size()), "distinct definition", "distinct definitions");
    const std::string sites = counted(static_cast<std::uint64_t>(summary.call_sites), "call site", "call sites");
    const std::string made =
        counted(summary.total.created + summary.total.adopted, "derived datatype", "derived datatypes");
    if (!summary.counted && summary.total.created + summary.total.adopted == 0) {
      out << "Derived datatypes of " << context.style(Role::heading, definitions) << " were made at " << sites
          << "; how many is not known, because a process writes its counters when it ends MPI.\n";
    } else {
      if (!summary.counted) {
        out << "Some ranks have not written their counters, so the numbers below are what the others counted.\n";
      }
      out << context.style(Role::heading, made) << (summary.counted ? " made" : " counted") << " of "
          << context.style(Role::heading, definitions) << " at " << sites << "; " << grouped(summary.total.committed)
          << " committed, " << grouped(summary.total.freed) << " freed, "
          << grouped(static_cast<std::uint64_t>(std::max<std::int64_t>(0, summary.live))) << " live at the end\n";
    }
    if (summary.without_callers != 0) {
      out << grouped(summary.without_callers)
          << " of them at call sites that are recorded without their callers, or not at all (DDTSCOPE_MAX_MEMORY)\n";
    }
  }
  print_what_is_wrong(out, context);
  if (!job.types.empty()) print_most_made(out, context, summary);
  report_moved_types(out, context);
  report_number_of_files(out, context);
  out << "\n";
  report_messages(out, context);
  report_left_behind(out, context);
  const std::size_t unexplained = context.analysis.differences().unexplained.size();
  if (unexplained != 0) {
    out << "\n"
        << context.style(Role::warning, counted(static_cast<std::uint64_t>(unexplained), "difference", "differences"))
        << " between ddtscope and the library: `ddtscope check` lists them\n";
  }
}

}  // namespace ddtscope::reporters
