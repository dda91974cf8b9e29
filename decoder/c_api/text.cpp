// Names, and types as text.
#include <map>
#include <set>
#include <vector>

#include "decoder/c_api/context.h"
#include "decoder/c_api/derived_parts.h"
#include "decoder/notation/bnf.h"
#include "decoder/notation/constructor_code.h"

using namespace ddtscope;
using namespace ddtscope::c_api;

std::set<DefinitionId> ddtscope::c_api::derived_parts(const DefinitionStore& store, DefinitionId id) {
  std::set<DefinitionId> parts;
  std::vector<DefinitionId> open = {id};
  while (!open.empty()) {
    const DefinitionId top = open.back();
    open.pop_back();
    if (store[top].call.combiner == Combiner::named || !parts.insert(top).second) continue;
    const auto oldtypes = store[top].call.datatypes;
    open.insert(open.end(), oldtypes.begin(), oldtypes.end());
  }
  return parts;
}

namespace {

std::string c_code(const ddtscope_context& context, DefinitionId id) {
  const DefinitionStore& store = context.store();
  const std::set<DefinitionId> parts = derived_parts(store, id);
  if (parts.empty()) return store.predefined()[store[id].predefined].name;  // whatever name it was given
  std::map<DefinitionId, std::string> variables;
  std::string code;
  for (const DefinitionId part : parts) {
    const std::string variable = "t" + std::to_string(variables.size());
    variables[part] = variable;
    code += "MPI_Datatype " + variable + ";\n";
  }
  const NameOldtype name = [&](DefinitionId oldtype) { return variables.at(oldtype); };
  for (const auto& [part, variable] : variables) code += constructor_statement(store, part, name, variable) + "\n";
  return code;
}

}  // namespace

int ddtscope_type_set_name(ddtscope_context* context, ddtscope_datatype datatype, const char* name) {
  return call(__func__, context, [&](ddtscope_context& c) -> Status {
    DefinitionId id;
    if (Status status = c.resolve(datatype, "datatype", id); status.failed()) return status;
    c.set_name(id, name != nullptr ? name : "");
    return {};
  });
}

int ddtscope_type_get_name(ddtscope_context* context, ddtscope_datatype datatype, char* buffer, size_t size,
                           size_t* length) {
  return call(__func__, context, [&](ddtscope_context& c) {
    DefinitionId id;
    if (Status status = c.resolve(datatype, "datatype", id); status.failed()) return status;
    return put_text(c.name_of(id), {buffer, size, length});
  });
}

int ddtscope_type_get_key(ddtscope_context* context, ddtscope_datatype datatype, uint64_t* key) {
  return call(__func__, context, [&](ddtscope_context& c) -> Status {
    DefinitionId id;
    if (Status status = c.resolve(datatype, "datatype", id); status.failed()) return status;
    if (Status status = require(key, "key"); status.failed()) return status;
    *key = c.store()[id].key;
    return {};
  });
}

int ddtscope_constructor_text(ddtscope_context* context, ddtscope_datatype datatype, size_t array_limit, char* buffer,
                              size_t size, size_t* length) {
  return call(__func__, context, [&](ddtscope_context& c) {
    DefinitionId id;
    if (Status status = c.resolve(datatype, "datatype", id); status.failed()) return status;
    const NameOldtype name = [&](DefinitionId oldtype) { return c.name_of(oldtype); };
    return put_text(constructor_call_text(c.store(), id, name, array_limit), {buffer, size, length});
  });
}

int ddtscope_c_code(ddtscope_context* context, ddtscope_datatype datatype, char* buffer, size_t size, size_t* length) {
  return call(__func__, context, [&](ddtscope_context& c) {
    DefinitionId id;
    if (Status status = c.resolve(datatype, "datatype", id); status.failed()) return status;
    return put_text(c_code(c, id), {buffer, size, length});
  });
}

int ddtscope_bnf_text(ddtscope_context* context, ddtscope_datatype datatype, ddtscope_number_function number_of,
                      void* data, char* buffer, size_t size, size_t* length) {
  return call(__func__, context, [&](ddtscope_context& c) {
    DefinitionId id;
    if (Status status = c.resolve(datatype, "datatype", id); status.failed()) return status;
    BnfNumber number;
    if (number_of != nullptr) number = [&](DefinitionId type) { return number_of(c.handle(type), data); };
    return put_text(bnf_text(c.store(), id, number), {buffer, size, length});
  });
}

int ddtscope_bnf_parse(ddtscope_context* context, const char* text, size_t length, ddtscope_datatype* datatype,
                       size_t* position) {
  return call(__func__, context, [&](ddtscope_context& c) -> Status {
    if (length > 0) {
      if (Status status = require(text, "text"); status.failed()) return status;
    }
    if (Status status = require(datatype, "datatype"); status.failed()) return status;
    BnfEnvironment environment;
    environment.predefined = [&](std::string_view name) { return c.predefined(name); };
    environment.f90_type = [&](const ConstructorCall& f90) { return c.f90_type(f90); };
    const BnfResult result = parse_bnf(c.store(), length > 0 ? std::string_view(text, length) : "", environment);
    if (result.error) {
      if (position != nullptr) *position = result.error->position;
      return {result.error->error,
              "at " + std::to_string(result.error->position) + " expected " + result.error->expected};
    }
    *datatype = c.handle(result.type);
    return {};
  });
}
