// Writes constructor calls as C, from the combiner table.
#include "decoder/notation/constructor_code.h"

#include <algorithm>

namespace ddtscope {
namespace {

std::string name_of(const DefinitionStore& store, DefinitionId id, const NameOldtype& name_oldtype) {
  return store[id].call.combiner == Combiner::named ? store.predefined()[store[id].predefined].name : name_oldtype(id);
}

/// Arrays in braces, cut where they are long: to be read.
class Braces : public ArgumentWriter {
 public:
  Braces(const DefinitionStore& store, const NameOldtype& name_oldtype, std::size_t limit)
      : store_(store), name_oldtype_(name_oldtype), limit_(limit) {}
  std::string datatype(DefinitionId id) const override { return name_of(store_, id, name_oldtype_); }
  std::string array(const ArgumentKind& /*kind*/, std::size_t length, const Element& element) override {
    std::string text = "{" + joined_elements(std::min(length, limit_), element);
    if (length > limit_) {
      text += std::string(limit_ != 0 ? ", " : "") + "... (" + std::to_string(length) + " values)";
    }
    return text + "}";
  }

 private:
  const DefinitionStore& store_;
  const NameOldtype& name_oldtype_;
  std::size_t limit_;
};

}  // namespace

std::string CArguments::datatype(DefinitionId id) const { return name_of(store_, id, name_oldtype_); }

std::string CArguments::number(const ArgumentKind& kind, std::int64_t value) const {
  // C has no negative literals: those of the smallest numbers do not fit.
  const bool is_smallest = value == INT64_MIN || (!kind.is_address() && !kind.is_large() && value == INT32_MIN);
  return is_smallest ? "(" + std::to_string(value + 1) + " - 1)" : std::to_string(value);
}

std::string CArguments::element_type(const ArgumentKind& kind) {
  if (kind.parameter == nullptr) return "MPI_Datatype";
  if (kind.is_large()) return "MPI_Count";
  return kind.is_address() ? "MPI_Aint" : "int";
}

std::string CArguments::array(const ArgumentKind& kind, std::size_t length, const Element& element) {
  // An empty array is no C.
  return "(" + element_type(kind) + "[]){" + (length == 0 ? "0" : joined_elements(length, element)) + "}";
}

std::string constructor_call_text(const DefinitionStore& store, DefinitionId id, const NameOldtype& name_oldtype,
                                  std::size_t array_limit) {
  const Definition& definition = store[id];
  if (definition.call.combiner == Combiner::named) return store.predefined()[definition.predefined].name;
  Braces writer(store, name_oldtype, array_limit);
  return constructor_name(definition.call.combiner, definition.call.form) + "(" + argument_list(store, id, writer) +
         ")";
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
