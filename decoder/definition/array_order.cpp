#include "decoder/definition/array_order.h"

#include <algorithm>

namespace ddtscope {

std::vector<DistributedDimension> distributed_dimensions(const ConstructorCall& call,
                                                         const LibraryConstants& constants) {
  using Kind = DistributedDimension::Kind;
  const IntegerArray& gsizes = call.arrays[0];
  const IntegerArray& distribs = call.arrays[1];
  const IntegerArray& dargs = call.arrays[2];
  const IntegerArray& psizes = call.arrays[3];
  const std::size_t ndims = gsizes.length;
  std::vector<DistributedDimension> dimensions(ndims);
  std::int64_t rank = call.scalars[1];
  for (std::size_t d = ndims; d-- > 0;) {
    // Reversing the dimensions of one order gives those of the other.
    DistributedDimension& dimension = dimensions[dimension_from_fastest(d, ndims, call.scalars[3], constants)];
    dimension.kind = distribs[d] == constants.distribute_cyclic ? Kind::cyclic
                     : distribs[d] == constants.distribute_none ? Kind::none
                                                                : Kind::block;
    dimension.size = gsizes[d];
    if (dargs[d] != constants.distribute_dflt_darg) dimension.argument = dargs[d];
    dimension.processes = std::max<std::int64_t>(psizes[d], 1);
    dimension.coordinate = rank % dimension.processes;
    rank /= dimension.processes;
  }
  return dimensions;
}

}  // namespace ddtscope
