// How long questions about types of 10^18 entries take, asked for the first time and again, and how the time grows
// with the description. Names are "asker/first or again/question/type"; ci/bench reads them.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "decoder/bench/questions.h"

namespace ddtscope::bench {
namespace {

/// Predefined types as a trace has them: those that the program uses.
const std::vector<PredefinedType>& predefined() {
  static const std::vector<PredefinedType> types = [] {
    std::vector<PredefinedType> used;
    for (const PredefinedType& type : test::common_predefined_types()) {
      if (type.kind == PredefinedKind::basic && type.name != "MPI_C_DOUBLE_COMPLEX") used.push_back(type);
    }
    return used;
  }();
  return types;
}

/// A type, or two messages, in a store of their own.
struct Stage {
  test::TestStore types{test::mpich_constants, predefined()};
  DefinitionId type;
  std::vector<Messages> messages;
  Subject subject() const { return {types, type, messages}; }
};

/// Of this thread: what other processes take does not count.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Before each asking all that was known is thrown away.
void ask_first(benchmark::State& state, const Ask& asker, const Stage& stage, std::size_t question) {
  for ([[maybe_unused]] const auto _ : state) {
    const std::unique_ptr<Asker> asked = asker.make(stage.subject());
    const double begin = cpu_seconds();
    asked->ask(question);
    state.SetIterationTime(cpu_seconds() - begin);
  }
}

void ask_again(benchmark::State& state, const Ask& asker, const Stage& stage, std::size_t question) {
  const std::unique_ptr<Asker> asked = asker.make(stage.subject());
  asked->ask(question);
  for ([[maybe_unused]] const auto _ : state) asked->ask(question);
}

enum class When { first, first_and_again };

void add(const Ask& asker, const Stage& stage, std::size_t question, const std::string& names, When when) {
  const std::string name(asker.name);
  const int iterations = when == When::first ? 1 : 30;
  benchmark::RegisterBenchmark((name + "/first/" + names).c_str(),
                               [&, question](benchmark::State& s) { ask_first(s, asker, stage, question); })
      ->Iterations(iterations)
      ->UseManualTime();
  if (when == When::first) return;
  benchmark::RegisterBenchmark((name + "/again/" + names).c_str(),
                               [&, question](benchmark::State& s) { ask_again(s, asker, stage, question); });
}

class Stages {
 public:
  /// All questions about a type, and whether messages that are made of it match.
  template <class Make>
  void add_type(const Ask& asker, const std::string& name, When when, Make make) {
    Stage& stage = new_stage();
    stage.type = make(stage.types);
    for (std::size_t i = 0; i < asker.questions.size(); ++i) {
      add(asker, stage, i, std::string(asker.questions[i]) + "/" + name, when);
    }
    for (const MessagesOfType& of_type : messages_of_type()) {
      add_messages(asker, std::string(of_type.name) + "/" + name, when,
                   [&](test::TestStore& types) { return of_type.make(types, make(types)); });
    }
  }

  template <class Make>
  void add_messages(const Ask& asker, const std::string& names, When when, Make make) {
    Stage& stage = new_stage();
    stage.messages = {make(stage.types)};
    stage.type = stage.messages[0].send;
    add(asker, stage, asker.questions.size(), names, when);
  }

 private:
  Stage& new_stage() { return *stages_.emplace_back(std::make_unique<Stage>()); }

  std::vector<std::unique_ptr<Stage>> stages_;
};

void add_benchmarks(Stages& stages) {
  for (const Ask* asker : {&decoder_questions(), &c_api_questions()}) {
    for (const HugeType& huge : huge_types()) {
      stages.add_type(*asker, std::string(huge.name), When::first_and_again, huge.make);
    }
    for (const HugeType& huge : long_types()) {
      stages.add_type(*asker, std::string(huge.name), When::first_and_again, huge.make);
    }
    for (const HugeMessages& huge : messages_that_part()) {
      stages.add_messages(*asker, "match, different/" + std::string(huge.name), When::first_and_again, huge.make);
    }
    for (const int depth : {5000, 10000}) {
      stages.add_type(*asker, "chain of " + std::to_string(depth), When::first,
                      [depth](test::TestStore& types) { return chain(types, depth); });
    }
    for (const int levels : {30, 60}) {
      stages.add_type(*asker, "doublings " + std::to_string(levels), When::first,
                      [levels](test::TestStore& types) { return doublings(types, levels); });
    }
  }
}

}  // namespace
}  // namespace ddtscope::bench

int main(int argc, char** argv) {
  // As in a process that has run for a while: what is timed are answers, not the kernel that gives and takes pages.
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  ddtscope::bench::Stages stages;
  ddtscope::bench::add_benchmarks(stages);
  benchmark::RunSpecifiedBenchmarks();
}
