// What a document that is written as it comes says, as one value: for tests.
#pragma once

#include <sstream>

#include "reporters/json/job_json.h"

namespace ddtscope::reporters::test {

inline Json summary_json(const Job& job, Analysis& analysis, Symbols& symbols) {
  std::stringstream text;
  write_summary_json(text, {job, analysis, symbols});
  return Json::parse(text);
}
inline Json check_json(const Job& job, Analysis& analysis, Symbols& symbols) {
  std::stringstream text;
  JobFindings findings(job, analysis);
  write_check_json(text, {job, analysis, symbols}, findings);
  return Json::parse(text);
}

}  // namespace ddtscope::reporters::test
