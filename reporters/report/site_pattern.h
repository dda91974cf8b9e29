// What a user names places in a program by: a pattern of a function, a file or a module.
#pragma once

#include <string>
#include <unordered_map>

#include "reporters/model/job.h"
#include "reporters/symbols/symbols.h"

namespace ddtscope::reporters {

/// Whether a text is what a pattern with * ? and [...] says, whole.
bool matches_pattern(const std::string& pattern, const std::string& text);

/// Call sites of which some frame, or a function that was inlined there, is what the pattern says: a whole function
/// name, or a file or module by its path or its name.
class SitePattern {
 public:
  /// All but the pattern must outlive it.
  SitePattern(std::string pattern, const Job& job, Symbols& symbols)
      : pattern_(std::move(pattern)), job_(job), symbols_(symbols) {}
  bool matches(FrameIndex site);

 private:
  bool matches_frame(FrameIndex frame);

  const std::string pattern_;
  const Job& job_;
  Symbols& symbols_;
  std::unordered_map<std::uint32_t, bool> known_;  // by frame
};

}  // namespace ddtscope::reporters
