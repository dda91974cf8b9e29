// What the decoder says of a job's types beyond their layouts: bounds under each rule, fingerprints, simpler
// calls, findings. Computed when first asked for, and kept. Not synchronised.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "decoder/bounds.h"
#include "decoder/findings.h"
#include "decoder/fingerprint.h"
#include "decoder/simplify.h"
#include "reporters/model/job.h"

namespace ddtscope {

/// A finding about one type of the job.
struct TypeFinding {
  TypeNumber type;
  Finding finding;
};

struct FindingCounts {
  std::uint64_t errors = 0, warnings = 0, notes = 0;
};

/// The differences that verification found, each in the order of the trace.
struct SortedDifferences {
  std::vector<const JobDifference*> unexplained;
  std::vector<const JobDifference*> explained;
};

class Analysis {
 public:
  /// A summary looks for findings in at most so many definitions: it must stay quick.
  static constexpr std::size_t summary_limit = 10000;

  /// The job must outlive it.
  explicit Analysis(const Job& job);

  AllRules& rules() { return rules_; }
  Fingerprints& fingerprints() { return fingerprints_; }
  const std::optional<Simpler>& simpler(TypeNumber number);
  const Portability& portability(TypeNumber number);
  const std::vector<Finding>& findings(TypeNumber number);
  /// Of all types: errors first, then warnings, then notes; by type within each.
  std::vector<TypeFinding> all_findings();
  /// The library as ddtscope models it, where that model gives the answer that the library gave. Such a difference
  /// from the standard is known and no alarm. Empty where it is not explained.
  std::optional<BoundsRule> explanation(const JobDifference& difference);
  SortedDifferences differences();
  /// For a summary; empty where the definitions are too many.
  std::optional<FindingCounts> finding_counts();

 private:
  DefinitionId definition(TypeNumber number) const { return job_.type(number).definition; }

  const Job& job_;
  NameOldtype name_oldtype_;
  AllRules rules_;
  Fingerprints fingerprints_;
  Simplifier simplifier_;
  FindingSources sources_;
  std::unordered_map<std::uint32_t, std::optional<Simpler>> simpler_;
  std::unordered_map<std::uint32_t, Portability> portability_;
  std::unordered_map<std::uint32_t, std::vector<Finding>> findings_;
};

/// A type in the notation of 1995 (decoder/bnf.h), named by the job's numbers: "U9(V:d:3:1:2)".
std::string bnf_of(const Job& job, TypeNumber number);

/// Whether a finding is worth an exit status of its own: notes are not.
constexpr bool is_alarming(Severity severity) { return severity != Severity::note; }

}  // namespace ddtscope
