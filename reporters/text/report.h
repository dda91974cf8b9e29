// The reports that the command prints for people.
#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "reporters/report/report_format.h"
#include "reporters/text/style.h"

namespace ddtscope::reporters {

class SiteFrames;
struct MeasuredType;

struct TextContext : ReportContext {
  Style style;
};

/// All of the below.
class TextFormat final : public ReportFormat {
 public:
  explicit TextFormat(Style style) : style_(style) {}
  std::string_view name() const override { return "text"; }
  void summary(std::ostream& out, const ReportContext& context) const override;
  void types(std::ostream& out, const ReportContext& context, TypesOrder order) const override;
  void layout_groups(std::ostream& out, const ReportContext& context) const override;
  void uses(std::ostream& out, const ReportContext& context, const UsesQuery& query) const override;
  void check(std::ostream& out, const ReportContext& context, JobFindings& findings) const override;
  void show(std::ostream& out, const ReportContext& context, const ShowOptions& options) const override;
  void explanation(std::ostream& out, const FindingKind& kind) const override;
  void finding_kinds(std::ostream& out) const override;
  void match(std::ostream& out, const TypeMatch& match) const override;
  void pending(std::ostream& out, const ReportContext& context, const WaitingRanks& waiting) const override;
  void measurement(std::ostream& out, const Job& job, const Measurement& measurement) const override;
  void diff(std::ostream& out, const DiffInput& input, const JobDiff& diff) const override;

 private:
  Style style_;
};

void report_summary(std::ostream& out, const TextContext& context);
void report_types(std::ostream& out, const TextContext& context, TypesOrder order);
/// Types that are the same in memory together, the groups with most types first.
void report_layout_groups(std::ostream& out, const TextContext& context);

void report_show(std::ostream& out, const TextContext& context, const ShowOptions& options);

/// The struct of the program that it stands for, or why none is known.
void report_source(std::ostream& out, const TextContext& context, const SourceAnswer& answer);

void report_uses(std::ostream& out, const TextContext& context, const UsesQuery& query);
/// "Bytes moved by derived types", the five that move most; nothing where none does.
void report_moved_types(std::ostream& out, const TextContext& context);

void report_check(std::ostream& out, const TextContext& context, JobFindings& findings);
/// "made in setup (app.c:12) and at 3 other call sites", "called in exchange (halo.c:20)".
std::string place_in_words(const ReportContext& context, const JobFinding& finding, const SiteFrames& frames);
/// Whether it is about a call of the program, not about a type as it was made.
bool is_of_call(const JobFinding& finding);
/// "freed in setup (app.c:12); was T1 "edge"", or another call and its place; empty where there is no second party.
std::string second_party_in_words(const ReportContext& context, const JobFinding& finding, const SiteFrames& frames);

/// What changed: findings and leaks first, then types, place by place.
void report_diff(std::ostream& out, const Style& style, const DiffInput& input, const JobDiff& diff);

/// Whether two types match, and where they part.
void report_match(std::ostream& out, const Style& style, const TypeMatch& match);

/// Who waits for what never comes, then all that wait, and what is started.
void report_pending(std::ostream& out, const TextContext& context, const WaitingRanks& waiting);

/// "T5 packs at 0.40 GB/s, 11 x slower than memcpy; as MPI_Type_create_hvector(...) 2.0 x, by hand 1.5 x." Empty where
/// packing was not measured.
std::string measured_sentence(const Job& job, const MeasuredType& type);
/// "Measured with Open MPI v4.1.4 on n1: T5 packs at ...", for a finding about what its type costs: by the figures that
/// are kept with the trace. Empty where there are none.
std::string measured_in_words(const ReportContext& context, const JobFinding& finding);
/// What types cost with the MPI library at hand.
void report_measurement(std::ostream& out, const Style& style, const Job& job, const Measurement& measurement);

/// One kind of finding, or a line for each of them.
void report_explanation(std::ostream& out, const Style& style, const FindingKind& kind);
void report_finding_kinds(std::ostream& out, const Style& style);

/// "complete: all 4 ranks ended in MPI_Finalize", or which did not and how.
std::string completeness(const Job& job);
/// Lines for never freed, never committed, failed, unrecorded; nothing where there is none.
void report_left_behind(std::ostream& out, const TextContext& context);
/// Lines for what could not be recorded; nothing where all was.
void report_unrecorded(std::ostream& out, const TextContext& context);
/// The same, of uses of types alone.
void report_unrecorded_uses(std::ostream& out, const TextContext& context);

/// Sums of what was sent, by pairs of processes or by communicators.
void report_traffic(std::ostream& out, const TextContext& context, const UsesQuery& query);
/// What was read from and written to each file, and how it was viewed.
void report_files(std::ostream& out, const TextContext& context, const UsesQuery& query);
/// A line that says how many files there were; nothing where there were none.
void report_number_of_files(std::ostream& out, const TextContext& context);
/// The job's windows, and what one-sided calls did in them.
void report_windows(std::ostream& out, const TextContext& context, const UsesQuery& query);
/// How many messages match on both sides, and what could not be compared.
void report_messages(std::ostream& out, const TextContext& context);

/// Lines for what the program itself kept from being recorded, by MPI_Pcontrol, and for call sites where
/// DDTSCOPE_STACK=0 did; nothing where all was recorded.
void report_switches(std::ostream& out, const TextContext& context);

}  // namespace ddtscope::reporters
