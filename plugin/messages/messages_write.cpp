// The lines of the trace that say what went from process to process.
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "plugin/messages/collectives.h"
#include "plugin/messages/messages.h"
#include "plugin/messages/sequence_lines.h"

namespace ddtscope::plugin {
namespace {

/// What channels of one line have in common.
struct LineOfChannels {
  std::uint32_t communicator = 0;
  MessageDirection direction = MessageDirection::none;
  bool is_partitioned = false, is_unordered = false;
  Unknown unknown = Unknown::none;
  std::uint64_t unknown_from = 0;
  SequenceNumber sequence;
  friend auto operator<=>(const LineOfChannels&, const LineOfChannels&) = default;
};

}  // namespace

void Messages::write_operations(trace::Writer& writer) {
  std::uint32_t number = 0;
  for (const MessageOperation& operation : channels_.operations()) {
    const TypeInUse type{operation.number, operation.predefined, TypeInUse::State::known};
    writer.operation({.number = {number++},
                      .definition = operation.number,
                      .predefined = types_.predefined_name(type),
                      .elements = operation.elements,
                      .called = operation.called->name,
                      .binding = operation.called->binding,
                      .parameter = operation.parameter,
                      .site = operation.site});
  }
}

namespace {

/// Where one of these operations stands first in what a symbol stands for.
class FirstOf {
 public:
  FirstOf(const FoldedSymbols& symbols, const std::set<std::uint32_t>& operations)
      : symbols_(symbols), operations_(operations) {}
  /// Adds up what stands before it. True where there is one.
  bool find(std::uint32_t place, std::uint64_t& before) const {
    const FoldedSymbol& symbol = symbols_[place];
    if (symbol.body.empty()) {
      if (operations_.contains(symbol.number)) return true;
      before += symbol.repeat;
      return false;
    }
    const std::uint64_t start = before;
    for (const std::uint32_t part : symbol.body) {
      if (find(part, before)) return true;
    }
    before = start + (before - start) * symbol.repeat;
    return false;
  }

 private:
  const FoldedSymbols& symbols_;
  const std::set<std::uint32_t>& operations_;
};

}  // namespace

/// From the first operation on that may have been cancelled nobody knows which one is where.
void Messages::lose_cancelled(Channel& channel) {
  if (cancelled_.empty()) return;
  std::uint64_t before = 0;
  const FirstOf first(channels_.symbols(), cancelled_);
  for (const std::uint32_t place : channel.end()) {
    if (!first.find(place, before)) continue;
    channel.lose(channel.is_unordered() ? 0 : before, Unknown::cancel);
    return;
  }
}

/// The channels of each line.
struct Messages::Lines {
  std::map<LineOfChannels, std::vector<ChannelEnd>> all;
};

void Messages::add_channels(Lines& lines, SequenceLines& sequences) {
  for (Channel& channel : channels_.all()) {
    const ChannelKey& key = channel.key();
    lose_cancelled(channel);
    if (channel.size() == 0 && channel.unknown() == Unknown::none) continue;
    const LineOfChannels line{.communicator = key.communicator,
                              .direction = key.direction,
                              .is_partitioned = key.is_partitioned,
                              .is_unordered = channel.is_unordered(),
                              .unknown = channel.unknown(),
                              .unknown_from = channel.unknown_from(),
                              .sequence = sequences.number_of(channel.end())};
    lines.all[line].push_back({channel.process(), key.tag});
  }
}

/// Those of which nothing is known, whether they have a line of their own or not.
void Messages::add_lost_channels(Lines& lines, SequenceLines& sequences) {
  for (std::uint32_t i = 0; i < communicators_.size(); ++i) {
    for (const ReceivePattern& lost : communicators_[i].lost) {
      int process = ChannelEnd::any;
      if (lost.source && find_process(i, *lost.source, process) != Found::yes) continue;
      const LineOfChannels line{.communicator = i,
                                .direction = MessageDirection::receive,
                                .unknown = Unknown::wildcard,
                                .sequence = sequences.number_of({})};
      lines.all[line].push_back({process, lost.tag.value_or(ChannelEnd::any)});
    }
  }
}

void Messages::write_channels(trace::Writer& writer, std::uint32_t& next) {
  SequenceLines sequences({channels_.symbols(), writer, next}, SequenceOf::operations);
  Lines lines;
  add_channels(lines, sequences);
  add_lost_channels(lines, sequences);
  for (const auto& [line, channels] : lines.all) {
    const Communicator& communicator = communicators_[line.communicator];
    trace::ChannelsLine written{.communicator = communicator.line, .predefined = communicator.predefined};
    const bool is_sent = line.direction == MessageDirection::send;
    written.direction = is_sent ? ChannelDirection::send : ChannelDirection::receive;
    written.sequence = line.sequence;
    written.is_partitioned = line.is_partitioned;
    written.is_unordered = line.is_unordered;
    if (line.unknown != Unknown::none) written.undecided = {line.unknown_from, word_of(line.unknown)};
    written.channels = channels;
    writer.channels(written);
  }
}

std::uint32_t Messages::write(trace::Writer& writer, Collectives* collectives) {
  give_up_waiting();
  write_operations(writer);
  std::uint32_t next_sequence = 0;
  write_channels(writer, next_sequence);
  if (collectives != nullptr) {
    collectives->write(writer, next_sequence);
    if (collectives->without_line() != 0) left_out_[word_of(Unknown::memory)] += collectives->without_line();
  }
  if (others_ != Unknown::none) left_out_.try_emplace(word_of(others_), 0);
  std::vector<MessagesLeftOut> left_out;
  for (const auto& [why, count] : left_out_) left_out.push_back({why, count});
  writer.messages(left_out);
  return next_sequence;
}

}  // namespace ddtscope::plugin
