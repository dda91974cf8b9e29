// Joins streams of records that are in order into one.
#pragma once

#include <optional>
#include <vector>

#include "reporters/trace/reduce/record.h"

namespace ddtscope::reduce {

class RecordSource {
 public:
  enum class State : std::uint8_t { ready, waiting, ended };
  virtual ~RecordSource() = default;
  /// Whether there is a record: only then may the next two be called.
  virtual State state() = 0;
  virtual Record& head() = 0;
  virtual void pop() = 0;
};

/// The sources' ranks stand next to each other, in their order.
class RecordReduce {
 public:
  explicit RecordReduce(std::vector<RecordSource*> sources) : sources_(std::move(sources)) {}

  /// Takes records until one is whole, which is `record` then; or some source has to be waited for; or all have ended.
  RecordSource::State next(Record& record);

 private:
  std::vector<RecordSource*> sources_;
  std::optional<Record> current_;
};

}  // namespace ddtscope::reduce
