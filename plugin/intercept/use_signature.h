// A row of uses.def held against the type of its function: positions that do not fit do not compile. Open MPI's handles
// have types of their own; MPICH's are all integers, which its plugin cannot tell apart.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "plugin/intercept/signature.h"
#include "plugin/uses/use_row.h"

namespace ddtscope::plugin {

namespace detail {

/// What a parameter of a type may be.
struct ParameterType {
  bool is_datatype, is_datatypes, is_count, is_counts, is_rank, is_buffer, is_communicator, is_op, is_request,
      is_message;
  bool is_wide;  // its integer or integers are MPI_Count
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
          .is_wide = is(std::type_identity<MPI_Count>(), std::type_identity<const MPI_Count*>())};
}

/// Not constexpr: reaching it is the compile error.
inline void position_does_not_fit() {}

template <std::size_t n>
consteval void demand(const std::array<ParameterType, n>& parameters, int position, bool ParameterType::*kind) {
  if (position >= 0 &&
      (static_cast<std::size_t>(position) >= n || !(parameters[static_cast<std::size_t>(position)].*kind)))
    position_does_not_fit();
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
    const ParameterType& count = parameters[static_cast<std::size_t>(use.count)];
    row.has_count_array[which] = count.is_counts;
    demand(parameters, use.count, count.is_counts ? &ParameterType::is_counts : &ParameterType::is_count);
    if (count.is_wide) row.count_bytes = sizeof(MPI_Count);
    if (has_types && !count.is_counts) position_does_not_fit();
  }
  const bool takes_size = use.copies != Copies::once && use.copies != Copies::partitions;
  if (takes_size || use.side != Side::all) row.needs_communicator = true;
  if (row.needs_communicator && row.uses.communicator < 0) position_does_not_fit();
}

template <class... Parameters>
consteval UseRow use_row(const Uses& uses, std::type_identity<int(Parameters...)>) {
  const std::array<ParameterType, sizeof...(Parameters)> parameters{parameter_type<Parameters>()...};
  UseRow row{.uses = uses};
  for (std::size_t i = 0; i < Uses::most; ++i) add_use(parameters, row, i);
  demand(parameters, uses.communicator, &ParameterType::is_communicator);
  demand(parameters, uses.root, &ParameterType::is_rank);
  demand(parameters, uses.partitions, &ParameterType::is_rank);
  demand(parameters, uses.request, &ParameterType::is_request);
  demand(parameters, uses.op, &ParameterType::is_op);
  row.is_plain = row.has_plain_arguments();
  return row;
}

}  // namespace detail

template <class Signature>
consteval UseRow use_row(const Uses& uses) {
  return detail::use_row(uses, std::type_identity<Signature>());
}

}  // namespace ddtscope::plugin
