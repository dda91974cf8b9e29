#include "reporters/diff/finding_diff.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "reporters/diff/places.h"
#include "reporters/model/uses.h"

namespace ddtscope::reporters {
namespace {

/// What is one finding in both jobs; the type as `type_name` has it.
using FindingKey = std::tuple<FindingId, Severity, std::string_view, std::string_view, std::string, std::string>;
using FindingsByKey = std::map<FindingKey, JobFinding>;

struct Selection {
  const ReportContext& context;
  bool has_uses, has_messages;  // in both jobs
};

bool is_of_messages(FindingId id) {
  return id == FindingId::signature_mismatch || id == FindingId::truncated_message || id == FindingId::unmatched_send ||
         id == FindingId::unmatched_receive || id == FindingId::window_range;
}

/// Whether both jobs recorded what tells it.
bool is_comparable(const Selection& selection, FindingId id) {
  if (is_of_messages(id)) return selection.has_messages;
  return selection.has_uses || id == FindingId::failed_call;
}

template <class TypeName>
FindingsByKey findings_by_key(const Selection& selection, const TypeName& type_name) {
  FindingsByKey findings;
  PlaceNames places(selection.context);
  for (JobFinding& finding : findings_of_job(selection.context.job, selection.context.analysis.messages())) {
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
  FindingsByKey before =
      findings_by_key({input.before, has_uses, has_messages}, [&](DefinitionId type) { return old_job.name_of(type); });
  FindingsByKey after = findings_by_key({input.after, has_uses, has_messages},
                                        [&](DefinitionId type) { return old_name_of(new_job, type, old_of); });
  std::vector<FindingChange> changes;
  add_missing(after, before, FindingChange::Side::added, changes);
  add_missing(before, after, FindingChange::Side::gone, changes);
  return changes;
}

}  // namespace ddtscope::reporters
