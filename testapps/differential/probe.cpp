// Forks, compares, reads what the copy says.
#include "testapps/differential/probe.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <new>

#include "testapps/differential/known_bugs.h"
#include "testapps/differential/records.h"

namespace ddtscope::differential {
namespace {

constexpr unsigned longest_probe_seconds = 15;

std::string id_of(const KnownBug* bug) { return bug == nullptr ? std::string() : std::string(bug->id); }

std::atomic<Aspect>& shared_stage() {
  static auto* const stage = [] {
    void* memory =
        mmap(nullptr, sizeof(std::atomic<Aspect>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    return new (memory) std::atomic<Aspect>(Aspect::construct);
  }();
  return *stage;
}

struct Forked {
  std::vector<Record> records;
  int status = 0;
};

/// Runs `act(descriptor)` in a copy of this process.
template <class Act>
Forked run_apart(Act act) {
  shared_stage() = Aspect::construct;  // made before the copy, so that both have it
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    alarm(longest_probe_seconds);
    act(ends[1]);
    _exit(0);
  }
  close(ends[1]);
  RecordReader reader;
  while (reader.read_from(ends[0])) {
  }
  close(ends[0]);
  Forked forked;
  waitpid(pid, &forked.status, 0);
  for (Record record; reader.next(record);) forked.records.push_back(record);
  return forked;
}

}  // namespace

std::vector<ProbedDifference> probe(test::TestStore& types, DefinitionId id) {
  const Forked forked = run_apart([&](int descriptor) {
    Comparison comparison(types, shared_stage());
    for (const DefinitionId part : reached_definitions(types.store(), id)) {
      if (part != id) comparison.compare(part, Comparison::Packing::mostly_one);
    }
    for (const Difference& difference : comparison.compare(id, Comparison::Packing::up_to_three)) {
      Record record = {id_of(explain(comparison, id, difference))};
      for (const std::string& field : record_of(difference)) record.push_back(field);
      write_record(descriptor, record);
    }
  });
  std::vector<ProbedDifference> differences;
  for (const Record& record : forked.records) differences.push_back({difference_of(record, 1), record[0]});
  if (!WIFEXITED(forked.status) || WEXITSTATUS(forked.status) != 0) {
    const Difference difference = casualty_difference(shared_stage(), forked.status);
    std::atomic<Aspect> no_stage = Aspect::construct;
    Comparison untouched(types, no_stage);
    differences.push_back({difference, id_of(explain(untouched, id, difference))});
  }
  return differences;
}

std::vector<Difference> probe_against_standard(test::TestStore& types, DefinitionId id) {
  const Forked forked = run_apart([&](int descriptor) {
    Comparison comparison(types, shared_stage());
    comparison.compare(id, Comparison::Packing::mostly_one);
    for (const Difference& difference : comparison.bounds_differences(id, comparison.standard_rule())) {
      write_record(descriptor, record_of(difference));
    }
  });
  std::vector<Difference> differences;
  for (const Record& record : forked.records) differences.push_back(difference_of(record, 0));
  return differences;
}

}  // namespace ddtscope::differential
