// Greedy: of all ways to make a definition a little simpler, the first one that still fails is taken, until none does.
#include "testapps/differential/shrink.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>

#include "decoder/definition/arguments.h"
#include "decoder/notation/constructor_code.h"
#include "testapps/differential/probe.h"

namespace ddtscope::differential {
namespace {

constexpr int most_probes = 3000;
constexpr auto longest_shrinking = std::chrono::seconds(20);

/// A constructor call that can be changed. Children are nodes before this one.
struct Node {
  DefinitionId leaf;  // valid for leaves
  Combiner combiner = Combiner::named;
  Form form = Form::int_counts;
  test::Arguments arguments;
  std::vector<std::size_t> children;
};
/// Oldtypes first; the last one is the type.
using Sketch = std::vector<Node>;

Sketch sketch_of(const DefinitionStore& store, DefinitionId id) {
  std::map<DefinitionId, std::size_t> places;
  Sketch sketch;
  for (const DefinitionId reached : reached_definitions(store, id)) {
    places.emplace(reached, sketch.size());
    const ConstructorCall& call = store[reached].call;
    Node& node = sketch.emplace_back();
    node.combiner = call.combiner;
    node.form = call.form;
    if (call.datatypes.empty() && call.combiner != Combiner::structure) {
      node.leaf = reached;
      continue;
    }
    std::size_t scalars = 0;
    std::size_t arrays = 0;
    for (const Parameter& parameter : row_of(call.combiner).parameters) {
      std::vector<std::int64_t>& values = node.arguments.emplace_back();
      if (parameter.shape == ParameterShape::scalar) {
        values.push_back(call.scalars[scalars++]);
        continue;
      }
      const IntegerArray& array = call.arrays[arrays++];
      for (std::size_t i = 0; i < array.length; ++i) values.push_back(array[i]);
    }
    for (const DefinitionId oldtype : call.datatypes) node.children.push_back(places.at(oldtype));
  }
  return sketch;
}

/// Only what the root reaches.
Sketch pruned(const Sketch& sketch, std::size_t root) {
  std::vector<bool> used(root + 1);
  used[root] = true;
  for (std::size_t i = root + 1; i-- > 0;) {
    if (!used[i]) continue;
    for (const std::size_t child : sketch[i].children) used[child] = true;
  }
  std::vector<std::size_t> places(root + 1);
  Sketch result;
  for (std::size_t i = 0; i <= root; ++i) {
    if (!used[i]) continue;
    places[i] = result.size();
    result.push_back(sketch[i]);
    for (std::size_t& child : result.back().children) child = places[child];
  }
  return result;
}

/// Invalid where the standard forbids one of the calls.
DefinitionId made(test::TestStore& types, const Sketch& sketch) {
  std::vector<DefinitionId> ids;
  for (const Node& node : sketch) {
    if (node.leaf.valid()) {
      ids.push_back(node.leaf);
      continue;
    }
    std::vector<DefinitionId> oldtypes;
    for (const std::size_t child : node.children) oldtypes.push_back(ids[child]);
    const DefinitionId id = types.make(node.combiner, node.form, node.arguments, oldtypes);
    if (erroneous_argument(types.store(), types.store()[id].call)) return {};
    ids.push_back(id);
  }
  return ids.back();
}

/// What shrinking makes smaller: nodes, then values, then their amounts.
Int128 cost_of(const Sketch& sketch, DefinitionId favourite_leaf) {
  Int128 cost = 0;
  for (const Node& node : sketch) {
    if (node.leaf.valid()) {
      cost += node.leaf == favourite_leaf ? 1 : 2;
      continue;
    }
    cost += Int128{1} << 90;
    if (node.form == Form::large_counts) cost += Int128{1} << 80;
    cost += static_cast<Int128>(node.children.size()) << 74;
    for (const std::vector<std::int64_t>& values : node.arguments) {
      for (const std::int64_t value : values) {
        cost += Int128{1} << 70;
        cost += value < 0 ? 2 * -static_cast<Int128>(value) + 1 : 2 * static_cast<Int128>(value);
      }
    }
  }
  return cost;
}

bool is_constant(const Parameter& parameter) {
  return parameter.name == "order" || parameter.name == "array_of_distribs" || parameter.name == "array_of_dargs" ||
         parameter.name == "ndims" || parameter.name == "size";
}

/// Calls visit(sketch) for each simpler variant, large cuts first; stops where visit returns true.
bool for_each_simpler(const Sketch& sketch, const std::vector<DefinitionId>& leaves,
                      const std::function<bool(const Sketch&)>& visit) {
  const std::size_t root = sketch.size() - 1;
  for (std::size_t child = 0; child < root; ++child) {
    if (!sketch[child].leaf.valid() && visit(pruned(sketch, child))) return true;
  }
  for (std::size_t i = root + 1; i-- > 0;) {
    const Node& node = sketch[i];
    // The node itself by something simpler.
    if (i != root) {
      for (const DefinitionId leaf : leaves) {
        Sketch simpler = sketch;
        simpler[i] = Node{leaf, Combiner::named, Form::int_counts, {}, {}};
        if (visit(pruned(simpler, root))) return true;
      }
    }
    if (node.leaf.valid()) continue;
    for (const std::size_t child : node.children) {
      if (i == root) break;
      Sketch simpler = sketch;
      for (Node& user : simpler) std::replace(user.children.begin(), user.children.end(), i, child);
      if (visit(pruned(simpler, root))) return true;
    }
    if (node.form == Form::large_counts) {
      Sketch simpler = sketch;
      simpler[i].form = Form::int_counts;
      if (visit(simpler)) return true;
    }
    // One block, member or dimension less.
    const auto parameters = row_of(node.combiner).parameters;
    for (const ParameterShape shape : {ParameterShape::per_count, ParameterShape::per_dimension}) {
      std::size_t length = 0;
      for (std::size_t p = 0; p < parameters.size(); ++p) {
        if (parameters[p].shape == shape) length = node.arguments[p].size();
      }
      for (std::size_t gone = 0; gone < length; ++gone) {
        Sketch simpler = sketch;
        Node& changed = simpler[i];
        for (std::size_t p = 0; p < parameters.size(); ++p) {
          auto& values = changed.arguments[p];
          if (parameters[p].shape == shape) {
            if (parameters[p].name == "array_of_psizes") {
              // The grid shrinks with its dimensions.
              changed.arguments[0][0] /= values[gone];
              changed.arguments[1][0] %= changed.arguments[0][0];
            }
            values.erase(values.begin() + static_cast<std::ptrdiff_t>(gone));
          } else if (parameters[p].name == "count" || parameters[p].name == "ndims") {
            --values[0];
          }
        }
        if (row_of(node.combiner).datatypes == DatatypeArguments::per_count) {
          changed.children.erase(changed.children.begin() + static_cast<std::ptrdiff_t>(gone));
        }
        if (visit(pruned(simpler, root))) return true;
      }
    }
    // Smaller numbers.
    const bool count_is_length = node.combiner == Combiner::structure ||
                                 std::any_of(parameters.begin(), parameters.end(), [](const Parameter& parameter) {
                                   return parameter.shape == ParameterShape::per_count;
                                 });
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      if (is_constant(parameters[p]) || (count_is_length && parameters[p].name == "count")) continue;
      for (std::size_t k = 0; k < node.arguments[p].size(); ++k) {
        const std::int64_t value = node.arguments[p][k];
        for (const std::int64_t smaller : {std::int64_t{0}, std::int64_t{1}, value / 2,
                                           value < 0 ? value + 1 : value - 1, value == INT64_MIN ? value : -value}) {
          if (smaller == value) continue;
          Sketch simpler = sketch;
          Node& changed = simpler[i];
          changed.arguments[p][k] = smaller;
          if (parameters[p].name == "array_of_psizes" && value != 0) {
            changed.arguments[0][0] = changed.arguments[0][0] / value * smaller;
            if (changed.arguments[0][0] > 0) changed.arguments[1][0] %= changed.arguments[0][0];
          }
          if (visit(simpler)) return true;
        }
      }
    }
  }
  return false;
}

}  // namespace

Shrunk shrink(test::TestStore& types, DefinitionId id, const Difference& difference) {
  Shrunk shrunk = {id, difference};
  const auto start = std::chrono::steady_clock::now();
  const std::string wanted = text_of_kind(difference);
  std::vector<DefinitionId> leaves;
  for (const char* name : {"MPI_INT", "MPI_CHAR", "MPI_SHORT", "MPI_DOUBLE"}) leaves.push_back(types.named(name));
  Sketch sketch = sketch_of(types.store(), id);
  const auto still_fails = [&](const Sketch& candidate) {
    const bool is_late = shrunk.probes >= most_probes || std::chrono::steady_clock::now() - start > longest_shrinking;
    if (is_late || cost_of(candidate, leaves[0]) >= cost_of(sketch, leaves[0])) return false;
    const DefinitionId definition = made(types, candidate);
    if (!definition.valid()) return false;
    ++shrunk.probes;
    for (const ProbedDifference& found : probe(types, definition)) {
      if (!found.bug.empty() || text_of_kind(found.difference) != wanted) continue;
      shrunk.definition = definition;
      shrunk.difference = found.difference;
      sketch = candidate;
      return true;
    }
    return false;
  };
  while (for_each_simpler(Sketch(sketch), leaves, still_fails)) {
  }
  return shrunk;
}

std::string program_text(const DefinitionStore& store, DefinitionId id) {
  std::map<DefinitionId, std::string> names;  // of derived types and F90 types, oldtypes first
  std::string declarations, statements;
  for (const DefinitionId reached : reached_definitions(store, id)) {
    if (store[reached].call.combiner == Combiner::named) continue;
    const std::string name = "t" + std::to_string(names.size());
    names.emplace(reached, name);
    declarations += (declarations.empty() ? "MPI_Datatype " : ", ") + name;
  }
  for (const auto& [reached, name] : names) {
    statements += constructor_statement(
                      store, reached, [&](DefinitionId oldtype) { return names.at(oldtype); }, name) +
                  "\n";
  }
  return names.empty() ? constructor_call_text(store, id, nullptr) + "\n" : declarations + ";\n" + statements;
}

}  // namespace ddtscope::differential
