#include "reporters/diff/finding_diff.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "reporters/diff/places.h"
#include "reporters/model/uses.h"

namespace ddtscope::reporters {
namespace {

/// What is one finding in both jobs; the type as `type_name` has it.
using FindingKey = std::tuple<FindingId, Severity, std::string_view, std::string_view, std::string, std::string>;
using FindingsByKey = std::map<FindingKey, JobFinding>;

struct Selection {
  const ReportContext& context;
  bool has_uses, has_messages, has_sources;  // in both jobs
};

bool is_of_messages(FindingId id) {
  return id == FindingId::signature_mismatch || id == FindingId::truncated_message || id == FindingId::unmatched_send ||
         id == FindingId::unmatched_receive || id == FindingId::collective_mismatch || id == FindingId::window_range ||
         id == FindingId::conflicting_access;
}

/// Whether both jobs recorded what tells it.
bool is_comparable(const Selection& selection, FindingId id) {
  if (is_of_messages(id)) return selection.has_messages;
  return selection.has_uses || id == FindingId::failed_call;
}

std::vector<JobFinding> findings_of(const Selection& selection) {
  const ReportContext& context = selection.context;
  std::vector<JobFinding> findings = findings_of_whole_job(context.job, context.analysis).findings;
  if (selection.has_sources) {
    const std::vector<JobFinding>& kept = context.kept_sources->findings;
    findings.insert(findings.end(), kept.begin(), kept.end());
  }
  return findings;
}

template <class TypeName>
FindingsByKey findings_by_key(const Selection& selection, const TypeName& type_name) {
  FindingsByKey findings;
  PlaceNames places(selection.context);
  for (JobFinding& finding : findings_of(selection)) {
    const FindingId id = id_of(*finding.kind);
    if (id == FindingId::never_freed || !is_comparable(selection, id)) continue;
    const std::string type = finding.type ? type_name(*finding.type) : "";
    FindingKey key{id,  finding.severity, function_of(finding.called), finding.argument, places.of(finding.site()),
                   type};
    findings.emplace(std::move(key), std::move(finding));
  }
  return findings;
}

/// Those that the other job has not.
void add_missing(FindingsByKey& findings, const FindingsByKey& others, FindingChange::Side side,
                 std::vector<FindingChange>& changes) {
  for (auto& [key, finding] : findings) {
    if (!others.contains(key)) changes.push_back({std::move(finding), side});
  }
}

}  // namespace

std::vector<FindingChange> changed_job_findings(const DiffInput& input, const OldType& old_of) {
  const Job& old_job = input.before.job;
  const Job& new_job = input.after.job;
  const bool has_uses = uses_are_recorded(old_job) && uses_are_recorded(new_job);
  const bool has_messages = messages_are_recorded(old_job) && messages_are_recorded(new_job);
  // A program that is there no more would look like one in which all is well.
  const bool has_sources = input.before.kept_sources != nullptr && input.after.kept_sources != nullptr;
  const auto selected = [&](const ReportContext& context) {
    return Selection{context, has_uses, has_messages, has_sources};
  };
  FindingsByKey before =
      findings_by_key(selected(input.before), [&](DefinitionId type) { return old_job.name_of(type); });
  FindingsByKey after =
      findings_by_key(selected(input.after), [&](DefinitionId type) { return old_name_of(new_job, type, old_of); });
  std::vector<FindingChange> changes;
  add_missing(after, before, FindingChange::Side::added, changes);
  add_missing(before, after, FindingChange::Side::gone, changes);
  return changes;
}

}  // namespace ddtscope::reporters
