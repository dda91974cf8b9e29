// The registry against a library that the test plays.
#include "plugin/registry/registry.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "plugin/registry/registry_calls.h"

namespace ddtscope::plugin {
namespace {

/// Answers what the test put in, and counts what is released.
constexpr EntryPoint get_pair{"MPI_Type_get_value_index", "c"};

class FakeLibrary : public LibraryQueries {
 public:
  ObservedBounds bounds(HandleBits type) override {
    ++asked[type];
    return {64, 0, 64, 0, 64};
  }
  std::optional<DecodedType> decode(HandleBits type, std::string& problem) override {
    ++asked[type];
    const auto found = decoded.find(type);
    if (found == decoded.end()) {
      problem = "not known";
      return std::nullopt;
    }
    for (const HandleBits child : found->second.datatypes) ++handed_out[child];
    return found->second;
  }
  std::optional<Envelope> envelope(HandleBits type) override {
    ++asked[type];
    const auto found = decoded.find(type);
    return found == decoded.end() ? std::nullopt : std::optional(found->second.envelope);
  }
  std::string name(HandleBits type) override { return names[type]; }
  void release(HandleBits type) override { ++released[type]; }

  void knows_vector(HandleBits handle, std::array<std::int64_t, 3> arguments, HandleBits oldtype) {
    DecodedType type;
    type.combiner = Combiner::vector;
    type.envelope = {.num_integers = 3, .num_datatypes = 1, .combiner = Combiner::vector};
    type.integers = {arguments.begin(), arguments.end()};
    type.datatypes = {oldtype};
    decoded[handle] = type;
  }

  std::map<HandleBits, DecodedType> decoded;
  std::map<HandleBits, int> asked;  // in any way
  std::map<HandleBits, int> handed_out, released;
  std::map<HandleBits, std::string> names;
};

class RegistryTest : public ::testing::Test, public RegistryCalls {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("registry_test." + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    ASSERT_TRUE(writer_.create((folder_ / "rank-0.jsonl").string()));
    start({});
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void get_value_index(HandleBits pair) {
    const std::array<std::int64_t, 2> parts{static_cast<std::int64_t>(mpi_double), static_cast<std::int64_t>(mpi_int)};
    ConstructorCall call;
    call.combiner = Combiner::value_index;
    registry_->created({.call = call,
                        .oldtypes = IntegerArray(std::span<const std::int64_t>(parts)),
                        .newtype = pair,
                        .called = &get_pair,
                        .stack = &stack_});
  }

  void start(Registry::Options options) {
    const auto basic = [](HandleBits handle, const char* name, std::int64_t size) {
      PredefinedType type;
      type.name = name;
      type.size = type.extent = type.alignment = size;
      return PredefinedHandle{handle, type};
    };
    registry_ = std::make_unique<Registry>(
        options, LibraryConstants{}, std::vector{basic(mpi_int, "MPI_INT", 4), basic(mpi_double, "MPI_DOUBLE", 8)},
        sites_, library_, writer_, pages_, memory_);
  }
  Registry& registry() override { return *registry_; }
  /// The trace's lines of one kind, after the end.
  std::vector<std::string> lines(const std::string& record) {
    if (!registry_->closed())
      registry_->close({.complete = true, .reason = "MPI_Finalize", .time = "2026-01-01T00:00:00.000Z"});
    std::ifstream file(folder_ / "rank-0.jsonl");
    std::vector<std::string> found;
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("{\"record\":\"" + record + "\"")) found.push_back(line);
    }
    return found;
  }
  std::string counts_of(const EntryPoint& called, int definition) {
    const std::string head = "\"definition\":" + std::to_string(definition) + ",\"called\":\"" + called.name +
                             "\",\"binding\":\"" + called.binding + "\"";
    for (const std::string& line : lines("instances")) {
      if (line.find(head) != std::string::npos)
        return line.substr(line.find("\"counts\":") + 9, line.size() - line.find("\"counts\":") - 10);
    }
    return "none";
  }

  /// What a reader of the file sees, whatever becomes of this process.
  std::vector<trace::CounterRecord> read_counters() {
    std::ifstream file(folder_ / "rank-0.counters", std::ios::binary);
    trace::CounterFileHeader header{};
    file.read(reinterpret_cast<char*>(&header), sizeof header);
    std::vector<trace::CounterRecord> records(header.records);
    file.read(reinterpret_cast<char*>(records.data()),
              static_cast<std::streamsize>(records.size() * sizeof(trace::CounterRecord)));
    return records;
  }

  std::filesystem::path folder_;
  FakeLibrary library_;
  CallSites sites_{0, [](std::string_view) { return false; }};
  trace::Writer writer_;
  CounterPages pages_;
  trace::DebugView view_{};
  DebugMemory memory_{view_};
  std::unique_ptr<Registry> registry_;
};

TEST_F(RegistryTest, EqualCallsAreOneDefinition) {
  make_vector(1, 3);
  make_vector(2, 3);
  make_vector(3, 4);
  registry_->committed(1);
  registry_->committed(1);
  free(1);
  EXPECT_EQ(lines("definition").size(), 2u);
  EXPECT_EQ(counts_of(type_vector, 0), "[[null,2,0,1,1]]");
  EXPECT_EQ(counts_of(type_vector, 1), "[[null,1,0,0,0]]");
}

TEST_F(RegistryTest, AReusedHandleIsAnotherType) {
  make_vector(1, 3);
  free(1);
  make_vector(1, 4);
  registry_->committed(1);
  EXPECT_EQ(counts_of(type_vector, 0), "[[null,1,0,0,1]]");
  EXPECT_EQ(counts_of(type_vector, 1), "[[null,1,0,1,0]]");
}

TEST_F(RegistryTest, AHandleReusedWhileItIsBeingFreedKeepsItsNewLife) {
  make_vector(1, 3);
  const Registry::Free pending = registry_->begin_free(1);
  make_vector(1, 4);  // another thread, before the library's free has come back
  registry_->end_free(pending, true);
  registry_->committed(1);
  EXPECT_EQ(counts_of(type_vector, 0), "[[null,1,0,0,1]]");
  EXPECT_EQ(counts_of(type_vector, 1), "[[null,1,0,1,0]]");
}

TEST_F(RegistryTest, AFailedFreeLeavesTheTypeAlive) {
  make_vector(1, 3);
  registry_->end_free(registry_->begin_free(1), false);
  registry_->committed(1);
  EXPECT_EQ(counts_of(type_vector, 0), "[[null,1,0,1,0]]");
}

TEST_F(RegistryTest, AnOldTypeStaysUsableWhileItIsDying) {
  make_vector(1, 3);
  const Registry::Free pending = registry_->begin_free(1);
  make_vector(2, 5, 1);  // a delete callback makes a type of it
  registry_->end_free(pending, true);
  EXPECT_EQ(lines("definition").size(), 2u);
  EXPECT_TRUE(library_.handed_out.empty());
}

TEST_F(RegistryTest, ASharedHandleFromGetContentsIsFreedYoungestFirst) {
  make_vector(1, 3);
  make_vector(2, 5, 1);
  get_contents(2, 1);  // as MPICH: the same handle, one more reference
  free(1);
  registry_->committed(1);  // the older life goes on
  EXPECT_EQ(counts_of(type_vector, 0), "[[null,1,0,1,0]]");
  EXPECT_EQ(counts_of(type_contents, 0), "[[null,1,0,0,1]]");
}

TEST_F(RegistryTest, ANewHandleFromGetContentsHasTheChildsDefinition) {
  make_vector(1, 3);
  make_vector(2, 5, 1);
  get_contents(2, 7);  // as Open MPI: a new handle
  registry_->committed(7);
  free(7);
  EXPECT_EQ(lines("definition").size(), 2u);
  EXPECT_EQ(counts_of(type_contents, 0), "[[null,1,0,1,1]]");
}

TEST_F(RegistryTest, PredefinedHandlesHaveNoLives) {
  registry_->committed(mpi_int);
  free(mpi_int);
  make_vector(1, 3, mpi_int);
  EXPECT_EQ(lines("definition").size(), 1u);
  EXPECT_EQ(counts_of(type_vector, 0), "[[null,1,0,0,0]]");
}

TEST_F(RegistryTest, AnUnknownOldTypeIsAdoptedWithAllItIsMadeOf) {
  library_.knows_vector(50, {3, 1, 2}, 51);
  library_.knows_vector(51, {4, 1, 2}, mpi_int);
  make_vector(1, 5, 50);
  EXPECT_EQ(lines("definition").size(), 3u);
  EXPECT_EQ(library_.released[51], library_.handed_out[51]);  // no handle leaks
  EXPECT_EQ(library_.released[mpi_int], 0);
  EXPECT_EQ(counts_of(type_vector, 1), "[[null,0,1,0,0]]");  // 50
  EXPECT_EQ(counts_of(type_vector, 2), "[[null,1,0,0,0]]");
}

TEST_F(RegistryTest, AnUnknownPredefinedTypeIsTakenByItsNameAndNeverFreed) {
  library_.knows_vector(50, {3, 1, 2}, 60);
  library_.decoded[60] = DecodedType{};
  library_.names[60] = "MPIX_C_FLOAT16";
  make_vector(1, 5, 50);
  EXPECT_EQ(
      lines("predefined").at(0),
      R"({"record":"predefined","name":"MPIX_C_FLOAT16","kind":"basic","size":64,"extent":64,"alignment":16,"parts":null})");
  EXPECT_EQ(lines("definition").size(), 2u);
  EXPECT_EQ(library_.released[60], 0);
}

TEST_F(RegistryTest, GivingUpAnAdoptionFreesNothingThatIsNotDerived) {
  library_.knows_vector(50, {3, 1, 2}, 60);
  library_.decoded[60] = DecodedType{};  // predefined, and without a name
  make_vector(1, 5, 50);
  EXPECT_EQ(lines("definition").size(), 0u);
  EXPECT_EQ(library_.released[60], 0);
}

TEST_F(RegistryTest, OverlappingFreesOfASharedHandleEndEachLifeOnce) {
  make_vector(1, 3);
  make_vector(2, 5, 1);
  get_contents(2, 1);
  const Registry::Free first = registry_->begin_free(1);
  const Registry::Free second = registry_->begin_free(1);
  registry_->end_free(first, true);
  registry_->end_free(second, true);
  EXPECT_EQ(counts_of(type_vector, 0), "[[null,1,0,0,1]]");
  EXPECT_EQ(counts_of(type_contents, 0), "[[null,1,0,0,1]]");
}

TEST_F(RegistryTest, OverlappingFreesEndEachLifeOnceThoughTheHandleIsReused) {
  make_vector(1, 3);
  make_vector(2, 5, 1);
  get_contents(2, 1);
  const Registry::Free first = registry_->begin_free(1);
  const Registry::Free second = registry_->begin_free(1);
  make_vector(1, 4);  // a third thread, after the library has freed both references
  registry_->end_free(second, true);
  registry_->end_free(first, true);
  registry_->committed(1);
  EXPECT_EQ(counts_of(type_vector, 0), "[[null,1,0,0,1]]");
  EXPECT_EQ(counts_of(type_contents, 0), "[[null,1,0,0,1]]");
  EXPECT_EQ(counts_of(type_vector, 2), "[[null,1,0,1,0]]");
}

TEST_F(RegistryTest, AReferenceTakenWhileAnotherIsBeingFreedIsOneMoreOfTheSameObject) {
  make_vector(1, 3);
  make_vector(2, 5, 1);
  get_contents(2, 1);
  const Registry::Free pending = registry_->begin_free(1);
  get_contents(2, 1);  // another thread: there is an older reference, so the handle is no other object's
  registry_->end_free(pending, true);
  free(1);
  registry_->committed(1);  // one is left
  free(1);
  EXPECT_EQ(registry_->totals().created, 4u);
  EXPECT_EQ(registry_->totals().freed, 3u);
  EXPECT_EQ(counts_of(type_vector, 0), "[[null,1,0,1,1]]");
  EXPECT_EQ(counts_of(type_contents, 0), "[[null,2,0,0,2]]");
}

TEST_F(RegistryTest, EndsWithoutWaitingForEverWhereTheLockIsHeld) {
  class Busy : public FakeLibrary {
   public:
    ObservedBounds bounds(HandleBits) override {
      ended = registry->close(
          {.complete = false, .reason = "exit", .time = "now", .patience = Registry::Patience::bounded});
      return {};
    }
    Registry* registry = nullptr;
    bool ended = true;
  } busy;  // a library call, made under the lock, that ends the process
  trace::DebugView view{};
  DebugMemory memory(view);
  Registry registry({.multithreaded = false}, LibraryConstants{}, {}, sites_, busy, writer_, pages_, memory);
  busy.registry = &registry;
  static constexpr EntryPoint create_f90{"MPI_Type_create_f90_integer", "c"};
  ConstructorCall call;
  call.combiner = Combiner::f90_integer;
  registry.created({.call = call, .oldtypes = {}, .newtype = 9, .called = &create_f90, .stack = &stack_});
  EXPECT_FALSE(busy.ended);
}

TEST_F(RegistryTest, StopsBeforeAWriteWouldPassTheLimitOfFileSizes) {
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{2000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);  // one byte more, and SIGXFSZ would end this test
  for (int i = 0; i < 100; ++i) make_vector(static_cast<HandleBits>(i + 1), i);
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(registry_->trace_stopped().error, EFBIG);
  EXPECT_LE(std::filesystem::file_size(folder_ / "rank-0.jsonl"), 2000u);
}

TEST_F(RegistryTest, WritesNothingIntoFilesOfTheProgramsThatGotItsDescriptors) {
  pages_.create((folder_ / "rank-0.counters").string());
  const auto close_and_reopen = [&](const std::string& of) {  // as a program does that closes all from 3 on
    for (const auto& link : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      if (std::filesystem::read_symlink(link, gone) != of) continue;
      const int number = std::stoi(link.path().filename());
      const int of_program = open((of + ".program").c_str(), O_RDWR | O_CREAT | O_EXCL, 0666);
      dup2(of_program, number);
      ::close(of_program);
      return number;
    }
    return -1;
  };
  const int trace = close_and_reopen((folder_ / "rank-0.jsonl").string());
  const int counters = close_and_reopen((folder_ / "rank-0.counters").string());
  ASSERT_GE(trace, 0);
  ASSERT_GE(counters, 0);
  for (int i = 0; i < 2000; ++i) make_vector(static_cast<HandleBits>(i + 1), i);  // more than a page of counters
  EXPECT_EQ(registry_->trace_stopped().error, EBADF);
  EXPECT_EQ(std::filesystem::file_size(folder_ / "rank-0.jsonl.program"), 0u);
  EXPECT_EQ(std::filesystem::file_size(folder_ / "rank-0.counters.program"), 0u);
  ::close(trace);
  ::close(counters);
}

TEST_F(RegistryTest, RemovesNoCountersOfAJobThatBeganInItsFolder) {
  const std::filesystem::path file = folder_ / "rank-0.counters";
  pages_.create(file.string());
  std::filesystem::remove(file);
  std::ofstream(file) << "another job's";
  registry_->close({.complete = true, .reason = "MPI_Finalize", .time = "now"});
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST_F(RegistryTest, CountsWhatTheTraceCannotTakeAnyMore) {
  pages_.create((folder_ / "rank-0.counters").string());
  make_vector(1, 3);
  writer_.limit(writer_.bytes_written());
  make_vector(2, 4);  // the line that would pass the limit
  make_vector(3, 5);
  make_vector(4, 3);  // known: counted as ever
  make_vector(5, 6, 3);
  make_vector(6, 4);  // no more known than when its line was refused
  EXPECT_TRUE(registry_->trace_stopped().limit_reached);
  EXPECT_EQ(registry_->totals().created, 2u);
  EXPECT_EQ(registry_->totals().definitions, 1u);
  EXPECT_EQ(registry_->totals().dropped, 4u);
  free(4);
  EXPECT_EQ(lines("definition").size(), 1u);
  EXPECT_TRUE(lines("end").empty());
  const auto read = read_counters();
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].definition, 0u);
  EXPECT_EQ(read[0].created, 2u);
  EXPECT_EQ(read[0].freed, 1u);
  EXPECT_EQ(read[1].definition, trace::counter_file_none);
  EXPECT_EQ(read[1].created, 4u);
  EXPECT_STREQ(read[1].called, "MPI_Type_vector");
}

TEST_F(RegistryTest, CountersAreInTheFileAtEveryMoment) {
  pages_.create((folder_ / "rank-0.counters").string());
  make_vector(1, 3);
  EXPECT_EQ(read_counters().at(0).created, 1u);
  make_vector(2, 3);
  registry_->committed(2);
  free(1);
  EXPECT_EQ(read_counters().at(0).created, 2u);
  EXPECT_EQ(read_counters().at(0).committed, 1u);
  EXPECT_EQ(read_counters().at(0).freed, 1u);
  registry_->close({.complete = true, .reason = "MPI_Finalize", .time = "now"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "rank-0.counters")) << "the counters are in the trace file now";
}

TEST_F(RegistryTest, IntegerHandlesHoldForOneLifeOfTheirType) {
  // What a debugger does: the live type that an INTEGER stands for; 0 where there is none.
  const auto type_of = [&](std::int32_t integer) -> HandleBits {
    const auto* integers = reinterpret_cast<const trace::DebugTable*>(memory_.table(trace::DebugTableKind::fortran));
    const auto* handles = reinterpret_cast<const trace::DebugTable*>(memory_.table(trace::DebugTableKind::handles));
    HandleBits found = 0;
    for (std::uint64_t i = 0; i < integers->capacity; ++i) {
      const auto& entry = reinterpret_cast<const trace::DebugFortran*>(integers + 1)[i];
      if (entry.handle == 0 || entry.integer != integer) continue;
      for (std::uint64_t k = 0; k < handles->capacity; ++k) {
        const auto& slot = reinterpret_cast<const trace::DebugHandle*>(handles + 1)[k];
        if (slot.handle != entry.handle || slot.state != trace::DebugHandleState::live) continue;
        if (slot.generation != entry.generation) continue;
        EXPECT_EQ(found, 0u) << "two types for one INTEGER";
        found = slot.handle;
      }
    }
    return found;
  };
  EXPECT_EQ(memory_.table(trace::DebugTableKind::fortran), 0u) << "a C program needs none";
  make_vector(1, 3);
  registry_->stands_in_fortran(1, 70);
  registry_->stands_in_fortran(mpi_int, 7);
  registry_->stands_in_fortran(99, 71);  // not known
  EXPECT_EQ(type_of(70), 1u);
  EXPECT_EQ(type_of(7), mpi_int);
  EXPECT_EQ(type_of(71), 0u);
  free(1);
  EXPECT_EQ(type_of(70), 0u);
  make_vector(2, 3);
  registry_->stands_in_fortran(2, 70);  // the library gives INTEGERs again, too
  make_vector(1, 3);                    // and the handle to a type that Fortran never saw
  EXPECT_EQ(type_of(70), 2u);
  registry_->stands_in_fortran(1, 72);
  EXPECT_EQ(type_of(72), 1u);
  // Many of them, a few alive at once: the table stays as large as those need.
  for (HandleBits handle = 1000; handle < 21000; ++handle) {
    make_vector(handle, 3);
    registry_->stands_in_fortran(handle, static_cast<std::int32_t>(handle));
    EXPECT_EQ(handle % 1000 != 0 || type_of(static_cast<std::int32_t>(handle)) == handle, true);
    free(handle);
  }
  EXPECT_EQ(type_of(72), 1u);
  EXPECT_LE(reinterpret_cast<trace::DebugTable*>(memory_.table(trace::DebugTableKind::fortran))->capacity, 1024u);
  for (HandleBits handle = 1000; handle < 3000; ++handle) {
    make_vector(handle, 3);
    registry_->stands_in_fortran(handle, static_cast<std::int32_t>(handle));
  }
  EXPECT_EQ(type_of(1000), 1000u);
  EXPECT_EQ(type_of(2999), 2999u);
  EXPECT_EQ(type_of(72), 1u);
}

TEST_F(RegistryTest, FailedCallsAreCountedByClassAndOutliveTheProcess) {
  pages_.create((folder_ / "rank-0.counters").string());
  make_vector(1, 3);
  const trace::ErrorClass count{2};
  registry_->failed(type_vector, count, stack_);
  registry_->failed(type_vector, count, stack_);
  registry_->failed(type_contents, {}, stack_);
  const auto read = read_counters();
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(read[0].failed, 0u);
  EXPECT_EQ(read[1].failed, 2u);
  EXPECT_EQ(read[1].error_class, 2u);
  EXPECT_EQ(read[1].created, 0u);
  EXPECT_STREQ(read[1].called, "MPI_Type_vector");
  EXPECT_EQ(read[2].failed, 1u);
  EXPECT_EQ(read[2].error_class, 0u);
  EXPECT_EQ(registry_->totals().created, 1u);
  const auto failed = lines("failed_calls");
  ASSERT_EQ(failed.size(), 2u);
  EXPECT_EQ(failed[0],
            "{\"record\":\"failed_calls\",\"called\":\"MPI_Type_get_contents\",\"binding\":\"c\",\"error_class\":null,"
            "\"counts\":[[null,1]]}");
  EXPECT_EQ(failed[1],
            "{\"record\":\"failed_calls\",\"called\":\"MPI_Type_vector\",\"binding\":\"c\",\"error_class\":"
            "\"MPI_ERR_COUNT\",\"counts\":[[null,2]]}");
}

TEST_F(RegistryTest, AnOldTypeThatCannotBeDecodedIsCountedAsUnrecorded) {
  make_vector(1, 5, 99);
  EXPECT_EQ(lines("definition").size(), 0u);
  EXPECT_NE(lines("end").at(0).find("\"unrecorded\":[{\"called\":\"MPI_Type_vector\",\"count\":1,"), std::string::npos);
}

// MPICH 4.0.2 makes types of freed handles and frees them again.
TEST_F(RegistryTest, NothingIsAskedAboutAFreedHandle) {
  make_vector(1, 3);
  free(1);
  library_.asked.clear();
  library_.knows_vector(1, {3, 1, 2}, mpi_double);
  library_.knows_vector(2, {5, 1, 2}, 1);
  make_vector(2, 5, 1);
  registry_->adopt_used(1, {"MPI_Type_get_envelope", "c"}, stack_);
  registry_->committed(1);
  registry_->named(1, "gone");
  get_contents(1, mpi_double);
  free(1);
  EXPECT_TRUE(library_.asked.empty());
  EXPECT_EQ(lines("definition").size(), 1u);
  EXPECT_TRUE(lines("name").empty());
  EXPECT_EQ(counts_of(type_vector, 0), "[[null,1,0,0,1]]");
  EXPECT_NE(lines("end").at(0).find(
                R"({"called":"MPI_Type_vector","count":1,"why":"its old type could not be decoded: it was freed"})"),
            std::string::npos)
      << lines("end").at(0);
}

TEST_F(RegistryTest, NothingIsAskedAboutATypeMadeOfAFreedOne) {
  make_vector(1, 3);
  free(1);
  make_vector(2, 5, 1);
  library_.asked.clear();
  library_.knows_vector(2, {5, 1, 2}, 1);
  make_vector(3, 7, 2);
  EXPECT_TRUE(library_.asked.empty());
}

TEST_F(RegistryTest, NothingIsAskedAboutAHandleThatWasFreedUnseen) {
  library_.knows_vector(50, {3, 1, 2}, mpi_double);
  free(50);
  make_vector(1, 5, 50);
  EXPECT_TRUE(library_.asked.empty());
}

TEST_F(RegistryTest, AFailedFreeOfAnUnknownHandleLeavesItToBeAdopted) {
  library_.knows_vector(50, {3, 1, 2}, mpi_double);
  registry_->end_free(registry_->begin_free(50), false);
  make_vector(1, 5, 50);
  EXPECT_EQ(lines("definition").size(), 2u);
}

// MPICH's get_contents gives the handle of an old type that the program has freed and the library still holds.
TEST_F(RegistryTest, AFreedHandleThatTheLibraryGivesAgainIsAliveAgain) {
  make_vector(1, 3);
  make_vector(2, 5, 1);
  free(1);
  get_contents(2, 1);
  registry_->committed(1);
  make_vector(3, 6, 1);
  EXPECT_EQ(lines("definition").size(), 3u);
  EXPECT_EQ(counts_of(type_contents, 0), "[[null,1,0,1,0]]");
}

TEST_F(RegistryTest, AnAdoptedTypeMayBeMadeOfAHandleThatTheProgramFreed) {
  make_vector(1, 3);
  free(1);
  library_.knows_vector(1, {3, 1, 2}, mpi_double);
  library_.knows_vector(50, {5, 1, 2}, 1);  // the library holds it still
  make_vector(2, 7, 50);
  EXPECT_EQ(lines("definition").size(), 3u);
  EXPECT_EQ(library_.released[1], library_.handed_out[1]);
}

TEST_F(RegistryTest, WhatTheLibraryHandsOutIsAdoptedUnderAFreedHandleToo) {
  static constexpr EntryPoint get_view{"MPI_File_get_view", "c"};
  make_vector(1, 3);
  free(1);
  library_.knows_vector(1, {7, 1, 2}, mpi_double);
  registry_->adopt_returned(1, get_view, stack_);
  registry_->adopt_returned(1, get_view, stack_);  // the same object again
  registry_->adopt_returned(mpi_int, get_view, stack_);
  free(1);
  registry_->committed(1);
  free(1);
  EXPECT_EQ(lines("definition").size(), 2u);
  EXPECT_EQ(counts_of(get_view, 1), "[[null,0,2,1,2]]");
}

TEST_F(RegistryTest, ANameIsWrittenOncePerDefinition) {
  make_vector(1, 3);
  make_vector(2, 3);
  registry_->named(1, "column");
  registry_->named(2, "column");
  registry_->named(2, "edge \"A\"");
  registry_->named(mpi_int, "int");
  EXPECT_EQ(lines("name"), (std::vector<std::string>{R"({"record":"name","definition":0,"name":"column"})",
                                                     R"({"record":"name","definition":0,"name":"edge \"A\""})"}));
}

TEST_F(RegistryTest, VerificationNamesBothValues) {
  library_.knows_vector(1, {3, 1, 2}, mpi_double);
  library_.knows_vector(2, {9, 1, 2}, mpi_double);
  start({.verify = true});
  make_vector(1, 3);  // 40 bytes in truth, the fake library says 64
  make_vector(2, 4);
  const auto found = lines("difference");
  const auto has = [&](const std::string& text) {
    return std::any_of(found.begin(), found.end(),
                       [&](const std::string& line) { return line.find(text) != std::string::npos; });
  };
  EXPECT_TRUE(has(R"("definition":0,"subject":"extent","computed":40,"library":64)"));
  EXPECT_TRUE(has(R"("definition":0,"subject":"size","computed":24,"library":64)"));
  EXPECT_FALSE(has(R"("definition":0,"subject":"contents")"));
  EXPECT_TRUE(has(
      R"("definition":1,"subject":"contents","computed":{"integers":{"length":3,"from":0,"values":[4,1,2]}},"library":{"integers":{"length":3,"from":0,"values":[9,1,2]}})"));
}

TEST_F(RegistryTest, ThreadsCountExactly) {
  constexpr int threads = 4;
  constexpr int rounds = 5000;
  std::vector<std::thread> pool;
  for (int t = 0; t < threads; ++t) {
    pool.emplace_back([this, t] {
      for (int i = 0; i < rounds; ++i) {
        const auto handle = static_cast<HandleBits>(100 + t);
        make_vector(handle, 1 + i % 7);
        registry_->committed(handle);
        free(handle);
      }
    });
  }
  for (std::thread& thread : pool) thread.join();
  const Registry::Totals totals = registry_->totals();
  EXPECT_EQ(totals.definitions, 7u);
  EXPECT_EQ(totals.created, static_cast<std::uint64_t>(threads * rounds));
  EXPECT_EQ(totals.freed, totals.created);
}

TEST_F(RegistryTest, AThreadLearnsThatTheTraceHasStoppedByAnother) {
  make_vector(1, 3);
  writer_.limit(writer_.bytes_written());
  std::thread other([this] { make_vector(2, 4); });
  while (!registry_->trace_stopped()) std::this_thread::yield();
  other.join();
  EXPECT_TRUE(registry_->trace_stopped().limit_reached);
}

TEST_F(RegistryTest, F90TypesAreNotLeftBehind) {
  static constexpr EntryPoint create_f90{"MPI_Type_create_f90_integer", "c"};
  ConstructorCall call;
  call.combiner = Combiner::f90_integer;
  call.scalars = {9, 0, 0, 0};
  registry_->created({.call = call, .oldtypes = {}, .newtype = 9, .called = &create_f90, .stack = &stack_});
  EXPECT_EQ(registry_->totals().created, 1u);
  EXPECT_EQ(registry_->totals().freed, 1u);
}

TEST_F(RegistryTest, APairWithoutANameIsADefinitionThatNobodyFrees) {
  library_.decoded[20].envelope = {.num_datatypes = 2, .combiner = Combiner::value_index};
  get_value_index(20);
  get_value_index(20);
  EXPECT_EQ(counts_of(get_pair, 0), "[[null,2,0,0,0]]");
  EXPECT_EQ(registry_->totals().definitions, 1u);
  EXPECT_EQ(registry_->totals().freed, 2u);
  // The library refuses that.
  EXPECT_FALSE(registry_->begin_free(20).known);
}

TEST_F(RegistryTest, APairWithANameIsNotMade) {
  get_value_index(mpi_double);  // a handle that is known from the start
  library_.decoded[21].envelope = {.combiner = Combiner::named};
  get_value_index(21);  // one of the library's own
  EXPECT_EQ(registry_->totals().created, 0u);
}

TEST_F(RegistryTest, ManyHandlesAtOnceAreAllFound) {
  constexpr HandleBits count = 20000;
  for (HandleBits i = 0; i < count; ++i) make_vector(0x10000 + i * 16, 3);
  for (HandleBits i = 0; i < count; i += 2) free(0x10000 + i * 16);
  for (HandleBits i = 1; i < count; i += 2) registry_->committed(0x10000 + i * 16);
  EXPECT_EQ(counts_of(type_vector, 0), "[[null,20000,0,10000,10000]]");
}

}  // namespace
}  // namespace ddtscope::plugin
