// File views whose types have displacements that MPI-4.1 14.1.1 forbids: in the order of the typemap they may neither
// decrease nor be negative; nor, where the file is open for writing, may entries overlap (14.3).
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "decoder/base/lower_case.h"
#include "decoder/coverage/overlap.h"
#include "decoder/findings/finding_subject.h"
#include "reporters/model/findings_of_calls.h"

namespace ddtscope::reporters {
namespace {

/// Entries are looked at by what is known of the first and the last one of each node, never one by one.
class TypemapOrder {
 public:
  explicit TypemapOrder(const Job& job) : layouts_(job.store, job.observed_bounds) {}

  const LayoutFacts& facts(DefinitionId type) { return layouts_.facts(type); }
  bool touches_twice(DefinitionId type) { return overlap_within(layouts_, layouts_.root(type)) == Overlap::yes; }
  bool decreases(DefinitionId type) {
    const auto known = known_.find(type.value);
    if (known != known_.end()) return known->second;
    return known_[type.value] = decreases(layouts_.root(type));
  }

 private:
  Exact first_of(LayoutId id) const { return layouts_[id].facts.first_displacement; }
  Exact last_of(LayoutId id) const {
    const LayoutFacts& facts = layouts_[id].facts;
    return facts.last_end - Exact(layouts_.store().predefined()[facts.last_type].size);
  }
  /// Whether the second one of two copies begins before the last entry of the first.
  bool goes_back(LayoutId child, Exact step, Exact copies) const {
    return Exact(1) < copies && first_of(child) + step < last_of(child);
  }

  bool decreases(LayoutId id) {
    const LayoutNode& node = layouts_[id];
    if (node.facts.empty() || node.kind == LayoutKind::basic) return false;
    const auto known = nodes_.find(id.value);
    if (known != nodes_.end()) return known->second;
    const bool answer = node.kind == LayoutKind::repeat
                            ? goes_back(node.child, node.stride, node.count) || decreases(node.child)
                            : parts_decrease(node);
    return nodes_[id.value] = answer;
  }
  bool parts_decrease(const LayoutNode& node) {
    std::optional<Exact> last;
    for (std::size_t i = 0; i < node.part_count; ++i) {
      const LayoutPart part = node.part(i);
      if (part.blocklength <= 0 || layouts_[part.child].facts.empty()) continue;
      if (last && part.displacement + first_of(part.child) < *last) return true;
      if (goes_back(part.child, part.extent, part.blocklength) || decreases(part.child)) return true;
      last = part.displacement + Exact(part.blocklength - 1) * part.extent + last_of(part.child);
    }
    return false;
  }

  Layouts layouts_;
  std::unordered_map<std::uint32_t, bool> known_;  // by DefinitionId
  std::unordered_map<std::uint32_t, bool> nodes_;  // by LayoutId
};

/// What is done with files, in the whole job: a view is not told which accesses are made through it.
struct FileAccesses {
  bool any_reads = false, any_writes = false;
};

FileAccesses file_accesses(const Job& job) {
  FileAccesses accesses;
  for (const TypeUse& use : job.uses) {
    const std::string called = lower_case(std::string(use.called));
    if (called.find("file_") == called.npos) continue;
    accesses.any_reads = accesses.any_reads || called.find("read") != called.npos;
    accesses.any_writes = accesses.any_writes || called.find("write") != called.npos;
  }
  return accesses;
}

bool is_open_for_writing(const JobFile& file) {
  const auto has = [&](std::string_view mode) { return file.mode.find(mode) != file.mode.npos; };
  return has("MPI_MODE_WRONLY") || has("MPI_MODE_RDWR");
}

/// The files that such calls gave views of, or tried to.
struct ViewedFiles {
  bool are_known = false;
  const JobFile* written = nullptr;  // one that was open for writing
};

ViewedFiles viewed_files(const Job& job, const TypeUse& use) {
  ViewedFiles files;
  const auto add = [&](const JobFile& file) {
    files.are_known = true;
    if (is_open_for_writing(file)) files.written = &file;
  };
  for (const JobView& view : job.views) {
    if (view.filetype == use.type && view.called == use.called && view.site == use.site)
      add(job.files[view.file.value]);
  }
  // A library may refuse it. It was one of the job's files, then, which may all be open alike.
  const auto writing = std::count_if(job.files.begin(), job.files.end(), is_open_for_writing);
  const bool are_alike = writing == 0 || static_cast<std::size_t>(writing) == job.files.size();
  if (!files.are_known && are_alike && !job.files.empty()) add(job.files.front());
  return files;
}

/// Traces without files, which are older, do not have their modes: sure is then what all files of the job are only
/// written.
std::optional<JobFinding> overlap_finding(const Job& job, const TypeUse& use, const FileAccesses& accesses) {
  const ViewedFiles files = viewed_files(job, use);
  if (files.are_known && files.written == nullptr) return std::nullopt;
  JobFinding finding = finding_about(use);
  finding.kind = &kind_of(FindingId::receive_overlap);
  const bool is_written = job.files.empty() && accesses.any_writes && !accesses.any_reads;
  finding.severity = files.are_known || is_written ? Severity::error : Severity::note;
  finding.message =
      std::string(use.called) + " is given as " + std::string(trace::name_of(use.parameter)) +
      " a type that touches some byte of the file twice, which is " +
      (files.are_known ? "erroneous in a file that is open for writing, as \"" + files.written->name + "\" is."
       : is_written    ? "erroneous in a file that is written."
                       : "erroneous if the file is open for writing.");
  finding.advice = "Give each entry a place of its own; `ddtscope show` draws which bytes are touched twice.";
  return finding;
}

std::optional<std::string> fault_of(TypemapOrder& order, const TypeUse& use) {
  const LayoutFacts& facts = order.facts(use.type);
  if (facts.empty() || !facts.true_lb.fits() || !facts.true_ub.fits()) return std::nullopt;
  const std::string given = std::string(use.called) + " is given as " + std::string(trace::name_of(use.parameter));
  if (facts.true_lb < Exact(0)) {
    return given + " a type with a negative displacement, " + grouped(facts.true_lb) + ".";
  }
  if (!order.decreases(use.type)) return std::nullopt;
  return given + " a type whose displacements decrease on the way through its typemap.";
}

}  // namespace

std::vector<JobFinding> findings_of_views(const Job& job) {
  std::vector<JobFinding> findings;
  TypemapOrder order(job);
  const FileAccesses accesses = file_accesses(job);
  for (const TypeUse& use : job.uses) {
    const bool is_of_view =
        use.parameter == trace::UseParameter::etype || use.parameter == trace::UseParameter::filetype;
    if (!is_of_view) continue;
    std::optional<std::string> fault = fault_of(order, use);
    if (!fault && use.parameter == trace::UseParameter::filetype && order.touches_twice(use.type)) {
      if (std::optional<JobFinding> finding = overlap_finding(job, use, accesses)) {
        findings.push_back(std::move(*finding));
      }
    }
    if (!fault) continue;
    JobFinding finding = finding_about(use);
    finding.kind = &kind_of(FindingId::bad_argument);
    finding.severity = Severity::error;
    finding.message = std::move(*fault);
    finding.advice =
        "Give the blocks in the order in which they stand in the file, and move the view by its displacement.";
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace ddtscope::reporters
