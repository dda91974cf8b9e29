// Answers as ddtscope.h has them.
#pragma once

#include "decoder/c_api/ddtscope.h"

namespace ddtscope::c_api {

/// `Answer` is an enum of yes, no and undecided.
template <class Answer>
int public_answer(Answer answer) {
  switch (answer) {
    case Answer::no:
      return DDTSCOPE_NO;
    case Answer::yes:
      return DDTSCOPE_YES;
    case Answer::undecided:
      break;
  }
  return DDTSCOPE_UNDECIDED;
}

}  // namespace ddtscope::c_api
