#include "reporters/html/array_shape.h"

#include <algorithm>
#include <optional>

#include "decoder/definition/array_order.h"

namespace ddtscope::reporters {
namespace {

// Longer rows than any matrix has say nothing as rows.
constexpr std::int64_t longest_row_bytes = std::int64_t{1} << 40;
constexpr std::int64_t memory_row_bytes = 64;

Int128 gcd_of(Int128 a, Int128 b) {
  a = a < 0 ? -a : a;
  b = b < 0 ? -b : b;
  while (b != 0) {
    const Int128 rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

Int128 floor_to(Int128 value, Int128 unit) { return floor_quotient(value, unit) * unit; }

/// What the constructor is that laid the data out: resizing and duplicating leave it where it is.
DefinitionId laid_out_by(const Job& job, DefinitionId id) {
  while (job.store[id].call.combiner == Combiner::dup || job.store[id].call.combiner == Combiner::resized) {
    id = job.store[id].call.datatypes.front();
  }
  return id;
}

/// Of calls that say what array they cut from.
std::optional<ArrayShape> named_shape(const Job& job, DefinitionId id) {
  const ConstructorCall& call = job.store[id].call;
  const bool is_darray = call.combiner == Combiner::darray;
  if (call.combiner != Combiner::subarray && !is_darray) return std::nullopt;
  const IntegerArray& sizes = call.array(is_darray ? "array_of_gsizes" : "array_of_sizes");
  const LibraryConstants& constants = job.store.constants();
  ArrayShape shape{"array", {}, job.layouts.extent(call.datatypes.front()), 0};
  for (std::size_t i = sizes.length; i-- > 0;) {
    shape.sizes.push_back(sizes[dimension_from_fastest(i, sizes.length, call.scalar("order"), constants)]);
  }
  const bool is_drawable = shape.cell > Exact(0) && !shape.sizes.empty() &&
                           std::all_of(shape.sizes.begin(), shape.sizes.end(), [](Exact n) { return n > Exact(0); });
  return is_drawable ? std::optional(shape) : std::nullopt;
}

/// Where blocks begin, and where they end, as numbers that all of them differ by multiples of; and how long they are.
class BlockEdges {
 public:
  explicit BlockEdges(const Job& job) : job_(job) {}

  /// False where a value does not fit.
  bool see(const std::vector<StridedRun>& runs, Exact base) {
    for (const StridedRun& run : runs) {
      if (!see_run(run, base + run.displacement)) return false;
    }
    return true;
  }

  /// The rows' distance, with an origin that no block crosses, by either edge.
  std::optional<std::pair<Int128, Int128>> pitch(Int128 cell) const {
    std::optional<std::pair<Int128, Int128>> best;
    const auto is_better = [&](Int128 distance) { return !best || distance < best->first; };
    if (has_rows(begins_, cell)) {
      for (const Int128 origin : {Int128(0), *first_begin_}) {
        const Int128 from_row = *first_begin_ - origin - floor_to(*first_begin_ - origin, begins_);
        if (is_better(begins_) && from_row + longest_ <= begins_) best = {begins_, origin};
      }
    }
    if (has_rows(ends_, cell)) {
      for (const Int128 origin : {Int128(0), *first_end_}) {
        const Int128 beyond = floor_to(*first_end_ - origin - 1, ends_) + ends_ - (*first_end_ - origin);
        if (is_better(ends_) && beyond + longest_ <= ends_) best = {ends_, origin};
      }
    }
    return best;
  }

 private:
  static bool has_rows(Int128 distance, Int128 cell) {
    return distance >= 2 * cell && distance % cell == 0 && distance <= longest_row_bytes;
  }

  bool see_run(const StridedRun& run, Exact begin) {
    Exact length = run.type.valid() ? Exact(job_.store.predefined()[run.type].size) : Exact(0);
    std::size_t loops = run.repeat.size();
    // The innermost loops that leave no gap make the block.
    while (run.type.valid() && loops > 0 && run.repeat[loops - 1].second == length) {
      length = length * run.repeat[--loops].first;
    }
    if (!length.fits() || !begin.fits()) return false;
    for (std::size_t i = 0; i < loops; ++i) {
      const auto& [count, stride] = run.repeat[i];
      if (!stride.fits()) return false;
      if (count > Exact(1)) {
        begins_ = gcd_of(begins_, stride.value());
        ends_ = gcd_of(ends_, stride.value());
      }
    }
    return run.type.valid() ? add_block(begin.value(), length.value()) : see(run.group, begin);
  }

  bool add_block(Int128 begin, Int128 length) {
    if (!first_begin_) {
      first_begin_ = begin;
      first_end_ = begin + length;
    }
    begins_ = gcd_of(begins_, begin - *first_begin_);
    ends_ = gcd_of(ends_, begin + length - *first_end_);
    longest_ = std::max(longest_, length);
    return true;
  }

  const Job& job_;
  Int128 begins_ = 0, ends_ = 0, longest_ = 0;
  std::optional<Int128> first_begin_, first_end_;
};

/// Bounds may lie far from the data: a few rows of nothing belong to the picture, no more.
constexpr std::int64_t bounds_rows_limit = 64;

/// Rows that hold the data, and the bounds where these are near.
ArrayShape rows_of(const Job& job, DefinitionId id, Int128 row, Int128 origin) {
  const LayoutFacts& facts = job.layouts.facts(id);
  Int128 begin = facts.true_lb.value(), end = facts.true_ub.value();
  const Exact lb = job.layouts.lb(id);
  const Exact ub = lb + job.layouts.extent(id);
  if (lb.fits() && ub.fits() && lb < ub) {
    const Int128 margin = bounds_rows_limit * row;
    if (lb.value() < begin && lb.value() > begin - margin) begin = lb.value();
    if (ub.value() > end && ub.value() < end + margin) end = ub.value();
  }
  const Int128 first = floor_to(begin - origin, row) + origin;
  const Int128 rows = ceiling_quotient(end - first, row);
  return {"memory", {Exact(std::max<Int128>(rows, 1)), Exact(row)}, Exact(1), Exact(first)};
}

/// Rows into planes, where one run's strides are multiples of each other: a part of a cube.
void split_into_planes(ArrayShape& shape, const StridedRuns& runs) {
  if (runs.runs.size() != 1 || runs.truncated) return;
  const Exact row = shape.sizes.back() * shape.cell;
  for (const auto& [count, stride] : runs.runs.front().repeat) {
    if (!stride.fits() || stride.value() <= row.value() || stride.value() % row.value() != 0) continue;
    const Int128 rows_of_plane = stride.value() / row.value();
    const Int128 all = shape.sizes.front().value();
    if (rows_of_plane < 2 || rows_of_plane >= all) continue;
    shape.sizes.front() = Exact(ceiling_quotient(all, rows_of_plane));
    shape.sizes.insert(shape.sizes.begin() + 1, Exact(rows_of_plane));
    return;
  }
}

}  // namespace

ArrayShape array_shape_of(const Job& job, TypeNumber number, const StridedRuns& runs) {
  const DefinitionId id = job.type(number).definition;
  if (auto shape = named_shape(job, laid_out_by(job, id))) return *shape;
  const LayoutFacts& facts = job.layouts.facts(id);
  if (facts.empty() || !facts.true_lb.to_int64() || !facts.true_ub.to_int64()) return {"memory", {}, 1, 0};
  const Int128 size = facts.uniform() ? job.store.predefined()[facts.first_type].size : 0;
  BlockEdges edges(job);
  if (size > 0 && !runs.truncated && edges.see(runs.runs, 0)) {
    if (const auto pitch = edges.pitch(size)) {
      ArrayShape shape = rows_of(job, id, pitch->first, pitch->second);
      if ((facts.first_displacement - shape.origin).value() % size == 0) {
        shape.from = "strides";
        shape.cell = Exact(size);
        shape.sizes.back() = Exact(pitch->first / size);
        split_into_planes(shape, runs);
        return shape;
      }
    }
  }
  return rows_of(job, id, memory_row_bytes, 0);
}

}  // namespace ddtscope::reporters
