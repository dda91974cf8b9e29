#include "reporters/report/selected_uses.h"

#include <algorithm>

#include "reporters/report/site_pattern.h"

namespace ddtscope::reporters {

std::vector<const TypeUse*> selected_uses(const Job& job, const UsesQuery& query, Symbols& symbols) {
  SitePattern sites(query.filter, job, symbols);
  const auto is_said = [&](const std::string& text) { return matches_pattern(query.filter, text); };
  const auto is_wanted = [&](const TypeUse& use) {
    if (query.filter.empty() || is_said(job.name_of(use.type)) || is_said(std::string(use.called)) ||
        is_said(std::string(trace::name_of(use.parameter))))
      return true;
    const TypeNumber number = job.number_of(use.type);
    if (number.valid()) {
      const std::vector<std::string>& names = job.names(number);
      if (std::any_of(names.begin(), names.end(), is_said)) return true;
    }
    return use.site && sites.matches(*use.site);
  };
  std::vector<const TypeUse*> uses;
  for (const TypeUse& use : job.uses) {
    if (is_wanted(use)) uses.push_back(&use);
  }
  return uses;
}

}  // namespace ddtscope::reporters
