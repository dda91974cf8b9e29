// Lines by the table of a code object, and frames of an interpreter where one can be opened.
#include "plugin/call/python_frames.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <vector>

namespace ddtscope::plugin::python_frames_test {
namespace {

/// An entry's first byte: its form, and how many instructions it is for.
unsigned char entry(unsigned form, unsigned instructions) {
  return static_cast<unsigned char>(0x80 | form << 3 | (instructions - 1));
}

/// The lines of the instructions, in order, of code that begins in line 10.
std::vector<std::uint32_t> lines_of(std::initializer_list<unsigned char> table, int instructions) {
  std::vector<std::uint32_t> lines;
  const std::vector<unsigned char> bytes(table);
  for (int i = 0; i < instructions; ++i) lines.push_back(python_line(bytes, 10, 2 * i));
  return lines;
}

using Lines = std::vector<std::uint32_t>;

TEST(PythonLine, EachFormMovesTheLineByItsOwnRule) {
  EXPECT_EQ(lines_of({entry(0, 2), 0x11, entry(9, 1), 0x22}, 3), (Lines{10, 10, 10}));  // short
  EXPECT_EQ(lines_of({entry(10, 1), 1, 2, entry(11, 1), 1, 2, entry(12, 2), 1, 2}, 4), (Lines{10, 11, 13, 13}));
  EXPECT_EQ(lines_of({entry(13, 1), 6, entry(13, 1), 3}, 2), (Lines{13, 12}));           // +3, -1
  EXPECT_EQ(lines_of({entry(14, 1), 4, 0, 1, 1, entry(13, 1), 0}, 2), (Lines{12, 12}));  // +2, and where it ends
  EXPECT_EQ(lines_of({entry(13, 1), 0x40 | 0, 0x40 | 1, 1, entry(0, 1), 0}, 2), (Lines{2090, 2090}));  // 4160 / 2
}

TEST(PythonLine, InstructionsWithoutALineHaveNone) {
  EXPECT_EQ(lines_of({entry(15, 1), entry(13, 1), 2}, 2), (Lines{0, 11}));
  EXPECT_EQ(lines_of({entry(0, 1), 0}, 2), (Lines{10, 0}));  // behind the table
  EXPECT_EQ(lines_of({}, 1), (Lines{0}));
  EXPECT_EQ(lines_of({entry(13, 8), 0x7f}, 1), (Lines{0}));  // cut off, and beyond the file's beginning
}

/// An interpreter in this process. Once it was opened it stays.
class Python {
 public:
  static const Python* get() {
    static const Python python;
    return python.run_ != nullptr ? &python : nullptr;
  }
  bool run(const std::string& text) const { return run_(text.c_str(), nullptr) == 0; }
  const PythonLayout& layout() const {
    return *python_layout(*static_cast<const unsigned long*>(dlsym(RTLD_DEFAULT, "Py_Version")));
  }

 private:
  Python() {
    for (const char* name : {"libpython3.11.so.1.0", "libpython3.12.so.1.0", "libpython3.13.so.1.0"}) {
      void* const library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
      if (library == nullptr) continue;
      reinterpret_cast<void (*)(int)>(dlsym(library, "Py_InitializeEx"))(0);
      run_ = reinterpret_cast<int (*)(const char*, void*)>(dlsym(library, "PyRun_SimpleStringFlags"));
      return;
    }
  }
  int (*run_)(const char*, void*) = nullptr;
};

struct Seen {
  const PythonFrames* frames;
  std::size_t depth;
  std::vector<std::uint64_t> positions;
  std::vector<std::vector<PythonPlace>> places;
};
Seen* seen = nullptr;

extern "C" void look() {
  seen->positions.push_back(seen->frames->position(seen->depth));
  seen->places.push_back(seen->frames->places(seen->depth));
}

/// Runs the lines, in which look() is `look`, called without the interpreter's lock.
Seen looks_of(const Python& python, const PythonFrames& frames, const std::string& lines, std::size_t depth = 64) {
  Seen result{&frames, depth, {}, {}};
  seen = &result;
  const auto address = std::to_string(reinterpret_cast<std::uintptr_t>(&look));
  EXPECT_TRUE(python.run("import ctypes\nlook = ctypes.CFUNCTYPE(None)(" + address + ")\n"));
  std::string quoted;
  for (const char c : lines) quoted += c == '\n' ? std::string("\\n") : std::string(1, c);
  EXPECT_TRUE(python.run("exec(compile('" + quoted + "', 'p.py', 'exec'))"));
  seen = nullptr;
  return result;
}

constexpr const char* program =
    "def edge():\n"
    "    look()\n"
    "    look()\n"
    "class Grid:\n"
    "    def cells(self):\n"
    "        yield edge()\n"
    "for _ in range(2):\n"
    "    for cell in Grid().cells(): pass\n";

TEST(PythonFrames, FunctionsAndLinesAreThoseOfTheProgram) {
  const Python* python = Python::get();
  if (python == nullptr) GTEST_SKIP() << "no library of an interpreter whose frames are known";
  const auto frames = PythonFrames::of_process();
  ASSERT_NE(frames, nullptr);
  EXPECT_EQ(frames->position(64), 0u);  // runs nothing
  const Seen looked = looks_of(*python, *frames, program);
  ASSERT_EQ(looked.places.size(), 4u);
  EXPECT_EQ(frames->problem(), "");
  const std::vector<PythonPlace>& places = looked.places[0];
  ASSERT_EQ(places.size(), 4u);
  EXPECT_EQ(places[0], (PythonPlace{"p.py", "edge", 2}));
  EXPECT_EQ(places[1], (PythonPlace{"p.py", "Grid.cells", 6}));
  EXPECT_EQ(places[2], (PythonPlace{"p.py", "<module>", 8}));
  EXPECT_EQ(places[3], (PythonPlace{"<string>", "<module>", 1}));
  EXPECT_EQ(looked.places[1][0].line, 3u);
  EXPECT_NE(looked.positions[0], looked.positions[1]);
  EXPECT_EQ(looked.positions[0], looked.positions[2]);  // the same lines again
  EXPECT_EQ(looked.positions[1], looked.positions[3]);
}

TEST(PythonFrames, AreAsManyAsAreAskedFor) {
  const Python* python = Python::get();
  if (python == nullptr) GTEST_SKIP() << "no library of an interpreter whose frames are known";
  const auto frames = PythonFrames::of_process();
  const std::string deep = "def down(n): down(n - 1) if n else look()\ndown(100)\n";
  EXPECT_EQ(looks_of(*python, *frames, deep, 64).places.at(0).size(), 64u);
  EXPECT_EQ(looks_of(*python, *frames, deep, 1).places.at(0).size(), 1u);
  EXPECT_EQ(looks_of(*python, *frames, deep, 1000).places.at(0).size(), 103u);
}

TEST(PythonFrames, NamesBeyondAsciiAreUtf8) {
  const Python* python = Python::get();
  if (python == nullptr) GTEST_SKIP() << "no library of an interpreter whose frames are known";
  const auto frames = PythonFrames::of_process();
  const Seen looked =
      looks_of(*python, *frames, "def gr\u00f6\u00dfe(): look()\ndef \u4e2d(): gr\u00f6\u00dfe()\n\u4e2d()\n");
  ASSERT_GE(looked.places.at(0).size(), 2u);
  EXPECT_EQ(looked.places[0][0].function, "gr\u00f6\u00dfe");
  EXPECT_EQ(looked.places[0][1].function, "\u4e2d");
}

TEST(PythonFrames, OfAnInterpreterThatIsOtherwiseAreNotRead) {
  const Python* python = Python::get();
  if (python == nullptr) GTEST_SKIP() << "no library of an interpreter whose frames are known";
  // Members that lie where no release has them: numbers are taken for pointers, and the other way round.
  for (std::size_t shift = 8; shift <= 64; shift += 8) {
    PythonLayout other{};
    other.thread_frame = other.frame_code = other.frame_previous = other.frame_instruction = shift;
    other.code_file = other.code_function = other.code_lines = other.code_instructions = 2 * shift;
    other.ascii_text = other.other_text = shift;
    const auto frames = PythonFrames::of_process(other);
    ASSERT_NE(frames, nullptr);
    const Seen looked = looks_of(*python, *frames, program);
    EXPECT_EQ(looked.positions, std::vector<std::uint64_t>(4, 0)) << shift;
    EXPECT_TRUE(looked.places.at(0).empty());
  }
}

TEST(PythonFrames, WithoutCodeInThemAreNotAsTheyAreKnown) {
  const Python* python = Python::get();
  if (python == nullptr) GTEST_SKIP() << "no library of an interpreter whose frames are known";
  PythonLayout other = python->layout();
  other.frame_code += sizeof(void*);
  const auto frames = PythonFrames::of_process(other);
  ASSERT_NE(frames, nullptr);
  const Seen looked = looks_of(*python, *frames, program);
  EXPECT_EQ(looked.positions, std::vector<std::uint64_t>(4, 0));
  EXPECT_NE(frames->problem().find("are not as they are known to be"), std::string::npos) << frames->problem();
}

TEST(PythonFrames, AreLookedForEverMoreSeldomWhereThereAreNone) {
  const Python* python = Python::get();
  if (python == nullptr) GTEST_SKIP() << "no library of an interpreter whose frames are known";
  const auto frames = PythonFrames::of_process();
  for (int call = 1; call <= 4; ++call) EXPECT_EQ(frames->position(64), 0u);
  // Each look() asks twice: the 8th time is in the second one.
  const Seen looked = looks_of(*python, *frames, program);
  ASSERT_EQ(looked.positions.size(), 4u);
  EXPECT_EQ(looked.positions[0], 0u);
  EXPECT_EQ(looked.positions[1], 0u);
  EXPECT_NE(looked.positions[2], 0u);
  EXPECT_NE(looked.positions[3], 0u);
}

TEST(PythonFrames, OfOtherLinesHaveOtherPositions) {
  const Python* python = Python::get();
  if (python == nullptr) GTEST_SKIP() << "no library of an interpreter whose frames are known";
  const auto frames = PythonFrames::of_process();
  const Seen looked = looks_of(*python, *frames,
                               "for lines in (1, 2):\n"
                               "    exec(compile(\"x = 1\" + lines * chr(10) + \"look()\", \"q.py\", \"exec\"))\n");
  ASSERT_EQ(looked.places.size(), 2u);
  EXPECT_EQ(looked.places[0].at(0), (PythonPlace{"q.py", "<module>", 2}));
  EXPECT_EQ(looked.places[1].at(0), (PythonPlace{"q.py", "<module>", 3}));
  EXPECT_NE(looked.positions[0], looked.positions[1]);
}

/// From here on no process_vm_readv; false where the system cannot forbid it.
bool forbid_looking_at_memory() {
  std::array<sock_filter, 4> rules{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog filter{static_cast<unsigned short>(rules.size()), rules.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

TEST(PythonFrames, ThatMayNotBeLookedAtAreSaidToBe) {
  const Python* python = Python::get();
  if (python == nullptr) GTEST_SKIP() << "no library of an interpreter whose frames are known";
  const auto in_a_process_of_its_own = [&] {
    if (!forbid_looking_at_memory()) _exit(2);
    const auto frames = PythonFrames::of_process();
    const Seen looked = looks_of(*python, *frames, program);
    const bool is_read = looked.positions != std::vector<std::uint64_t>(4, 0) || !looked.places.at(0).empty();
    const bool is_told = frames->problem().find("does not let a process look at its memory") != std::string::npos;
    _exit(is_read || !is_told ? 1 : 0);
  };
  EXPECT_EXIT(in_a_process_of_its_own(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace ddtscope::plugin::python_frames_test
