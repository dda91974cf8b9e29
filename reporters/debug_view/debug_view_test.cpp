// A view in memory says what the trace file of its process says; damage is told, and nothing wrong is.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "reporters/debug_view/debug_image.h"
#include "reporters/debug_view/view_source.h"
#include "reporters/json/type_json.h"
#include "reporters/model/analysis.h"
#include "reporters/model/job.h"
#include "reporters/trace/format/debug_view_checksum.h"
#include "reporters/trace/format/records.h"

namespace ddtscope::reporters::debug_view_test {
namespace {

namespace fs = std::filesystem;
using namespace trace;

const fs::path traces = fs::path(DDTSCOPE_TESTDATA) / "v1";

std::vector<fs::path> files_of_one_process() {
  return {traces / "constructors_mpich" / "rank-0.jsonl", traces / "demo_halo_openmpi" / "rank-1.jsonl",
          traces / "known_bounds_mpich" / "rank-0.jsonl", traces / "no_types_openmpi" / "rank-0.jsonl",
          traces / "hand" / "rank-0.jsonl"};
}

/// All that is said of the types, in the order of their numbers.
std::string said_of(const Job& job) {
  Analysis analysis(job);
  Symbols symbols;
  std::string text;
  for (const JobType& type : job.types) {
    text += type_json(job, type.number, analysis, symbols).dump() + "\n";
  }
  for (const JobDifference& difference : job.differences) {
    text += text_of(difference.type) + difference.subject + difference.computed + difference.library + "\n";
  }
  return text;
}

struct Loaded {
  ViewContents contents;
  LoadResult job = TraceProblem{};
};

Loaded load(const DebugImage& image) {
  Loaded loaded;
  auto read = read_debug_view(image.reader(), image.view, "image");
  if (const auto* problem = std::get_if<TraceProblem>(&read)) {
    loaded.job = *problem;
    return loaded;
  }
  loaded.contents = std::move(std::get<ViewContents>(read));
  ViewSource source(loaded.contents, "image");
  TraceSource* const sources[] = {&source};
  loaded.job = load_job(sources);
  return loaded;
}

const Job& job_of(const LoadResult& result) {
  if (const auto* problem = std::get_if<TraceProblem>(&result)) throw std::runtime_error(problem->sentence);
  return *std::get<std::unique_ptr<Job>>(result);
}

TEST(DebugView, SaysWhatTheTraceFileSays) {
  for (const fs::path& file : files_of_one_process()) {
    const fs::path paths[] = {file};
    const LoadResult expected = load_job(paths);
    const Loaded loaded = load(DebugImage(file));
    EXPECT_FALSE(loaded.contents.is_damaged()) << file << loaded.contents.damages.front();
    EXPECT_EQ(said_of(job_of(loaded.job)), said_of(job_of(expected))) << file;
    EXPECT_EQ(job_of(loaded.job).notes, job_of(expected).notes) << file;
  }
}

TEST(DebugView, IsFoundByItsMagic) {
  const DebugImage image(files_of_one_process().front());
  const MemoryRange ranges[] = {{0x1000, 0x3000}, {DebugImage::base - 0x4000, DebugImage::base + image.bytes.size()}};
  EXPECT_EQ(find_debug_view(image.reader(), ranges), image.view);
  const MemoryRange elsewhere[] = {{DebugImage::base + 8, DebugImage::base + image.bytes.size()}};
  EXPECT_EQ(find_debug_view(image.reader(), elsewhere), std::nullopt);
}

TEST(DebugView, AMagicWithoutAViewBehindItIsPassedOver) {
  DebugImage image(files_of_one_process().front());
  image.bytes[offsetof(DebugView, pid)] ^= 1;
  const MemoryRange ranges[] = {{DebugImage::base, DebugImage::base + image.bytes.size()}};
  EXPECT_EQ(find_debug_view(image.reader(), ranges), std::nullopt);
}

TEST(DebugView, CountersThatAreNotThereAreUnknown) {
  const fs::path file = files_of_one_process().front();
  const Loaded loaded = load(DebugImage(file, {.counters = ImageOptions::Counters::missing}));
  const Job& job = job_of(loaded.job);
  EXPECT_FALSE(job.types.empty());
  for (const JobType& type : job.types) {
    for (const Instances& instances : job.instances.of(type.number)) {
      EXPECT_FALSE(instances.counters) << text_of(type.number);
    }
  }
  ASSERT_EQ(job.notes.size(), 1U);
  EXPECT_NE(job.notes[0].find("derived datatypes were live"), std::string::npos) << job.notes[0];
  EXPECT_FALSE(job.ranks.front().counters);
}

TEST(DebugView, CountersOfSomethingElseAreNotBelieved) {
  DebugImage image(files_of_one_process().front());
  std::fill(image.counters.begin(), image.counters.end(), '\0');  // as memory that a core leaves out may read
  const Loaded loaded = load(image);
  for (const ViewCounter& counter : loaded.contents.counters) EXPECT_FALSE(counter.counts);
}

TEST(DebugView, ACounterWhoseDefinitionHasMadeRoomCountsNothing) {
  const fs::path file = files_of_one_process().front();
  DebugImage image(file);
  DebugView view;
  std::memcpy(&view, image.bytes.data(), sizeof view);
  char* const place =
      image.bytes.data() + (view.tables[static_cast<std::size_t>(DebugTableKind::counters)] - DebugImage::base);
  DebugTable table;
  std::memcpy(&table, place, sizeof table);
  const DebugCounter gone{debug_view_none, 0, 0, 0, 0};
  std::memcpy(place + sizeof table + table.used * sizeof gone, &gone, sizeof gone);
  ++table.used;
  std::memcpy(place, &table, sizeof table);
  const fs::path paths[] = {file};
  const LoadResult expected = load_job(paths);
  const Loaded loaded = load(image);
  EXPECT_EQ(said_of(job_of(loaded.job)), said_of(job_of(expected)));
  EXPECT_EQ(job_of(loaded.job).notes, job_of(expected).notes);
  EXPECT_TRUE(job_of(loaded.job).ranks.front().counters);
}

TEST(DebugView, ADamagedDefinitionIsLeftOutWithThoseMadeOfIt) {
  const fs::path file = traces / "demo_halo_openmpi" / "rank-1.jsonl";
  DebugImage image(file);
  const std::size_t record = image.record_of(DebugRecordKind::definition);
  image.bytes[record + sizeof(DebugRecord) + offsetof(DebugDefinition, scalars)] ^= 4;
  const Loaded loaded = load(image);
  const fs::path paths[] = {file};
  const LoadResult expected = load_job(paths);
  EXPECT_EQ(loaded.contents.damage_count, 1U);
  EXPECT_LT(job_of(loaded.job).types.size(), job_of(expected).types.size());
  EXPECT_NE(job_of(loaded.job).notes.at(0).find("is damaged and left out"), std::string::npos);
}

TEST(DebugView, AVersionFromTheFutureIsRefusedNamingBoth) {
  DebugImage image(files_of_one_process().front());
  const std::uint32_t version = 7;
  std::memcpy(image.bytes.data() + offsetof(DebugView, version), &version, sizeof version);
  const auto result = read_debug_view(image.reader(), image.view, "image");
  ASSERT_TRUE(std::holds_alternative<TraceProblem>(result));
  EXPECT_NE(std::get<TraceProblem>(result).sentence.find("version 7, but this ddtscope reads versions up to 1"),
            std::string::npos);
}

/// A trace whose lines are another's, but for what `change` does to them.
template <class Change>
fs::path changed_trace(const fs::path& trace, const Change& change) {
  std::ifstream from(trace);
  std::vector<std::string> lines;
  for (std::string line; std::getline(from, line);) lines.push_back(line);
  change(lines);
  fs::path changed = fs::path(testing::TempDir()) / ("debug_view_test_" + std::to_string(getpid()) + ".jsonl");
  std::ofstream to(changed);
  for (const std::string& line : lines) to << line << "\n";
  return changed;
}

/// The first line in the image's records that begins so; null where there is none.
char* line_in(DebugImage& image, std::string_view beginning) {
  const auto at = std::search(image.bytes.begin(), image.bytes.end(), beginning.begin(), beginning.end());
  return at == image.bytes.end() ? nullptr : &*at;
}

/// Has `change` change the record that has this content, which is whole afterwards.
template <class Change>
void change_record(char* content, const Change& change) {
  DebugRecord record;
  std::memcpy(&record, content - sizeof record, sizeof record);
  change(record);
  record.checksum = checksum_of(record, content);
  std::memcpy(content - sizeof record, &record, sizeof record);
}

TEST(DebugView, ATraceFormatFromTheFutureIsRefusedNamingBoth) {
  const fs::path file = files_of_one_process().front();
  DebugImage image(file);
  char* const content = line_in(image, "{\"record\":\"header\",\"format\":\"ddtscope-trace\",\"version\":1,");
  ASSERT_NE(content, nullptr);
  change_record(content, [&](const DebugRecord& record) {
    // What else a newer header has is not known.
    const std::string newer = "{\"record\":\"header\",\"format\":\"ddtscope-trace\",\"version\":10}";
    std::fill(content, content + record.used - sizeof record, ' ');
    newer.copy(content, newer.size());
  });
  const Loaded loaded = load(image);
  ASSERT_TRUE(std::holds_alternative<TraceProblem>(loaded.job));
  EXPECT_EQ(std::get<TraceProblem>(loaded.job).sentence,
            "image: the trace in the memory has format version 10, but this ddtscope reads versions up to " +
                std::to_string(format_version) + "; use the ddtscope that wrote it, or a newer one.");
}

TEST(DebugView, APredefinedTypeWhoseLineIsDamagedTakesOnlyWhatIsMadeOfIt) {
  const fs::path file = traces / "demo_halo_openmpi" / "rank-1.jsonl";
  // The library has made one of the types since.
  const fs::path late = changed_trace(file, [](std::vector<std::string>& lines) {
    auto header = nlohmann::ordered_json::parse(lines.at(0));
    auto& predefined = header["predefined"];
    const auto found =
        std::find_if(predefined.begin(), predefined.end(), [](const auto& type) { return type["name"] == "MPI_CHAR"; });
    nlohmann::ordered_json line;
    line["record"] = "predefined";
    line.update(*found);
    predefined.erase(found);
    lines.at(0) = header.dump();
    lines.insert(lines.begin() + 1, line.dump());
  });
  DebugImage image(late);
  const fs::path paths[] = {file};
  const LoadResult expected = load_job(paths);
  EXPECT_EQ(said_of(job_of(load(image).job)), said_of(job_of(expected)));
  char* const line = line_in(image, "{\"record\":\"predefined\"");
  ASSERT_NE(line, nullptr);
  *line = '[';
  const Loaded loaded = load(image);
  const Job& job = job_of(loaded.job);
  EXPECT_FALSE(job.types.empty());
  EXPECT_LT(job.types.size(), job_of(expected).types.size());
  EXPECT_NE(job.notes.at(0).find("is damaged and left out"), std::string::npos);
  EXPECT_NE(job.notes.at(1).find("is made of one that is not in the memory"), std::string::npos);
}

TEST(DebugView, LinesThatFoundNoRoomAreSaidToBeMissing) {
  DebugImage image(files_of_one_process().front());
  // In place of a line of which nothing else tells.
  char* const line = line_in(image, "{\"record\":\"name\"");
  ASSERT_NE(line, nullptr);
  change_record(line, [](DebugRecord& record) {
    record.used = sizeof record;
    record.kind = static_cast<std::uint32_t>(DebugRecordKind::lines_left_out);
  });
  const Loaded loaded = load(image);
  EXPECT_FALSE(loaded.contents.is_damaged());
  ASSERT_EQ(job_of(loaded.job).notes.size(), 1U);
  EXPECT_NE(job_of(loaded.job).notes[0].find("found no room in the process's memory"), std::string::npos);
}

TEST(DebugView, BeforeMpiStartedThereIsNothing) {
  DebugImage image(files_of_one_process().front());
  const std::uint64_t zero = 0;
  std::memcpy(image.bytes.data() + offsetof(DebugView, self), &zero, sizeof zero);
  const auto result = read_debug_view(image.reader(), image.view, "image");
  ASSERT_TRUE(std::holds_alternative<TraceProblem>(result));
  EXPECT_EQ(
      std::get<TraceProblem>(result).sentence,
      "image: no datatype is recorded: MPI had not started, or ddtscope stands aside, as it then says on stderr.");
}

TEST(DebugView, APluginThatGaveUpIsTold) {
  DebugImage image(files_of_one_process().front());
  const auto stopped = static_cast<std::uint32_t>(DebugViewState::stopped);
  std::memcpy(image.bytes.data() + offsetof(DebugView, state), &stopped, sizeof stopped);
  const Loaded loaded = load(image);
  ASSERT_EQ(job_of(loaded.job).notes.size(), 1U);
  EXPECT_EQ(job_of(loaded.job).notes[0],
            "ddtscope had stopped recording in this process: datatypes are told as they were then.");
}

TEST(DebugView, AForkedChildHasNoCountsOfItsOwn) {
  DebugImage image(files_of_one_process().front());
  const auto forked = static_cast<std::uint32_t>(DebugViewState::forked);
  std::memcpy(image.bytes.data() + offsetof(DebugView, state), &forked, sizeof forked);
  const Loaded loaded = load(image);
  for (const ViewCounter& counter : loaded.contents.counters) EXPECT_FALSE(counter.counts);
  EXPECT_EQ(loaded.contents.pending_problem, "What is under way is told of the process that this one was forked from.");
  const std::vector<std::string>& notes = job_of(loaded.job).notes;
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0], "This process was forked from one that ddtscope records: datatypes are told as they were then.");
  EXPECT_NE(notes[1].find("The counters are those of the process that this one was forked from"), std::string::npos);
}

TEST(DebugView, ACircleOfArenasEnds) {
  DebugImage image(files_of_one_process().front());
  DebugView view;
  std::memcpy(&view, image.bytes.data(), sizeof view);
  DebugArena arena;
  char* const first = image.bytes.data() + (view.first_arena - DebugImage::base);
  std::memcpy(&arena, first, sizeof arena);
  arena.next = arena.self;
  std::memcpy(first, &arena, sizeof arena);
  EXPECT_TRUE(std::get<ViewContents>(read_debug_view(image.reader(), image.view, "image")).is_damaged());
}

TEST(DebugView, ClaimsOfHugeTablesTakeNoMemory) {
  DebugImage image(files_of_one_process().front());
  DebugView view;
  std::memcpy(&view, image.bytes.data(), sizeof view);
  DebugTable table;
  char* const place = image.bytes.data() + (view.tables[0] - DebugImage::base);
  std::memcpy(&table, place, sizeof table);
  table.capacity = std::uint64_t{1} << 56;
  std::memcpy(place, &table, sizeof table);
  EXPECT_TRUE(std::get<ViewContents>(read_debug_view(image.reader(), image.view, "image")).is_damaged());
}

/// Whatever is said of a type by its key after damage must be what was said before.
TEST(DebugView, NoDamageMakesAWrongAnswer) {
  std::minstd_rand random(20);  // NOLINT(cert-msc51-cpp): the same damage every time
  for (const fs::path& file : files_of_one_process()) {
    const fs::path paths[] = {file};
    const LoadResult expected = load_job(paths);
    std::map<Key, const JobType*> known;
    for (const JobType& type : job_of(expected).types) known.emplace(type.key, &type);
    const DebugImage whole(file);
    for (int i = 0; i < 300; ++i) {
      DebugImage image = whole;
      for (auto flips = random() % 4 + 1; flips != 0; --flips) {
        char& byte = image.bytes[random() % image.bytes.size()];
        byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1U << random() % 8));
      }
      if (random() % 4 == 0) image.bytes.resize(random() % image.bytes.size());
      const Loaded loaded = load(image);
      const auto* job = std::get_if<std::unique_ptr<Job>>(&loaded.job);
      if (job == nullptr) {
        EXPECT_FALSE(std::get<TraceProblem>(loaded.job).sentence.empty());
        continue;
      }
      for (const JobType& type : (*job)->types) {
        ASSERT_TRUE(known.contains(type.key));
        const JobType& before = *known.at(type.key);
        EXPECT_EQ((*job)->observed(type), job_of(expected).observed(before));
        EXPECT_EQ((*job)->layouts.facts(type.definition).entries.to_string(),
                  job_of(expected).layouts.facts(before.definition).entries.to_string());
      }
      const bool lacks_some = (*job)->types.size() < known.size();
      EXPECT_TRUE(!lacks_some || !(*job)->notes.empty());
    }
  }
}

}  // namespace
}  // namespace ddtscope::reporters::debug_view_test
