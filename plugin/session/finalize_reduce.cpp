#include "plugin/session/finalize_reduce.h"

#include <time.h>

#include <algorithm>
#include <deque>
#include <new>
#include <utility>

#include "reporters/trace/reduce/tree_reduce.h"

namespace ddtscope::plugin {
namespace {

class MpiMessages : public reduce::Messages {
 public:
  explicit MpiMessages(const MpiFunctions& mpi) : mpi_(mpi), byte_(*predefined_handle("MPI_BYTE")) {}

  MPI_Comm communicator{};

  void reserve(std::size_t requests) override {
    requests_.resize(std::max(requests_.size(), used_ + requests));
    reserved_ = requests;
  }
  void use_reserve(std::size_t requests) override { reserved_ -= std::min(requests, reserved_); }
  Request send(std::int64_t rank, int tag, const void* data, std::size_t bytes) override {
    MPI_Request& request = next();
    check(mpi_.Isend(data, static_cast<int>(bytes), byte_, static_cast<int>(rank), tag, communicator, &request));
    return used_++;
  }
  Request receive(std::int64_t rank, int tag, void* data, std::size_t bytes) override {
    MPI_Request& request = next();
    check(mpi_.Irecv(data, static_cast<int>(bytes), byte_, static_cast<int>(rank), tag, communicator, &request));
    return used_++;
  }
  bool is_completed(Request request) override {
    int flag = 0;
    check(mpi_.Test(&requests_[request], &flag, MPI_STATUS_IGNORE));
    return flag != 0;
  }
  bool cancel_receive(Request request) override {
    check(mpi_.Cancel(&requests_[request]));
    return is_completed(request);
  }
  double now() override {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }

 private:
  static void check(int status) {
    if (status != MPI_SUCCESS) throw reduce::NotReduced("the MPI library could not pass messages on");
  }

  MPI_Request& next() {
    if (requests_.size() <= used_ + reserved_) requests_.emplace_back();
    return requests_[used_];
  }

  const MpiFunctions& mpi_;
  const MPI_Datatype byte_;
  std::deque<MPI_Request> requests_;  // the library may write to one until it is completed
  std::size_t used_ = 0, reserved_ = 0;
};

/// What runs on the same processor may be what is waited for: sleeps longer, the longer it has waited.
void pause_after(double waited_s) {
  const double sleep_s = std::clamp(waited_s / 16, 10e-6, 10e-3);
  const timespec time{0, static_cast<long>(sleep_s * 1e9)};
  nanosleep(&time, nullptr);
}

}  // namespace

/// Never destroyed where a message may still come into its memory.
struct FinalizeReduce::Member {
  Member(const MpiFunctions& mpi, const reduce::TreeReduce::Options& options)
      : messages(mpi), tree(messages, options) {}
  MpiMessages messages;
  reduce::TreeReduce tree;
};

void FinalizeReduce::begin(const MpiFunctions& mpi, int rank, int ranks, int patience_s) noexcept {
  try {
    member_ = new Member(mpi, {.rank = rank, .ranks = ranks, .patience = static_cast<double>(patience_s)});
  } catch (const std::bad_alloc&) {
    delete std::exchange(member_, nullptr);
  }
  // Errors must come back, whatever the program wants for its own communicators.
  MPI_Comm communicator{};
  int can_reduce = mpi.Comm_dup(world_communicator(), &communicator) == MPI_SUCCESS &&
                   mpi.Comm_set_errhandler(communicator, errors_return()) == MPI_SUCCESS;
  problem_ = can_reduce ? "" : "the MPI library gave no communicator";
  can_reduce = can_reduce && member_;
  // All ranks or none: nobody shall wait in the end for one that was never able to answer.
  int all_can = 0;
  if (mpi.Allreduce(&can_reduce, &all_can, 1, *predefined_handle("MPI_INT"), minimum_operation(),
                    world_communicator()) != MPI_SUCCESS) {
    all_can = 0;
  }
  if (all_can != 0) {
    member_->messages.communicator = communicator;
  } else {
    if (*problem_ == '\0') problem_ = "a rank had no memory when it began";
    delete std::exchange(member_, nullptr);
  }
}

FinalizeReduce::Result FinalizeReduce::run(const std::string& own, const std::string& folder) noexcept {
  if (!member_) return {false, problem_};
  reduce::TreeReduce& tree = member_->tree;
  tree.begin(own, folder);
  double last_progress = member_->messages.now();
  while (tree.outcome() == reduce::TreeReduce::Outcome::pending) {
    const bool progress = tree.step();
    const double now = member_->messages.now();
    if (progress) {
      last_progress = now;
    } else {
      pause_after(now - last_progress);
    }
  }
  const bool merged = tree.outcome() == reduce::TreeReduce::Outcome::merged;
  if (!merged) return {false, tree.reason()};  // which is in there: it stays
  if (!tree.must_stay()) delete std::exchange(member_, nullptr);
  return {true, {}};
}

}  // namespace ddtscope::plugin
