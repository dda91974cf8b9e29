// What was read from and written to each file.
#include "reporters/model/file_traffic.h"

#include <optional>
#include <string>
#include <vector>

#include "decoder/base/grouped.h"
#include "reporters/model/job_fixture.h"

namespace ddtscope::reporters::file_traffic_test {
namespace {

class FileTrafficTest : public test::JobFixture {
 protected:
  FileTrafficTest() { ranks(4); }

  static RankRanges of(std::int64_t first, std::int64_t last) {
    RankRanges ranks;
    if (first <= last) ranks.add(RankRange{first, last, {}});
    return ranks;
  }
  FileIndex file(const std::string& name, const char* mode, RankRanges ranks) {
    job_.files.push_back({name, job_.word("MPI_COMM_WORLD"), job_.word(mode), job_.word("MPI_File_open"),
                          job_.word("c"), std::nullopt, std::move(ranks)});
    return {static_cast<std::uint32_t>(job_.files.size() - 1)};
  }
  void accesses(FileIndex of_file, const char* called, const char* type, std::uint64_t elements, RankRanges ranks) {
    job_.file_accesses.push_back({of_file, named(type), elements, 2, job_.word(called), job_.word("c"),
                                  trace::UseParameter::datatype, std::nullopt, std::move(ranks)});
  }
  void view(FileIndex of_file, std::optional<std::int64_t> lowest, std::optional<std::int64_t> highest,
            RankRanges ranks) {
    job_.views.push_back({of_file, named("MPI_INT"), named("MPI_INT"), job_.word("native"), lowest, highest,
                          job_.word("MPI_File_set_view"), job_.word("c"), std::nullopt, 3, std::move(ranks)});
  }
  WantedFiles everything() const {
    return {std::vector<bool>(job_.file_accesses.size(), true), std::vector<bool>(job_.views.size(), true),
            std::vector<bool>(job_.files.size(), true)};
  }
  std::string text(const std::vector<FileTraffic>& all) const {
    std::string text;
    for (const FileTraffic& one : all) {
      text += std::string(one.name) + " " + std::to_string(one.modes.size()) + " " + std::to_string(one.amounts.calls) +
              " -" + grouped(one.amounts.read) + " +" + grouped(one.amounts.written) + ":";
      for (const FileType& type : one.types) {
        text +=
            " " + job_.name_of(type.type) + " -" + grouped(type.amounts.read) + " +" + grouped(type.amounts.written);
      }
      for (const FileView& view : one.views) {
        text += " [" + (view.lowest ? std::to_string(*view.lowest) + "," + std::to_string(*view.highest) : "") + "]x" +
                std::to_string(view.count);
      }
      text += "\n";
    }
    return text;
  }
};

TEST_F(FileTrafficTest, IsThatOfAllProcessesAndOpens) {
  const FileIndex late = file("a", "MPI_MODE_RDONLY", of(2, 3)), early = file("a", "MPI_MODE_WRONLY", of(0, 1)),
                  other = file("b", "MPI_MODE_RDWR", of(0, 3));
  file("c", "MPI_MODE_RDWR", of(0, 0));
  accesses(early, "MPI_File_write_all", "MPI_INT", 10, of(0, 1));
  accesses(late, "mpi_file_iread_at_f08_", "MPI_DOUBLE", 3, of(2, 2));
  accesses(late, "mpi_file_iread_at_f08_", "MPI_DOUBLE", 4, of(3, 3));
  accesses(other, "MPI_File_read_ordered_begin", "MPI_DOUBLE", 100, of(0, 3));
  accesses(other, "MPI_File_write", "MPI_INT", 1, of(0, -1));  // of a process without a rank
  view(early, 8, 16, of(0, 0));
  view(late, 0, 0, of(2, 3));
  view(late, std::nullopt, std::nullopt, of(2, 2));
  const std::vector<FileTraffic> all = file_traffic_of(job_, everything());
  EXPECT_EQ(text(all),
            "b 1 10 -3,200 +4: MPI_DOUBLE -3,200 +0 MPI_INT -0 +4\n"
            "a 2 8 -56 +80: MPI_INT -0 +80 MPI_DOUBLE -56 +0 [0,16]x9 []x3\n"
            "c 1 0 -0 +0:\n");
  ASSERT_EQ(all[1].ranks.ranges().size(), 1u);
  EXPECT_EQ(all[1].ranks.ranges()[0].first, 0);
  EXPECT_EQ(all[1].ranks.ranges()[0].last, 3);
}

TEST_F(FileTrafficTest, IsOfWhatIsWanted) {
  const FileIndex a = file("a", "MPI_MODE_RDWR", of(0, 0)), b = file("b", "MPI_MODE_RDWR", of(0, 0));
  accesses(a, "MPI_File_write", "MPI_INT", 1, of(0, 0));
  accesses(a, "MPI_File_read", "MPI_INT", 1, of(0, 0));
  accesses(b, "MPI_File_read", "MPI_INT", 1, of(0, 0));
  EXPECT_EQ(text(file_traffic_of(job_, {{false, true, false}, {}, {false, false}})), "a 1 2 -4 +0: MPI_INT -4 +0\n");
  EXPECT_EQ(text(file_traffic_of(job_, {{false, false, false}, {}, {false, true}})), "b 1 0 -0 +0:\n");
  view(a, 0, 8, of(0, 0));
  view(a, std::nullopt, std::nullopt, of(0, 0));
  EXPECT_EQ(text(file_traffic_of(job_, {{false, false, false}, {true, false}, {false, false}})),
            "a 1 0 -0 +0: [0,8]x3\n");
  EXPECT_EQ(text(file_traffic_of(job_)), "a 1 4 -4 +4: MPI_INT -4 +4\nb 1 2 -4 +0: MPI_INT -4 +0\n");
}

/// A hundred thousand views and types are looked up, not searched for, which would take longer than a test may.
TEST_F(FileTrafficTest, OfManyViewsIsFoundInTime) {
  constexpr std::int64_t many = 100'000;
  const FileIndex a = file("a", "MPI_MODE_RDWR", of(0, 0));
  std::vector<std::string> datareps;
  for (std::int64_t i = 0; i < many; ++i) datareps.push_back("own" + std::to_string(i));
  for (std::int64_t i = 0; i < many; ++i) {
    view(a, i, i, of(0, 0));
    job_.views.back().datarep = datareps[static_cast<std::size_t>(i)];
  }
  const std::vector<FileTraffic> all = file_traffic_of(job_, everything());
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].views.size(), static_cast<std::size_t>(many));
  EXPECT_EQ(*all[0].views.back().lowest, many - 1);
}

}  // namespace
}  // namespace ddtscope::reporters::file_traffic_test
