#include "reporters/source/type_reader.h"

#include <dwarf.h>

#include <algorithm>
#include <utility>

#include "reporters/source/basic_names.h"
#include "reporters/source/die_children.h"

namespace ddtscope::reporters {
namespace {

constexpr int deepest = 200;  // types in types; more are of a damaged file
constexpr std::int64_t most_bytes = std::int64_t{1} << 48;

SourceTypePtr scalar(std::string name, std::int64_t size, SourceScalar form) {
  return std::make_shared<SourceType>(SourceType{std::move(name), size, form});
}

SourceTypePtr unknown_type() { return scalar({}, 0, {}); }

std::int64_t size_of(Dwarf_Die* die) {
  Dwarf_Word size = 0;
  return dwarf_aggregate_size(die, &size) == 0 && size <= static_cast<Dwarf_Word>(most_bytes)
             ? static_cast<std::int64_t>(size)
             : 0;
}

ScalarKind kind_of_encoding(std::int64_t encoding) {
  switch (encoding) {
    case DW_ATE_signed:
    case DW_ATE_signed_fixed:
      return ScalarKind::signed_integer;
    case DW_ATE_unsigned:
    case DW_ATE_unsigned_fixed:
    case DW_ATE_UTF:
      return ScalarKind::unsigned_integer;
    case DW_ATE_signed_char:
    case DW_ATE_unsigned_char:
    case DW_ATE_ASCII:
    case DW_ATE_UCS:
      return ScalarKind::character;
    case DW_ATE_boolean:
      return ScalarKind::boolean;
    case DW_ATE_float:
      return ScalarKind::floating;
    case DW_ATE_complex_float:
      return ScalarKind::complex;
    default:
      return ScalarKind::unknown;
  }
}

/// DW_AT_data_member_location, as a number or as what DWARF 2 has for one; none where only the running program knows.
std::optional<std::int64_t> offset_of_member(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  if (dwarf_attr(die, DW_AT_data_member_location, &attribute) == nullptr) return 0;
  Dwarf_Word number = 0;
  if (dwarf_formudata(&attribute, &number) == 0) return static_cast<std::int64_t>(number);
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_getlocation(&attribute, &operations, &count) != 0 || count != 1 ||
      operations[0].atom != DW_OP_plus_uconst) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(operations[0].number);
}

SourceArray::Dimension dimension_of(Dwarf_Die* subrange, SourceLanguage language) {
  SourceArray::Dimension dimension;
  dimension.lower = number_attribute(subrange, DW_AT_lower_bound).value_or(language == SourceLanguage::fortran ? 1 : 0);
  dimension.length = length_of_dimension(subrange, dimension.lower);
  return dimension;
}

/// std::complex is a class whose one member is what C calls complex.
SourceTypePtr complex_of_cxx(const SourceType& type) {
  const SourceRecord* record = type.record();
  if (!type.name.starts_with("complex<") || record->members.size() != 1) return nullptr;
  const SourceType& inner = *record->members.front().type;
  if (inner.scalar() == nullptr || inner.scalar()->kind != ScalarKind::complex || inner.size != type.size)
    return nullptr;
  return scalar(type.name, type.size, *inner.scalar());
}

bool is_hidden(Dwarf_Die* member, Dwarf_Die* record) {
  const std::int64_t usual = dwarf_tag(record) == DW_TAG_class_type ? DW_ACCESS_private : DW_ACCESS_public;
  return number_attribute(member, DW_AT_accessibility).value_or(usual) != DW_ACCESS_public;
}

}  // namespace

std::string text_attribute(Dwarf_Die* die, unsigned attribute) {
  Dwarf_Attribute found;
  const char* text = dwarf_formstring(dwarf_attr_integrate(die, attribute, &found));
  return text == nullptr ? std::string() : text;
}

std::optional<std::int64_t> number_attribute(Dwarf_Die* die, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Sword number = 0;
  if (dwarf_attr_integrate(die, attribute, &found) == nullptr) return std::nullopt;
  // Lengths of arrays may be expressions, or other DIEs, which only the running program knows.
  const unsigned form = dwarf_whatform(&found);
  if (form == DW_FORM_exprloc || form == DW_FORM_ref4) return std::nullopt;
  if (form == DW_FORM_data1 || form == DW_FORM_data2 ||
      form == DW_FORM_data4) {  // without a sign, as compilers write them
    Dwarf_Word word = 0;
    if (dwarf_formudata(&found, &word) == 0) return static_cast<std::int64_t>(word);
  }
  if (dwarf_formsdata(&found, &number) == 0) return number;
  return std::nullopt;
}

std::optional<std::int64_t> length_of_dimension(Dwarf_Die* subrange, std::int64_t lower) {
  std::optional<std::int64_t> length = number_attribute(subrange, DW_AT_count);
  if (const auto upper = number_attribute(subrange, DW_AT_upper_bound); !length && upper) {
    // Bounds of a damaged file may be as far apart as any two numbers.
    length = static_cast<std::int64_t>(static_cast<std::uint64_t>(*upper) - static_cast<std::uint64_t>(lower) + 1);
  }
  return length && *length >= 0 && *length <= most_bytes ? length : std::nullopt;
}

bool has_flag(Dwarf_Die* die, unsigned attribute) {
  Dwarf_Attribute found;
  bool flag = false;
  return dwarf_attr(die, attribute, &found) != nullptr && dwarf_formflag(&found, &flag) == 0 && flag;
}

bool type_of_die(Dwarf_Die* die, Dwarf_Die* type) {
  Dwarf_Attribute attribute;
  return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), type) != nullptr;
}

SourceTypePtr TypeReader::type_at(Dwarf_Die* die, SourceLanguage language) {
  const auto known = made_.find(die->addr);
  if (known != made_.end()) return known->second;
  if (depth_ >= deepest) return unknown_type();
  ++depth_;
  // A record that holds itself, which no compiler writes, is unknown within itself.
  made_.emplace(die->addr, unknown_type());
  SourceTypePtr type = made(die, language);
  made_[die->addr] = type;
  --depth_;
  return type;
}

SourceTypePtr TypeReader::made(Dwarf_Die* die, SourceLanguage language) {
  switch (dwarf_tag(die)) {
    case DW_TAG_base_type:
      return built_in(die, language);
    case DW_TAG_typedef:
    case DW_TAG_const_type:
    case DW_TAG_volatile_type:
    case DW_TAG_restrict_type:
    case DW_TAG_atomic_type:
      return under_name(die, language);
    case DW_TAG_enumeration_type:
      return enumeration(die, language);
    case DW_TAG_array_type:
      return array(die, language);
    case DW_TAG_string_type:
      return string(die);
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
      return record(die, language);
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
    case DW_TAG_ptr_to_member_type:
    case DW_TAG_unspecified_type:
      return scalar({}, size_of(die), {ScalarKind::pointer, {}});
    default:
      return scalar(text_attribute(die, DW_AT_name), size_of(die), {});
  }
}

SourceTypePtr TypeReader::built_in(Dwarf_Die* die, SourceLanguage language) {
  const std::string name = text_attribute(die, DW_AT_name);
  const std::int64_t size = size_of(die);
  const ScalarKind kind = kind_of_encoding(number_attribute(die, DW_AT_encoding).value_or(0));
  return scalar(name, size, {kind, basic_of_built_in({name, size, kind}, language)});
}

/// A typedef gives its name to a type that has none, and to one for which MPI has that name, too.
SourceTypePtr TypeReader::under_name(Dwarf_Die* die, SourceLanguage language) {
  Dwarf_Die target;
  if (!type_of_die(die, &target)) return unknown_type();  // void
  SourceTypePtr type = type_at(&target, language);
  if (dwarf_tag(die) != DW_TAG_typedef) return type;
  std::string name = text_attribute(die, DW_AT_name);
  const std::string_view basic = basic_of_type_name(name);
  const SourceScalar* inner = type->scalar();
  if (inner != nullptr && !inner->basic.empty() && !basic.empty() && language != SourceLanguage::fortran) {
    return scalar(std::move(name), type->size, {inner->kind, basic});
  }
  if (!type->name.empty() || inner != nullptr) return type;
  SourceType named = *type;
  named.name = std::move(name);
  return std::make_shared<SourceType>(std::move(named));
}

SourceTypePtr TypeReader::enumeration(Dwarf_Die* die, SourceLanguage language) {
  const std::int64_t size = size_of(die);
  ScalarKind sign = ScalarKind::signed_integer;
  Dwarf_Die underlying;
  if (const auto encoding = number_attribute(die, DW_AT_encoding)) {
    sign = kind_of_encoding(*encoding);
  } else if (type_of_die(die, &underlying)) {
    const SourceTypePtr type = type_at(&underlying, language);
    if (type->scalar() != nullptr) sign = type->scalar()->kind;
  }
  // C's enumerations are ints unless they are larger.
  const std::string_view name = size == 8 ? "long int" : "int";
  return scalar(text_attribute(die, DW_AT_name), size,
                {ScalarKind::enumeration, basic_of_built_in({name, size, sign}, SourceLanguage::c)});
}

SourceTypePtr TypeReader::array(Dwarf_Die* die, SourceLanguage language) {
  Dwarf_Attribute attribute;
  // The record holds a descriptor, and the elements are elsewhere.
  if (dwarf_attr(die, DW_AT_data_location, &attribute) != nullptr) {
    return scalar({}, size_of(die), {ScalarKind::pointer, {}});
  }
  Dwarf_Die element;
  if (!type_of_die(die, &element)) return unknown_type();
  SourceArray array{type_at(&element, language), {}, language == SourceLanguage::fortran};
  for (Dwarf_Die& child : children_of(die)) {
    if (dwarf_tag(&child) == DW_TAG_subrange_type) array.dimensions.push_back(dimension_of(&child, language));
  }
  if (array.dimensions.empty()) return unknown_type();
  const std::int64_t length = array.length().value_or(0);
  const std::int64_t each = array.element->size;
  const std::int64_t size = each == 0 || length > most_bytes / each ? 0 : length * each;
  return std::make_shared<SourceType>(SourceType{{}, size, std::move(array)});
}

/// Fortran's character(len=n).
SourceTypePtr TypeReader::string(Dwarf_Die* die) {
  const std::int64_t length = size_of(die);
  const SourceTypePtr character = scalar("character", 1, {ScalarKind::character, "MPI_CHARACTER"});
  return std::make_shared<SourceType>(SourceType{{}, length, SourceArray{character, {{1, length}}, true}});
}

SourceTypePtr TypeReader::record(Dwarf_Die* die, SourceLanguage language) {
  Dwarf_Attribute signature;
  Dwarf_Die whole;  // in a unit of its own (-fdebug-types-section)
  if (dwarf_formref_die(dwarf_attr(die, DW_AT_signature, &signature), &whole) != nullptr && whole.addr != die->addr) {
    return type_at(&whole, language);
  }
  if (has_flag(die, DW_AT_declaration)) return scalar(text_attribute(die, DW_AT_name), 0, {});
  SourceRecord record;
  record.is_union = dwarf_tag(die) == DW_TAG_union_type;
  for (Dwarf_Die& child : children_of(die)) {
    const int tag = dwarf_tag(&child);
    // What is external is static: it is no part of an object.
    if ((tag != DW_TAG_member || has_flag(&child, DW_AT_external)) && tag != DW_TAG_inheritance) continue;
    if (tag == DW_TAG_inheritance || is_hidden(&child, die)) record.hides_members = true;
    add_member(&child, language, record);
  }
  SourceType type{text_attribute(die, DW_AT_name), size_of(die), std::move(record)};
  SourceTypePtr complex = complex_of_cxx(type);
  return complex ? complex : std::make_shared<SourceType>(std::move(type));
}

void TypeReader::add_member(Dwarf_Die* die, SourceLanguage language, SourceRecord& record) {
  if (auto bits = bit_field(die)) {
    record.members.push_back(std::move(*bits));
    return;
  }
  const auto offset = offset_of_member(die);
  Dwarf_Die type;
  if (!offset || *offset < 0 || *offset > most_bytes || !type_of_die(die, &type)) {
    record.has_unknown_places = true;
    return;
  }
  SourceTypePtr made = type_at(&type, language);
  const SourceType* inner = made.get();
  while (inner->array() != nullptr) inner = inner->array()->element.get();
  if (inner->record() != nullptr) {
    record.has_unknown_places |= inner->record()->has_unknown_places;
    record.hides_members |= inner->record()->hides_members;
  }
  record.members.push_back({text_attribute(die, DW_AT_name), *offset, std::move(made)});
}

/// The whole bytes in which its bits are; none where it is no bit-field.
std::optional<SourceMember> TypeReader::bit_field(Dwarf_Die* die) {
  const auto bits = number_attribute(die, DW_AT_bit_size);
  if (!bits) return std::nullopt;
  std::int64_t first = number_attribute(die, DW_AT_data_bit_offset).value_or(-1);
  std::int64_t length = std::clamp<std::int64_t>(*bits, 1, 1024);
  if (first < 0) {  // DWARF before 4: the place in its storage counts from the other end
    const auto within = [](std::int64_t number) { return std::clamp<std::int64_t>(number, 0, most_bytes); };
    const std::int64_t unit = within(number_attribute(die, DW_AT_byte_size).value_or(4));
    first = 8 * within(offset_of_member(die).value_or(0)) +
            std::max<std::int64_t>(8 * unit - within(number_attribute(die, DW_AT_bit_offset).value_or(0)) - length, 0);
  }
  first = std::clamp<std::int64_t>(first, 0, most_bytes);
  const std::int64_t begin = first / 8;
  const std::int64_t end = (first + length + 7) / 8;
  return SourceMember{text_attribute(die, DW_AT_name), begin, scalar({}, end - begin, {ScalarKind::bit_fields, {}})};
}

}  // namespace ddtscope::reporters
