// Conflicts in epochs, by MPI-4.1 12.5 and 12.7: whole programs are played call by call, and all calls of an epoch are
// held against each other byte by byte.
#include "reporters/model/window_epochs.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "decoder/testing/sanitizers.h"
#include "reporters/model/findings_of_calls.h"
#include "reporters/model/job_fixture.h"
#include "reporters/model/window_picture.h"

namespace ddtscope::reporters::window_epochs_test {
namespace {

constexpr Key name = 0x77;
constexpr int processes = 4;
constexpr std::int64_t unit = 4;

using Elements = std::vector<SequenceElement>;
using Sites = std::pair<std::uint32_t, std::uint32_t>;  // of a conflict, the lower one first

class WindowEpochsTest : public test::JobFixture {
 protected:
  WindowEpochsTest() {
    ranks(processes);
    add_window(WindowFlavour::create, 4000);
  }

  void add_window(WindowFlavour flavour, std::int64_t size) {
    JobWindow window;
    window.name = name;
    window.flavour = flavour;
    window.size = size;
    window.displacement_unit = unit;
    window.called = "MPI_Win_create";
    window.ranks.add(RankRange{0, processes - 1, {}});
    job_.windows.push_back(std::move(window));
  }

  SequenceElement event(WindowEvent event) {
    event.binding = "c";
    if (event.called.empty()) event.called = name_of(event.kind);
    job_.window_events.push_back(std::move(event));
    return {0, static_cast<std::uint32_t>(job_.window_events.size() - 1)};
  }
  SequenceElement of(WindowEventKind kind, std::optional<std::int64_t> target = {}) {
    WindowEvent one;
    one.kind = kind;
    one.target = target;
    return event(std::move(one));
  }
  SequenceElement lock(std::int64_t target, bool is_exclusive) {
    const SequenceElement one = of(WindowEventKind::lock, target);
    job_.window_events[one.number].is_exclusive = is_exclusive;
    return one;
  }
  SequenceElement with_group(WindowEventKind kind, const std::set<std::int64_t>& group) {
    WindowEvent one;
    one.kind = kind;
    for (const std::int64_t rank : group) one.group.push_back({rank, rank, 1});
    return event(std::move(one));
  }
  /// At a call site of its own.
  SequenceElement access(const char* called, std::int64_t target, std::int64_t displacement, DefinitionId type,
                         std::string_view op = {}) {
    WindowEvent one;
    one.kind = WindowEventKind::access;
    one.called = called;
    one.site = frame(1000 + job_.window_events.size());
    one.target = target;
    one.type = type;
    one.elements = 1;
    one.parameter = trace::UseParameter::target_datatype;
    one.displacement = displacement;
    one.op = op;
    return event(std::move(one));
  }
  SequenceElement put(std::int64_t target, std::int64_t displacement) {
    return access("MPI_Put", target, displacement, named("MPI_INT"));
  }
  void did(const std::set<std::int64_t>& by, Elements elements) {
    JobEpochs epochs;
    epochs.window = WindowIndex{0};
    epochs.sequence = static_cast<std::uint32_t>(job_.window_sequences.size());
    for (const std::int64_t rank : by) epochs.ranks.add(Rank{{}, rank});
    job_.window_sequences.push_back(std::move(elements));
    job_.epochs.push_back(std::move(epochs));
  }
  void clear() {
    job_.window_events.clear();
    job_.window_sequences.clear();
    job_.epochs.clear();
  }

  static Elements loop(std::uint64_t times, const Elements& body) {
    Elements all{{times, static_cast<std::uint32_t>(body.size())}};
    all.insert(all.end(), body.begin(), body.end());
    return all;
  }

  std::set<Sites> found_sites() {
    std::set<Sites> sites;
    for (const JobFinding& finding : findings_of_epochs(job_).findings) {
      sites.insert(std::minmax(finding.site()->value, finding.other->site->value));
    }
    return sites;
  }

  // The player: all events of all processes, one by one.
  struct Played {
    const WindowEvent* event = nullptr;
    std::int64_t displacement = 0;
    std::int64_t origin = 0;
    std::set<std::int64_t> bytes;
  };
  void play(std::span<const SequenceElement> elements, const std::function<void(const WindowEvent&)>& see) {
    for (std::size_t at = 0; at < elements.size();) {
      if (elements[at].times == 0) {
        see(job_.window_events[elements[at++].number]);
        continue;
      }
      for (std::uint64_t i = 0; i < elements[at].times; ++i) play(elements.subspan(at + 1, elements[at].number), see);
      at += 1 + elements[at].number;
    }
  }
  void touch(std::vector<Played>& where, const WindowEvent& event, std::int64_t origin) {
    for (std::uint64_t i = 0; i < event.times; ++i) {
      Played played{&event, event.displacement + static_cast<std::int64_t>(i) * event.step, origin, {}};
      BlockCursor cursor(job_.layouts, job_.layouts.root(*event.type));
      Block block;
      while (cursor.next(block)) {
        for (Int128 byte = 0; byte < block.length.value(); ++byte) {
          played.bytes.insert(static_cast<std::int64_t>(block.displacement.value() + byte) +
                              played.displacement * unit);
        }
      }
      where.push_back(std::move(played));
    }
  }
  static bool only_reads(const Played& one) {
    return one.event->called == "MPI_Get" || one.event->called == "MPI_Rget" || one.event->op == "MPI_NO_OP";
  }
  static bool conflict(const Played& a, const Played& b) {
    if (only_reads(a) && only_reads(b)) return false;
    // Elements of 4 bytes all; those of one process are ordered.
    const bool may_meet =
        a.origin == b.origin || a.event->op == b.event->op || a.event->op == "MPI_NO_OP" || b.event->op == "MPI_NO_OP";
    if (!a.event->op.empty() && !b.event->op.empty() && may_meet) return false;
    return std::any_of(a.bytes.begin(), a.bytes.end(), [&](std::int64_t byte) { return b.bytes.contains(byte); });
  }
  static void hold(const std::vector<Played>& scope, std::set<Sites>& sites) {
    for (std::size_t i = 0; i < scope.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        if (conflict(scope[i], scope[k])) {
          sites.insert(std::minmax(scope[i].event->site->value, scope[k].event->site->value));
        }
      }
    }
  }

  /// Any call at any place of a small window.
  SequenceElement random_access(std::int64_t target, bool with_requests = false) {
    const std::int64_t displacement = number(0, 40);
    const DefinitionId type = number(0, 2) == 0 ? job_.type(vector_).definition : named("MPI_INT");
    switch (number(0, with_requests ? 6 : 4)) {
      case 0:
        return access("MPI_Put", target, displacement, type);
      case 1:
        return access("MPI_Get", target, displacement, type);
      case 2:
        return access("MPI_Accumulate", target, displacement, type, "MPI_SUM");
      case 4:
        return access("MPI_Get_accumulate", target, displacement, type, "MPI_NO_OP");
      case 5:
        return access("MPI_Rget", target, displacement, type);
      case 6:
        return access("MPI_Rget_accumulate", target, displacement, type, "MPI_NO_OP");
      default: {
        const SequenceElement one = access("MPI_Accumulate", target, displacement, type, "MPI_PROD");
        job_.window_events[one.number].times = static_cast<std::uint64_t>(number(2, 4));
        job_.window_events[one.number].step = number(0, 1) == 0 ? -3 : 2;
        return one;
      }
    }
  }
  std::int64_t number(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }

  std::mt19937 random_{5};
  TypeNumber vector_ = vector(3, 1, 3, "MPI_INT");
};

TEST_F(WindowEpochsTest, TellBothParties) {
  const SequenceElement fence = of(WindowEventKind::fence);
  did({0}, {fence, access("MPI_Put", 1, 10, named("MPI_INT")), fence});
  did({2}, {fence, access("MPI_Get", 1, 9, job_.type(vector(2, 1, 1, "MPI_INT")).definition), fence});
  did({1, 3}, {fence, fence});
  const std::vector<JobFinding> findings = findings_of_epochs(job_).findings;
  ASSERT_EQ(findings.size(), 1u);
  const JobFinding& finding = findings[0];
  EXPECT_EQ(finding.kind->id, std::string_view("conflicting-access"));
  EXPECT_EQ(finding.severity, Severity::warning);
  EXPECT_EQ(finding.called, "MPI_Put");
  EXPECT_EQ(text_of(finding.ranks), "0");
  EXPECT_EQ(finding.count, 1u);
  ASSERT_TRUE(finding.other);
  EXPECT_EQ(finding.other->called, "MPI_Get");
  EXPECT_EQ(text_of(finding.other->ranks), "2");
  EXPECT_EQ(
      finding.message,
      "Bytes 40 to 43 of rank 1's window (displacement 10, in units of 4 bytes) are touched twice between its 1st "
      "MPI_Win_fence and the next: MPI_Put of rank 0 writes 1 x MPI_INT at displacement 10, MPI_Get of rank 2 "
      "reads 1 x T2 at displacement 9.");
}

TEST_F(WindowEpochsTest, AreOneForEachFence) {
  const SequenceElement fence = of(WindowEventKind::fence);
  const SequenceElement both = put(1, 10);
  // Rank 0 puts in each epoch, rank 2 in every second one.
  Elements each{fence}, second{fence};
  for (const SequenceElement one : loop(10, {both, fence})) each.push_back(one);
  for (const SequenceElement one : loop(5, {fence, put(1, 10), fence})) second.push_back(one);
  did({0}, each);
  did({2}, second);
  const std::vector<JobFinding> findings = findings_of_epochs(job_).findings;
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].count, 5u);
  EXPECT_NE(findings[0].message.find("between its 2nd MPI_Win_fence"), std::string::npos) << findings[0].message;
}

TEST_F(WindowEpochsTest, OfAllProcessesThatDoTheSame) {
  const SequenceElement fence = of(WindowEventKind::fence);
  did({0, 1, 2, 3}, {fence, put(0, 3), fence});
  const std::vector<JobFinding> findings = findings_of_epochs(job_).findings;
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(text_of(findings[0].ranks), "0-3");
  EXPECT_EQ(text_of(findings[0].other->ranks), "0-3");
  EXPECT_NE(findings[0].message.find("MPI_Put of rank 0 writes"), std::string::npos);
  EXPECT_NE(findings[0].message.find("MPI_Put of rank 1 writes"), std::string::npos);
}

TEST_F(WindowEpochsTest, OfOneProcessEndWithAFlush) {
  const SequenceElement flush = of(WindowEventKind::flush, 1), unlock = of(WindowEventKind::unlock, 1);
  const SequenceElement locked = lock(1, true);
  const SequenceElement write = put(1, 3);
  did({0}, {locked, write, flush, write, unlock});
  EXPECT_TRUE(found_sites().empty());
  clear();
  did({0}, {lock(1, false), put(1, 3), of(WindowEventKind::flush_local, 1), put(1, 3), of(WindowEventKind::unlock, 1)});
  EXPECT_EQ(found_sites().size(), 1u);
  clear();
  // A get has got when it is complete at its origin; a put has not put.
  did({0}, {of(WindowEventKind::lock_all), access("MPI_Get", 1, 3, named("MPI_INT")), of(WindowEventKind::flush_local),
            put(1, 3), of(WindowEventKind::unlock_all)});
  EXPECT_TRUE(found_sites().empty());
}

TEST_F(WindowEpochsTest, OfTwoProcessesUnderSharedLocksAreNotJudged) {
  const auto once = [&](bool is_exclusive) {
    return Elements{lock(1, is_exclusive), put(1, 3), of(WindowEventKind::unlock, 1)};
  };
  did({0}, once(false));
  did({2}, once(false));
  const DrawnFindings drawn = findings_of_epochs(job_);
  EXPECT_TRUE(drawn.findings.empty());
  ASSERT_EQ(drawn.remarks.size(), 1u);
  EXPECT_NE(drawn.remarks[0].find("under shared locks or MPI_Win_lock_all was not held against each other (1 target)"),
            std::string::npos);
  clear();
  did({0}, once(true));
  did({2}, once(true));
  EXPECT_TRUE(findings_of_epochs(job_).remarks.empty());
}

TEST_F(WindowEpochsTest, BeforeWhatIsUndecidedAreFound) {
  const SequenceElement fence = of(WindowEventKind::fence);
  const SequenceElement write = put(1, 0);
  Elements elements{fence};
  for (const SequenceElement one : loop(6, {write, fence, put(1, 5), put(1, 5), fence})) elements.push_back(one);
  did({0}, elements);
  job_.epochs.back().undecided = UndecidedFrom{4, "memory"};  // one of the two
  const DrawnFindings drawn = findings_of_epochs(job_);
  EXPECT_TRUE(drawn.findings.empty());
  ASSERT_EQ(drawn.remarks.size(), 1u);
  job_.epochs.back().undecided->operation = 5;
  EXPECT_EQ(found_sites().size(), 1u);
}

TEST_F(WindowEpochsTest, AreDrawn) {
  job_.windows[0].size = 64;  // 16 places of 4 bytes
  const SequenceElement fence = of(WindowEventKind::fence);
  Elements own{fence}, others{fence};
  // The first conflict is in the third epoch.
  for (const SequenceElement one : loop(2, {put(1, 0), fence})) own.push_back(one);
  for (const SequenceElement one : {put(1, 2), access("MPI_Get", 1, 12, named("MPI_INT")), put(2, 0), fence}) {
    own.push_back(one);
  }
  for (const SequenceElement one : loop(2, {fence})) others.push_back(one);
  const DefinitionId column = job_.type(vector(3, 1, 2, "MPI_INT")).definition;
  for (const SequenceElement one :
       {access("MPI_Put", 1, 0, column), access("MPI_Get", 1, 12, named("MPI_INT")), fence}) {
    others.push_back(one);
  }
  did({0}, own);
  did({3}, others);
  const std::optional<WindowPicture> picture = picture_of_window(job_, name, {}, {}, 16);
  ASSERT_TRUE(picture);
  EXPECT_EQ(picture->epoch, 3u);
  EXPECT_TRUE(picture->has_conflict);
  EXPECT_FALSE(picture->is_rough);
  EXPECT_EQ(picture->bytes_of_cell, 4);
  ASSERT_EQ(picture->memories.size(), 2u);
  EXPECT_EQ(picture->memories[0].rank.number, 1);
  ASSERT_EQ(picture->calls.size(), 5u);
  const auto letter = [&](const char* called, const char* rank, std::size_t which) {
    for (const DrawnCalls& calls : picture->calls) {
      if (calls.called == called && text_of(calls.origins) == rank && which-- == 0) return calls.letter;
    }
    return ' ';
  };
  const std::string twice(1, letter("MPI_Put", "3", 0));
  EXPECT_EQ(picture->memories[0].cells, twice + ".!." + twice + ".......*...");
  EXPECT_EQ(picture->memories[1].cells, std::string(1, letter("MPI_Put", "0", 1)) + std::string(15, '.'));
  const std::optional<WindowPicture> first = picture_of_window(job_, name, {}, 1, 4);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->memories[0].cells, "A...");
  EXPECT_FALSE(picture_of_window(job_, name, {}, 9, 16));
}

/// Random programs of fences: the same ones in all processes, and any accesses in between.
TEST_F(WindowEpochsTest, OfFencesAreThoseOfAnyByte) {
  int with = 0, without = 0;
  for (int round = 0; round < 400; ++round) {
    clear();
    std::vector<Elements> programs(processes);
    const SequenceElement fence = of(WindowEventKind::fence);
    const std::int64_t density = number(0, 3);
    const std::function<std::vector<Elements>(int)> body = [&](int depth) {
      std::vector<Elements> all(processes);
      for (std::int64_t parts = number(1, 3); parts > 0; --parts) {
        std::vector<Elements> part(processes);
        std::uint64_t times = 1;
        if (depth < 2 && number(0, 1) == 1) {
          part = body(depth + 1);
          times = static_cast<std::uint64_t>(number(2, 5));
        } else if (number(0, 2) != 0) {
          for (Elements& one : part) one.push_back(fence);
        }
        for (std::size_t rank = 0; rank < processes; ++rank) {
          if (number(0, 9) < density) part[rank].push_back(random_access(number(0, 1)));
          if (part[rank].empty()) continue;
          const Elements turned = times == 1 ? part[rank] : loop(times, part[rank]);
          all[rank].insert(all[rank].end(), turned.begin(), turned.end());
        }
      }
      return all;
    };
    programs = body(0);
    std::map<std::pair<std::int64_t, std::uint64_t>, std::vector<Played>> scopes;  // by target and fence
    for (std::size_t rank = 0; rank < processes; ++rank) {
      programs[rank].insert(programs[rank].begin(), fence);
      did({static_cast<std::int64_t>(rank)}, programs[rank]);
      std::uint64_t fences = 0;
      play(programs[rank], [&](const WindowEvent& event) {
        if (event.kind == WindowEventKind::fence) {
          ++fences;
        } else {
          touch(scopes[{*event.target, fences}], event, static_cast<std::int64_t>(rank));
        }
      });
    }
    std::set<Sites> expected;
    for (const auto& [place, scope] : scopes) hold(scope, expected);
    ASSERT_EQ(found_sites(), expected) << round;
    (expected.empty() ? without : with) += 1;
  }
  EXPECT_GT(with, 50);
  EXPECT_GT(without, 50);
}

/// Of exposures with any groups: in each step a target posts to some, and these start.
TEST_F(WindowEpochsTest, OfExposuresAreThoseOfAnyByte) {
  int with = 0, without = 0;
  for (int round = 0; round < 400; ++round) {
    clear();
    std::vector<Elements> programs(processes);
    const std::int64_t density = number(1, 4);
    for (std::int64_t steps = number(1, 4); steps > 0; --steps) {
      std::vector<Elements> body(processes);
      for (std::int64_t exposures = number(1, 3); exposures > 0; --exposures) {
        const std::int64_t target = number(0, 1);
        std::set<std::int64_t> group;
        for (std::int64_t rank = 0; rank < processes; ++rank) {
          if (number(0, 2) != 0) group.insert(rank);
        }
        if (group.empty()) continue;
        body[static_cast<std::size_t>(target)].push_back(with_group(WindowEventKind::post, group));
        for (const std::int64_t rank : group) {
          Elements& own = body[static_cast<std::size_t>(rank)];
          own.push_back(with_group(WindowEventKind::start, {target}));
          for (std::int64_t i = 0; i < number(0, density); ++i) own.push_back(random_access(target));
          own.push_back(of(WindowEventKind::complete));
        }
        body[static_cast<std::size_t>(target)].push_back(of(WindowEventKind::wait));
      }
      const auto times = static_cast<std::uint64_t>(number(1, 4));
      for (std::size_t rank = 0; rank < processes; ++rank) {
        if (body[rank].empty()) continue;
        const Elements turned = times == 1 ? body[rank] : loop(times, body[rank]);
        programs[rank].insert(programs[rank].end(), turned.begin(), turned.end());
      }
    }
    // By target, and which of its posts: played by counting both sides of each pair.
    std::map<std::int64_t, std::vector<GroupRuns>> posts;
    for (std::size_t rank = 0; rank < processes; ++rank) {
      if (programs[rank].empty()) continue;
      did({static_cast<std::int64_t>(rank)}, programs[rank]);
      play(programs[rank], [&](const WindowEvent& event) {
        if (event.kind == WindowEventKind::post) posts[static_cast<std::int64_t>(rank)].push_back(event.group);
      });
    }
    std::map<std::pair<std::int64_t, std::size_t>, std::vector<Played>> scopes;
    for (std::size_t rank = 0; rank < processes; ++rank) {
      std::map<std::int64_t, std::size_t> next;  // where to look for the target's next post to it
      std::size_t post = 0;
      play(programs[rank], [&](const WindowEvent& event) {
        if (event.kind == WindowEventKind::start) {
          const std::int64_t target = event.group.front().first;
          std::size_t& at = next[target];
          while (!has_rank(posts[target][at], static_cast<std::int64_t>(rank))) ++at;
          post = at++;
        } else if (event.kind == WindowEventKind::access) {
          touch(scopes[{*event.target, post}], event, static_cast<std::int64_t>(rank));
        }
      });
    }
    std::set<Sites> expected;
    for (const auto& [place, scope] : scopes) hold(scope, expected);
    ASSERT_EQ(found_sites(), expected) << round;
    (expected.empty() ? without : with) += 1;
  }
  EXPECT_GT(with, 50);
  EXPECT_GT(without, 50);
}

/// Of locks: one process and one target, between flushes; requests of gets end by themselves.
TEST_F(WindowEpochsTest, OfLocksAreThoseOfAnyByte) {
  int with = 0, without = 0;
  for (int round = 0; round < 600; ++round) {
    clear();
    const std::int64_t density = number(1, 3);
    const bool is_of_all = number(0, 1) == 1;
    const std::function<Elements(int)> body = [&](int depth) {
      Elements all;
      for (std::int64_t parts = number(1, 4); parts > 0; --parts) {
        const std::int64_t target = number(0, 1);
        if (depth < 2 && number(0, 2) == 0) {
          const Elements inner = body(depth + 1);
          if (inner.empty()) continue;
          const Elements turned = loop(static_cast<std::uint64_t>(number(2, 5)), inner);
          all.insert(all.end(), turned.begin(), turned.end());
          continue;
        }
        for (std::int64_t i = 0; i < number(0, density); ++i) {
          const SequenceElement one = random_access(target, true);
          all.push_back(one);
          const std::string_view called = job_.window_events[one.number].called;
          if ((called == "MPI_Rget" || called == "MPI_Rget_accumulate") && number(0, 2) != 0) {
            WindowEvent done = job_.window_events[one.number];
            done.kind = WindowEventKind::completed;
            all.push_back(event(std::move(done)));
          }
        }
        switch (number(0, 4)) {
          case 0:
            all.push_back(of(WindowEventKind::flush, target));
            break;
          case 1:
            all.push_back(of(WindowEventKind::flush));
            break;
          case 2:
            all.push_back(of(WindowEventKind::flush_local, target));
            break;
          default:
            break;
        }
      }
      return all;
    };
    Elements program;
    if (is_of_all) {
      program.push_back(of(WindowEventKind::lock_all));
    } else {
      for (const std::int64_t target : {0, 1}) program.push_back(lock(target, false));
    }
    const Elements inner = body(0);
    program.insert(program.end(), inner.begin(), inner.end());
    did({3}, program);
    std::map<std::int64_t, std::vector<Played>> pending;
    std::set<Sites> expected;
    play(program, [&](const WindowEvent& event) {
      const auto at = [&](std::int64_t target) { return !event.target || *event.target == target; };
      switch (event.kind) {
        case WindowEventKind::access: {
          // What is new against what is pending.
          std::vector<Played> some;
          touch(some, event, 3);
          for (Played& one : some) {
            for (const Played& other : pending[*event.target]) {
              if (conflict(one, other)) {
                expected.insert(std::minmax(one.event->site->value, other.event->site->value));
              }
            }
            pending[*event.target].push_back(std::move(one));
          }
          break;
        }
        case WindowEventKind::completed: {
          std::vector<Played>& own = pending[*event.target];
          const auto done =
              std::find_if(own.begin(), own.end(), [&](const Played& one) { return one.event->site == event.site; });
          ASSERT_NE(done, own.end());
          own.erase(done);
          break;
        }
        case WindowEventKind::flush:
          for (auto& [target, all] : pending) {
            if (at(target)) all.clear();
          }
          break;
        case WindowEventKind::flush_local:
          for (auto& [target, all] : pending) {
            if (!at(target)) continue;
            std::erase_if(all, only_reads);
          }
          break;
        default:
          break;
      }
    });
    ASSERT_EQ(found_sites(), expected) << round;
    (expected.empty() ? without : with) += 1;
  }
  EXPECT_GT(with, 50);
  EXPECT_GT(without, 50);
}

TEST_F(WindowEpochsTest, OfOneProcessMayHoldAccumulatesOfAnyOp) {
  const DefinitionId integer = named("MPI_INT");
  const auto program = [&] {
    return Elements{lock(1, true), access("MPI_Accumulate", 1, 3, integer, "MPI_REPLACE"),
                    access("MPI_Accumulate", 1, 3, integer, "MPI_SUM"),
                    access("MPI_Get_accumulate", 1, 3, integer, "MPI_NO_OP"), of(WindowEventKind::unlock, 1)};
  };
  did({0}, program());
  EXPECT_TRUE(found_sites().empty());
  clear();
  // Where the info key leaves out writes after writes they have no order, until it has them again.
  const auto set = [&](std::uint8_t ordering) {
    WindowEvent event;
    event.kind = WindowEventKind::ordering;
    event.ordering.set = ordering;
    job_.window_events.push_back(event);
    return SequenceElement{0, static_cast<std::uint32_t>(job_.window_events.size() - 1)};
  };
  Elements without = program();
  without.insert(without.begin(), set(0));
  did({0}, without);
  EXPECT_EQ(found_sites().size(), 1u);
  clear();
  Elements again = program();
  again.insert(again.begin(), {set(0), set(AccumulateOrdering::waw)});
  did({0}, again);
  EXPECT_TRUE(found_sites().empty());
  clear();
  // Of two processes they have no order.
  const SequenceElement fence = of(WindowEventKind::fence);
  did({0}, {fence, access("MPI_Accumulate", 1, 3, integer, "MPI_REPLACE"), fence});
  did({2}, {fence, access("MPI_Accumulate", 1, 3, integer, "MPI_SUM"), fence});
  EXPECT_EQ(found_sites().size(), 1u);
}

TEST_F(WindowEpochsTest, AreOverForWhatFetchesOnlyWhenItIsBack) {
  const DefinitionId integer = named("MPI_INT");
  const SequenceElement unlock = of(WindowEventKind::unlock, 1);
  const SequenceElement flush_local = of(WindowEventKind::flush_local, 1);
  for (const char* const op : {"MPI_NO_OP", "MPI_SUM"}) {
    did({0}, {lock(1, true), access("MPI_Fetch_and_op", 1, 3, integer, op), flush_local, put(1, 3), unlock});
    EXPECT_EQ(found_sites().empty(), op == std::string_view("MPI_NO_OP"));
    job_.epochs.clear();
    const SequenceElement fetch = access("MPI_Rget_accumulate", 1, 3, integer, op);
    WindowEvent back = job_.window_events[fetch.number];
    back.kind = WindowEventKind::completed;
    did({0}, {lock(1, true), fetch, event(std::move(back)), put(1, 3), unlock});
    EXPECT_EQ(found_sites().empty(), op == std::string_view("MPI_NO_OP"));
    job_.epochs.clear();
  }
}

/// Each of many reads is over by itself, beside all that is pending: what is told for each of them is a square, of
/// gigabytes.
TEST_F(WindowEpochsTest, OfManyRequestsAreToldOnce) {
  constexpr std::int64_t most = test::has_sanitizer ? 15000 : 60000;
  const DefinitionId type = named("MPI_INT");
  Elements program{of(WindowEventKind::lock_all), put(1, most)};
  std::vector<SequenceElement> gets;
  for (std::int64_t i = 0; i < most; ++i) gets.push_back(access("MPI_Rget", 1, i, type));
  for (const SequenceElement& one : gets) job_.window_events[one.number].site = frame(7);
  program.insert(program.end(), gets.begin(), gets.end());
  for (const SequenceElement& one : gets) {
    WindowEvent done = job_.window_events[one.number];
    done.kind = WindowEventKind::completed;
    program.push_back(event(std::move(done)));
  }
  const SequenceElement unlock = of(WindowEventKind::unlock_all);
  did({0}, program);
  job_.window_sequences.back().push_back(unlock);
  EXPECT_TRUE(found_sites().empty());
  // One that is not back when it is written there.
  program.insert(program.begin() + 10, put(1, most / 2));
  program.push_back(unlock);
  job_.epochs.clear();
  did({0}, program);
  const DrawnFindings drawn = findings_of_epochs(job_);
  EXPECT_EQ(drawn.findings.size(), 1u);
  EXPECT_TRUE(drawn.remarks.empty());
}

TEST_F(WindowEpochsTest, OfManyWritesBesideReadsAreToldOnce) {
  constexpr std::int64_t most = test::has_sanitizer ? 15000 : 60000;
  const SequenceElement get = access("MPI_Get", 1, most, named("MPI_INT"));
  const SequenceElement flush_local = of(WindowEventKind::flush_local, 1);
  const SequenceElement site = put(1, most);
  Elements program{lock(1, false)};
  for (std::int64_t i = 0; i < most; ++i) {
    const SequenceElement write = put(1, i);
    job_.window_events[write.number].site = job_.window_events[site.number].site;
    program.insert(program.end(), {write, get, flush_local});
  }
  did({0}, program);
  EXPECT_TRUE(found_sites().empty());
  program.insert(program.end(), {site, get, flush_local});
  job_.epochs.clear();
  did({0}, program);
  EXPECT_EQ(found_sites().size(), 1u);
}

/// Each two of them sorted by themselves are 80,000 times 5,000 calls.
TEST_F(WindowEpochsTest, OfManyOriginsAreHeldAgainstEachOtherTogether) {
  constexpr std::int64_t origins = 400, most = test::has_sanitizer ? 400 : 2500;
  job_.windows[0].size = origins * most * unit;
  const SequenceElement fence = of(WindowEventKind::fence);
  std::set<Sites> expected;
  std::vector<Elements> programs;
  for (std::int64_t rank = 0; rank < origins; ++rank) {
    const SequenceElement column = put(1, rank);
    job_.window_events[column.number].times = most;
    job_.window_events[column.number].step = origins;
    programs.push_back({fence, column});
  }
  // Where they are near each other, and where they are not.
  const std::vector<std::pair<std::size_t, std::size_t>> pairs{{0, 1},     {0, 399},   {200, 201},
                                                               {100, 300}, {399, 398}, {2, 2}};
  for (const auto& [rank, owner] : pairs) {
    const SequenceElement more = put(1, static_cast<std::int64_t>(owner) + 5 * origins);
    expected.insert(std::minmax(job_.window_events[more.number].site->value,
                                job_.window_events[programs[owner][1].number].site->value));
    programs[rank].push_back(more);
  }
  for (std::int64_t rank = 0; rank < origins; ++rank) did({rank}, programs[static_cast<std::size_t>(rank)]);
  EXPECT_EQ(found_sites(), expected);
}

/// Epochs of the same content are tried once, however many they are.
TEST_F(WindowEpochsTest, AreDrawnWhereTheFirstConflictIsFarBehind) {
  job_.windows[0].size = 5000 * unit;
  const SequenceElement fence = of(WindowEventKind::fence);
  const TypeNumber row = make(Combiner::contiguous, {{1000}, {}, {}, {named("MPI_INT")}});
  const SequenceElement many = access("MPI_Accumulate", 1, 0, job_.type(row).definition, "MPI_SUM");
  job_.window_events[many.number].times = 4000;
  job_.window_events[many.number].step = 1;
  Elements program{fence};
  for (const SequenceElement one : loop(100000, {many, fence})) program.push_back(one);
  const SequenceElement write = put(1, 4500);
  program.insert(program.end(), {many, write, fence});
  did({0}, program);
  const std::optional<WindowPicture> picture = picture_of_window(job_, name, {}, {}, 100);
  ASSERT_TRUE(picture);
  EXPECT_TRUE(picture->has_conflict);
  EXPECT_EQ(picture->epoch, 100001u);
  ASSERT_EQ(picture->memories.size(), 1u);
  EXPECT_EQ(picture->memories[0].cells.find('!'), 90u);
  EXPECT_EQ(picture->memories[0].cells.rfind('!'), 90u);
}

/// Call by call it takes hours.
TEST_F(WindowEpochsTest, OfLongLoopsTakeAsLongAsAFew) {
  const SequenceElement fence = of(WindowEventKind::fence);
  for (std::int64_t rank = 0; rank < processes; ++rank) {
    Elements body;
    for (std::int64_t i = 0; i < 100; ++i) body.push_back(put((rank + 1) % processes, i));
    if (rank == 3) body.push_back(put(1, 99));  // rank 0 puts there, too
    body.push_back(fence);
    Elements elements{fence};
    // 10^4 epochs, and far more of them in which nothing is new.
    for (const SequenceElement one : loop(10000, body)) elements.push_back(one);
    for (const SequenceElement one : loop(1000000000, {put((rank + 1) % processes, 7), fence, fence}))
      elements.push_back(one);
    did({rank}, elements);
  }
  const DrawnFindings drawn = findings_of_epochs(job_);
  EXPECT_TRUE(drawn.remarks.empty());
  ASSERT_EQ(drawn.findings.size(), 1u);
  EXPECT_EQ(drawn.findings[0].count, 10000u);
  EXPECT_EQ(text_of(drawn.findings[0].ranks), "0");
  EXPECT_EQ(text_of(drawn.findings[0].other->ranks), "3");
}

}  // namespace
}  // namespace ddtscope::reporters::window_epochs_test
