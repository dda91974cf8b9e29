// Pairs of arguments that may be wrong together, decided exactly: processes only saw that the hulls of two buffers lie
// over each other.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "decoder/coverage/overlap.h"
#include "decoder/coverage/overlap_between.h"
#include "decoder/findings/finding_subject.h"
#include "reporters/model/finding_words.h"
#include "reporters/model/findings_of_calls.h"

namespace ddtscope::reporters {
namespace {

/// Whether pairs of types of a job share bytes, as it is asked for.
class SharedBytes {
 public:
  explicit SharedBytes(const Job& job) : layouts_(job.store, job.observed_bounds) {}

  /// Whether the copies of the one buffer touch some byte twice.
  Overlap within(const CallFinding& found) {
    layouts_.make_room(layout_memory);
    const DefinitionId type = *found.type;
    if (layouts_.facts(type).empty()) return Overlap::no;
    return overlap_of_count(layouts_, layouts_.root(type),
                            {Exact(static_cast<Int128>(found.elements)), layouts_.extent(type)});
  }
  SharedByte of(const CallFinding& found) {
    layouts_.make_room(layout_memory);
    const PlacedCopies own = copies(*found.type, found.elements, 0);
    return shared_byte(layouts_, own, copies(found.other->type, found.other->elements, found.other->distance));
  }

 private:
  PlacedCopies copies(DefinitionId type, std::uint64_t elements, std::int64_t at) {
    return {layouts_.root(type), layouts_.extent(type), Exact(static_cast<Int128>(elements)), Exact(at)};
  }

  Layouts layouts_;
};

std::string elements_in_words(const Job& job, std::uint64_t elements, DefinitionId type) {
  return grouped(elements) + " x " + job.name_of(type);
}

/// Two blocks of one argument.
bool is_of_blocks(const CallFinding& found) { return found.finding == kind_of(FindingId::receive_overlap).id; }

/// "MPI_Irecv writes (datatype, 10 x MPI_DOUBLE) memory that the pending MPI_Isend reads (...)."
std::string parties_in_words(const Job& job, const CallFinding& found) {
  const OtherArgument& other = *found.other;
  const auto argument = [&](std::string_view name, std::uint64_t elements, DefinitionId type) {
    return " (" + std::string(name) + ", " + elements_in_words(job, elements, type) + ")";
  };
  return std::string(found.called) + " " + std::string(found.access) +
         argument(found.argument, found.elements, *found.type) + " memory that " +
         (!other.is_of_same_call ? "the pending " + std::string(other.called) + " " + std::string(other.access)
          : is_of_blocks(found)  ? "another block of it " + std::string(other.access) + ", too"
                                 : "it " + std::string(other.access) + ", too") +
         argument(other.argument, other.elements, other.type);
}

std::string byte_in_words(const CallFinding& found, const SharedByte& shared) {
  if (!shared.byte) return ".";
  return std::string(shared.is_first ? ": the first byte that both touch is byte " : ": both touch byte ") +
         grouped(*shared.byte) + " from the address of its own buffer, byte " +
         grouped(*shared.byte - Exact(found.other->distance)) + " from that of the other.";
}

JobFinding finding_of(const Job& job, const CallFinding& found, const SharedByte& shared) {
  JobFinding finding = finding_about(found);
  finding.kind = find_finding_kind(found.finding);
  const bool is_only_read = found.access == "reads" && found.other->access == "reads";  // by the root of a scatter
  finding.severity = shared.answer == Overlap::yes && !is_only_read ? Severity::error : Severity::note;
  finding.message = parties_in_words(job, found) + (shared.answer == Overlap::yes
                                                        ? byte_in_words(found, shared)
                                                        : "; whether they share a byte could not be decided.");
  finding.advice = is_of_blocks(found)
                       ? "Look at the displacements: they count copies of the type, in bytes only where the call has "
                         "an array of types."
                   : found.other->is_of_same_call
                       ? "Give each argument memory of its own, or MPI_IN_PLACE where the call has it."
                       : "Give each operation memory of its own, or complete the first one before the second.";
  return finding;
}

JobFinding written_twice_finding(const Job& job, const CallFinding& found) {
  JobFinding finding = finding_about(found);
  finding.kind = find_finding_kind(found.finding);
  finding.severity = Severity::error;
  finding.other.reset();
  finding.message = std::string(found.called) + " writes " + elements_in_words(job, found.elements, *found.type) +
                    ", which touch some byte twice; what stands there afterwards is undefined." +
                    repetition(job, found.count);
  finding.advice = "Give each entry a place of its own; `ddtscope show` draws which bytes are touched twice.";
  return finding;
}

/// Two calls whose buffers share bytes at many distances are one finding: the first one's words, and how many more.
class OverlappingCalls {
 public:
  void add(const Job& job, const CallFinding& found, const SharedByte& shared) {
    const OtherArgument& other = *found.other;
    const Key key(found.finding, shared.answer == Overlap::yes, found.called, found.argument, found.type->value,
                  found.site, other.called, other.argument, other.type.value, other.site, other.is_of_same_call);
    const auto [known, is_new] = places_.try_emplace(key, findings_.size());
    if (is_new) {
      findings_.push_back({finding_of(job, found, shared), 0});
      return;
    }
    auto& [finding, others] = findings_[known->second];
    ++others;
    finding.count += found.count;
    join_ranks(finding, found.ranks);
  }

  std::vector<JobFinding> take(const Job& job) {
    std::vector<JobFinding> all;
    for (auto& [finding, others] : findings_) {
      if (others != 0) {
        finding.message +=
            " The same two calls do so with " + counted(others, "other pair of buffers.", "other pairs of buffers.");
      } else {
        finding.message += repetition(job, finding.count);
      }
      all.push_back(std::move(finding));
    }
    return all;
  }

 private:
  using Site = std::optional<FrameIndex>;
  using Key = std::tuple<std::string_view, bool, std::string_view, std::string_view, std::uint32_t, Site,
                         std::string_view, std::string_view, std::uint32_t, Site, bool>;
  std::map<Key, std::size_t> places_;
  std::vector<std::pair<JobFinding, std::uint64_t>> findings_;
};

}  // namespace

std::vector<JobFinding> findings_of_pairs(const Job& job) {
  SharedBytes bytes(job);
  OverlappingCalls calls;
  std::vector<JobFinding> written_twice;
  for (const CallFinding& found : job.call_findings) {
    if (!found.other || !found.type || found.count == 0) continue;
    if (found.finding != kind_of(FindingId::buffers_overlap).id && !is_of_blocks(found)) continue;
    if (found.other->access == "none") {
      if (bytes.within(found) == Overlap::yes) written_twice.push_back(written_twice_finding(job, found));
      continue;
    }
    const SharedByte shared = bytes.of(found);
    if (shared.answer != Overlap::no) calls.add(job, found, shared);
  }
  std::vector<JobFinding> findings = calls.take(job);
  std::move(written_twice.begin(), written_twice.end(), std::back_inserter(findings));
  return findings;
}

}  // namespace ddtscope::reporters
