// Windows of a process of four that calls functions of one-sided communication, for tests.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plugin/uses/counted_uses_fixture.h"
#include "plugin/windows/window_accesses.h"

namespace ddtscope::plugin {

inline constexpr HandleBits world = 100, self = 101, other = 102, window = 200, null_type = 0x9999;
inline constexpr EntryPoint create_entry{"MPI_Win_create", "c"}, put_entry{"MPI_Put", "c"}, rput_entry{"MPI_Rput", "c"},
    split_entry{"MPI_Comm_split", "c"}, fetch_entry{"MPI_Fetch_and_op", "c"}, free_entry{"MPI_Win_free", "c"},
    sync_entry{"MPI_Win_any", "c"};

/// MPI_Put.
constexpr UseRow put_row() {
  UseRow row{
      .uses = {.first = {.parameter = UseParameter::origin_datatype, .type = 2, .count = 1, .buffer = 0, .peer = 3},
               .second = {.parameter = UseParameter::target_datatype, .type = 6, .count = 5, .peer = 3}}};
  row.holder = 7;
  return row;
}
/// MPI_Fetch_and_op.
constexpr UseRow fetch_row() {
  UseRow row{
      .uses = {.first = {.parameter = UseParameter::datatype, .type = 2, .buffer = 0, .peer = 3}, .fixed_count = 1}};
  row.holder = 6;
  return row;
}
/// MPI_Rput.
constexpr UseRow rput_row() {
  UseRow row = put_row();
  row.lasts = Lasts::request;
  row.window = 7;
  row.holder = 8;
  return row;
}
inline constexpr UseRow put = put_row(), fetch = fetch_row(), rput = rput_row();

class NoCommunicators : public CommunicatorQueries {
 public:
  Communicator describe(HandleBits) override { return {}; }
};

class PlayedGroups : public GroupQueries {
 public:
  CommunicatorGroups groups_of(HandleBits communicator) override { return groups[communicator]; }
  std::optional<std::vector<int>> processes_of_group(HandleBits group) override {
    ++asked;
    return ranks_of_group[group];
  }
  std::optional<AccumulateOrdering> accumulate_ordering(HandleBits info) override { return orderings[info]; }
  int process_of(HandleBits, int rank) override { return rank; }
  bool allows_overtaking(HandleBits) override { return false; }
  int asked = 0;
  std::map<HandleBits, std::optional<AccumulateOrdering>> orderings;
  std::map<HandleBits, std::optional<std::vector<int>>> ranks_of_group;
  std::map<HandleBits, CommunicatorGroups> groups{{world, {{0, 1, 2, 3}, {}, true}}, {other, {{3, 1}, {}, true}}};
};

class WindowsTest : public CountedUsesTest {
 protected:
  void SetUp() override {
    CountedUsesTest::SetUp();
    begin_counting(no_communicators_, {.constants = {}, .null_type = null_type, .judge = nullptr});
    communicators_ = std::make_unique<NamedCommunicators>(NamedCommunicators::Options{},
                                                          NamedCommunicators::Parts{*registry_, groups_, writer_});
    communicators_->begin({.world = world, .self = self, .number = 1, .rank = 0});
    record(1 << 20);
  }
  void record(std::size_t most_bytes) {
    const WindowAccesses::Options options{.constants = constants, .world = world, .most_bytes = most_bytes};
    windows_ = std::make_unique<WindowAccesses>(
        options, WindowAccesses::Parts{*registry_, groups_, *communicators_, writer_, verdicts_,
                                       [this](const ToldError& error) { told_.push_back(error.message); }, memory_});
  }
  void make(HandleBits handle, HandleBits communicator, std::int64_t size = 800, std::int64_t unit = 8,
            std::optional<HandleBits> info = std::nullopt) {
    const CommunicatorNames::Call call = windows_->begin_call(communicator);
    windows_->made({.window = handle,
                    .communicator = communicator,
                    .info = info,
                    .size = size,
                    .displacement_unit = unit,
                    .called = &create_entry,
                    .stack = &stack_},
                   call);
  }
  WindowAccesses::Begun puts(std::intptr_t target, std::intptr_t displacement, std::intptr_t count = 5,
                             HandleBits handle = window, CallOutcome outcome = CallOutcome::succeeded) {
    const std::array<std::intptr_t, 8> words{1,
                                             count,
                                             static_cast<std::intptr_t>(mpi_int),
                                             target,
                                             displacement,
                                             count,
                                             static_cast<std::intptr_t>(mpi_int),
                                             static_cast<std::intptr_t>(handle)};
    return call({{put, words.data()}, &put_entry, &stack_}, outcome);
  }
  /// A call with a request, which the library has made.
  void rputs(std::intptr_t target, std::intptr_t displacement, const Holder& request) {
    const std::array<std::intptr_t, 9> words{1,
                                             5,
                                             static_cast<std::intptr_t>(mpi_int),
                                             target,
                                             displacement,
                                             5,
                                             static_cast<std::intptr_t>(mpi_int),
                                             static_cast<std::intptr_t>(window),
                                             0};
    const UsingCall use{{rput, words.data()}, &rput_entry, &stack_};
    windows_->has_request(use, call(use), request);
  }
  WindowAccesses::Begun call(const UsingCall& use, CallOutcome outcome = CallOutcome::succeeded) {
    return windows_->end(use, windows_->begin(use), outcome);
  }
  /// One that synchronises the window.
  void synchronise(SynchronisingCall what, CallOutcome outcome = CallOutcome::succeeded) {
    if (what.window == 0) what.window = window;
    what.called = &sync_entry;
    what.stack = &stack_;
    windows_->end(what, windows_->begin(what), outcome);
  }
  void fence() { synchronise({.kind = WindowEventKind::fence}); }
  /// Once.
  void write() {
    std::uint32_t next = 0;
    registry_->beside([&] { windows_->write(writer_, next); });
  }
  Verdicts verdicts_{writer_};
  std::vector<std::string> told_;
  NoCommunicators no_communicators_;
  PlayedGroups groups_;
  std::unique_ptr<NamedCommunicators> communicators_;
  std::unique_ptr<WindowAccesses> windows_;
};

}  // namespace ddtscope::plugin
