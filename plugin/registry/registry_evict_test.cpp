// A registry with little memory tells the same story as one with plenty.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "plugin/registry/plain_library.h"
#include "plugin/registry/registry_calls.h"
#include "reporters/trace/read/reader.h"

namespace ddtscope::plugin::registry_evict_test {
namespace {

constexpr EntryPoint type_vector_of_fortran{"mpi_type_vector_", "mpif.h"};
constexpr EntryPoint type_indexed{"MPI_Type_indexed", "c"};

/// What a trace says of its definitions, by what they are and not by number.
class Story : public TraceSink {
 public:
  struct Told {
    std::map<std::string, std::array<std::uint64_t, 4>> counts;  // by entry point
    std::set<std::string> names;
  };
  std::map<std::string, Told> of;
  std::size_t lines = 0;  // of definitions
  std::uint64_t created() const {
    std::uint64_t sum = 0;
    for (const auto& [text, told] : of) {
      for (const auto& [called, counts] : told.counts) sum += counts[0];
    }
    return sum;
  }
  std::vector<std::string> notes;
  FileEnd last;

  void header(HeaderRecord&&) override {}
  void predefined(const PredefinedType&) override {}
  void module(ModuleRecord&&) override {}
  void frame(const FrameRecord&) override {}
  void definition(DefinitionRecord& record) override {
    std::string text = std::string(row_of(record.combiner).mpi_name);
    for (const std::int64_t value : record.contents.integers) text += ' ' + std::to_string(value);
    for (const OldtypeRecord& oldtype : record.oldtypes) {
      const auto* number = std::get_if<DefinitionNumber>(&oldtype);
      text += " (" + (number ? texts_.at(number->value) : std::string(std::get<std::string_view>(oldtype))) + ")";
    }
    texts_.push_back(text);
    of[text];
    ++lines;
  }
  void name(NameRecord&& record) override { of[texts_.at(record.definition.value)].names.insert(record.name); }
  void difference(DifferenceRecord&&) override {}
  void process(ProcessRecord&&) override {}
  void note(std::string&& sentence) override { notes.push_back(sentence); }
  void end(FileEnd&& end) override {
    for (const InstancesRecord& record : end.instances) {
      auto& sums = of[texts_.at(record.definition.value)].counts[std::string(record.called)];
      const std::array<std::uint64_t, 4> counts = {record.created, record.adopted, record.committed, record.freed};
      for (std::size_t i = 0; i < counts.size(); ++i) sums[i] += counts[i];
    }
    // A counter that was made again and counted nothing since says nothing.
    for (auto& [text, told] : of) std::erase_if(told.counts, [](const auto& item) { return item.second == Zeros{}; });
    last = std::move(end);
  }

 private:
  using Zeros = std::array<std::uint64_t, 4>;
  std::vector<std::string> texts_;  // by number
};

/// What one of them tells otherwise; empty where there is nothing.
std::string difference(const Story& a, const Story& b) {
  const auto text_of = [](const Story& story, const std::string& definition) {
    const auto found = story.of.find(definition);
    if (found == story.of.end()) return std::string("not told of");
    std::string text;
    for (const auto& [called, counts] : found->second.counts) {
      text += called + ":";
      for (const std::uint64_t count : counts) text += ' ' + std::to_string(count);
      text += "; ";
    }
    for (const std::string& name : found->second.names) text += name + "; ";
    return text;
  };
  for (const Story* story : {&a, &b}) {
    for (const auto& [definition, told] : story->of) {
      if (text_of(a, definition) == text_of(b, definition)) continue;
      return definition.substr(0, 100) + ": " + text_of(a, definition) + " and " + text_of(b, definition);
    }
  }
  return {};
}

/// A registry with its trace.
class Recording : public RegistryCalls {
 public:
  Recording(std::filesystem::path folder, std::size_t most_bytes, std::size_t most_parked_bytes = SIZE_MAX)
      : folder_(std::move(folder)) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    EXPECT_TRUE(writer_.create((folder_ / "rank-0.jsonl").string()));
    pages_.create((folder_ / "rank-0.counters").string());
    const std::vector predefined{basic_handle(mpi_int, "MPI_INT", 4)};
    registry_ =
        std::make_unique<Registry>(Registry::Options{.most_bytes = most_bytes, .most_parked_bytes = most_parked_bytes},
                                   Registry::Surroundings{{}, predefined, sites_, library_, writer_, pages_, memory_});
    HeaderRecord header;
    header.rank = Rank{};
    header.size = 1;
    trace::add_types(header, registry_->store());
    writer_.header(header);
  }
  ~Recording() { std::filesystem::remove_all(folder_); }

  Registry& registry() override { return *registry_; }
  trace::Writer& writer() { return writer_; }

  void make_indexed(HandleBits newtype, std::size_t blocks, std::int32_t seed, HandleBits oldtype) {
    std::vector<std::int32_t> lengths(blocks, 1);
    std::vector<std::int32_t> displacements;
    for (std::size_t i = 0; i < blocks; ++i) {
      const auto at = static_cast<std::int32_t>(i);
      displacements.push_back(3 * at + (at * seed) % 2);
    }
    ConstructorCall call;
    call.combiner = Combiner::indexed;
    call.scalars = {static_cast<std::int64_t>(blocks), 0, 0, 0};
    call.arrays[0] = IntegerArray(std::span<const std::int32_t>(lengths));
    call.arrays[1] = IntegerArray(std::span<const std::int32_t>(displacements));
    displacements[0] = -seed;
    make(call, newtype, oldtype, type_indexed);
  }
  std::uint64_t counter_bytes() const { return std::filesystem::file_size(folder_ / "rank-0.counters"); }
  std::uint64_t bytes_on_disk() const { return std::filesystem::file_size(folder_ / "rank-0.jsonl") + counter_bytes(); }
  bool close() { return registry_->close({.complete = true, .reason = "MPI_Finalize", .time = "now"}); }
  /// What a reader is told, now or after the end.
  Story read() {
    Story story;
    TraceReader reader;
    if (const auto problem = reader.read(folder_ / "rank-0.jsonl", story)) ADD_FAILURE() << problem->sentence;
    return story;
  }

 private:
  std::filesystem::path folder_;
  PlainLibrary library_{{64, 0, 64, 0, 64}};
  CallSites sites_{0, [](std::string_view) { return false; }};
  trace::Writer writer_;
  CounterPages pages_;
  trace::DebugView view_{};
  DebugMemory memory_{view_};
  std::unique_ptr<Registry> registry_;
};

constexpr std::size_t plenty = std::size_t{1} << 40;

class Eviction : public ::testing::Test {
 protected:
  static std::filesystem::path folder(const char* name) {
    return std::filesystem::temp_directory_path() / (name + std::string(".") + std::to_string(getpid()));
  }
};

/// The same calls for several registries.
class Program {
 public:
  Program(std::uint32_t seed, std::vector<Recording*> recordings) : random_(seed), recordings_(std::move(recordings)) {}

  void step() {
    const HandleBits handle = 0x2000 + pick(12);
    const auto known = handles_.find(handle);
    if (known == handles_.end()) {
      const HandleBits oldtype = handles_.empty() || pick(3) == 0 ? mpi_int : any();
      if (pick(4) == 0) {
        const std::size_t blocks = 1 + pick(400);
        const auto seed = static_cast<std::int32_t>(pick(4));
        each([&](Recording& r) { r.make_indexed(handle, blocks, seed, oldtype); });
      } else {
        const auto count = static_cast<std::int64_t>(pick(40));
        const EntryPoint& called = pick(4) == 0 ? type_vector_of_fortran : type_vector;
        each([&](Recording& r) { r.make_vector(handle, count, oldtype, called); });
      }
      const auto of = handles_.find(oldtype);
      handles_[handle] = {1, ++serial_, oldtype, of == handles_.end() ? 0 : of->second.serial};
      return;
    }
    switch (pick(6)) {
      case 0:
        each([&](Recording& r) { r.commit(handle); });
        break;
      case 1: {
        const std::string name = "name " + std::to_string(pick(3));
        each([&](Recording& r) { r.registry().named(handle, name); });
        break;
      }
      case 2: {
        // As MPICH: the handle of the oldtype, where it is still that, with one more reference.
        const auto oldtype = handles_.find(known->second.oldtype);
        if (oldtype == handles_.end() || oldtype->second.serial != known->second.oldtype_serial) break;
        each([&](Recording& r) { r.get_contents(handle, oldtype->first); });
        ++oldtype->second.references;
        break;
      }
      default:
        each([&](Recording& r) { r.free(handle); });
        if (--known->second.references == 0) handles_.erase(known);
    }
  }

 private:
  struct Handle {
    int references;
    int serial;  // tells what a handle stands for from what it stood for before
    HandleBits oldtype;
    int oldtype_serial;
  };
  std::size_t pick(std::size_t n) { return random_() % n; }
  HandleBits any() { return std::next(handles_.begin(), static_cast<std::ptrdiff_t>(pick(handles_.size())))->first; }
  template <class Act>
  void each(const Act& act) {
    for (Recording* recording : recordings_) act(*recording);
  }

  std::mt19937 random_;
  std::vector<Recording*> recordings_;
  std::map<HandleBits, Handle> handles_;
  int serial_ = 0;
};

TEST_F(Eviction, TellsTheSameStoryAsWithoutALimit) {
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    Recording whole(folder("whole"), plenty);
    Recording little(folder("little"), 120000);
    Program program(seed, {&whole, &little});
    for (int step = 0; step < 1600; ++step) {
      program.step();
      // As after a kill: nothing was closed.
      if (step % 1000 != 500) continue;
      ASSERT_EQ(difference(little.read(), whole.read()), "") << "seed " << seed << ", step " << step;
    }
    ASSERT_EQ(little.registry().totals().created, whole.registry().totals().created);
    ASSERT_EQ(little.registry().totals().freed, whole.registry().totals().freed);
    ASSERT_EQ(little.registry().totals().definitions, whole.registry().totals().definitions);
    ASSERT_LT(little.registry().store().size(), whole.registry().store().size() / 2) << "nothing was evicted";
    ASSERT_TRUE(whole.close());
    ASSERT_TRUE(little.close());
    const Story told = little.read();
    const Story wanted = whole.read();
    ASSERT_TRUE(told.last.unrecorded.empty()) << "seed " << seed << ": " << told.last.unrecorded[0].why;
    ASSERT_EQ(difference(told, wanted), "") << "seed " << seed;
    ASSERT_TRUE(told.notes.empty());
    ASSERT_EQ(told.lines, wanted.lines) << "what is made again has no second line";
  }
}

TEST_F(Eviction, ACycleWritesNothingHoweverLongItGoesOn) {
  Recording little(folder("little"), 40000);
  constexpr std::int64_t definitions = 1500;  // 25 times what there is room for
  constexpr std::uint64_t rounds = 12;
  std::uint64_t bytes = 0;
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    for (std::int64_t i = 0; i < definitions; ++i) {
      // At two places; at the second one in every other round.
      const bool second = i % 3 == 0 && round % 2 == 0;
      little.make_vector(1, i, mpi_int);
      little.commit(1);
      little.make_vector(2, i, mpi_int, second ? type_vector_of_fortran : type_vector);
      little.free(1);
      little.free(2);
    }
    const Registry::Totals totals = little.registry().totals();
    ASSERT_EQ(totals.definitions, static_cast<std::uint64_t>(definitions));
    ASSERT_EQ(totals.created, 2 * round * definitions);
    ASSERT_EQ(totals.freed, 2 * round * definitions);
    if (round == 2) bytes = little.bytes_on_disk();
    if (round > 2) {
      ASSERT_EQ(little.bytes_on_disk(), bytes) << "round " << round;
    }
    if (round % 5 != 0) continue;
    const Story now = little.read();  // as after a kill
    ASSERT_EQ(now.created(), 2 * round * definitions);
  }
  ASSERT_LT(little.registry().store().size(), 100u) << "nothing was evicted";
  little.close();
  ASSERT_EQ(little.registry().totals().created, 2 * rounds * definitions);
  const Story story = little.read();
  EXPECT_EQ(story.lines, static_cast<std::size_t>(definitions));
  EXPECT_EQ(story.of.size(), static_cast<std::size_t>(definitions));
  for (std::int64_t i = 0; i < definitions; ++i) {
    const auto& counts = story.of.at("MPI_COMBINER_VECTOR " + std::to_string(i) + " 1 2 (MPI_INT)").counts;
    const std::uint64_t seconds = i % 3 == 0 ? rounds / 2 : 0;
    using Four = std::array<std::uint64_t, 4>;
    ASSERT_EQ(counts.at("MPI_Type_vector"), (Four{2 * rounds - seconds, 0, rounds, 2 * rounds - seconds})) << i;
    if (seconds != 0) {
      ASSERT_EQ(counts.at("mpi_type_vector_"), (Four{seconds, 0, 0, seconds})) << i;
    }
  }
}

/// Where the counters have no room in a file, or may have no more, they move into the trace.
TEST_F(Eviction, ACycleCountsRightWhereCountersCannotBeParked) {
  for (const std::size_t most_parked_bytes : {std::size_t{0}, std::size_t{50000}}) {
    Recording little(folder("little"), 40000, most_parked_bytes);
    constexpr std::int64_t definitions = 1500;
    for (std::uint64_t round = 1; round <= 4; ++round) {
      for (std::int64_t i = 0; i < definitions; ++i) {
        little.make_vector(1, i, mpi_int);
        little.free(1);
      }
      ASSERT_EQ(little.registry().totals().created, round * definitions);
      ASSERT_EQ(little.registry().totals().definitions, static_cast<std::uint64_t>(definitions));
      const Story now = little.read();
      for (const auto& [text, told] : now.of) ASSERT_EQ(told.counts.at("MPI_Type_vector")[0], round) << text;
    }
    ASSERT_LE(little.counter_bytes(), 2 * most_parked_bytes + 65536);
    little.close();
    EXPECT_EQ(little.read().lines, static_cast<std::size_t>(definitions));
  }
}

TEST_F(Eviction, WhatIsInUseStays) {
  Recording little(folder("little"), 40000);
  little.make_vector(1, 3, mpi_int);
  little.make_vector(2, 4, 1);
  little.free(1);  // nobody's handle, but an oldtype
  for (std::int64_t i = 0; i < 200; ++i) {
    little.make_vector(3, 100 + i, mpi_int);
    little.free(3);
  }
  little.make_vector(4, 5, 2);
  little.make_vector(5, 3, mpi_int);
  little.close();
  const Story story = little.read();
  EXPECT_EQ(story.lines, 203u);
  const std::string row = "MPI_COMBINER_VECTOR 3 1 2 (MPI_INT)";
  EXPECT_EQ(story.of.at(row).counts.at("MPI_Type_vector"), (std::array<std::uint64_t, 4>{2, 0, 0, 1}));
  EXPECT_TRUE(story.of.contains("MPI_COMBINER_VECTOR 5 1 2 (MPI_COMBINER_VECTOR 4 1 2 (" + row + "))"));
}

TEST_F(Eviction, WhereNothingCanGoNewDefinitionsAreCounted) {
  Recording little(folder("little"), 40000);
  for (HandleBits i = 0; i < 500; ++i) little.make_vector(0x4000 + i, static_cast<std::int64_t>(i), mpi_int);
  little.make_vector(0x9000, 0, mpi_int);       // known: counted as ever
  little.make_vector(0x9001, 7, 0x4000 + 499);  // made of one that is not recorded
  const Story before = little.read();
  ASSERT_GT(before.lines, 5u);
  ASSERT_LT(before.lines, 100u);
  ASSERT_EQ(before.last.unrecorded.size(), 1u);
  EXPECT_EQ(before.last.unrecorded[0].count, 501 - before.lines);
  EXPECT_NE(before.last.unrecorded[0].why.find("DDTSCOPE_MAX_MEMORY"), std::string::npos);
  for (HandleBits i = 0; i < 500; ++i) little.free(0x4000 + i);
  little.make_vector(0x9002, 1000, mpi_int);  // now there is room
  little.close();
  const Story after = little.read();
  EXPECT_EQ(after.lines, before.lines + 1);
  ASSERT_EQ(after.last.unrecorded.size(), 1u);
  EXPECT_EQ(after.last.unrecorded[0].count, 501 - before.lines);
  EXPECT_EQ(after.last.unrecorded[0].called, "MPI_Type_vector");
  EXPECT_EQ(after.last.unrecorded[0].why, before.last.unrecorded[0].why);
}

TEST_F(Eviction, WhatIsForgottenCountsRightAndTheTraceSaysSo) {
  Recording little(folder("little"), 30000);  // remembers a few thousand
  constexpr std::int64_t definitions = 8000;
  for (int round = 0; round < 2; ++round) {
    for (std::int64_t i = 0; i < definitions; ++i) {
      little.make_vector(1, i, mpi_int);
      little.free(1);
    }
  }
  little.close();
  const Story story = little.read();
  EXPECT_GT(story.lines, static_cast<std::size_t>(definitions));
  EXPECT_EQ(story.notes.size(), 1u);
  EXPECT_EQ(story.of.size(), static_cast<std::size_t>(definitions));
  for (const auto& [text, told] : story.of)
    ASSERT_EQ(told.counts.at("MPI_Type_vector"), (std::array<std::uint64_t, 4>{2, 0, 0, 2})) << text;
}

TEST_F(Eviction, EndsWhereTheTraceTakesNoMore) {
  Recording little(folder("little"), 40000);
  little.writer().limit(30000);
  constexpr std::uint64_t made = 2000;
  for (std::uint64_t i = 0; i < made; ++i) {
    little.make_vector(1, static_cast<std::int64_t>(i), mpi_int);
    little.free(1);
  }
  ASSERT_TRUE(little.registry().trace_stopped().limit_reached);
  little.close();
  const Story story = little.read();
  std::uint64_t counted = 0;
  for (const auto& [text, told] : story.of) {
    for (const auto& [called, counts] : told.counts) counted += counts[0];
  }
  ASSERT_GT(story.lines, 10u);
  for (const UnrecordedRecord& lost : story.last.unrecorded) counted += lost.count;
  EXPECT_EQ(counted, made);
}

/// Each count is in one place, a line or a counter, wherever among the last lines the trace ends.
TEST_F(Eviction, CountsOnceWhereTheTraceTakesNoMoreAtTheEnd) {
  for (const std::uint64_t bytes : {100u, 1000u, 2000u}) {
    Recording recording(folder("whole"), plenty);
    constexpr std::uint64_t made = 40;
    for (std::uint64_t i = 0; i < made; ++i) recording.make_vector(i + 1, static_cast<std::int64_t>(i), mpi_int);
    recording.writer().limit(recording.writer().bytes_written() + bytes);
    recording.close();
    ASSERT_TRUE(recording.registry().trace_stopped().limit_reached);
    EXPECT_EQ(recording.read().created(), made) << bytes;
  }
}

TEST_F(Eviction, ThreadsCountExactly) {
  Recording little(folder("little"), 60000);
  constexpr int threads = 4;
  constexpr int rounds = 2000;
  std::vector<std::thread> pool;
  for (int t = 0; t < threads; ++t) {
    pool.emplace_back([&little, t] {
      for (int i = 0; i < rounds; ++i) {
        const auto handle = static_cast<HandleBits>(0x100 + 2 * t);
        little.make_vector(handle, (i * (t + 1)) % 150, mpi_int);
        little.make_vector(handle + 1, 3, handle);
        little.commit(handle + 1);
        const Registry::Free pending = little.registry().begin_free(handle);
        little.registry().key_of(pending);
        little.registry().end_free(pending, CallOutcome::succeeded);
        little.free(handle + 1);
      }
    });
  }
  for (std::thread& thread : pool) thread.join();
  little.close();
  const Story story = little.read();
  EXPECT_EQ(story.lines, 300u);
  std::array<std::uint64_t, 4> sums{};
  for (const auto& [text, told] : story.of) {
    for (const auto& [called, counts] : told.counts) {
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += counts[i];
    }
  }
  EXPECT_EQ(sums, (std::array<std::uint64_t, 4>{2 * threads * rounds, 0, threads * rounds, 2 * threads * rounds}));
}

}  // namespace
}  // namespace ddtscope::plugin::registry_evict_test
