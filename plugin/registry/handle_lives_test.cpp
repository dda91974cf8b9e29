// Lives of handles, against a model that knows each object.
#include "plugin/registry/handle_lives.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>
#include <vector>

namespace ddtscope::plugin::handle_lives_test {
namespace {

class HandleLivesTest : public ::testing::Test {
 protected:
  void begin(HandleBits handle, std::uint32_t definition, std::uint32_t counter) {
    lives_.begin(handle, {.definition = DefinitionId{definition}, .counter = counter}, ended_by());
  }
  void give_again(HandleBits handle, std::uint32_t definition, std::uint32_t counter) {
    lives_.begin_or_share(handle, {.definition = DefinitionId{definition}, .counter = counter}, ended_by());
  }
  bool end(const HandleLives::Free& free, CallOutcome outcome = CallOutcome::succeeded) {
    return lives_.end_free(free, outcome, ended_by());
  }
  std::uint32_t definition_of(HandleBits handle) {
    const HandleEntry* entry = lives_.find(handle);
    return entry ? entry->definition : trace::debug_view_none;
  }
  std::function<void(std::uint32_t)> ended_by() {
    return [this](std::uint32_t counter) { ended_.push_back(counter); };
  }

  trace::DebugView view_{};
  DebugMemory memory_{view_};
  HandleLives lives_{memory_};
  std::vector<std::uint32_t> ended_;  // counters, in the order in which their lives ended
};

using Commit = HandleLives::Commit;
using Counters = std::vector<std::uint32_t>;

TEST_F(HandleLivesTest, AHandleStandsForItsTypeUntilTheFreeHasComeBack) {
  EXPECT_EQ(lives_.find(1), nullptr);
  begin(1, 7, 70);
  const HandleLives::Free pending = lives_.begin_free(1);
  EXPECT_TRUE(pending.known);
  EXPECT_EQ(pending.definition, DefinitionId{7});
  EXPECT_EQ(definition_of(1), 7u);
  EXPECT_FALSE(end(pending));
  EXPECT_EQ(lives_.find(1), nullptr);
  EXPECT_TRUE(lives_.is_dead(1));
  EXPECT_FALSE(lives_.is_dropped(1));
  EXPECT_EQ(ended_, Counters{70});
}

TEST_F(HandleLivesTest, AFailedFreeEndsNothing) {
  begin(1, 7, 70);
  EXPECT_FALSE(end(lives_.begin_free(1), CallOutcome::failed));
  EXPECT_EQ(definition_of(1), 7u);
  end(lives_.begin_free(99), CallOutcome::failed);
  EXPECT_FALSE(lives_.is_dead(99)) << "nothing was learnt of it";
  EXPECT_TRUE(ended_.empty());
}

TEST_F(HandleLivesTest, AHandleThatIsFreedUnseenEndsWhenItIsGivenToANewObject) {
  begin(1, 7, 70);
  begin(1, 8, 80);
  EXPECT_EQ(ended_, Counters{70});
  EXPECT_EQ(definition_of(1), 8u);
  lives_.drop(1, ended_by());
  EXPECT_EQ(ended_, (Counters{70, 80}));
  EXPECT_TRUE(lives_.is_dropped(1));
  begin(1, 9, 90);
  EXPECT_FALSE(lives_.is_dropped(1));
}

TEST_F(HandleLivesTest, PredefinedHandlesNeitherEndNorChange) {
  lives_.begin(1, {.definition = DefinitionId{7}, .counter = 70, .predefined = true}, ended_by());
  begin(1, 8, 80);
  lives_.drop(1, ended_by());
  lives_.bury(1);
  EXPECT_EQ(lives_.begin_commit(1).of, Commit::Of::repeated);
  EXPECT_FALSE(lives_.begin_free(1).known);
  EXPECT_EQ(definition_of(1), 7u);
  EXPECT_TRUE(ended_.empty());
}

TEST_F(HandleLivesTest, EachLifeIsCommittedOnce) {
  begin(1, 7, 70);
  const Commit first = lives_.begin_commit(1);
  EXPECT_EQ(first.of, Commit::Of::first);
  EXPECT_EQ(first.counter, 70u);
  EXPECT_EQ(lives_.begin_commit(1).of, Commit::Of::repeated);
  begin(1, 8, 80);
  EXPECT_EQ(lives_.begin_commit(1).counter, 80u);
}

TEST_F(HandleLivesTest, ACommitTellsWhatMayNotBeCommitted) {
  EXPECT_EQ(lives_.begin_commit(2).of, Commit::Of::nothing_known);
  EXPECT_TRUE(lives_.begin_commit(2).is_doubtful());
  begin(1, 7, 70);
  EXPECT_FALSE(lives_.begin_commit(1).is_doubtful());
  end(lives_.begin_free(1));
  EXPECT_EQ(lives_.begin_commit(1).of, Commit::Of::freed_type);
  EXPECT_TRUE(lives_.begin_commit(1).is_doubtful());
}

TEST_F(HandleLivesTest, ACommitThatFailedIsTakenBackFromItsOwnLifeAlone) {
  begin(1, 7, 70);
  const Commit failed = lives_.begin_commit(1);
  EXPECT_TRUE(lives_.take_back(failed));
  EXPECT_FALSE(lives_.find(1)->is_committed());
  const Commit late = lives_.begin_commit(1);
  begin(1, 8, 80);
  lives_.begin_commit(1);
  EXPECT_FALSE(lives_.take_back(late));
  EXPECT_TRUE(lives_.find(1)->is_committed());
}

TEST_F(HandleLivesTest, AGenerationIsOfOneLife) {
  const std::uint32_t first = lives_.next_generation();
  begin(1, 7, 70);
  EXPECT_EQ(lives_.find(1)->generation, first);
  EXPECT_NE(lives_.next_generation(), first);
}

/// The library: objects with references, handles that are given again at random, several threads inside MPI_Type_free.
TEST_F(HandleLivesTest, EachLifeEndsOnceAndIsTheRightOne) {
  struct Object {
    std::uint32_t definition;
    int references;
  };
  struct Pending {
    HandleLives::Free free;
    std::uint32_t definition;  // of the object that it frees a reference of
  };
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    std::map<HandleBits, Object> alive;         // as the library has it
    std::vector<Pending> pending;               // freed there, not yet come back
    std::map<std::uint32_t, int> begun, ended;  // lives, by definition
    std::map<std::uint32_t, std::uint32_t> of_counter;
    std::uint32_t next = 0;
    ended_.clear();
    const auto handle_of = [&](std::uint32_t i) { return HandleBits{1000 * seed + i}; };
    for (int step = 0; step < 2000; ++step) {
      const HandleBits handle = handle_of(static_cast<std::uint32_t>(random() % 6));
      const auto object = alive.find(handle);
      const std::uint32_t counter = next++;
      if (object == alive.end()) {
        alive[handle] = {counter, 1};
        of_counter[counter] = counter;
        ++begun[counter];
        begin(handle, counter, counter);
      } else if (random() % 3 == 0) {
        ++object->second.references;
        of_counter[counter] = object->second.definition;
        ++begun[object->second.definition];
        give_again(handle, object->second.definition, counter);
      } else {
        pending.push_back({lives_.begin_free(handle), object->second.definition});
        if (--object->second.references == 0) alive.erase(object);
      }
      while (!pending.empty() && random() % 2 == 0) {
        const std::size_t any = random() % pending.size();
        end(pending[any].free);
        pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(any));
      }
    }
    for (const Pending& late : pending) end(late.free);
    for (const std::uint32_t counter : ended_) ++ended[of_counter.at(counter)];
    for (const auto& [definition, lives] : begun) {
      int left = 0;
      for (const auto& [handle, object] : alive) left += object.definition == definition ? object.references : 0;
      ASSERT_EQ(ended[definition], lives - left) << "seed " << seed;
    }
    for (const auto& [handle, object] : alive) ASSERT_EQ(definition_of(handle), object.definition);
    for (std::uint32_t i = 0; i < 6; ++i) ASSERT_EQ(lives_.find(handle_of(i)) != nullptr, alive.contains(handle_of(i)));
  }
}

}  // namespace
}  // namespace ddtscope::plugin::handle_lives_test
