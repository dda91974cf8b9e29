// A library whose types are all alike and that decodes none, for tests.
#pragma once

#include <optional>
#include <string>

#include "plugin/registry/library_queries.h"

namespace ddtscope::plugin {

class PlainLibrary : public LibraryQueries {
 public:
  explicit PlainLibrary(const ObservedBounds& bounds) : bounds_(bounds) {}
  ObservedBounds bounds(HandleBits) override { return bounds_; }
  std::optional<DecodedType> decode(HandleBits, std::string& problem) override {
    problem = "not known";
    return std::nullopt;
  }
  std::optional<Envelope> envelope(HandleBits) override { return std::nullopt; }
  std::string name(HandleBits) override { return {}; }
  void release(HandleBits) override {}

 private:
  ObservedBounds bounds_;
};

}  // namespace ddtscope::plugin
