// What a process is in the middle of, as its pending file has it (reporters/trace/format/pending_file.h).
#pragma once

#include <vector>

#include "reporters/trace/format/pending_file.h"

namespace ddtscope {

/// Records that were whole, and did not change while they were read: of a thread that is on its way the call is none.
struct PendingFile {
  trace::PendingFileHeader header{};
  std::vector<trace::PendingThread> threads;
  std::vector<trace::PendingOperation> operations;
  std::vector<trace::PendingChannel> channels;
  std::vector<trace::PendingStarted> started;
};

}  // namespace ddtscope
