// The program that measures, and what it prints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reporters/measure/measurement.h"
#include "reporters/measure/subject.h"

namespace ddtscope::reporters {

/// In C. It takes the name of a file that has table_of(subject), and prints a line of JSON for each thing it has
/// measured. Of the trace only numbers and names of predefined types stand in it.
std::string program_of(const MeasureSubject& subject);

/// Where the bytes of the subject lie, as the program reads it: integers of 8 bytes, of this machine.
std::string table_of(const MeasureSubject& subject);

struct ProgramAnswers {
  std::string library, host;  // empty where the program did not get so far
  MeasuredType type;
};
/// Lines that are not the program's are passed over. Of what is missing `why_not` says so; where the type itself was
/// not measured, it is the only form.
ProgramAnswers answers_of(const MeasureSubject& subject, std::string_view output);

}  // namespace ddtscope::reporters
