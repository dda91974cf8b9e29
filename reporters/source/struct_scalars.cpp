#include "reporters/source/struct_scalars.h"

#include <algorithm>
#include <utility>

namespace ddtscope::reporters {
namespace {

class Flattener {
 public:
  Flattener(std::size_t most, std::int64_t size) : most_(most), size_(size) {}

  void type(const SourceType& type, std::int64_t offset, const std::string& path) {
    if (!goes_on()) {
      result_.is_whole = false;
    } else if (const SourceScalar* scalar = type.scalar()) {
      result_.scalars.push_back({offset, type.size, scalar->kind, scalar->basic, path,
                                 type.name.empty() && scalar->kind == ScalarKind::pointer ? "pointer" : type.name,
                                 in_union_});
      if (type.size == 0 && scalar->kind != ScalarKind::pointer) result_.is_whole = false;
    } else if (const SourceArray* array = type.array()) {
      elements(*array, offset, path);
    } else {
      record(*type.record(), offset, path);
    }
  }

  StructScalars take() {
    std::stable_sort(result_.scalars.begin(), result_.scalars.end(),
                     [](const StructScalar& a, const StructScalar& b) { return a.offset < b.offset; });
    return std::move(result_);
  }

 private:
  /// Empty structs have no scalars, however many of them there are.
  bool goes_on() { return result_.scalars.size() < most_ && ++steps_ <= most_steps * (most_ + 1); }

  void record(const SourceRecord& record, std::int64_t offset, const std::string& path) {
    const bool was_in_union = std::exchange(in_union_, in_union_ || record.is_union);
    if (record.has_unknown_places) result_.is_whole = false;
    for (const SourceMember& member : record.members) {
      const bool has_dot = !path.empty() && !member.name.empty();
      type(*member.type, offset + member.offset, path + (has_dot ? "." : "") + member.name);
    }
    in_union_ = was_in_union;
  }

  void elements(const SourceArray& array, std::int64_t offset, const std::string& path) {
    // One without a length has no bytes of the struct's own where it is the last member.
    if (!array.length() && offset < size_) result_.is_whole = false;
    const std::int64_t length = array.length().value_or(0);
    if (array.element->size <= 0) {
      result_.is_whole = result_.is_whole && length == 0;
      return;
    }
    std::vector<std::int64_t> index(array.dimensions.size(), 0);
    for (std::int64_t i = 0; i < length; ++i) {
      if (!goes_on()) {
        result_.is_whole = false;
        return;
      }
      std::string element = path;
      for (std::size_t d = 0; d < index.size(); ++d) {
        element += "[" + std::to_string(array.dimensions[d].lower + index[d]) + "]";
      }
      type(*array.element, offset + i * array.element->size, element);
      next_index(array, index);
    }
  }

  static void next_index(const SourceArray& array, std::vector<std::int64_t>& index) {
    const std::size_t count = index.size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t d = array.is_column_major ? i : count - 1 - i;
      if (++index[d] != *array.dimensions[d].length) return;
      index[d] = 0;
    }
  }

  static constexpr std::size_t most_steps = 64;  // for each scalar

  std::size_t most_;
  std::size_t steps_ = 0;
  std::int64_t size_;  // of the whole
  bool in_union_ = false;
  StructScalars result_;
};

}  // namespace

StructScalars scalars_of(const SourceType& record, std::size_t most) {
  Flattener flattener(most, record.size);
  flattener.type(record, 0, {});
  return flattener.take();
}

}  // namespace ddtscope::reporters
