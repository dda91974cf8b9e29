// Adds to a process's own file what is derived of its definitions (FORMAT.md, `facts`).
#pragma once

#include <string>

#include "reporters/trace/reduce/line_facts.h"
#include "reporters/trace/write/writer.h"

namespace ddtscope::reduce {

/// `file` is what the writer writes, which must want nothing but its last line. How many definitions stay without: all
/// where the file cannot be read, or the disk is full. The writer can then write its last line all the same.
std::uint64_t append_facts(trace::Writer& writer, const std::string& file, const LineFacts::Limits& limits) noexcept;

}  // namespace ddtscope::reduce
