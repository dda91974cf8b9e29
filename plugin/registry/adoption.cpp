// From decoded types to definitions, parts first.
#include "plugin/registry/adoption.h"

#include <vector>

#include "decoder/definition/envelope.h"

namespace ddtscope::plugin {
namespace {

using Node = LibraryDecoding::Node;

/// A predefined type of the library's own, which no standard names: one entry of its size.
DefinitionId take_in_named(const Node& node, const AdoptedInto& into, std::string& problem) {
  // It may stand in a decoding twice, and another thread may have met it.
  if (const HandleEntry* entry = into.lives.find(node.handle)) return entry->type();
  if (!node.bounds.size || !node.bounds.extent) {
    problem = "a predefined type of unknown size";
    return {};
  }
  PredefinedType type;
  type.name = node.name;
  type.size = *node.bounds.size;
  type.extent = *node.bounds.extent;
  type.alignment = natural_alignment(type.name, type.size);
  const DefinitionId id = type.name.empty() ? DefinitionId{} : into.cache.add_unlisted(type, node.bounds);
  if (!id.valid()) {
    problem = "a predefined type that is not in ddtscope's tables";
    return {};
  }
  into.lives.begin(node.handle, {.definition = id, .predefined = true}, [](std::uint32_t) {});
  return id;
}

DefinitionId take_in_derived(const Node& node, std::vector<DefinitionId>&& children, const AdoptedInto& into,
                             std::string& problem) {
  const DecodedType& decoded = node.decoded;
  Contents contents{decoded.integers, decoded.addresses, decoded.large_counts, std::move(children)};
  CallFromContents call;
  if (!call.build(decoded.combiner, decoded.form, contents)) {
    problem = call.problem();
    return {};
  }
  const DefinitionId id = into.cache
                              .define({.call = call.call(),
                                       .digests = into.cache.store().digest_arrays(call.call()),
                                       .bounds = node.bounds,
                                       .place = into.place,
                                       .origin = Origin::adopted,
                                       .since = into.lives.next_generation()})
                              .id;
  if (!id.valid()) problem = into.writer.stopped() ? "the trace takes no more" : trace::no_memory;
  return id;
}

}  // namespace

DefinitionId take_in(const LibraryDecoding& decoding, const AdoptedInto& into, std::string& problem) {
  std::vector<DefinitionId> taken;  // as many as nodes; pinned until their parents are there
  for (const Node& node : decoding.nodes()) {
    std::vector<DefinitionId> children;
    for (const LibraryDecoding::Child& child : node.children)
      children.push_back(child.known.valid() ? child.known : taken[child.node]);
    const DefinitionId id = node.decoded.combiner == Combiner::named
                                ? take_in_named(node, into, problem)
                                : take_in_derived(node, std::move(children), into, problem);
    if (!id.valid()) break;
    into.cache.pin(id);
    taken.push_back(id);
  }
  const bool is_whole = taken.size() == decoding.nodes().size();
  into.cache.unpin(taken);
  return is_whole ? taken.back() : DefinitionId{};
}

}  // namespace ddtscope::plugin
