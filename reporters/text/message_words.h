// Why a trace has no messages.
#pragma once

#include <string_view>

#include "reporters/model/job.h"

namespace ddtscope::reporters {

/// A clause, for a job of which no messages were recorded.
std::string_view why_no_messages(const Job& job);

}  // namespace ddtscope::reporters
