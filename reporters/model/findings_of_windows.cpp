// One-sided calls held against their targets' windows: whether all bytes that they reach lie in them (MPI-4.1 12.3).
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "decoder/base/grouped.h"
#include "decoder/layout/span.h"
#include "reporters/model/by_rank.h"
#include "reporters/model/findings_of_calls.h"
#include "reporters/model/target_windows.h"
#include "reporters/model/window_uses.h"

namespace ddtscope::reporters {
namespace {

Exact exact(std::int64_t value) { return Exact(static_cast<Int128>(value)); }

class WindowFindings {
 public:
  explicit WindowFindings(const Job& job)
      : job_(job), layouts_(job.store, job.observed_bounds), windows_(job), names_(job) {
    for (const JobAttached& attached : job.attached) {
      attached_[&job.windows[attached.window.value]].add(attached.ranks, &attached);
    }
  }

  void look_at(const JobAccesses& accesses) {
    const std::uint64_t calls = calls_of(accesses);
    layouts_.make_room(layout_memory);
    const Span span = span_of(layouts_, accesses.type, Exact(static_cast<Int128>(accesses.elements)));
    if (span.length() == Exact(0)) return;  // nothing moves
    const Rank target{accesses.world(), accesses.target};
    const JobWindow* const window = windows_.of(job_.windows[accesses.window.value].name, target);
    if (window == nullptr) {
      unknown_ += calls;
      return;
    }
    if (!window->size || !window->displacement_unit) {
      look_at_attached(accesses, *window, target, span);
      return;
    }
    const Exact unit = exact(*window->displacement_unit);
    const Span reached{exact(accesses.lowest) * unit + span.first, exact(accesses.highest) * unit + span.end};
    if (!reached.first.fits() || !reached.end.fits()) return;
    if (reached.first < Exact(0) || exact(*window->size) < reached.end) {
      add(accesses, *window, target,
          in_words(accesses, target) + " bytes " + grouped(reached.first) + " to " + grouped(reached.end - Exact(1)) +
              ", and the window has " + counted(exact(*window->size), "byte", "bytes") + ".");
    }
  }

  DrawnFindings take() {
    DrawnFindings drawn{std::move(findings_), {}};
    const auto remark = [&](std::uint64_t number, const char* why) {
      if (number == 0) return;
      drawn.remarks.push_back(counted(number, "access", "accesses") + " to windows " + (number == 1 ? "was" : "were") +
                              " not judged: " + why);
    };
    remark(dynamic_, "the windows are dynamic, and which memory is attached is not recorded.");
    remark(unknown_, "the trace does not tell the target's window.");
    return drawn;
  }

 private:
  /// Of all processes that made them, each as many.
  static std::uint64_t calls_of(const JobAccesses& accesses) { return accesses.count * processes_of(accesses.ranks); }

  /// In a dynamic window displacements are addresses. Of what lies between the first and the last byte that an access
  /// touches nobody says anything, nor of accesses between those at the lowest and at the highest displacement.
  void look_at_attached(const JobAccesses& accesses, const JobWindow& window, Rank target, const Span& span) {
    const JobAttached* const attached = attached_to(window, target);
    if (attached == nullptr) {
      dynamic_ += calls_of(accesses);
      return;
    }
    const auto is_attached = [&](const Exact& address) {
      return std::any_of(attached->ranges.begin(), attached->ranges.end(), [&](const AttachedRange& range) {
        return !(address < exact(range.address)) && address < exact(range.address) + exact(range.bytes);
      });
    };
    for (const std::int64_t displacement : {accesses.lowest, accesses.highest}) {
      const Span reached{exact(displacement) + span.first, exact(displacement) + span.end};
      if (!reached.first.fits() || !reached.end.fits()) return;
      if (is_attached(reached.first) && is_attached(reached.end - Exact(1))) continue;
      add(accesses, window, target,
          in_words(accesses, target) + " not all of the " + counted(reached.length(), "byte", "bytes") +
              " from address " + grouped(reached.first) + " on were ever attached to it.");
      return;
    }
  }

  const JobAttached* attached_to(const JobWindow& window, Rank target) {
    const auto found = attached_.find(&window);
    return found != attached_.end() ? found->second.of(target) : nullptr;
  }

  void add(const JobAccesses& accesses, const JobWindow& window, Rank target, std::string message) {
    JobFinding finding{};
    finding.kind = &kind_of(FindingId::window_range);
    finding.severity = Severity::error;
    finding.message = std::move(message);
    finding.advice =
        window.displacement_unit
            ? "Target displacements count the displacement unit that the target gave its window, " +
                  counted(exact(*window.displacement_unit), "byte", "bytes") +
                  " here; make the window as large as what is reached, or mend displacement, count or type."
            : "Target displacements are addresses of the target's, by MPI_Get_address; attach all that is reached by "
              "MPI_Win_attach, or mend displacement, count or type.";
    finding.type = accesses.type;
    finding.called = accesses.called;
    finding.argument = name_of(accesses.parameter);
    finding.ranks = accesses.ranks;
    finding.count = calls_of(accesses);
    finding.sites = {accesses.site};
    OtherParty other;
    other.called = window.called;
    other.ranks.add(target);
    other.site = window.site;
    finding.other = std::move(other);
    join(std::move(finding));
  }

  /// "MPI_Put accesses 4 x MPI_INT at displacement 97 of rank 1's window:"
  std::string in_words(const JobAccesses& accesses, Rank target) const {
    const std::string places =
        accesses.lowest == accesses.highest
            ? "displacement " + grouped(exact(accesses.lowest))
            : "displacements " + grouped(exact(accesses.lowest)) + " to " + grouped(exact(accesses.highest));
    return std::string(accesses.called) + " accesses " + grouped(accesses.elements) + " x " +
           job_.name_of(accesses.type) + " at " + places + " of rank " + text_of(target) + "'s window" +
           names_.in_words(job_.windows[accesses.window.value].name, target) + ":";
  }

  /// The same type at the same place beyond windows of one constructor is one finding, told by what was met first.
  void join(JobFinding finding) {
    const Place place{finding.called, finding.type->value, finding.sites.front(), finding.other->called,
                      finding.other->site};
    const auto [known, is_new] = places_.try_emplace(place, findings_.size());
    if (is_new) {
      findings_.push_back(std::move(finding));
      return;
    }
    JobFinding& one = findings_[known->second];
    one.count += finding.count;
    join_ranks(one.ranks, finding.ranks);
    join_ranks(one.other->ranks, finding.other->ranks);
  }

  using Place = std::tuple<std::string_view, std::uint32_t, std::optional<FrameIndex>, std::string_view,
                           std::optional<FrameIndex>>;
  const Job& job_;
  Layouts layouts_;
  TargetWindows windows_;
  std::map<const JobWindow*, ByRank<const JobAttached*>> attached_;
  const WindowNames names_;
  std::map<Place, std::size_t> places_;
  std::vector<JobFinding> findings_;
  std::uint64_t unknown_ = 0, dynamic_ = 0;  // accesses that are not judged
};

}  // namespace

DrawnFindings findings_of_windows(const Job& job) {
  if (job.accesses.empty()) return {};
  WindowFindings findings(job);
  for (const JobAccesses& accesses : job.accesses) findings.look_at(accesses);
  return findings.take();
}

}  // namespace ddtscope::reporters
