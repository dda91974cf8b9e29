// Where a job's types are made, by names that outlive the program's next build.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "reporters/diff/job_diff.h"

namespace ddtscope::reporters {

/// A place's name: function and file, without lines and addresses; of what a library makes, with the program's function
/// that asked for it. Where the function is unknown, module and address.
class PlaceNames {
 public:
  explicit PlaceNames(const ReportContext& context) : context_(context) {}
  const std::string& of(std::optional<FrameIndex> site);

 private:
  std::string name_of(FrameIndex site);
  std::string frame_name(FrameIndex index);

  const ReportContext& context_;
  std::unordered_map<std::uint32_t, std::string> names_;  // by frame
};

/// By the place's name.
using Places = std::map<std::string, std::vector<MadeThere>>;
Places places_of(const ReportContext& context);

}  // namespace ddtscope::reporters
