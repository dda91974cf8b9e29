#include "decoder/definition/basic_kind.h"

#include <gtest/gtest.h>

#include "decoder/definition/basic_type.h"

namespace ddtscope::basic_kind_test {
namespace {

TEST(BasicKind, OfTheStandardsNames) {
  EXPECT_EQ(basic_kind("MPI_LONG"), basic_kind("MPI_INT64_T"));
  EXPECT_EQ(basic_kind("MPI_CHAR"), basic_kind("MPI_SIGNED_CHAR"));
  EXPECT_EQ(basic_kind("MPI_DOUBLE"), basic_kind("MPI_DOUBLE_PRECISION"));
  EXPECT_EQ(basic_kind("MPI_DOUBLE"), basic_kind("F90_REAL(15,307)"));
  EXPECT_EQ(basic_kind("MPI_UNSIGNED"), basic_kind("MPI_UINT32_T"));
  EXPECT_EQ(basic_kind("MPI_C_DOUBLE_COMPLEX"), basic_kind("MPI_DOUBLE_COMPLEX"));
  EXPECT_EQ(basic_kind("MPI_CXX_BOOL"), basic_kind("MPI_LOGICAL"));
  EXPECT_NE(basic_kind("MPI_INT"), basic_kind("MPI_UNSIGNED"));
  EXPECT_NE(basic_kind("MPI_FLOAT"), basic_kind("MPI_INT"));
  EXPECT_NE(basic_kind("MPI_BYTE"), basic_kind("MPI_CHAR"));
  EXPECT_EQ(basic_kind("double"), BasicKind::other);
}

TEST(BasicKind, OfEveryBasicTypeThatThereIs) {
  for (const PredefinedName& name : predefined_names()) {
    if (name.kind != PredefinedKind::basic) continue;
    EXPECT_NE(basic_kind(name.canonical), BasicKind::other) << name.canonical;
  }
}

}  // namespace
}  // namespace ddtscope::basic_kind_test
