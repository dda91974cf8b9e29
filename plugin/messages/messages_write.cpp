// The lines of the trace that say what went from process to process.
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "plugin/messages/messages.h"

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

/// Writes each sequence once.
class Messages::Sequences {
 public:
  Sequences(const FoldedSymbols& symbols, trace::Writer& writer) : symbols_(symbols), writer_(writer) {}
  SequenceNumber number_of(std::span<const std::uint32_t> places) {
    const auto [found, is_new] = numbers_.try_emplace(std::vector(places.begin(), places.end()),
                                                      SequenceNumber{static_cast<std::uint32_t>(numbers_.size())});
    if (!is_new) return found->second;
    elements_.clear();
    for (const std::uint32_t place : places) add(place);
    writer_.sequence(found->second, elements_);
    return found->second;
  }

 private:
  /// A symbol's body are symbols that come before it: a few levels.
  void add(std::uint32_t place) {
    const FoldedSymbol& symbol = symbols_[place];
    const std::size_t loop = elements_.size();
    if (symbol.repeat > 1) elements_.push_back({symbol.repeat, 0});
    if (symbol.body.empty()) elements_.push_back({0, symbol.number});
    for (const std::uint32_t part : symbol.body) add(part);
    if (symbol.repeat > 1) elements_[loop].number = static_cast<std::uint32_t>(elements_.size() - loop - 1);
  }

  const FoldedSymbols& symbols_;
  trace::Writer& writer_;
  std::map<std::vector<std::uint32_t>, SequenceNumber> numbers_;
  std::vector<SequenceElement> elements_;
};

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

void Messages::add_channels(Lines& lines, Sequences& sequences) {
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
void Messages::add_lost_channels(Lines& lines, Sequences& sequences) {
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

void Messages::write_channels(trace::Writer& writer) {
  Sequences sequences(channels_.symbols(), writer);
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

void Messages::write(trace::Writer& writer) {
  give_up_waiting();
  write_operations(writer);
  write_channels(writer);
  if (others_ != Unknown::none) left_out_.try_emplace(word_of(others_), 0);
  std::vector<MessagesLeftOut> left_out;
  for (const auto& [why, count] : left_out_) left_out.push_back({why, count});
  writer.messages(left_out);
}

}  // namespace ddtscope::plugin
