#include "reporters/report/selected_uses.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "reporters/report/site_pattern.h"

namespace ddtscope::reporters {
namespace {

/// What is looked at of a use, of one side of a message, or of a call that opens a file, which has no type.
struct Candidate {
  std::optional<DefinitionId> type;
  std::string_view called;
  trace::UseParameter parameter;
  std::optional<FrameIndex> site;
};

class Wanted {
 public:
  Wanted(const Job& job, const UsesQuery& query, Symbols& symbols)
      : job_(job), filter_(query.filter), sites_(query.filter, job, symbols) {}

  bool operator()(const Candidate& one) {
    if (filter_.empty() || is_said(std::string(one.called)) || is_said(std::string(trace::name_of(one.parameter)))) {
      return true;
    }
    if (one.type) {
      if (is_said(job_.name_of(*one.type))) return true;
      const TypeNumber number = job_.number_of(*one.type);
      if (number.valid()) {
        const std::vector<std::string>& names = job_.names(number);
        if (std::any_of(names.begin(), names.end(), [&](const std::string& name) { return is_said(name); }))
          return true;
      }
    }
    return one.site && sites_.matches(*one.site);
  }

 private:
  bool is_said(const std::string& text) const { return matches_pattern(filter_, text); }

  const Job& job_;
  const std::string& filter_;
  SitePattern sites_;
};

}  // namespace

std::vector<const TypeUse*> selected_uses(const Job& job, const UsesQuery& query, Symbols& symbols) {
  Wanted is_wanted(job, query, symbols);
  std::vector<const TypeUse*> uses;
  for (const TypeUse& use : job.uses) {
    if (is_wanted({use.type, use.called, use.parameter, use.site})) uses.push_back(&use);
  }
  if (query.by == UsesBy::calls) {
    std::ranges::stable_sort(uses, std::greater(), [](const TypeUse* use) { return use->counts.calls; });
  }
  return uses;
}

std::vector<FileTraffic> selected_files(const Job& job, const UsesQuery& query, Symbols& symbols) {
  Wanted is_wanted(job, query, symbols);
  WantedFiles wanted;
  for (const JobFile& file : job.files) {
    wanted.files.push_back(matches_pattern(query.filter, file.name) ||
                           is_wanted({std::nullopt, file.called, trace::UseParameter::none, file.site}));
  }
  for (const JobView& one : job.views) {
    wanted.views.push_back(wanted.files[one.file.value] ||
                           is_wanted({one.etype, one.called, trace::UseParameter::etype, one.site}) ||
                           is_wanted({one.filetype, one.called, trace::UseParameter::filetype, one.site}));
  }
  for (const JobFileAccesses& one : job.file_accesses) {
    wanted.accesses.push_back(wanted.files[one.file.value] ||
                              is_wanted({one.type, one.called, one.parameter, one.site}));
  }
  return file_traffic_of(job, wanted);
}

std::vector<Traffic> selected_traffic(const Job& job, const UsesQuery& query, Symbols& symbols) {
  Wanted is_wanted(job, query, symbols);
  std::vector<bool> wanted;
  for (const MessageOperation& one : job.messages.operations) {
    wanted.push_back(is_wanted({one.type, one.called, one.parameter, one.site}));
  }
  const TrafficBy by = query.by == UsesBy::pair ? TrafficBy::pair : TrafficBy::communicator;
  return traffic_of(job, by, wanted);
}

std::vector<WindowUses> selected_windows(const Job& job, const UsesQuery& query, Symbols& symbols) {
  Wanted is_wanted(job, query, symbols);
  std::vector<bool> wanted;
  for (const JobAccesses& one : job.accesses) {
    wanted.push_back(is_wanted({one.type, one.called, one.parameter, one.site}));
  }
  return window_uses(job, wanted);
}

}  // namespace ddtscope::reporters
