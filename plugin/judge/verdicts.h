// Errors that were found before the library got the call: each is a line of the trace at once, with its call site, and
// counted where it comes again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "decoder/findings/finding_kinds.h"
#include "plugin/call/call_outcome.h"
#include "plugin/call/call_site.h"
#include "plugin/call/entry_point.h"
#include "reporters/trace/write/writer.h"

namespace ddtscope::plugin {

/// Whether it may turn out that nothing is wrong.
enum class Certainty : std::uint8_t { certain, provisional };

/// Whether a count is to be in the trace before the end: with every doubling, so that of a process that is killed at
/// least half of it is there.
constexpr bool is_to_be_written(std::uint64_t count, std::uint64_t written) {
  return written == 0 ? count != 0 : count >= 2 * written;
}

/// What is wrong with one argument of a call.
struct Verdict {
  FindingId id = {};
  Severity severity = Severity::error;
  Certainty certainty = Certainty::certain;
  DefinitionNumber definition = {};  // of the type
  std::string predefined;            // its name, where it is no definition; neither: there is none
  const EntryPoint* called = nullptr;
  std::string argument;  // the standard's parameter
  CallSiteId site;
  std::string message;
  CallSiteId freed_at;  // of a type that was freed
  const EntryPoint* freed_by = nullptr;
};

/// Not synchronised: under the registry's lock. `most` verdicts are told apart; further ones are only counted.
class Verdicts {
 public:
  explicit Verdicts(trace::Writer& writer, std::size_t most = 4096) : writer_(writer), most_(most) {}

  /// True where it is the first error of its kind at its call site, which the user is to be told.
  bool record(const Verdict& verdict);
  /// A call that was judged without certainty has come back.
  struct Settled {
    bool is_error = false;  // and the first
    std::string message;
    FindingId id = {};
  };
  std::optional<Settled> settle(const EntryPoint* called, CallSiteId site, CallOutcome outcome);
  /// For those who keep and count what they find themselves: writes a line of the next number, which it returns.
  FindingNumber add(trace::FindingLine line);
  void set_count(FindingNumber number, std::uint64_t count) { writer_.finding_count(number, count); }
  /// Whether the user is to be told of an error, the first of its kind at its call site.
  bool is_to_be_told(FindingId id, CallSiteId site);
  /// What was found more than once. When nothing else comes.
  void write_counts();

 private:
  // Line of the type, predefined name, argument, site: with the kind and the entry point all that tells them apart.
  using Key = std::tuple<FindingId, const EntryPoint*, DefinitionNumber, std::string, std::string, CallSiteId>;
  struct Kept {
    FindingNumber number;
    std::uint64_t count = 0;
    std::uint64_t written = 0;  // the count in the trace
    std::uint64_t unsettled = 0;
    bool was_withdrawn = false;  // once: then nothing of the kind is written here before the library has refused it
    std::string message;         // while it is unsettled
  };
  static constexpr std::size_t most_told = 20;  // on stderr

  void write(const Verdict& verdict, Kept& kept);
  void write_count(Kept& kept);

  trace::Writer& writer_;
  const std::size_t most_;
  std::map<Key, Kept> kept_;
  std::map<std::pair<FindingId, CallSiteId>, bool> told_;
  std::uint32_t next_ = 0;
  std::uint64_t unsettled_ = 0;
  std::uint64_t not_kept_ = 0;
};

}  // namespace ddtscope::plugin
