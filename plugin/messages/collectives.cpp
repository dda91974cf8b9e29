#include "plugin/messages/collectives.h"

#include <bit>

#include "plugin/messages/sequence_lines.h"

namespace ddtscope::plugin {

Collectives::Collectives(const Options& options, const Parts& parts)
    : options_(options),
      parts_(parts),
      types_(parts.registry.types_in_use()),
      ops_(options.ops),
      sides_(options.constants, types_),
      calls_(options.most_bytes_of_arrays) {}

/// What is called in a communicator of this process alone meets nobody's.
Collectives::Found Collectives::find(HandleBits handle, std::uint32_t& number) {
  if (last_communicator_ != alone && last_handle_ == handle) {
    number = last_communicator_;
    return Found::yes;
  }
  const auto found = communicator_by_handle_.find(handle);
  if (found != communicator_by_handle_.end()) {
    last_handle_ = handle;
    number = last_communicator_ = found->second;
    return number != alone ? Found::yes : Found::no;
  }
  if (handle == options_.self) return Found::no;
  const CommunicatorNumber line = parts_.communicators.line_of(handle);
  const bool is_world = handle == options_.world;
  if (!is_world && !line.valid()) {
    if (parts_.communicators.name_of(handle)) ++without_line_;
    return Found::no;
  }
  const Communicator* const described = parts_.uses.communicators().find(handle);
  if (described == nullptr) return Found::ask;
  if (described->size == 1 && !described->is_inter) {
    communicator_by_handle_[handle] = alone;
    return Found::no;
  }
  number = static_cast<std::uint32_t>(communicators_.size());
  communicator_by_handle_[handle] = number;
  OfCommunicator& communicator = communicators_.emplace_back(symbols_);
  communicator.predefined = is_world ? PredefinedCommunicator::world : PredefinedCommunicator::none;
  communicator.line = line;
  communicator.described = *described;
  symbols_.count_bytes(sizeof(OfCommunicator));
  return Found::yes;
}

std::string_view Collectives::op_of(const UseCall& call) const {
  if (call.row.uses.op < 0) return {};
  const PredefinedOp* const op = ops_.find(call.handle(call.row.uses.op, options_.constants));
  return op != nullptr ? op->name : "user-defined";
}

/// None where it is not known yet which type something is.
std::optional<std::uint32_t> Collectives::call_of(const UsingCall& call, CallSiteId site,
                                                  const Communicator& communicator) {
  const auto both = sides_.both_of(call.arguments, communicator, calls_);
  if (!both) return std::nullopt;
  return calls_.intern({.called = call.called,
                        .site = site,
                        .root = sides_.root_of(call.arguments),
                        .op = op_of(call.arguments),
                        .send = both->send,
                        .receive = both->receive});
}

/// Where such a call stands, if it was made lately, or is to stand.
Collectives::RecentCall& Collectives::slot_of(const RecentCall& call) {
  constexpr std::uint64_t factor = 0x9E3779B97F4A7C15u;
  std::uint64_t hash = reinterpret_cast<std::uintptr_t>(call.called) + (std::uint64_t{call.site.value} << 24) +
                       (std::uint64_t{call.communicator} << 56);
  for (const std::uint64_t word : call.words) hash = std::rotl(hash * factor, 17) ^ word;
  return recent_[(hash * factor) >> (64 - bits_of_recent)];
}

Collectives::Placed Collectives::place(const UsingCall& call, std::uint32_t number) {
  OfCommunicator& communicator = communicators_[number];
  if (is_full()) communicator.lose(communicator.sequence.size(), Unknown::memory);
  if (communicator.unknown != Unknown::none) return {};
  Placed placed{Placed::State::in_sequence, number, communicator.sequence.size()};
  const CallSiteId site = types_.site_of(*call.stack);
  RecentCall made{.called = call.called, .site = site, .communicator = number};
  const bool has_arrays = CollectiveSides::has_arrays(call.arguments.row);
  if (!has_arrays) {
    made.words = sides_.words_of(call.arguments);
    const RecentCall& recent = slot_of(made);
    if (recent.is(made)) {
      communicator.sequence.append(recent.call);
      return placed;
    }
  }
  const std::optional<std::uint32_t> found = call_of(call, site, communicator.described);
  if (!found) {
    placed.state = Placed::State::left;
    return placed;
  }
  communicator.has_neighbourhoods |= call.arguments.row.uses.second.is_of_neighbours();
  made.call = *found;
  if (!has_arrays) slot_of(made) = made;
  communicator.sequence.append(made.call);
  return placed;
}

void Collectives::step(const UsingCall& call, Begun& begun) {
  if (is_stopped_) return;
  std::uint32_t number = 0;
  begun.found = find(communicator_of(call), number);
  if (begun.found == Found::yes) begun.placed = place(call, number);
}

Collectives::Placed Collectives::ask_and_begin(const UsingCall& call) {
  parts_.uses.communicator_is_alive(communicator_of(call));  // it has a name, and was not freed
  Begun begun;
  parts_.registry.beside([&] { step(call, begun); });
  return begun.placed;
}

void Collectives::end(const UsingCall& call, const Placed& placed) {
  if (placed.state != Placed::State::left) return;
  parts_.registry.beside([&] {
    if (is_stopped_) return;
    if (place(call, placed.communicator).state != Placed::State::left) return;
    OfCommunicator& communicator = communicators_[placed.communicator];
    communicator.lose(communicator.sequence.size(), Unknown::type);
  });
}

void Collectives::failed(const Placed& placed, Failure failure) {
  if (placed.state == Placed::State::nowhere) return;
  const bool took_part = failure == Failure::in_between && placed.state == Placed::State::in_sequence;
  const std::uint64_t from = placed.place + (took_part ? 1 : 0);
  parts_.registry.beside([&] { communicators_[placed.communicator].lose(from, Unknown::failed); });
}

void Collectives::communicator_freed(HandleBits communicator) {
  parts_.registry.beside([&] {
    communicator_by_handle_.erase(communicator);
    last_communicator_ = alone;
  });
}

void Collectives::stop(Unknown why) {
  if (is_stopped_) return;
  is_stopped_ = true;
  for (OfCommunicator& communicator : communicators_) communicator.lose(communicator.sequence.size(), why);
}

void Collectives::write_calls(trace::Writer& writer) {
  std::uint32_t number = 0;
  std::vector<trace::BlockRunLine> runs[2];
  const auto side_line = [&](const CollectiveSide& side, std::vector<trace::BlockRunLine>& lines) {
    lines.clear();
    for (const BlockRun& run : calls_.blocks_of(side)) {
      const TypeInUse type{run.number, run.predefined, TypeInUse::State::known};
      lines.push_back({run.times, run.number, types_.predefined_name(type), run.elements});
    }
    return trace::CollectiveSideLine{side.is, lines};
  };
  for (const CollectiveCall& call : calls_.all()) {
    writer.collective({.number = {number++},
                       .called = call.called->name,
                       .binding = call.called->binding,
                       .site = call.site,
                       .root = call.root,
                       .op = call.op,
                       .send = side_line(call.send, runs[0]),
                       .receive = side_line(call.receive, runs[1])});
  }
}

/// None where they need not be told, or are too many.
std::optional<Neighbours> Collectives::neighbours_of(const OfCommunicator& communicator) const {
  const Communicator& described = communicator.described;
  const std::size_t number = described.sources.size() + described.destinations.size();
  if (!communicator.has_neighbourhoods || number > options_.most_neighbours) return std::nullopt;
  Neighbours neighbours{.is_cartesian = described.is_cartesian, .sources = {}, .destinations = {}};
  const auto add = [&](const std::vector<int>& ranks, std::vector<std::int32_t>& to) {
    for (const int rank : ranks) {
      to.push_back(rank == options_.constants.null_process ? Neighbours::nobody : rank);
    }
  };
  add(described.sources, neighbours.sources);
  add(described.destinations, neighbours.destinations);
  return neighbours;
}

void Collectives::write(trace::Writer& writer, std::uint32_t& next) {
  write_calls(writer);
  SequenceLines sequences({symbols_, writer, next}, SequenceOf::collectives);
  for (OfCommunicator& communicator : communicators_) {
    if (communicator.sequence.size() == 0 && communicator.unknown == Unknown::none) continue;
    trace::CollectivesLine line{.communicator = communicator.line, .predefined = communicator.predefined};
    line.sequence = sequences.number_of(communicator.sequence.end());
    if (communicator.unknown != Unknown::none) {
      line.undecided = {communicator.unknown_from, word_of(communicator.unknown)};
    }
    const std::optional<Neighbours> neighbours = neighbours_of(communicator);
    if (neighbours) line.neighbours = &*neighbours;
    writer.collectives(line);
  }
}

}  // namespace ddtscope::plugin
