#include "reporters/model/array_coverage.h"

#include <algorithm>
#include <utility>

#include "decoder/layout/typemap.h"

namespace ddtscope::reporters {
namespace {

constexpr std::int64_t entries_limit = std::int64_t{1} << 22;

/// Puts entries onto the array's elements.
class Cover {
 public:
  explicit Cover(ArrayCoverage& coverage) : coverage_(coverage) {
    const auto elements = static_cast<std::size_t>(coverage.rows * coverage.columns);
    coverage.times.resize(elements);
    coverage.is_partly.resize(elements);
  }

  void add(Exact begin, std::int64_t size) {
    const auto first = begin.to_int64();
    const std::int64_t end_of_array = coverage_.rows * coverage_.row_bytes;
    if (!first || *first < 0 || *first >= end_of_array || size > end_of_array - *first) return add_outside(begin);
    if (size == 0) return;
    bool is_outside = false;
    for (std::int64_t byte = *first; byte < *first + size;) {
      const std::int64_t row = byte / coverage_.row_bytes;
      const std::int64_t in_row = byte % coverage_.row_bytes;
      const std::int64_t column = in_row / coverage_.element_bytes;
      if (column >= coverage_.columns) {  // what lies between the rows
        is_outside = true;
        byte = (row + 1) * coverage_.row_bytes;
        continue;
      }
      const std::int64_t element = row * coverage_.row_bytes + column * coverage_.element_bytes;
      const auto index = static_cast<std::size_t>(row * coverage_.columns + column);
      touch(index);
      if (element != byte || size != coverage_.element_bytes) touch_partly(index);
      byte = element + coverage_.element_bytes;
    }
    if (is_outside) add_outside(begin);
  }

 private:
  void add_outside(Exact begin) {
    if (coverage_.outside++ == 0) coverage_.first_outside = begin;
  }
  void touch(std::size_t index) {
    std::uint8_t& times = coverage_.times[index];
    if (times == 0) ++coverage_.touched;
    if (times == 1) ++coverage_.touched_twice;
    if (times < UINT8_MAX) ++times;
  }
  void touch_partly(std::size_t index) {
    if (coverage_.is_partly[index]) return;
    coverage_.is_partly[index] = true;
    ++coverage_.partly;
  }

  ArrayCoverage& coverage_;
};

std::optional<std::string> set_sizes(ArrayCoverage& coverage, const Job& job, TypeNumber type, const UserArray& array) {
  const LayoutFacts& facts = job.layouts.facts(job.type(type).definition);
  coverage.element = array.element;
  if (coverage.element.empty() && !facts.empty()) coverage.element = job.store.predefined()[facts.first_type].name;
  const auto element = job.store.find_predefined(coverage.element);
  const std::int64_t bytes = element ? job.store.predefined()[job.store[*element].predefined].extent : 0;
  if (bytes <= 0) return "the trace has no basic type \"" + coverage.element + "\" for the array's elements.";
  Exact elements = 1;
  for (const std::int64_t size : array.sizes) elements = elements * Exact(size);
  if (array.sizes.empty() || !(elements <= Exact(array_elements_limit)) || elements < Exact(1)) {
    return "an array that is drawn has 1 to " + std::to_string(array_elements_limit) + " elements.";
  }
  coverage.element_bytes = bytes;
  coverage.columns = array.sizes.back();
  coverage.rows = *elements.to_int64() / coverage.columns;
  coverage.row_bytes = array.row_bytes.value_or(coverage.columns * bytes);
  if (coverage.row_bytes < coverage.columns * bytes) {
    return "rows of " + std::to_string(coverage.columns) + " elements are " + std::to_string(coverage.columns * bytes) +
           " bytes long: they cannot stand " + std::to_string(coverage.row_bytes) + " bytes apart.";
  }
  if (!(Exact(coverage.rows) * Exact(coverage.row_bytes)).to_int64()) return "the array is longer than memory.";
  if (array.at.size() > array.sizes.size()) {
    return "the element has " + std::to_string(array.at.size()) + " indices, but the array " +
           std::to_string(array.sizes.size()) + ".";
  }
  return std::nullopt;
}

/// The byte of the array at which the element stands.
Exact byte_of(const ArrayCoverage& coverage, const UserArray& array) {
  Exact row = 0;
  for (std::size_t i = 0; i + 1 < array.sizes.size(); ++i) {
    row = row * Exact(array.sizes[i]) + Exact(i < array.at.size() ? array.at[i] : 0);
  }
  const Exact column = array.at.size() == array.sizes.size() ? array.at.back() : 0;
  return row * Exact(coverage.row_bytes) + column * Exact(coverage.element_bytes);
}

}  // namespace

std::variant<ArrayCoverage, std::string> coverage_of_array(const Job& job, TypeNumber type, const UserArray& array,
                                                           std::int64_t count) {
  ArrayCoverage coverage;
  if (std::optional<std::string> problem = set_sizes(coverage, job, type, array)) return std::move(*problem);
  coverage.buffer = byte_of(coverage, array);
  const DefinitionId id = job.type(type).definition;
  const Copies copies{count, job.layouts.extent(id)};
  Cover cover(coverage);
  TypemapCursor cursor(job.layouts, job.layouts.root(id), copies);
  TypemapEntry entry;
  std::int64_t seen = 0;
  for (; seen < entries_limit && cursor.next(entry); ++seen) {
    cover.add(coverage.buffer + entry.displacement, job.store.predefined()[entry.type].size);
  }
  coverage.hidden = facts_of_copies(job.layouts, job.layouts.root(id), copies).entries - Exact(seen);
  return coverage;
}

std::string indices_of(const UserArray& array, std::int64_t row, std::optional<std::int64_t> column) {
  std::string text = column ? "[" + std::to_string(*column) + "]" : "";
  for (std::size_t i = array.sizes.size() - 1; i-- > 0;) {
    text = "[" + std::to_string(row % array.sizes[i]) + "]" + text;
    row /= array.sizes[i];
  }
  return text;
}

}  // namespace ddtscope::reporters
