// The words that all reports share: places, constructor calls, one-line layouts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decoder/base/exact.h"
#include "decoder/base/grouped.h"
#include "reporters/model/job.h"
#include "reporters/model/site_frames.h"
#include "reporters/model/summary.h"
#include "reporters/model/traffic.h"
#include "reporters/symbols/symbols.h"

namespace ddtscope::reporters {

/// "one", "one and two", "one, two and three"
std::string listed(const std::vector<std::string>& words);
std::string value_or_undefined(std::optional<std::int64_t> value);  // "undefined" where the library says so

std::string grouped_or_undefined(Exact value);  // "undefined" where it does not fit

/// "rank 0", "ranks 0-3, 7"; of many the first ones, and how many there are.
std::string words_of(const RankRanges& ranks);

/// How many were made, "12", or "12+?" where not all counters are known; how many are live, or "?".
std::string made_text(std::uint64_t made, bool are_all_counted);
std::string live_text(std::int64_t live, bool are_all_counted);

/// `"column"`, the name that the program gave the type first, cut where it is long; empty where it gave none.
std::string quoted_name(const Job& job, TypeNumber number);
/// `T9 "column"`, or "T9" where the type has no name.
std::string id_and_name(const Job& job, TypeNumber number);

/// `T9 "column"`, or a predefined type's name.
std::string type_in_words(const Job& job, DefinitionId type);
/// "3.1 MB"
std::string bytes_in_words(Exact bytes);
/// "MPI_Isend, MPI_Recv, MPI_Send and 4 more": `texts` are the first of `all`, of which so many are told.
constexpr std::size_t most_listed = 3;
std::string some_listed(const std::vector<std::string>& texts, std::size_t all);
/// "MPI_COMM_WORLD", "MPI_Comm_split in setup (app.c:12)"
std::string communicator_in_words(const Job& job, const Traffic& traffic, Symbols& symbols);

/// "MPI_Type_vector(3, 2, 5, T1)"
std::string call_of(const Job& job, TypeNumber number, std::size_t array_limit = 6);

/// Whether "(libblacs.so+0x1234)" stands behind a function whose line is unknown.
enum class Addresses : std::uint8_t { told, left_out };
/// One frame: "make_types (app.c:12)", "libblacs.so+0x1234".
std::string place_of_frame(const Job& job, FrameIndex frame, Symbols& symbols, Addresses addresses = Addresses::told);
/// Whether the frame is that of main(): what stands outside of it is the C library's.
bool is_outermost(const Job& job, FrameIndex frame, Symbols& symbols);
/// The innermost frame of a call site, or that it is unknown.
std::string place_of(const Job& job, std::optional<FrameIndex> site, Symbols& symbols,
                     Addresses addresses = Addresses::told);
/// Whether place_of() names two functions of a library, the one for the other.
bool is_made_for_another(const Job& job, FrameIndex site);
/// With as many of its callers as tell it from other call sites.
std::string telling_place_of(const Job& job, std::optional<FrameIndex> site, const SiteFrames& frames,
                             Symbols& symbols);

/// Memory of one copy from its start on, a mark per unit: "##..##..##.." and the unit, "8 B a mark".
std::string one_line_layout(const Job& job, TypeNumber number);

}  // namespace ddtscope::reporters
