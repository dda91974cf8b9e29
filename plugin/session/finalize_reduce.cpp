#include "plugin/session/finalize_reduce.h"

#include <time.h>

#include <algorithm>
#include <deque>
#include <new>
#include <utility>

#include "reporters/trace/reduce/tree_reduce.h"

namespace ddtscope::plugin {
namespace {

/// What goes wrong on MPI_COMM_WORLD meanwhile comes back, whatever the program wants.
class WorldErrorsReturn {
 public:
  explicit WorldErrorsReturn(const MpiFunctions& mpi) : mpi_(mpi) {
    if (mpi_.Comm_get_errhandler(world_communicator(), &programs_own_) != MPI_SUCCESS) return;
    is_changed_ = mpi_.Comm_set_errhandler(world_communicator(), errors_return()) == MPI_SUCCESS;
  }
  ~WorldErrorsReturn() {
    if (is_changed_) mpi_.Comm_set_errhandler(world_communicator(), programs_own_);
  }
  WorldErrorsReturn(const WorldErrorsReturn&) = delete;
  WorldErrorsReturn& operator=(const WorldErrorsReturn&) = delete;

 private:
  const MpiFunctions& mpi_;
  MPI_Errhandler programs_own_{};
  bool is_changed_ = false;
};

class MpiMessages : public reduce::Messages {
 public:
  explicit MpiMessages(const MpiFunctions& mpi) : mpi_(mpi), byte_(*predefined_handle("MPI_BYTE")) {}

  const MpiFunctions& mpi() const { return mpi_; }
  /// Collective over MPI_COMM_WORLD, without waiting; one at a time.
  void ask_whether_all_came() { check(mpi_.Ibarrier(world_communicator(), &asked_)); }
  void ask_for_communicator() { check(mpi_.Comm_idup(world_communicator(), &communicator_, &asked_)); }
  /// Whether what was asked for is there.
  bool is_answered() {
    int is_there = 0;
    check(mpi_.Test(&asked_, &is_there, MPI_STATUS_IGNORE));
    return is_there != 0;
  }
  /// Errors come back, whatever the program wants for its own communicators.
  void use_communicator() { check(mpi_.Comm_set_errhandler(communicator_, errors_return())); }

  void reserve(std::size_t requests) override {
    requests_.resize(std::max(requests_.size(), used_ + requests));
    reserved_ = requests;
  }
  void use_reserve(std::size_t requests) override { reserved_ -= std::min(requests, reserved_); }
  Request send(std::int64_t rank, int tag, const void* data, std::size_t bytes) override {
    MPI_Request& request = next();
    check(mpi_.Isend(data, static_cast<int>(bytes), byte_, static_cast<int>(rank), tag, communicator_, &request));
    return used_++;
  }
  Request receive(std::int64_t rank, int tag, void* data, std::size_t bytes) override {
    MPI_Request& request = next();
    check(mpi_.Irecv(data, static_cast<int>(bytes), byte_, static_cast<int>(rank), tag, communicator_, &request));
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
  MPI_Comm communicator_{};
  MPI_Request asked_{};               // what all ranks take part in
  std::deque<MPI_Request> requests_;  // the library may write to one until it is completed
  std::size_t used_ = 0, reserved_ = 0;
};

/// What runs on the same processor may be what is waited for: sleeps longer, the longer it has waited.
void pause_after(double waited_s) {
  const double sleep_s = std::clamp(waited_s / 16, 10e-6, 10e-3);
  const timespec time{0, static_cast<long>(sleep_s * 1e9)};
  nanosleep(&time, nullptr);
}

/// Whether what `messages` asked for is there before `patience_s` seconds have passed.
bool is_answered_within(double patience_s, MpiMessages& messages) {
  const double begun = messages.now();
  while (!messages.is_answered()) {
    const double waited = messages.now() - begun;
    if (waited > patience_s) return false;
    pause_after(waited);
  }
  return true;
}

}  // namespace

/// Never destroyed where a message may still come into its memory.
struct FinalizeReduce::Member {
  Member(const MpiFunctions& mpi, const reduce::TreeReduce::Options& options)
      : messages(mpi), tree(messages, options) {}
  MpiMessages messages;
  reduce::TreeReduce tree;
  double patience_s = 0;
};

bool FinalizeReduce::reserve(const MpiFunctions& mpi, int rank, int ranks) noexcept {
  try {
    member_ = new Member(mpi, {.rank = rank, .ranks = ranks});
  } catch (const std::bad_alloc&) {
    member_ = nullptr;
  }
  return member_ != nullptr;
}

void FinalizeReduce::begin(int patience_s) noexcept {
  member_->tree.wait_at_most(patience_s);
  member_->patience_s = patience_s;
}

void FinalizeReduce::give_up(const char* reason) noexcept {
  delete std::exchange(member_, nullptr);
  problem_ = reason;
}

/// A communicator of the plugin's own. Not before MPI_Finalize, where all ranks are waited for anyway: in MPI_Init it
/// would cost what the other ranks' start takes once more, and one that is asked for there and comes later
/// (MPI_Comm_idup) can keep Open MPI 4.1's MPI_Comm_spawn from ending. Not before all ranks have come, either: the last
/// part of MPI_Comm_idup waits for them within MPI_Test (MPICH 5.0), also for those that have given up. Why there is
/// none; empty where there is.
std::string_view FinalizeReduce::get_communicator() {
  constexpr std::string_view too_late = "not all ranks came to MPI_Finalize in time";
  try {
    MpiMessages& messages = member_->messages;
    const WorldErrorsReturn while_asking(messages.mpi());
    messages.ask_whether_all_came();
    if (!is_answered_within(member_->patience_s, messages)) return too_late;
    messages.ask_for_communicator();
    if (!is_answered_within(member_->patience_s, messages)) return too_late;
    messages.use_communicator();
  } catch (const reduce::NotReduced&) {
    return "the MPI library gave no communicator";
  }
  return {};
}

FinalizeReduce::Result FinalizeReduce::run(const std::string& own, const std::string& folder) noexcept {
  if (!member_) return {false, problem_};
  if (const std::string_view problem = get_communicator(); !problem.empty()) return {false, problem};
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
