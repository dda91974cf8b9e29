// Random datatypes, made by the MPI library and compared with what the decoder says of them.
//
//   differential-LIBRARY [--seed N] [--count N] [--jobs N] [--first-batch N] [--shrink N]
//   differential-LIBRARY --bugs
//
// At most so many unexplained differences as --shrink says are made small, which takes long where a library hangs. With
// --bugs the listed bugs' reproducers are run instead.
//
// Exit status 0: every difference is a bug of this release that is listed; 1: one is not, or a listed bug's reproducer
// does not show it any more, or shows it in a release that is said not to have it; 2: usage.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include "testapps/differential/known_bugs.h"
#include "testapps/differential/probe.h"
#include "testapps/differential/shrink.h"
#include "testapps/differential/workers.h"

namespace ddtscope::differential {
namespace {

struct Options {
  std::uint64_t seed = 20;
  std::uint64_t count = 100000;
  int jobs = 2;
  std::uint64_t first_batch = 0;
  std::size_t most_shrunk = 12;
  bool only_bugs = false;
};

bool parse(int argc, char** argv, Options& options) {
  if (argc == 2 && std::strcmp(argv[1], "--bugs") == 0) {
    options.only_bugs = true;
    return true;
  }
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) return false;
    char* end = nullptr;
    const std::uint64_t value = std::strtoull(argv[i + 1], &end, 10);
    if (*end != '\0') return false;
    if (std::strcmp(argv[i], "--seed") == 0) {
      options.seed = value;
    } else if (std::strcmp(argv[i], "--count") == 0) {
      options.count = value;
    } else if (std::strcmp(argv[i], "--jobs") == 0) {
      options.jobs = static_cast<int>(value);
    } else if (std::strcmp(argv[i], "--first-batch") == 0) {
      options.first_batch = value;
    } else if (std::strcmp(argv[i], "--shrink") == 0) {
      options.most_shrunk = static_cast<std::size_t>(value);
    } else {
      return false;
    }
  }
  return true;
}

/// Runs `act` in a process that has started MPI; its exit status.
template <class Act>
int with_mpi(Act act) {
  std::fflush(stdout);
  const pid_t pid = fork();
  if (pid == 0) {
    prepare_child();
    int status = 0;
    {
      const MpiSession session;
      status = act();
      std::fflush(stdout);
    }
    _exit(status);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

void print_difference(const Difference& difference) {
  const std::string kind = text_of_kind(difference);
  std::printf("  %s: expected %s\n  %*s  got %s\n", kind.c_str(), difference.expected.c_str(),
              static_cast<int>(kind.size()), "", difference.got.c_str());
}

std::vector<Difference> differences_of(const KnownBug& bug, test::TestStore& types, DefinitionId reproducer) {
  if (bug.explains == nullptr) return probe_against_standard(types, reproducer);
  std::vector<Difference> differences;
  for (const ProbedDifference& found : probe(types, reproducer)) {
    if (found.bug == bug.id) differences.push_back(found.difference);
  }
  return differences;
}

/// Each listed bug must show itself in the releases that have it, and in no other.
int run_reproducers() {
  int wrong = 0;
  for (const KnownBug& bug : known_bugs()) {
    const auto types = store_of_library();
    const DefinitionId reproducer = bug.reproducer(*types);
    const std::vector<Difference> differences = differences_of(bug, *types, reproducer);
    const bool is_seen = !differences.empty();
    const bool is_expected = is_in_this_release(bug) && bug.is_on_this_processor;
    const char* const absent = bug.is_on_this_processor ? ": mended" : ": not on this processor";
    const char* remark = is_expected ? (is_seen ? "" : ": NOT SEEN") : (is_seen ? ": SEEN IN THIS RELEASE" : absent);
    std::printf("\nbug %s%s\n%s", std::string(bug.id).c_str(), remark,
                program_text(types->store(), reproducer).c_str());
    for (const Difference& difference : differences) print_difference(difference);
    wrong += is_seen == is_expected ? 0 : 1;
  }
  return wrong == 0 ? 0 : 1;
}

void show_failures(const std::vector<RunResult::Failure>& failures, std::size_t most_shrunk) {
  // One of each sort is enough to begin with.
  std::set<std::string> sorts;
  std::size_t shown = 0;
  for (const RunResult::Failure& failure : failures) {
    if (shown >= most_shrunk) break;
    const std::string sort = text_of_kind(failure.difference);
    if (shown >= most_shrunk / 2 && sorts.count(sort) != 0) continue;
    sorts.insert(sort);
    ++shown;
    with_mpi([&] {
      const Remade remade = remake(failure.batch, failure.place);
      const Shrunk shrunk = shrink(*remade.types, remade.definition, failure.difference);
      std::printf("\nFAILURE: batch %llu, place %u, made small in %d probes:\n",
                  static_cast<unsigned long long>(failure.batch.number), failure.place, shrunk.probes);
      std::printf("%s", program_text(remade.types->store(), shrunk.definition).c_str());
      print_difference(shrunk.difference);
      return 0;
    });
  }
  if (failures.size() > shown) std::printf("\nand %zu failures more\n", failures.size() - shown);
}

int run(const Options& options) {
  std::printf("seed %llu\n", static_cast<unsigned long long>(options.seed));
  int status = with_mpi([&] {
    const TakenRelease& taken = release_of_library();
    std::printf("%s\nrule of %s\n%s", library_version().c_str(), std::string(taken.release->name).c_str(),
                taken.remark.empty() ? "" : (taken.remark + "\n").c_str());
    return options.only_bugs ? run_reproducers() : 0;
  });
  if (options.only_bugs) return status;

  RunOptions run_options;
  run_options.seed = options.seed;
  run_options.batches = (options.count + definitions_in_a_batch - 1) / definitions_in_a_batch;
  run_options.jobs = options.jobs;
  run_options.first_batch = options.first_batch;
  std::fflush(stdout);
  const RunResult result = run_batches(run_options);

  std::uint64_t cases = 0;
  for (int i = 0; i < combiner_count; ++i) {
    const std::uint64_t n = result.totals.cases[static_cast<std::size_t>(i)];
    cases += n;
    const CombinerRow& row = row_of(static_cast<Combiner>(i));
    if (n != 0) std::printf("%-32s %9llu\n", std::string(row.mpi_name).c_str(), static_cast<unsigned long long>(n));
  }
  std::uint64_t explained = 0;
  for (const KnownBug& bug : known_bugs()) {
    const auto found = result.totals.explained.find(std::string(bug.id));
    const std::uint64_t n = found == result.totals.explained.end() ? 0 : found->second;
    explained += n;
    if (bug.explains == nullptr || !is_in_this_release(bug)) continue;  // all that it does is in the rule for bounds
    std::printf("bug %-28s %9llu cases\n", std::string(bug.id).c_str(), static_cast<unsigned long long>(n));
  }
  std::map<std::string, int> sorts;
  for (const RunResult::Failure& failure : result.failures) ++sorts[text_of_kind(failure.difference)];
  for (const auto& [sort, n] : sorts) std::printf("unexplained: %-25s %9d cases\n", sort.c_str(), n);
  show_failures(result.failures, options.most_shrunk);
  if (!result.trouble.empty()) std::printf("TROUBLE: %s\n", result.trouble.c_str());
  std::printf(
      "%llu types, %llu packed, %llu with other bounds by the standard, %llu explained by bugs, %llu processes "
      "lost, %zu unexplained\n",
      static_cast<unsigned long long>(cases), static_cast<unsigned long long>(result.totals.packed),
      static_cast<unsigned long long>(result.totals.standard_differs), static_cast<unsigned long long>(explained),
      static_cast<unsigned long long>(result.deaths), result.failures.size());
  if (!result.failures.empty() || !result.trouble.empty()) status = 1;
  return status;
}

}  // namespace
}  // namespace ddtscope::differential

int main(int argc, char** argv) {
  ddtscope::differential::Options options;
  if (!ddtscope::differential::parse(argc, argv, options)) {
    std::fprintf(stderr, "usage: %s [--seed N] [--count N] [--jobs N] [--first-batch N] [--shrink N] | --bugs\n",
                 argv[0]);
    return 2;
  }
  return ddtscope::differential::run(options);
}
