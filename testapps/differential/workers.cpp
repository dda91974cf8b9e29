// Forks the workers, hands out batches through shared memory, collects records through pipes.
#include "testapps/differential/workers.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>

#include "testapps/differential/records.h"

namespace ddtscope::differential {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto longest_case = std::chrono::seconds(60);
constexpr std::size_t most_casualties_in_a_batch = 200;

struct Shared {
  static constexpr int most_jobs = 16;
  std::atomic<std::uint64_t> next_batch = 0;
  Progress progress[most_jobs];
};

/// A batch's sums, as records; the last one says that they are whole.
void send(int descriptor, const BatchOptions& batch, const BatchResult& result) {
  for (std::size_t i = 0; i < result.cases.size(); ++i) {
    if (result.cases[i] != 0) write_record(descriptor, {"cases", std::to_string(i), std::to_string(result.cases[i])});
  }
  write_record(descriptor, {"packed", std::to_string(result.packed)});
  write_record(descriptor, {"standard_differs", std::to_string(result.standard_differs)});
  for (const auto& [bug, count] : result.explained) write_record(descriptor, {"explained", bug, std::to_string(count)});
  for (const Place place : result.avoided) write_record(descriptor, {"avoided", std::to_string(place)});
  for (const BatchResult::Failure& failure : result.failures) {
    Record record = {"failure", std::to_string(failure.place)};
    for (const std::string& field : record_of(failure.difference)) record.push_back(field);
    write_record(descriptor, record);
  }
  write_record(descriptor, {"done", std::to_string(batch.number)});
}

class Worker {
 public:
  Worker(const RunOptions& options, Shared& shared, int slot) : options_(options), shared_(shared), slot_(slot) {}

  /// Starts a process that does `again` first, if there is such a batch.
  void start(const std::unique_ptr<BatchOptions>& again) {
    int ends[2];
    if (pipe(ends) != 0) std::abort();
    shared_.progress[slot_].place = no_place;
    pid_ = fork();
    if (pid_ == 0) {
      close(ends[0]);
      work(ends[1], again);
      _exit(0);
    }
    close(ends[1]);
    descriptor_ = ends[0];
    reader_ = {};
    moved();
  }

  int descriptor() const { return descriptor_; }
  bool runs() const { return descriptor_ >= 0; }
  RecordReader& reader() { return reader_; }
  std::vector<Record>& pending() { return pending_; }

  /// Waits for the process, whose pipe has ended.
  int finish() {
    close(descriptor_);
    descriptor_ = -1;
    int status = 0;
    waitpid(pid_, &status, 0);
    return status;
  }
  const Progress& progress() const { return shared_.progress[slot_]; }

  /// Ends a process that has been in one case for too long.
  void watch() {
    if (progress().steps != last_steps_) {
      moved();
    } else if (Clock::now() - last_move_ > longest_case) {
      kill(pid_, SIGKILL);
      moved();
    }
  }

 private:
  void moved() {
    last_steps_ = progress().steps;
    last_move_ = Clock::now();
  }

  void work(int descriptor, const std::unique_ptr<BatchOptions>& again) {
    prepare_child();
    const MpiSession session;
    const auto run = [&](const BatchOptions& batch) {
      send(descriptor, batch, run_batch(batch, shared_.progress[slot_]));
    };
    if (again) run(*again);
    for (;;) {
      BatchOptions batch;
      batch.seed = options_.seed;
      batch.number = shared_.next_batch.fetch_add(1);
      if (batch.number >= options_.first_batch + options_.batches) break;
      run(batch);
    }
  }

  const RunOptions& options_;
  Shared& shared_;
  int slot_;
  pid_t pid_ = -1;
  int descriptor_ = -1;
  RecordReader reader_;
  std::vector<Record> pending_;  // of the batch being done
  std::uint64_t last_steps_ = 0;
  Clock::time_point last_move_;
};

class Run {
 public:
  explicit Run(const RunOptions& options) : options_(options) {
    void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    shared_ = new (memory) Shared;
    shared_->next_batch = options_.first_batch;
  }
  ~Run() { munmap(shared_, sizeof(Shared)); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  RunResult run() {
    const int jobs = std::clamp(options_.jobs, 1, Shared::most_jobs);
    for (int slot = 0; slot < jobs; ++slot) workers_.emplace_back(options_, *shared_, slot).start(nullptr);
    while (poll_once()) {
    }
    return std::move(result_);
  }

 private:
  bool poll_once() {
    std::vector<pollfd> polled;
    for (const Worker& worker : workers_) {
      if (worker.runs()) polled.push_back({worker.descriptor(), POLLIN, 0});
    }
    if (polled.empty()) return false;
    poll(polled.data(), polled.size(), 1000);
    for (Worker& worker : workers_) {
      if (!worker.runs()) continue;
      worker.watch();
      const auto ready = std::find_if(polled.begin(), polled.end(),
                                      [&](const pollfd& p) { return p.fd == worker.descriptor() && p.revents != 0; });
      if (ready == polled.end()) continue;
      if (worker.reader().read_from(worker.descriptor())) {
        take_records(worker);
      } else {
        bury(worker, worker.finish());
      }
    }
    return true;
  }

  void take_records(Worker& worker) {
    for (Record record; worker.reader().next(record);) {
      worker.pending().push_back(record);
      if (record[0] != "done") continue;
      take_batch(std::stoull(record[1]), worker.pending());
      worker.pending().clear();
    }
  }

  void take_batch(std::uint64_t number, const std::vector<Record>& records) {
    BatchResult& totals = result_.totals;
    BatchOptions batch = batch_options(number);
    for (const Record& record : records) {
      if (record[0] == "cases") {
        totals.cases[std::stoul(record[1])] += std::stoull(record[2]);
      } else if (record[0] == "packed") {
        totals.packed += std::stoull(record[1]);
      } else if (record[0] == "standard_differs") {
        totals.standard_differs += std::stoull(record[1]);
      } else if (record[0] == "explained") {
        totals.explained[record[1]] += std::stoull(record[2]);
      } else if (record[0] == "avoided") {
        batch.avoided.push_back(static_cast<Place>(std::stoul(record[1])));
      } else if (record[0] == "failure") {
        result_.failures.push_back({batch, static_cast<Place>(std::stoul(record[1])), difference_of(record, 2)});
      }
    }
  }

  BatchOptions batch_options(std::uint64_t number) const {
    BatchOptions batch;
    batch.seed = options_.seed;
    batch.number = number;
    const auto known = casualties_.find(number);
    if (known != casualties_.end()) batch.casualties = known->second;
    return batch;
  }

  /// What is to be done about a worker that has ended.
  void bury(Worker& worker, int status) {
    worker.pending().clear();
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    ++result_.deaths;
    const Progress& progress = worker.progress();
    const std::uint64_t batch = progress.batch;
    const Place place = progress.place;
    const Difference difference = casualty_difference(progress.aspect, status);
    std::vector<Casualty>& casualties = casualties_[batch];
    if (place == no_place || casualties.size() >= most_casualties_in_a_batch) {
      result_.trouble =
          "a process ended outside of any case, in batch " + std::to_string(batch) + ": " + text_of_kind(difference);
      worker.start(nullptr);
      return;
    }
    casualties.push_back({place, difference});
    worker.start(std::make_unique<BatchOptions>(batch_options(batch)));
  }

  RunOptions options_;
  Shared* shared_ = nullptr;
  std::vector<Worker> workers_;
  std::map<std::uint64_t, std::vector<Casualty>> casualties_;
  RunResult result_;
};

}  // namespace

void prepare_child() {
  const rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  // One process, nobody to talk to: Open MPI need not start its daemon nor open a network. And no library need print a
  // back trace where the process dies.
  setenv("OMPI_MCA_ess_singleton_isolated", "1", 1);
  setenv("OMPI_MCA_btl", "self", 1);
  setenv("OMPI_MCA_pml", "ob1", 1);
  setenv("OMPI_MCA_opal_signal", "", 1);
}

RunResult run_batches(const RunOptions& options) { return Run(options).run(); }

}  // namespace ddtscope::differential
