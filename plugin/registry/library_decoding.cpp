// Depth first over the library's own decoding.
#include "plugin/registry/library_decoding.h"

#include <utility>

namespace ddtscope::plugin {
namespace {

/// A handle of such a type is the asker's to free.
bool is_derived(Combiner combiner) { return combiner != Combiner::named && !is_unnamed_predefined(combiner); }

}  // namespace

bool LibraryDecoding::decode(HandleBits handle, std::string& problem) {
  // Without recursion: a chain may be long.
  if (!open(handle, problem)) return false;
  while (!open_.empty()) {
    if (open_.back().children.size() == open_.back().decoded.datatypes.size()) {
      finish();
    } else if (!decode_next_child(problem)) {
      give_up();
      return false;
    }
  }
  return true;
}

bool LibraryDecoding::open(HandleBits handle, std::string& problem) {
  std::optional<DecodedType> decoded = library_.decode(handle, problem);
  if (!decoded) return false;
  Node node{
      .handle = handle, .decoded = std::move(*decoded), .bounds = library_.bounds(handle), .name = {}, .children = {}};
  if (node.decoded.combiner == Combiner::named) node.name = library_.name(handle);
  open_.push_back(std::move(node));
  return true;
}

bool LibraryDecoding::decode_next_child(std::string& problem) {
  Node& parent = open_.back();
  const HandleBits child = parent.decoded.datatypes[parent.children.size()];
  const std::optional<KnownType> known = find_known_(child);
  if (!known) return open(child, problem);
  parent.children.push_back({.known = known->definition});
  if (!known->is_predefined) library_.release(child);
  return true;
}

void LibraryDecoding::finish() {
  Node node = std::move(open_.back());
  open_.pop_back();
  if (!open_.empty()) {
    if (is_derived(node.decoded.combiner)) library_.release(node.handle);
    open_.back().children.push_back({.known = {}, .node = nodes_.size()});
  }
  nodes_.push_back(std::move(node));
}

void LibraryDecoding::give_up() {
  for (const Node& node : open_) {
    for (std::size_t i = node.children.size(); i < node.decoded.datatypes.size(); ++i)
      give_back(node.decoded.datatypes[i]);
  }
}

void LibraryDecoding::give_back(HandleBits handle) {
  // Only what is known to be derived may be freed.
  const std::optional<KnownType> known = find_known_(handle);
  const std::optional<Envelope> envelope = known ? std::nullopt : library_.envelope(handle);
  if (known ? !known->is_predefined : envelope && is_derived(envelope->combiner)) library_.release(handle);
}

}  // namespace ddtscope::plugin
