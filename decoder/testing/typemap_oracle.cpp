// Brute force: the constructors as MPI-4.1 5.1.2 to 5.1.4 and 5.1.7 define them.
#include "decoder/testing/typemap_oracle.h"

#include <algorithm>

namespace ddtscope::test {
namespace {

using Kind = OracleEntry::Kind;

void append(OracleTypemap& typemap, const OracleTypemap& added, std::int64_t displacement) {
  for (OracleEntry entry : added) {
    entry.displacement += displacement;
    typemap.push_back(entry);
  }
}

OracleTypemap without_markers(OracleTypemap typemap) {
  std::erase_if(typemap, [](const OracleEntry& entry) { return entry.kind != Kind::basic; });
  return typemap;
}

OracleEntry marker(Kind kind, std::int64_t displacement) { return {kind, {}, displacement, 0}; }

/// MPI-4.1 5.1.4, the function cyclic(): the elements of a dimension that belong to coordinate r.
OracleTypemap cyclic(std::int64_t darg, std::int64_t gsize, std::int64_t r, std::int64_t psize,
                     const OracleTypemap& oldtype, std::int64_t ex) {
  OracleTypemap result = {marker(Kind::lb_marker, 0)};
  for (std::int64_t element = 0; element < gsize; ++element) {
    if (element / darg % psize == r) append(result, without_markers(oldtype), element * ex);
  }
  result.push_back(marker(Kind::ub_marker, gsize * ex));
  return result;
}

}  // namespace

const OracleTypemap& Oracle::typemap(DefinitionId id) {
  const auto found = typemaps_.find(id.value);
  if (found != typemaps_.end()) return found->second;
  OracleTypemap result = expand(store_[id]);
  return typemaps_.emplace(id.value, std::move(result)).first->second;
}

OracleTypemap Oracle::entries(DefinitionId id) { return without_markers(typemap(id)); }

OracleBounds Oracle::bounds(DefinitionId id) { return bounds_of(typemap(id)); }

std::int64_t Oracle::extent(DefinitionId id) {
  const Definition& definition = store_[id];
  if (definition.call.combiner == Combiner::named) return store_.predefined()[definition.predefined].extent;
  return bounds(id).extent();
}

OracleBounds Oracle::bounds_of(const OracleTypemap& typemap) const {
  OracleBounds bounds;
  std::int64_t lowest = INT64_MAX, highest = INT64_MIN;
  std::int64_t lb = INT64_MAX, ub = INT64_MIN;
  bool has_lb = false, has_ub = false, has_entries = false;
  for (const OracleEntry& entry : typemap) {
    switch (entry.kind) {
      case Kind::basic:
        has_entries = true;
        bounds.size += entry.size;
        lowest = std::min(lowest, entry.displacement);
        highest = std::max(highest, entry.displacement + entry.size);
        bounds.alignment = std::max(bounds.alignment, store_.predefined()[entry.type].alignment);
        break;
      case Kind::lb_marker:
        has_lb = true;
        lb = std::min(lb, entry.displacement);
        break;
      case Kind::ub_marker:
        has_ub = true;
        ub = std::max(ub, entry.displacement);
        break;
    }
  }
  if (has_entries) {
    bounds.true_lb = lowest;
    bounds.true_ub = highest;
  }
  if (!has_entries && !has_lb && !has_ub) return bounds;
  if (!has_entries) {
    bounds.lb = has_lb ? lb : ub;
    bounds.ub = has_ub ? ub : lb;
    return bounds;
  }
  bounds.lb = has_lb ? lb : lowest;
  bounds.ub = has_ub ? ub : highest;
  if (!has_ub) {
    while ((bounds.ub - bounds.lb) % bounds.alignment != 0) ++bounds.ub;
  }
  return bounds;
}

OracleTypemap Oracle::predefined(PredefinedId id) const {
  const PredefinedType& type = store_.predefined()[id];
  switch (type.kind) {
    case PredefinedKind::lb_marker:
      return {marker(Kind::lb_marker, 0)};
    case PredefinedKind::ub_marker:
      return {marker(Kind::ub_marker, 0)};
    case PredefinedKind::pair: {
      OracleTypemap result = predefined(*store_.predefined().find(type.first));
      append(result, predefined(*store_.predefined().find(type.second)), type.second_displacement);
      return result;
    }
    case PredefinedKind::basic:
      return {{Kind::basic, id, 0, type.size}};
  }
  return {};
}

OracleTypemap Oracle::subarray(std::vector<std::int64_t> sizes, std::vector<std::int64_t> subsizes,
                               std::vector<std::int64_t> starts, std::int64_t order, const OracleTypemap& oldtype,
                               std::int64_t ex) const {
  // The dimension to peel off: the last in C order, the first in Fortran order.
  const std::size_t d = order == store_.constants().order_c ? sizes.size() - 1 : 0;
  OracleTypemap line = {marker(Kind::lb_marker, 0)};
  for (std::int64_t i = 0; i < subsizes[d]; ++i) append(line, without_markers(oldtype), (starts[d] + i) * ex);
  line.push_back(marker(Kind::ub_marker, sizes[d] * ex));
  if (sizes.size() == 1) return line;
  const std::int64_t line_extent = sizes[d] * ex;
  for (auto* values : {&sizes, &subsizes, &starts}) values->erase(values->begin() + static_cast<std::ptrdiff_t>(d));
  return subarray(sizes, subsizes, starts, order, line, line_extent);
}

OracleTypemap Oracle::darray(const ConstructorCall& call) {
  const LibraryConstants& constants = store_.constants();
  const std::size_t ndims = call.arrays[0].length;
  std::vector<std::int64_t> r(ndims);
  std::int64_t t_rank = call.scalar("rank");
  std::int64_t t_size = 1;
  for (std::size_t i = 0; i < ndims; ++i) t_size *= call.array("array_of_psizes")[i];
  for (std::size_t i = 0; i < ndims; ++i) {
    t_size /= call.array("array_of_psizes")[i];
    r[i] = t_rank / t_size;
    t_rank %= t_size;
  }
  OracleTypemap result = typemap(call.datatypes[0]);
  std::int64_t ex = extent(call.datatypes[0]);
  for (std::size_t k = 0; k < ndims; ++k) {
    const std::size_t i = call.scalar("order") == constants.order_fortran ? k : ndims - 1 - k;
    const std::int64_t gsize = call.array("array_of_gsizes")[i];
    const std::int64_t psize = call.array("array_of_psizes")[i];
    const std::int64_t distribution = call.array("array_of_distribs")[i];
    std::int64_t darg = call.array("array_of_dargs")[i];
    const bool is_default = darg == constants.distribute_dflt_darg;
    if (distribution == constants.distribute_none) darg = gsize;
    if (distribution == constants.distribute_block && is_default) darg = (gsize + psize - 1) / psize;
    if (distribution == constants.distribute_cyclic && is_default) darg = 1;
    result = cyclic(darg, gsize, r[i], psize, result, ex);
    ex *= gsize;
  }
  return result;
}

OracleTypemap Oracle::expand(const Definition& definition) {
  const ConstructorCall& call = definition.call;
  OracleTypemap result;
  if (call.combiner == Combiner::named) return predefined(definition.predefined);
  if (is_f90(call.combiner)) return predefined(*store_.predefined().find(f90_name(call)));
  if (call.datatypes.empty()) return result;
  const DefinitionId oldtype = call.datatypes[0];
  const OracleTypemap& old = typemap(oldtype);
  const std::int64_t ex = extent(oldtype);
  switch (call.combiner) {
    case Combiner::named:
    case Combiner::f90_real:
    case Combiner::f90_complex:
    case Combiner::f90_integer:
      break;
    case Combiner::dup:
      return old;
    case Combiner::contiguous:
      for (std::int64_t i = 0; i < call.scalar("count"); ++i) append(result, old, i * ex);
      break;
    case Combiner::vector:
      for (std::int64_t i = 0; i < call.scalar("count"); ++i) {
        for (std::int64_t j = 0; j < call.scalar("blocklength"); ++j) {
          append(result, old, (call.scalar("stride") * i + j) * ex);
        }
      }
      break;
    case Combiner::hvector:
      for (std::int64_t i = 0; i < call.scalar("count"); ++i) {
        for (std::int64_t j = 0; j < call.scalar("blocklength"); ++j) {
          append(result, old, call.scalar("stride") * i + j * ex);
        }
      }
      break;
    case Combiner::indexed:
    case Combiner::hindexed: {
      const std::int64_t unit = call.combiner == Combiner::indexed ? ex : 1;
      for (std::size_t i = 0; i < static_cast<std::size_t>(call.scalar("count")); ++i) {
        for (std::int64_t j = 0; j < call.array("array_of_blocklengths")[i]; ++j) {
          append(result, old, call.array("array_of_displacements")[i] * unit + j * ex);
        }
      }
      break;
    }
    case Combiner::indexed_block:
    case Combiner::hindexed_block: {
      const std::int64_t unit = call.combiner == Combiner::indexed_block ? ex : 1;
      for (std::size_t i = 0; i < static_cast<std::size_t>(call.scalar("count")); ++i) {
        for (std::int64_t j = 0; j < call.scalar("blocklength"); ++j) {
          append(result, old, call.array("array_of_displacements")[i] * unit + j * ex);
        }
      }
      break;
    }
    case Combiner::structure:
      for (std::size_t i = 0; i < static_cast<std::size_t>(call.scalar("count")); ++i) {
        for (std::int64_t j = 0; j < call.array("array_of_blocklengths")[i]; ++j) {
          append(result, typemap(call.datatypes[i]),
                 call.array("array_of_displacements")[i] + j * extent(call.datatypes[i]));
        }
      }
      break;
    case Combiner::subarray: {
      std::array<std::vector<std::int64_t>, 3> values;
      for (std::size_t a = 0; a < values.size(); ++a) {
        for (std::size_t i = 0; i < call.arrays[a].length; ++i) values[a].push_back(call.arrays[a][i]);
      }
      return subarray(values[0], values[1], values[2], call.scalar("order"), old, ex);
    }
    case Combiner::darray:
      return darray(call);
    case Combiner::resized:
      result = without_markers(old);
      result.insert(result.begin(), marker(Kind::lb_marker, call.scalar("lb")));
      result.push_back(marker(Kind::ub_marker, call.scalar("lb") + call.scalar("extent")));
      break;
    case Combiner::value_index: {
      result = old;
      std::int64_t at = bounds(oldtype).true_ub;
      while (at % bounds(call.datatypes[1]).alignment != 0) ++at;
      append(result, typemap(call.datatypes[1]), at);
      break;
    }
  }
  return result;
}

}  // namespace ddtscope::test
