// What the decoder says of a job's types beyond their layouts: bounds under each rule, fingerprints, simpler
// calls, findings. Computed when first asked for. Not synchronised.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "decoder/bounds/bounds.h"
#include "decoder/coverage/diagnosis.h"
#include "decoder/equality/fingerprint.h"
#include "decoder/findings/findings.h"
#include "decoder/normal_form/simplify.h"
#include "reporters/model/collective_comparison.h"
#include "reporters/model/job.h"
#include "reporters/model/message_comparison.h"
#include "reporters/model/ordered_parallel_for.h"

namespace ddtscope::reporters {

struct FindingCounts {
  std::uint64_t errors = 0, warnings = 0, notes = 0;
  std::uint64_t& of(Severity severity);
};

/// The differences that verification found, each in the order of the trace.
struct SortedDifferences {
  std::vector<const JobDifference*> unexplained;
  std::vector<const JobDifference*> explained;
};

/// A job of so many types that an answer for each would not fit into memory is looked at in windows: types that follow
/// each other, with what they are made of. Answers are kept for one window at a time, or for two of them in two threads
/// where all types are gone through.
class Analysis {
 public:
  struct Windows {
    std::size_t types_of_one = 16384;   // a job of so many types is one window
    std::size_t types_of_several = 64;  // at least 1
  };
  /// The job must outlive it.
  explicit Analysis(const Job& job) : Analysis(job, Windows{}) {}
  Analysis(const Job& job, const Windows& windows);
  ~Analysis();

  /// A type in its window.
  struct Place {
    DefinitionId definition;
    const Layouts& layouts;
    AllRules& rules;
    Fingerprints& fingerprints;
  };
  /// Makes a window of these, no more than one has, that are going to be asked for: in whatever order all types
  /// come, each is looked at once.
  void look_at(std::span<const TypeNumber> types);
  /// take(work(lane, analysis, some of the types)) for all of `types`, in this order: of the types of a large job, two
  /// windows at once, each by an analysis of its own. `lane` says which, below `lanes`; take is called in the calling
  /// thread, alone.
  template <class Work, class Take>
  void in_windows(std::span<const TypeNumber> types, Work work, Take take);
  // What these return stays until a type of another window is asked for.
  Place place(TypeNumber number);
  const std::optional<Simpler>& simpler(TypeNumber number);
  const Portability& portability(TypeNumber number);
  const std::vector<Finding>& findings(TypeNumber number);
  Diagnosis diagnosis(TypeNumber number);

  using SeeFinding = std::function<void(TypeNumber type, const Finding& finding)>;
  /// All findings, by type.
  void each_finding(const SeeFinding& see);

  /// The releases whose rules are taken: of the library that the job ran on its own, or what comes nearest to it.
  const ChosenReleases& releases() const { return releases_; }
  /// A sentence where the job's library is no modelled release; else empty.
  const std::string& remark_on_release() const { return remark_on_release_; }

  /// The library as ddtscope models it, where that model gives the answer that the library gave. Such a difference
  /// from the standard is known and no alarm. Empty where it is not explained.
  std::optional<BoundsRule> explanation(const JobDifference& difference);
  SortedDifferences differences();

  /// Both sides of all messages, compared.
  const MessageComparison& messages();
  /// The collective operations of all processes, compared.
  const CollectiveComparison& collectives();

 private:
  class Window;
  enum class Surveyed : std::uint8_t { none, one, all };
  /// Asks what only the whole job tells of a definition.
  using AskWhole = std::function<bool(DefinitionId id)>;

  /// For another thread: what is known of the whole job is known to both.
  Analysis(const Analysis& other);
  /// How many types are looked at together.
  std::size_t types_of_window() const;
  bool is_one_window() const { return job_.types.size() <= windows_.types_of_one; }
  std::vector<DefinitionId> definitions_beside(TypeNumber number) const;
  std::unique_ptr<Window> make_window();
  bool is_full(const Window& window) const;
  void move_to(std::span<const DefinitionId> ids, std::unique_ptr<Window>& window);
  Window& window_with(TypeNumber number);
  Place place_of_difference(TypeNumber number);
  bool is_resized(DefinitionId id) { return resized()[id.value]; }
  const std::vector<bool>& resized();
  bool is_only_read(DefinitionId id);
  bool is_held(DefinitionId id);
  void survey(DefinitionId asked);
  void survey_all();
  void mark_held_by(std::span<const DefinitionId> ids);

  const Job& job_;
  Windows windows_;
  std::optional<BoundsRule> library_;
  ChosenReleases releases_;
  std::string remark_on_release_;
  std::unique_ptr<Window> window_;
  std::unique_ptr<Window> scattered_;   // types from anywhere, whose bounds alone are asked for
  std::vector<bool> resized_;           // by DefinitionId; empty before it is asked for
  std::vector<bool> held_;              // the same: Simplifier::is_held
  std::vector<bool> only_read_;         // the same
  Surveyed surveyed_ = Surveyed::none;  // which of `held_` are known
  DefinitionId asked_;                  // the one
  std::optional<MessageComparison> messages_;
  std::optional<CollectiveComparison> collectives_;
};

template <class Work, class Take>
void Analysis::in_windows(std::span<const TypeNumber> types, Work work, Take take) {
  const auto piece = [&](std::size_t i) { return piece_of(types, i, windows_.types_of_several); };
  const std::size_t pieces = pieces_of(types.size(), windows_.types_of_several);
  if (pieces < 2 || is_one_window()) {
    for (std::size_t i = 0; i < pieces; ++i) {
      look_at(piece(i));
      take(work(std::size_t{0}, *this, piece(i)));
    }
    return;
  }
  survey_all();
  Analysis second(*this);
  Analysis* const of_lane[lanes] = {this, &second};
  ordered_parallel_for(
      pieces,
      [&](std::size_t lane, std::size_t i) {
        of_lane[lane]->look_at(piece(i));
        return work(lane, *of_lane[lane], piece(i));
      },
      [&](std::size_t, auto&& result) { take(std::forward<decltype(result)>(result)); });
}

/// A type in the notation of 1995 (decoder/notation/bnf.h), named by the job's numbers: "U9(V:d:3:1:2)".
std::string bnf_of(const Job& job, TypeNumber number);

/// Whether a finding is worth an exit status of its own: notes are not.
constexpr bool is_alarming(Severity severity) { return severity != Severity::note; }

}  // namespace ddtscope::reporters
