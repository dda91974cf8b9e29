// Completion for shells: each fills the template of that shell.
#pragma once

#include <string>
#include <vector>

#include "reporters/manual/command_description.h"

namespace ddtscope::reporters {

using Verbs = std::vector<VerbDescription>;
std::string bash_completion(const std::string& text, const Verbs& verbs);
std::string zsh_completion(const std::string& text, const Verbs& verbs);
std::string fish_completion(const std::string& text, const Verbs& verbs);

/// In single quotes, as all three shells take it: `text` has no backslash, which is fish's own even there.
std::string quoted(const std::string& text);

}  // namespace ddtscope::reporters
