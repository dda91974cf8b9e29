#include "reporters/source/source_type.h"

#include <algorithm>

namespace ddtscope::reporters {
namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 62;

bool is_same_form(const SourceScalar& one, const SourceScalar& other) {
  return one.kind == other.kind && one.basic == other.basic;
}

bool is_same_form(const SourceArray& one, const SourceArray& other) {
  return std::equal(one.dimensions.begin(), one.dimensions.end(), other.dimensions.begin(), other.dimensions.end(),
                    [](const auto& a, const auto& b) { return a.lower == b.lower && a.length == b.length; }) &&
         is_same(*one.element, *other.element);
}

bool is_same_form(const SourceRecord& one, const SourceRecord& other) {
  return one.is_union == other.is_union &&
         std::equal(one.members.begin(), one.members.end(), other.members.begin(), other.members.end(),
                    [](const SourceMember& a, const SourceMember& b) {
                      return a.name == b.name && a.offset == b.offset && is_same(*a.type, *b.type);
                    });
}

}  // namespace

std::string_view text_of(SourceLanguage language) {
  switch (language) {
    case SourceLanguage::c:
      return "C";
    case SourceLanguage::cxx:
      return "C++";
    case SourceLanguage::fortran:
      return "Fortran";
    case SourceLanguage::other:
      break;
  }
  return "another language";
}

std::optional<std::int64_t> SourceArray::length() const {
  std::int64_t product = 1;
  for (const Dimension& dimension : dimensions) {
    if (!dimension.length) return std::nullopt;
    if (*dimension.length != 0 && product > most_elements / *dimension.length) return std::nullopt;
    product *= *dimension.length;
  }
  return product;
}

std::string NamedRecord::place() const {
  const std::string name_of_file = file.substr(file.rfind('/') + 1);
  return line && !name_of_file.empty() ? name_of_file + ":" + std::to_string(*line) : name_of_file;
}

std::string NamedRecord::text() const {
  const std::string where = place();
  return where.empty() ? spelling : spelling + " (" + where + ")";
}

bool is_same(const SourceType& one, const SourceType& other) {
  if (&one == &other) return true;
  if (one.name != other.name || one.size != other.size || one.form.index() != other.form.index()) return false;
  if (const SourceScalar* scalar = one.scalar()) return is_same_form(*scalar, *other.scalar());
  if (const SourceArray* array = one.array()) return is_same_form(*array, *other.array());
  return is_same_form(*one.record(), *other.record());
}

bool is_same(const NamedRecord& one, const NamedRecord& other) {
  return one.name == other.name && one.line == other.line && one.place() == other.place() &&
         one.language == other.language && is_same(*one.type, *other.type);
}

}  // namespace ddtscope::reporters
