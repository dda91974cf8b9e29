#include "plugin/finalize_merge.h"

#include <time.h>

#include <algorithm>
#include <deque>
#include <exception>

#include "reporters/join/tree_merge.h"

namespace ddtscope::plugin {
namespace {

class MpiMessages : public join::Messages {
 public:
  MpiMessages(const MpiFunctions& mpi, MPI_Comm communicator)
      : mpi_(mpi), communicator_(communicator), byte_(*predefined_handle("MPI_BYTE")) {}

  Request send(std::int64_t rank, int tag, const void* data, std::size_t bytes) override {
    check(mpi_.Isend(data, static_cast<int>(bytes), byte_, static_cast<int>(rank), tag, communicator_,
                     &requests_.emplace_back()));
    return requests_.size() - 1;
  }
  Request receive(std::int64_t rank, int tag, void* data, std::size_t bytes) override {
    check(mpi_.Irecv(data, static_cast<int>(bytes), byte_, static_cast<int>(rank), tag, communicator_,
                     &requests_.emplace_back()));
    return requests_.size() - 1;
  }
  bool is_completed(Request request) override {
    int flag = 0;
    check(mpi_.Test(&requests_[request], &flag, MPI_STATUS_IGNORE));
    return flag != 0;
  }
  double now() override {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }

 private:
  static void check(int status) {
    if (status != MPI_SUCCESS) throw join::Unjoined("the MPI library could not pass messages on");
  }

  const MpiFunctions& mpi_;
  const MPI_Comm communicator_;
  const MPI_Datatype byte_;
  std::deque<MPI_Request> requests_;  // the library may write to one until it is completed
};

/// What runs on the same processor may be what is waited for: sleeps longer, the longer it has waited.
void pause_after(double waited_s) {
  const double sleep_s = std::clamp(waited_s / 16, 10e-6, 10e-3);
  const timespec time{0, static_cast<long>(sleep_s * 1e9)};
  nanosleep(&time, nullptr);
}

}  // namespace

FinalizeMerge::FinalizeMerge(const MpiFunctions& mpi, int rank, int ranks) : mpi_(mpi), rank_(rank), ranks_(ranks) {
  // Errors must come back, whatever the program wants for its own communicators.
  is_ready_ = mpi_.Comm_dup(world_communicator(), &communicator_) == MPI_SUCCESS &&
              mpi_.Comm_set_errhandler(communicator_, errors_return()) == MPI_SUCCESS;
}

FinalizeMerge::Result FinalizeMerge::run(const Files& files, double patience_s) noexcept {
  try {
    if (!is_ready_) return {false, "the MPI library gave no communicator"};
    // Where a message may still come, its memory must stay for ever.
    auto* messages = new MpiMessages(mpi_, communicator_);
    auto* tree = new join::TreeMerge(
        *messages,
        {.rank = rank_, .ranks = ranks_, .patience = patience_s, .trace_file = files.own, .merged_file = files.merged});
    double last_progress = messages->now();
    while (tree->outcome() == join::TreeMerge::Outcome::pending) {
      const bool progress = tree->step();
      const double now = messages->now();
      if (progress) {
        last_progress = now;
      } else {
        pause_after(now - last_progress);
      }
    }
    const Result result{tree->outcome() == join::TreeMerge::Outcome::merged, tree->reason()};
    if (!tree->must_stay()) {
      delete tree;
      delete messages;
    }
    return result;
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace ddtscope::plugin
