// Records of text fields through a pipe: what the processes of a run tell each other.
#pragma once

#include <string>
#include <vector>

#include "testapps/differential/comparison.h"

namespace ddtscope::differential {

using Record = std::vector<std::string>;

/// Writes the record whole. Tabs and newlines in fields become spaces.
void write_record(int descriptor, const Record& record);

/// Puts records together from what comes through a pipe.
class RecordReader {
 public:
  /// Reads what is there; false at the end of the pipe.
  bool read_from(int descriptor);
  /// The next whole record; false where there is none yet.
  bool next(Record& record);

 private:
  std::string pending_;
};

Record record_of(const Difference& difference);
/// From the fields of `record` from `first` on.
Difference difference_of(const Record& record, std::size_t first);

/// How a process ended that was in the middle of `aspect`, by its wait status.
Difference casualty_difference(Aspect aspect, int status);

}  // namespace ddtscope::differential
