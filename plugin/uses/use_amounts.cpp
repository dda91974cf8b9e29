#include "plugin/uses/use_amounts.h"

#include <algorithm>
#include <limits>
#include <span>

namespace ddtscope::plugin {
namespace {

/// A count as it is added up: a negative one is wrong, and moves nothing.
std::uint64_t amount_of(std::int64_t count) { return count > 0 ? static_cast<std::uint64_t>(count) : 0; }

std::uint64_t times(std::uint64_t count, std::uint64_t copies) {
  std::uint64_t product;
  return __builtin_mul_overflow(count, copies, &product) ? std::numeric_limits<std::uint64_t>::max() : product;
}

/// Ranks of neighbours, for those that have some.
std::span<const int> neighbours_of(Copies copies, const Communicator& communicator) {
  if (copies == Copies::sources) return communicator.sources;
  if (copies == Copies::destinations) return communicator.destinations;
  return {};
}

/// Entry `i` of an array of counts.
void add_count(UseAmount& whole, std::size_t i, std::int64_t given) {
  if (given < 0 && !whole.is_negative) {
    whole.is_negative = true;
    whole.entry = static_cast<std::uint32_t>(i);
  }
  const std::uint64_t count = amount_of(given);
  if (__builtin_add_overflow(whole.elements, count, &whole.elements)) {
    whole.elements = std::numeric_limits<std::uint64_t>::max();
  }
  whole.smallest = std::min(whole.smallest, count);
  whole.largest = std::max(whole.largest, count);
}

}  // namespace

/// MPI_ROOT and MPI_PROC_NULL say by themselves that the communicator has two groups, and which this process is in.
bool UseAmounts::is_rooted_elsewhere(const UseCall& call) const {
  const auto root = call.row.uses.root;
  return root >= 0 && call.integer(root) == constants_.null_process;
}

HandleBits UseAmounts::wanted_communicator(const UseCall& call) const {
  if (!call.row.needs_communicator || is_rooted_elsewhere(call)) return 0;
  return call.handle(call.row.uses.communicator, constants_);
}

bool UseAmounts::is_no_op(const UseCall& call) const {
  return call.handle(call.row.uses.op, constants_) == constants_.no_op;
}

/// There the send buffer is not significant (MPI-4.1 6.9.1). MPI_ROOT says by itself that there are two groups.
bool UseAmounts::is_reduction_at_inter_root(const UseCall& call) const {
  return call.row.result_buffer >= 0 && call.row.uses.root >= 0 && call.integer(call.row.uses.root) == constants_.root;
}

bool UseAmounts::is_root(const UseCall& call, const Communicator& communicator) const {
  const int root = call.integer(call.row.uses.root);
  return communicator.is_inter ? root == constants_.root : root == communicator.rank;
}

/// MPI_Exscan leaves the first process's result alone (MPI-4.1 6.11.2).
bool UseAmounts::has_result_here(const UseCall& call, const Communicator& communicator) const {
  if (call.row.uses.result_at == ResultAt::behind_rank_0) return communicator.rank != 0;
  return call.row.uses.root < 0 || is_root(call, communicator);
}

const Communicator* UseAmounts::of_result(const UseCall& call, const Communicators& known) const {
  const bool depends = call.row.result_buffer >= 0 && call.row.depends_on_rank();
  return depends ? known.find(call.handle(call.row.uses.communicator, constants_)) : nullptr;
}

std::uint64_t UseAmounts::own_count(const UseCall& call, const UseAmount& amount, const Communicator& communicator) {
  if (!call.row.has_count_array[amount.which]) return amount.smallest;
  const auto* const counts = reinterpret_cast<const void*>(call.words[call.row.uses.all()[amount.which]->count]);
  return amount_of(element_in_memory(counts, static_cast<std::size_t>(communicator.rank), call.row.count_bytes));
}

/// Of a process that is not known to get a result nothing is said.
std::uint64_t UseAmounts::null_result_of(const UseCall& call, const UseAmount& amount,
                                         const Communicator* communicator) const {
  const UseRow& row = call.row;
  if (row.result_buffer < 0 || call.words[row.result_buffer] != 0 || amount.elements == 0) return 0;
  const bool has_parts = row.uses.all()[amount.which]->copies == Copies::own_group;
  if (!has_parts && !row.depends_on_rank()) return amount.elements;
  if (communicator == nullptr || !has_result_here(call, *communicator)) return 0;
  return has_parts ? own_count(call, amount, *communicator) : amount.elements;
}

UseAmounts::Presence UseAmounts::presence_of(const UseCall& call, const Use& use,
                                             const Communicator* communicator) const {
  const Uses& uses = call.row.uses;
  if (use.type < 0 || is_rooted_elsewhere(call)) return Presence::absent;
  if (use.side != Side::all && communicator != nullptr) {
    const bool is_at_root = is_root(call, *communicator);
    if (use.side == Side::root && !is_at_root) return Presence::absent;
    if (use.side == Side::leaves && is_at_root && communicator->is_inter) return Presence::absent;
  }
  // Of a reduction in place the type still describes the other buffer.
  if (use.buffer >= 0 && use.parameter != UseParameter::datatype && call.words[use.buffer] == constants_.in_place)
    return Presence::in_place;
  const bool is_spared =
      uses.no_op == NoOp::spares_origin && use.parameter == UseParameter::origin_datatype && is_no_op(call);
  return is_spared ? Presence::absent : Presence::there;
}

bool UseAmounts::is_at_null_process(const UseCall& call, const Use& use) const {
  if (use.message >= 0) {
    const auto* const message = reinterpret_cast<const void*>(call.words[use.message]);
    return message != nullptr && handle_in_memory(message, 0, constants_.handle_bytes) == constants_.no_message;
  }
  if (use.peer < 0 || call.integer(use.peer) != constants_.null_process) return false;
  return use.other_peer < 0 || call.integer(use.other_peer) == constants_.null_process;
}

const std::vector<UseAmount>& UseAmounts::of(const UseCall& call, const Communicator* communicator) {
  amounts_.clear();
  const auto uses = call.row.uses.all();
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (!is_significant(call, *uses[i], communicator)) continue;
    call.row.has_count_array[i] ? add_array(call, i, communicator) : add(call, i, communicator);
  }
  return amounts_;
}

void UseAmounts::add(const UseCall& call, std::size_t which, const Communicator* communicator) {
  const Use& use = *call.row.uses.all()[which];
  UseAmount amount{.parameter = use.parameter, .type = call.handle(use.type, constants_)};
  amount.which = static_cast<std::uint8_t>(which);
  amount.is_at_nobody = is_at_null_process(call, use);
  std::uint64_t count = call.row.uses.fixed_count;
  if (use.count >= 0) {
    const std::int64_t given = call.integer_of(use.count, call.row.count_bytes);
    amount.is_negative = given < 0;
    count = amount_of(given);
  }
  if (use.copies == Copies::partitions && call.integer(call.row.uses.partitions) < 0) amount.is_negative = true;
  if (!amount.is_at_nobody) {
    std::uint64_t copies = 1;
    if (use.copies == Copies::partitions) {
      copies = amount_of(call.integer(call.row.uses.partitions));
    } else if (use.copies == Copies::own_group) {
      copies = communicator != nullptr ? amount_of(communicator->size) : 1;
    } else if (use.copies == Copies::processes) {
      copies = communicator != nullptr ? amount_of(communicator->remote_size) : 1;
    } else if (use.copies != Copies::once && communicator != nullptr) {
      const std::span<const int> neighbours = neighbours_of(use.copies, *communicator);
      const auto nobody = std::count(neighbours.begin(), neighbours.end(), constants_.null_process);
      copies = neighbours.size() - static_cast<std::size_t>(nobody);
    }
    amount.elements = times(count, copies);
    amount.smallest = amount.largest = count;
    amount.has_null_buffer = amount.elements != 0 && use.buffer >= 0 && call.words[use.buffer] == 0 &&
                             !(call.row.uses.op >= 0 && is_no_op(call)) &&  // then the origin is not looked at
                             !is_reduction_at_inter_root(call);
    amount.null_result = null_result_of(call, amount, communicator);
  }
  amounts_.push_back(amount);
}

UseAmounts::Entries UseAmounts::entries_of(const UseCall& call, std::size_t which,
                                           const Communicator* communicator) const {
  const Use& use = *call.row.uses.all()[which];
  const bool has_types = call.row.has_type_array[which];
  if (communicator == nullptr || call.words[use.count] == 0 || (has_types && call.words[use.type] == 0)) return {};
  Entries entries;
  if (use.is_of_neighbours()) {
    entries.neighbours = neighbours_of(use.copies, *communicator);
    entries.count = entries.neighbours.size();
  } else {
    entries.count = amount_of(use.copies == Copies::own_group ? communicator->size : communicator->remote_size);
  }
  const std::size_t translated = amount_of(std::max(communicator->size, communicator->remote_size));
  if (has_types && call.has_translated_types && entries.up_to_last(constants_.null_process) > translated) {
    entries.count = translated;
    entries.is_whole = false;
  }
  return entries;
}

void UseAmounts::add_array(const UseCall& call, std::size_t which, const Communicator* communicator) {
  const Use& use = *call.row.uses.all()[which];
  const auto* const counts = reinterpret_cast<const void*>(call.words[use.count]);
  const auto* const types = reinterpret_cast<const void*>(call.words[use.type]);
  const bool has_types = call.row.has_type_array[which];
  UseAmount whole{.parameter = use.parameter, .type = has_types ? 0 : call.handle(use.type, constants_)};
  whole.which = static_cast<std::uint8_t>(which);
  const bool is_null = use.buffer >= 0 && call.words[use.buffer] == 0;
  const Entries entries = entries_of(call, which, communicator);
  whole.smallest = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t i = 0; i < entries.count; ++i) {
    if (entries.is_of(i, constants_.null_process)) continue;
    const std::int64_t given = element_in_memory(counts, i, call.row.count_bytes);
    const std::uint64_t count = amount_of(given);
    if (has_types) {
      UseAmount entry = whole;
      entry.type = handle_in_memory(types, i, constants_.handle_bytes);
      entry.elements = entry.smallest = entry.largest = count;
      entry.is_entry = true;
      entry.is_negative = given < 0;
      entry.has_null_buffer = is_null && count != 0;
      entry.entry = static_cast<std::uint32_t>(i);
      amounts_.push_back(entry);
      continue;
    }
    add_count(whole, i, given);
  }
  if (has_types) return;
  whole.smallest = std::min(whole.smallest, whole.largest);  // of no counts
  whole.has_null_buffer = is_null && whole.elements != 0;
  if (whole.has_null_buffer) [[unlikely]]
    place_blocks(call, whole, entries);
  whole.null_result = null_result_of(call, whole, communicator);
  amounts_.push_back(whole);
}

/// One behind the other where there are no displacements, which count copies (MPI-4.1 6.5).
void UseAmounts::place_blocks(const UseCall& call, UseAmount& whole, const Entries& entries) const {
  const Use& use = *call.row.uses.all()[whole.which];
  whole.first_copy = 0;
  whole.last_copy = static_cast<std::int64_t>(whole.elements - 1);
  if (!use.has_displacements()) return;
  const auto* const counts = reinterpret_cast<const void*>(call.words[use.count]);
  const auto* const displacements = reinterpret_cast<const void*>(call.words[use.count + 1]);
  whole.has_null_buffer = displacements != nullptr;
  whole.first_copy = std::numeric_limits<std::int64_t>::max();
  whole.last_copy = std::numeric_limits<std::int64_t>::min();
  for (std::size_t i = 0; i < entries.count && displacements != nullptr; ++i) {
    const std::int64_t count = element_in_memory(counts, i, call.row.count_bytes);
    if (count <= 0 || entries.is_of(i, constants_.null_process)) continue;
    const std::int64_t first = element_in_memory(displacements, i, call.row.count_bytes);
    std::int64_t last;
    if (__builtin_add_overflow(first, count - 1, &last)) last = std::numeric_limits<std::int64_t>::max();
    whole.first_copy = std::min(whole.first_copy, first);
    whole.last_copy = std::max(whole.last_copy, last);
  }
}

}  // namespace ddtscope::plugin
