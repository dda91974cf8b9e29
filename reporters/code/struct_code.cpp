#include "reporters/code/struct_code.h"

#include <algorithm>
#include <string_view>

#include "decoder/notation/text_cursor.h"
#include "reporters/code/plan.h"

namespace ddtscope::reporters {
namespace {

bool is_identifier(std::string_view name) {
  return !name.empty() && (name[0] < '0' || name[0] > '9') && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// Names come from a file: none may become code.
bool has_plain_names(const StructPlan& plan) {
  return std::all_of(plan.parts.begin(), plan.parts.end(), [](const StructPart& part) {
    return std::all_of(part.path.begin(), part.path.end(), is_identifier) &&
           (!part.inner || has_plain_names(*part.inner));
  });
}

/// Of a class, with namespaces, and the arguments of a template, which may be pointers and numbers.
bool has_plain_name(const NamedRecord& record) {
  int depth = 0;
  for (const char c : record.name) {
    if (c == '<') ++depth;
    if (c == '>') --depth;
    const std::string_view others = depth > 0 ? ":<>, *&-()" : ":>";
    if (!is_identifier({&c, 1}) && (c < '0' || c > '9') && others.find(c) == others.npos) return false;
  }
  return record.module.empty() || is_identifier(record.module);
}

std::vector<std::string> comments_of(const NamedRecord& record, const StructPlan& plan, const std::string& program) {
  std::vector<std::string> comments = {record.text() + ", " + std::to_string(plan.size) + " bytes as " + program +
                                       " was compiled"};
  for (const std::string& part : plan.left_out) comments.push_back("left out: " + part);
  for (const std::string& part : plan.as_bytes) comments.push_back("as bytes, right between like machines: " + part);
  for (std::string& comment : comments) comment = harmless(comment);
  return comments;
}

std::optional<NoCode> why_not(const NamedRecord& record, const StructPlan& plan, Language language) {
  const bool is_fortran = record.language == SourceLanguage::fortran;
  if (language == Language::python) return NoCode{"a struct is written down in C or in Fortran, not in Python."};
  if (is_fortran != (language == Language::fortran)) {
    return NoCode{harmless(record.text()) + " is " + std::string(text_of(record.language)) + "'s: ask for --language " +
                  (is_fortran ? "fortran." : "c.")};
  }
  if (!has_plain_name(record) || !has_plain_names(plan)) {
    return NoCode{harmless(record.text()) +
                  " has a name that is not written into source here: it is no plain one, or the debugging information "
                  "is damaged."};
  }
  if (plan.parts.empty()) {
    return NoCode{harmless(record.text()) + " has nothing that can be sent" +
                  (plan.left_out.empty() ? "." : ": " + harmless(plan.left_out.front()) + ".")};
  }
  return std::nullopt;
}

/// Whether one of its words is the variable, with a number behind it or without.
bool has_word(std::string_view spelling, std::string_view variable) {
  TextCursor cursor(spelling);
  while (!cursor.at_end()) {
    const std::string_view word = cursor.word();
    if (word.starts_with(variable) && word.find_first_not_of("0123456789", variable.size()) == word.npos) return true;
    if (word.empty()) cursor.skip(1);
  }
  return false;
}

}  // namespace

std::string suffix_beside(std::string_view spelling, std::initializer_list<std::string_view> variables) {
  std::string suffix;
  while (std::any_of(variables.begin(), variables.end(),
                     [&](std::string_view variable) { return has_word(spelling, std::string(variable) + suffix); })) {
    suffix += '_';
  }
  return suffix;
}

std::variant<std::string, NoCode> code_of_struct(const NamedRecord& record, const StructCodeOptions& options) {
  const bool is_fortran = record.language == SourceLanguage::fortran;
  const StructPlan plan = plan_of_struct(*record.type);
  const Language language = options.language.value_or(is_fortran ? Language::fortran : Language::c);
  if (const auto problem = why_not(record, plan, language)) return *problem;
  const StructText text{record, plan, comments_of(record, plan, options.program)};
  return is_fortran ? struct_fortran_code(text) : struct_c_code(text);
}

}  // namespace ddtscope::reporters
