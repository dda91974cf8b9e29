// The picture of a type in a user's array, against one drawn by hand.
#include <gtest/gtest.h>

#include "reporters/model/job_fixture.h"
#include "reporters/text/picture.h"

namespace ddtscope::reporters::picture_array_test {
namespace {

class ArrayPictureTest : public test::JobFixture {
 protected:
  std::string drawn(TypeNumber type, const UserArray& array, std::int64_t count = 1) {
    const ArrayCoverage coverage = std::get<ArrayCoverage>(coverage_of_array(job_, type, array, count));
    return picture_in_array(coverage, array, "copies", Style(Colour::never));
  }
};

TEST_F(ArrayPictureTest, IsTheArrayAsItIsWritten) {
  EXPECT_EQ(drawn(vector(3, 2, 5), {{4, 5}, "MPI_DOUBLE", {1}, {}}),
            "view: array u[4][5] of MPI_DOUBLE, 40 bytes a row; copies from u[1][0] on\n"
            "  # touched, . not, + in part\n"
            "        0 1 2 3 4\n"
            "  u[0]  . . . . .\n"
            "  u[1]  # # . . .\n"
            "  u[2]  # # . . .\n"
            "  u[3]  # # . . .\n"
            "6 elements are touched.\n");
}

TEST_F(ArrayPictureTest, SaysHowOftenAndWhatLiesOutside) {
  const TypeNumber tight = make(Combiner::resized, {{}, {0, 8}, {}, {job_.type(contiguous(2)).definition}});
  EXPECT_EQ(drawn(tight, {{1, 4}, "MPI_DOUBLE", {0, 1}, {}}, 3),
            "view: array u[1][4] of MPI_DOUBLE, 32 bytes a row; copies from u[0][1] on\n"
            "  # touched, . not, + in part; 2 to 9, * touched so often, or oftener\n"
            "        0 1 2 3\n"
            "  u[0]  . # 2 2\n"
            "3 elements are touched, 2 of them twice or oftener.\n"
            "1 entry lies outside of the elements: the first at byte 32 of the array.\n");
}

TEST_F(ArrayPictureTest, LargeArraysAreDrawnByMarksOfSeveralElements) {
  const std::string text = drawn(vector(100, 1, 100), {{100, 100}, "MPI_DOUBLE", {}, {}});
  EXPECT_NE(text.find("each mark stands for 3 x 3 elements, + some of them"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  u[0]   + . ."), std::string::npos) << text;
}

}  // namespace
}  // namespace ddtscope::reporters::picture_array_test
