// What the tests of the C API share.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "decoder/c_api/ddtscope.h"

namespace ddtscope::test {

/// A text function's whole text, by a first call that asks for its length.
template <class Function, class... Arguments>
std::string text(Function function, Arguments... arguments) {
  std::size_t length = 0;
  EXPECT_EQ(function(arguments..., nullptr, 0, &length), DDTSCOPE_SUCCESS);
  std::string result(length + 1, '#');
  EXPECT_EQ(function(arguments..., result.data(), result.size(), nullptr), DDTSCOPE_SUCCESS);
  EXPECT_EQ(result.back(), '\0');
  result.pop_back();
  return result;
}

inline std::string text(ddtscope_integer value) { return text(ddtscope_integer_text, value); }

class CApi : public testing::Test {
 protected:
  CApi() { EXPECT_EQ(ddtscope_context_create(&context), DDTSCOPE_SUCCESS); }
  ~CApi() override { ddtscope_context_free(&context); }

  ddtscope_datatype named(const char* name) {
    ddtscope_datatype of = DDTSCOPE_DATATYPE_NULL;
    EXPECT_EQ(ddtscope_predefined(context, name, &of), DDTSCOPE_SUCCESS) << ddtscope_error_message(context);
    return of;
  }
  std::string bnf(ddtscope_datatype of) {
    return text(ddtscope_bnf_text, context, of, static_cast<ddtscope_number_function>(nullptr),
                static_cast<void*>(nullptr));
  }
  ddtscope_datatype parsed(const std::string& from) {
    ddtscope_datatype of = DDTSCOPE_DATATYPE_NULL;
    EXPECT_EQ(ddtscope_bnf_parse(context, from.data(), from.size(), &of, nullptr), DDTSCOPE_SUCCESS)
        << from << ": " << ddtscope_error_message(context);
    return of;
  }
  std::string call(ddtscope_datatype of) { return text(ddtscope_constructor_text, context, of, SIZE_MAX); }
  /// A call that must fail: its error class and message.
  std::string refused(int error) {
    EXPECT_NE(error, DDTSCOPE_SUCCESS);
    return std::string(ddtscope_error_name(error)) + " " + ddtscope_error_message(context);
  }

  ddtscope_context* context = nullptr;
  ddtscope_datatype none = DDTSCOPE_DATATYPE_NULL;
  ddtscope_datatype type = DDTSCOPE_DATATYPE_NULL;
};

}  // namespace ddtscope::test
