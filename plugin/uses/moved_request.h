// A persistent request that has another handle since it was started.
#pragma once

#include <utility>

#include "plugin/registry/library_queries.h"

namespace ddtscope::plugin {

struct MovedRequest {
  HandleBits before = 0, now = 0;
};

/// What is kept of the request, by its handle. Of the one that had the new handle before nothing is left.
template <class Map>
void move_entry(Map& by_handle, const MovedRequest& moved) {
  auto entry = by_handle.extract(moved.before);
  by_handle.erase(moved.now);
  if (entry.empty()) return;
  entry.key() = moved.now;
  by_handle.insert(std::move(entry));
}

}  // namespace ddtscope::plugin
