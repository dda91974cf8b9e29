// What was sent or received at one place of the program: one side of a message. Each is told once, and known by its
// number.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "decoder/base/hash_of_words.h"
#include "plugin/call/call_site_id.h"
#include "plugin/call/entry_point.h"
#include "plugin/registry/types_in_use.h"
#include "reporters/trace/format/use_parameter.h"

namespace ddtscope::plugin {

/// How often which type, and the call that starts it.
struct MessageOperation {
  DefinitionNumber number = {};  // of the type, as in TypeInUse
  PredefinedId predefined = {};  // the same; neither where there are no elements
  std::uint64_t elements = 0;
  const EntryPoint* called = nullptr;
  CallSiteId site = {};
  trace::UseParameter parameter = trace::UseParameter::none;
  friend bool operator==(const MessageOperation&, const MessageOperation&) = default;
};

/// Not synchronised.
class MessageOperations {
 public:
  std::uint32_t intern(const MessageOperation& operation) {
    const auto [found, is_new] = numbers_.try_emplace(operation, static_cast<std::uint32_t>(all_.size()));
    if (is_new) all_.push_back(operation);
    return found->second;
  }
  std::optional<std::uint32_t> find(const MessageOperation& operation) const {
    const auto found = numbers_.find(operation);
    return found != numbers_.end() ? std::optional(found->second) : std::nullopt;
  }
  const std::vector<MessageOperation>& all() const { return all_; }
  static constexpr std::size_t bytes_of_one = 2 * sizeof(MessageOperation) + 48;  // in the vector and the table

 private:
  struct Hash {
    std::size_t operator()(const MessageOperation& operation) const {
      return HashOfWords((std::uint64_t{operation.predefined.value} << 32) ^ operation.number.value)
          .add(operation.called)
          .add(operation.elements)
          .add(std::uint64_t{operation.site.value})
          .value();
    }
  };
  std::vector<MessageOperation> all_;
  std::unordered_map<MessageOperation, std::uint32_t, Hash> numbers_;
};

}  // namespace ddtscope::plugin
