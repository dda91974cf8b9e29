// The findings, one function each: a draft where the type has it.
#pragma once

#include "decoder/findings/finding_subject.h"

namespace ddtscope::findings {

#define FINDING(id, ...) MaybeDraft id(const Subject& s);
#include "decoder/findings/findings.def"

}  // namespace ddtscope::findings
