// Where the bytes of a type lie, as rows of even blocks; and which of them have a meaning.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decoder/layout/layout.h"
#include "reporters/measure/subject.h"

namespace ddtscope::reporters {

/// Rows of either kind that a subject has at most.
inline constexpr std::size_t most_rows = std::size_t{1} << 20;

/// Of one copy, in the order of the typemap; empty where they are more than most_rows.
std::optional<std::vector<BlockRow>> block_rows(const Layouts& layouts, LayoutId root);

/// Of one copy: no rows where all bytes have a meaning, however many they would be; empty where some have none and the
/// rows are more than most_rows.
std::optional<std::vector<ValueRow>> value_rows(const Layouts& layouts, LayoutId root);

/// One constructor call that has the same blocks, by the basic type where there is only one and by MPI_BYTE else, with
/// the bounds; empty where that would take thousands of arguments.
struct BlockwiseBounds {
  std::int64_t lb = 0, extent = 0;
};
std::optional<std::string> blockwise_call(const Layouts& layouts, LayoutId root, const std::vector<BlockRow>& rows,
                                          BlockwiseBounds bounds);

}  // namespace ddtscope::reporters
