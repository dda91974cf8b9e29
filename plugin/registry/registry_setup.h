// What a registry is made with.
#pragma once

#include <cstddef>
#include <vector>

#include "decoder/definition/definition.h"
#include "plugin/call/call_site.h"
#include "plugin/debug_view/debug_memory.h"
#include "plugin/registry/counter_pages.h"
#include "plugin/registry/library_queries.h"
#include "reporters/trace/write/writer.h"

namespace ddtscope::plugin {

/// A predefined datatype and its handle.
struct PredefinedHandle {
  HandleBits handle;
  PredefinedType type;
};

struct RegistryOptions {
  bool verify = false;        // compare each new definition with the library's own answers
  bool multithreaded = true;  // false below MPI_THREAD_MULTIPLE: nothing is locked until require_locking()
  // What is kept of definitions takes no more: those without live instances and parents make room, the least recently
  // made ones first.
  std::size_t most_bytes = std::size_t{1} << 25;
  // What they have counted stays where it is, in the file of counters, as long as it takes no more.
  std::size_t most_parked_bytes = std::size_t{1} << 27;
};

/// What a registry is told of at its beginning, and what it uses, which must outlive it.
struct RegistrySurroundings {
  const LibraryConstants& constants;
  const std::vector<PredefinedHandle>& predefined;
  CallSites& sites;
  LibraryQueries& library;
  trace::Writer& writer;
  CounterPages& pages;
  DebugMemory& memory;
};

}  // namespace ddtscope::plugin
