// What a page's script knows of each type: its layout as strided runs, from which it draws, and what the panel of the
// type tells. Texts that many types share stand once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "reporters/json/json.h"
#include "reporters/report/report_format.h"

namespace ddtscope::reporters {

class TypeData {
 public:
  /// `types` is how many types the page will tell of: of many, each may have fewer runs.
  TypeData(const ReportContext& context, std::size_t types);

  /// With what is told of it.
  void add(TypeNumber number, const std::vector<Finding>& findings);
  /// The place among the texts of one that other data of the page may share.
  std::size_t text(std::string_view text);
  /// {"texts", "basics", "types"}; afterwards it is empty.
  Json take();

 private:
  Json bounds(const JobType& type) const;  // lb, ub, true lb, true ub; and the alignment
  Json findings_json(const std::vector<Finding>& findings);
  Json sites(const JobType& type);
  Json portability(TypeNumber number);
  Json parts(DefinitionId id) const;
  std::string signature(DefinitionId id) const;

  const ReportContext& context_;
  std::size_t runs_limit_;
  std::unordered_map<std::string, std::size_t> places_;  // of texts
  Json texts_ = Json::array();
  Json types_ = Json::object();
};

}  // namespace ddtscope::reporters
