// What the registry knows, for those who count what is done with its types.
#pragma once

#include <cstdint>
#include <string_view>

#include "plugin/call/call_site.h"
#include "plugin/registry/definition_cache.h"
#include "plugin/registry/handle_lives.h"
#include "reporters/trace/write/writer.h"

namespace ddtscope::plugin {

/// A type as the trace names it.
struct TypeInUse {
  enum class State : std::uint8_t { unknown, freed, known };
  trace::LineId number = trace::no_line;      // of a definition
  trace::LineId predefined = trace::no_line;  // of a predefined type, in the registry
  State state = State::unknown;
  friend bool operator==(const TypeInUse&, const TypeInUse&) = default;
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
  };
  explicit TypesInUse(const Parts& parts) : parts_(parts) {}

  TypeInUse find(HandleBits handle);
  /// The life that the handle has now; null where it has none.
  const HandleEntry* life_of(HandleBits handle) { return parts_.lives.find(handle); }
  /// Its place among the predefined types of the trace; none for a definition.
  trace::LineId place_in_trace(const TypeInUse& type) const;
  /// Empty for a definition.
  std::string_view predefined_name(const TypeInUse& type) const;

  CallSiteId site_of(const Stack& stack) { return parts_.sites.intern(stack, parts_.writer); }
  /// The site of calls whose own ones there is no memory for.
  CallSiteId site_not_recorded() { return parts_.sites.not_recorded(parts_.writer); }

 private:
  const Parts parts_;
};

}  // namespace ddtscope::plugin
