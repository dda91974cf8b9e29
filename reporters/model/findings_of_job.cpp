// The findings that only a whole job tells: types that were left behind, made again and again, calls that failed.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "decoder/base/exact.h"
#include "reporters/model/finding_words.h"
#include "reporters/model/findings_of_calls.h"
#include "reporters/model/job_findings.h"
#include "reporters/model/summary.h"
#include "reporters/model/uses.h"

namespace ddtscope::reporters {
namespace {

std::string types_of(std::uint64_t number) { return counted(number, "type", "types"); }

std::uint64_t lives_of(const Counters& counters) { return counters.created + counters.adopted; }

/// How many ranks are meant where these are named; all where none is.
std::uint64_t number_of(const Job& job, const RankRanges& ranks) {
  return std::max<std::uint64_t>(1, ranks.empty() ? job.ranks.size() : ranks.size());
}

/// Lives that were made at one call site.
struct Site {
  std::uint64_t live = 0, made = 0, freed = 0;
  std::size_t live_definitions = 0;
  TypeNumber most_frequent;  // among those that live
  std::int64_t most = 0;
  std::string_view called;  // of the most frequent
  std::vector<RankRange> ranks;
};

class Sites {
 public:
  explicit Sites(const Job& job) : job_(job) {
    for (const JobType& type : job.types) {
      for (const Instances& part : job.instances.of(type.number)) {
        if (part.counters) add(type, part);
      }
    }
  }

  /// Most lives first.
  std::vector<JobFinding> never_freed() const {
    std::vector<JobFinding> findings;
    for (const auto& [key, site] : sites_) {
      if (site.live != 0) findings.push_back(finding_of(key, site));
    }
    std::stable_sort(findings.begin(), findings.end(),
                     [](const JobFinding& a, const JobFinding& b) { return a.count > b.count; });
    return findings;
  }

 private:
  using Key = std::optional<FrameIndex>;

  void add(const JobType& type, const Instances& part) {
    // A free counts for the site where the life began; F90 types are no lives, but are in the totals of the ranks.
    const Counters& counters = *part.counters;
    all_ += static_cast<std::int64_t>(lives_of(counters)) - static_cast<std::int64_t>(counters.freed);
    if (is_unnamed_predefined(job_.store[type.definition].call.combiner)) return;
    Site& site = sites_[part.site];
    site.made += lives_of(counters);
    site.freed += counters.freed;
    const std::int64_t live = reporters::live(counters, Combiner::named);
    if (live <= 0) return;
    site.live += static_cast<std::uint64_t>(live);
    ++site.live_definitions;
    const auto ranks = part.ranks().ranges();
    site.ranks.insert(site.ranks.end(), ranks.begin(), ranks.end());
    if (live > site.most) {
      site.most = live;
      site.most_frequent = type.number;
      site.called = part.called;
    }
  }

  /// At least so many of the site's lives are on the rank that has most of them: a trace has sums over ranks for each
  /// site, and sums over sites for each rank.
  std::int64_t least_on_one_rank(const Site& site, const RankRanges& ranks) const {
    const auto live = static_cast<std::int64_t>(site.live);
    const auto number = static_cast<std::int64_t>(number_of(job_, ranks));
    std::int64_t least = (live + number - 1) / number;
    for (const JobRank& rank : job_.ranks) {
      if (!rank.counters) continue;
      const auto of_rank =
          static_cast<std::int64_t>(lives_of(*rank.counters)) - static_cast<std::int64_t>(rank.counters->freed);
      least = std::max(least, of_rank - (all_ - live));
    }
    return std::min(least, live);
  }

  JobFinding finding_of(const Key& key, const Site& site) const {
    constexpr std::int64_t alarming_lives = 10;
    const bool is_complete = job_.complete();
    JobFinding finding{};
    finding.kind = &kind_of(FindingId::never_freed);
    finding.ranks = joined_ranks(site.ranks);
    finding.severity =
        is_complete && least_on_one_rank(site, finding.ranks) >= alarming_lives ? Severity::warning : Severity::note;
    finding.message = grouped(site.live) + " of the " + types_of(site.made) + " made here " +
                      (is_complete ? (site.live == 1 ? "was never freed" : "were never freed")
                                   : (site.live == 1 ? "is live now" : "are live now")) +
                      "; " + grouped(site.freed) + (site.freed == 1 ? " was freed." : " were freed.");
    if (site.live_definitions > 1) {
      finding.message += " Of these, " + grouped(Exact(site.most)) + (site.most == 1 ? " is " : " are ") +
                         text_of(site.most_frequent) + "; the rest are " +
                         counted(site.live_definitions - 1, "other definition.", "other definitions.");
    }
    finding.advice =
        is_complete
            ? "Call MPI_Type_free after the last use: pending communication, and types made of it, are not disturbed."
            : "The job has not ended MPI, so nothing need be wrong; where the number grows, MPI_Type_free is missing.";
    finding.type = job_.type(site.most_frequent).definition;
    finding.called = site.called;
    finding.count = site.live;
    finding.sites = {key};
    return finding;
  }

  const Job& job_;
  std::map<Key, Site> sites_;
  std::int64_t all_ = 0;  // lives at all sites, as the ranks' totals count them
};

/// Those that a call was found to use without a commit: one cause is told once.
std::set<DefinitionId> told_as_uncommitted(const Job& job) {
  const std::string_view id = kind_of(FindingId::uncommitted_type).id;
  std::set<DefinitionId> told;
  for (const CallFinding& found : job.call_findings) {
    if (found.type && found.finding == id && found.count != 0) told.insert(*found.type);
  }
  return told;
}

std::vector<JobFinding> never_committed(const Job& job) {
  std::vector<JobFinding> findings;
  const std::set<DefinitionId> told = told_as_uncommitted(job);
  for (const LeftBehind& left : summarise(job).never_committed) {
    if (left.part_of_another || told.contains(job.type(left.type).definition)) continue;
    JobFinding finding{};
    finding.kind = &kind_of(FindingId::never_committed);
    finding.severity = Severity::note;
    const Counters total = job.instances.total(left.type);
    finding.count = static_cast<std::uint64_t>(left.lives);
    finding.message = grouped(Exact(left.lives)) + " of " + counted(total.created, "life", "lives") +
                      (left.lives == 1 ? " was" : " were") + " never committed, and no type was made of it.";
    finding.advice = "Leave it out if it is not used. If it is used, MPI_Type_commit must come first.";
    finding.type = job.type(left.type).definition;
    std::vector<RankRange> ranks;
    for (const Instances& part : job.instances.of(left.type)) {
      if (!part.counters || uncommitted(*part.counters, Combiner::named) <= 0) continue;
      if (part.site == left.site && finding.called.empty()) finding.called = part.called;
      ranks.insert(ranks.end(), part.ranks().ranges().begin(), part.ranks().ranges().end());
    }
    finding.ranks = joined_ranks(std::move(ranks));
    finding.sites = {left.site};
    findings.push_back(std::move(finding));
  }
  return findings;
}

/// Classes that programs provoke on purpose: MPI_ERR_TRUNCATE, MPI_ERR_PENDING, and those of files (MPI-4.1 14.7).
bool is_provoked(std::string_view error_class) {
  constexpr auto provoked = std::to_array<std::string_view>(
      {"TRUNCATE", "PENDING", "FILE", "NOT_SAME", "AMODE", "UNSUPPORTED_DATAREP", "UNSUPPORTED_OPERATION",
       "NO_SUCH_FILE", "FILE_EXISTS", "BAD_FILE", "ACCESS", "NO_SPACE", "QUOTA", "READ_ONLY", "FILE_IN_USE",
       "DUP_DATAREP", "CONVERSION", "IO"});
  constexpr std::string_view prefix = "MPI_ERR_";
  return error_class.starts_with(prefix) &&
         std::find(provoked.begin(), provoked.end(), error_class.substr(prefix.size())) != provoked.end();
}

std::vector<JobFinding> failed_calls(const Job& job) {
  std::vector<JobFinding> findings;
  for (const FailedCalls& calls : job.failed_calls) {
    JobFinding finding{};
    finding.kind = &kind_of(FindingId::failed_call);
    finding.severity = is_provoked(calls.error_class) ? Severity::note : Severity::warning;
    finding.message =
        std::string(calls.called) + " returned " +
        (calls.error_class.empty() ? "an error class of the program's own" : std::string(calls.error_class)) + " " +
        times(calls.count) + ".";
    finding.advice = "The call did nothing: check its arguments, and the return code, before the result is used.";
    finding.called = calls.called;
    finding.ranks = calls.ranks;
    finding.count = calls.count;
    finding.sites = {calls.site};
    findings.push_back(std::move(finding));
  }
  return findings;
}

/// Calls that used types of each definition; empty where no uses are recorded.
class CallsOfTypes {
 public:
  explicit CallsOfTypes(const Job& job) : is_recorded_(uses_are_recorded(job)) {
    for (const TypeUse& use : job.uses) calls_[use.type.value] += use.counts.calls;
  }

  /// How often types of the definition that were made at the site were used. A use does not tell where its type was
  /// made: of a definition that is made at several sites each has its share, by lives.
  std::optional<std::uint64_t> uses_of_lives(const Job& job, const JobType& type, std::uint64_t lives) const {
    if (!is_recorded_) return std::nullopt;
    const auto found = calls_.find(type.definition.value);
    if (found == calls_.end()) return 0;
    const std::uint64_t all = std::max<std::uint64_t>(1, lives_of(job.instances.total(type.number)));
    const auto share = static_cast<Int128>(found->second) * std::min(lives, all) / all;
    return static_cast<std::uint64_t>(share);
  }

 private:
  bool is_recorded_;
  std::unordered_map<std::uint32_t, std::uint64_t> calls_;  // by DefinitionId
};

std::string uses_in_words(std::optional<std::uint64_t> uses, bool is_part) {
  if (!uses) return "; how often it was used is not recorded.";
  return "; it was used " + times(*uses) + (is_part ? " by itself, and other types were made of it." : ".");
}

/// Types that one rank makes, and frees, a hundred times or more at one call site.
std::vector<JobFinding> churn(const Job& job) {
  constexpr std::uint64_t many_lives = 100;
  const CallsOfTypes calls(job);
  const std::vector<bool> is_part = job.oldtypes();
  std::vector<JobFinding> findings;
  for (const JobType& type : job.types) {
    if (is_unnamed_predefined(job.store[type.definition].call.combiner)) continue;
    for (const Instances& part : job.instances.of(type.number)) {
      if (!part.counters || part.counters->created == 0) continue;
      const std::uint64_t ranks = number_of(job, part.ranks());
      if (part.counters->created / ranks < many_lives || part.counters->freed / ranks < many_lives - 1) continue;
      const std::optional<std::uint64_t> uses = calls.uses_of_lives(job, type, lives_of(*part.counters));
      if (uses && *uses > part.counters->created) continue;
      JobFinding finding{};
      finding.kind = &kind_of(FindingId::churn);
      finding.severity = Severity::note;
      finding.message = "The same type was made " + times(part.counters->created) + " here" +
                        (ranks > 1 ? " on " + counted(ranks, "rank", "ranks") : "") + ", and freed " +
                        times(part.counters->freed) + uses_in_words(uses, is_part[type.definition.value]);
      finding.advice = "Where each is used once or so, make it once, before the loop, and free it behind it.";
      finding.type = type.definition;
      finding.called = part.called;
      finding.ranks = part.ranks();
      finding.count = part.counters->created;
      finding.sites = {part.site};
      findings.push_back(std::move(finding));
    }
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const JobFinding& a, const JobFinding& b) { return a.count > b.count; });
  return findings;
}

}  // namespace

std::vector<JobFinding> findings_of_job(const Job& job, const MessageComparison& messages) {
  std::vector<JobFinding> all;
  for (std::vector<JobFinding>& some :
       std::to_array({findings_of_calls(job), findings_of_messages(job, messages), findings_of_pairs(job),
                      findings_of_mismatches(job), findings_of_views(job), failed_calls(job), Sites(job).never_freed(),
                      never_committed(job), churn(job), findings_of_uses(job)})) {
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace ddtscope::reporters
