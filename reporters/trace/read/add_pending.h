// What stands in the pending file beside a trace file, in the words of its lines.
#pragma once

#include <filesystem>

#include "reporters/trace/read/record_reader.h"

namespace ddtscope {

/// What is wrong with it is told to who asks for it: the trace can be read without.
void add_pending(const std::filesystem::path& file, RecordReader& reader, Words& words);

}  // namespace ddtscope
