// Types of about 10^18 entries, made in many ways, and pairs of them to be matched: what questions are timed over.
#pragma once

#include <span>
#include <string_view>

#include "decoder/testing/test_store.h"

namespace ddtscope::bench {

struct HugeType {
  std::string_view name;
  DefinitionId (*make)(test::TestStore& types);
};

/// Of a short description each: no more than some hundred numbers.
std::span<const HugeType> huge_types();
/// Of as many entries, but with a description of thousands of numbers, or of dozens of constructors, which the first
/// question has to read. Their names begin with "long: ".
std::span<const HugeType> long_types();

/// `depth` constructors, one around the other.
DefinitionId chain(test::TestStore& types, int depth);
/// 2^levels entries: each struct has the one below it twice.
DefinitionId doublings(test::TestStore& types, int levels);

/// Two messages.
struct Messages {
  DefinitionId send;
  std::int64_t send_count;
  DefinitionId receive;
  std::int64_t receive_count;
};
struct MessagesOfType {
  std::string_view name;
  Messages (*make)(test::TestStore& types, DefinitionId type);
};
/// Made of any type.
std::span<const MessagesOfType> messages_of_type();

struct HugeMessages {
  std::string_view name;
  Messages (*make)(test::TestStore& types);
};
/// Of about 10^18 entries each, which part at places that are hard to find.
std::span<const HugeMessages> messages_that_part();

}  // namespace ddtscope::bench
