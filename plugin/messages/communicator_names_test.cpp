#include "plugin/messages/communicator_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace ddtscope::plugin::communicator_names_test {
namespace {

/// Processes that make communicators together, each of which knows its own handles and what it took part in. A
/// communicator is known by its place in `all`.
class Processes {
 public:
  struct Made {
    std::vector<int> first, second;  // groups; the second one of an intercommunicator
    std::vector<int> members() const {
      std::vector<int> both = first;
      both.insert(both.end(), second.begin(), second.end());
      return both;
    }
  };

  explicit Processes(int size, unsigned seed) : random_(seed), names_(static_cast<std::size_t>(size)) {
    Made world;
    for (int rank = 0; rank < size; ++rank) {
      world.first.push_back(rank);
      names_[index(rank)].begin({.world = handle(rank, 0), .self = handle(rank, self), .number = 1, .rank = rank});
    }
    all.push_back(world);
  }

  /// Of the communicator at place `parent`, into one for each color; processes of color -1 are in none.
  void split(std::size_t parent) {
    const Made from = all[parent];
    std::map<int, Made> of_color;
    for (int side = 0; side < 2; ++side) {
      for (const int rank : side == 0 ? from.first : from.second) {
        const int color = number(-1, 2);
        if (color >= 0) (side == 0 ? of_color[color].first : of_color[color].second).push_back(rank);
      }
    }
    begin(from, parent);
    for (auto& [color, made] : of_color) {
      if (!from.second.empty() && (made.first.empty() || made.second.empty())) continue;
      std::shuffle(made.first.begin(), made.first.end(), random_);  // by keys
      end_by_parent(made);
    }
  }
  void dup(std::size_t parent) {
    begin(all[parent], parent);
    end_by_parent(Made(all[parent]));
  }
  void merge(std::size_t parent) {
    begin(all[parent], parent);
    end_by_parent({all[parent].members(), {}});
  }
  /// Some of its processes make one for themselves.
  void create_group(std::size_t parent, int tag) {
    Made made;
    for (const int rank : all[parent].first) {
      if (number(0, 1) == 0) made.first.push_back(rank);
    }
    if (made.first.empty()) return;
    end_by_members(made, [&](int rank) {
      return CommunicatorNames::MadeByMembers{names_[index(rank)].name_of(handle(rank, parent)), tag};
    });
  }
  /// Between two halves of it.
  void connect(std::size_t parent, int tag) {
    const std::vector<int>& ranks = all[parent].first;
    if (ranks.size() < 2) return;
    const auto half = ranks.begin() + static_cast<std::ptrdiff_t>(ranks.size() / 2);
    end_by_members({{ranks.begin(), half}, {half, ranks.end()}}, [&](int) {
      return CommunicatorNames::MadeByMembers{{}, tag};
    });
  }

  CommunicatorName name(int rank, std::size_t communicator) const {
    return names_[index(rank)].name_of(handle(rank, communicator));
  }
  int number(int least, int greatest) { return std::uniform_int_distribution<int>(least, greatest)(random_); }

  std::vector<Made> all;

 private:
  static constexpr std::size_t self = 1 << 20;
  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }
  /// Handles of the processes have nothing in common.
  static HandleBits handle(int rank, std::size_t communicator) {
    return 0x1000 + static_cast<HandleBits>(communicator) * 64 + static_cast<HandleBits>(rank) * 7;
  }
  /// As the process sees it: its own group, and the other.
  static CommunicatorGroups groups(const Made& made, int rank) {
    const bool is_in_first = std::find(made.first.begin(), made.first.end(), rank) != made.first.end();
    return {is_in_first ? made.first : made.second, is_in_first ? made.second : made.first, true};
  }
  void begin(const Made& from, std::size_t parent) {
    calls_.clear();
    for (const int rank : from.members()) calls_[rank] = names_[index(rank)].begin_call(handle(rank, parent));
  }
  void end_by_parent(const Made& made) {
    for (const int rank : made.members()) {
      names_[index(rank)].learn(handle(rank, all.size()),
                                CommunicatorNames::name_by_parent(calls_[rank], groups(made, rank)));
    }
    all.push_back(made);
  }
  template <class CallOf>
  void end_by_members(const Made& made, const CallOf& call_of) {
    for (const int rank : made.members()) {
      CommunicatorNames& names = names_[index(rank)];
      names.learn(handle(rank, all.size()), names.count_by_members(call_of(rank), groups(made, rank)));
    }
    all.push_back(made);
  }

  std::mt19937 random_;
  std::vector<CommunicatorNames> names_;
  std::map<int, CommunicatorNames::Call> calls_;
};

TEST(CommunicatorNames, AreEqualInAllProcessesAndDifferentForAllCommunicators) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Processes processes(6, seed);
    for (int step = 0; step < 60; ++step) {
      const auto parent = static_cast<std::size_t>(processes.number(0, static_cast<int>(processes.all.size()) - 1));
      const bool is_inter = !processes.all[parent].second.empty();
      switch (processes.number(0, 4)) {
        case 0:
          processes.split(parent);
          break;
        case 1:
          processes.dup(parent);
          break;
        case 2:
          if (is_inter) processes.merge(parent);
          break;
        case 3:
          if (!is_inter) processes.create_group(parent, processes.number(0, 1));
          break;
        default:
          if (!is_inter) processes.connect(parent, processes.number(0, 1));
      }
    }
    ASSERT_GT(processes.all.size(), 30u);
    std::set<std::uint64_t> names;
    for (std::size_t i = 0; i < processes.all.size(); ++i) {
      const std::vector<int> members = processes.all[i].members();
      const CommunicatorName name = processes.name(members.front(), i);
      ASSERT_TRUE(name);
      for (const int rank : members) ASSERT_EQ(processes.name(rank, i), name) << "seed " << seed << ", number " << i;
      ASSERT_TRUE(names.insert(name.value).second) << "seed " << seed << ", number " << i;
    }
  }
}

TEST(CommunicatorNames, CountCallsThatMakeNothingInAProcess) {
  CommunicatorNames one, other;
  one.begin({.world = 1, .self = 2});
  other.begin({.world = 1, .self = 2, .rank = 1});
  one.begin_call(1);
  other.learn(9, CommunicatorNames::name_by_parent(other.begin_call(1), {{1}, {}, true}));
  const CommunicatorGroups both{{0, 1}, {}, true};
  const CommunicatorName next = CommunicatorNames::name_by_parent(one.begin_call(1), both);
  EXPECT_TRUE(next);
  EXPECT_EQ(next, CommunicatorNames::name_by_parent(other.begin_call(1), both));
}

TEST(CommunicatorNames, AreNoneOnceACallHasFailed) {
  CommunicatorNames names;
  names.begin({.world = 1, .self = 2});
  const CommunicatorGroups both{{0, 1}, {}, true};
  names.learn(5, CommunicatorNames::name_by_parent(names.begin_call(1), both));
  names.begin_call(1);
  names.call_failed(1);
  EXPECT_FALSE(CommunicatorNames::name_by_parent(names.begin_call(1), both));
  EXPECT_TRUE(names.name_of(1));  // it is still the same one itself
  EXPECT_TRUE(CommunicatorNames::name_by_parent(names.begin_call(5), both));
  names.call_failed(77);  // that nobody knows
}

TEST(CommunicatorNames, OfSelfAreEachProcessesOwn) {
  CommunicatorNames one, other, of_other_world;
  one.begin({.world = 1, .self = 2, .number = 1, .rank = 0});
  other.begin({.world = 1, .self = 2, .number = 1, .rank = 1});
  of_other_world.begin({.world = 1, .self = 2, .number = 2, .rank = 0});
  EXPECT_EQ(one.name_of(1), other.name_of(1));
  EXPECT_NE(one.name_of(2), other.name_of(2));
  EXPECT_NE(one.name_of(1), of_other_world.name_of(1));
  EXPECT_NE(one.name_of(2), of_other_world.name_of(2));
}

TEST(CommunicatorNames, AreNoneWhereProcessesCouldNotAgree) {
  CommunicatorNames names(2);
  names.begin({.world = 1, .self = 2});
  const CommunicatorGroups here{{0, 1}, {}, true};
  const CommunicatorGroups elsewhere{{0, 1}, {}, false};
  EXPECT_FALSE(CommunicatorNames::name_by_parent(names.begin_call(77), here));  // nobody knows the parent
  EXPECT_FALSE(CommunicatorNames::name_by_parent(names.begin_call(1), elsewhere));
  EXPECT_FALSE(names.count_by_members({}, elsewhere));
  EXPECT_TRUE(names.count_by_members({{}, 1}, here));
  EXPECT_TRUE(names.count_by_members({{}, 2}, here));
  EXPECT_FALSE(names.count_by_members({{}, 3}, here));  // more than are told apart
  EXPECT_TRUE(names.count_by_members({{}, 2}, here));
  names.learn(5, {7});
  EXPECT_TRUE(names.name_of(5));
  names.learn(5, {});
  EXPECT_FALSE(names.name_of(5));
  EXPECT_EQ(names.size(), 2u);
}

TEST(CommunicatorNames, OfManyProcessesAreToldByTheFirstOfEachGroup) {
  CommunicatorNames names;
  names.begin({.world = 1, .self = 2});
  const CommunicatorNames::Call call = names.begin_call(1);
  const CommunicatorGroups first{{0}, {}, true, false};
  EXPECT_TRUE(CommunicatorNames::name_by_parent(call, first));
  EXPECT_NE(CommunicatorNames::name_by_parent(call, first),
            CommunicatorNames::name_by_parent(call, {{1}, {}, true, false}));
  EXPECT_EQ(CommunicatorNames::name_by_parent(call, {{3}, {5}, true, false}),
            CommunicatorNames::name_by_parent(call, {{5}, {3}, true, false}));
  EXPECT_FALSE(names.count_by_members({}, first));  // others may begin with the same process
}

TEST(CommunicatorNames, DependOnTheOrderOfProcesses) {
  CommunicatorNames names;
  names.begin({.world = 1, .self = 2});
  const CommunicatorNames::Call call = names.begin_call(1);
  EXPECT_NE(CommunicatorNames::name_by_parent(call, {{0, 1}, {}, true}),
            CommunicatorNames::name_by_parent(call, {{1, 0}, {}, true}));
  EXPECT_NE(CommunicatorNames::name_by_parent(call, {{0, 1}, {}, true}),
            CommunicatorNames::name_by_parent(call, {{0}, {1}, true}));
}

}  // namespace
}  // namespace ddtscope::plugin::communicator_names_test
