// The calls of epochs as parties of conflicts: each shape is one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reporters/model/access_conflicts.h"
#include "reporters/model/uses.h"
#include "reporters/model/window_epochs.h"

namespace ddtscope::reporters {

/// Contents and layouts must outlive it.
class EpochParties {
 public:
  EpochParties(const EpochContents& contents, const Layouts& layouts) : contents_(contents), search_(layouts) {}

  /// The party of a shape.
  std::uint32_t of(std::uint32_t shape) {
    if (parties_.size() <= shape) parties_.resize(shape + 1, UINT32_MAX);
    if (parties_[shape] == UINT32_MAX) {
      const EpochShape& calls = contents_.shape(shape);
      parties_[shape] = search_.add_party({.kind = kind_of_access(calls.called),
                                           .type = calls.type,
                                           .elements = calls.elements,
                                           .op = calls.op,
                                           .ordering = calls.ordering,
                                           .fetches = fetches(calls.called)});
      shapes_.push_back(shape);
    }
    return parties_[shape];
  }
  std::uint32_t shape_of(std::uint32_t party) const { return shapes_[party]; }
  ConflictSearch& search() { return search_; }
  const ConflictSearch& search() const { return search_; }

  /// Whether it brings the origin what stood there.
  static bool fetches(std::string_view called) {
    const std::string function = bare_function_of(called);
    return function == "fetch_and_op" || function == "compare_and_swap" || function == "get_accumulate" ||
           function == "rget_accumulate";
  }
  static AccessKind kind_of_access(std::string_view called) {
    const std::string function = bare_function_of(called);
    return function == "put" || function == "rput"   ? AccessKind::put
           : function == "get" || function == "rget" ? AccessKind::get
           : function == "compare_and_swap"          ? AccessKind::compare_and_swap
                                                     : AccessKind::accumulate;
  }

 private:
  const EpochContents& contents_;
  ConflictSearch search_;
  std::vector<std::uint32_t> parties_;  // by shape
  std::vector<std::uint32_t> shapes_;   // by party
};

}  // namespace ddtscope::reporters
