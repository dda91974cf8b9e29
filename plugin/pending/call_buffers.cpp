#include "plugin/pending/call_buffers.h"

#include <algorithm>

namespace ddtscope::plugin {
namespace {

/// Whether one process's arguments must fit each other. What others send it is another matter.
bool pairs_types(const Uses& uses) {
  const UseParameter first = uses.first.parameter;
  return uses.second.type >= 0 && (uses.root >= 0 || first == UseParameter::origin_datatype || uses.first.is_of_view());
}

}  // namespace

CallBuffers::Found CallBuffers::find(const UsingCall& call, const Communicator* communicator) {
  buffers_.clear();
  unknown_.clear();
  paired_types_.clear();
  Found found = Found::all;
  const bool has_pairs = pairs_types(call.arguments.row.uses);
  for (const UseAmount& amount : amounts_.of(call.arguments, communicator)) {
    if (has_pairs) add_paired_type(call, amount, communicator);
    if (amount.elements == 0 || call.arguments.row.uses.all()[amount.which]->buffer < 0) continue;
    const Found one = add_amount(call, amount, communicator);
    if (one == Found::too_much || one == Found::nobody_knows) return one;
    if (one != Found::all) found = one;
  }
  return found;
}

void CallBuffers::add_paired_type(const UsingCall& call, const UseAmount& amount, const Communicator* communicator) {
  const UseRow& row = call.arguments.row;
  const Use& use = *row.uses.all()[amount.which];
  const TypeInUse type = types_.find(amount.type);
  if (type.state != TypeInUse::State::known || amount.is_at_nobody || amount.is_negative) return;
  Buffer argument;
  argument.elements = amount.elements;
  if (use.is_of_view()) argument.elements = 1;
  if (row.uses.root >= 0) {
    // What the root sends itself.
    const bool has_counts = row.has_count_array[amount.which];
    if (communicator == nullptr || (has_counts && (call.arguments.words[use.count] == 0 || communicator->is_inter)))
      return;
    argument.elements = UseAmounts::own_count(call.arguments, amount, *communicator);
  }
  argument.called = call.called;
  argument.number = type.number;
  argument.predefined = type.predefined;
  argument.site = types_.site_of(*call.stack);
  argument.parameter = use.parameter;
  argument.access = row.access[amount.which];
  paired_types_.push_back(argument);
}

const TypeShape* CallBuffers::shape_of_handle(HandleBits handle) {
  const HandleEntry* const life = types_.life_of(handle);
  return life != nullptr ? shapes_.find(types_.key_of(*life)) : nullptr;
}

CallBuffers::Found CallBuffers::add_amount(const UsingCall& call, const UseAmount& amount,
                                           const Communicator* communicator) {
  const TypeShape* const shape = shape_of_handle(amount.type);
  if (shape == nullptr) {
    const TypeInUse type = types_.find(amount.type);
    const HandleEntry* const life = types_.life_of(amount.type);  // which another thread may free, wrongly
    if (type.state != TypeInUse::State::known || life == nullptr) return Found::nobody_knows;
    unknown_.push_back({amount.type, types_.key_of(*life), type});
    return Found::too_little;
  }
  if (shape->kind == TypeShape::Extent::empty) return Found::all;
  const UseRow& row = call.arguments.row;
  const Use& use = *row.uses.all()[amount.which];
  const Argument argument{call, amount, use, *shape};
  if (row.result_buffer >= 0) return add_reduction(argument, communicator);
  if (row.has_count_array[amount.which] && use.has_displacements()) return add_blocks(argument, communicator);
  if (use.copies == Copies::partitions) return add_partitions(argument);
  Buffer buffer;
  buffer.address = call.arguments.words[use.buffer];
  buffer.elements = amount.elements;
  buffer.access = row.access[amount.which];
  if (row.uses.root >= 0 && use.parameter == UseParameter::datatype) {
    if (communicator == nullptr) return Found::nobody_knows;
    buffer.access = amounts_.is_root(call.arguments, *communicator) ? Access::reads : Access::writes;
  }
  // What is sent and replaced is only sent where nothing comes.
  if (use.other_peer >= 0 && call.arguments.integer(use.other_peer) == constants_.null_process) {
    buffer.access = Access::reads;
  }
  return add(argument, buffer);
}

/// One type and count stand for what is read and for what is written.
CallBuffers::Found CallBuffers::add_reduction(const Argument& argument, const Communicator* communicator) {
  const UseCall& call = argument.call.arguments;
  const UseRow& row = call.row;
  const bool has_root = row.uses.root >= 0;
  if (row.depends_on_rank() && communicator == nullptr) return Found::nobody_knows;
  const bool is_result_here = !row.depends_on_rank() || amounts_.has_result_here(call, *communicator);
  Buffer buffer;
  buffer.elements = argument.amount.elements;
  buffer.address = call.words[argument.use.buffer];
  buffer.access = Access::reads;
  const bool is_spared = row.uses.op >= 0 && amounts_.is_no_op(call);
  const bool only_receives = has_root && is_result_here && communicator->is_inter;
  if (buffer.address != constants_.in_place && !is_spared && !only_receives) {
    if (const Found found = add(argument, buffer); found != Found::all) return found;
  }
  if (!is_result_here) return Found::all;
  if (argument.use.copies == Copies::own_group) {
    // Each process gets its part.
    buffer.elements = UseAmounts::own_count(call, argument.amount, *communicator);
    if (buffer.elements == 0) return Found::all;
  }
  buffer.address = call.words[row.result_buffer];
  buffer.access = Access::writes;
  const Found found = add(argument, buffer);
  if (found == Found::all) buffers_.back().argument = Uses::most;
  return found;
}

/// Of arrays of types each entry is an amount of its own; of arrays of counts alone all are one.
CallBuffers::Found CallBuffers::add_blocks(const Argument& argument, const Communicator* communicator) {
  const UseCall& call = argument.call.arguments;
  const UseRow& row = call.row;
  const std::size_t which = argument.amount.which;
  const auto* const counts = reinterpret_cast<const void*>(call.words[argument.use.count]);
  const auto* const displacements = reinterpret_cast<const void*>(call.words[argument.use.count + 1]);
  if (displacements == nullptr) return Found::nobody_knows;
  const bool has_types = row.has_type_array[which];
  const std::uint8_t bytes = has_types && argument.use.is_of_neighbours() ? 8 : row.count_bytes;
  const std::int64_t unit = has_types ? 1 : argument.shape.extent;
  const UseAmounts::Entries entries = amounts_.entries_of(call, which, communicator);
  const std::size_t first = has_types ? argument.amount.entry : 0;
  const std::size_t end = has_types ? first + 1 : entries.count;
  for (std::size_t i = first; i < end; ++i) {
    if (entries.is_of(i, constants_.null_process)) continue;
    const std::int64_t count = element_in_memory(counts, i, row.count_bytes);
    if (count <= 0) continue;
    Buffer buffer;
    buffer.elements = static_cast<std::uint64_t>(count);
    buffer.access = row.access[which];
    std::int64_t displacement = element_in_memory(displacements, i, bytes);
    if (__builtin_mul_overflow(displacement, unit, &displacement) ||
        __builtin_add_overflow(call.words[argument.use.buffer], displacement, &buffer.address))
      return Found::too_much;
    if (const Found found = add(argument, buffer, i); found != Found::all) return found;
  }
  return Found::all;
}

/// They lie one behind the other (MPI-4.1 4.2.3).
CallBuffers::Found CallBuffers::add_partitions(const Argument& argument) {
  const UseCall& call = argument.call.arguments;
  const std::uint64_t count = argument.amount.smallest;
  const std::uint64_t partitions = argument.amount.elements / count;
  if (partitions > most_partitions) return Found::too_much;
  Buffer buffer;
  buffer.elements = count;
  buffer.access = call.row.access[argument.amount.which];
  for (std::uint64_t i = 0; i < partitions; ++i) {
    std::int64_t displacement;
    if (__builtin_mul_overflow(i * count, argument.shape.extent, &displacement) ||
        __builtin_add_overflow(call.words[argument.use.buffer], displacement, &buffer.address))
      return Found::too_much;
    if (const Found found = add(argument, buffer); found != Found::all) return found;
  }
  return Found::all;
}

CallBuffers::Found CallBuffers::add(const Argument& argument, Buffer buffer, std::size_t position) {
  if (buffers_.size() == most_buffers || !place(buffer, argument.shape)) return Found::too_much;
  buffer.called = argument.call.called;
  buffer.site = types_.site_of(*argument.call.stack);
  buffer.parameter = argument.use.parameter;
  buffer.status_tells = argument.call.arguments.row.status_tells;
  buffers_.push_back({buffer, argument.amount.which, static_cast<std::uint32_t>(position)});
  return Found::all;
}

}  // namespace ddtscope::plugin
