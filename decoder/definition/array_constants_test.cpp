// One library's constants among the integers of subarrays and darrays, made another's. The values are those of Open
// MPI's mpi.h and of the standard ABI (MPI-5.0 A.1).
#include "decoder/definition/array_constants.h"

#include <gtest/gtest.h>

namespace ddtscope::array_constants_test {
namespace {

using Integers = std::vector<std::int64_t>;

constexpr ConstantsChange change = {{0, 1, 0, 1, 2, -1}, {12, 15, 17, 18, 16, 19}};

Integers changed(Combiner combiner, Integers integers, Form form = Form::int_counts) {
  change_array_constants(combiner, form, integers, change);
  return integers;
}

TEST(ArrayConstants, OfASubarrayTheOrderAlone) {
  EXPECT_EQ(changed(Combiner::subarray, {2, 1, 0, 1, 0, 0, 1, 0}), (Integers{2, 1, 0, 1, 0, 0, 1, 12}));
  EXPECT_EQ(changed(Combiner::subarray, {2, 1}, Form::large_counts), (Integers{2, 15}));
}

TEST(ArrayConstants, OfADarrayDistributionsTheirArgumentsAndTheOrder) {
  // size, rank, ndims, gsizes, distribs, dargs, psizes, order
  EXPECT_EQ(changed(Combiner::darray, {4, 0, 2, 1, 0, 0, 1, -1, 1, 2, 2, 1}),
            (Integers{4, 0, 2, 1, 0, 17, 18, 19, 1, 2, 2, 15}));
  EXPECT_EQ(changed(Combiner::darray, {2, 1, 1, 2, -1, 1, 0}, Form::large_counts), (Integers{2, 1, 1, 16, 19, 1, 12}));
}

TEST(ArrayConstants, OtherNumbersAndOtherTypesStay) {
  EXPECT_EQ(changed(Combiner::subarray, {1, 4, 2, 1, 15}), (Integers{1, 4, 2, 1, 15}));  // it is right already
  EXPECT_EQ(changed(Combiner::vector, {0, 1, 0}), (Integers{0, 1, 0}));
  EXPECT_EQ(changed(Combiner::darray, {}), (Integers{}));
  EXPECT_EQ(changed(Combiner::darray, {1, 0, 9, 1, 12}), (Integers{1, 0, 9, 1, 12}));  // cut short
}

}  // namespace
}  // namespace ddtscope::array_constants_test
