// Random definitions one after the other, as every test over them wants them. DDTSCOPE_RANDOM_SEED and
// DDTSCOPE_RANDOM_COUNT choose others than the default.
#pragma once

#include <cstdint>
#include <functional>

#include "decoder/testing/test_store.h"
#include "decoder/testing/typemap_oracle.h"

namespace ddtscope::test {

using CheckOfType = std::function<void(TestStore&, Oracle&, DefinitionId)>;

/// Calls `check` for so many different definitions over all combiners, under both libraries' constants; after the first
/// failure the definitions that led to it are printed.
void for_each_random_type(std::uint64_t default_count, const CheckOfType& check);

/// Calls `check` for so many types of `parts` irregular blocks each, made of random ones: prefix sums and orders of
/// parts only come into play where there are many.
void for_each_type_of_many_parts(std::uint64_t default_count, std::int64_t parts, const CheckOfType& check);

}  // namespace ddtscope::test
