#include "reporters/model/analysis.h"

#include <algorithm>

#include "decoder/bnf.h"

namespace ddtscope {
namespace {

std::optional<BoundsRule> library_of(const Job& job) {
  return job.ranks.empty() ? std::nullopt : bounds_rule_of_text(job.header().library_name);
}

}  // namespace

Analysis::Analysis(const Job& job)
    : job_(job),
      name_oldtype_([&job](DefinitionId id) { return job.name_of(id); }),
      rules_(job.store),
      fingerprints_(job.layouts),
      simplifier_(job.store, job.layouts),
      sources_{job.layouts, rules_, fingerprints_, simplifier_, name_oldtype_, library_of(job)} {}

const std::optional<Simpler>& Analysis::simpler(TypeNumber number) {
  const auto [found, is_new] = simpler_.try_emplace(number.value);
  if (is_new) found->second = simplifier_.simpler(definition(number), name_oldtype_);
  return found->second;
}

const Portability& Analysis::portability(TypeNumber number) {
  const auto [found, is_new] = portability_.try_emplace(number.value);
  if (is_new) found->second = portability_of(sources_, definition(number));
  return found->second;
}

const std::vector<Finding>& Analysis::findings(TypeNumber number) {
  const auto [found, is_new] = findings_.try_emplace(number.value);
  if (is_new) found->second = findings_of(sources_, definition(number));
  return found->second;
}

std::vector<TypeFinding> Analysis::all_findings() {
  std::vector<TypeFinding> all;
  for (const JobType& type : job_.types) {
    for (const Finding& finding : findings(type.number)) all.push_back({type.number, finding});
  }
  std::stable_sort(all.begin(), all.end(), [](const TypeFinding& a, const TypeFinding& b) {
    return static_cast<int>(a.finding.severity) > static_cast<int>(b.finding.severity);
  });
  return all;
}

std::optional<FindingCounts> Analysis::finding_counts() {
  if (job_.types.size() > summary_limit) return std::nullopt;
  FindingCounts counts;
  for (const JobType& type : job_.types) {
    for (const Finding& finding : findings(type.number)) {
      switch (finding.severity) {
        case Severity::error:
          ++counts.errors;
          break;
        case Severity::warning:
          ++counts.warnings;
          break;
        case Severity::note:
          ++counts.notes;
          break;
      }
    }
  }
  return counts;
}

std::string bnf_of(const Job& job, TypeNumber number) {
  return bnf_text(job.store, job.type(number).definition,
                  [&](DefinitionId id) { return std::uint64_t{job.number_of(id).value}; });
}

}  // namespace ddtscope
