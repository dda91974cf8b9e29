// The program that measures, before anything of a type stands in it.
#pragma once

namespace ddtscope::reporters {

/// In C, with places to be filled: @functions@, @forms@, and @copies@ and the other numbers of a subject.
extern const char* const program_text;

}  // namespace ddtscope::reporters
