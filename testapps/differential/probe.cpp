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

}  // namespace

std::vector<ProbedDifference> probe(test::TestStore& types, DefinitionId id) {
  static auto* const stage = [] {
    void* memory =
        mmap(nullptr, sizeof(std::atomic<Aspect>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    return new (memory) std::atomic<Aspect>(Aspect::construct);
  }();
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    alarm(longest_probe_seconds);
    {
      Comparison comparison(types, *stage);
      for (const DefinitionId part : reached_definitions(types.store(), id)) {
        if (part != id) comparison.compare(part, Comparison::Packing::mostly_one);
      }
      for (const Difference& difference : comparison.compare(id, Comparison::Packing::up_to_three)) {
        Record record = {id_of(explain(comparison, id, difference))};
        for (const std::string& field : record_of(difference)) record.push_back(field);
        write_record(ends[1], record);
      }
    }
    _exit(0);
  }
  close(ends[1]);
  RecordReader reader;
  while (reader.read_from(ends[0])) {
  }
  close(ends[0]);
  int status = 0;
  waitpid(pid, &status, 0);

  std::vector<ProbedDifference> differences;
  for (Record record; reader.next(record);) differences.push_back({difference_of(record, 1), record[0]});
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    const Difference difference = casualty_difference(*stage, status);
    std::atomic<Aspect> no_stage = Aspect::construct;
    Comparison untouched(types, no_stage);
    differences.push_back({difference, id_of(explain(untouched, id, difference))});
  }
  return differences;
}

}  // namespace ddtscope::differential
