#include "plugin/messages/communicator_names.h"

#include <algorithm>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ddtscope::plugin {
namespace {

/// What a name is made of: those of two kinds never agree.
enum class Kind : std::uint64_t { world = 1, self, by_parent, by_members, one_of_members };

/// The same on every machine: all is little-endian, and each list says its length.
class Words {
 public:
  explicit Words(Kind kind) { add(static_cast<std::uint64_t>(kind)); }
  void add(std::uint64_t word) {
    for (int byte = 0; byte < 8; ++byte) bytes_.push_back(static_cast<unsigned char>(word >> (8 * byte)));
  }
  void add(std::string_view text) {
    add(text.size());
    bytes_.insert(bytes_.end(), text.begin(), text.end());
  }
  void add(const CommunicatorGroups& groups) {
    add(groups.remote.empty() ? 1 : 2);
    for (const std::vector<int>& group : in_one_order(groups)) {
      add(group.size());
      for (const int rank : group) add(static_cast<std::uint64_t>(rank));
    }
  }
  std::uint64_t hash() const {
    const std::uint64_t hash = XXH3_64bits(bytes_.data(), bytes_.size());
    return hash != 0 ? hash : 1;
  }

 private:
  std::vector<unsigned char> bytes_;
};

}  // namespace

std::vector<std::reference_wrapper<const std::vector<int>>> in_one_order(const CommunicatorGroups& groups) {
  if (groups.remote.empty()) return {groups.own};
  const auto least = [](const std::vector<int>& ranks) { return *std::min_element(ranks.begin(), ranks.end()); };
  if (groups.own.empty() || least(groups.remote) < least(groups.own)) return {groups.remote, groups.own};
  return {groups.own, groups.remote};
}

void CommunicatorNames::begin(const World& world) {
  Words of_world(Kind::world);
  of_world.add(static_cast<std::uint64_t>(world.number));
  learn(world.world, {of_world.hash()});
  Words of_self(Kind::self);
  of_self.add(static_cast<std::uint64_t>(world.number));
  of_self.add(static_cast<std::uint64_t>(world.rank));
  learn(world.self, {of_self.hash()});
}

CommunicatorNames::Call CommunicatorNames::begin_call(HandleBits parent) {
  const auto found = known_.find(parent);
  if (found == known_.end() || !found->second.are_calls_known) return {};
  Known& known = found->second;
  const Call call{known.name, known.calls};
  known.are_calls_known = ++known.calls != 0;
  return call;
}

void CommunicatorNames::call_failed(HandleBits parent) {
  if (const auto found = known_.find(parent); found != known_.end()) found->second.are_calls_known = false;
}

CommunicatorName CommunicatorNames::name_by_parent(const Call& call, const CommunicatorGroups& groups) {
  if (!call.parent || !groups.are_of_world) return {};
  Words words(Kind::by_parent);
  words.add(call.parent.value);
  words.add(call.number);
  words.add(groups);
  return {words.hash()};
}

CommunicatorName CommunicatorNames::count_by_members(const MadeByMembers& made, const CommunicatorGroups& groups) {
  if (!groups.are_of_world || !groups.are_whole) return {};
  Words common(Kind::by_members);
  common.add(made.parent.value);
  common.add(static_cast<std::uint64_t>(made.tag));
  common.add(made.string_tag);
  common.add(groups);
  const std::uint64_t hash = common.hash();
  auto found = by_members_.find(hash);
  if (found == by_members_.end()) {
    if (by_members_.size() >= most_made_by_members_) return {};
    found = by_members_.emplace(hash, 0).first;
  }
  Words words(Kind::one_of_members);
  words.add(hash);
  words.add(found->second++);
  return {words.hash()};
}

void CommunicatorNames::learn(HandleBits communicator, CommunicatorName name) {
  if (name) {
    known_[communicator] = {name};
  } else {
    forget(communicator);
  }
}

CommunicatorName CommunicatorNames::name_of(HandleBits communicator) const {
  const auto found = known_.find(communicator);
  return found != known_.end() ? found->second.name : CommunicatorName{};
}

}  // namespace ddtscope::plugin
