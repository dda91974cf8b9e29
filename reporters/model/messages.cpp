// The ranks' messages as the job's: equal operations and equal sequences are one each.
#include "reporters/model/messages.h"

#include <algorithm>

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

std::vector<SequenceIndex> JobBuilder::join_sequences(FileEnd& end, const std::vector<OperationIndex>& operations) {
  std::vector<SequenceIndex> indices;
  indices.reserve(end.sequences.size());
  for (SequenceRecord& record : end.sequences) {
    std::uint64_t hash = record.elements.size();
    for (SequenceElement& element : record.elements) {
      if (element.times == 0) element.number = operations[element.number].value;
      hash = (hash ^ element.times ^ std::uint64_t{element.number} << 32) * 0x9e3779b97f4a7c15U;
      hash ^= hash >> 29;
    }
    std::vector<std::vector<SequenceElement>>& known = job_.messages.sequences;
    const auto [first, last] = sequences_index_.equal_range(hash);
    const auto found =
        std::find_if(first, last, [&](const auto& entry) { return known[entry.second] == record.elements; });
    if (found != last) {
      indices.push_back({found->second});
      continue;
    }
    indices.push_back({static_cast<std::uint32_t>(known.size())});
    sequences_index_.emplace(hash, indices.back().value);
    known.push_back(std::move(record.elements));
  }
  end.sequences.clear();
  return indices;
}

void JobBuilder::join_channels(FileEnd& end, const std::vector<CommunicatorIndex>& communicators) {
  const std::vector<SequenceIndex> sequences = join_sequences(end, join_operations(end));
  for (ChannelsRecord& record : end.channels) {
    const std::optional<Rank> rank = record.rank ? record.rank : rank_.header.rank;
    if (!rank) continue;  // there is no MPI_COMM_WORLD in which its peers would have ranks
    RankChannels channels;
    channels.rank = *rank;
    channels.predefined = record.predefined;
    if (record.communicator.valid()) channels.communicator = communicators[record.communicator.value];
    channels.direction = record.direction;
    channels.is_partitioned = record.is_partitioned;
    channels.is_unordered = record.is_unordered;
    channels.sequence = sequences[record.sequence.value];
    if (record.undecided) {
      channels.undecided = UndecidedFrom{record.undecided->operation, job_.word(record.undecided->why)};
    }
    channels.ends = std::move(record.channels);
    channels.ends.shrink_to_fit();
    job_.messages.channels.push_back(std::move(channels));
  }
  end.channels.clear();
}

void JobBuilder::join_pending(FileEnd& end) {
  if (!end.pending || !rank_.header.rank) return;
  RankPending pending;
  pending.rank = *rank_.header.rank;
  pending.problem = std::move(end.pending->problem);
  pending.file = std::move(end.pending->file);
  for (const OperationRecord& record : end.pending->operations) {
    const std::optional<DefinitionId> type = record.type ? std::optional(definition_of(*record.type)) : std::nullopt;
    pending.operations.push_back({type, record.elements, job_.word(record.called), job_.word(record.binding),
                                  record.parameter, site_of(record.site)});
  }
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
