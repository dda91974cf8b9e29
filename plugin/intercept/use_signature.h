// A row of uses.def held against the type of its function: positions that do not fit do not compile. Open MPI's handles
// have types of their own; MPICH's are all integers, which its plugin cannot tell apart.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include "plugin/intercept/signature.h"
#include "plugin/uses/use_row.h"

namespace ddtscope::plugin {

namespace detail {

/// What a parameter of a type may be.
struct ParameterType {
  bool is_datatype, is_datatypes, is_count, is_counts, is_rank, is_buffer, is_communicator, is_op, is_request,
      is_message, is_status, is_file;
  bool is_written;  // a buffer that is not const
  bool is_wide;     // its integer or integers are MPI_Count
};

template <class T>
consteval ParameterType parameter_type() {
  constexpr auto is = []<class... Others>(std::type_identity<Others>...) { return (std::is_same_v<T, Others> || ...); };
  return {.is_datatype = is(std::type_identity<MPI_Datatype>()),
          .is_datatypes = is(std::type_identity<const MPI_Datatype*>()),
          .is_count = is(std::type_identity<int>(), std::type_identity<MPI_Count>()),
          .is_counts = is(std::type_identity<const int*>(), std::type_identity<const MPI_Count*>()),
          .is_rank = is(std::type_identity<int>()),
          .is_buffer = is(std::type_identity<void*>(), std::type_identity<const void*>()),
          .is_communicator = is(std::type_identity<MPI_Comm>()),
          .is_op = is(std::type_identity<MPI_Op>()),
          .is_request = is(std::type_identity<MPI_Request*>()),
          .is_message = is(std::type_identity<MPI_Message*>()),
          .is_status = is(std::type_identity<MPI_Status*>()),
          .is_file = is(std::type_identity<MPI_File>()),
          .is_written = is(std::type_identity<void*>()),
          .is_wide = is(std::type_identity<MPI_Count>(), std::type_identity<const MPI_Count*>())};
}

/// Not constexpr: reaching it is the compile error.
inline void position_does_not_fit() {}

/// Of a position that is not negative.
template <std::size_t n>
constexpr ParameterType parameter_at(const std::array<ParameterType, n>& parameters, int position) {
  if (static_cast<std::size_t>(position) >= n) position_does_not_fit();
  return parameters[static_cast<std::size_t>(position)];
}

template <std::size_t n>
consteval void demand(const std::array<ParameterType, n>& parameters, int position, bool ParameterType::*kind) {
  if (position >= 0 && !(parameter_at(parameters, position).*kind)) position_does_not_fit();
}

template <std::size_t n>
consteval void add_use(const std::array<ParameterType, n>& parameters, UseRow& row, std::size_t which) {
  const Use& use = *row.uses.all()[which];
  if (use.type < 0) return;
  const bool has_types = use.parameter == UseParameter::sendtypes || use.parameter == UseParameter::recvtypes;
  demand(parameters, use.type, has_types ? &ParameterType::is_datatypes : &ParameterType::is_datatype);
  demand(parameters, use.buffer, &ParameterType::is_buffer);
  demand(parameters, use.peer, &ParameterType::is_rank);
  demand(parameters, use.other_peer, &ParameterType::is_rank);
  demand(parameters, use.message, &ParameterType::is_message);
  row.has_type_array[which] = has_types;
  if (use.count >= 0) {
    const ParameterType count = parameter_at(parameters, use.count);
    row.has_count_array[which] = count.is_counts;
    demand(parameters, use.count, count.is_counts ? &ParameterType::is_counts : &ParameterType::is_count);
    if (count.is_wide) row.count_bytes = sizeof(MPI_Count);
    if (has_types && !count.is_counts) position_does_not_fit();
  }
  const bool takes_size = use.copies != Copies::once && use.copies != Copies::partitions;
  if (takes_size || use.side != Side::all) row.needs_communicator = true;
  if (row.needs_communicator && row.uses.communicator < 0) position_does_not_fit();
}

/// What the call does with its buffers: what it may write is not const.
template <std::size_t n>
consteval void add_accesses(const std::array<ParameterType, n>& parameters, UseRow& row) {
  int buffers = 0;
  for (std::size_t i = 0; i < Uses::most; ++i) {
    const Use& use = *row.uses.all()[i];
    if (use.type < 0 || use.buffer < 0) continue;
    ++buffers;
    row.access[i] = parameter_at(parameters, use.buffer).is_written ? Access::writes : Access::reads;
    if (use.parameter != UseParameter::datatype) continue;
    // MPI_Compare_and_swap has another one in between.
    for (auto next = static_cast<std::size_t>(use.buffer) + 1; next < n && parameters[next].is_buffer; ++next) {
      if (parameters[next].is_written) row.result_buffer = static_cast<std::int8_t>(next);
    }
  }
  row.has_several_buffers = buffers > 1 || row.result_buffer >= 0;
}

/// Who says when the call's buffers are the program's again.
template <std::size_t n>
consteval void add_end(const std::array<ParameterType, n>& parameters, std::string_view function, UseRow& row) {
  const auto last = static_cast<std::int8_t>(n - 1);
  const bool is_one_sided = row.is_one_sided();
  if (row.uses.request >= 0) return;  // nothing begins
  if (parameters[n - 1].is_request) {
    row.lasts = Lasts::request;
    row.holder = last;
    if (is_one_sided) row.window = static_cast<std::int8_t>(last - 1);
  } else if (is_one_sided) {
    row.lasts = Lasts::window;
    row.holder = last;
  } else if (function.ends_with("_begin") || function.ends_with("_begin_c")) {
    row.lasts = Lasts::file;
    row.holder = 0;
  }
}

/// The other process of a message, its tag and the communicator stand behind each other (MPI-4.1 3.2).
template <std::size_t n>
consteval MessageSide message_side(const std::array<ParameterType, n>& parameters, const UseRow& row,
                                   const MessageSide& side) {
  demand(parameters, side.peer, &ParameterType::is_rank);
  demand(parameters, side.peer + 1, &ParameterType::is_rank);
  MessageSide complete = side;
  complete.tag = static_cast<std::int8_t>(side.peer + 1);
  if (complete.direction == MessageDirection::none) {
    complete.direction = row.access[side.use] == Access::reads ? MessageDirection::send : MessageDirection::receive;
  }
  return complete;
}

/// What is sent or received.
template <std::size_t n>
consteval void add_message(const std::array<ParameterType, n>& parameters, UseRow& row) {
  const Use& first = row.uses.first;
  MessageRow& message = row.message;
  if (first.message >= 0) {
    message.sides[0].direction = MessageDirection::receive;
    message.matched = first.message;
    return;
  }
  if (first.peer < 0 || row.is_one_sided()) return;
  const bool is_replaced = first.other_peer >= 0;
  const MessageSide side{.direction = is_replaced ? MessageDirection::send : MessageDirection::none,
                         .peer = first.peer};
  message.sides[0] = message_side(parameters, row, side);
  const std::int8_t other = row.uses.second.type >= 0 ? row.uses.second.peer : first.other_peer;
  const MessageSide other_side{.direction = is_replaced ? MessageDirection::receive : MessageDirection::none,
                               .use = static_cast<std::uint8_t>(is_replaced ? 0 : 1),
                               .peer = other};
  if (other >= 0) message.sides[1] = message_side(parameters, row, other_side);
  message.communicator = static_cast<std::int8_t>(std::max(message.sides[0].tag, message.sides[1].tag) + 1);
  demand(parameters, message.communicator, &ParameterType::is_communicator);
}

/// Whose processes call it together. In reductions the communicator stands behind the operation, and the root where
/// there is one; what is of one process alone has none.
template <std::size_t n>
consteval void add_collective(const std::array<ParameterType, n>& parameters, UseRow& row) {
  const Uses& uses = row.uses;
  if (row.is_one_sided() || uses.first.peer >= 0 || uses.first.message >= 0) return;
  int communicator = uses.communicator;
  if (communicator < 0 && uses.op >= 0) communicator = std::max(uses.op, uses.root) + 1;
  if (communicator < 0 || communicator >= static_cast<int>(n)) return;
  demand(parameters, communicator, &ParameterType::is_communicator);
  row.collective.communicator = static_cast<std::int8_t>(communicator);
}

/// Who tells how much has come: of messages, and of files. The statuses of collectives say nothing of it.
template <std::size_t n>
consteval void add_status(const std::array<ParameterType, n>& parameters, UseRow& row) {
  const Uses& uses = row.uses;
  const bool is_message =
      (uses.first.peer >= 0 || uses.first.message >= 0) && !row.is_one_sided() && uses.partitions < 0 && uses.root < 0;
  if (!is_message && !parameters[0].is_file) return;
  for (std::size_t i = 0; i < Uses::most; ++i) {
    if (row.access[i] != Access::writes) continue;
    row.receives = static_cast<std::uint8_t>(i);
    row.status_tells = row.lasts == Lasts::request || uses.request >= 0;
    if (parameters[n - 1].is_status) row.status = static_cast<std::int8_t>(n - 1);
  }
}

/// Which file is accessed, and where: the functions are named so (MPI-4.1 14.4).
template <std::size_t n>
consteval void add_file(const std::array<ParameterType, n>& parameters, std::string_view function, UseRow& row) {
  if (!parameters[0].is_file) return;
  row.file = 0;
  if (row.uses.first.is_of_view()) return;
  const auto is_named = [&](std::string_view part) { return function.find(part) != function.npos; };
  row.pointer = is_named("_at")                               ? FilePointer::given_offset
                : is_named("_shared") || is_named("_ordered") ? FilePointer::shared
                                                              : FilePointer::individual;
}

template <class... Parameters>
consteval UseRow use_row(std::string_view function, const Uses& uses, std::type_identity<int(Parameters...)>) {
  const std::array<ParameterType, sizeof...(Parameters)> parameters{parameter_type<Parameters>()...};
  UseRow row{.uses = uses};
  for (std::size_t i = 0; i < Uses::most; ++i) add_use(parameters, row, i);
  demand(parameters, uses.communicator, &ParameterType::is_communicator);
  demand(parameters, uses.root, &ParameterType::is_rank);
  demand(parameters, uses.partitions, &ParameterType::is_rank);
  demand(parameters, uses.request, &ParameterType::is_request);
  demand(parameters, uses.op, &ParameterType::is_op);
  row.is_plain = row.has_plain_arguments();
  add_accesses(parameters, row);
  add_end(parameters, function, row);
  add_message(parameters, row);
  add_collective(parameters, row);
  add_status(parameters, row);
  add_file(parameters, function, row);
  row.has_one_plain_buffer = row.is_plain && uses.first.buffer >= 0 && !row.has_several_buffers;
  row.leaves_plain_buffer = row.has_one_plain_buffer && row.lasts == Lasts::request;
  return row;
}

}  // namespace detail

template <class Signature>
consteval UseRow use_row(std::string_view function, const Uses& uses) {
  return detail::use_row(function, uses, std::type_identity<Signature>());
}

}  // namespace ddtscope::plugin
