// What an exception says to people.
#pragma once

#include <exception>
#include <new>

namespace ddtscope::trace {

inline const char* text_of(const std::exception& error) {
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr ? "no memory" : error.what();
}

}  // namespace ddtscope::trace
