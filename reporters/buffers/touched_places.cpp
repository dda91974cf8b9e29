#include "reporters/buffers/touched_places.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "decoder/layout/strided_runs.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t most_runs = 4096;  // of a type's description
constexpr std::int64_t farthest = std::int64_t{1} << 60;
constexpr std::uint64_t most_steps = 4'000'000;  // for one buffer

std::int64_t residue(std::int64_t value, std::int64_t element) {
  const std::int64_t rest = value % element;
  return rest < 0 ? rest + element : rest;
}

/// Places in an element and, of each, the one in memory that was met first.
using Places = std::map<std::int64_t, std::int64_t>;

class PlaceFinder {
 public:
  PlaceFinder(const Job& job, std::int64_t element) : job_(job), element_(element) {}

  /// False where it would be too much.
  bool add(const std::vector<StridedRun>& runs, const Places& begins) {
    for (const StridedRun& run : runs) {
      std::optional<Places> places = moved(begins, run.displacement);
      for (auto loop = run.repeat.begin(); places && loop != run.repeat.end(); ++loop) {
        places = repeated(*places, loop->first, loop->second);
      }
      if (!places) return false;
      if (run.group.empty()) {
        add_entries(run.type, *places);
      } else if (!add(run.group, *places)) {
        return false;
      }
    }
    return true;
  }

  std::optional<Places> repeated(const Places& places, Exact count, Exact stride) {
    const auto step = stride.to_int64();
    if (!count.fits() || !step || *step > farthest || *step < -farthest) return std::nullopt;
    if (count <= Exact(0)) return Places();
    // After so many steps the places come again.
    const std::int64_t period = element_ / std::gcd(residue(*step, element_), element_);
    const std::int64_t steps = count < Exact(period) ? *count.to_int64() : period;
    Places all;
    for (const auto& [place, first] : places) {
      steps_ += static_cast<std::uint64_t>(steps);
      if (steps_ > most_steps) return std::nullopt;
      for (std::int64_t i = 0; i < steps; ++i) {
        std::int64_t distance = 0;
        std::int64_t at = 0;
        if (__builtin_mul_overflow(*step, i, &distance) || __builtin_add_overflow(first, distance, &at)) {
          return std::nullopt;
        }
        const auto [known, is_new] = all.try_emplace(residue(at, element_), at);
        if (!is_new) known->second = std::min(known->second, at);
      }
    }
    return all;
  }

  std::vector<TouchedPlace> take() {
    std::vector<TouchedPlace> touched;
    for (const auto& [key, first] : found_) {
      const PredefinedType& basic = job_.store.predefined()[PredefinedId{key.second}];
      touched.push_back({basic.name, basic.size, key.first, first});
    }
    return touched;
  }

 private:
  std::optional<Places> moved(const Places& places, Exact displacement) {
    const auto by = displacement.to_int64();
    if (!by || *by > farthest || *by < -farthest) return std::nullopt;
    Places all;
    for (const auto& [place, first] : places) {
      std::int64_t at = 0;
      if (__builtin_add_overflow(first, *by, &at)) return std::nullopt;
      all.emplace(residue(at, element_), at);
    }
    steps_ += all.size();
    return steps_ > most_steps ? std::nullopt : std::optional(std::move(all));
  }

  void add_entries(PredefinedId type, const Places& places) {
    for (const auto& [place, first] : places) {
      const auto [known, is_new] = found_.try_emplace({place, type.value}, first);
      if (!is_new) known->second = std::min(known->second, first);
    }
  }

  const Job& job_;
  std::int64_t element_;
  std::uint64_t steps_ = 0;
  std::map<std::pair<std::int64_t, std::uint32_t>, std::int64_t> found_;  // by place and basic type
};

}  // namespace

std::optional<std::vector<TouchedPlace>> touched_places(const Job& job, const BufferInElements& buffer) {
  const StridedRuns runs = strided_runs(job.layouts, job.layouts.root(buffer.type), most_runs);
  if (runs.truncated) return std::nullopt;
  PlaceFinder finder(job, buffer.element);
  const Places begin{{residue(buffer.begin, buffer.element), buffer.begin}};
  const auto copies =
      finder.repeated(begin, Exact(static_cast<Int128>(buffer.copies)), job.layouts.extent(buffer.type));
  if (!copies || !finder.add(runs.runs, *copies)) return std::nullopt;
  return finder.take();
}

}  // namespace ddtscope::reporters
