// Calls that leave buffers pending, as PendingCalls is told of them, for tests.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "plugin/pending/pending_calls.h"
#include "plugin/uses/counted_uses_fixture.h"

namespace ddtscope::plugin {

inline constexpr HandleBits communicator_handle = 0x44, wide_communicator = 0x45, huge_communicator = 0x46;
inline constexpr int processes_of_wide = 24, processes_of_huge = 4096;
inline constexpr EntryPoint send_entry{"MPI_Isend", "c"}, receive_entry{"MPI_Irecv", "c"},
    blocking_entry{"MPI_Recv", "c"}, start_entry{"MPI_Start", "c"}, reduce_entry{"MPI_Allreduce", "c"},
    alltoallv_entry{"MPI_Alltoallv", "c"}, broadcast_entry{"MPI_Bcast", "c"},
    contiguous_entry{"MPI_Type_contiguous", "c"};

class ThreeProcesses : public CommunicatorQueries {
 public:
  Communicator describe(HandleBits handle) override {
    Communicator communicator;
    communicator.size = communicator.remote_size = handle == wide_communicator   ? processes_of_wide
                                                   : handle == huge_communicator ? processes_of_huge
                                                                                 : 3;
    return communicator;
  }
};

inline UseRow row_of(const Uses& uses, std::array<Access, Uses::most> access, Lasts lasts = Lasts::call) {
  UseRow row{.uses = uses};
  row.is_plain = row.has_plain_arguments();
  row.access = access;
  row.lasts = lasts;
  row.has_several_buffers = uses.second.type >= 0;
  row.has_one_plain_buffer = row.is_plain;
  row.leaves_plain_buffer = row.is_plain && lasts == Lasts::request;
  return row;
}

// buffer, count, type, peer
inline constexpr Use plain{.parameter = UseParameter::datatype, .type = 2, .count = 1, .buffer = 0, .peer = 3};
inline const UseRow send = row_of({.first = plain}, {Access::reads}, Lasts::request);
inline const UseRow receive = row_of({.first = plain}, {Access::writes}, Lasts::request);
inline const UseRow blocking = row_of({.first = plain}, {Access::writes});

inline UseRow receive_init() {
  UseRow row = row_of({.first = plain, .request = 4}, {Access::writes});
  row.has_one_plain_buffer = false;
  return row;
}

// buffer, count, type, peer, partitions
inline UseRow partitioned_init(Access access) {
  Use part = plain;
  part.copies = Copies::partitions;
  UseRow row = row_of({.first = part, .partitions = 4, .request = 5}, {access});
  row.is_plain = row.has_one_plain_buffer = row.leaves_plain_buffer = false;
  return row;
}

// buffer, count, type, target, window
inline UseRow put_with_request() {
  UseRow row = row_of({.first = plain}, {Access::reads}, Lasts::request);
  row.has_one_plain_buffer = row.leaves_plain_buffer = false;
  row.window = 4;
  return row;
}

// sendbuf, recvbuf, count, type
inline UseRow allreduce() {
  UseRow row =
      row_of({.first = {.parameter = UseParameter::datatype, .type = 3, .count = 2, .buffer = 0}}, {Access::reads});
  row.result_buffer = 1;
  row.has_several_buffers = true;
  row.has_one_plain_buffer = false;
  return row;
}

// sendbuf, counts, displacements, type, recvbuf, counts, displacements, type, communicator
inline UseRow alltoallv() {
  UseRow row = row_of(
      {.first = {.parameter = UseParameter::sendtype, .type = 3, .count = 1, .buffer = 0, .copies = Copies::processes},
       .second = {.parameter = UseParameter::recvtype, .type = 7, .count = 5, .buffer = 4, .copies = Copies::processes},
       .communicator = 8},
      {Access::reads, Access::writes});
  row.has_count_array = {true, true, false};
  row.needs_communicator = true;
  return row;
}

// buffer, count, type, root, communicator
inline UseRow broadcast() {
  UseRow row = row_of({.first = {.parameter = UseParameter::datatype, .type = 2, .count = 1, .buffer = 0},
                       .communicator = 4,
                       .root = 3},
                      {Access::reads});
  row.needs_communicator = true;
  return row;
}

class PendingCallsTest : public CountedUsesTest {
 protected:
  void SetUp() override {
    CountedUsesTest::SetUp();
    begin_counting(communicators_, {});
    verdicts_ = std::make_unique<Verdicts>(writer_);
    begin({.constants = constants});
  }
  void begin(const PendingCalls::Options& options) {
    pending_ = std::make_unique<PendingCalls>(
        options, PendingCalls::Parts{*registry_, library_, *uses_, *verdicts_,
                                     [this](const ToldError& error) { told_.push_back(error.message); }});
  }

  using Words = std::vector<std::intptr_t>;
  static Words at(std::intptr_t address, std::intptr_t count) {
    return {address, count, static_cast<std::intptr_t>(mpi_int), 0, 0};
  }
  void call(const UseRow& row, const EntryPoint& entry, const Words& words, const Holder& holder = {}) {
    const UsingCall call{{row, words.data()}, &entry, &stack_};
    PlainUse plain_use;
    const UseCounters::Known known = uses_->begin(call, plain_use);
    if (pending_->concerns(row)) pending_->before(call, plain_use);
    uses_->end(call, known, CallOutcome::succeeded);
    if (row.uses.request >= 0) {
      pending_->made(call, holder.handle);
    } else if (row.lasts != Lasts::call) {
      const bool is_left = !row.leaves_plain_buffer || !pending_->after_plain(call, plain_use, holder);
      if (is_left) pending_->after(call, plain_use, holder);
      is_left_to_after_.store(is_left, std::memory_order_relaxed);
    }
  }
  void start(const Holder& request) {
    const std::array<Holder, 1> requests{request};
    pending_->started({requests, &start_entry, &stack_});
  }
  /// Of two MPI_INT.
  void make_pair(HandleBits newtype) {
    ConstructorCall contiguous;
    contiguous.combiner = Combiner::contiguous;
    contiguous.scalars = {2, 0, 0, 0};
    const std::array<std::int64_t, 1> oldtypes{static_cast<std::int64_t>(mpi_int)};
    registry_->created({.call = contiguous,
                        .oldtypes = IntegerArray(std::span<const std::int64_t>(oldtypes)),
                        .newtype = newtype,
                        .called = &contiguous_entry,
                        .stack = &stack_});
    registry_->begin_commit(newtype);
  }
  std::size_t pairs() const { return written("finding").size(); }
  std::vector<std::string> notes() {
    registry_->beside([&] { pending_->write(writer_); });
    return written("note");
  }

  ThreeProcesses communicators_;
  std::unique_ptr<Verdicts> verdicts_;
  std::unique_ptr<PendingCalls> pending_;
  std::vector<std::string> told_;
  std::atomic<bool> is_left_to_after_ = false;  // of the last call
};

}  // namespace ddtscope::plugin
