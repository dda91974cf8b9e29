#include "plugin/library/group_queries.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>

#include "plugin/library/library.h"

namespace ddtscope::plugin {
namespace {

/// A group that the library gives, and gets back.
class Group {
 public:
  Group(const MpiFunctions& mpi, decltype(MpiFunctions::Comm_group) function, MPI_Comm communicator) : mpi_(mpi) {
    has_group_ = function(communicator, &group_) == MPI_SUCCESS;
  }
  ~Group() {
    if (has_group_) mpi_.Group_free(&group_);
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  explicit operator bool() const { return has_group_; }
  MPI_Group handle() const { return group_; }

 private:
  const MpiFunctions& mpi_;
  MPI_Group group_{};
  bool has_group_ = false;
};

/// Open MPI compares each process of the one group with each of the other: as many take some milliseconds.
constexpr std::int64_t most_comparisons = std::int64_t{1} << 22;

}  // namespace

/// 0 where the library does not say.
int MpiGroupQueries::size_of(MPI_Group group) const {
  int size = 0;
  return mpi_.Group_size(group, &size) == MPI_SUCCESS ? size : 0;
}

/// Of the first processes of a group. False where one is not in the world.
bool MpiGroupQueries::find_ranks(MPI_Group group, int size, MPI_Group world, std::vector<int>& ranks) const {
  if (size <= 0) return false;
  std::vector<int> own(static_cast<std::size_t>(size));
  std::iota(own.begin(), own.end(), 0);
  ranks.resize(own.size());
  if (mpi_.Group_translate_ranks(group, size, own.data(), world, ranks.data()) != MPI_SUCCESS) return false;
  return std::find(ranks.begin(), ranks.end(), MPI_UNDEFINED) == ranks.end();
}

CommunicatorGroups MpiGroupQueries::groups_of(HandleBits communicator) {
  const auto handle = handle_of<MPI_Comm>(communicator);
  CommunicatorGroups groups;
  int is_inter = 0;
  const Group world(mpi_, mpi_.Comm_group, world_communicator());
  const Group own(mpi_, mpi_.Comm_group, handle);
  if (!world || !own || mpi_.Comm_test_inter(handle, &is_inter) != MPI_SUCCESS) return groups;
  std::optional<Group> remote;
  if (is_inter != 0) remote.emplace(mpi_, mpi_.Comm_remote_group, handle);
  if (remote && !*remote) return groups;
  const int all = size_of(own.handle());
  const int all_remote = remote ? size_of(remote->handle()) : 0;
  // The same in all its processes.
  groups.are_whole = (std::int64_t{all} + all_remote) * size_of(world.handle()) <= most_comparisons;
  groups.are_of_world = find_ranks(own.handle(), groups.are_whole ? all : std::min(all, 1), world.handle(), groups.own);
  if (!remote) return groups;
  groups.are_of_world =
      groups.are_of_world && find_ranks(remote->handle(), groups.are_whole ? all_remote : std::min(all_remote, 1),
                                        world.handle(), groups.remote);
  return groups;
}

int MpiGroupQueries::process_of(HandleBits communicator, int rank) {
  const auto handle = handle_of<MPI_Comm>(communicator);
  int is_inter = 0;
  if (mpi_.Comm_test_inter(handle, &is_inter) != MPI_SUCCESS) return -1;
  const Group world(mpi_, mpi_.Comm_group, world_communicator());
  const Group group(mpi_, is_inter != 0 ? mpi_.Comm_remote_group : mpi_.Comm_group, handle);
  int process = MPI_UNDEFINED;
  const bool is_told = world && group && rank >= 0 && rank < size_of(group.handle()) &&
                       mpi_.Group_translate_ranks(group.handle(), 1, &rank, world.handle(), &process) == MPI_SUCCESS;
  return is_told && process != MPI_UNDEFINED ? process : -1;
}

std::optional<std::vector<int>> MpiGroupQueries::processes_of_group(HandleBits group) {
  const auto handle = handle_of<MPI_Group>(group);
  int size = 0;
  if (mpi_.Group_size(handle, &size) != MPI_SUCCESS) return std::nullopt;
  std::vector<int> ranks;
  if (size == 0) return ranks;
  const Group world(mpi_, mpi_.Comm_group, world_communicator());
  const bool is_told = world && std::int64_t{size} * size_of(world.handle()) <= most_comparisons &&
                       find_ranks(handle, size, world.handle(), ranks);
  return is_told ? std::optional(std::move(ranks)) : std::nullopt;
}

bool MpiGroupQueries::allows_overtaking(HandleBits communicator) {
  MPI_Info info;
  if (mpi_.Comm_get_info(handle_of<MPI_Comm>(communicator), &info) != MPI_SUCCESS) return false;
  char value[8] = {};  // "true" or "false"
  int is_there = 0;
  const bool is_told =
      mpi_.Info_get(info, "mpi_assert_allow_overtaking", sizeof value - 1, value, &is_there) == MPI_SUCCESS;
  mpi_.Info_free(&info);
  return is_told && is_there != 0 && std::string_view(value) == "true";
}

std::optional<AccumulateOrdering> MpiGroupQueries::accumulate_ordering(HandleBits info) {
  const auto handle = handle_of<MPI_Info>(info);
  if (handle == null_info()) return std::nullopt;
  char value[32] = {};  // "rar,raw,war,waw" at most, each once
  int is_there = 0;
  const bool is_told =
      mpi_.Info_get(handle, "accumulate_ordering", sizeof value - 1, value, &is_there) == MPI_SUCCESS && is_there != 0;
  return is_told ? accumulate_ordering_of(value) : std::nullopt;
}

}  // namespace ddtscope::plugin
