// Findings that are not wanted, by id and by what stands in their call sites: the lines of a suppressions file.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "decoder/findings/finding_kinds.h"
#include "reporters/model/job.h"
#include "reporters/report/site_pattern.h"
#include "reporters/symbols/symbols.h"

namespace ddtscope::reporters {

/// One line of a file: "never-freed libscalapack*".
struct Suppression {
  std::set<FindingId> ids;  // empty: all
  /// With * ? and [...], of a whole function name, or of a file or module by its path or its name.
  std::string pattern;
};

/// The lines of a file; else what is wrong with it, as a sentence.
std::variant<std::vector<Suppression>, std::string> read_suppressions(const std::filesystem::path& file);

/// The ids of a list with commas between them, "*" for all (then empty); else the word that is none.
std::variant<std::set<FindingId>, std::string> finding_ids_of_text(const std::string& list);

/// Whether findings of a job are suppressed: where some frame of the call site, or a function that was inlined there,
/// is what a line says.
class Suppressor {
 public:
  /// Job and symbols must outlive it.
  Suppressor(const std::vector<Suppression>& suppressions, const Job& job, Symbols& symbols);
  bool operator()(const FindingKind& kind, FrameIndex site);

 private:
  struct Line {
    std::set<FindingId> ids;
    SitePattern sites;
  };
  std::vector<Line> lines_;
};

}  // namespace ddtscope::reporters
