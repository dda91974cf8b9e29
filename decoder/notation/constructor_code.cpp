// Writes constructor calls as C, from the combiner table.
#include "decoder/notation/constructor_code.h"

#include <algorithm>

namespace ddtscope {
namespace {

void append_name(std::string& text, const DefinitionStore& store, DefinitionId id, const NameOldtype& name_oldtype) {
  const Definition& type = store[id];
  text += type.call.combiner == Combiner::named ? store.predefined()[type.predefined].name : name_oldtype(id);
}

/// Arrays in braces, cut where they are long: to be read.
class Braces : public ArgumentWriter {
 public:
  Braces(const DefinitionStore& store, const NameOldtype& name_oldtype, std::size_t limit)
      : store_(store), name_oldtype_(name_oldtype), limit_(limit) {}
  void datatype(std::string& text, DefinitionId id) const override { append_name(text, store_, id, name_oldtype_); }
  void array(std::string& text, const ArgumentKind& /*kind*/, const ArrayElements& elements) override {
    text += '{';
    elements.append_to(text, std::min(elements.length(), limit_));
    if (elements.length() > limit_) {
      text += limit_ != 0 ? ", ... (" : "... (";
      append_integer(text, static_cast<std::int64_t>(elements.length()));
      text += " values)";
    }
    text += '}';
  }

 private:
  const DefinitionStore& store_;
  const NameOldtype& name_oldtype_;
  std::size_t limit_;
};

void append_call(std::string& text, const DefinitionStore& store, DefinitionId id, Braces writer) {
  const Definition& definition = store[id];
  if (definition.call.combiner == Combiner::named) {
    text += store.predefined()[definition.predefined].name;
    return;
  }
  (text += constructor_name(definition.call.combiner, definition.call.form)) += '(';
  append_arguments(text, store, id, writer);
  text += ')';
}

}  // namespace

void CArguments::datatype(std::string& text, DefinitionId id) const { append_name(text, store_, id, name_oldtype_); }

void CArguments::number(std::string& text, const ArgumentKind& kind, std::int64_t value) const {
  // C has no negative literals: those of the smallest numbers do not fit.
  const bool is_smallest = value == INT64_MIN || (!kind.is_address() && !kind.is_large() && value == INT32_MIN);
  if (is_smallest) text += '(';
  append_integer(text, is_smallest ? value + 1 : value);
  if (is_smallest) text += " - 1)";
}

std::string CArguments::element_type(const ArgumentKind& kind) {
  if (kind.parameter == nullptr) return "MPI_Datatype";
  if (kind.is_large()) return "MPI_Count";
  return kind.is_address() ? "MPI_Aint" : "int";
}

void CArguments::array(std::string& text, const ArgumentKind& kind, const ArrayElements& elements) {
  text += "(" + element_type(kind) + "[]){";
  elements.append_to(text);
  if (elements.length() == 0) text += '0';  // an empty array is no C
  text += '}';
}

void append_constructor_call(std::string& text, const DefinitionStore& store, DefinitionId id,
                             const NameOldtype& name_oldtype) {
  append_call(text, store, id, Braces(store, name_oldtype, call_array_limit));
}

std::string constructor_call_text(const DefinitionStore& store, DefinitionId id, const NameOldtype& name_oldtype,
                                  std::size_t array_limit) {
  std::string text;
  append_call(text, store, id, Braces(store, name_oldtype, array_limit));
  return text;
}

std::string constructor_statement(const DefinitionStore& store, DefinitionId id, CArguments& writer,
                                  const std::string& newtype) {
  const ConstructorCall& call = store[id].call;
  if (call.combiner == Combiner::named) return {};
  const std::string arguments = argument_list(store, id, writer);
  return constructor_name(call.combiner, call.form) + "(" + arguments + ", &" + newtype + ");";
}

std::string constructor_statement(const DefinitionStore& store, DefinitionId id, const NameOldtype& name_oldtype,
                                  const std::string& newtype) {
  CArguments writer(store, name_oldtype);
  return constructor_statement(store, id, writer, newtype);
}

}  // namespace ddtscope
