// File views whose types have displacements that MPI-4.1 14.1.1 forbids: in the order of the typemap they may neither
// decrease nor be negative.
#include <optional>
#include <unordered_map>
#include <utility>

#include "decoder/findings/finding_subject.h"
#include "reporters/model/findings_of_calls.h"

namespace ddtscope::reporters {
namespace {

/// Entries are looked at by what is known of the first and the last one of each node, never one by one.
class TypemapOrder {
 public:
  explicit TypemapOrder(const Job& job) : layouts_(job.store, job.observed_bounds) {}

  const LayoutFacts& facts(DefinitionId type) { return layouts_.facts(type); }
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
  for (const TypeUse& use : job.uses) {
    const bool is_of_view =
        use.parameter == trace::UseParameter::etype || use.parameter == trace::UseParameter::filetype;
    std::optional<std::string> fault = is_of_view ? fault_of(order, use) : std::nullopt;
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
