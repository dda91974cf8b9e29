// What one input makes and asks: a context, the types made so far, and how an invariant that does not hold is told.
#pragma once

#include <cstdint>
#include <vector>

#include "decoder/c_api/ddtscope.h"
#include "decoder/fuzz/input.h"

namespace ddtscope::fuzz {

struct Session;

/// Says which condition does not hold and where, and the session's types, and aborts: the fuzzer keeps the input.
[[noreturn]] void fail(const char* condition, const char* file, int line, const Session& session);

#define FUZZ_CHECK(session, condition)                                                 \
  do {                                                                                 \
    if (!(condition)) ::ddtscope::fuzz::fail(#condition, __FILE__, __LINE__, session); \
  } while (0)

struct Session {
  explicit Session(Input& from);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// A type that was made, or, now and then, a handle that is none.
  ddtscope_datatype any_type();
  /// A type that was made.
  ddtscope_datatype valid_type() { return types[input.choice(types.size())]; }
  int any_rule() { return static_cast<int>(input.choice(16)) == 15 ? input.int_number() : valid_rule(); }
  int valid_rule() { return static_cast<int>(input.choice(4)); }

  /// What holds after every call: an error has its class and its sentence. True for success.
  bool succeeded(int status);
  void add(ddtscope_datatype type);

  Input& input;
  ddtscope_context* context = nullptr;
  ddtscope_context* other = nullptr;  // into which types are carried as text
  std::vector<ddtscope_datatype> types;
  bool is_observed = false;         // bounds that are no rule's are in use under DDTSCOPE_RULE_OBSERVED
  bool is_another_machine = false;  // predefined types are not those of the other context
};

/// One constructor call, with arguments that may be wrong.
void make_type(Session& session);
/// One type by another way than its constructor, with input that may be wrong: text, contents, predefined names, and
/// what a machine or a library says.
void make_type_otherwise(Session& session);

/// One question. Those that may search for long are asked `searches_left` times at most.
void ask(Session& session, int& searches_left);

}  // namespace ddtscope::fuzz
