// libFuzzer's harness on the C API: bytes become constructor calls, right and wrong, and questions about the types
// that come out; what must hold of every answer is checked, and aborts where it does not.
#include "decoder/fuzz/session.h"

namespace {

// So that an input takes a few milliseconds, and no invariant hides behind time.
constexpr int most_steps = 48;
constexpr int most_searches = 3;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ddtscope::fuzz;
  Input input(data, size);
  Session session(input);
  int searches_left = most_searches;
  for (int step = 0; step < most_steps && !input.is_empty(); ++step) {
    const std::size_t kind = input.choice(16);
    if (kind < 7) {
      make_type(session);
    } else if (kind < 9) {
      make_type_otherwise(session);
    } else {
      ask(session, searches_left);
    }
  }
  return 0;
}
