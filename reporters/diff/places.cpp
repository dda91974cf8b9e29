#include "reporters/diff/places.h"

#include <filesystem>
#include <sstream>

namespace ddtscope::reporters {

const std::string& PlaceNames::of(std::optional<FrameIndex> site) {
  const std::uint32_t index = site ? site->value : UINT32_MAX;
  const auto [place, is_new] = names_.try_emplace(index);
  if (is_new) place->second = site ? name_of(*site) : "an unknown place";
  return place->second;
}

std::string PlaceNames::name_of(FrameIndex site) {
  const Job& job = context_.job;
  std::string name = frame_name(site);
  if (job.is_of_program(site)) return name;
  for (const FrameIndex frame : job.stack(site)) {
    if (job.is_of_program(frame)) return name + ", called from " + frame_name(frame);
  }
  return name;
}

std::string PlaceNames::frame_name(FrameIndex index) {
  const JobFrame& frame = context_.job.frame(index);
  std::ostringstream name;
  if (frame.module) {
    const ModuleRecord& module = context_.job.module(*frame.module);
    const SourceLocation& location = context_.symbols.resolve(module, frame.offset);
    if (location.function) {
      const std::string file = std::filesystem::path(location.file.value_or(module.path)).filename().string();
      return *location.function + " (" + file + ")";
    }
    name << std::filesystem::path(module.path).filename().string() << "+";
  }
  name << "0x" << std::hex << frame.offset;
  return name.str();
}

Places places_of(const ReportContext& context) {
  const Job& job = context.job;
  Places places;
  PlaceNames names(context);
  for (const JobType& type : job.types) {
    for (const Instances& part : job.instances.of(type.number)) {
      std::vector<MadeThere>& there = places[names.of(part.site)];
      if (there.empty() || there.back().type != type.number) there.push_back({type.number, part.site, {}, 0});
      if (!part.counters) continue;
      there.back().counters += *part.counters;
      there.back().live += live(*part.counters, job.store[type.definition].call.combiner);
    }
  }
  return places;
}

}  // namespace ddtscope::reporters
