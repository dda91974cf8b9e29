// What a job did with types: bytes, and which of them were moved.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "decoder/base/exact.h"
#include "reporters/model/job.h"

namespace ddtscope::reporters {

/// Whether the trace says all that was done with types; older ones do not, nor those of ranks that were told not to, by
/// DDTSCOPE_USES or for a time by MPI_Pcontrol.
bool uses_are_recorded(const Job& job);
/// Whether any rank looked where the buffers of its calls lie.
bool buffers_are_recorded(const Job& job);
/// Whether all ranks were told by this variable to leave something out (`switched_off` of their headers, which older
/// traces do not have; for call sites, DDTSCOPE_STACK, `stack_depth`).
bool is_switched_off(const Job& job, std::string_view variable);
/// Whether it counts uses that there was no memory for, not types.
bool is_of_uses(const Unrecorded& unrecorded);

/// Bytes of one element, as the library reports them; empty where it does not.
std::optional<std::int64_t> size_of_element(const Job& job, DefinitionId type);
/// For an order by bytes: what does not fit is more than anything else.
Int128 place_of(Exact bytes);
/// Does not fit where the library does not know the type's size.
Exact bytes_of(const Job& job, DefinitionId type, std::uint64_t elements);
inline Exact bytes_of(const Job& job, const TypeUse& use) { return bytes_of(job, use.type, use.counts.elements); }

/// Those uses whose bytes go out: what is sent, the origin of Put and Accumulate, the result of Get, and files both
/// ways. Of persistent requests that were started some send and some receive. No uses where none move.
trace::UseCounts moved_counts(const TypeUse& use);

/// The function of MPI without what a binding adds: "irecv" of MPI_Irecv, PMPI_Irecv_c and mpi_irecv_f08_. Empty where
/// it is none.
std::string bare_function_of(std::string_view called);
/// Whether it is by one of these functions, by whatever binding: "irecv" stands for PMPI_Irecv and mpi_irecv_f08_, too.
bool calls_any_of(const TypeUse& use, std::initializer_list<std::string_view> functions);

/// What a call does with the memory that an argument describes, this process's or a target's. Of MPI_Bcast the
/// processes say themselves which receive (findings_of_pairs()); what MPI_Start starts is not known, and of persistent
/// receives their starts write, not their making.
enum class MemoryUse : std::uint8_t { unknown, read, written };
MemoryUse memory_use(const TypeUse& use);

/// By DefinitionId: whether it, or what is made of it, was used, and each use only reads the memory that it describes,
/// of this process or of a target. None where the trace does not say all that was done with types.
std::vector<bool> definitions_only_read(const Job& job);

/// What was moved of one type, in all uses.
struct MovedType {
  DefinitionId type;
  Exact bytes;
  std::uint64_t calls = 0;
};
/// Of the derived types, most bytes first; those that moved none are left out.
std::vector<MovedType> moved_types(const Job& job);

/// Most bytes first.
void sort_uses(Job& job);

}  // namespace ddtscope::reporters
