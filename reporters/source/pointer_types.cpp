#include "reporters/source/pointer_types.h"

#include <dwarf.h>

#include <algorithm>

#include "reporters/source/die_children.h"
#include "reporters/source/type_reader.h"
#include "reporters/source/unit_language.h"

namespace ddtscope::reporters {
namespace {

constexpr int deepest_pointer = 64;

bool only_names(int tag) {
  return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
         tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type;
}

bool is_address(int tag) {
  return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}

std::int64_t bytes_of(Dwarf_Die die) {
  Dwarf_Word size = 0;
  return dwarf_aggregate_size(&die, &size) == 0 && size < Dwarf_Word{1} << 48 ? static_cast<std::int64_t>(size) : 0;
}

bool has_descriptor(Dwarf_Die* array) {
  Dwarf_Attribute attribute;
  return dwarf_attr(array, DW_AT_data_location, &attribute) != nullptr;
}

std::string dimensions(Dwarf_Die array, SourceLanguage language) {
  const bool is_fortran = language == SourceLanguage::fortran;
  std::string text;
  for (Dwarf_Die& child : children_of(&array)) {
    if (dwarf_tag(&child) != DW_TAG_subrange_type) continue;
    const std::int64_t lower = number_attribute(&child, DW_AT_lower_bound).value_or(is_fortran ? 1 : 0);
    const auto length = length_of_dimension(&child, lower);
    if (!is_fortran) {
      text += "[" + (length ? std::to_string(*length) : "") + "]";
      continue;
    }
    const bool is_known = length && lower < INT64_MAX - *length;
    const std::string first = lower == 1 || !is_known ? "" : std::to_string(lower) + ":";
    text += (text.empty() ? "" : ",") + first + (is_known ? std::to_string(lower + *length - 1) : ":");
  }
  return is_fortran ? "(" + text + ")" : text;
}

}  // namespace

void RecordDefinitions::read() {
  is_read_ = true;
  for (const CodeUnit& unit : units_.all()) {
    each_below(unit.die, [&](const DieOfWalk& at) {
      const int tag = dwarf_tag(&at.die);
      if (is_record(tag) && !has_flag(&at.die, DW_AT_declaration)) {
        if (const std::string name = text_attribute(&at.die, DW_AT_name); !name.empty())
          by_name_[name].push_back(at.die);
      }
      return tag == DW_TAG_namespace || is_record(tag);
    });
  }
}

bool RecordDefinitions::plain_type(Dwarf_Die type, Dwarf_Die* plain) {
  for (int i = 0; i < deepest_pointer && only_names(dwarf_tag(&type)); ++i) {
    Dwarf_Die inner;
    if (!type_of_die(&type, &inner)) return false;
    type = inner;
  }
  *plain = type;
  if (!is_record(dwarf_tag(&type))) return true;
  Dwarf_Attribute signature;
  Dwarf_Die whole;
  if (dwarf_formref_die(dwarf_attr(&type, DW_AT_signature, &signature), &whole) != nullptr) {
    *plain = whole;
    return true;
  }
  if (!has_flag(&type, DW_AT_declaration)) return true;
  if (!is_read_) read();
  const auto found = by_name_.find(text_attribute(&type, DW_AT_name));
  if (found == by_name_.end()) return true;
  const std::int64_t size = bytes_of(found->second.front());
  // Of one name in several namespaces it is not known which.
  if (std::all_of(found->second.begin(), found->second.end(),
                  [&](const Dwarf_Die& one) { return bytes_of(one) == size; })) {
    *plain = found->second.front();
  }
  return true;
}

namespace {

class PointerSearch {
 public:
  explicit PointerSearch(RecordDefinitions& records) : records_(records) {}

  std::optional<PointerWithin> find(Dwarf_Die type, std::int64_t offset, int depth) {
    Dwarf_Die plain;
    if (--steps_ < 0 || depth > deepest_pointer || offset < 0 || !records_.plain_type(type, &plain))
      return std::nullopt;
    const int tag = dwarf_tag(&plain);
    if (is_address(tag) || (tag == DW_TAG_array_type && has_descriptor(&plain))) {
      return offset == 0 ? std::optional(target_of(plain)) : std::nullopt;
    }
    if (tag == DW_TAG_array_type) return in_array(plain, offset, depth);
    return is_record(tag) ? in_record(plain, offset, depth) : std::nullopt;
  }

 private:
  static PointerWithin target_of(Dwarf_Die pointer) {
    PointerWithin found;
    Dwarf_Die target;
    if (type_of_die(&pointer, &target)) found.target = target;
    return found;
  }

  std::optional<PointerWithin> in_array(Dwarf_Die array, std::int64_t offset, int depth) {
    Dwarf_Die element;
    if (!type_of_die(&array, &element)) return std::nullopt;
    if (ends_before(offset, array)) return std::nullopt;
    const std::int64_t size = bytes_of(element);
    if (size <= 0) return std::nullopt;
    auto found = find(element, offset % size, depth + 1);
    if (found) found->path = "[" + std::to_string(offset / size) + "]" + found->path;
    return found;
  }

  std::optional<PointerWithin> in_record(Dwarf_Die record, std::int64_t offset, int depth) {
    const bool is_union = dwarf_tag(&record) == DW_TAG_union_type;
    std::optional<PointerWithin> alternatives;
    for (Dwarf_Die& child : children_of(&record)) {
      const int tag = dwarf_tag(&child);
      if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || has_flag(&child, DW_AT_external)) continue;
      Dwarf_Die type;
      if (!type_of_die(&child, &type)) continue;
      const std::int64_t begin = number_attribute(&child, DW_AT_data_member_location).value_or(0);
      if (begin < 0 || offset < begin || ends_before(offset - begin, type)) continue;
      if (auto found = find(type, offset - begin, depth + 1)) {
        const std::string name = text_attribute(&child, DW_AT_name);
        if (!name.empty()) found->path = "." + name + found->path;
        if (!is_union) return found;
        if (!alternatives) {
          alternatives = std::move(found);
        } else if (!point_to_the_same(*alternatives, *found)) {
          alternatives->target.reset();
        }
      }
    }
    return alternatives;
  }

  /// Whether an object of the type has no byte so far behind its beginning.
  static bool ends_before(std::int64_t offset, Dwarf_Die type) {
    const std::int64_t size = bytes_of(type);
    return size > 0 && offset >= size;
  }

  static bool point_to_the_same(const PointerWithin& one, const PointerWithin& other) {
    return one.target && other.target && one.target->addr == other.target->addr;
  }

  RecordDefinitions& records_;
  // A step into each member that holds the place, of unions all; damaged records may hold themselves, twice.
  int steps_ = 1'000;
};

}  // namespace

std::optional<PointerWithin> pointer_at(RecordDefinitions& records, Dwarf_Die type, std::int64_t offset) {
  return PointerSearch(records).find(type, offset, 0);
}

namespace {

std::string spelled_within(Dwarf_Die type, SourceLanguage language, int depth) {
  if (depth > deepest_pointer) return "...";
  const auto inner = [&] {
    Dwarf_Die target;
    return type_of_die(&type, &target) ? spelled_within(target, language, depth + 1) : "void";
  };
  const std::string name = text_attribute(&type, DW_AT_name);
  const bool is_c = language == SourceLanguage::c;
  switch (dwarf_tag(&type)) {
    case DW_TAG_const_type:
    case DW_TAG_volatile_type:
    case DW_TAG_restrict_type:
    case DW_TAG_atomic_type:
      return inner();
    case DW_TAG_pointer_type: {
      const std::string target = inner();
      return target + (target.ends_with('*') ? "*" : " *");
    }
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
      return inner() + " &";
    case DW_TAG_array_type:
      return inner() + dimensions(type, language);
    case DW_TAG_string_type:
      return "character";
    case DW_TAG_structure_type:
      if (language == SourceLanguage::fortran) return "type(" + name + ")";
      return is_c || name.empty() ? "struct " + name : name;
    case DW_TAG_class_type:
      return name.empty() ? "class" : name;
    case DW_TAG_union_type:
      return is_c || name.empty() ? "union " + name : name;
    case DW_TAG_enumeration_type:
      return is_c || name.empty() ? "enum " + name : name;
    case DW_TAG_subroutine_type:
      return "function";
    default:
      return name.empty() ? "unknown" : name;
  }
}

}  // namespace

std::string spelled(Dwarf_Die type, SourceLanguage language) { return spelled_within(type, language, 0); }

std::string declared(const std::string& name, Dwarf_Die type, SourceLanguage language) {
  for (int i = 0; i < deepest_pointer; ++i) {
    const int tag = dwarf_tag(&type);
    if (tag != DW_TAG_const_type && tag != DW_TAG_volatile_type && tag != DW_TAG_restrict_type) break;
    Dwarf_Die inner;
    if (!type_of_die(&type, &inner)) return "void " + name;
    type = inner;
  }
  if (dwarf_tag(&type) == DW_TAG_array_type) {
    Dwarf_Die element;
    const std::string of = type_of_die(&type, &element) ? spelled(element, language) : "unknown";
    return of + " " + name + dimensions(type, language);
  }
  const std::string of = spelled(type, language);
  const bool ends_in_sign = of.ends_with('*') || of.ends_with('&');
  return of + (ends_in_sign ? "" : " ") + name;
}

}  // namespace ddtscope::reporters
