// A type that no wrapper saw being made, decoded through the library's own getters down to types that are known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plugin/registry/library_queries.h"

namespace ddtscope::plugin {

/// What stands behind a handle that is known.
struct KnownType {
  DefinitionId definition;
  bool is_predefined;
};
using FindKnown = std::function<std::optional<KnownType>(HandleBits)>;

/// Asks the library, which may call the program back, and waits for other threads in it: not to be done under a lock.
/// Every handle that the library gives is given back.
class LibraryDecoding {
 public:
  /// Depth first: children come before their parents, the type that was asked for last.
  struct Child {
    DefinitionId known;    // valid, or
    std::size_t node = 0;  // the place of what was decoded
  };
  struct Node {
    HandleBits handle = 0;
    DecodedType decoded;
    ObservedBounds bounds;
    std::string name;  // of a predefined type
    std::vector<Child> children;
  };

  /// What `find_known` finds must keep its definition as long as this is used. Both must outlive it.
  LibraryDecoding(LibraryQueries& library, const FindKnown& find_known) : library_(library), find_known_(find_known) {}

  /// False where the library's getters fail; `problem` then says how. Once.
  bool decode(HandleBits handle, std::string& problem);
  const std::vector<Node>& nodes() const { return nodes_; }

 private:
  bool open(HandleBits handle, std::string& problem);
  bool decode_next_child(std::string& problem);
  void finish();
  void give_up();
  void give_back(HandleBits handle);

  LibraryQueries& library_;
  const FindKnown& find_known_;
  std::vector<Node> open_;  // from the type that was asked for to the one that is being decoded
  std::vector<Node> nodes_;
};

}  // namespace ddtscope::plugin
