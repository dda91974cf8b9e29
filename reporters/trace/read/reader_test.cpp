// The reader on whole, cut, damaged and hostile files.
#include "reporters/trace/read/reader.h"
#include "reporters/trace/read/trace_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "reporters/trace/format/counter_file.h"

namespace ddtscope::reader_test {
namespace {

namespace fs = std::filesystem;

const fs::path golden = fs::path(DDTSCOPE_TESTDATA) / "v1" / "hand";

/// All that one file says, kept.
struct FileContents : TraceSink, FileEnd {
  HeaderRecord first;
  std::vector<PredefinedType> late_predefined;
  std::vector<ModuleRecord> modules;
  std::vector<FrameRecord> frames;
  std::vector<DefinitionRecord> definitions;
  std::vector<std::vector<std::string>> oldtypes;  // of each definition: a name, or a number in this file
  std::vector<NameRecord> names;
  std::vector<DifferenceRecord> differences;
  std::vector<ProcessRecord> processes;
  std::vector<std::string> notes;
  bool ended = false;

  void header(HeaderRecord&& record) override { first = std::move(record); }
  void predefined(const PredefinedType& type) override { late_predefined.push_back(type); }
  void module(ModuleRecord&& record) override { modules.push_back(std::move(record)); }
  void frame(const FrameRecord& record) override { frames.push_back(record); }
  void definition(DefinitionRecord& record) override {
    std::vector<std::string>& texts = oldtypes.emplace_back();
    for (const OldtypeRecord& oldtype : record.oldtypes) {
      const auto* const name = std::get_if<std::string_view>(&oldtype);
      texts.push_back(name != nullptr ? std::string(*name) : std::to_string(std::get<DefinitionNumber>(oldtype).value));
    }
    definitions.push_back(record);
    definitions.back().oldtypes.clear();  // the names in it are the line's
  }
  void name(NameRecord&& record) override { names.push_back(std::move(record)); }
  void difference(DifferenceRecord&& record) override { differences.push_back(std::move(record)); }
  void process(ProcessRecord&& record) override { processes.push_back(std::move(record)); }
  void note(std::string&& sentence) override { notes.push_back(std::move(sentence)); }
  void end(FileEnd&& end) override {
    static_cast<FileEnd&>(*this) = std::move(end);
    ended = true;
  }
};

class Reader : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("reader_test_" + std::to_string(getpid()));
    fs::create_directories(folder_);
    std::ifstream stream(golden / "rank-0.jsonl");
    text_.assign(std::istreambuf_iterator<char>(stream), {});
    ASSERT_FALSE(text_.empty());
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& text) {
    const fs::path path = folder_ / "rank-0.jsonl";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  std::string header_line() const { return text_.substr(0, text_.find('\n') + 1); }
  /// The golden file with one piece of text replaced.
  std::string with(const std::string& piece, const std::string& replacement) const {
    std::string text = text_;
    const auto at = text.find(piece);
    EXPECT_NE(at, std::string::npos) << piece;
    return text.replace(at, piece.size(), replacement);
  }
  std::optional<TraceProblem> problem_of(const fs::path& path) {
    FileContents contents;
    auto problem = reader_.read(path, contents);
    EXPECT_NE(contents.ended, problem.has_value());
    return problem;
  }
  FileContents good(const std::string& text) {
    FileContents contents;
    const auto problem = reader_.read(write(text), contents);
    EXPECT_FALSE(problem) << problem->sentence;
    EXPECT_TRUE(contents.ended);
    return contents;
  }
  /// Checks that the text is refused at this line, with these words.
  void refused(const std::string& text, std::size_t line, const std::string& words) {
    const fs::path path = write(text);
    const auto problem = problem_of(path);
    ASSERT_TRUE(problem) << "accepted";
    EXPECT_TRUE(problem->sentence.starts_with(path.string() + ":" + std::to_string(line) + ": ")) << problem->sentence;
    EXPECT_NE(problem->sentence.find(words), std::string::npos) << problem->sentence;
    EXPECT_EQ(problem->sentence.find('\n'), std::string::npos);
  }

  /// The golden file without its last lines, and a counter file beside it.
  std::string without_end() const { return text_.substr(0, text_.find("{\"record\":\"instances\"")); }
  trace::CounterFileHeader counter_header(std::uint64_t records) const {
    trace::CounterFileHeader header{};
    std::copy_n(trace::counter_file_magic, sizeof header.magic, header.magic);
    header.byte_order = trace::counter_file_byte_order;
    header.version = trace::counter_file_version;
    header.record_bytes = sizeof(trace::CounterRecord);
    header.records = records;
    return header;
  }
  void write_counters(const trace::CounterFileHeader& header, const std::vector<trace::CounterRecord>& records) {
    std::ofstream file(folder_ / "rank-0.counters", std::ios::binary);
    file.write(reinterpret_cast<const char*>(&header), sizeof header);
    file.write(reinterpret_cast<const char*>(records.data()),
               static_cast<std::streamsize>(records.size() * sizeof(trace::CounterRecord)));
  }
  static trace::CounterRecord counter(std::uint32_t definition, std::uint64_t created) {
    trace::CounterRecord record{};
    record.definition = definition;
    record.site = trace::counter_file_none;
    record.created = created;
    std::copy_n("MPI_Type_vector", 15, record.called);
    record.binding[0] = 'c';
    return record;
  }
  void counters_refused(const std::string& words) {
    const auto problem = problem_of(write(without_end()));
    ASSERT_TRUE(problem) << "accepted";
    EXPECT_NE(problem->sentence.find(words), std::string::npos) << problem->sentence;
  }

  TraceReader reader_;
  fs::path folder_;
  std::string text_;
};

TEST_F(Reader, ReadsEveryRecordOfAWholeFile) {
  const FileContents trace = good(text_);
  EXPECT_EQ(trace.first.job, "4711.1");
  EXPECT_EQ(trace.first.rank, Rank{});
  EXPECT_EQ(trace.first.size, 4);
  EXPECT_EQ(trace.first.predefined.size(), 6U);
  EXPECT_EQ(trace.first.predefined[3].second_displacement, 4);
  EXPECT_EQ(trace.first.constants.distribute_dflt_darg, -1);
  ASSERT_EQ(trace.frames.size(), 3U);
  EXPECT_FALSE(trace.frames[0].parent.valid());
  EXPECT_EQ(trace.frames[1].parent, FrameNumber{0});
  EXPECT_EQ(trace.frames[2].parent, FrameNumber{0});
  EXPECT_EQ(trace.frames[2].offset, 300U);
  ASSERT_EQ(trace.definitions.size(), 4U);
  EXPECT_EQ(trace.definitions[2].form, Form::large_counts);
  EXPECT_EQ(trace.definitions[2].contents.large_counts, (std::vector<std::int64_t>{2, 1, std::int64_t{1} << 60}));
  EXPECT_EQ(trace.definitions[2].observed.extent, (std::int64_t{1} << 60) + 4);
  EXPECT_EQ(trace.definitions[1].contents.addresses, (std::vector<std::int64_t>{0, 8}));  // [[0, 8, 2]]
  EXPECT_EQ(trace.oldtypes[1], (std::vector<std::string>{"MPI_INT", "0"}));
  EXPECT_EQ(trace.instances.size(), 5U);
  EXPECT_EQ(trace.instances[1].site, FrameNumber{2});
  EXPECT_EQ(trace.instances[1].committed, 3U);
  EXPECT_FALSE(trace.instances[4].site.valid());
  EXPECT_EQ(trace.differences.at(0).library, "4");
  EXPECT_EQ(trace.names.size(), 4U);
  ASSERT_TRUE(trace.FileEnd::end);
  EXPECT_EQ(trace.unrecorded.at(0).count, 2U);
  EXPECT_FALSE(trace.last_line_cut);
}

TEST_F(Reader, IgnoresACutLastLineAndRemembersIt) {
  const FileContents trace = good(text_.substr(0, text_.size() - 5));
  EXPECT_TRUE(trace.last_line_cut);
  EXPECT_FALSE(trace.FileEnd::end);
  EXPECT_EQ(trace.instances.size(), 5U);
}

TEST_F(Reader, IgnoresMembersAndRecordsThatItDoesNotKnow) {
  const FileContents trace =
      good(with("\"record\":\"name\"", "\"later\":[{}],\"record\":\"name\"") + "{\"record\":\"later\"}\n");
  EXPECT_EQ(trace.names.size(), 4U);
}

TEST_F(Reader, RefusesANewerVersionNamingBoth) {
  refused(with("\"version\":1", "\"version\":10"), 1, "format version 10, but this ddtscope reads versions up to 9");
}

TEST_F(Reader, RefusesAFileThatIsNoTrace) {
  refused("hello\n", 1, "no ddtscope trace");
  refused("[1,2]\n", 1, "no ddtscope trace");
  refused("{\"a\":1}\n", 1, "no ddtscope trace");
  refused(
      "\x7f"
      "ELF no line feed",
      1, "no ddtscope trace");
  refused(std::string(100000, '[') + "\n", 1, "no ddtscope trace");
}

TEST_F(Reader, TellsAFileWithoutAWholeHeaderApart) {
  for (const std::string& text : {std::string(), header_line().substr(0, 50)}) {
    const auto problem = problem_of(write(text));
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->kind, TraceProblem::Kind::no_header) << problem->sentence;
    EXPECT_EQ(std::get<TraceProblem>(reader_.read_header(write(text))).kind, TraceProblem::Kind::no_header);
  }
}

TEST_F(Reader, NamesTheLineThatIsNoJson) { refused(header_line() + "{\"record\":\"name\",\n", 2, "not JSON"); }

TEST_F(Reader, RefusesALineThatNestsTooDeep) {
  refused(header_line() + "{\"record\":\"x\",\"a\":" + std::string(5000, '[') + std::string(5000, ']') + "}\n", 2,
          "nests deeper");
}

TEST_F(Reader, NamesTheMemberOfAWrongType) {
  refused(with("\"rank\":0", "\"rank\":\"zero\""), 1,
          "\"rank\" must be an integer of 64 bits, but is the string \"zero\"");
  refused(with("\"size\":48,", "\"size\":48.5,"), 4, "\"size\" must be an integer of 64 bits, but is a fraction");
  refused(with("\"verify\":true,", ""), 1, "\"verify\" is missing");
  refused(with("\"name\":\"particle\"", "\"name\":17"), 6, "\"name\" must be a string, but is the number 17");
  refused(with("[[1,10,0,10,10],", "[[1,-10,0,10,10],"), 14, "\"counts\" must hold");
  refused(with("[[1,10,0,10,10],", "[[1,9223372036854775807,0,10,10],"), 14, "\"counts\" must hold");
  refused(with("\"lb\":0,\"ub\":96", "\"lb\":\"12x\",\"ub\":96"), 4, "\"lb\" must be an integer");
  refused(with("\"lb\":0,\"ub\":96", "\"lb\":99999999999999999999,\"ub\":96"), 4, "does not fit 64 bits");
}

TEST_F(Reader, RefusesNumbersOfRecordsThatDoNotStandAbove) {
  refused(with("\"datatypes\":[\"MPI_INT\",0]", "\"datatypes\":[\"MPI_INT\",1]"), 5,
          "names definition 1, but only 1 stand above");
  refused(with("\"datatypes\":[\"MPI_INT\",0]", "\"datatypes\":[\"MPI_LONG\",0]"), 5,
          "\"MPI_LONG\", which is not among the header's");
  refused(with("{\"record\":\"name\",\"definition\":1", "{\"record\":\"name\",\"definition\":2"), 6,
          "names definition 2, but only 2");
  refused(with("\"parent\":0", "\"parent\":2"), 7, "names frame 2, but only 2");
  refused(with("[[0,100]", "[[1,100]"), 3, "module");
  refused(with("[2,3,0,3,0]", "[3,3,0,3,0]"), 14, "must name one of the 3 frames");
}

TEST_F(Reader, RefusesIdsOutOfOrder) {
  refused(with("\"record\":\"definition\",\"id\":1", "\"record\":\"definition\",\"id\":2"), 5,
          "definition 2 stands where definition 1 must come");
  refused(with("\"first\":2", "\"first\":1"), 7, "frame 1 stands where frame 2 must come");
}

TEST_F(Reader, RefusesContentsThatDoNotFitTheEnvelope) {
  refused(with("\"integers\":[3,2,5]", "\"integers\":[3,2]"), 4,
          "must have 3 elements, as the envelope says, but has 2");
  refused(with("[[0,8,2]]", "[[0,8,1000000000000000000]]"), 5, "must have 2 elements");
  refused(with("[[0,8,2]]", "[[1,\"9223372036854775807\",2]]"), 5, "leaves 64 bits");
}

TEST_F(Reader, BoundsWhatACompactArrayMayExpandTo) {
  std::string text = with("\"num_addresses\":2", "\"num_addresses\":1000000000000");
  const auto at = text.find("[[0,8,2]]");
  refused(text.replace(at, 9, "[[0,8,1000000000000]]"), 5, "more than the 2^28");
}

TEST_F(Reader, RefusesAConstructorThatDoesNotMakeTheCombiner) {
  refused(with("\"constructor\":\"MPI_Type_vector\"", "\"constructor\":\"MPI_Type_contiguous\""), 4, "does not make");
  refused(with("MPI_COMBINER_VECTOR", "MPI_COMBINER_VICTOR"), 4, "\"combiner\" must be one of the standard's");
}

TEST_F(Reader, KeepsControlCharactersOutOfMessages) {
  const auto problem = problem_of(write(with("\"rank\":0", "\"rank\":\"\\u001b[31m\"")));
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->sentence.find('\033'), std::string::npos);
}

TEST_F(Reader, AcceptsStringsThatAreNoUtf8OnlyAsDamage) {
  refused(with("particle", "par\xff\xfeticle"), 6, "not JSON");
}

TEST(FindTraceFiles, AFolderStandsForItsJsonlFilesInOrder) {
  const fs::path paths[] = {golden};
  const auto found = find_trace_files(paths);
  const auto& files = std::get<std::vector<fs::path>>(found);
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(files[2].filename(), "rank-2.jsonl");
}

TEST(FindTraceFiles, TheSameFileTwiceCountsOnce) {
  const fs::path paths[] = {golden, golden / "rank-1.jsonl"};
  EXPECT_EQ(std::get<std::vector<fs::path>>(find_trace_files(paths)).size(), 3U);
}

TEST(FindTraceFiles, AnEmptyFolderIsAProblem) {
  const fs::path folder = fs::path(testing::TempDir()) / ("reader_test_empty_" + std::to_string(getpid()));
  fs::create_directories(folder);
  const fs::path paths[] = {folder};
  const auto found = find_trace_files(paths);
  fs::remove_all(folder);
  ASSERT_TRUE(std::holds_alternative<TraceProblem>(found));
  EXPECT_NE(std::get<TraceProblem>(found).sentence.find("no *.jsonl file"), std::string::npos);
}

TEST_F(Reader, NamesAMissingFile) {
  EXPECT_TRUE(problem_of("/nowhere/t")->sentence.starts_with("/nowhere/t: no such file"));
}

TEST_F(Reader, ReadsTheHeaderAlone) {
  const auto header = reader_.read_header(write(header_line() + "{\"record\":\"name\",\n"));
  EXPECT_EQ(std::get<HeaderRecord>(header).job, "4711.1");
  const auto damaged = reader_.read_header(write(with("\"job\":\"4711.1\"", "\"job\":4711")));
  EXPECT_NE(std::get<TraceProblem>(damaged).sentence.find(":1: "), std::string::npos);
}

TEST_F(Reader, KnowsTheBinaryInterfaceWhereTheTraceSaysItAndElseTakesTheLibrarysOwn) {
  const std::string name = "\"name\":\"openmpi\"";
  EXPECT_EQ(good(header_line()).first.abi(), "openmpi");
  std::string line = header_line();
  const std::size_t at = line.find(name);
  ASSERT_NE(at, line.npos) << line;
  EXPECT_EQ(good(line.insert(at + name.size(), ",\"abi\":\"mpi_abi\"")).first.abi(), "mpi_abi");
}

TEST_F(Reader, ReadsLinesOfAnyLength) {
  // The file is read in blocks: lines end and begin at any place of one.
  for (const std::size_t length : {1U << 10, (1U << 20) - 7, (1U << 20) - 1, 1U << 20, (1U << 20) + 1, 5U << 20}) {
    const std::string name(length, 'n');
    const std::string line = "{\"record\":\"name\",\"definition\":0,\"name\":\"" + name + "\"}\n";
    const auto end = text_.find("{\"record\":\"instances\"");
    const FileContents trace = good(text_.substr(0, end) + line + line + text_.substr(end));
    ASSERT_EQ(trace.names.size(), 6U);
    EXPECT_EQ(trace.names[4].name, name);
    EXPECT_EQ(trace.names[5].name, name);
    EXPECT_EQ(trace.FileEnd::end->reason, good(text_).FileEnd::end->reason);
  }
}

/// A file of which most is parsed ahead of what is read: lines of several lengths, the n-th one naming a type "n...".
class LongFile : public Reader {
 protected:
  static constexpr std::size_t lines = 60000;

  void SetUp() override {
    Reader::SetUp();
    const auto end = text_.find("{\"record\":\"instances\"");
    first_line_ = static_cast<std::size_t>(std::count(text_.begin(), text_.begin() + static_cast<long>(end), '\n')) + 1;
    std::string text = text_.substr(0, end);
    for (std::size_t i = 0; i < lines; ++i) text += line(i);
    end_ = text_.substr(end);
    text_ = std::move(text);
    ASSERT_GT(text_.size(), std::size_t{12} << 20);
  }
  static std::string name(std::size_t i) {
    return std::to_string(i) + std::string(i % 10000 == 5000 ? 300000 : i % 400, 'n');
  }
  static std::string line(std::size_t i) {
    return "{\"record\":\"name\",\"definition\":0,\"name\":\"" + name(i) + "\"}\n";
  }
  /// Its text up to the n-th of these lines.
  std::string up_to(std::size_t n) const { return text_.substr(0, text_.find(line(n))); }

  std::string end_;
  std::size_t first_line_ = 0;  // of the names
};

TEST_F(LongFile, IsReadInTheOrderOfItsLines) {
  std::uint64_t bytes = 0;
  reader_.on_progress([&](std::uint64_t more) { bytes += more; });
  const FileContents trace = good(text_ + end_ + "{\"record\":");
  ASSERT_EQ(trace.names.size(), lines + 4);
  for (std::size_t i = 0; i < lines; ++i) ASSERT_EQ(trace.names[i + 4].name, name(i));
  EXPECT_TRUE(trace.last_line_cut);
  EXPECT_EQ(trace.FileEnd::end->reason, "MPI_Finalize");
  EXPECT_EQ(bytes, fs::file_size(folder_ / "rank-0.jsonl"));
}

TEST_F(LongFile, IsReadUpToTheLineThatIsDamaged) {
  for (const std::size_t n : {lines - 1, lines - 200, lines - 128 * 4}) {
    for (const std::string& bad : {std::string("{\"record\":\"name\",\n"), std::string("{\"record\":\"name\"}\n")}) {
      const std::string text = up_to(n) + bad + line(n);
      refused(text, first_line_ + n, bad.ends_with(",\n") ? "not JSON" : "is missing");
      FileContents contents;
      EXPECT_TRUE(reader_.read(folder_ / "rank-0.jsonl", contents));
      EXPECT_EQ(contents.names.size(), n + 4);
    }
  }
}

TEST_F(LongFile, MayBeRefusedAnywhere) {
  struct Refusing : FileContents {
    void name(NameRecord&& record) override {
      if (record.name == LongFile::name(lines - 1000)) throw TraceRefused{"not this name"};
    }
  } sink;
  const auto problem = reader_.read(write(text_ + end_), sink);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->sentence, "not this name");
  // The reader is as good as new.
  EXPECT_EQ(good(header_line()).first.job, "4711.1");
}

TEST_F(Reader, TellsHowMuchItHasRead) {
  std::uint64_t bytes = 0;
  reader_.on_progress([&](std::uint64_t more) { bytes += more; });
  good(text_);
  EXPECT_EQ(bytes, text_.size());
}

TEST_F(Reader, ASinkMayRefuseWhatItIsTold) {
  struct Refusing : FileContents {
    void name(NameRecord&&) override { throw TraceRefused{"not this name"}; }
  } sink;
  const auto problem = reader_.read(write(text_), sink);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->sentence, "not this name");
  EXPECT_FALSE(sink.ended);
}

TEST_F(Reader, TakesTheCountersBesideAFileThatHasNone) {
  const auto none = good(without_end());
  EXPECT_FALSE(none.counted);
  trace::CounterFileHeader header = counter_header(3);
  header.error = trace::counter_file_full;
  header.ended = static_cast<std::uint32_t>(trace::Completeness::complete);
  std::copy_n("MPI_Finalize", 12, header.reason);
  write_counters(header, {counter(0, 5), counter(1, 7), counter(trace::counter_file_none, 9), {}});
  const auto trace = good(without_end());
  EXPECT_TRUE(trace.counted);
  ASSERT_EQ(trace.instances.size(), 2u);
  EXPECT_EQ(trace.instances[1].created, 7u);
  EXPECT_EQ(trace.instances[1].called, "MPI_Type_vector");
  EXPECT_EQ(trace.instances[1].binding, "c");
  ASSERT_EQ(trace.unrecorded.size(), 1u);
  EXPECT_EQ(trace.unrecorded[0].count, 9u);
  EXPECT_NE(trace.unrecorded[0].why.find("DDTSCOPE_MAX_TRACE"), std::string::npos);
  ASSERT_TRUE(trace.FileEnd::end);
  EXPECT_EQ(trace.FileEnd::end->reason, "MPI_Finalize");
  // A file that ended in order has its own.
  EXPECT_NE(good(text_).instances.size(), 2u);
}

TEST_F(Reader, FailedCallsStandInTheFileOrAmongTheCounters) {
  const std::string calls =
      R"({"record":"failed_calls","called":"MPI_Type_dup","binding":"c","error_class":"MPI_ERR_TYPE","counts":[[null,4],[0,6]]})"
      "\n";
  std::string text = text_;
  text.insert(text.rfind("{\"record\":\"end\""), calls);
  const auto whole = good(text);
  ASSERT_EQ(whole.failed_calls.size(), 2u);
  EXPECT_EQ(whole.failed_calls[1].called, "MPI_Type_dup");
  EXPECT_EQ(whole.failed_calls[1].error_class, "MPI_ERR_TYPE");
  EXPECT_EQ(whole.failed_calls[1].count, 6u);
  EXPECT_EQ(whole.failed_calls[1].site, FrameNumber{0});
  EXPECT_FALSE(whole.failed_calls[0].site.valid());
  // Killed while it wrote them.
  trace::CounterRecord record = counter(trace::counter_file_none, 0);
  record.error_class = 3;
  record.failed = 5;
  write_counters(counter_header(2), {counter(0, 5), record, {}});
  const auto killed = good(without_end() + calls);
  ASSERT_EQ(killed.failed_calls.size(), 1u);
  EXPECT_EQ(killed.failed_calls[0].error_class, "MPI_ERR_TYPE");
  EXPECT_EQ(killed.failed_calls[0].called, "MPI_Type_vector");
  EXPECT_EQ(killed.failed_calls[0].count, 5u);
  EXPECT_EQ(killed.instances.size(), 1u);
  EXPECT_TRUE(killed.unrecorded.empty());
  // A class of a later ddtscope's has no name here.
  record.error_class = 1000;
  write_counters(counter_header(1), {record, {}});
  EXPECT_EQ(good(without_end()).failed_calls.at(0).error_class, "");
  record.failed = UINT64_MAX;
  write_counters(counter_header(1), {record, {}});
  counters_refused("counters beside it are damaged");
}

TEST_F(Reader, SaysWhichCountersAreMissing) {
  trace::CounterFileHeader header = counter_header(1);
  header.left_out = 3;
  header.why_left_out = ENOSPC;
  write_counters(header, {counter(0, 5), {}});
  const auto running = good(without_end());
  EXPECT_TRUE(running.some_left_out);
  EXPECT_EQ(running.stopped, "3 of its counters found no room (No space left on device)");
  header.error = ENOSPC;
  header.left_out_types = 17;
  write_counters(header, {counter(0, 5), {}});
  EXPECT_EQ(good(without_end()).stopped,
            "the trace could not be written (No space left on device); 3 of its counters found no room (No space left "
            "on device), which had counted 17 types");
}

TEST_F(Reader, RefusesDamagedCounters) {
  write_counters(counter_header(3), {counter(0, 5)});
  counters_refused("does not fit its size");
  trace::CounterFileHeader header = counter_header(1);
  header.version = 9;
  write_counters(header, {counter(0, 5), {}});
  counters_refused("has version 9");
  header = counter_header(1);
  header.byte_order = 0x04030201;
  write_counters(header, {counter(0, 5), {}});
  counters_refused("other byte order");
  header = counter_header(1);
  header.magic[0] = 'x';
  write_counters(header, {counter(0, 5), {}});
  counters_refused("no counter file");
  write_counters(counter_header(1), {counter(0, UINT64_MAX), {}});
  counters_refused("counters beside it are damaged");
}

}  // namespace
}  // namespace ddtscope::reader_test
