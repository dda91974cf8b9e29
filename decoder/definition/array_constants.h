// The library's constants among the integers that describe subarrays and darrays (MPI-4.1 5.1.13).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "decoder/definition/definition.h"

namespace ddtscope {

/// Whose numbers stand there, and whose are wanted.
struct ConstantsChange {
  LibraryConstants from, to;
};

namespace detail {

/// `pairs` are constants as they are and as they are to be. A number that is none of them stays.
template <std::size_t count>
void change_constant(std::int64_t& value, const std::int32_t (&pairs)[count][2]) {
  for (const auto& [from, to] : pairs) {
    if (value != from) continue;
    value = to;
    return;
  }
}

}  // namespace detail

/// `integers` are those that MPI_Type_get_contents returns for a type of that combiner and form.
inline void change_array_constants(Combiner combiner, Form form, std::vector<std::int64_t>& integers,
                                   const ConstantsChange& change) {
  const bool is_darray = combiner == Combiner::darray;
  if (integers.empty() || !(is_darray || combiner == Combiner::subarray)) return;
  const LibraryConstants& from = change.from;
  const LibraryConstants& to = change.to;
  detail::change_constant(integers.back(), {{from.order_c, to.order_c}, {from.order_fortran, to.order_fortran}});
  if (!is_darray || integers.size() < 4) return;
  const auto dimensions = static_cast<std::size_t>(integers[2]);
  const std::size_t begin = form == Form::large_counts ? 3 : 3 + dimensions;  // behind the array's sizes
  if (integers.size() != begin + 3 * dimensions + 1) return;
  for (std::size_t i = begin; i < begin + dimensions; ++i) {
    detail::change_constant(integers[i], {{from.distribute_block, to.distribute_block},
                                          {from.distribute_cyclic, to.distribute_cyclic},
                                          {from.distribute_none, to.distribute_none}});
    detail::change_constant(integers[i + dimensions], {{from.distribute_dflt_darg, to.distribute_dflt_darg}});
  }
}

}  // namespace ddtscope
