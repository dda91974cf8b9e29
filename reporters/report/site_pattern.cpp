#include "reporters/report/site_pattern.h"

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>

namespace ddtscope::reporters {
namespace {

/// By its path, or by its name alone.
bool matches_path(const std::string& pattern, const std::string& path) {
  return matches_pattern(pattern, path) || matches_pattern(pattern, std::filesystem::path(path).filename().string());
}

/// As it is told, or without its parameters.
bool matches_function(const std::string& pattern, const std::string& function) {
  return matches_pattern(pattern, function) || matches_pattern(pattern, function.substr(0, function.find('(')));
}

}  // namespace

bool matches_pattern(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

bool SitePattern::matches(FrameIndex site) {
  const std::vector<FrameIndex> stack = job_.stack(site);
  return std::any_of(stack.begin(), stack.end(), [&](FrameIndex frame) {
    const auto [known, is_new] = known_.try_emplace(frame.value);
    if (is_new) known->second = matches_frame(frame);
    return known->second;
  });
}

bool SitePattern::matches_frame(FrameIndex frame) {
  const JobFrame& recorded = job_.frame(frame);
  if (!recorded.module) return false;
  const ModuleRecord& module = job_.module(*recorded.module);
  if (matches_path(pattern_, module.path)) return true;
  const SourceLocation& location = symbols_.resolve(module, recorded.offset);
  return (location.function && matches_function(pattern_, *location.function)) ||
         (location.file && matches_path(pattern_, *location.file)) ||
         std::any_of(location.inlined_into.begin(), location.inlined_into.end(),
                     [&](const std::string& function) { return matches_function(pattern_, function); });
}

}  // namespace ddtscope::reporters
