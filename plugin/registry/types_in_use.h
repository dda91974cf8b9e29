// What the registry knows, for those who count what is done with its types.
#pragma once

#include <cstdint>
#include <string_view>

#include "plugin/call/call_site.h"
#include "plugin/registry/definition_cache.h"
#include "plugin/registry/handle_lives.h"
#include "plugin/registry/recent_frees.h"
#include "reporters/trace/write/writer.h"

namespace ddtscope::plugin {

/// A type as the trace names it.
struct TypeInUse {
  enum class State : std::uint8_t {
    unknown,  // nobody has seen the handle
    lost,     // it stands for something of which nothing is to be had
    freed,    // it stood for a type that was made and freed, and for nothing since
    known
  };
  DefinitionNumber number = {};  // of a definition
  PredefinedId predefined = {};  // of a predefined type, in the registry
  State state = State::unknown;
  bool lacks_commit = false;  // for certain; says nothing of which type it is
  friend bool operator==(const TypeInUse& a, const TypeInUse& b) {
    return a.number == b.number && a.predefined == b.predefined && a.state == b.state;
  }
};

/// Stands for what a live handle's type is, whatever handle that has: equal calls give types of one key, for all of the
/// process. 0: of none.
using TypeKey = std::uint64_t;

/// What the entries of a type are.
struct BasicTypes {
  bool are_derived = false;  // whether the program made the type out of others: a duplicate is as the other one is
  std::string_view first, second;  // names of two that differ; empty where there are none, or no name is known
};

/// Not synchronised: for work beside the registry, under its lock (Registry::beside).
class TypesInUse {
 public:
  /// All must outlive it.
  struct Parts {
    HandleLives& lives;
    const DefinitionCache& cache;
    CallSites& sites;
    trace::Writer& writer;
    const RecentFrees& frees;
  };
  explicit TypesInUse(const Parts& parts) : parts_(parts) {}

  TypeInUse find(HandleBits handle);
  /// Pair types are one. Takes time that grows with the definitions that the type is made of; of a handle that is not
  /// known nothing is known.
  BasicTypes basic_types_of(HandleBits handle) const;
  /// The life that the handle has now; null where it has none.
  const HandleEntry* life_of(HandleBits handle) { return parts_.lives.find(handle); }
  /// What the handle of this life stands for.
  [[gnu::always_inline]] inline TypeKey key_of(const HandleEntry& life) const {
    if (!life.is_predefined()) {
      // A definition's place may be another one's, once it has made room; its number in the trace never is.
      const DefinitionNumber number = parts_.cache.number_of(life.type());
      if (number.valid()) [[likely]]
        return number.value + std::uint64_t{1};
    }
    return predefined_key | life.definition;
  }
  /// Its place among the predefined types of the trace; none for a definition.
  PredefinedNumber place_in_trace(const TypeInUse& type) const;
  /// Empty for a definition.
  std::string_view predefined_name(const TypeInUse& type) const;

  /// The last life of a handle that was freed; null where it is not remembered.
  const FreedType* last_life(HandleBits handle) const { return parts_.frees.find(handle); }

  CallSiteId site_of(const Stack& stack) { return parts_.sites.intern(stack, parts_.writer); }
  /// The site of a place of which no more is known than the return address.
  CallSiteId site_alone(void* address) { return parts_.sites.without_callers(address, parts_.writer); }
  /// The site of calls whose own ones there is no memory for.
  CallSiteId site_not_recorded() { return parts_.sites.not_recorded(parts_.writer); }

 private:
  static constexpr TypeKey predefined_key = TypeKey{1} << 62;

  const Parts parts_;
};

}  // namespace ddtscope::plugin
