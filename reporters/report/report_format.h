// What can be asked of a job, whatever the answer looks like: an output format is a class of these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string_view>
#include <vector>

#include "decoder/findings/findings.h"
#include "reporters/model/analysis.h"
#include "reporters/model/array_coverage.h"
#include "reporters/model/job.h"
#include "reporters/model/job_findings.h"
#include "reporters/model/waiting.h"
#include "reporters/report/ordered_types.h"
#include "reporters/report/selected_uses.h"
#include "reporters/struct_layout/struct_layout.h"
#include "reporters/symbols/symbols.h"

namespace ddtscope::reporters {

struct KeptMeasurement;

/// A job, and what is worked out of it when a report needs it; all outlive the report.
struct ReportContext {
  const Job& job;
  Analysis& analysis;
  Symbols& symbols;
  const std::vector<KeptMeasurement>* measured = nullptr;  // figures that are kept with the trace; may be nullptr
  const DrawnFindings* kept_sources = nullptr;             // what the program's sources say, the same
};

/// Pictures of a type.
enum class View : std::uint8_t { rows, grid, runs, tree };

/// The struct of the program that a type stands for.
struct SourceAnswer {
  std::optional<StructLayout> layout;
  std::vector<std::string> why_not;  // where there is none, a sentence each
};

struct ShowOptions {
  TypeNumber type;
  std::optional<View> view = {};                    // the one that suits the type; for formats that have pictures
  std::optional<std::size_t> typemap_entries = {};  // with --typemap
  std::optional<std::int64_t> count = {};           // with --count: the memory that so many copies need
  bool with_bnf = false;                            // with --bnf
  std::optional<UserArray> array = {};              // with --array; one that coverage_of_array takes
  std::optional<SourceAnswer> source = {};          // with --source
};

struct DiffInput;
struct JobDiff;      // reporters/diff
struct TypeMatch;    // type_match.h
struct Measurement;  // reporters/measure

/// Each function writes a whole report; what could not be written shows in the state of the stream.
class ReportFormat {
 public:
  ReportFormat() = default;
  ReportFormat(const ReportFormat&) = delete;
  ReportFormat& operator=(const ReportFormat&) = delete;
  virtual ~ReportFormat() = default;

  virtual std::string_view name() const = 0;  // "json"

  virtual void summary(std::ostream& out, const ReportContext& context) const = 0;
  virtual void types(std::ostream& out, const ReportContext& context, TypesOrder order) const = 0;
  /// Types that are the same in memory together.
  virtual void layout_groups(std::ostream& out, const ReportContext& context) const = 0;
  virtual void check(std::ostream& out, const ReportContext& context, JobFindings& findings) const = 0;
  /// What was done with the types, predefined ones too.
  virtual void uses(std::ostream& out, const ReportContext& context, const UsesQuery& query) const = 0;
  virtual void show(std::ostream& out, const ReportContext& context, const ShowOptions& options) const = 0;
  /// What a kind of finding means.
  virtual void explanation(std::ostream& out, const FindingKind& kind) const = 0;
  virtual void finding_kinds(std::ostream& out) const = 0;
  /// Whether two types match.
  virtual void match(std::ostream& out, const TypeMatch& match) const = 0;
  /// Which ranks wait for what.
  virtual void pending(std::ostream& out, const ReportContext& context, const WaitingRanks& waiting) const = 0;
  /// What some of the job's types cost with the MPI library at hand.
  virtual void measurement(std::ostream& out, const Job& job, const Measurement& measurement) const = 0;
  /// What changed from one job to another.
  virtual void diff(std::ostream& out, const DiffInput& input, const JobDiff& diff) const = 0;
};

}  // namespace ddtscope::reporters
