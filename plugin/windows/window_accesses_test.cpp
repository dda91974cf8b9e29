// The lines of windows and of what is reached in them.
#include <array>
#include <string>
#include <vector>

#include "plugin/windows/windows_fixture.h"

namespace ddtscope::plugin::window_accesses_test {
namespace {

using WindowAccessesTest = WindowsTest;

TEST_F(WindowAccessesTest, OfALoopAreOneLine) {
  make(window, world);
  fence();
  for (std::intptr_t i = 0; i < 1000; ++i) puts(2, 7 * i - 3);
  puts(1, 4);
  puts(1, 5, 6);
  write();
  const std::vector<std::string> lines = written("accesses");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_NE(lines[0].find(R"("target":2,"type":"MPI_INT","elements":5,)"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find(R"("lowest":-3,"highest":6990,"count":1000})"), std::string::npos) << lines[0];
  EXPECT_NE(lines[1].find(R"("lowest":4,"highest":4,"count":1})"), std::string::npos) << lines[1];
  EXPECT_NE(lines[2].find(R"("elements":6,)"), std::string::npos) << lines[2];
}

TEST_F(WindowAccessesTest, NamesOfWindowsAreToldOnce) {
  make(window, world);
  make(window + 1, world);
  for (int i = 0; i < 2; ++i) {
    windows_->named(window, "halo \"1\"");
    windows_->named(window + 1, "other");
  }
  windows_->named(window + 2, "of nobody's");
  const std::vector<std::string> lines = written("window_name");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], R"({"record":"window_name","window":0,"name":"halo \"1\""})");
  EXPECT_EQ(lines[1], R"({"record":"window_name","window":1,"name":"other"})");
}

TEST_F(WindowAccessesTest, NameTheProcessThatARankStandsFor) {
  communicators_->made_by_parent({other, &split_entry, &stack_}, communicators_->begin_call(world), other);
  make(window, other);
  fence();
  puts(0, 1);
  puts(2, 1);  // no such rank
  write();
  const std::vector<std::string> lines = written("accesses");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find(R"("target":3,)"), std::string::npos) << lines[0];
  EXPECT_EQ(written("note").size(), 1u);
}

TEST_F(WindowAccessesTest, OfNobodyAndOfNothingAreNone) {
  make(window, world);
  fence();
  puts(constants.null_process, 1);
  puts(1, 1, 0);
  puts(1, 1, -1);
  write();
  EXPECT_TRUE(written("accesses").empty());
  EXPECT_TRUE(written("note").empty());
}

TEST_F(WindowAccessesTest, OfOneTypeForAllAreAsManyAsTheFunctionHas) {
  make(window, world);
  fence();
  const std::array<std::intptr_t, 7> words{1,  2, static_cast<std::intptr_t>(mpi_int), 3,
                                           17, 0, static_cast<std::intptr_t>(window)};
  call({{fetch, words.data()}, &fetch_entry, &stack_});
  write();
  const std::vector<std::string> lines = written("accesses");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find(R"("target":3,"type":"MPI_INT","elements":1,"called":"MPI_Fetch_and_op")"),
            std::string::npos);
  EXPECT_NE(lines[0].find(R"("argument":"datatype")"), std::string::npos);
  EXPECT_NE(lines[0].find(R"("lowest":17,"highest":17,"count":1})"), std::string::npos);
}

TEST_F(WindowAccessesTest, OfAWindowWithoutAUnitAreNotTold) {
  make(window, world, 800, 0);
  fence();
  puts(1, 1);
  write();
  EXPECT_TRUE(written("window").empty());
  EXPECT_TRUE(written("accesses").empty());
}

TEST_F(WindowAccessesTest, OfAHandleThatIsGivenAgainAreOfAnotherWindow) {
  make(window, world);
  fence();
  puts(1, 0);
  windows_->freeing(window, free_entry, stack_);
  puts(1, 1);  // the program's mistake
  make(window, world, 80);
  fence();
  puts(1, 2);
  write();
  const std::vector<std::string> windows = written("window"), lines = written("accesses");
  ASSERT_EQ(windows.size(), 2u);
  EXPECT_NE(windows[0].substr(windows[0].find("name"), 26), windows[1].substr(windows[1].find("name"), 26));
  EXPECT_NE(windows[1].find(R"("flavour":"create","size":80,"displacement_unit":8,)"), std::string::npos) << windows[1];
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_NE(lines[0].find(R"("window":0,)"), std::string::npos);
  EXPECT_NE(lines[1].find(R"("window":1,)"), std::string::npos);
  EXPECT_EQ(written("note").size(), 1u);
}

TEST_F(WindowAccessesTest, AreCountedWhereThereIsNoMemory) {
  record(600);
  make(window, world);
  fence();
  for (std::intptr_t count = 1; count <= 10; ++count) puts(1, 0, count);
  puts(1, 9, 1);
  write();
  const std::vector<std::string> lines = written("accesses");
  ASSERT_FALSE(lines.empty());
  ASSERT_LT(lines.size(), 10u);
  EXPECT_NE(lines[0].find(R"("highest":9,"count":2})"), std::string::npos);
  ASSERT_EQ(written("note").size(), 1u);
  EXPECT_NE(written("note")[0].find(std::to_string(10 - lines.size()) + " accesses to windows are not told"),
            std::string::npos);
}

}  // namespace
}  // namespace ddtscope::plugin::window_accesses_test
