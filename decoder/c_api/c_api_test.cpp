// The C API from outside, over the shared library: what it builds, decodes and says, and what it refuses.
#include <array>
#include <functional>
#include <set>
#include <tuple>
#include <utility>

#include "decoder/c_api/c_api_fixture.h"

namespace ddtscope::test::c_api_test {
namespace {

using Types = std::vector<ddtscope_datatype>;

TEST_F(CApi, EveryConstructorMakesWhatItSays) {
  const ddtscope_datatype i = named("MPI_INT");
  const ddtscope_datatype d = named("MPI_DOUBLE");
  const ddtscope_datatype l = named("MPI_LONG");
  const std::array<int, 2> one_two = {1, 2};
  const std::array<std::int64_t, 2> wide_one_two = {1, 2};
  const std::array<int, 2> at = {-3, 4};
  const std::array<std::int64_t, 2> wide_at = {-3, 4};
  const Types types = {i, d};
  const std::array<int, 2> sizes = {4, 5}, subsizes = {2, 3}, starts = {2, 1};
  const std::array<std::int64_t, 2> wide_sizes = {4, 5}, wide_subsizes = {2, 3}, wide_starts = {2, 1};
  const std::array<int, 2> distribs = {DDTSCOPE_DISTRIBUTE_BLOCK, DDTSCOPE_DISTRIBUTE_CYCLIC};
  const std::array<int, 2> dargs = {DDTSCOPE_DISTRIBUTE_DFLT_DARG, 3};
  const std::array<int, 2> psizes = {2, 3};
  const std::vector<std::pair<std::function<int()>, std::string>> all = {
      {[&] { return ddtscope_type_dup(context, i, &type); }, "U1(D:i)"},
      {[&] { return ddtscope_type_contiguous(context, 3, i, &type); }, "U1(3i)"},
      {[&] { return ddtscope_type_contiguous_c(context, INT64_MAX, i, &type); }, "U1(C:9223372036854775807i)"},
      {[&] { return ddtscope_type_vector(context, 3, 2, -5, d, &type); }, "U1(V:d:3:2:-5)"},
      {[&] { return ddtscope_type_vector_c(context, 3, 2, -5, d, &type); }, "U1(C:V:d:3:2:-5)"},
      {[&] { return ddtscope_type_create_hvector(context, 3, 2, -5, d, &type); }, "U1(HV:d:3:2:-5)"},
      {[&] { return ddtscope_type_create_hvector_c(context, 3, 2, -5, d, &type); }, "U1(C:HV:d:3:2:-5)"},
      {[&] { return ddtscope_type_indexed(context, 2, one_two.data(), at.data(), i, &type); }, "U1(X:i:2:1/-3,2/4)"},
      {[&] { return ddtscope_type_indexed_c(context, 2, wide_one_two.data(), wide_at.data(), i, &type); },
       "U1(C:X:i:2:1/-3,2/4)"},
      {[&] { return ddtscope_type_create_hindexed(context, 2, one_two.data(), wide_at.data(), i, &type); },
       "U1(HX:i:2:1/-3,2/4)"},
      {[&] { return ddtscope_type_create_hindexed_c(context, 2, wide_one_two.data(), wide_at.data(), i, &type); },
       "U1(C:HX:i:2:1/-3,2/4)"},
      {[&] { return ddtscope_type_create_indexed_block(context, 2, 7, at.data(), i, &type); }, "U1(XB:i:2:7:-3,4)"},
      {[&] { return ddtscope_type_create_indexed_block_c(context, 2, 7, wide_at.data(), i, &type); },
       "U1(C:XB:i:2:7:-3,4)"},
      {[&] { return ddtscope_type_create_hindexed_block(context, 2, 7, wide_at.data(), i, &type); },
       "U1(HXB:i:2:7:-3,4)"},
      {[&] { return ddtscope_type_create_hindexed_block_c(context, 2, 7, wide_at.data(), i, &type); },
       "U1(C:HXB:i:2:7:-3,4)"},
      {[&] { return ddtscope_type_create_struct(context, 2, one_two.data(), wide_at.data(), types.data(), &type); },
       "U1(S:2:i/1/-3,d/2/4)"},
      {[&] {
         return ddtscope_type_create_struct_c(context, 2, wide_one_two.data(), wide_at.data(), types.data(), &type);
       },
       "U1(C:S:2:i/1/-3,d/2/4)"},
      {[&] { return ddtscope_type_create_struct(context, 0, nullptr, nullptr, nullptr, &type); }, "U1(S:0:)"},
      {[&] {
         return ddtscope_type_create_subarray(context, 2, sizes.data(), subsizes.data(), starts.data(),
                                              DDTSCOPE_ORDER_FORTRAN, i, &type);
       },
       "U1(A:i:2:F:4/2/2,5/3/1)"},
      {[&] {
         return ddtscope_type_create_subarray_c(context, 2, wide_sizes.data(), wide_subsizes.data(), wide_starts.data(),
                                                DDTSCOPE_ORDER_C, i, &type);
       },
       "U1(C:A:i:2:C:4/2/2,5/3/1)"},
      {[&] {
         return ddtscope_type_create_darray(context, 6, 4, 2, sizes.data(), distribs.data(), dargs.data(),
                                            psizes.data(), DDTSCOPE_ORDER_C, i, &type);
       },
       "U1(DA:i:6:4:2:C:4/B/*/2,5/C/3/3)"},
      {[&] {
         return ddtscope_type_create_darray_c(context, 6, 4, 2, wide_sizes.data(), distribs.data(), dargs.data(),
                                              psizes.data(), DDTSCOPE_ORDER_FORTRAN, i, &type);
       },
       "U1(C:DA:i:6:4:2:F:4/B/*/2,5/C/3/3)"},
      {[&] { return ddtscope_type_create_resized(context, i, -4, 12, &type); }, "U1(Z:i:-4:12)"},
      {[&] { return ddtscope_type_create_resized_c(context, i, -4, 12, &type); }, "U1(C:Z:i:-4:12)"},
      {[&] { return ddtscope_type_create_f90_real(context, 15, DDTSCOPE_UNDEFINED, &type); }, "U1(FR:15:*)"},
      {[&] { return ddtscope_type_create_f90_complex(context, 6, 37, &type); }, "U1(FC:6:37)"},
      {[&] { return ddtscope_type_create_f90_integer(context, 9, &type); }, "U1(FI:9)"},
      {[&] { return ddtscope_type_get_value_index(context, i, l, &type); }, "U1(VI:i:" + bnf(l) + ")"},
  };
  std::set<int> made;
  for (const auto& [make, notation] : all) {
    type = none;
    ASSERT_EQ(make(), DDTSCOPE_SUCCESS) << notation << ": " << ddtscope_error_message(context);
    EXPECT_STREQ(ddtscope_error_message(context), "");
    EXPECT_EQ(bnf(type), notation);
    EXPECT_EQ(parsed(notation), type) << notation;

    // Decoded, and made again of what came out.
    std::array<std::int64_t, 4> numbers{};
    int combiner = 0;
    ASSERT_EQ(
        ddtscope_type_get_envelope_c(context, type, &numbers[0], &numbers[1], &numbers[2], &numbers[3], &combiner),
        DDTSCOPE_SUCCESS);
    made.insert(combiner);
    std::vector<int> integers(static_cast<std::size_t>(numbers[0]));
    std::vector<std::int64_t> addresses(static_cast<std::size_t>(numbers[1]));
    std::vector<std::int64_t> counts(static_cast<std::size_t>(numbers[2]));
    Types datatypes(static_cast<std::size_t>(numbers[3]));
    ASSERT_EQ(ddtscope_type_get_contents_c(context, type, numbers[0], numbers[1], numbers[2], numbers[3],
                                           integers.data(), addresses.data(), counts.data(), datatypes.data()),
              DDTSCOPE_SUCCESS);
    ddtscope_datatype again = none;
    EXPECT_EQ(ddtscope_type_from_contents(context, combiner, numbers[0], numbers[1], numbers[2], numbers[3],
                                          integers.data(), addresses.data(), counts.data(), datatypes.data(), &again),
              DDTSCOPE_SUCCESS)
        << ddtscope_error_message(context);
    EXPECT_EQ(again, type) << notation;
    // The int getters serve the types made with int counts, and those only.
    std::array<int, 3> few{};
    const int error = ddtscope_type_get_envelope(context, type, &few[0], &few[1], &few[2], &combiner);
    EXPECT_EQ(error, counts.empty() ? DDTSCOPE_SUCCESS : DDTSCOPE_ERR_TYPE) << notation;
  }
  for (int combiner = DDTSCOPE_COMBINER_DUP; combiner < DDTSCOPE_COMBINER_HVECTOR_INTEGER; ++combiner) {
    EXPECT_TRUE(made.contains(combiner)) << ddtscope_combiner_name(combiner);
  }
}

TEST_F(CApi, DecodingFollowsTheStandard) {
  const ddtscope_datatype d = named("MPI_DOUBLE");
  ASSERT_EQ(ddtscope_type_create_hvector(context, 3, 2, 40, d, &type), DDTSCOPE_SUCCESS);
  int ni = -1, na = -1, nd = -1, combiner = -1;
  ASSERT_EQ(ddtscope_type_get_envelope(context, type, &ni, &na, &nd, &combiner), DDTSCOPE_SUCCESS);
  EXPECT_EQ(ni, 2);
  EXPECT_EQ(na, 1);
  EXPECT_EQ(nd, 1);
  EXPECT_EQ(combiner, DDTSCOPE_COMBINER_HVECTOR);
  EXPECT_STREQ(ddtscope_combiner_name(combiner), "MPI_COMBINER_HVECTOR");
  EXPECT_STREQ(ddtscope_combiner_name(DDTSCOPE_COMBINER_STRUCT_INTEGER), "MPI_COMBINER_STRUCT_INTEGER");
  EXPECT_STREQ(ddtscope_combiner_name(0), "");
  EXPECT_STREQ(ddtscope_combiner_name(21), "");

  std::array<int, 3> integers = {-1, -1, -1};
  std::array<std::int64_t, 1> addresses{};
  Types types = {none, 99};
  ASSERT_EQ(ddtscope_type_get_contents(context, type, 3, 1, 2, integers.data(), addresses.data(), types.data()),
            DDTSCOPE_SUCCESS);
  EXPECT_EQ(integers, (std::array<int, 3>{3, 2, -1}));
  EXPECT_EQ(addresses[0], 40);
  EXPECT_EQ(types, (Types{d, 99}));

  integers = {-1, -1, -1};
  EXPECT_EQ(
      refused(ddtscope_type_get_contents(context, type, 1, 1, 1, integers.data(), addresses.data(), types.data())),
      "MPI_ERR_ARG ddtscope_type_get_contents: a max_ argument is smaller than the envelope's number");
  EXPECT_EQ(integers[0], -1);
  EXPECT_EQ(ddtscope_type_get_contents(context, type, -1, 1, 1, integers.data(), addresses.data(), types.data()),
            DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_type_get_contents(context, type, 2, 1, 1, nullptr, addresses.data(), types.data()),
            DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_type_get_contents(context, d, 0, 0, 0, nullptr, nullptr, nullptr), DDTSCOPE_ERR_TYPE);
  EXPECT_STREQ(ddtscope_error_message(context),
               "ddtscope_type_get_contents: the type is a named predefined one, which has no contents");
  ASSERT_EQ(ddtscope_type_contiguous_c(context, 3, d, &type), DDTSCOPE_SUCCESS);
  EXPECT_EQ(ddtscope_type_get_contents(context, type, 1, 1, 1, integers.data(), addresses.data(), types.data()),
            DDTSCOPE_ERR_TYPE);
  std::array<int, 4> envelope{};
  EXPECT_EQ(refused(ddtscope_type_get_envelope(context, type, &envelope[0], &envelope[1], &envelope[2], &envelope[3])),
            "MPI_ERR_TYPE ddtscope_type_get_envelope: the type was made with large counts and needs the large form");
}

TEST_F(CApi, ContentsOfTheRemovedFortranConstructorsAreTaken) {
  const ddtscope_datatype d = named("MPI_DOUBLE");
  const std::array<int, 2> integers = {3, 2};
  const std::int64_t stride = 40;
  ASSERT_EQ(ddtscope_type_from_contents(context, DDTSCOPE_COMBINER_HVECTOR_INTEGER, 2, 1, 0, 1, integers.data(),
                                        &stride, nullptr, &d, &type),
            DDTSCOPE_SUCCESS);
  EXPECT_EQ(bnf(type), "U1(HV:d:3:2:40)");
}

TEST_F(CApi, ContentsThatFitNoCallAreRefused) {
  const ddtscope_datatype d = named("MPI_DOUBLE");
  const std::array<int, 3> integers = {3, 2, 5};
  const auto build = [&](int combiner, std::int64_t ni, std::int64_t nd) {
    return ddtscope_type_from_contents(context, combiner, ni, 0, 0, nd, integers.data(), nullptr, nullptr, &d, &type);
  };
  EXPECT_EQ(build(DDTSCOPE_COMBINER_VECTOR, 3, 1), DDTSCOPE_SUCCESS);
  EXPECT_EQ(build(DDTSCOPE_COMBINER_VECTOR, 2, 1), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(build(DDTSCOPE_COMBINER_VECTOR, 3, 0), DDTSCOPE_ERR_TYPE);
  EXPECT_EQ(build(DDTSCOPE_COMBINER_VECTOR, -3, 1), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(build(DDTSCOPE_COMBINER_VECTOR, 3, -1), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(build(DDTSCOPE_COMBINER_NAMED, 0, 0), DDTSCOPE_ERR_TYPE);
  EXPECT_EQ(build(77, 3, 1), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(build(DDTSCOPE_COMBINER_INDEXED, 3, 1), DDTSCOPE_ERR_ARG);
  // Told before any memory is taken for them.
  for (const std::int64_t many : {std::int64_t{1} << 40, INT64_MAX}) {
    EXPECT_EQ(build(DDTSCOPE_COMBINER_VECTOR, many, 1), DDTSCOPE_ERR_ARG);
    EXPECT_STREQ(ddtscope_error_message(context),
                 "ddtscope_type_from_contents: MPI_COMBINER_VECTOR: integers has too many values");
    EXPECT_EQ(build(DDTSCOPE_COMBINER_VECTOR, 3, many), DDTSCOPE_ERR_TYPE);
  }
  const std::array<std::int64_t, 2> counts = {INT64_MAX, 1};
  EXPECT_EQ(ddtscope_type_from_contents(context, DDTSCOPE_COMBINER_INDEXED, 0, 0, 2, 1, nullptr, nullptr, counts.data(),
                                        &d, &type),
            DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_type_from_contents(context, DDTSCOPE_COMBINER_DUP, 0, 0, 0, 1, nullptr, nullptr, nullptr, nullptr,
                                        &type),
            DDTSCOPE_ERR_ARG);
  EXPECT_EQ(
      ddtscope_type_from_contents(context, DDTSCOPE_COMBINER_DUP, 0, 0, 0, 1, nullptr, nullptr, nullptr, &none, &type),
      DDTSCOPE_ERR_TYPE);
}

TEST_F(CApi, BadArgumentsGiveTheStandardsClassAndASentence) {
  const ddtscope_datatype i = named("MPI_INT");
  const std::array<int, 2> ones = {1, 1};
  const std::array<std::int64_t, 2> wide = {0, 8};
  type = 77;
  EXPECT_EQ(refused(ddtscope_type_contiguous(context, -1, i, &type)),
            "MPI_ERR_COUNT ddtscope_type_contiguous: count (-1) is negative");
  EXPECT_EQ(refused(ddtscope_type_vector(context, 2, -3, 1, i, &type)),
            "MPI_ERR_ARG ddtscope_type_vector: blocklength (-3) is negative");
  EXPECT_EQ(refused(ddtscope_type_indexed(context, 2, nullptr, ones.data(), i, &type)),
            "MPI_ERR_ARG ddtscope_type_indexed: array_of_blocklengths is NULL");
  EXPECT_EQ(refused(ddtscope_type_create_struct(context, 2, ones.data(), wide.data(), nullptr, &type)),
            "MPI_ERR_ARG ddtscope_type_create_struct: array_of_types is NULL");
  EXPECT_EQ(refused(ddtscope_type_create_struct_c(context, INT64_MIN, nullptr, nullptr, nullptr, &type)),
            "MPI_ERR_COUNT ddtscope_type_create_struct_c: count (-9223372036854775808) is negative");
  const Types types = {i, none};
  EXPECT_EQ(refused(ddtscope_type_create_struct(context, 2, ones.data(), wide.data(), types.data(), &type)),
            "MPI_ERR_TYPE ddtscope_type_create_struct: array_of_types[1] is DDTSCOPE_DATATYPE_NULL");
  EXPECT_EQ(refused(ddtscope_type_create_subarray(context, 0, nullptr, nullptr, nullptr, DDTSCOPE_ORDER_C, i, &type)),
            "MPI_ERR_DIMS ddtscope_type_create_subarray: ndims (0) is not positive");
  const std::array<int, 2> zeros = {0, 0};
  EXPECT_EQ(refused(ddtscope_type_create_subarray(context, 1, ones.data(), ones.data(), zeros.data(), 0, i, &type)),
            "MPI_ERR_ARG ddtscope_type_create_subarray: order (0) is none of MPI_ORDER_C, MPI_ORDER_FORTRAN");
  const std::array<int, 2> eights = {8, 8}, twos = {2, 2}, threes = {3, 3};
  const std::array<int, 2> blocks = {DDTSCOPE_DISTRIBUTE_BLOCK, DDTSCOPE_DISTRIBUTE_BLOCK};
  const auto darray = [&](int size, int rank, const int* dargs) {
    return ddtscope_type_create_darray(context, size, rank, 2, eights.data(), blocks.data(), dargs, twos.data(),
                                       DDTSCOPE_ORDER_C, i, &type);
  };
  EXPECT_EQ(refused(darray(5, 0, eights.data())),
            "MPI_ERR_ARG ddtscope_type_create_darray: the product of array_of_psizes (4) is not size (5)");
  EXPECT_EQ(refused(darray(4, 4, eights.data())),
            "MPI_ERR_RANK ddtscope_type_create_darray: rank (4) is not below size (4)");
  EXPECT_EQ(refused(darray(4, 0, threes.data())),
            "MPI_ERR_ARG ddtscope_type_create_darray: array_of_dargs[0] (3) times array_of_psizes[0] (2) is less than "
            "array_of_gsizes[0] (8)");
  EXPECT_EQ(refused(ddtscope_type_create_f90_real(context, 99, 9999, &type)),
            "MPI_ERR_ARG ddtscope_type_create_f90_real: Fortran has no kind with this precision and range");
  EXPECT_EQ(refused(ddtscope_type_get_value_index(context, none, i, &type)).substr(0, 12), "MPI_ERR_TYPE");
  EXPECT_EQ(refused(ddtscope_type_dup(context, i, nullptr)), "MPI_ERR_ARG ddtscope_type_dup: newtype is NULL");
  EXPECT_EQ(type, 77u);
  EXPECT_EQ(ddtscope_type_dup(context, i, &type), DDTSCOPE_SUCCESS);
  EXPECT_STREQ(ddtscope_error_message(context), "");
}

TEST_F(CApi, ValueAndIndexGiveTheNamedPairAnUnnamedOneOrNone) {
  const auto pair_of = [&](ddtscope_datatype value, ddtscope_datatype index) {
    ddtscope_datatype pair = 77;
    EXPECT_EQ(ddtscope_type_get_value_index(context, value, index, &pair), DDTSCOPE_SUCCESS);
    return pair;
  };
  const auto combiner_of = [&](ddtscope_datatype datatype) {
    std::array<int, 4> envelope{};
    EXPECT_EQ(ddtscope_type_get_envelope(context, datatype, &envelope[0], &envelope[1], &envelope[2], &envelope[3]),
              DDTSCOPE_SUCCESS);
    return envelope[3];
  };
  // MPI-4.1 6.9.4: named pair types have the combiner MPI_COMBINER_NAMED.
  const std::tuple<const char*, const char*, const char*> named_pairs[] = {
      {"MPI_FLOAT", "MPI_INT", "MPI_FLOAT_INT"},
      {"MPI_DOUBLE", "MPI_INT", "MPI_DOUBLE_INT"},
      {"MPI_LONG", "MPI_INT", "MPI_LONG_INT"},
      {"MPI_INT", "MPI_INT", "MPI_2INT"},
      {"MPI_SHORT", "MPI_INT", "MPI_SHORT_INT"},
      {"MPI_LONG_DOUBLE", "MPI_INT", "MPI_LONG_DOUBLE_INT"},
      {"MPI_REAL", "MPI_REAL", "MPI_2REAL"},
      {"MPI_DOUBLE_PRECISION", "MPI_DOUBLE_PRECISION", "MPI_2DOUBLE_PRECISION"},
      {"MPI_INTEGER", "MPI_INTEGER", "MPI_2INTEGER"}};
  for (const auto& [value, index, pair] : named_pairs) {
    EXPECT_EQ(pair_of(named(value), named(index)), named(pair)) << pair;
    EXPECT_EQ(combiner_of(pair_of(named(value), named(index))), DDTSCOPE_COMBINER_NAMED) << pair;
  }
  for (const auto& [value, index] : {std::pair("MPI_DOUBLE", "MPI_UINT64_T"), std::pair("MPI_AINT", "MPI_INT"),
                                     std::pair("MPI_INTEGER8", "MPI_LONG_LONG"), std::pair("MPI_REAL8", "MPI_COUNT")}) {
    const ddtscope_datatype unnamed = pair_of(named(value), named(index));
    ASSERT_NE(unnamed, none) << value;
    EXPECT_EQ(combiner_of(unnamed), DDTSCOPE_COMBINER_VALUE_INDEX) << value;
    EXPECT_EQ(pair_of(named(value), named(index)), unnamed) << value;
  }
  ddtscope_datatype real = none, integer = none, complex = none, vector = none;
  ASSERT_EQ(ddtscope_type_create_f90_real(context, 15, 307, &real), DDTSCOPE_SUCCESS);
  ASSERT_EQ(ddtscope_type_create_f90_integer(context, 9, &integer), DDTSCOPE_SUCCESS);
  ASSERT_EQ(ddtscope_type_create_f90_complex(context, 15, 307, &complex), DDTSCOPE_SUCCESS);
  ASSERT_EQ(ddtscope_type_vector(context, 2, 1, 2, named("MPI_INT"), &vector), DDTSCOPE_SUCCESS);
  EXPECT_EQ(combiner_of(pair_of(real, integer)), DDTSCOPE_COMBINER_VALUE_INDEX);
  // No such pair: MPI_DATATYPE_NULL, and no error. MPI_CHAR is a character, not an integer (6.9.2).
  for (const char* value : {"MPI_BYTE", "MPI_PACKED", "MPI_CHAR", "MPI_WCHAR", "MPI_C_BOOL", "MPI_LOGICAL",
                            "MPI_C_DOUBLE_COMPLEX", "MPI_COMPLEX", "MPI_2INT"}) {
    EXPECT_EQ(pair_of(named(value), named("MPI_INT")), none) << value;
    EXPECT_EQ(pair_of(named("MPI_INT"), named(value)), none) << value;
  }
  EXPECT_EQ(pair_of(complex, integer), none);
  EXPECT_EQ(pair_of(vector, named("MPI_INT")), none);
  EXPECT_EQ(pair_of(named("MPI_INT"), vector), none);
  EXPECT_EQ(pair_of(named("MPI_FLOAT"), named("MPI_FLOAT")), none);
}

TEST_F(CApi, HandlesOfOthersAndOfTheDeadAreRefused) {
  const ddtscope_datatype i = named("MPI_INT");
  ddtscope_context* other = nullptr;
  ASSERT_EQ(ddtscope_context_create(&other), DDTSCOPE_SUCCESS);
  EXPECT_EQ(ddtscope_type_dup(other, i, &type), DDTSCOPE_ERR_TYPE);
  EXPECT_STREQ(ddtscope_error_message(other), "ddtscope_type_dup: oldtype is no datatype of this context");
  EXPECT_EQ(ddtscope_type_dup(context, none, &type), DDTSCOPE_ERR_TYPE);
  EXPECT_EQ(ddtscope_type_dup(context, i + 1, &type), DDTSCOPE_ERR_TYPE);
  EXPECT_EQ(ddtscope_type_dup(context, 0xDEADBEEFDEADBEEF, &type), DDTSCOPE_ERR_TYPE);

  ddtscope_context* dangling = other;
  ASSERT_EQ(ddtscope_context_free(&other), DDTSCOPE_SUCCESS);
  EXPECT_EQ(other, nullptr);
  EXPECT_EQ(ddtscope_context_free(&other), DDTSCOPE_SUCCESS);
  EXPECT_EQ(ddtscope_type_dup(dangling, i, &type), DDTSCOPE_ERR_ARG);
  EXPECT_STREQ(ddtscope_error_message(dangling), "ddtscope_type_dup: the context was freed");
  EXPECT_EQ(ddtscope_context_free(&dangling), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_type_dup(nullptr, i, &type), DDTSCOPE_ERR_ARG);
  EXPECT_STREQ(ddtscope_error_message(nullptr), "ddtscope_type_dup: the context is NULL");
  EXPECT_EQ(ddtscope_context_create(nullptr), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_context_free(nullptr), DDTSCOPE_ERR_ARG);
}

TEST_F(CApi, EqualCallsGiveEqualHandles) {
  const ddtscope_datatype i = named("MPI_INT");
  ddtscope_datatype a = none, b = none, c = none;
  ASSERT_EQ(ddtscope_type_contiguous(context, 3, i, &a), DDTSCOPE_SUCCESS);
  ASSERT_EQ(ddtscope_type_contiguous(context, 3, i, &b), DDTSCOPE_SUCCESS);
  ASSERT_EQ(ddtscope_type_contiguous_c(context, 3, i, &c), DDTSCOPE_SUCCESS);
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
  EXPECT_EQ(named("MPI_LONG_LONG"), named("MPI_LONG_LONG_INT"));

  // The key is the same wherever the definition is.
  std::uint64_t key = 0, there = 1;
  ASSERT_EQ(ddtscope_type_get_key(context, a, &key), DDTSCOPE_SUCCESS);
  ddtscope_context* other = nullptr;
  ASSERT_EQ(ddtscope_context_create(&other), DDTSCOPE_SUCCESS);
  ddtscope_datatype twin = none;
  ASSERT_EQ(ddtscope_bnf_parse(other, "U5(3i)", 6, &twin, nullptr), DDTSCOPE_SUCCESS);
  ASSERT_EQ(ddtscope_type_get_key(other, twin, &there), DDTSCOPE_SUCCESS);
  EXPECT_EQ(key, there);
  ddtscope_context_free(&other);
}

TEST_F(CApi, AllPredefinedNamesAreKnown) {
  std::size_t number = 0;
  for (; ddtscope_predefined_name(number) != nullptr; ++number) named(ddtscope_predefined_name(number));
  EXPECT_GT(number, 70u);
  EXPECT_EQ(ddtscope_predefined(context, "MPI_NONSENSE", &type), DDTSCOPE_ERR_TYPE);
  EXPECT_STREQ(ddtscope_error_message(context), "ddtscope_predefined: \"MPI_NONSENSE\" is no predefined datatype");
  EXPECT_EQ(ddtscope_predefined(context, nullptr, &type), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_predefined(context, "MPI_INT", nullptr), DDTSCOPE_ERR_ARG);
}

TEST_F(CApi, AnotherMachineIsDescribedBeforeItsTypesAreUsed) {
  EXPECT_EQ(ddtscope_set_predefined(context, "MPI_LONG", 4, 4), DDTSCOPE_SUCCESS);
  EXPECT_EQ(ddtscope_set_predefined(context, "MPIX_HALF", 2, 2), DDTSCOPE_SUCCESS);
  EXPECT_EQ(ddtscope_set_predefined(context, "F90_REAL(20,MPI_UNDEFINED)", 12, 4), DDTSCOPE_SUCCESS);
  named("MPIX_HALF");
  named("MPI_LONG_INT");
  EXPECT_EQ(ddtscope_set_predefined(context, "MPI_LONG", 4, 4), DDTSCOPE_SUCCESS);
  EXPECT_EQ(refused(ddtscope_set_predefined(context, "MPI_LONG", 8, 8)),
            "MPI_ERR_OTHER ddtscope_set_predefined: MPI_LONG is in use with size 4 and alignment 4");
  EXPECT_EQ(ddtscope_set_predefined(context, "MPI_2INT", 8, 4), DDTSCOPE_ERR_TYPE);
  EXPECT_EQ(ddtscope_set_predefined(context, "MPI_LB", 1, 1), DDTSCOPE_ERR_TYPE);
  EXPECT_EQ(ddtscope_set_predefined(context, "double", 8, 8), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_set_predefined(context, "MPI_SHORT", 0, 1), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_set_predefined(context, "MPI_SHORT", INT64_MAX, 1), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_set_predefined(context, "MPI_SHORT", 2, 3), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_set_predefined(context, nullptr, 2, 2), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_type_create_f90_real(context, 20, DDTSCOPE_UNDEFINED, &type), DDTSCOPE_SUCCESS);
  EXPECT_EQ(ddtscope_predefined(context, "F90_REAL(20,MPI_UNDEFINED)", &type), DDTSCOPE_ERR_TYPE);
}

TEST_F(CApi, F90TypesAreDescribedUntilOneIsMade) {
  EXPECT_EQ(ddtscope_set_predefined(context, "F90_REAL(15,307)", 8, 8), DDTSCOPE_SUCCESS);
  EXPECT_EQ(ddtscope_set_predefined(context, "F90_REAL(15,307)", 12, 4), DDTSCOPE_SUCCESS);
  EXPECT_EQ(ddtscope_set_predefined(context, "F90_INTEGER(9)", 6, 2), DDTSCOPE_SUCCESS);
  EXPECT_EQ(ddtscope_predefined(context, "F90_REAL(15,307)", &type), DDTSCOPE_ERR_TYPE);
  EXPECT_EQ(ddtscope_set_predefined(context, "F90_REAL(15,307)", 10, 2), DDTSCOPE_SUCCESS);
  const auto size = [&](ddtscope_datatype of) {
    ddtscope_bounds bounds{};
    EXPECT_EQ(ddtscope_get_bounds(context, of, DDTSCOPE_RULE_STANDARD, &bounds), DDTSCOPE_SUCCESS);
    return ddtscope_to_count(bounds.size);
  };
  ASSERT_EQ(ddtscope_type_create_f90_real(context, 15, 307, &type), DDTSCOPE_SUCCESS);
  EXPECT_EQ(size(type), 10);
  EXPECT_EQ(refused(ddtscope_set_predefined(context, "F90_REAL(15,307)", 8, 8)),
            "MPI_ERR_OTHER ddtscope_set_predefined: F90_REAL(15,307) is in use with size 10 and alignment 2");
  ASSERT_EQ(ddtscope_bnf_parse(context, "U1(FI:9)", 8, &type, nullptr), DDTSCOPE_SUCCESS);
  EXPECT_EQ(size(type), 6);
}

TEST_F(CApi, TextIsCutLikeSnprintfDoes) {
  const ddtscope_datatype i = named("MPI_INT");
  ASSERT_EQ(ddtscope_type_contiguous(context, 3, i, &type), DDTSCOPE_SUCCESS);
  char buffer[5] = "####";
  std::size_t length = 0;
  EXPECT_EQ(ddtscope_bnf_text(context, type, nullptr, nullptr, buffer, sizeof buffer, &length), DDTSCOPE_SUCCESS);
  EXPECT_STREQ(buffer, "U1(3");
  EXPECT_EQ(length, 6u);
  EXPECT_EQ(ddtscope_bnf_text(context, type, nullptr, nullptr, buffer, 1, &length), DDTSCOPE_SUCCESS);
  EXPECT_STREQ(buffer, "");
  EXPECT_EQ(ddtscope_bnf_text(context, type, nullptr, nullptr, nullptr, 0, nullptr), DDTSCOPE_SUCCESS);
  EXPECT_EQ(ddtscope_bnf_text(context, type, nullptr, nullptr, nullptr, 7, nullptr), DDTSCOPE_ERR_ARG);
}

TEST_F(CApi, NamesStandInTexts) {
  const ddtscope_datatype i = named("MPI_INT");
  ddtscope_datatype outer = none;
  ASSERT_EQ(ddtscope_type_contiguous(context, 3, i, &type), DDTSCOPE_SUCCESS);
  ASSERT_EQ(ddtscope_type_dup(context, type, &outer), DDTSCOPE_SUCCESS);
  EXPECT_EQ(text(ddtscope_type_get_name, context, i), "MPI_INT");
  EXPECT_EQ(call(outer), "MPI_Type_dup(" + text(ddtscope_type_get_name, context, type) + ")");
  EXPECT_EQ(ddtscope_type_set_name(context, type, "row"), DDTSCOPE_SUCCESS);
  EXPECT_EQ(call(outer), "MPI_Type_dup(row)");
  EXPECT_EQ(ddtscope_type_set_name(context, type, nullptr), DDTSCOPE_SUCCESS);
  EXPECT_EQ(call(outer).substr(0, 14), "MPI_Type_dup(T");
  EXPECT_EQ(text(ddtscope_constructor_text, context, type, SIZE_MAX), "MPI_Type_contiguous(3, MPI_INT)");
  EXPECT_EQ(ddtscope_type_set_name(context, i, "my counter"), DDTSCOPE_SUCCESS);
  EXPECT_EQ(text(ddtscope_c_code, context, i), "MPI_INT") << "no C has that name";
}

TEST_F(CApi, NumbersOfTheShortNotationMayBeTheCallers) {
  const ddtscope_number_function by_handle = [](ddtscope_datatype datatype, void* data) {
    return static_cast<std::uint64_t>(datatype & UINT32_MAX) + *static_cast<std::uint64_t*>(data);
  };
  type = parsed("U1(V:U2(3d):2:1:4)");
  std::uint64_t base = 1000;
  const std::string notation = text(ddtscope_bnf_text, context, type, by_handle, static_cast<void*>(&base));
  EXPECT_EQ(notation, "U1003(V:U1002(3d):2:1:4)");
  EXPECT_EQ(parsed(notation), type);
}

TEST_F(CApi, ParserSaysWhere) {
  std::size_t position = 99;
  EXPECT_EQ(ddtscope_bnf_parse(context, "U1(V:d:3:x)", 11, &type, &position), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(position, 9u);
  EXPECT_STREQ(ddtscope_error_message(context), "ddtscope_bnf_parse: at 9 expected a number");
  EXPECT_EQ(ddtscope_bnf_parse(context, nullptr, 0, &type, nullptr), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_bnf_parse(context, nullptr, 4, &type, nullptr), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_bnf_parse(context, "nonsense", 8, &type, &position), DDTSCOPE_ERR_TYPE);
  EXPECT_EQ(ddtscope_bnf_parse(context, "U1(-3d)", 7, &type, &position), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_bnf_parse(context, "U1(V:d:-3:1:1)", 14, &type, &position), DDTSCOPE_ERR_COUNT);
  EXPECT_EQ(type, none);
}

ddtscope_context* of_program = nullptr;

/// What std::exit runs when this thread's own objects have been destroyed.
void free_at_exit() {
  const bool is_refused = ddtscope_context_free(nullptr) == DDTSCOPE_ERR_ARG &&
                          std::string(ddtscope_error_message(nullptr)).starts_with("ddtscope_context_free: ");
  if (!is_refused) std::_Exit(2);
  std::_Exit(ddtscope_context_free(&of_program) == DDTSCOPE_SUCCESS && of_program == nullptr ? 0 : 3);
}

void end_with_a_context() {
  if (ddtscope_context_create(&of_program) != DDTSCOPE_SUCCESS) std::_Exit(4);
  ddtscope_context_free(nullptr);  // whose message this thread has
  if (std::atexit(&free_at_exit) != 0) std::_Exit(5);
  std::exit(1);
}

TEST(CApiContexts, AreFreedWhileTheProgramEnds) { EXPECT_EXIT(end_with_a_context(), testing::ExitedWithCode(0), ""); }

TEST(CApiIntegers, KeepWhatFitsAndSayWhatDoesNot) {
  const ddtscope_integer small = ddtscope_integer_of(-5);
  EXPECT_EQ(small.bits, 64);
  EXPECT_EQ(ddtscope_to_count(small), -5);
  EXPECT_EQ(ddtscope_to_int(small), -5);
  EXPECT_EQ(text(ddtscope_integer_text, small), "-5");
  const ddtscope_integer count = ddtscope_integer_of(INT64_MIN);
  EXPECT_EQ(ddtscope_to_count(count), INT64_MIN);
  EXPECT_EQ(ddtscope_to_int(count), DDTSCOPE_UNDEFINED);
  const ddtscope_integer wide = {0, 1, 128};
  EXPECT_EQ(ddtscope_to_count(wide), DDTSCOPE_UNDEFINED);
  EXPECT_EQ(text(ddtscope_integer_text, wide), "18446744073709551616");
  EXPECT_EQ(text(ddtscope_integer_text, ddtscope_integer{0, INT64_MIN, 128}),
            "-170141183460469231731687303715884105728");
  EXPECT_EQ(text(ddtscope_integer_text, ddtscope_integer{7, 7, 0}), "does not fit");
  EXPECT_EQ(ddtscope_integer_text({0, 0, 3}, nullptr, 0, nullptr), DDTSCOPE_ERR_ARG);
}

/// The accessors of 1995, walked down until nothing but basic types is left.
class CApiClassic : public CApi {
 protected:
  struct Elements {
    int combiner = -1;
    std::vector<std::int64_t> blocklengths, displacements;
    Types types;
  };
  Elements elements(ddtscope_datatype of) {
    std::int64_t count = -1;
    EXPECT_EQ(ddtscope_type_count(context, of, &count), DDTSCOPE_SUCCESS);
    Elements result;
    const auto n = static_cast<std::size_t>(count);
    result.blocklengths.assign(n, -99);
    result.displacements.assign(n, -99);
    result.types.assign(n, none);
    std::int64_t written = count;
    EXPECT_EQ(ddtscope_type_elements(context, of, &written, &result.combiner, result.blocklengths.data(),
                                     result.displacements.data(), result.types.data()),
              DDTSCOPE_SUCCESS)
        << ddtscope_error_message(context);
    EXPECT_EQ(written, count);
    return result;
  }
  using Values = std::vector<std::int64_t>;
};

TEST_F(CApiClassic, ConstructorsOf1995KeepItsConventions) {
  const ddtscope_datatype d = named("MPI_DOUBLE");
  const ddtscope_datatype c = named("MPI_CHAR");
  Elements e = elements(d);
  EXPECT_EQ(e.combiner, DDTSCOPE_BASIC);
  EXPECT_EQ(e.types, Types{d});

  e = elements(parsed("U1(7d)"));
  EXPECT_EQ(e.combiner, DDTSCOPE_CONTIG);
  EXPECT_EQ(e.blocklengths, Values{7});
  EXPECT_EQ(e.types, Types{d});

  e = elements(parsed("U1(V:d:3:2:5)"));
  EXPECT_EQ(e.combiner, DDTSCOPE_VECTOR);
  EXPECT_EQ(e.blocklengths, (Values{2, -99, -99}));
  EXPECT_EQ(e.displacements, (Values{5, -99, -99}));
  EXPECT_EQ(e.types, (Types{d, none, none}));

  e = elements(parsed("U1(HV:d:2:2:-16)"));
  EXPECT_EQ(e.combiner, DDTSCOPE_HVECTOR);
  EXPECT_EQ(e.displacements, (Values{-16, -99}));

  e = elements(parsed("U1(X:d:2:3/4,1/0)"));
  EXPECT_EQ(e.combiner, DDTSCOPE_INDEXED);
  EXPECT_EQ(e.blocklengths, (Values{3, 1}));
  EXPECT_EQ(e.displacements, (Values{4, 0}));
  EXPECT_EQ(e.types, (Types{d, none}));

  e = elements(parsed("U1(HX:d:2:3/4,1/0)"));
  EXPECT_EQ(e.combiner, DDTSCOPE_HINDEXED);

  e = elements(parsed("U1(S:2:d/1/0,c/2/8)"));
  EXPECT_EQ(e.combiner, DDTSCOPE_STRUCT);
  EXPECT_EQ(e.blocklengths, (Values{1, 2}));
  EXPECT_EQ(e.displacements, (Values{0, 8}));
  EXPECT_EQ(e.types, (Types{d, c}));
}

TEST_F(CApiClassic, LaterConstructorsArePutInItsTerms) {
  const ddtscope_datatype d = named("MPI_DOUBLE");
  const ddtscope_datatype lb = named("MPI_LB"), ub = named("MPI_UB");
  Elements e = elements(parsed("U1(D:d)"));
  EXPECT_EQ(e.combiner, DDTSCOPE_CONTIG);
  EXPECT_EQ(e.blocklengths, Values{1});

  e = elements(parsed("U1(XB:d:3:2:0,5,9)"));
  EXPECT_EQ(e.combiner, DDTSCOPE_INDEXED);
  EXPECT_EQ(e.blocklengths, (Values{2, 2, 2}));
  EXPECT_EQ(e.displacements, (Values{0, 5, 9}));

  e = elements(parsed("U1(HXB:d:1:2:9)"));
  EXPECT_EQ(e.combiner, DDTSCOPE_HINDEXED);

  e = elements(parsed("U1(Z:d:-8:32)"));
  EXPECT_EQ(e.combiner, DDTSCOPE_RESIZED);
  EXPECT_EQ(e.blocklengths, (Values{1, 1, 1}));
  EXPECT_EQ(e.displacements, (Values{-8, 0, 24}));
  EXPECT_EQ(e.types, (Types{lb, d, ub}));

  // Rows 1 and 2 of 4, columns 2 and 3 and 4 of 5.
  e = elements(parsed("U1(A:d:2:C:4/2/1,5/3/2)"));
  EXPECT_EQ(e.combiner, DDTSCOPE_RESIZED);
  EXPECT_EQ(e.displacements, (Values{0, 0, 160}));
  EXPECT_EQ(bnf(e.types[1]), "U1(S:1:U2(HV:U3(HV:d:3:1:8):2:1:40)/1/56)");

  // Elements 0 to 2 and 6 of 7.
  e = elements(parsed("U1(DA:d:2:0:1:C:7/C/3/2)"));
  EXPECT_EQ(e.combiner, DDTSCOPE_RESIZED);
  EXPECT_EQ(e.displacements, (Values{0, 0, 56}));
  EXPECT_EQ(bnf(e.types[1]), "U1(S:2:U2(HV:d:3:1:8)/1/0,d/1/48)");

  // Process 3 of 4 owns nothing of 2 elements.
  e = elements(parsed("U1(DA:d:4:3:1:C:2/B/*/4)"));
  EXPECT_EQ(e.displacements, (Values{0, 0, 16}));
  EXPECT_EQ(bnf(e.types[1]), "U1(0d)");

  e = elements(parsed("U1(VI:d:i)"));
  EXPECT_EQ(e.combiner, DDTSCOPE_STRUCT);
  EXPECT_EQ(e.displacements, (Values{0, 8}));

  e = elements(parsed("U1(FR:15:307)"));
  EXPECT_EQ(e.combiner, DDTSCOPE_BASIC);
}

TEST_F(CApiClassic, OnlyTheElementsAskedForAreWritten) {
  type = parsed("U1(X:d:3:3/4,1/0,2/7)");
  std::array<std::int64_t, 3> blocklengths = {-1, -1, -1}, displacements = {-1, -1, -1};
  std::array<ddtscope_datatype, 3> types{};
  std::int64_t count = 2;
  int combiner = -1;
  EXPECT_EQ(
      ddtscope_type_elements(context, type, &count, &combiner, blocklengths.data(), displacements.data(), types.data()),
      DDTSCOPE_SUCCESS);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(blocklengths, (std::array<std::int64_t, 3>{3, 1, -1}));
  count = 0;
  combiner = -1;
  EXPECT_EQ(ddtscope_type_elements(context, type, &count, &combiner, nullptr, nullptr, nullptr), DDTSCOPE_SUCCESS);
  EXPECT_EQ(count, 0);
  EXPECT_EQ(combiner, DDTSCOPE_INDEXED);
  count = -1;
  EXPECT_EQ(ddtscope_type_elements(context, type, &count, &combiner, nullptr, nullptr, nullptr), DDTSCOPE_ERR_COUNT);
  count = 1;
  EXPECT_EQ(ddtscope_type_elements(context, type, &count, &combiner, nullptr, nullptr, nullptr), DDTSCOPE_ERR_ARG);
  type = parsed("U1(Z:d:9223372036854775807:5)");
  count = 3;
  EXPECT_EQ(
      ddtscope_type_elements(context, type, &count, &combiner, blocklengths.data(), displacements.data(), types.data()),
      DDTSCOPE_ERR_VALUE_TOO_LARGE);
}

}  // namespace
}  // namespace ddtscope::test::c_api_test
