// What changed from one job to another, for people.
#include <algorithm>
#include <filesystem>

#include "reporters/diff/job_diff.h"
#include "reporters/model/finding_words.h"
#include "reporters/model/uses.h"
#include "reporters/text/report.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t items_limit = 30;  // of a kind

void print_job(std::ostream& out, const char* which, const ReportContext& context) {
  const Job& job = context.job;
  const HeaderRecord& header = job.header();
  const Summary summary = summarise(job);
  out << which << printable(std::filesystem::path(header.program).filename().string()) << ", "
      << counted(static_cast<std::uint64_t>(job.ranks.size()), "process", "processes") << ", "
      << printable(header.library_name) << ": "
      << counted(summary.total.created + summary.total.adopted, "datatype", "datatypes") << " of "
      << counted(static_cast<std::uint64_t>(job.types.size()), "definition", "definitions") << ", "
      << grouped(static_cast<std::uint64_t>(std::max<std::int64_t>(0, summary.live))) << " live at the end\n";
}

/// Of jobs that stopped early, or of different programs, a difference may mean nothing.
void print_doubts(std::ostream& out, const Style& style, const DiffInput& input) {
  const auto warn = [&](const std::string& text) { out << style(Role::warning, text) << "\n"; };
  if (!input.before.job.complete()) warn("The old trace is " + completeness(input.before.job) + ".");
  if (!input.after.job.complete()) warn("The new trace is " + completeness(input.after.job) + ".");
  const auto name = [](const ReportContext& context) {
    return std::filesystem::path(context.job.header().program).filename().string();
  };
  if (name(input.before) != name(input.after)) {
    warn("These are different programs: what is joined may be alike by chance.");
  }
}

void print_joined(std::ostream& out, const Joined& joined) {
  out << "joined   " << counted(joined.same, "definition is", "definitions are") << " the same; "
      << grouped(joined.by_site) << " joined by call site, " << grouped(joined.by_layout) << " by layout; "
      << grouped(joined.only_old) << " only old, " << grouped(joined.only_new) << " only new\n";
}

std::string described(const ReportContext& context, const MadeThere& made) {
  return id_and_name(context.job, made.type) + "  " + call_of(context.job, made.type);
}

std::string place_of_made(const ReportContext& context, const MadeThere& made) {
  return "made in " + place_of(context.job, made.site, context.symbols);
}

void print_change(std::ostream& out, const DiffInput& input, const Change& change) {
  const auto& [kind, before, after] = change;
  if (!before || !after) {
    const ReportContext& context = before ? input.before : input.after;
    const MadeThere& made = before ? *before : *after;
    out << (before ? "  - " : "  + ") << described(context, made) << ", " << times(made.made()) << "\n"
        << "    " << place_of_made(context, made) << "\n";
  } else if (kind == ChangeKind::count) {
    out << "  " << described(input.after, *after) << ": " << grouped(before->made()) << " -> " << grouped(after->made())
        << "\n    " << place_of_made(input.after, *after) << "\n";
  } else if (kind == ChangeKind::moved) {
    out << "  " << described(input.after, *after) << "\n  - " << place_of_made(input.before, *before) << "\n  + "
        << place_of_made(input.after, *after) << "\n";
  } else {
    out << "  - " << described(input.before, *before) << "\n  + " << described(input.after, *after) << "\n    "
        << place_of_made(input.after, *after) << "\n";
  }
}

std::string heading_of(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::arguments:
      return "Made with other arguments";
    case ChangeKind::construction:
      return "Made by another call, the same in memory";
    case ChangeKind::moved:
      return "Made in another place";
    case ChangeKind::added:
      return "Only in the new job";
    case ChangeKind::removed:
      return "Only in the old job";
    case ChangeKind::count:
      return "Made more or less often";
  }
  return "";
}

/// `count` items by `print(i)`, under a heading; nothing where there is none.
template <class Print>
void print_items(std::ostream& out, const std::string& heading, std::size_t count, Print print) {
  if (count == 0) return;
  out << "\n" << heading << ": " << grouped(static_cast<std::uint64_t>(count)) << "\n";
  for (std::size_t i = 0; i < std::min(count, items_limit); ++i) print(i);
  if (count > items_limit) {
    out << "  ... and " << grouped(static_cast<std::uint64_t>(count - items_limit))
        << " more: `ddtscope diff --json` lists all\n";
  }
}

/// A made type with its call, one of the library's, or the function.
std::string subject_of(const Job& job, const JobFinding& finding) {
  const TypeNumber number = job.number_of(finding.type);
  if (number.valid()) return id_and_name(job, number) + "  " + call_of(job, number);
  return printable(finding.type ? job.name_of(*finding.type) : finding.called);
}

void print_findings(std::ostream& out, const Style& style, const DiffInput& input, const JobDiff& diff) {
  const auto first_gone = std::find_if(diff.findings.begin(), diff.findings.end(),
                                       [](const FindingChange& change) { return !change.is_new(); });
  const auto added = static_cast<std::size_t>(first_gone - diff.findings.begin());
  const auto print = [&](std::size_t i) {
    const FindingChange& change = diff.findings[i];
    const ReportContext& context = change.is_new() ? input.after : input.before;
    const JobFinding& finding = change.finding;
    out << "  " << style(is_alarming(finding.severity) ? Role::warning : Role::data, text_of(finding.severity)) << " "
        << finding.kind->id << ": " << subject_of(context.job, finding) << "\n    " << printable(finding.message)
        << "\n    " << (is_of_call(finding) ? "called in " : "made in ")
        << place_of(context.job, finding.site(), context.symbols) << "\n";
  };
  print_items(out, style(Role::heading, "New findings"), added, print);
  print_items(out, style(Role::heading, "Findings that are gone"), diff.findings.size() - added,
              [&](std::size_t i) { print(added + i); });
}

void print_leaks(std::ostream& out, const Style& style, const DiffInput& input, const JobDiff& diff) {
  print_items(out, style(Role::heading, "Lives left at the end"), diff.leaks.size(), [&](std::size_t i) {
    const LeakChange& leak = diff.leaks[i];
    const ReportContext& context = leak.after ? input.after : input.before;
    const MadeThere& made = leak.after ? *leak.after : *leak.before;
    const std::string change = grouped(Exact(leak.before ? leak.before->live : 0)) + " -> " +
                               grouped(Exact(leak.after ? leak.after->live : 0));
    out << "  " << described(context, made) << ": " << style(leak.is_new() ? Role::warning : Role::data, change)
        << "\n    " << place_of_made(context, made) << "\n";
  });
}

/// "100 -> 200 calls", or "200 calls" where both have as many.
std::string change_of(Exact before, Exact after, const std::string& what) {
  const std::string from = grouped_or_undefined(before), to = grouped_or_undefined(after);
  return (from == to ? to : from + " -> " + to) + " " + what + (after == Exact(1) ? "" : "s");
}

void print_uses(std::ostream& out, const Style& style, const DiffInput& input, const JobDiff& diff) {
  print_items(out, style(Role::heading, "Used more or less often, or with other amounts"), diff.uses.size(),
              [&](std::size_t i) {
                const auto& [before, after] = diff.uses[i];
                const ReportContext& context = after ? input.after : input.before;
                const UsedThere& used = after ? *after : *before;
                const TypeNumber number = context.job.number_of(used.type);
                const auto calls = [](const auto& side) { return Exact(Int128{side ? side->calls : 0}); };
                const auto bytes = [](const auto& side) { return side ? side->bytes : Exact(0); };
                out << (before ? after ? "  " : "  - " : "  + ") << printable(used.called) << " "
                    << trace::name_of(used.parameter) << " "
                    << (number.valid() ? id_and_name(context.job, number) + "  " + call_of(context.job, number)
                                       : printable(context.job.name_of(used.type)))
                    << ": " << change_of(calls(before), calls(after), "call") << ", "
                    << change_of(bytes(before), bytes(after), "byte") << "\n    "
                    << place_of(context.job, used.site, context.symbols) << "\n";
              });
}

}  // namespace

void report_diff(std::ostream& out, const Style& style, const DiffInput& input, const JobDiff& diff) {
  print_doubts(out, style, input);
  print_job(out, "old      ", input.before);
  print_job(out, "new      ", input.after);
  print_joined(out, diff.joined);
  if (!diff.compares_uses) {
    out << "uses     not compared: " << (uses_are_recorded(input.before.job) ? "the new" : "the old")
        << " trace does not say all of them\n";
  }
  if (diff.is_same()) {
    out << "\nNo difference.\n";
    return;
  }
  print_findings(out, style, input, diff);
  print_leaks(out, style, input, diff);
  print_uses(out, style, input, diff);
  for (auto first = diff.changes.begin(); first != diff.changes.end();) {
    const auto last =
        std::find_if(first, diff.changes.end(), [&](const Change& change) { return change.kind != first->kind; });
    print_items(out, style(Role::heading, heading_of(first->kind)), static_cast<std::size_t>(last - first),
                [&](std::size_t i) { print_change(out, input, first[static_cast<std::ptrdiff_t>(i)]); });
    first = last;
  }
}

}  // namespace ddtscope::reporters
