#include "reporters/model/analysis.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "decoder/bnf.h"

namespace ddtscope {
namespace {

std::optional<BoundsRule> library_of(const Job& job) {
  return job.ranks.empty() ? std::nullopt : bounds_rule_of_text(job.header().library_name);
}

/// A value as verification writes it: outside of 53 bits a decimal string (RFC 7493), undefined null.
bool is_json_of(const std::string& json, std::optional<std::int64_t> value) {
  if (!value) return json == "null";
  const std::string digits = std::to_string(*value);
  return json == digits || json == '"' + digits + '"';
}

/// The bounds that verification compares, as the trace names them.
constexpr std::pair<std::string_view, std::optional<std::int64_t> ObservedBounds::*> compared_bounds[] = {
    {"size", &ObservedBounds::size},
    {"lb", &ObservedBounds::lb},
    {"extent", &ObservedBounds::extent},
    {"true_lb", &ObservedBounds::true_lb},
    {"true_extent", &ObservedBounds::true_extent}};

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

std::optional<BoundsRule> Analysis::explanation(const JobDifference& difference) {
  if (!sources_.library) return std::nullopt;
  const DefinitionId id = definition(difference.type);
  for (const auto& [subject, value] : compared_bounds) {
    if (subject != difference.subject) continue;
    // What the plugin computed must be what the definition gives here, too: else ddtscope is what errs.
    const bool is_explained = is_json_of(difference.computed, as_answered(job_.layouts.computed(id)).*value) &&
                              is_json_of(difference.library, as_answered(rules_[*sources_.library].bounds(id)).*value);
    return is_explained ? sources_.library : std::nullopt;
  }
  return std::nullopt;
}

SortedDifferences Analysis::differences() {
  SortedDifferences sorted;
  for (const JobDifference& difference : job_.differences) {
    (explanation(difference) ? sorted.explained : sorted.unexplained).push_back(&difference);
  }
  return sorted;
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
