// Text functions of the API, and the print notation with its inverse.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "decoder/fuzz/session.h"

namespace ddtscope::fuzz {

/// The whole text of a call (buffer, size, length) -> status, by way of a buffer that is too short; empty where the
/// call is refused.
template <class Call>
std::string text_of(Session& session, Call call) {
  std::size_t length = 0;
  if (!session.succeeded(call(nullptr, std::size_t{0}, &length))) return {};
  std::string whole(length + 1, '#');
  std::size_t again = 0;
  FUZZ_CHECK(session, session.succeeded(call(whole.data(), whole.size(), &again)));
  FUZZ_CHECK(session, again == length && whole.back() == '\0');
  whole.pop_back();
  // Of just this size, so that the sanitizer sees a step beyond.
  const std::size_t room = session.input.choice(32);
  const auto cut = std::make_unique<char[]>(room);
  FUZZ_CHECK(session, session.succeeded(call(cut.get(), room, nullptr)));
  if (room > 0) {
    const std::size_t fits = std::min(room - 1, length);
    FUZZ_CHECK(session, cut[fits] == '\0' && whole.compare(0, fits, cut.get(), fits) == 0);
  }
  return whole;
}

std::string notation_of(Session& session, ddtscope_datatype type);

/// The parser gives back what was printed, here and in another context.
void check_notation(Session& session, ddtscope_datatype type);

}  // namespace ddtscope::fuzz
