#include "reporters/buffers/object_comparison.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "decoder/base/grouped.h"
#include "decoder/layout/span.h"
#include "reporters/buffers/touched_places.h"
#include "reporters/source/struct_scalars.h"
#include "reporters/struct_layout/struct_layout.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t most_scalars = 16384;   // of one element
constexpr std::int64_t most_bytes = 1 << 20;  // the same
constexpr std::int64_t longest_basic = 64;    // bytes

/// The part of an object that a buffer lies in: elements that follow each other.
struct Elements {
  SourceTypePtr type;      // of one; no array
  std::int64_t begin = 0;  // of the first one from the object's beginning
  std::string name;        // "x", "s.field"
  std::vector<SourceArray::Dimension>
      dimensions;  // as in the source; none where there is one, or nobody knows how many
  bool is_column_major = false;
  bool is_one = true;
  bool is_pointee = false;
  bool is_fortran = false;
};

bool holds_parts(const SourceType& type) { return type.array() != nullptr || type.record() != nullptr; }

/// The member that has all of the bytes, where it has parts itself.
const SourceMember* member_around(const SourceRecord& record, const ByteRange& bytes) {
  if (record.is_union || record.has_unknown_places) return nullptr;
  for (const SourceMember& member : record.members) {
    const ByteRange own{member.offset, member.offset + member.type->size};
    if (holds_parts(*member.type) && own.contains(bytes) && own.length() > 0) return &member;
  }
  return nullptr;
}

void append_index(Elements& elements, std::int64_t index) {
  std::vector<std::string> texts(elements.dimensions.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::size_t d = elements.is_column_major ? i : texts.size() - 1 - i;
    const std::int64_t length = std::max<std::int64_t>(elements.dimensions[d].length.value_or(1), 1);
    const bool is_slowest = i + 1 == texts.size();
    texts[d] = std::to_string(elements.dimensions[d].lower + (is_slowest ? index : index % length));
    if (!is_slowest) index /= length;
  }
  if (texts.empty()) {
    if (elements.is_one) return;
    elements.name += elements.is_fortran ? "(" + std::to_string(index + 1) + ")" : "[" + std::to_string(index) + "]";
    return;
  }
  std::string list;
  for (const std::string& text : texts) {
    if (elements.is_column_major)
      list += (list.empty() ? "" : ",") + text;
    else
      list += "[" + text + "]";
  }
  elements.name += elements.is_column_major ? "(" + list + ")" : list;
}

/// Arrays of arrays are one.
void enter_array(Elements& elements) {
  while (const SourceArray* array = elements.type->array()) {
    elements.dimensions.insert(elements.dimensions.end(), array->dimensions.begin(), array->dimensions.end());
    elements.is_column_major = array->is_column_major;
    elements.is_one = false;
    elements.type = SourceTypePtr(array->element);
  }
}

/// Goes into members and elements as far as these have all of the bytes and the whole is large.
Elements elements_around(const FoundObject& object, const ByteRange& bytes) {
  Elements elements{object.type,
                    0,
                    object.is_section     ? "its elements"
                    : object.name.empty() ? "array"
                                          : object.name,
                    {},
                    false,
                    !object.is_pointee || object.is_section,
                    object.is_pointee,
                    object.language == SourceLanguage::fortran};
  enter_array(elements);
  const bool is_within = bytes.begin >= 0 && (object.is_pointee || bytes.end <= object.type->size);
  while (is_within && elements.type->size > 0) {
    const std::int64_t index = (bytes.begin - elements.begin) / elements.type->size;
    const std::int64_t begin = elements.begin + index * elements.type->size;
    const SourceRecord* record = elements.type->record();
    const SourceMember* member = record == nullptr || bytes.end > begin + elements.type->size
                                     ? nullptr
                                     : member_around(*record, {bytes.begin - begin, bytes.end - begin});
    if (member == nullptr) break;
    append_index(elements, index);
    if (!member->name.empty()) elements.name += (elements.is_fortran ? "%" : ".") + member->name;
    elements.begin = begin + member->offset;
    elements.type = member->type;
    elements.dimensions.clear();
    elements.is_one = true;
    elements.is_pointee = false;
    enter_array(elements);
  }
  return elements;
}

bool is_byte(std::int64_t size, ScalarKind kind) {
  return size == 1 && (kind == ScalarKind::character || kind == ScalarKind::signed_integer ||
                       kind == ScalarKind::unsigned_integer || kind == ScalarKind::enumeration);
}

/// Whether programs keep anything in such memory.
bool may_be_anything(const SourceType& type) {
  const SourceScalar* scalar = type.scalar();
  return type.size <= 0 ||
         (scalar != nullptr && (scalar->kind == ScalarKind::unknown || is_byte(type.size, scalar->kind)));
}

/// An array whose length is told elsewhere: what lies behind the struct is the array's (C 6.7.2.1).
bool is_open_ended(const SourceType& type) {
  const SourceRecord* record = type.record();
  if (record == nullptr || record->members.empty()) return false;
  const SourceType& last = *record->members.back().type;
  if (last.record() != nullptr) return is_open_ended(last);
  return last.array() != nullptr && last.array()->length().value_or(0) <= 1;
}

class Comparison {
 public:
  Comparison(const Job& job, const JobBuffer& buffer, const FoundObject& object)
      : job_(job), buffer_(buffer), object_(object) {}

  ObjectComparison compared(const ByteRange& touched) {
    result_.touched = touched;
    set_object();
    if (object_.type == nullptr || leaves_what_is_known()) return std::move(result_);
    elements_ = elements_around(object_, touched);
    if (elements_.type->size > most_bytes) return std::move(result_);
    if (may_be_anything(*elements_.type)) {
      result_.is_compared = elements_.type->size > 0 && elements_.type->scalar()->kind != ScalarKind::unknown;
      return std::move(result_);
    }
    compare_types();
    if (result_.is_compared) compare_shapes();
    return std::move(result_);
  }

 private:
  void set_object() {
    if (const auto* heap = std::get_if<HeapPlace>(&buffer_.place)) {
      if (heap->block && heap->block->is_certain()) {
        const std::int64_t begin = object_.place - static_cast<std::int64_t>(heap->block->offset);
        result_.object = ByteRange{begin, begin + static_cast<std::int64_t>(heap->block->usable)};
      }
    } else if (!object_.is_pointee && object_.type != nullptr && object_.type->size > 0 &&
               !is_open_ended(*object_.type) && !object_.is_part_of_common) {
      result_.object = ByteRange{0, object_.type->size};
    }
  }

  /// Behind the object lies something else that is the program's, too.
  bool leaves_what_is_known() const {
    if (object_.is_pointee || (!object_.is_part_of_common && !is_open_ended(*object_.type))) return false;
    return !ByteRange{0, object_.type->size}.contains(result_.touched);
  }

  bool is_struct_for_record() const {
    const TypeNumber number = job_.number_of(buffer_.type);
    return number.valid() && elements_.type->record() != nullptr && is_struct_like(job_, number);
  }

  void compare_types() {
    const std::int64_t element = elements_.type->size;
    const bool as_struct = is_struct_for_record();
    // Of structs each copy stands for one element, and the first tells what is in it.
    const std::uint64_t copies = as_struct ? std::min<std::uint64_t>(buffer_.elements, 1) : buffer_.elements;
    auto touched = touched_places(job_, {buffer_.type, copies, object_.place - elements_.begin, element});
    if (!touched) return;
    std::erase_if(*touched, [](const TouchedPlace& one) { return is_bytes(one.basic); });
    if (touched->empty()) return;
    const std::int64_t several = longest_basic / element + 2;
    const SourceTypePtr array = std::make_shared<SourceType>(
        SourceType{{}, element * several, SourceArray{elements_.type, {{0, several}}, false}});
    const StructScalars scalars = scalars_of(*array, most_scalars);
    if (!scalars.is_whole || has_unknown(scalars)) return;
    result_.is_compared = true;
    std::vector<BasicEntry> entries;
    for (const TouchedPlace& one : *touched) entries.push_back({one.basic, one.place, one.size});
    for (const ComparedPart& part : reporters::compare(entries, scalars, array->size)) {
      add(part, *touched, as_struct);
    }
    std::stable_sort(result_.parts.begin(), result_.parts.end(), [](const WrongPart& a, const WrongPart& b) {
      return severity_of(a.verdict) > severity_of(b.verdict);
    });
    // A struct that begins with the one that a pointer is declared for may be longer than that.
    if (as_struct) compare_extent();
  }

  static bool has_unknown(const StructScalars& scalars) {
    return std::any_of(scalars.scalars.begin(), scalars.scalars.end(),
                       [](const StructScalar& one) { return one.kind == ScalarKind::unknown && one.size == 0; });
  }

  void add(const ComparedPart& part, const std::vector<TouchedPlace>& touched, bool as_struct) {
    const std::int64_t element = elements_.type->size;
    if (part.verdict == Verdict::fits || part.verdict == Verdict::sends_padding) return;
    if (!part.entry) {
      if (!as_struct || part.member->offset >= element) return;
      if (is_byte(part.member->size, part.member->kind)) return;
      result_.parts.push_back({part.verdict, "`" + member_name(part.member->path) + "` (" + part.member->type + ", " +
                                                 counted(Exact(part.member->size), "byte", "bytes") + " at " +
                                                 grouped(Exact(part.member->offset)) + ") is left out"});
      return;
    }
    // Arrays of characters in a struct hold what they are made to hold.
    if (part.member && is_byte(part.member->size, part.member->kind) && part.member->path.ends_with("]")) return;
    const auto met = std::find_if(touched.begin(), touched.end(), [&](const TouchedPlace& one) {
      return one.place == part.entry->displacement && one.basic == part.entry->basic;
    });
    const std::int64_t first = met == touched.end() ? part.entry->displacement : met->first;
    const bool is_in_first = first >= 0 && first < element;
    if (object_.is_pointee && elements_.type->record() != nullptr && !is_in_first) return;
    // Of several entries that are wrong in one way in one member the first one says it.
    const std::int64_t member = part.member ? part.member->offset % element : -1;
    if (!told_.emplace(part.entry->basic, part.verdict, member).second) return;
    result_.parts.push_back({part.verdict, entry_text(part, first)});
  }

  /// "[0].id" is "id", and "[0]" of numbers is nothing.
  static std::string member_name(const std::string& path) {
    const std::size_t end = path.find(']');
    if (end == path.npos) return path;
    const std::size_t begin = end + 1 < path.size() && path[end + 1] == '.' ? end + 2 : end + 1;
    return path.substr(begin);
  }

  std::string entry_text(const ComparedPart& part, std::int64_t first) const {
    const std::int64_t element = elements_.type->size;
    const std::int64_t rest = ((first % element) + element) % element;
    Elements at = elements_;
    append_index(at, (first - rest) / element);
    std::string text = std::string(part.entry->basic) + " at ";
    if (!part.member) {
      return text + "byte " + std::to_string(rest) + " of " + at.name + " " + std::string(text_of(part.verdict));
    }
    const std::string member = member_name(part.member->path);
    if (!member.empty()) at.name += (member.starts_with("[") ? "" : at.is_fortran ? "%" : ".") + member;
    const std::int64_t within = part.entry->displacement - part.member->offset;
    text += (within > 0 ? "byte " + std::to_string(within) + " of " : "") + at.name;
    return text + " of type " + part.member->type + ": " + std::string(text_of(part.verdict));
  }

  void compare_extent() {
    const Exact extent = job_.layouts.extent(buffer_.type);
    if (buffer_.elements < 2 || elements_.is_one || extent == Exact(elements_.type->size)) return;
    result_.extent = "its extent is " + grouped(extent) + ", sizeof is " + grouped(Exact(elements_.type->size)) +
                     ", and the call has " + grouped(buffer_.elements) + " copies";
  }

  const ConstructorCall& call_below(DefinitionId id) const {
    const ConstructorCall* call = &job_.store[id].call;
    while (call->combiner == Combiner::resized || call->combiner == Combiner::dup) {
      call = &job_.store[*call->datatypes.begin()].call;
    }
    return *call;
  }

  /// In the order of memory, the slowest first, as C declares arrays.
  std::vector<std::int64_t> lengths() const {
    std::vector<std::int64_t> lengths;
    for (const SourceArray::Dimension& dimension : elements_.dimensions) {
      lengths.push_back(dimension.length.value_or(0));
    }
    if (elements_.is_column_major) std::reverse(lengths.begin(), lengths.end());
    return lengths;
  }

  void compare_shapes() {
    const ConstructorCall& call = call_below(buffer_.type);
    const std::vector<std::int64_t> declared = lengths();
    if (declared.size() < 2 || call.datatypes.size() != 1) return;
    if (job_.layouts.facts(*call.datatypes.begin()).size != Exact(elements_.type->size)) return;
    if (call.combiner == Combiner::subarray) compare_subarray(call, declared);
    if (call.combiner == Combiner::vector && declared.size() == 2) compare_vector(call, declared);
  }

  void compare_subarray(const ConstructorCall& call, const std::vector<std::int64_t>& declared) {
    const IntegerArray& given = call.array("array_of_sizes");
    std::vector<std::int64_t> sizes;
    for (std::size_t i = 0; i < given.length; ++i) sizes.push_back(given[i]);
    if (call.scalar("order") == job_.store.constants().order_fortran) std::reverse(sizes.begin(), sizes.end());
    if (sizes.size() != declared.size() || sizes == declared) return;
    if (!std::is_permutation(sizes.begin(), sizes.end(), declared.begin())) return;
    result_.shape = "the sizes of the subarray are those of the array in another order";
  }

  void compare_vector(const ConstructorCall& call, const std::vector<std::int64_t>& declared) {
    const std::int64_t stride = call.scalar("stride");
    const std::int64_t rows = declared[0];
    const std::int64_t row = declared[1];
    if (rows < 1 || row < 1 || call.scalar("count") < 2 || stride != rows || call.scalar("blocklength") >= stride)
      return;
    if (stride % row == 0 || row % stride == 0) return;
    result_.shape = "the stride is " + grouped(Exact(stride)) + ", but from one row to the next there are " +
                    grouped(Exact(row)) + " elements";
  }

  const Job& job_;
  const JobBuffer& buffer_;
  const FoundObject& object_;
  Elements elements_;
  std::set<std::tuple<std::string_view, Verdict, std::int64_t>> told_;
  ObjectComparison result_;
};

}  // namespace

std::optional<Severity> ObjectComparison::severity() const {
  return is_too_small() ? Severity::error : severity_of_types();
}

std::optional<Severity> ObjectComparison::severity_of_types() const {
  std::optional<Severity> worst = parts.empty() ? std::nullopt : severity_of(parts.front().verdict);
  if (!shape.empty() || !extent.empty()) worst = std::max(worst, std::optional(Severity::warning));
  return worst;
}

std::optional<ByteRange> touched_by(const Job& job, const JobBuffer& buffer) {
  constexpr std::int64_t farthest = std::int64_t{1} << 60;
  const Span span = span_of(job.layouts, buffer.type, Exact(static_cast<Int128>(buffer.elements)));
  const auto begin = span.first.to_int64();
  const auto end = span.end.to_int64();
  if (!begin || !end || *begin < -farthest || *end > farthest) return std::nullopt;
  return ByteRange{*begin, *end};
}

ObjectComparison compare(const Job& job, const JobBuffer& buffer, const FoundObject& object) {
  const auto touched = touched_by(job, buffer);
  if (!touched || touched->length() == 0) return {};
  return Comparison(job, buffer, object).compared({touched->begin + object.place, touched->end + object.place});
}

}  // namespace ddtscope::reporters
