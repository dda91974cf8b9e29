// Questions that the decoder's own functions answer.
#include <benchmark/benchmark.h>

#include <array>
#include <iterator>
#include <optional>

#include "decoder/bench/questions.h"
#include "decoder/coverage/byte_search.h"
#include "decoder/coverage/diagnosis.h"
#include "decoder/coverage/overlap.h"
#include "decoder/equality/match.h"
#include "decoder/findings/findings.h"
#include "decoder/layout/path.h"
#include "decoder/layout/span.h"
#include "decoder/notation/bnf.h"

namespace ddtscope::bench {
namespace {

/// The answer is computed. By value: Google Benchmark may lose what it gets as const.
template <class Answer>
void keep(Answer answer) {
  benchmark::DoNotOptimize(answer);
}

class DecoderAsker;
struct Question {
  std::string_view name;
  void (*ask)(DecoderAsker& of);
};
std::span<const Question> questions();

class DecoderAsker : public Asker {
 public:
  explicit DecoderAsker(const Subject& subject)
      : store(subject.types.store()), id(subject.type), messages_(subject.messages) {
    for (std::uint32_t i = 0; i < store.size(); ++i) layouts.add(DefinitionId{i});
  }

  void ask(std::size_t question) override {
    if (question < questions().size()) {
      questions()[question].ask(*this);
    } else {
      const Messages& m = messages_[question - questions().size()];
      keep(match({fingerprints, layouts, m.send, m.send_count}, {fingerprints, layouts, m.receive, m.receive_count}));
    }
  }

  LayoutId root() const { return layouts.root(id); }
  const LayoutFacts& facts() const { return layouts.facts(id); }

  const DefinitionStore& store;
  const DefinitionId id;
  Layouts layouts{store};
  LayoutIndex index{layouts};
  Fingerprints fingerprints{layouts};
  AllRules rules{store};
  Simplifier simplifier{store, layouts};
  FindingSources sources{layouts, rules, fingerprints, simplifier,
                         [](DefinitionId oldtype) { return "T" + std::to_string(oldtype.value); }};
  Places places;
  std::optional<TypemapCursor> entries;
  std::optional<BlockCursor> blocks;
  std::optional<SignatureCursor> runs;
  std::optional<ByteSearch> bytes;

 private:
  std::span<const Messages> messages_;
};

/// A cursor of its own at first, which goes on from there.
template <class Cursor, class Unit>
void seek(DecoderAsker& of, std::optional<Cursor>& cursor, Exact count, Unit unit) {
  if (!cursor) cursor.emplace(of.index, of.root());
  keep(cursor->seek(of.places.below(count)));
  cursor->next(unit);
  keep(unit);
}

Copies copies_of(DecoderAsker& of) { return {copies_asked_for, of.layouts.extent(of.id)}; }

ByteSearch& search_of(DecoderAsker& of) {
  if (!of.bytes) of.bytes.emplace(of.index, of.root(), copies_of(of));
  return *of.bytes;
}

/// Anywhere between the true bounds of one of the copies: in an entry, or in a gap.
Exact some_byte(DecoderAsker& of) {
  const Exact copy = of.places.below(copies_asked_for);
  return copy * of.layouts.extent(of.id) + of.facts().true_lb + of.places.below(of.facts().true_extent());
}

constexpr Question all_questions[] = {
    {"bounds by the standard", [](DecoderAsker& of) { keep(of.rules[BoundsRule::standard].bounds(of.id)); }},
    {"bounds as Open MPI", [](DecoderAsker& of) { keep(of.rules[BoundsRule::openmpi].bounds(of.id)); }},
    {"bounds as MPICH", [](DecoderAsker& of) { keep(of.rules[BoundsRule::mpich].bounds(of.id)); }},
    {"entries, size, blocks",
     [](DecoderAsker& of) {
       keep(facts_of_copies(of.layouts, of.root(), {1000, 8}));
     }},
    {"span of copies", [](DecoderAsker& of) { keep(span_of(of.layouts, of.id, copies_asked_for)); }},
    {"signature, 64 runs", [](DecoderAsker& of) { keep(signature_runs(of.layouts, of.root(), runs_asked_for)); }},
    {"layout fingerprint", [](DecoderAsker& of) { keep(of.fingerprints.layout(of.root())); }},
    {"signature fingerprint", [](DecoderAsker& of) { keep(of.fingerprints.signature(of.root())); }},
    {"seek entry", [](DecoderAsker& of) { seek(of, of.entries, of.facts().entries, TypemapEntry{}); }},
    {"seek block", [](DecoderAsker& of) { seek(of, of.blocks, of.facts().blocks, Block{}); }},
    {"seek run", [](DecoderAsker& of) { seek(of, of.runs, of.facts().signature_runs, SignatureRun{}); }},
    {"seek byte", [](DecoderAsker& of) { keep(search_of(of).find(some_byte(of))); }},
    {"nearest byte", [](DecoderAsker& of) { keep(search_of(of).nearest_above(some_byte(of))); }},
    {"path to entry",
     [](DecoderAsker& of) { keep(path_to_entry(of.index, of.id, of.places.below(of.facts().entries))); }},
    {"overlap of entries", [](DecoderAsker& of) { keep(overlap_within(of.layouts, of.root())); }},
    {"overlap of copies",
     [](DecoderAsker& of) { keep(overlap_of_copies(of.layouts, of.root(), of.layouts.extent(of.id))); }},
    {"overlap of 1,000 copies",
     [](DecoderAsker& of) {
       keep(overlap_of_count(of.layouts, of.root(), {copies_asked_for, of.layouts.extent(of.id)}));
     }},
    {"first overlapping copy",
     [](DecoderAsker& of) { keep(first_overlapping_copy(of.layouts, of.root(), of.layouts.extent(of.id))); }},
    {"byte touched twice", [](DecoderAsker& of) { keep(byte_touched_twice(of.layouts, of.root())); }},
    {"holes", [](DecoderAsker& of) { keep(diagnose(of.layouts, of.id)); }},
    {"simpler call", [](DecoderAsker& of) { keep(of.simplifier.simpler(of.id, of.sources.name_oldtype)); }},
    {"portability", [](DecoderAsker& of) { keep(portability_of(of.sources, of.id)); }},
    {"findings", [](DecoderAsker& of) { keep(findings_of(of.sources, of.id)); }},
    {"constructor text",
     [](DecoderAsker& of) { keep(constructor_call_text(of.store, of.id, of.sources.name_oldtype)); }},
    {"BNF text", [](DecoderAsker& of) { keep(bnf_text(of.store, of.id)); }},
};

std::span<const Question> questions() { return all_questions; }

}  // namespace

const Ask& decoder_questions() {
  static const Ask ask = [] {
    Ask all = {"decoder", {}, [](const Subject& subject) -> std::unique_ptr<Asker> {
                 return std::make_unique<DecoderAsker>(subject);
               }};
    for (const Question& question : all_questions) all.questions.push_back(question.name);
    return all;
  }();
  return ask;
}

}  // namespace ddtscope::bench
