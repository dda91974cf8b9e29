// Sizes and alignments of the predefined datatypes on the machine that this runs on.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "decoder/definition/definition.h"

namespace ddtscope {

struct SizeAndAlignment {
  std::int64_t size, alignment;
  friend bool operator==(const SizeAndAlignment&, const SizeAndAlignment&) = default;
};

/// Of a basic type by its first name in MPI-4.1's Annex A; empty for a pair, a marker, or an unknown name.
std::optional<SizeAndAlignment> on_this_machine(std::string_view canonical_name);

using SizesOfBasicTypes = std::function<std::optional<SizeAndAlignment>(std::string_view canonical_name)>;

/// The definition of a predefined type: the store's, else one that is added with these sizes, as a struct of C has a
/// pair's parts. Empty for a name that neither MPI nor `sizes` knows.
std::optional<DefinitionId> add_predefined_type(DefinitionStore& store, std::string_view name,
                                                const SizesOfBasicTypes& sizes = on_this_machine);

}  // namespace ddtscope
