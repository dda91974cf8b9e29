// Contexts, handles and errors of one input.
#include "decoder/fuzz/session.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ddtscope::fuzz {
namespace {

constexpr std::size_t most_types = 256;

}  // namespace

void fail(const char* condition, const char* file, int line, const Session& session) {
  std::fprintf(stderr, "%s:%d: not so: %s\n", file, line, condition);
  std::fprintf(stderr, "error of the last call: %s\n", ddtscope_error_message(session.context));
  for (const ddtscope_datatype type : session.types) {
    std::vector<char> text(4000);
    if (ddtscope_bnf_text(session.context, type, nullptr, nullptr, text.data(), text.size(), nullptr) != 0) continue;
    std::fprintf(stderr, "type %llu: %s\n", static_cast<unsigned long long>(type & UINT32_MAX), text.data());
  }
  std::abort();
}

Session::Session(Input& from) : input(from) {
  FUZZ_CHECK(*this, ddtscope_context_create(&context) == DDTSCOPE_SUCCESS);
  FUZZ_CHECK(*this, ddtscope_context_create(&other) == DDTSCOPE_SUCCESS);
  for (const char* name : {"MPI_INT", "MPI_DOUBLE", "MPI_CHAR", "MPI_DOUBLE_INT", "MPI_BYTE", "MPI_LB", "MPI_UB"}) {
    ddtscope_datatype type = DDTSCOPE_DATATYPE_NULL;
    FUZZ_CHECK(*this, ddtscope_predefined(context, name, &type) == DDTSCOPE_SUCCESS);
    types.push_back(type);
  }
}

Session::~Session() {
  ddtscope_context_free(&context);
  ddtscope_context_free(&other);
}

ddtscope_datatype Session::any_type() {
  if (!input.one_in(32)) return valid_type();
  switch (input.choice(4)) {
    case 0:
      return DDTSCOPE_DATATYPE_NULL;
    case 1: {
      ddtscope_datatype foreign = DDTSCOPE_DATATYPE_NULL;
      ddtscope_predefined(other, "MPI_INT", &foreign);
      return foreign;
    }
    case 2:
      return valid_type() + 10000;
    default:
      return static_cast<ddtscope_datatype>(input.number());
  }
}

bool Session::succeeded(int status) {
  const char* message = ddtscope_error_message(context);
  if (status == DDTSCOPE_SUCCESS) {
    FUZZ_CHECK(*this, *message == '\0');
    return true;
  }
  // No input is large enough for a want of memory.
  FUZZ_CHECK(*this, status != DDTSCOPE_ERR_NO_MEM && status != DDTSCOPE_ERR_INTERN);
  FUZZ_CHECK(*this, std::strncmp(ddtscope_error_name(status), "MPI_ERR_", 8) == 0);
  FUZZ_CHECK(*this, std::strncmp(message, "ddtscope_", 9) == 0 && std::strstr(message, ": ") != nullptr);
  return false;
}

void Session::add(ddtscope_datatype type) {
  FUZZ_CHECK(*this, type != DDTSCOPE_DATATYPE_NULL);
  if (types.size() < most_types) types.push_back(type);
}

}  // namespace ddtscope::fuzz
