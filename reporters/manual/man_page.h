// Man pages, in mdoc.
#pragma once

#include <string>

#include "reporters/manual/command_description.h"

namespace ddtscope::reporters {

struct ManPageInput {
  const VerbDescription& verb;
  std::string date;   // as .Dd takes it
  std::string prose;  // what DESCRIPTION says, with the line @OPTIONS@ where the options are to be listed
};
/// The page of a verb.
std::string man_page_of_verb(const ManPageInput& input);

/// The verbs as rows of the command's page: each with its summary, and its page by name.
std::string man_rows_of_verbs(const std::vector<VerbDescription>& verbs);

}  // namespace ddtscope::reporters
