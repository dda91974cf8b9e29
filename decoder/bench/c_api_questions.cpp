// The same questions through the C API, in a context that types come into as text.
#include <benchmark/benchmark.h>

#include <array>
#include <stdexcept>

#include "decoder/bench/questions.h"
#include "decoder/c_api/ddtscope.h"
#include "decoder/notation/bnf.h"

namespace ddtscope::bench {
namespace {

using benchmark::DoNotOptimize;

class CApiAsker;
struct Question {
  std::string_view name;
  int (*ask)(CApiAsker& of);
};
std::span<const Question> questions();

void check(int result) {
  if (result != DDTSCOPE_SUCCESS) throw std::runtime_error("the C API refused a question");
}

class CApiAsker : public Asker {
 public:
  explicit CApiAsker(const Subject& subject) : facts(subject.types.facts(subject.type)), messages_(subject.messages) {
    check(ddtscope_context_create(&context));
    // A type that comes twice is named by the same number.
    const auto handle = [&](DefinitionId id) {
      const std::string text = bnf_text(subject.types.store(), id);
      ddtscope_datatype datatype = DDTSCOPE_DATATYPE_NULL;
      check(ddtscope_bnf_parse(context, text.data(), text.size(), &datatype, nullptr));
      return datatype;
    };
    type = handle(subject.type);
    for (const Messages& m : messages_) handles_.push_back({handle(m.send), handle(m.receive)});
  }
  ~CApiAsker() override { ddtscope_context_free(&context); }

  void ask(std::size_t question) override {
    if (question < questions().size()) {
      check(questions()[question].ask(*this));
      return;
    }
    const std::size_t i = question - questions().size();
    ddtscope_match match;
    check(ddtscope_get_match(context, handles_[i][0], messages_[i].send_count, handles_[i][1],
                             messages_[i].receive_count, DDTSCOPE_RULE_STANDARD, &match));
    DoNotOptimize(match);
  }

  ddtscope_integer some_of(Exact count) {
    return ddtscope_integer_of(static_cast<std::int64_t>(places.below(count).value()));
  }
  std::int64_t some_byte() {
    return (facts.true_lb + places.below(facts.true_extent())).to_int64().value_or(INT64_MAX);
  }

  ddtscope_context* context = nullptr;
  ddtscope_datatype type = DDTSCOPE_DATATYPE_NULL;
  const LayoutFacts& facts;
  Places places;

 private:
  std::span<const Messages> messages_;
  std::vector<std::array<ddtscope_datatype, 2>> handles_;
};

int ask_bounds(CApiAsker& of, int rule) {
  ddtscope_bounds bounds;
  const int result = ddtscope_get_bounds(of.context, of.type, rule, &bounds);
  DoNotOptimize(bounds);
  return result;
}

/// Displacements that do not fit are an answer, too.
int or_too_large(int result) { return result == DDTSCOPE_ERR_VALUE_TOO_LARGE ? DDTSCOPE_SUCCESS : result; }

constexpr int standard = DDTSCOPE_RULE_STANDARD;

constexpr Question all_questions[] = {
    {"bounds by the standard", [](CApiAsker& of) { return ask_bounds(of, DDTSCOPE_RULE_STANDARD); }},
    {"bounds as Open MPI", [](CApiAsker& of) { return ask_bounds(of, DDTSCOPE_RULE_OPENMPI); }},
    {"bounds as MPICH", [](CApiAsker& of) { return ask_bounds(of, DDTSCOPE_RULE_MPICH); }},
    {"entries, blocks, runs",
     [](CApiAsker& of) {
       ddtscope_typemap typemap;
       const int result = ddtscope_get_typemap(of.context, of.type, standard, copies_asked_for, &typemap);
       DoNotOptimize(typemap);
       return result;
     }},
    {"span of copies",
     [](CApiAsker& of) {
       ddtscope_integer first;
       ddtscope_integer length;
       const int result = ddtscope_get_span(of.context, of.type, standard, copies_asked_for, &first, &length);
       DoNotOptimize(length);
       return result;
     }},
    {"signature, 64 runs",
     [](CApiAsker& of) {
       std::array<ddtscope_run, runs_asked_for> runs;
       std::size_t number = 0;
       const int result =
           ddtscope_get_signature(of.context, of.type, 1, ddtscope_integer_of(0), runs.size(), runs.data(), &number);
       DoNotOptimize(runs);
       return result;
     }},
    {"layout fingerprint",
     [](CApiAsker& of) {
       ddtscope_fingerprint fingerprint;
       const int result = ddtscope_layout_fingerprint(of.context, of.type, standard, &fingerprint);
       DoNotOptimize(fingerprint);
       return result;
     }},
    {"signature fingerprint",
     [](CApiAsker& of) {
       ddtscope_fingerprint fingerprint;
       const int result = ddtscope_signature_fingerprint(of.context, of.type, &fingerprint);
       DoNotOptimize(fingerprint);
       return result;
     }},
    {"seek entry",
     [](CApiAsker& of) {
       ddtscope_entry entry;
       std::size_t number = 0;
       const int result =
           ddtscope_get_entries(of.context, of.type, standard, 1, of.some_of(of.facts.entries), 1, &entry, &number);
       DoNotOptimize(entry);
       return or_too_large(result);
     }},
    {"seek block",
     [](CApiAsker& of) {
       ddtscope_block block;
       std::size_t number = 0;
       const int result =
           ddtscope_get_blocks(of.context, of.type, standard, 1, of.some_of(of.facts.blocks), 1, &block, &number);
       DoNotOptimize(block);
       return or_too_large(result);
     }},
    {"seek run",
     [](CApiAsker& of) {
       ddtscope_run run;
       std::size_t number = 0;
       const int result =
           ddtscope_get_signature(of.context, of.type, 1, of.some_of(of.facts.signature_runs), 1, &run, &number);
       DoNotOptimize(run);
       return result;
     }},
    {"seek byte",
     [](CApiAsker& of) {
       ddtscope_covering covering;
       const int result = ddtscope_find_byte(of.context, of.type, standard, 1, of.some_byte(), &covering);
       DoNotOptimize(covering);
       return result;
     }},
    {"path to entry",
     [](CApiAsker& of) {
       std::array<ddtscope_step, 64> steps;
       std::size_t number = 0;
       const int result =
           ddtscope_get_path(of.context, of.type, of.some_of(of.facts.entries), steps.size(), steps.data(), &number);
       DoNotOptimize(steps);
       return result;
     }},
    {"overlap",
     [](CApiAsker& of) {
       ddtscope_overlap overlap;
       const int result = ddtscope_get_overlap(of.context, of.type, standard, copies_asked_for, &overlap);
       DoNotOptimize(overlap);
       return result;
     }},
    {"envelope and contents",
     [](CApiAsker& of) {
       std::int64_t integers = 0;
       std::int64_t addresses = 0;
       std::int64_t large_counts = 0;
       std::int64_t datatypes = 0;
       int combiner = 0;
       int result = ddtscope_type_get_envelope_c(of.context, of.type, &integers, &addresses, &large_counts, &datatypes,
                                                 &combiner);
       std::array<int, 128> array_of_integers;
       std::array<std::int64_t, 128> array_of_addresses;
       std::array<std::int64_t, 128> array_of_large_counts;
       std::array<ddtscope_datatype, 128> array_of_datatypes;
       if (result == DDTSCOPE_SUCCESS) {
         result = ddtscope_type_get_contents_c(of.context, of.type, integers, addresses, large_counts, datatypes,
                                               array_of_integers.data(), array_of_addresses.data(),
                                               array_of_large_counts.data(), array_of_datatypes.data());
       }
       DoNotOptimize(array_of_integers);
       return result;
     }},
    {"constructor text",
     [](CApiAsker& of) {
       std::array<char, 4096> text;
       std::size_t length = 0;
       const int result = ddtscope_constructor_text(of.context, of.type, 16, text.data(), text.size(), &length);
       DoNotOptimize(text);
       return result;
     }},
    {"BNF text",
     [](CApiAsker& of) {
       std::array<char, 4096> text;
       std::size_t length = 0;
       const int result = ddtscope_bnf_text(of.context, of.type, nullptr, nullptr, text.data(), text.size(), &length);
       DoNotOptimize(text);
       return result;
     }},
};

std::span<const Question> questions() { return all_questions; }

}  // namespace

const Ask& c_api_questions() {
  static const Ask ask = [] {
    Ask all = {"C API", {}, [](const Subject& subject) -> std::unique_ptr<Asker> {
                 return std::make_unique<CApiAsker>(subject);
               }};
    for (const Question& question : all_questions) all.questions.push_back(question.name);
    return all;
  }();
  return ask;
}

}  // namespace ddtscope::bench
