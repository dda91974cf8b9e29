// The ranks' messages as the job's: equal operations and equal sequences are one each.
#include "reporters/model/messages.h"

#include <algorithm>

#include "decoder/base/hash_of_words.h"
#include "reporters/model/job_builder.h"

namespace ddtscope::reporters {

std::vector<OperationIndex> JobBuilder::join_operations(const FileEnd& end) {
  std::vector<OperationIndex> indices;
  indices.reserve(end.operations.size());
  for (const OperationRecord& record : end.operations) {
    const std::optional<DefinitionId> type = record.type ? std::optional(definition_of(*record.type)) : std::nullopt;
    const std::optional<FrameIndex> site = site_of(record.site);
    const std::string_view called = job_.word(record.called);
    const std::string_view binding = job_.word(record.binding);
    const auto [found, is_new] = operations_index_.try_emplace(
        {type ? type->value + 1 : 0, record.elements, called, binding, record.parameter, site},
        static_cast<std::uint32_t>(job_.messages.operations.size()));
    if (is_new) job_.messages.operations.push_back({type, record.elements, called, binding, record.parameter, site});
    indices.push_back({found->second});
  }
  return indices;
}

CollectiveSide JobBuilder::side_of(const CollectiveSideRecord& record) const {
  CollectiveSide side{record.is, {}};
  side.runs.reserve(record.runs.size());
  for (const BlockRunRecord& run : record.runs) {
    const auto type = run.type ? std::optional(definition_of(*run.type)) : std::nullopt;
    side.runs.push_back({run.times, type, run.elements});
  }
  return side;
}

std::vector<CollectiveIndex> JobBuilder::join_collective_operations(const FileEnd& end) {
  std::vector<CollectiveIndex> indices;
  indices.reserve(end.collective_operations.size());
  for (const CollectiveRecord& record : end.collective_operations) {
    CollectiveOperation operation{
        job_.word(record.called), job_.word(record.binding), site_of(record.site),   record.root,
        job_.word(record.op),     side_of(record.send),      side_of(record.receive)};
    std::vector<CollectiveOperation>& known = job_.messages.collective_operations;
    const auto [found, is_new] =
        collective_operations_index_.try_emplace(operation, static_cast<std::uint32_t>(known.size()));
    if (is_new) known.push_back(std::move(operation));
    indices.push_back({found->second});
  }
  return indices;
}

std::uint32_t SequenceTable::add(std::vector<SequenceElement>&& elements) {
  HashOfWords words(elements.size());
  for (const SequenceElement& element : elements) words.add(element.times ^ std::uint64_t{element.number} << 32);
  const std::uint64_t hash = words.value();
  const auto [first, last] = index_.equal_range(hash);
  const auto found = std::find_if(first, last, [&](const auto& entry) { return known_[entry.second] == elements; });
  if (found != last) return found->second;
  const auto number = static_cast<std::uint32_t>(known_.size());
  index_.emplace(hash, number);
  known_.push_back(std::move(elements));
  return number;
}

std::vector<std::uint32_t> JobBuilder::join_sequences(FileEnd& end) {
  const std::vector<OperationIndex> operations = join_operations(end);
  const std::vector<CollectiveIndex> collectives = join_collective_operations(end);
  const std::vector<std::uint32_t> events = join_window_events(end);
  const auto number_of = [&](SequenceOf of, std::uint32_t number) {
    switch (of) {
      case SequenceOf::collectives:
        return collectives[number].value;
      case SequenceOf::window_events:
        return events[number];
      case SequenceOf::operations:
        break;
    }
    return operations[number].value;
  };
  std::vector<std::uint32_t> numbers;
  numbers.reserve(end.sequences.size());
  for (SequenceRecord& record : end.sequences) {
    for (SequenceElement& element : record.elements) {
      if (element.times == 0) element.number = number_of(record.of, element.number);
    }
    SequenceTable& table = record.of == SequenceOf::operations    ? sequences_
                           : record.of == SequenceOf::collectives ? collective_sequences_
                                                                  : window_sequences_;
    numbers.push_back(table.add(std::move(record.elements)));
  }
  end.sequences.clear();
  return numbers;
}

template <class Record, class Line>
bool JobBuilder::join_communicator(const Record& record, const std::vector<CommunicatorIndex>& communicators,
                                   Line& line) {
  const std::optional<Rank> rank = record.rank ? record.rank : rank_.header.rank;
  if (!rank) return false;
  line.rank = *rank;
  line.predefined = record.predefined;
  if (record.communicator.valid()) line.communicator = communicators[record.communicator.value];
  if (record.undecided) line.undecided = UndecidedFrom{record.undecided->operation, job_.word(record.undecided->why)};
  return true;
}

void JobBuilder::join_messages(FileEnd& end, const std::vector<CommunicatorIndex>& communicators,
                               const std::vector<std::uint32_t>& sequences) {
  for (ChannelsRecord& record : end.channels) {
    RankChannels channels;
    if (!join_communicator(record, communicators, channels)) continue;
    channels.direction = record.direction;
    channels.is_partitioned = record.is_partitioned;
    channels.is_unordered = record.is_unordered;
    channels.sequence = {sequences[record.sequence.value]};
    channels.ends = std::move(record.channels);
    channels.ends.shrink_to_fit();
    job_.messages.channels.push_back(std::move(channels));
  }
  end.channels.clear();
  for (CollectivesRecord& record : end.collectives) {
    RankCollectives collectives;
    if (!join_communicator(record, communicators, collectives)) continue;
    collectives.sequence = {sequences[record.sequence.value]};
    collectives.neighbours = std::move(record.neighbours);
    job_.messages.collectives.push_back(std::move(collectives));
  }
}

void JobBuilder::join_pending(FileEnd& end) {
  const auto operation_of = [&](const OperationRecord& record) {
    const std::optional<DefinitionId> type = record.type ? std::optional(definition_of(*record.type)) : std::nullopt;
    return MessageOperation{type,
                            record.elements,
                            job_.word(record.called),
                            job_.word(record.binding),
                            record.parameter,
                            site_of(record.site)};
  };
  for (const OperationRecord& record : end.window_calls) job_.window_calls.push_back(operation_of(record));
  if (!end.pending || !rank_.header.rank) return;
  RankPending pending;
  pending.rank = *rank_.header.rank;
  pending.problem = std::move(end.pending->problem);
  pending.file = std::move(end.pending->file);
  for (const OperationRecord& record : end.pending->operations) pending.operations.push_back(operation_of(record));
  job_.pending.push_back(std::move(pending));
}

void JobBuilder::join_known_messages(const FileEnd& end) {
  for (const MessagesRecord& record : end.messages) {
    std::vector<MessagesLeftOut> left_out;
    for (const MessagesLeftOut& part : record.left_out) left_out.push_back({job_.word(part.why), part.count});
    std::vector<KnownMessages>& known = job_.messages.known;
    const auto [found, is_new] = known_messages_index_.try_emplace(left_out, known.size());
    if (is_new) known.push_back({std::move(left_out), {}});
    add_ranks(known[found->second].ranks, record.ranks);
  }
}

}  // namespace ddtscope::reporters
