// Down the definitions, by the numbers of entries below each: what a constructor's blocks are is told by the names of
// its parameters.
#include "decoder/layout/path.h"

namespace ddtscope {
namespace {

/// The blocklengths of a call, by block; 0 where its combiner has no blocks.
std::int64_t blocklength_of(const ConstructorCall& call, Exact block) {
  if (parameter_slot(call.combiner, "array_of_blocklengths") >= 0) {
    return call.array("array_of_blocklengths")[static_cast<std::size_t>(block.value())];
  }
  return parameter_slot(call.combiner, "blocklength") >= 0 ? call.scalar("blocklength") : 0;
}

/// Each block has an oldtype of its own.
bool has_members(const ConstructorCall& call) {
  const DatatypeArguments arguments = row_of(call.combiner).datatypes;
  return arguments == DatatypeArguments::per_count || arguments == DatatypeArguments::two;
}

DefinitionId oldtype_of(const ConstructorCall& call, Exact block) {
  return call.datatypes[has_members(call) ? static_cast<std::size_t>(block.value()) : 0];
}

std::size_t block_count(const ConstructorCall& call) {
  if (parameter_slot(call.combiner, "array_of_blocklengths") < 0) return call.datatypes.size();
  return call.array("array_of_blocklengths").length;
}

bool is_pair(const DefinitionStore& store, const Definition& definition) {
  return definition.predefined.valid() && store.predefined()[definition.predefined].kind == PredefinedKind::pair;
}

/// Which block a part of the type's own node is, where the node may have none of those of length 0.
std::size_t block_of_part(const ConstructorCall& call, const LayoutNode& root, std::size_t part) {
  if (root.part_count == block_count(call)) return part;
  const IntegerArray& blocklengths = call.array("array_of_blocklengths");
  std::size_t block = 0;
  for (std::size_t left = part; blocklengths[block] <= 0 || left-- != 0;) ++block;
  return block;
}

/// The step to an entry of a derived type; `entry` becomes the entry of the oldtype.
PathStep step_to_entry(LayoutIndex& index, DefinitionId id, Exact& entry) {
  const Layouts& layouts = index.layouts();
  const ConstructorCall& call = layouts.store()[id].call;
  const LayoutNode& root = layouts[layouts.root(id)];
  PathStep step = {id, 0, 0};
  // Blocks that differ are the parts of the type's own node; where it has none, they are all alike.
  const bool has_blocklengths = parameter_slot(call.combiner, "array_of_blocklengths") >= 0;
  const bool has_own_parts = root.kind == LayoutKind::parts && (root.part_count == block_count(call) ||
                                                                (has_blocklengths && root.blocklengths.length != 0));
  const bool is_uneven = has_own_parts && (has_members(call) || has_blocklengths);
  if (is_uneven) {
    const auto found = index.part_of_unit<EntryUnits>(root, entry);
    step.block = Exact(static_cast<std::int64_t>(block_of_part(call, root, found.part)));
    entry = found.unit;
  }
  const CopyAndUnit found = copy_of_unit<EntryUnits>(layouts.facts(oldtype_of(call, step.block)), entry, 0);
  step.element = found.copy;
  entry = found.unit;
  if (is_uneven) return step;
  const Exact blocklength = blocklength_of(call, 0);
  if (blocklength > Exact(0)) {
    step.block = step.element.value() / blocklength.value();
    step.element = step.element - step.block * blocklength;
  }
  return step;
}

std::string name_of_type(const DefinitionStore& store, DefinitionId id, const NameOfDefinition& name_of) {
  const Definition& definition = store[id];
  if (definition.predefined.valid()) return store.predefined()[definition.predefined].name;
  return is_f90(definition.call.combiner) ? f90_name(definition.call) : name_of(id);
}

/// " member 1, element 2".
std::string text_of_place(const DefinitionStore& store, const PathStep& step) {
  const Definition& definition = store[step.definition];
  const ConstructorCall& call = definition.call;
  const DatatypeArguments oldtypes = row_of(call.combiner).datatypes;
  if (is_pair(store, definition) || oldtypes == DatatypeArguments::two) return " part " + step.block.to_string();
  const std::int64_t blocklength = blocklength_of(call, step.block);
  const std::string element = "element " + step.element.to_string();
  if (blocklength != 0) {
    return (oldtypes == DatatypeArguments::per_count ? " member " : " block ") + step.block.to_string() +
           (blocklength > 1 ? ", " + element : "");
  }
  const bool has_one_element = call.combiner == Combiner::dup || call.combiner == Combiner::resized;
  return has_one_element ? "" : " " + element;
}

}  // namespace

std::vector<PathStep> path_to_entry(LayoutIndex& index, DefinitionId id, Exact entry) {
  const Layouts& layouts = index.layouts();
  const DefinitionStore& store = layouts.store();
  const Exact entries = layouts.facts(id).entries;
  if (!(entry >= Exact(0)) || entry >= entries) return {};
  std::vector<PathStep> path;
  while (!store[id].call.datatypes.empty()) {
    path.push_back(step_to_entry(index, id, entry));
    id = oldtype_of(store[id].call, path.back().block);
  }
  if (is_pair(store, store[id])) path.push_back(PathStep{id, entry, 0});
  return path;
}

std::vector<PathStep> path_to_entry(const Layouts& layouts, DefinitionId id, Exact entry) {
  LayoutIndex index(layouts);
  return path_to_entry(index, id, entry);
}

std::string text_of_path(const DefinitionStore& store, const std::vector<PathStep>& path,
                         const NameOfDefinition& name_of) {
  std::string text;
  for (const PathStep& step : path) {
    text += name_of_type(store, step.definition, name_of) + text_of_place(store, step) + " > ";
  }
  if (path.empty()) return text;
  const Definition& last = store[path.back().definition];
  if (is_pair(store, last)) {
    const PredefinedType& pair = store.predefined()[last.predefined];
    return text + (path.back().block == Exact(0) ? pair.first : pair.second);
  }
  return text + name_of_type(store, oldtype_of(last.call, path.back().block), name_of);
}

}  // namespace ddtscope
