// The questions that are timed: of the decoder itself, and through its C API. Each is asked of one type, or of two
// messages.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decoder/bench/huge_types.h"

namespace ddtscope::bench {

/// One that can be asked, again and again, of what it was made for; what it learns, it keeps.
class Asker {
 public:
  virtual ~Asker() = default;
  virtual void ask(std::size_t question) = 0;
};

/// What is asked about: definitions of one store, already interned.
struct Subject {
  const test::TestStore& types;
  DefinitionId type;
  std::span<const Messages> messages;
};

/// Places all over, in an order that no cache can foresee.
class Places {
 public:
  Exact below(Exact end) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return Exact(static_cast<Int128>(state_ >> 1) % end.value());
  }

 private:
  std::uint64_t state_ = 1;
};

inline constexpr std::int64_t copies_asked_for = 1000;
inline constexpr std::size_t runs_asked_for = 64;

/// A way of asking: which questions it has, and something new that knows nothing yet.
struct Ask {
  std::string_view name;  // "decoder", "C API"
  std::vector<std::string_view> questions;
  /// Then come questions whether messages match: number questions.size() + i asks for messages[i].
  std::unique_ptr<Asker> (*make)(const Subject& subject);
};
const Ask& decoder_questions();
const Ask& c_api_questions();

}  // namespace ddtscope::bench
