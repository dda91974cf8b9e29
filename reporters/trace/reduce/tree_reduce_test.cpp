// Ranks that join their traces over a network that delays, loses ranks, and counts what nobody takes.
#include "reporters/trace/reduce/tree_reduce.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "decoder/testing/sanitizers.h"
#include "reporters/json/read_back.h"
#include "reporters/json/type_json.h"
#include "reporters/json/uses_json.h"
#include "reporters/trace/reduce/random_trace.h"

namespace ddtscope::reduce::tree_reduce_test {
namespace {

namespace fs = std::filesystem;
using namespace reporters;  // what a merged trace says

/// Messages between the ranks of one process, in a time of its own.
class Network {
 public:
  explicit Network(std::uint64_t seed) : random_(seed) {}

  double time = 0;
  double greatest_delay = 0.01;

  struct Message {
    std::string data;
    double arrives;
    bool matched = false;
  };
  struct Receive {
    void* data;
    std::size_t bytes;
    std::size_t message;  // its number in the channel
    bool is_cancelled = false;
  };
  struct Channel {
    std::vector<Message> sent;
    std::vector<Receive> posted;
  };
  using Name = std::tuple<std::int64_t, std::int64_t, int>;  // from, to, tag

  std::size_t send(const Name& name, const void* data, std::size_t bytes) {
    const double delay = std::uniform_real_distribution<double>(0, greatest_delay)(random_);
    Channel& channel = channels[name];
    const double after = channel.sent.empty() ? 0 : channel.sent.back().arrives;  // messages do not overtake
    channel.sent.push_back({{static_cast<const char*>(data), bytes}, std::max(after, time + delay)});
    return channel.sent.size() - 1;
  }
  std::size_t receive(const Name& name, void* data, std::size_t bytes) {
    Channel& channel = channels[name];
    channel.posted.push_back({data, bytes, channel.posted.size(), false});
    return channel.posted.size() - 1;
  }
  void cancel(const Name& name, std::size_t number) { channels[name].posted[number].is_cancelled = true; }
  bool is_sent(const Name& name, std::size_t number) {
    const Channel& channel = channels[name];
    // Short ones are stored by the library, long ones wait for their receive.
    return channel.sent[number].data.size() <= 4096 || channel.posted.size() > number;
  }
  bool is_received(const Name& name, std::size_t number) {
    Channel& channel = channels[name];
    if (channel.sent.size() <= number || channel.sent[number].arrives > time) return false;
    EXPECT_LE(channel.sent[number].data.size(), channel.posted[number].bytes) << "a message is cut";
    EXPECT_FALSE(channel.sent[number].matched) << "a request is asked again";
    channel.sent[number].matched = true;
    std::memcpy(channel.posted[number].data, channel.sent[number].data.data(), channel.sent[number].data.size());
    return true;
  }

  std::map<Name, Channel> channels;

 private:
  std::mt19937_64 random_;
};

class RankMessages : public Messages {
 public:
  RankMessages(Network& network, std::int64_t rank) : network_(network), rank_(rank) {}
  void reserve(std::size_t) override {}
  void use_reserve(std::size_t) override {}
  Request send(std::int64_t to, int tag, const void* data, std::size_t bytes) override {
    requests_.push_back({true, {rank_, to, tag}, network_.send({rank_, to, tag}, data, bytes)});
    return requests_.size() - 1;
  }
  Request receive(std::int64_t from, int tag, void* data, std::size_t bytes) override {
    requests_.push_back({false, {from, rank_, tag}, network_.receive({from, rank_, tag}, data, bytes)});
    return requests_.size() - 1;
  }
  bool is_completed(Request request) override {
    const auto& [is_send, name, number] = requests_[request];
    return is_send ? network_.is_sent(name, number) : network_.is_received(name, number);
  }
  bool cancel_receive(Request request) override {
    const Known& known = requests_[request];
    if (!is_completed(request)) network_.cancel(known.name, known.number);
    return true;
  }
  double now() override { return network_.time; }

 private:
  struct Known {
    bool is_send;
    Network::Name name;
    std::size_t number;
  };
  Network& network_;
  std::int64_t rank_;
  std::vector<Known> requests_;
};

/// What went from process to process, number by number.
std::string text_of_messages(const Job& job) {
  std::ostringstream text;
  for (const MessageOperation& one : job.messages.operations) {
    text << (one.type ? job.name_of(*one.type) : "") << ' ' << one.elements << ' ' << one.called << ' ' << one.binding
         << ' ' << name_of(one.parameter) << ' ' << (one.site ? job.stack(*one.site).size() : 0) << '\n';
  }
  for (const std::vector<SequenceElement>& sequence : job.messages.sequences) {
    for (const SequenceElement& element : sequence) text << element.times << '*' << element.number << ' ';
    text << '\n';
  }
  for (const RankChannels& one : job.messages.channels) {
    const auto of_name = [&](CommunicatorIndex index) { return job.communicators[index.value].name.value_or(0); };
    text << text_of(one.rank) << ' ' << (one.communicator ? of_name(*one.communicator) : 1) << ' '
         << name_of(one.predefined) << ' ' << (one.direction == ChannelDirection::send) << one.is_partitioned
         << one.is_unordered << ' ' << one.sequence.value << ' ';
    if (one.undecided) text << one.undecided->operation << one.undecided->why;
    for (const ChannelEnd& end : one.ends) text << ' ' << end.peer << ',' << end.tag;
    text << '\n';
  }
  for (const KnownMessages& known : job.messages.known) {
    text << text_of(known.ranks);
    for (const MessagesLeftOut& part : known.left_out) text << ' ' << part.why << part.count;
    text << '\n';
  }
  return text.str();
}

/// All that is told of a job, but for the names of files.
std::vector<std::string> reports(const fs::path& trace) {
  const fs::path paths[] = {trace};
  auto loaded = load_job(paths);
  if (auto* problem = std::get_if<TraceProblem>(&loaded)) return {problem->sentence};
  const Job& job = *std::get<0>(loaded);
  Analysis analysis(job);
  Symbols symbols;
  Json summary = reporters::test::summary_json(job, analysis, symbols);
  for (Json& rank : summary["ranks"]) rank.erase("file");
  std::vector<std::string> texts = {summary.dump(2), text_of_messages(job)};
  Json check = reporters::test::check_json(job, analysis, symbols);
  std::sort(check["differences"].begin(), check["differences"].end());
  texts.push_back(check.dump(2));
  for (const TypeUse& use : job.uses) texts.push_back(use_json(job, use, symbols).dump(2));
  for (const JobType& type : job.types) texts.push_back(type_json(job, type.number, analysis, symbols).dump(2));
  return texts;
}

std::string text_of_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class TreeReduceTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("tree_reduce_test_" + std::to_string(getpid()));
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  struct Rank {
    std::unique_ptr<RankMessages> messages;
    std::unique_ptr<TreeReduce> reduce;
    double comes = 0;   // when it takes part
    double dies = 1e9;  // it does nothing from then on
    bool has_trace = true;
  };

  std::vector<Rank> ranks(Network& network, std::int64_t count) {
    std::vector<Rank> all(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
      all[static_cast<std::size_t>(i)].messages = std::make_unique<RankMessages>(network, i);
    }
    return all;
  }

  void run(
      Network& network, std::vector<Rank>& all, const std::function<void()>& watch = [] {}) {
    constexpr double most_seconds = 200;
    while (network.time < most_seconds) {
      watch();
      bool pending = false;
      bool progress = false;
      for (std::size_t i = 0; i < all.size(); ++i) {
        Rank& rank = all[i];
        if (network.time >= rank.dies) continue;
        if (network.time < rank.comes) {
          pending = true;
          continue;
        }
        if (!rank.reduce) {
          rank.reduce = std::make_unique<TreeReduce>(*rank.messages,
                                                     TreeReduce::Options{.rank = static_cast<std::int64_t>(i),
                                                                         .ranks = static_cast<std::int64_t>(all.size()),
                                                                         .patience = 10});
          rank.reduce->begin(rank.has_trace ? folder_ / ("rank-" + std::to_string(i) + ".jsonl") : "", folder_);
        }
        progress = rank.reduce->step() || progress;
        pending = pending || rank.reduce->outcome() == TreeReduce::Outcome::pending;
      }
      if (!pending) return;
      if (!progress) network.time += 0.005;
    }
    FAIL() << "the ranks wait for each other for ever";
  }

  /// Nothing is left over, but for short messages to or from ranks that are gone.
  void expect_all_matched(Network& network, const std::vector<Rank>& all, bool receives_too) {
    for (const auto& [name, channel] : network.channels) {
      const auto& [from, to, tag] = name;
      SCOPED_TRACE("from " + std::to_string(from) + " to " + std::to_string(to) + ", tag " + std::to_string(tag));
      const Rank& receiver = all[static_cast<std::size_t>(to)];
      for (std::size_t i = channel.posted.size(); i < channel.sent.size(); ++i) {
        EXPECT_LE(channel.sent[i].data.size(), 256u) << "a long message is left over";
        EXPECT_FALSE(receiver.reduce && receiver.dies > 1e8) << "a message is left over";
      }
      // Nobody stops to receive what is under way, but from one that came too late.
      for (std::size_t i = 0; i < std::min(channel.posted.size(), channel.sent.size()); ++i) {
        const bool is_left_over = channel.posted[i].is_cancelled && !channel.sent[i].matched;
        EXPECT_FALSE(is_left_over && all[static_cast<std::size_t>(from)].comes == 0) << "a message is left over";
      }
      if (receives_too) {
        EXPECT_EQ(channel.posted.size(), channel.sent.size());
      }
    }
  }

  /// All traces at once, without messages, as at_once.jsonl. `see` is given each record.
  void join_at_once(
      std::int64_t count, const MergedFile::Limits& limits,
      const std::function<void(const Record&)>& see = [](const Record&) {}) {
    std::vector<std::unique_ptr<RankTrace>> files;
    std::vector<RecordSource*> sources;
    for (std::int64_t i = 0; i < count; ++i) {
      files.push_back(std::make_unique<RankTrace>(folder_ / ("rank-" + std::to_string(i) + ".jsonl")));
      sources.push_back(files.back().get());
    }
    RecordReduce reduce(sources);
    MergedFile file(folder_ / "at_once.jsonl", files[0]->header(), count, limits);
    Record record;
    while (reduce.next(record) == RecordSource::State::ready) {
      see(record);
      file.add(record);
    }
    file.finish();
  }

  void expect_apart(const std::vector<Rank>& all, std::int64_t count) {
    for (const Rank& rank : all) {
      if (rank.reduce && rank.dies > 1e8) {
        EXPECT_EQ(rank.reduce->outcome(), TreeReduce::Outcome::apart);
      }
    }
    std::int64_t files = 0;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      EXPECT_TRUE(entry.path().filename().string().starts_with("rank-")) << entry.path();
      ++files;
    }
    EXPECT_EQ(files, count);
  }

  fs::path folder_;
};

TEST_F(TreeReduceTest, GivesWhatReadingAllTracesGives) {
  for (const std::int64_t count : {1, 2, 3, 4, 5, 9, 17, 6, 7, 8, 15, 16}) {
    SCOPED_TRACE(count);
    if (count == 6 && ddtscope::test::has_sanitizer) break;  // the other ways through the code are the same
    fs::remove_all(folder_);
    // One has long loops: comparing them may take too many steps, which is told alike.
    write_random_job(
        folder_, {.seed = static_cast<std::uint64_t>(count), .ranks = count, .rounds = count == 4 ? 1'000'000 : 1'000});
    const auto expected = reports(folder_);
    ASSERT_GT(expected.size(), 3u) << expected.front();
    Network network(static_cast<std::uint64_t>(count));
    auto all = ranks(network, count);
    run(network, all);
    for (const Rank& rank : all) {
      ASSERT_EQ(rank.reduce->outcome(), TreeReduce::Outcome::merged) << rank.reduce->reason();
    }
    expect_all_matched(network, all, true);
    EXPECT_EQ(reports(folder_ / "trace.jsonl"), expected);
  }
}

/// What another job could not remove, with what it had in it.
TEST_F(TreeReduceTest, WhatIsLeftOfAnotherMergeIsInNobodysWay) {
  write_random_job(folder_, {.seed = 1, .ranks = 3});
  const auto expected = reports(folder_);
  std::ofstream(folder_ / "trace.jsonl.records") << "records of another job";
  EXPECT_EQ(reports(folder_), expected) << "readers look at it";
  Network network(1);
  auto all = ranks(network, 3);
  run(network, all);
  for (const Rank& rank : all) {
    ASSERT_EQ(rank.reduce->outcome(), TreeReduce::Outcome::merged) << rank.reduce->reason();
  }
  EXPECT_EQ(reports(folder_ / "trace.jsonl"), expected);
  EXPECT_FALSE(fs::exists(folder_ / "trace.jsonl.records"));
}

/// As long as each rank sends pieces, however its records are cut.
TEST_F(TreeReduceTest, LongTracesGoInPieces) {
  write_random_job(folder_, {.seed = 3, .ranks = 6, .definitions = 400});
  const auto expected = reports(folder_);
  Network network(1);
  auto all = ranks(network, 6);
  run(network, all);
  ASSERT_EQ(all[0].reduce->outcome(), TreeReduce::Outcome::merged) << all[0].reduce->reason();
  expect_all_matched(network, all, true);
  EXPECT_GT((network.channels[{4, 0, 1}].sent.size()), 4u);
  EXPECT_EQ(reports(folder_ / "trace.jsonl"), expected);
}

TEST_F(TreeReduceTest, PairsAlongTheTreeGiveTheSameAsAllAtOnce) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    fs::remove_all(folder_);
    const auto count = static_cast<std::int64_t>(3 + seed);
    write_random_job(folder_, {.seed = seed, .ranks = count});
    join_at_once(count, {});
    Network network(seed);
    auto all = ranks(network, count);
    run(network, all);
    EXPECT_EQ(text_of_file(folder_ / "trace.jsonl"), text_of_file(folder_ / "at_once.jsonl"));
  }
}

TEST_F(TreeReduceTest, EachRankKeepsWhatItRecorded) {
  static constexpr std::string_view of_ranks[] = {R"("uses":true,)", R"("messages":true,"sources":true,)", ""};
  write_random_job(folder_, {.ranks = 3});
  for (std::size_t rank = 0; rank < 3; ++rank) {
    const fs::path file = folder_ / ("rank-" + std::to_string(rank) + ".jsonl");
    constexpr std::string_view known = R"("sources":true,)";
    std::string text = text_of_file(file);
    ASSERT_NE(text.find(known), text.npos);
    text.replace(text.find(known), known.size(), of_ranks[rank]);
    std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
  }
  Network network(1);
  auto all = ranks(network, 3);
  run(network, all);
  ASSERT_EQ(all[0].reduce->outcome(), TreeReduce::Outcome::merged) << all[0].reduce->reason();
  const fs::path paths[] = {folder_ / "trace.jsonl"};
  const auto loaded = load_job(paths);
  ASSERT_TRUE(std::holds_alternative<std::unique_ptr<Job>>(loaded));
  const Job& job = *std::get<0>(loaded);
  ASSERT_EQ(job.ranks.size(), 3u);
  for (std::size_t rank = 0; rank < 3; ++rank) {
    for (const RecordedPart& part : recorded_parts) {
      EXPECT_EQ(job.ranks[rank].header.*part.of_header, of_ranks[rank].find(part.name) != std::string_view::npos)
          << part.name << " of rank " << rank;
    }
  }
}

/// Lines that are of one rank each grow with the ranks: they do not take the room of what ranks have in common.
TEST_F(TreeReduceTest, WhatIsOfOneRankHasALimitOfItsOwn) {
  constexpr std::int64_t count = 9;
  write_random_job(folder_, {.seed = 9, .ranks = count});
  std::size_t others = 0;
  std::size_t of_one_rank = 0;
  join_at_once(count, {}, [&](const Record& record) {
    const RecordKind kind = record.kind;
    if (kind == RecordKind::channels || kind == RecordKind::collectives) {
      ++of_one_rank;
    } else if (kind > RecordKind::predefined && kind != RecordKind::messages && kind != RecordKind::definition) {
      ++others;
    }
  });
  ASSERT_GT(of_one_rank, 1u);
  const auto why_not = [&](const MergedFile::Limits& limits) -> std::string {
    fs::remove(folder_ / "at_once.jsonl");
    try {
      join_at_once(count, limits);
    } catch (const NotReduced& why) {
      return why.what();
    }
    return "";
  };
  EXPECT_EQ(why_not({.of_one_rank = of_one_rank, .others = others}), "");
  EXPECT_EQ(why_not({.of_one_rank = of_one_rank - 1, .others = others}), "the ranks have too many channels");
  EXPECT_NE(why_not({.of_one_rank = of_one_rank, .others = others - 1}).find("too many call sites"), std::string::npos);
  EXPECT_NE(why_not({.definitions = 1}).find("too many definitions"), std::string::npos);
}

TEST_F(TreeReduceTest, ARankThatNeverComesLeavesAllTraces) {
  for (std::int64_t missing = 0; missing < 9; ++missing) {
    SCOPED_TRACE(missing);
    fs::remove_all(folder_);
    write_random_job(folder_, {.ranks = 9});
    Network network(7);
    auto all = ranks(network, 9);
    all[static_cast<std::size_t>(missing)].dies = 0;
    run(network, all);
    expect_apart(all, 9);
    expect_all_matched(network, all, false);
    const std::size_t teller = missing == 0 ? 1 : 0;
    EXPECT_EQ(all[teller].reduce->reason(), "rank " + std::to_string(missing) + " was not heard of for 10 seconds");
    // Nobody waits much longer than the patience, and no rank waits for one that gave up.
    EXPECT_LT(network.time, 20);
  }
}

TEST_F(TreeReduceTest, ARankThatDiesOnTheWayLeavesAllTraces) {
  std::mt19937_64 random(5);
  int apart = 0;
  constexpr std::uint64_t rounds = ddtscope::test::has_sanitizer ? 12 : 30;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    SCOPED_TRACE(round);
    fs::remove_all(folder_);
    write_random_job(folder_, {.seed = round, .ranks = 7});
    const auto expected = reports(folder_);
    Network network(round);
    network.greatest_delay = 0.1;
    auto all = ranks(network, 7);
    const auto dying = static_cast<std::size_t>(random() % 7);
    all[dying].dies = static_cast<double>(random() % 1000) / 2500.0;
    run(network, all);
    expect_all_matched(network, all, false);
    // Either the merged file is whole or every trace is where it was.
    if (fs::exists(folder_ / "trace.jsonl")) {
      EXPECT_EQ(reports(folder_ / "trace.jsonl"), expected);
    } else {
      for (const Rank& rank : all) {
        if (rank.reduce && rank.dies > 1e8) {
          EXPECT_EQ(rank.reduce->outcome(), TreeReduce::Outcome::apart);
        }
      }
      ++apart;
    }
  }
  EXPECT_GT(apart, ddtscope::test::has_sanitizer ? 1 : 5);
  EXPECT_LT(static_cast<std::uint64_t>(apart), rounds);
}

TEST_F(TreeReduceTest, TheMergedFileStandsWhoeverDiesBeforeItsLastWord) {
  int lost_words = 0;
  for (std::uint64_t round = 0; round < (ddtscope::test::has_sanitizer ? 4U : 10U); ++round) {
    SCOPED_TRACE(round);
    fs::remove_all(folder_);
    write_random_job(folder_, {.seed = round, .ranks = 7});
    const auto expected = reports(folder_);
    Network network(round);
    network.greatest_delay = 1;
    auto all = ranks(network, 7);
    const std::int64_t dying = 4;
    bool is_there = false;
    run(network, all, [&] {
      if (is_there || !fs::exists(folder_ / "trace.jsonl")) return;
      is_there = true;
      all[dying].dies = network.time;
      for (Network::Message& notice : network.channels[{dying, 0, 3}].sent) {
        if (notice.arrives <= network.time) continue;
        notice.arrives = 1e9;
        ++lost_words;
      }
    });
    EXPECT_EQ(all[0].reduce->outcome(), TreeReduce::Outcome::merged) << all[0].reduce->reason();
    EXPECT_EQ(reports(folder_ / "trace.jsonl"), expected);
  }
  EXPECT_GT(lost_words, 0);
}

TEST_F(TreeReduceTest, WhoeverComesTooLateDoesNotWait) {
  for (const std::size_t late : {0u, 3u, 6u, 5u}) {
    SCOPED_TRACE(late);
    fs::remove_all(folder_);
    write_random_job(folder_, {.ranks = 8});
    Network network(2);
    auto all = ranks(network, 8);
    all[late].comes = 60;
    run(network, all);
    expect_apart(all, 8);
    expect_all_matched(network, all, false);
    EXPECT_LT(network.time, 61);
  }
}

TEST_F(TreeReduceTest, SlowRanksAreWaitedFor) {
  write_random_job(folder_, {.ranks = 8});
  Network network(2);
  auto all = ranks(network, 8);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].comes = static_cast<double>(i * 5 % 8);
  run(network, all);
  EXPECT_EQ(all[0].reduce->outcome(), TreeReduce::Outcome::merged) << all[0].reduce->reason();
  expect_all_matched(network, all, true);
}

TEST_F(TreeReduceTest, ARankWithoutATraceTakesPart) {
  for (const std::size_t without : {0u, 2u, 5u}) {
    SCOPED_TRACE(without);
    fs::remove_all(folder_);
    write_random_job(folder_, {.ranks = 6});
    Network network(2);
    auto all = ranks(network, 6);
    all[without].has_trace = false;
    run(network, all);
    expect_apart(all, 6);
    expect_all_matched(network, all, false);
    EXPECT_LT(network.time, 2);
    EXPECT_EQ(all[0].reduce->reason(), "rank " + std::to_string(without) + " has no trace, or none that is whole");
  }
}

TEST_F(TreeReduceTest, ATraceThatIsNotWholeLeavesAllTraces) {
  write_random_job(folder_, {.ranks = 4});
  const fs::path cut = folder_ / "rank-2.jsonl";
  const std::string text = text_of_file(cut);
  std::ofstream(cut, std::ios::binary | std::ios::trunc) << text.substr(0, text.rfind("{\"record\":\"end\""));
  Network network(2);
  auto all = ranks(network, 4);
  run(network, all);
  expect_apart(all, 4);
  EXPECT_EQ(all[0].reduce->reason(), "rank 2: its trace is not whole");
}

TEST_F(TreeReduceTest, RanksThatContradictEachOtherStayApart) {
  write_random_job(folder_, {.ranks = 2, .definitions = 30});
  const fs::path other = folder_ / "rank-1.jsonl";
  std::string text = text_of_file(other);
  // Every size is another one on rank 1.
  for (auto at = text.find("\"size\":", text.find('\n')); at != text.npos; at = text.find("\"size\":", at + 7)) {
    text.insert(at + 7, "1");
  }
  std::ofstream(other, std::ios::binary | std::ios::trunc) << text;
  Network network(2);
  auto all = ranks(network, 2);
  run(network, all);
  expect_apart(all, 2);
  EXPECT_NE(std::string(all[0].reduce->reason()).find("say different things"), std::string::npos)
      << all[0].reduce->reason();
}

}  // namespace
}  // namespace ddtscope::reduce::tree_reduce_test
