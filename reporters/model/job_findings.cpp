#include "reporters/model/job_findings.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "reporters/model/findings_of_calls.h"
#include "reporters/model/summary.h"

namespace ddtscope::reporters {
namespace {

template <class Element>
void move_behind(std::vector<Element>& all, std::vector<Element>&& more) {
  std::move(more.begin(), more.end(), std::back_inserter(all));
}

}  // namespace

DrawnFindings findings_of_whole_job(const Job& job, Analysis& analysis) {
  DrawnFindings drawn = findings_of_windows(job);
  DrawnFindings of_epochs = findings_of_epochs(job);
  move_behind(drawn.findings, std::move(of_epochs.findings));
  move_behind(drawn.remarks, std::move(of_epochs.remarks));
  move_behind(drawn.findings, findings_of_job(job, analysis.messages()));
  move_behind(drawn.findings, findings_of_collectives(job, analysis.collectives()));
  return drawn;
}

JobFindings::JobFindings(const Job& job, Analysis& analysis, FindingFilter filter, DrawnFindings more, AskedTypes asked)
    : job_(job),
      analysis_(analysis),
      filter_(std::move(filter)),
      has_types_(asked == AskedTypes::all || job.types.size() <= summary_limit),
      remarks_(std::move(more.remarks)),
      buffers_(more.buffers) {
  DrawnFindings of_whole = findings_of_whole_job(job, analysis);
  move_behind(more.findings, std::move(of_whole.findings));
  move_behind(remarks_, std::move(of_whole.remarks));
  for (JobFinding& finding : more.findings) {
    if (is_wanted(*finding.kind, finding.severity, finding.sites)) of_job_.push_back(std::move(finding));
  }
  std::vector<std::optional<FrameIndex>> sites;
  TypeNumber of_sites;
  const auto see_type = [&](TypeNumber type, const Finding& finding) {
    if (filter_.is_suppressed && of_sites != type) {
      sites = made_at(job, type).sites;
      of_sites = type;
    }
    if (is_wanted(*finding.kind, finding.severity, sites)) {
      of_types_.push_back({finding.severity, id_of(*finding.kind), type});
    }
  };
  if (has_types_) analysis.each_finding(see_type);
  std::stable_sort(of_job_.begin(), of_job_.end(), [](const JobFinding& a, const JobFinding& b) {
    return std::tuple(b.severity, id_of(*a.kind)) < std::tuple(a.severity, id_of(*b.kind));
  });
  // Notes stay by type: they are many, and each kind anew would look at all of a large job's types again.
  std::stable_sort(of_types_.begin(), of_types_.end(), [](const OfType& a, const OfType& b) {
    const auto kind = [](const OfType& place) { return is_alarming(place.severity) ? place.id : FindingId{}; };
    return std::tuple(b.severity, kind(a)) < std::tuple(a.severity, kind(b));
  });
}

bool JobFindings::is_wanted(const FindingKind& kind, Severity severity,
                            const std::vector<std::optional<FrameIndex>>& sites) {
  if (filter_.ignored.contains(id_of(kind))) {
    ++left_out_.ignored;
    return false;
  }
  const bool is_suppressed = filter_.is_suppressed && !sites.empty() &&
                             std::all_of(sites.begin(), sites.end(), [&](std::optional<FrameIndex> site) {
                               return site && filter_.is_suppressed(kind, *site);
                             });
  if (is_suppressed) {
    ++left_out_.suppressed;
    return false;
  }
  ++counts_.of(severity);
  ++numbers_[index_of(severity)][index_of(id_of(kind))];
  return true;
}

bool JobFindings::any_from(Severity least) const {
  return counts_.errors != 0 || (least <= Severity::warning && counts_.warnings != 0) ||
         (least <= Severity::note && counts_.notes != 0);
}

JobFinding JobFindings::finding_of(const OfType& place) {
  MadeAt made = made_at(job_, place.type);
  const std::vector<Finding>& findings = analysis_.findings(place.type);
  const FindingKind* kind = &kind_of(place.id);
  const auto found =
      std::find_if(findings.begin(), findings.end(), [&](const Finding& finding) { return finding.kind == kind; });
  return {kind,        place.severity,     found->message, found->advice, job_.type(place.type).definition,
          made.called, std::string_view(), made.ranks,     made.lives,    std::move(made.sites),
          std::nullopt};
}

void JobFindings::each(Severity severity, const See& see, Limits limits) {
  std::array<std::uint64_t, finding_kind_count> seen_of_kind{};
  std::uint64_t seen = 0;
  const auto has_room = [&](FindingId id) {
    if (seen == limits.all || seen_of_kind[index_of(id)] == limits.of_kind) return false;
    ++seen;
    ++seen_of_kind[index_of(id)];
    return true;
  };
  auto of_job = std::find_if(of_job_.begin(), of_job_.end(),
                             [&](const JobFinding& finding) { return finding.severity <= severity; });
  const auto tell_of_job_before = [&](FindingId before) {
    for (; of_job != of_job_.end() && of_job->severity == severity && id_of(*of_job->kind) < before; ++of_job) {
      if (has_room(id_of(*of_job->kind))) see(*of_job);
    }
  };
  constexpr FindingId behind_all{finding_kind_count};
  for (const OfType& place : of_types_) {
    if (place.severity != severity) continue;
    tell_of_job_before(is_alarming(severity) ? place.id : behind_all);
    if (has_room(place.id)) see(finding_of(place));
  }
  tell_of_job_before(behind_all);
}

}  // namespace ddtscope::reporters
