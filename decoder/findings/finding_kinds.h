// The kinds of findings by name: the rows of findings.def.
#pragma once

#include <cstdint>

#include "decoder/findings/findings.h"

namespace ddtscope {

/// In the order of the rows.
enum class FindingId : std::uint8_t {
#define FINDING(id, ...) id,
#define JOB_FINDING(id, ...) id,
#include "decoder/findings/findings.def"
};

inline constexpr int finding_kind_count = 0
#define FINDING(...) +1
#define JOB_FINDING(...) +1
#include "decoder/findings/findings.def"
    ;

const FindingKind& kind_of(FindingId id);
FindingId id_of(const FindingKind& kind);

}  // namespace ddtscope
