// What was sent or received at one place of the program: one side of a message. Each is told once, and known by its
// number.
#pragma once

#include <cstdint>

#include "decoder/base/hash_of_words.h"
#include "decoder/base/interned.h"
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

struct HashOfOperation {
  std::uint64_t operator()(const MessageOperation& operation) const {
    return HashOfWords((std::uint64_t{operation.predefined.value} << 32) ^ operation.number.value)
        .add(operation.called)
        .add(operation.elements)
        .add(std::uint64_t{operation.site.value})
        .value();
  }
};
using MessageOperations = Interned<MessageOperation, HashOfOperation>;

}  // namespace ddtscope::plugin
