// Memory that a call reads or writes.
#pragma once

#include <cstdint>

#include "plugin/call/call_site_id.h"
#include "plugin/call/entry_point.h"
#include "plugin/registry/types_in_use.h"
#include "plugin/uses/use_row.h"
#include "reporters/trace/format/counter_file.h"

namespace ddtscope::plugin {

/// From the first byte that is touched to behind the last one.
struct Hull {
  std::int64_t begin = 0, end = 0;
  friend bool operator==(const Hull&, const Hull&) = default;
};
constexpr bool overlap(const Hull& a, const Hull& b) { return a.begin < b.end && b.begin < a.end; }

/// Copies of a type from an address on, as an argument of a call describes them.
struct Buffer {
  Hull hull;
  std::int64_t address = 0;
  std::uint64_t elements = 0;
  const EntryPoint* called = nullptr;
  DefinitionNumber number = {};  // of the type, as in TypeInUse
  PredefinedId predefined = {};  // the same
  CallSiteId site;
  UseParameter parameter = UseParameter::none;
  Access access = Access::none;
  bool is_solid = false;                   // every byte of the hull is touched
  bool status_tells = false;               // how much has come into it, when its request is complete
  trace::CounterRecord* record = nullptr;  // that counts the use; null: it is to be looked for
};

/// Whether the status of the request that one is pending for tells how much has come into it.
inline bool is_told_of(const Buffer& buffer) { return buffer.status_tells && buffer.access == Access::writes; }

/// Whether what a call does with one would be wrong while a buffer is pending: both may be read.
constexpr bool may_collide(const Buffer& a, const Hull& hull, Access access) {
  return overlap(a.hull, hull) && (a.access == Access::writes || access == Access::writes);
}

/// Whether their overlap would be wrong.
constexpr bool may_collide(const Buffer& a, const Buffer& b) { return may_collide(a, b.hull, b.access); }

}  // namespace ddtscope::plugin
