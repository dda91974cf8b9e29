// The table of MPI-4.1 6.9.2, read off its text: which predefined types each kind of operation takes.
#include "plugin/uses/op_types.h"

#include <gtest/gtest.h>

namespace ddtscope::plugin::op_types_test {
namespace {

constexpr OpKind extremum = OpKind::extremum, arithmetic = OpKind::arithmetic, logical = OpKind::logical,
                 bitwise = OpKind::bitwise, location = OpKind::location;

std::string graded(OpKind op, const char* type) {
  const std::optional<Severity> severity = misfit(op, type);
  return severity ? std::string(text_of(*severity)) : "right";
}

TEST(OpTypes, IntegersTakeAllButLocations) {
  for (const char* type : {"MPI_INT", "MPI_UNSIGNED_LONG_LONG", "MPI_LONG_LONG", "MPI_SIGNED_CHAR", "MPI_UINT8_T"}) {
    for (const OpKind op : {extremum, arithmetic, logical, bitwise}) EXPECT_EQ(graded(op, type), "right") << type;
    EXPECT_EQ(graded(location, type), "error") << type;
  }
}

TEST(OpTypes, FloatingPointHasNoBitsAndNoTruth) {
  for (const char* type : {"MPI_DOUBLE", "MPI_REAL", "MPI_LONG_DOUBLE", "MPI_REAL16"}) {
    EXPECT_EQ(graded(extremum, type), "right") << type;
    EXPECT_EQ(graded(arithmetic, type), "right") << type;
    EXPECT_EQ(graded(logical, type), "error") << type;
    EXPECT_EQ(graded(bitwise, type), "error") << type;
  }
}

TEST(OpTypes, ComplexNumbersHaveNoOrder) {
  for (const char* type : {"MPI_C_DOUBLE_COMPLEX", "MPI_C_FLOAT_COMPLEX", "MPI_DOUBLE_COMPLEX", "MPI_COMPLEX"}) {
    EXPECT_EQ(graded(arithmetic, type), "right") << type;
    EXPECT_EQ(graded(extremum, type), "error") << type;
    EXPECT_EQ(graded(bitwise, type), "error") << type;
  }
}

TEST(OpTypes, LogicalTypesTakeLogicalOperationsAlone) {
  for (const char* type : {"MPI_C_BOOL", "MPI_LOGICAL", "MPI_CXX_BOOL"}) {
    EXPECT_EQ(graded(logical, type), "right") << type;
    for (const OpKind op : {extremum, arithmetic, bitwise, location}) EXPECT_EQ(graded(op, type), "error") << type;
  }
}

TEST(OpTypes, BytesHaveBitsAlone) {
  EXPECT_EQ(graded(bitwise, "MPI_BYTE"), "right");
  for (const OpKind op : {extremum, arithmetic, logical, location}) EXPECT_EQ(graded(op, "MPI_BYTE"), "error");
}

TEST(OpTypes, PairsTakeLocationsAlone) {
  for (const char* type : {"MPI_2INT", "MPI_DOUBLE_INT", "MPI_2REAL"}) {
    EXPECT_EQ(graded(location, type), "right") << type;
    for (const OpKind op : {extremum, arithmetic, logical, bitwise}) EXPECT_EQ(graded(op, type), "error") << type;
  }
}

TEST(OpTypes, CharactersAreNoNumbers) {
  EXPECT_EQ(graded(arithmetic, "MPI_WCHAR"), "error");
  EXPECT_EQ(graded(arithmetic, "MPI_PACKED"), "error");
  // The same bytes as MPI_SIGNED_CHAR or MPI_UNSIGNED_CHAR, which are right.
  EXPECT_EQ(graded(arithmetic, "MPI_CHAR"), "warning");
  EXPECT_EQ(graded(logical, "MPI_INTEGER"), "warning");
}

TEST(OpTypes, ReplacementTakesAnything) {
  for (const char* type : {"MPI_WCHAR", "MPI_2INT", "MPI_DOUBLE"})
    EXPECT_EQ(graded(OpKind::replacement, type), "right");
}

TEST(OpTypes, NothingIsSaidOfWhatTheStandardDoesNotKnow) {
  EXPECT_EQ(graded(bitwise, "MPIX_C_FLOAT16"), "right");
  EXPECT_EQ(graded(bitwise, "F90_REAL(15,307)"), "right");
}

}  // namespace
}  // namespace ddtscope::plugin::op_types_test
