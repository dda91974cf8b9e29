// What was sent or received at one place of the program: one side of a message. Each is told once, and known by its
// number.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "decoder/base/hash_of_words.h"
#include "decoder/base/index_table.h"
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
    const std::uint64_t hash = hash_of(operation);
    const std::uint32_t known = number_of(operation, hash);
    if (known != IndexTable::none) return known;
    const auto number = static_cast<std::uint32_t>(all_.size());
    all_.push_back(operation);
    numbers_.insert(hash, number);
    return number;
  }
  std::optional<std::uint32_t> find(const MessageOperation& operation) const {
    const std::uint32_t known = number_of(operation, hash_of(operation));
    return known != IndexTable::none ? std::optional(known) : std::nullopt;
  }
  const std::vector<MessageOperation>& all() const { return all_; }
  static constexpr std::size_t bytes_of_one = 2 * sizeof(MessageOperation) + IndexTable::bytes_per_number;

 private:
  std::uint32_t number_of(const MessageOperation& operation, std::uint64_t hash) const {
    return numbers_.find(hash, [&](std::uint32_t number) { return all_[number] == operation; });
  }
  static std::uint64_t hash_of(const MessageOperation& operation) {
    return HashOfWords((std::uint64_t{operation.predefined.value} << 32) ^ operation.number.value)
        .add(operation.called)
        .add(operation.elements)
        .add(std::uint64_t{operation.site.value})
        .value();
  }

  std::vector<MessageOperation> all_;
  IndexTable numbers_;
};

}  // namespace ddtscope::plugin
