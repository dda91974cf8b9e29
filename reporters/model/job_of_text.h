// Types that somebody writes down, as a job in which nothing ran: all that is told of a trace's types can be told of
// them.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "decoder/bounds/bounds.h"
#include "reporters/model/job.h"

namespace ddtscope::reporters {

/// Whether a word of a command line is a constructor call or the short notation (decoder/notation), and no type of a
/// trace.
inline bool is_type_text(const std::string& word) { return word.find('(') != std::string::npos; }

struct JobOfText {
  std::unique_ptr<Job> job;
  TypeNumber type;  // the one that is written; the others are its parts
};

/// What is wrong with a text.
struct TextProblem {
  std::string sentence;
  std::string excerpt;  // lines for a terminal: the text, and a caret under the place
};

/// The type by this machine's predefined types, with bounds by the rule: of a library, its newest release that is
/// modelled.
std::variant<JobOfText, TextProblem> job_of_text(const std::string& text, BoundsRule rule);

}  // namespace ddtscope::reporters
