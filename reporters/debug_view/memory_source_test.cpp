// Views are found in processes and in their cores.
#include <elf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>

#include "reporters/debug_view/debug_image.h"
#include "reporters/debug_view/memory_source.h"
#include "reporters/trace/format/counter_file.h"
#include "reporters/trace/format/pending_file.h"

namespace ddtscope::reporters::memory_source_test {
namespace {

namespace fs = std::filesystem;

const fs::path trace_file = fs::path(DDTSCOPE_TESTDATA) / "v1" / "constructors_mpich" / "rank-0.jsonl";

ViewContents contents_of(MemorySourceResult result) {
  if (const auto* problem = std::get_if<TraceProblem>(&result)) throw std::runtime_error(problem->sentence);
  auto read = read_debug_view(*std::get<std::unique_ptr<MemorySource>>(result));
  if (const auto* problem = std::get_if<TraceProblem>(&read)) throw std::runtime_error(problem->sentence);
  return std::move(std::get<ViewContents>(read));
}

std::string sentence_of(MemorySourceResult result) {
  if (const auto* problem = std::get_if<TraceProblem>(&result)) return problem->sentence;
  const auto read = read_debug_view(*std::get<std::unique_ptr<MemorySource>>(result));
  return std::holds_alternative<TraceProblem>(read) ? std::get<TraceProblem>(read).sentence : "";
}

std::size_t counters_known(const ViewContents& contents) {
  std::size_t known = 0;
  for (const ViewCounter& counter : contents.counters) known += counter.counts ? 1 : 0;
  return known;
}

/// Of a file where one is given.
void place(std::uint64_t address, const std::vector<char>& bytes, int file = -1) {
  void* const at = reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
  const int flags = MAP_PRIVATE | MAP_FIXED_NOREPLACE | (file < 0 ? MAP_ANONYMOUS : 0);
  if (mmap(at, bytes.size(), PROT_READ | PROT_WRITE, flags, file, 0) != at) _exit(1);
  std::memcpy(at, bytes.data(), bytes.size());
}

/// A process that has an image in its memory.
class Process {
 public:
  enum class Of : std::uint8_t { a_plugin, nothing };  // what the image's mapping is of

  Process(const DebugImage& image, Of of) {
    int ready[2];
    if (pipe(ready) != 0) throw std::runtime_error("no pipe");
    id_ = fork();
    if (id_ < 0) throw std::runtime_error("no process");
    if (id_ == 0) {
      place(DebugImage::base, image.bytes, of == Of::a_plugin ? plugin(image.bytes.size()) : -1);
      place(DebugImage::counters_base, image.counters);
      if (::write(ready[1], "x", 1) != 1) _exit(1);
      for (;;) pause();
    }
    close(ready[1]);  // where the child ends before it is ready, nothing is waited for
    char byte = 0;
    is_ready_ = read(ready[0], &byte, 1) == 1;
    close(ready[0]);
  }
  ~Process() { end(); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  bool is_ready() const { return is_ready_; }
  pid_t id() const { return id_; }
  void end() {
    if (has_ended_) return;
    has_ended_ = true;
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }

 private:
  /// A file that is called as the plugin is.
  static int plugin(std::size_t bytes) {
    const fs::path path = fs::path(testing::TempDir()) / ("libddtscope-test." + std::to_string(getpid()));
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) _exit(1);
    unlink(path.c_str());  // "(deleted)" stands behind its name
    return file;
  }

  pid_t id_ = 0;
  bool is_ready_ = false;
  bool has_ended_ = false;
};

/// Emulators of a processor have none.
bool has_ptrace() { return ptrace(PTRACE_DETACH, getpid(), nullptr, nullptr) == 0 || errno != ENOSYS; }

TEST(ProcessMemory, OfARunningProcessIsRead) {
  const DebugImage image(trace_file);
  Process process(image, Process::Of::a_plugin);
  ASSERT_TRUE(process.is_ready());
  const pid_t child = process.id();
  if (!has_ptrace()) {
    const std::string said = sentence_of(open_process(child));
    EXPECT_TRUE(said.ends_with("; a core can be read.")) << said;
    GTEST_SKIP() << "there is no ptrace";
  }
  for (int i = 0; i < 3; ++i) {  // it must go on after each
    const ViewContents contents = contents_of(open_process(child));
    EXPECT_FALSE(contents.is_damaged());
    EXPECT_EQ(contents.address, image.view);
    EXPECT_FALSE(contents.definitions.empty());
    EXPECT_EQ(counters_known(contents), contents.counters.size());
  }
  EXPECT_EQ(waitpid(child, nullptr, WNOHANG), 0);
  process.end();
  EXPECT_EQ(sentence_of(open_process(child)), "process " + std::to_string(child) + ": there is no such process.");
}

/// Nothing of it is read, so it need not stand still.
TEST(ProcessMemory, OfAProcessWithoutThePluginIsNotSearched) {
  const DebugImage image(trace_file);
  const Process process(image, Process::Of::nothing);
  ASSERT_TRUE(process.is_ready());
  const MemorySourceResult result = open_process(process.id());
  ASSERT_TRUE(std::holds_alternative<TraceProblem>(result));
  const std::string said = std::get<TraceProblem>(result).sentence;
  EXPECT_NE(said.find("no view of ddtscope's is in it, because the plugin is not"), std::string::npos) << said;
}

/// A core as the kernel writes it, of a process that has the image in its memory and the counters in a file.
class Core : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("memory_source_test_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// As a process has it mapped where its core has nothing.
  trace::DebugFile file_of(trace::DebugFileKind kind, const char* name) const {
    trace::DebugFile file{};
    file.address = DebugImage::counters_base - (std::uint64_t{1} << 30);
    file.bytes = sizeof(trace::PendingFileHeader);
    file.kind = static_cast<std::uint32_t>(kind);
    (folder_ / name).string().copy(file.path, sizeof file.path - 1);
    return file;
  }

  fs::path write(const DebugImage& image) const {
    const fs::path counters = folder_ / "rank-0.counters";
    std::ofstream(counters, std::ios::binary)
        .write(image.counters.data(), static_cast<std::streamsize>(image.counters.size()));
    constexpr std::uint64_t page = 4096;
    const std::uint64_t words[] = {1, page, DebugImage::counters_base,
                                   DebugImage::counters_base + image.counters.size(), 0};
    std::string note(reinterpret_cast<const char*>(words), sizeof words);
    note += counters.string() + '\0';
    Elf64_Nhdr note_header{5, static_cast<Elf64_Word>(note.size()), NT_FILE};
    note.insert(0, std::string("CORE\0\0\0\0", 8));
    note.insert(0, reinterpret_cast<const char*>(&note_header), sizeof note_header);
    note.resize((note.size() + 3) / 4 * 4);

    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_CORE;
    header.e_machine = EM_X86_64;
    header.e_version = EV_CURRENT;
    header.e_phoff = header.e_ehsize = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 3;
    // A core leaves mapped files out: their segments have no bytes in it.
    const Elf64_Phdr segments[] = {
        {PT_NOTE, 0, sizeof header + 3 * sizeof(Elf64_Phdr), 0, 0, note.size(), 0, 4},
        {PT_LOAD, PF_R | PF_W, 2 * page, DebugImage::counters_base, 0, 0, image.counters.size(), page},
        {PT_LOAD, PF_R | PF_W, 2 * page, DebugImage::base, 0, image.bytes.size(), image.bytes.size(), page}};
    fs::path core = folder_ / "core";
    std::ofstream stream(core, std::ios::binary);
    stream.write(reinterpret_cast<const char*>(&header), sizeof header);
    stream.write(reinterpret_cast<const char*>(segments), sizeof segments);
    stream << note;
    stream.seekp(2 * page);
    stream.write(image.bytes.data(), static_cast<std::streamsize>(image.bytes.size()));
    return core;
  }

  fs::path folder_;
};

TEST_F(Core, TheViewIsFoundAndItsCountersInTheFile) {
  const DebugImage fitting(trace_file, {.counters = ImageOptions::Counters::fitting});
  const ViewContents contents = contents_of(open_core(write(fitting)));
  EXPECT_FALSE(contents.is_damaged());
  EXPECT_FALSE(contents.definitions.empty());
  EXPECT_EQ(counters_known(contents), contents.counters.size());
  fs::remove(folder_ / "rank-0.counters");
  EXPECT_EQ(counters_known(contents_of(open_core(folder_ / "core"))), 0U);
}

TEST_F(Core, CountersOfALaterInstantAreNotTaken) {
  DebugImage image(trace_file, {.counters = ImageOptions::Counters::fitting});
  const fs::path core = write(image);
  for (const std::size_t changed : {offsetof(trace::CounterRecord, created), offsetof(trace::CounterRecord, freed)}) {
    DebugImage later = image;
    ++later.counters[changed];
    write(later);
    const ViewContents contents = contents_of(open_core(core));
    EXPECT_FALSE(contents.is_damaged());
    EXPECT_EQ(contents.without_counts, WithoutCounts::do_not_fit);
    EXPECT_EQ(counters_known(contents), 0U);
  }
}

/// The first line of the trace file, or of another job's.
std::string header_of(const fs::path& file, const char* job = nullptr) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  const std::string own = "\"job\":\"";
  if (job != nullptr) line.insert(line.find(own) + own.size(), job);
  return line + "\n";
}

TEST_F(Core, CountersOfAnotherJobAreNotTaken) {
  const DebugImage image(trace_file, {.counters = ImageOptions::Counters::fitting,
                                      .files = {file_of(trace::DebugFileKind::counters, "rank-0.counters")}});
  const fs::path core = write(image);
  std::ofstream(folder_ / "rank-0.jsonl") << header_of(trace_file);
  EXPECT_EQ(counters_known(contents_of(open_core(core))), image.counters.size() / sizeof(trace::CounterRecord));
  for (const std::string& other : {header_of(trace_file, "another-"), std::string()}) {
    std::ofstream(folder_ / "rank-0.jsonl") << other;
    const ViewContents contents = contents_of(open_core(core));
    EXPECT_FALSE(contents.is_damaged());
    EXPECT_EQ(contents.without_counts, WithoutCounts::of_another_job);
    EXPECT_EQ(counters_known(contents), 0U);
  }
}

TEST_F(Core, WhyNothingIsKnownOfWhatWasUnderWayIsSaid) {
  const DebugImage image(trace_file, {.files = {file_of(trace::DebugFileKind::pending, "rank-0.pending")}});
  const fs::path core = write(image);
  std::ofstream(folder_ / "rank-0.jsonl") << header_of(trace_file);
  const fs::path file = folder_ / "rank-0.pending";
  const auto problem = [&] { return contents_of(open_core(core)).pending_problem; };
  EXPECT_NE(problem().find(file.string() + ", is not there any more."), std::string::npos) << problem();
  trace::PendingFileHeader header{};
  std::memcpy(header.magic, trace::pending_file_magic, sizeof header.magic);
  header.byte_order = trace::counter_file_byte_order;
  header.version = trace::pending_file_version;
  trace::DebugView view;
  std::memcpy(&view, image.bytes.data(), sizeof view);
  header.process = static_cast<std::uint32_t>(view.pid);
  const auto write_file = [&] {
    std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(&header), sizeof header);
  };
  write_file();
  EXPECT_EQ(problem(), "");
  std::ofstream(folder_ / "rank-0.jsonl") << header_of(trace_file, "another-");
  EXPECT_NE(problem().find(file.string() + ", is of another process."), std::string::npos) << problem();
  std::ofstream(folder_ / "rank-0.jsonl") << header_of(trace_file);
  ++header.process;
  write_file();
  EXPECT_NE(problem().find(file.string() + ", is of another process."), std::string::npos) << problem();
  header.version = 99;
  write_file();
  EXPECT_NE(problem().find("has version 99, but this ddtscope reads versions up to"), std::string::npos) << problem();
}

TEST_F(Core, APipeInTheCountersPlaceIsNoFile) {
  const fs::path core = write(DebugImage(trace_file, {.counters = ImageOptions::Counters::fitting}));
  fs::remove(folder_ / "rank-0.counters");
  ASSERT_EQ(mkfifo((folder_ / "rank-0.counters").c_str(), 0600), 0);
  EXPECT_EQ(counters_known(contents_of(open_core(core))), 0U);
}

TEST_F(Core, OneThatWasCutSaysSo) {
  const fs::path core = write(DebugImage(trace_file));
  const auto whole = contents_of(open_core(core)).definitions.size();
  const auto bytes = fs::file_size(core);
  for (const std::uintmax_t left : {bytes - 100, bytes * 3 / 4, bytes / 2}) {
    fs::resize_file(core, left);
    const ViewContents contents = contents_of(open_core(core));
    EXPECT_TRUE(contents.is_damaged());
    EXPECT_LE(contents.definitions.size(), whole);
  }
  fs::resize_file(core, 8192);
  EXPECT_EQ(sentence_of(open_core(core)),
            core.string() +
                ": no view of ddtscope's is in the memory; was the program run under `ddtscope exec`, and had "
                "it started MPI?");
  fs::resize_file(core, 100);
  EXPECT_EQ(sentence_of(open_core(core)), core.string() + ": holds no memory; was the core cut?");
}

TEST_F(Core, OtherFilesAreNone) {
  EXPECT_EQ(sentence_of(open_core("/proc/self/exe")),
            "/proc/self/exe: is no core file; give the core that the kernel, or gdb's generate-core-file, wrote.");
  EXPECT_NE(sentence_of(open_core(folder_ / "none")).find("cannot be read"), std::string::npos);
}

}  // namespace
}  // namespace ddtscope::reporters::memory_source_test
