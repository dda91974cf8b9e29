// A window in one epoch, drawn with letters.
#pragma once

#include <ostream>
#include <string>

#include "reporters/model/window_picture.h"
#include "reporters/text/report.h"

namespace ddtscope::reporters {

/// How many places of a strip there are at most.
inline constexpr std::size_t cells_of_picture = 64;

/// "ranks 0-3: 400 B each in units of 8 B"
std::string memory_in_words(const JobWindow& part);

/// A strip for each rank, and what the letters mean.
void print_window_picture(std::ostream& out, const TextContext& context, const WindowPicture& picture);

}  // namespace ddtscope::reporters
