// Adoption: types that no wrapper saw being made, decoded through the library's own getters.
#include "decoder/definition/envelope.h"
#include "plugin/registry/registry.h"

namespace ddtscope::plugin {

DefinitionId Registry::adopt_named(HandleBits handle, std::string& problem) {
  // A predefined type of the library's own, which no standard names: one entry of its size.
  const ObservedBounds bounds = library_.bounds(handle);
  if (!bounds.size || !bounds.extent) {
    problem = "a predefined type of unknown size";
    return {};
  }
  PredefinedType type;
  type.name = library_.name(handle);
  if (type.name.empty() || store_.find_predefined(type.name)) {
    problem = "a predefined type that is not in ddtscope's tables";
    return {};
  }
  type.size = *bounds.size;
  type.extent = *bounds.extent;
  type.alignment = natural_alignment(type.name, type.size);
  const DefinitionId id = store_.add_predefined(type);
  if (layouts_) {
    layouts_->add(id);
    layouts_->observe(id, bounds);
  }
  writer_.predefined(type);
  memory_.predefined(id, type.name);
  handles_.begin_life(handles_.slot_for(handle), handle, {.definition = id, .predefined = true});
  return id;
}

class Registry::Pins {
 public:
  explicit Pins(Registry& registry) : registry_(registry) {}
  Pins(const Pins&) = delete;
  Pins& operator=(const Pins&) = delete;
  ~Pins() {
    for (const DefinitionId id : pinned_) {
      --registry_.uses_[id.value].pins;
      if (registry_.store_[id].predefined.valid() || registry_.is_in_use(id)) continue;
      try {
        registry_.enqueue(id);
      } catch (...) {  // no memory: it stays
      }
    }
  }
  void add(DefinitionId id) {
    pinned_.push_back(id);
    ++registry_.use_of(id).pins;
  }

 private:
  Registry& registry_;
  std::vector<DefinitionId> pinned_;
};

DefinitionId Registry::adopt(HandleBits handle, const Place& place, std::string& problem) {
  // Depth first over the library's own decoding, without recursion: a chain may be long.
  struct Pending {
    HandleBits handle;
    bool borrowed;  // returned by a decoding of ours
    DecodedType decoded;
    std::vector<DefinitionId> children;
  };
  std::vector<Pending> stack;
  Pins children(*this);
  // Only what is known to be derived may be freed.
  const auto give_back = [&](HandleBits type) {
    const HandleEntry* entry = handles_.find(type);
    const std::optional<Envelope> envelope = entry ? std::nullopt : library_.envelope(type);
    const bool derived =
        entry ? !entry->is_predefined()
              : envelope && envelope->combiner != Combiner::named && !is_unnamed_predefined(envelope->combiner);
    if (derived) library_.release(type);
  };
  const auto give_up = [&]() -> DefinitionId {
    for (const Pending& pending : stack) {
      for (std::size_t i = pending.children.size(); i < pending.decoded.datatypes.size(); ++i)
        give_back(pending.decoded.datatypes[i]);
    }
    return {};
  };
  const auto open = [&](HandleBits type, bool borrowed) {
    std::optional<DecodedType> decoded = library_.decode(type, problem);
    if (decoded) stack.push_back({type, borrowed, std::move(*decoded), {}});
    return decoded.has_value();
  };
  if (!open(handle, false)) return {};

  DefinitionId finished;
  while (!stack.empty()) {
    Pending& top = stack.back();
    if (top.children.size() < top.decoded.datatypes.size()) {
      const HandleBits child = top.decoded.datatypes[top.children.size()];
      if (const HandleEntry* entry = handles_.find(child)) {
        const bool derived = !entry->is_predefined();
        top.children.push_back(entry->type());
        children.add(entry->type());
        if (derived) library_.release(child);
      } else if (!open(child, true)) {
        return give_up();
      }
      continue;
    }
    const Combiner combiner = top.decoded.combiner;
    if (combiner == Combiner::named) {
      finished = adopt_named(top.handle, problem);
    } else {
      Contents contents{top.decoded.integers, top.decoded.addresses, top.decoded.large_counts, top.children};
      CallFromContents call;
      finished = {};
      if (!call.build(combiner, top.decoded.form, contents)) {
        problem = call.problem();
      } else if (const ArrayDigests digests = store_.digest_arrays(call.call()); make_room_for(call.call(), digests)) {
        finished = define(call.call(), digests, top.handle, place, true);
        if (!finished.valid()) problem = "the trace takes no more";
      } else {
        problem = trace::no_memory;
      }
    }
    const HandleBits type = top.handle;
    const bool borrowed = top.borrowed;
    stack.pop_back();
    if (!finished.valid()) {
      // Still among its parent's children that were not taken, where there is a parent.
      return give_up();
    }
    if (borrowed) {
      if (combiner != Combiner::named && !is_unnamed_predefined(combiner)) library_.release(type);
      stack.back().children.push_back(finished);
      children.add(finished);
    }
  }
  if (store_[finished].predefined.valid()) return finished;
  const std::uint32_t counter = counter_of(finished, place);
  ++counters_[counter].counted().adopted;
  begin_life(handle, finished, counter);
  return finished;
}

}  // namespace ddtscope::plugin
