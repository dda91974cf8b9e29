// Types of a job that are the same in memory, however they were built.
#pragma once

#include <optional>
#include <vector>

#include "decoder/fingerprint.h"
#include "reporters/model/job.h"

namespace ddtscope {

/// Types with equal typemaps, lower bounds and extents: one does for all of them, with any count. Signatures are
/// then equal, too.
struct LayoutGroup {
  std::optional<Fingerprint> layout;  // empty where a displacement does not fit 128 bits: the type is alone
  Exact lb, extent;                   // those in use: the library's where they are known
  std::vector<TypeNumber> types;      // ascending
};

/// All made types of the job, by the first number in the group. Time grows with the types' descriptions.
std::vector<LayoutGroup> layout_groups(const Job& job);

}  // namespace ddtscope
