// How types are gone through that structs are looked for. What is found in real programs:
// testapps/sources/run_struct_layout.py.
#include "reporters/struct_layout/struct_layout.h"

#include <gtest/gtest.h>

#include "reporters/model/job_fixture.h"

namespace ddtscope::reporters::struct_layout_test {
namespace {

using StructLayouts = test::JobFixture;

// A job may have a million types: their layouts together take more than all else that is known of them.
TEST_F(StructLayouts, OfAllTypesNoLayoutsAreKept) {
  const FrameIndex site = frame(0x10);
  job_.layouts.make_room(0);
  for (std::int64_t i = 1; i <= 100; ++i) {
    lives(structure({{0, "MPI_INT"}, {8 * i, "MPI_DOUBLE"}}), site, {.created = 1});
  }
  ASSERT_TRUE(job_.layouts.make_room(0));
  const std::size_t before = job_.layouts.bytes();
  EXPECT_TRUE(findings_of_structs(job_).empty()) << "the program is not here";
  EXPECT_EQ(job_.layouts.bytes(), before);
  EXPECT_TRUE(is_struct_like(job_, job_.types.front().number));
  EXPECT_GT(job_.layouts.bytes(), before) << "what is asked of one type is kept";
}

TEST_F(StructLayouts, WhyNothingIsKnownIsSaidOnceForEachModule) {
  const FrameIndex site = frame(0x10);
  std::vector<TypeNumber> types = {contiguous(3), structure({{0, "MPI_INT"}}), structure({{4, "MPI_INT"}})};
  for (const TypeNumber type : types) lives(type, site, {.created = 1});
  std::vector<std::string> why_not;
  EXPECT_TRUE(struct_layouts(job_, types, &why_not).empty());
  ASSERT_EQ(why_not.size(), 1u);
  EXPECT_TRUE(why_not.front().starts_with("/nowhere/app: ")) << why_not.front();

  why_not.clear();
  EXPECT_TRUE(struct_layouts(job_, {types.data(), 1}, &why_not).empty());
  EXPECT_TRUE(why_not.empty()) << "a type that is no struct asks nothing of a file";
}

}  // namespace
}  // namespace ddtscope::reporters::struct_layout_test
