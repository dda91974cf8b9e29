// Both sides of messages compared, beside a comparison message by message of sequences that are unfolded.
#include "reporters/model/message_comparison.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "reporters/model/findings_of_calls.h"
#include "reporters/model/job_fixture.h"

namespace ddtscope::reporters::message_comparison_test {
namespace {

class MessageComparisonTest : public test::JobFixture {
 protected:
  using Elements = std::vector<SequenceElement>;
  using Kind = MessageMismatch::Kind;

  OperationIndex operation(bool is_send, DefinitionId type, std::uint64_t elements, FrameIndex site) {
    job_.messages.operations.push_back({type, elements, job_.word(is_send ? "MPI_Send" : "MPI_Recv"), job_.word("c"),
                                        trace::UseParameter::datatype, site});
    return {static_cast<std::uint32_t>(job_.messages.operations.size() - 1)};
  }
  SequenceIndex sequence(Elements elements) {
    job_.messages.sequences.push_back(std::move(elements));
    return {static_cast<std::uint32_t>(job_.messages.sequences.size() - 1)};
  }
  SequenceIndex times(std::uint64_t number, OperationIndex operation) {
    return number == 1 ? sequence({{0, operation.value}}) : sequence({{number, 1}, {0, operation.value}});
  }
  RankChannels& channels(ChannelDirection direction, int rank, ChannelEnd end, SequenceIndex sequence) {
    RankChannels line;
    line.rank = Rank{{}, rank};
    line.direction = direction;
    line.predefined = PredefinedCommunicator::world;
    line.sequence = sequence;
    line.ends = {end};
    job_.messages.channels.push_back(line);
    return job_.messages.channels.back();
  }
  RankChannels& sends(int rank, ChannelEnd end, SequenceIndex sequence) {
    return channels(ChannelDirection::send, rank, end, sequence);
  }
  RankChannels& receives(int rank, ChannelEnd end, SequenceIndex sequence) {
    return channels(ChannelDirection::receive, rank, end, sequence);
  }
  void know(std::int64_t first, std::int64_t last, std::vector<MessagesLeftOut> left_out = {}) {
    KnownMessages known{std::move(left_out), {}};
    known.ranks.add(RankRange{first, last, {}});
    job_.messages.known.push_back(std::move(known));
  }
  /// A communicator that these ranks told of, of these members.
  CommunicatorIndex communicator(Key name, std::int64_t told_last, std::int64_t members_last) {
    JobCommunicator made{name, job_.word("MPI_Comm_dup"), job_.word("c"), std::nullopt, {{{0, members_last, 1}}}, {}};
    made.ranks.add(RankRange{0, told_last, {}});
    job_.communicators.push_back(std::move(made));
    return {static_cast<std::uint32_t>(job_.communicators.size() - 1)};
  }
  static void on(RankChannels& line, CommunicatorIndex communicator) {
    line.predefined = PredefinedCommunicator::none;
    line.communicator = communicator;
  }
  std::string undecided(const MessageComparison& comparison) const {
    std::string text;
    for (const auto& [why, count] : comparison.undecided) {
      text += why + " " + std::to_string(count.channels) + " " + std::to_string(count.messages) + "; ";
    }
    return text;
  }

  FrameIndex send_site_ = frame(1), receive_site_ = frame(2);
};

TEST_F(MessageComparisonTest, SaysWhatDiffersAndHowOften) {
  ranks(2);
  know(0, 1);
  const TypeNumber particle =
      make(Combiner::structure, {{2, 1, 2}, {0, 8}, {}, {named("MPI_INT"), named("MPI_DOUBLE")}});
  job_.add_name(particle, "particle");
  const TypeNumber wrong = make(Combiner::structure, {{2, 1, 2}, {0, 8}, {}, {named("MPI_LONG"), named("MPI_DOUBLE")}});
  const OperationIndex right_send = operation(true, named("MPI_CHAR"), 3, frame(7));
  const OperationIndex right_receive = operation(false, named("MPI_CHAR"), 3, frame(8));
  const OperationIndex sent = operation(true, job_.type(particle).definition, 1, send_site_);
  const OperationIndex received = operation(false, job_.type(wrong).definition, 1, receive_site_);
  sends(0, {1, 3}, sequence({{16, 1}, {0, right_send.value}, {400, 1}, {0, sent.value}}));
  receives(1, {0, 3}, sequence({{16, 1}, {0, right_receive.value}, {400, 1}, {0, received.value}}));
  const MessageComparison comparison = compare_messages(job_);
  EXPECT_EQ(comparison.wrong, 400u);
  EXPECT_EQ(comparison.matched.messages, 16u);
  EXPECT_EQ(comparison.matched.channels, 0u);
  EXPECT_EQ(comparison.all.messages, 416u);
  const std::vector<JobFinding> findings = findings_of_messages(job_, comparison);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind->id, "signature-mismatch");
  EXPECT_EQ(findings[0].severity, Severity::error);
  EXPECT_EQ(findings[0].message,
            "Rank 0 sends 1 x T1 'particle' (MPI_INT, 2 x MPI_DOUBLE), rank 1 receives 1 x T2 (MPI_LONG, 2 x "
            "MPI_DOUBLE): entry 0 is sent as MPI_INT and received as MPI_LONG. It is message 17 of tag 3, the first of "
            "400 that differ.");
  EXPECT_EQ(findings[0].count, 400u);
  EXPECT_EQ(text_of(findings[0].ranks), "0");
  EXPECT_EQ(findings[0].site(), send_site_);
  ASSERT_TRUE(findings[0].other);
  EXPECT_EQ(text_of(findings[0].other->ranks), "1");
  EXPECT_EQ(findings[0].other->site, receive_site_);
  EXPECT_EQ(findings[0].other->called, "MPI_Recv");
}

TEST_F(MessageComparisonTest, GradesWhatDiffers) {
  ranks(2);
  know(0, 1);
  const auto verdicts = [&](const char* sent, std::uint64_t count, const char* received, std::uint64_t room) {
    job_.messages.channels.clear();
    sends(0, {1, 0}, times(5, operation(true, named(sent), count, send_site_)));
    receives(1, {0, 0}, times(5, operation(false, named(received), room, receive_site_)));
    std::string text;
    for (const JobFinding& finding : findings_of_messages(job_, compare_messages(job_))) {
      text += std::string(finding.kind->id) + " " + std::string(text_of(finding.severity)) + " " +
              std::to_string(finding.count);
    }
    return text;
  };
  EXPECT_EQ(verdicts("MPI_INT", 3, "MPI_INT", 3), "");
  EXPECT_EQ(verdicts("MPI_INT", 3, "MPI_INT", 4), "");  // a receive may be longer
  EXPECT_EQ(verdicts("MPI_INT", 0, "MPI_DOUBLE", 4), "");
  EXPECT_EQ(verdicts("MPI_PACKED", 16, "MPI_DOUBLE", 2), "");
  EXPECT_EQ(verdicts("MPI_INT", 4, "MPI_INT", 3), "truncated-message error 5");
  EXPECT_EQ(verdicts("MPI_DOUBLE", 4, "MPI_DOUBLE_PRECISION", 3), "truncated-message error 5");
  EXPECT_EQ(verdicts("MPI_INT", 4, "MPI_FLOAT", 3), "signature-mismatch error 5");
  EXPECT_EQ(verdicts("MPI_DOUBLE", 4, "MPI_DOUBLE_PRECISION", 4), "signature-mismatch warning 5");
  EXPECT_EQ(verdicts("MPI_BYTE", 16, "MPI_DOUBLE", 2), "signature-mismatch warning 5");
  EXPECT_EQ(verdicts("MPI_BYTE", 15, "MPI_DOUBLE", 2), "signature-mismatch error 5");
  EXPECT_EQ(verdicts("MPI_DOUBLE", 10, "MPI_BYTE", 1000), "signature-mismatch warning 5");
  EXPECT_EQ(verdicts("MPI_DOUBLE", 1000, "MPI_BYTE", 80), "truncated-message error 5");
}

TEST_F(MessageComparisonTest, TellsWhatHasNoPartnerInCompleteTracesOnly) {
  ranks(2);
  know(0, 1);
  const OperationIndex sent = operation(true, named("MPI_INT"), 1, send_site_);
  const OperationIndex received = operation(false, named("MPI_INT"), 1, receive_site_);
  sends(0, {1, 1}, times(10, sent));
  receives(1, {0, 1}, times(7, received));
  receives(1, {0, 2}, times(2, received));
  const MessageComparison comparison = compare_messages(job_);
  EXPECT_EQ(comparison.unmatched_sends, 3u);
  EXPECT_EQ(comparison.unmatched_receives, 2u);
  const std::vector<JobFinding> findings = findings_of_messages(job_, comparison);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].message,
            "Rank 0 sends 1 x MPI_INT that rank 1 does not receive. It is message 8 of tag 1, the first of 3 that are "
            "left.");
  EXPECT_EQ(findings[1].message,
            "Rank 1 receives 1 x MPI_INT from rank 0, which does not send it. It is message 1 of tag 2, the first of 2 "
            "that get nothing.");
  EXPECT_EQ(text_of(findings[1].ranks), "1");
  EXPECT_EQ(text_of(findings[1].other->ranks), "0");
  job_.ranks[1].end.reset();
  EXPECT_TRUE(compare_messages(job_).mismatches.empty());
  EXPECT_EQ(undecided(compare_messages(job_)), "trace that is not complete 2 5; ");
}

TEST_F(MessageComparisonTest, JudgesNoChannelOfWhichOneSideIsNotKnown) {
  ranks(4);
  know(0, 1);
  know(2, 2, {{"memory", 0}});
  const OperationIndex sent = operation(true, named("MPI_INT"), 1, send_site_);
  const OperationIndex received = operation(false, named("MPI_FLOAT"), 1, receive_site_);
  sends(0, {3, 1}, times(4, sent));  // nobody knows what rank 3 did
  sends(0, {2, 1}, times(5, sent));  // rank 2 has lost channels
  sends(0, {1, 7}, times(6, sent));  // what rank 1 received from anybody with tag 7 is not known
  sends(0, {1, 8}, times(7, sent));  // and what it received on this channel only at first
  receives(1, {0, 8}, times(7, received)).undecided = UndecidedFrom{3, "cancel"};
  receives(1, {ChannelEnd::any, 7}, sequence({})).undecided = UndecidedFrom{0, "wildcard"};
  const CommunicatorIndex some = communicator(5, 0, 1);  // rank 1 did not tell
  on(sends(0, {1, 9}, times(8, sent)), some);
  const MessageComparison comparison = compare_messages(job_);
  EXPECT_EQ(undecided(comparison),
            "cancel 1 4; communicator that not all of its processes told 1 8; memory 1 5; process without messages 1 "
            "4; wildcard 1 6; ");
  EXPECT_EQ(comparison.wrong, 3u);
  EXPECT_EQ(comparison.unmatched_sends, 0u);
  EXPECT_EQ(text_of(comparison.unknown_ranks), "3");
}

TEST_F(MessageComparisonTest, ChannelsAreOfOneCommunicatorTagAndKind) {
  ranks(2);
  know(0, 1);
  const OperationIndex sent = operation(true, named("MPI_INT"), 1, send_site_);
  const OperationIndex received = operation(false, named("MPI_INT"), 1, receive_site_);
  const CommunicatorIndex one = communicator(5, 1, 1);
  const CommunicatorIndex same = communicator(5, 1, 1);  // made at another place
  const CommunicatorIndex other = communicator(6, 1, 1);
  on(sends(0, {1, 1}, times(4, sent)), one);
  on(receives(1, {0, 1}, times(4, received)), same);
  EXPECT_EQ(compare_messages(job_).matched.channels, 1u);
  on(job_.messages.channels[1], other);
  EXPECT_EQ(compare_messages(job_).unmatched_sends, 4u);
  EXPECT_EQ(compare_messages(job_).unmatched_receives, 4u);
  on(job_.messages.channels[1], one);
  job_.messages.channels[1].is_partitioned = true;
  EXPECT_EQ(compare_messages(job_).unmatched_sends, 4u);
}

TEST_F(MessageComparisonTest, WhatHasNoOrderIsComparedAsSets) {
  ranks(2);
  know(0, 1);
  const OperationIndex ints = operation(true, named("MPI_INT"), 2, send_site_);
  const OperationIndex doubles = operation(true, named("MPI_DOUBLE"), 1, send_site_);
  const OperationIndex int_room = operation(false, named("MPI_INT"), 2, receive_site_);
  const OperationIndex double_room = operation(false, named("MPI_DOUBLE"), 1, receive_site_);
  const auto compared = [&](const Elements& sent, const Elements& received) {
    job_.messages.channels.clear();
    sends(0, {1, 0}, sequence(sent)).is_unordered = true;
    receives(1, {0, 0}, sequence(received));
    return compare_messages(job_);
  };
  const Elements two_kinds{{0, ints.value}, {0, doubles.value}};
  EXPECT_EQ(undecided(compared(two_kinds, {{0, int_room.value}, {0, double_room.value}})), "unordered 1 2; ");
  EXPECT_EQ(compared({{9, 1}, {0, ints.value}}, {{9, 1}, {0, int_room.value}}).matched.messages, 9u);
  const MessageComparison wrong = compared({{9, 1}, {0, ints.value}}, {{9, 1}, {0, double_room.value}});
  EXPECT_EQ(wrong.wrong, 9u);
  EXPECT_NE(findings_of_messages(job_, wrong)[0].message.find("It is one of 9 of tag 0 whose order is not known."),
            std::string::npos);
  EXPECT_EQ(compared({{9, 1}, {0, ints.value}}, {{7, 1}, {0, int_room.value}}).unmatched_sends, 2u);
}

/// Plans of many channels, folded at random on each side by itself, in which some messages are wrong.
class RandomPlans : public MessageComparisonTest {
 protected:
  struct Data {
    DefinitionId type;
    std::uint64_t elements;
    std::vector<std::string> signature;
  };

  std::uint64_t number(std::uint64_t least, std::uint64_t most) {
    return std::uniform_int_distribution<std::uint64_t>(least, most)(random_);
  }

  void make_data() {
    const auto repeated = [](std::vector<std::string> one, std::uint64_t times) {
      std::vector<std::string> all;
      for (; times > 0; --times) all.insert(all.end(), one.begin(), one.end());
      return all;
    };
    const DefinitionId rows = job_.type(vector(3, 2, 4, "MPI_INT")).definition;
    const DefinitionId pairs =
        job_.type(make(Combiner::structure, {{2, 1, 1}, {0, 8}, {}, {named("MPI_INT"), named("MPI_DOUBLE")}}))
            .definition;
    data_ = {{named("MPI_INT"), 6, repeated({"MPI_INT"}, 6)},
             {rows, 1, repeated({"MPI_INT"}, 6)},
             {rows, 2, repeated({"MPI_INT"}, 12)},
             {named("MPI_INT"), 12, repeated({"MPI_INT"}, 12)},
             {pairs, 2, repeated({"MPI_INT", "MPI_DOUBLE"}, 2)},
             {named("MPI_DOUBLE"), 1, {"MPI_DOUBLE"}},
             {named("MPI_FLOAT"), 3, repeated({"MPI_FLOAT"}, 3)}};
    for (std::size_t i = 0; i < data_.size(); ++i) {
      for (std::size_t site = 0; site < 2; ++site) {
        const FrameIndex place = frame(100 + number(0, 3));
        sending_.push_back(operation(true, data_[i].type, data_[i].elements, place));
        receiving_.push_back(operation(false, data_[i].type, data_[i].elements, place));
      }
    }
  }
  const Data& data_of(OperationIndex index) const {
    const MessageOperation& one = job_.messages.operations[index.value];
    return *std::find_if(data_.begin(), data_.end(),
                         [&](const Data& data) { return data.type == one.type && data.elements == one.elements; });
  }
  static MessageVerdict verdict_of(const std::vector<std::string>& sent, const std::vector<std::string>& received) {
    const std::size_t common = std::min(sent.size(), received.size());
    if (!std::equal(sent.begin(), sent.begin() + static_cast<std::ptrdiff_t>(common), received.begin())) {
      return MessageVerdict::wrong;
    }
    return sent.size() > received.size() ? MessageVerdict::truncated : MessageVerdict::fine;
  }

  /// Repetitions of up to three operations become loops, some of them.
  Elements folded(const std::vector<OperationIndex>& all) {
    Elements elements;
    for (std::size_t at = 0; at < all.size();) {
      const std::size_t length = number(1, 3);
      std::uint64_t turns = 1;
      while (at + (turns + 1) * length <= all.size() &&
             std::equal(all.begin() + static_cast<std::ptrdiff_t>(at),
                        all.begin() + static_cast<std::ptrdiff_t>(at + length),
                        all.begin() + static_cast<std::ptrdiff_t>(at + turns * length))) {
        ++turns;
      }
      if (turns < 2 || number(0, 3) == 0) {
        elements.push_back({0, all[at++].value});
        continue;
      }
      elements.push_back({turns, static_cast<std::uint32_t>(length)});
      for (std::size_t i = 0; i < length; ++i) elements.push_back({0, all[at + i].value});
      at += turns * length;
    }
    return elements;
  }

  using Key = std::tuple<Kind, bool, std::uint32_t, std::uint32_t>;  // with places of operations
  std::uint32_t place_of(OperationIndex index) const {
    const MessageOperation& one = job_.messages.operations[index.value];
    return one.type->value * 1000 + one.site->value;
  }

  void add_channel(int source, ChannelEnd end, CommunicatorIndex communicator) {
    std::vector<OperationIndex> sent;
    std::vector<OperationIndex> received;
    for (std::uint64_t loops = number(1, 3); loops > 0; --loops) {
      std::vector<std::pair<OperationIndex, OperationIndex>> body;
      for (std::uint64_t i = number(1, 3); i > 0; --i) {
        const OperationIndex send = sending_[number(0, sending_.size() - 1)];
        std::vector<OperationIndex> right;
        for (const OperationIndex receive : receiving_) {
          if (verdict_of(data_of(send).signature, data_of(receive).signature) == MessageVerdict::fine) {
            right.push_back(receive);
          }
        }
        body.emplace_back(send, right[number(0, right.size() - 1)]);
      }
      for (std::uint64_t turns = number(1, 20); turns > 0; --turns) {
        for (const auto& [send, receive] : body) {
          sent.push_back(send);
          received.push_back(receive);
        }
      }
    }
    for (std::uint64_t planted = number(0, 2); planted > 0; --planted) {
      received[number(0, received.size() - 1)] = receiving_[number(0, receiving_.size() - 1)];
    }
    if (number(0, 5) == 0) received.resize(received.size() - number(0, received.size()));
    if (number(0, 5) == 0) sent.resize(sent.size() - number(0, sent.size()));
    for (std::size_t i = 0; i < std::min(sent.size(), received.size()); ++i) {
      const MessageVerdict verdict = verdict_of(data_of(sent[i]).signature, data_of(received[i]).signature);
      if (verdict == MessageVerdict::fine) {
        ++fine_;
      } else {
        ++expected_[{Kind::differs, verdict == MessageVerdict::truncated, place_of(sent[i]), place_of(received[i])}];
      }
    }
    for (std::size_t i = received.size(); i < sent.size(); ++i) {
      ++expected_[{Kind::unmatched_send, false, place_of(sent[i]), 0}];
    }
    for (std::size_t i = sent.size(); i < received.size(); ++i) {
      ++expected_[{Kind::unmatched_receive, false, 0, place_of(received[i])}];
    }
    if (!sent.empty()) on(sends(source, end, sequence(folded(sent))), communicator);
    if (!received.empty()) on(receives(end.peer, {source, end.tag}, sequence(folded(received))), communicator);
  }

  std::mt19937 random_{7};
  std::vector<Data> data_;
  std::vector<OperationIndex> sending_, receiving_;
  std::map<Key, std::uint64_t> expected_;
  std::uint64_t fine_ = 0;
};

TEST_F(RandomPlans, HaveExactlyTheMismatchesThatWerePlanted) {
  ranks(4);
  know(0, 3);
  make_data();
  for (int plan = 0; plan < 200; ++plan) {
    job_.messages.channels.clear();
    job_.messages.sequences.clear();
    job_.communicators.clear();
    expected_.clear();
    fine_ = 0;
    const CommunicatorIndex communicators[] = {communicator(1, 3, 3), communicator(2, 3, 3)};
    for (int source = 0; source < 4; ++source) {
      for (int tag = 0; tag < 3; ++tag) {
        const auto peer = static_cast<std::int32_t>(number(0, 3));
        add_channel(source, {peer, tag}, communicators[number(0, 1)]);
      }
    }
    std::shuffle(job_.messages.channels.begin(), job_.messages.channels.end(), random_);
    const MessageComparison comparison = compare_messages(job_);
    std::map<Key, std::uint64_t> told;
    for (const MessageMismatch& one : comparison.mismatches) {
      told[{one.kind, one.verdict == MessageVerdict::truncated, one.sent ? place_of(*one.sent) : 0,
            one.received ? place_of(*one.received) : 0}] += one.count;
    }
    ASSERT_EQ(told, expected_) << plan;
    ASSERT_EQ(comparison.matched.messages, fine_) << plan;
    ASSERT_TRUE(comparison.undecided.empty()) << undecided(comparison);
  }
}

}  // namespace
}  // namespace ddtscope::reporters::message_comparison_test
