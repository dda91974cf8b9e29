// One type as JSON text (types.schema.json), for documents of millions of them.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reporters/json/json_text.h"
#include "reporters/model/analysis.h"
#include "reporters/model/job.h"
#include "reporters/symbols/symbols.h"

namespace ddtscope::reporters {

void write_ranks(JsonText& text, const RankRanges& ranks);

/// An array of frames, innermost first; empty where the site is unknown.
void write_call_site(JsonText& text, const Job& job, std::optional<FrameIndex> site, Symbols& symbols);

/// Call sites, whose texts are kept: many types were made at few of them.
class CallSiteTexts {
 public:
  CallSiteTexts(const Job& job, Symbols& symbols) : job_(job), symbols_(symbols) {}
  /// As write_call_site() does.
  void write(JsonText& text, std::optional<FrameIndex> site);

 private:
  struct Kept {
    std::optional<FrameIndex> site;
    std::size_t indent = 0;
    std::string text;
  };
  static constexpr std::size_t most_kept = 1024;

  const Job& job_;
  Symbols& symbols_;
  std::vector<Kept> kept_;  // each site at one place; those that share it take it from one another
};

void write_finding(JsonText& text, const Finding& finding);

void write_use(JsonText& text, const Job& job, const TypeUse& use, CallSiteTexts& sites);

/// A copy is for another thread.
class TypeTexts {
 public:
  /// All must outlive it.
  TypeTexts(const Job& job, Symbols& symbols);
  void write(JsonText& text, TypeNumber number, Analysis& analysis);

 private:
  void write_description(JsonText& text, const JobType& type) const;
  void write_layout(JsonText& text, const Analysis::Place& place) const;
  void write_signature(JsonText& text, const Analysis::Place& place) const;
  void write_instances(JsonText& text, const JobType& type);
  void write_uses(JsonText& text, const JobType& type);

  using PlacesOfUses = std::map<DefinitionId, std::vector<std::size_t>>;  // in Job::uses

  const Job& job_;
  CallSiteTexts sites_;
  std::shared_ptr<const PlacesOfUses> uses_;
};

}  // namespace ddtscope::reporters
