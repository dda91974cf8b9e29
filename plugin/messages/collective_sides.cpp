#include "plugin/messages/collective_sides.h"

#include <algorithm>

namespace ddtscope::plugin {
namespace {

bool is_given(UseParameter parameter) {
  return parameter == UseParameter::sendtype || parameter == UseParameter::sendtypes;
}
bool is_got(UseParameter parameter) {
  return parameter == UseParameter::recvtype || parameter == UseParameter::recvtypes;
}

}  // namespace

CollectiveRoot CollectiveSides::root_of(const UseCall& call) const {
  if (call.row.uses.root < 0) return {};
  const int root = call.integer(call.row.uses.root);
  if (root == constants_.root) return {CollectiveRoot::Is::itself};
  if (root == constants_.null_process) return {CollectiveRoot::Is::nobody};
  return {CollectiveRoot::Is::process, root};
}

/// A negative count is wrong, and moves nothing. False where nobody knows yet which type it is.
bool CollectiveSides::add_block(HandleBits type, std::int64_t count, std::uint64_t times) {
  BlockRun run{.times = times, .elements = count > 0 ? static_cast<std::uint64_t>(count) : 0};
  const TypeInUse found = types_.find(type);
  if (found.state == TypeInUse::State::known) {
    run.number = found.number;
    run.predefined = found.predefined;
  } else if (run.elements != 0) {
    return false;
  }
  if (!blocks_.empty() && blocks_.back().is_like(run)) {
    blocks_.back().times += times;
  } else if (times != 0) {
    blocks_.push_back(run);
  }
  return true;
}

/// All of one type and count.
bool CollectiveSides::add_alike(const UseCall& call, const Use& use, const Communicator& communicator) {
  const HandleBits type = call.handle(use.type, constants_);
  const std::int64_t count = call.integer_of(use.count, call.row.count_bytes);
  const auto as_many = [](int size) { return static_cast<std::uint64_t>(std::max(size, 0)); };
  switch (use.copies) {
    case Copies::processes:
      return add_block(type, count, as_many(communicator.remote_size));
    case Copies::own_group:
      return add_block(type, count, as_many(communicator.size));
    case Copies::sources:
    case Copies::destinations:
      for (const int rank : use.copies == Copies::sources ? communicator.sources : communicator.destinations) {
        const bool is_nobody = rank == constants_.null_process;
        if (!add_block(is_nobody ? 0 : type, is_nobody ? 0 : count, 1)) return false;
      }
      return true;
    case Copies::once:
    case Copies::partitions:
      break;
  }
  return add_block(type, count, 1);
}

/// One count for each, and perhaps one type. False, too, where there are types that nobody can read.
bool CollectiveSides::add_array(const UseCall& call, std::size_t which, const Communicator& communicator) {
  const Use& use = *call.row.uses.all()[which];
  const auto* const counts = reinterpret_cast<const void*>(call.words[use.count]);
  const auto* const types = reinterpret_cast<const void*>(call.words[use.type]);
  const bool has_types = call.row.has_type_array[which];
  const UseAmounts::Entries entries = amounts_.entries_of(call, which, &communicator);
  if (!entries.is_whole) return false;
  for (std::size_t i = 0; i < entries.count; ++i) {
    bool is_known = false;
    if (entries.is_of(i, constants_.null_process)) {
      is_known = add_block(0, 0, 1);
    } else {
      const HandleBits type =
          has_types ? handle_in_memory(types, i, constants_.handle_bytes) : call.handle(use.type, constants_);
      is_known = add_block(type, element_in_memory(counts, i, call.row.count_bytes), 1);
    }
    if (!is_known) return false;
  }
  return true;
}

std::optional<CollectiveSides::Both> CollectiveSides::both_of(const UseCall& call, const Communicator& communicator,
                                                              CollectiveCalls& calls) {
  Both both;
  for (std::size_t i = 0; i < Uses::most; ++i) {
    const Use& use = *call.row.uses.all()[i];
    const UseAmounts::Presence presence = amounts_.presence_of(call, use, &communicator);
    if (presence == UseAmounts::Presence::absent) continue;
    CollectiveSide side{CollectiveSideIs::in_place};
    if (presence == UseAmounts::Presence::there) {
      blocks_.clear();
      if (!(call.row.has_count_array[i] ? add_array(call, i, communicator) : add_alike(call, use, communicator))) {
        return std::nullopt;
      }
      side = calls.intern(blocks_);
    }
    // Of one buffer alone: MPI_Bcast gives it at the root, a reduction everywhere.
    const bool is_received = call.row.is_received_elsewhere() && !amounts_.is_root(call, communicator);
    (is_got(use.parameter) || (!is_given(use.parameter) && is_received) ? both.receive : both.send) = side;
  }
  return both;
}

CollectiveSides::Words CollectiveSides::words_of(const UseCall& call) const {
  const Uses& uses = call.row.uses;
  Words words{};
  std::size_t at = 0;
  const auto add = [&](std::uint64_t word) { words[at++] = word; };
  add(uses.root >= 0 ? static_cast<std::uint32_t>(call.integer(uses.root)) : 0);
  add(uses.op >= 0 ? call.handle(uses.op, constants_) : 0);
  for (const Use* use : {&uses.first, &uses.second}) {
    if (use->type < 0) continue;
    const HandleEntry* const life = types_.life_of(call.handle(use->type, constants_));
    add(life != nullptr ? types_.key_of(*life) : 0);
    add(static_cast<std::uint64_t>(call.integer_of(use->count, call.row.count_bytes)));
    add(use->buffer >= 0 && call.words[use->buffer] == constants_.in_place ? 1 : 0);
  }
  return words;
}

}  // namespace ddtscope::plugin
