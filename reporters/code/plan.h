// In which order the parts of a type are made and freed, whatever the language.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "decoder/notation/constructor_code.h"
#include "reporters/code/code.h"

namespace ddtscope::reporters {

struct CodeStep {
  DefinitionId made;
  std::vector<DefinitionId> freed;  // no later step needs them
};

struct CodePlan {
  const DefinitionStore& store;
  DefinitionId result;
  NameOldtype variable;               // "t3" for T3
  std::vector<CodeStep> steps;        // the last makes the result
  std::vector<std::string> comments;  // a line each, harmless in every language

  const ConstructorCall& call(DefinitionId id) const { return store[id].call; }
  /// Predefined types without a name must not be committed or freed.
  bool is_ours(DefinitionId id) const { return !is_unnamed_predefined(call(id).combiner); }
};

/// Without what would end a comment, begin a new line or an escape in any of the languages.
std::string harmless(std::string_view text);

/// A type to be made, and what it and its parts are called.
struct PlannedType {
  const DefinitionStore& store;
  DefinitionId type;
  NameOldtype variable;  // in the source text
  NameOldtype name_of;   // in sentences
};
/// The plan has no comments.
std::variant<CodePlan, NoCode> plan_of(const PlannedType& type);
std::variant<CodePlan, NoCode> plan_of(const Job& job, TypeNumber type);

/// The lines of a statement: broken behind commas, with `end_of_line` before each break and `indent` before each line;
/// where no comma is near enough, behind `or_behind`, if there is such a character.
struct LineStyle {
  std::string indent;
  std::string end_of_line;
  char or_behind = ',';
};
std::string broken_lines(std::string_view statement, const LineStyle& style);

// In each language; the plan's types can be made.
std::variant<std::string, NoCode> c_code(const CodePlan& plan, CodeExtent extent);
std::variant<std::string, NoCode> fortran_code(const CodePlan& plan, CodeExtent extent);
std::variant<std::string, NoCode> python_code(const CodePlan& plan, CodeExtent extent);

/// The program's text with what stands for "@name@".
std::string filled(std::string_view program, std::string_view name, std::string_view text);
/// What a language says in its program: of the plan, to make the type, and to free it.
struct ProgramParts {
  std::string comments, make, free;
};
/// `text` with the parts in place of "@comments@", "@make@" and "@free@", where the type is ours to free, and the
/// type's variable in place of "@result@".
std::string program_of(std::string_view text, const CodePlan& plan, const ProgramParts& parts);

}  // namespace ddtscope::reporters
