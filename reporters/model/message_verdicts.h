// Whether one operation may receive what another one sends, looked up once for each two.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "reporters/model/message_comparison.h"

namespace ddtscope::reporters {

class MessageVerdicts {
 public:
  explicit MessageVerdicts(const Job& job);

  MessageVerdict of(OperationIndex sent, OperationIndex received);
  /// Where they part.
  Match match(OperationIndex sent, OperationIndex received);

 private:
  MessageSide side_of(OperationIndex operation);

  const Job& job_;
  Layouts layouts_;
  Fingerprints fingerprints_;
  std::vector<std::uint32_t> data_;  // by operation: those of the same type and count are judged alike
  std::unordered_map<std::uint64_t, MessageVerdict> verdicts_;  // by the data of both
};

}  // namespace ddtscope::reporters
