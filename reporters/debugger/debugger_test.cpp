// The C API over an image in memory: answers, refusals, and nothing worse on damaged memory.
#include <gtest/gtest.h>

#include <cfloat>
#include <cstddef>
#include <cstring>
#include <new>
#include <random>
#include <sstream>

#include "reporters/debug_view/debug_image.h"
#include "reporters/debugger/basic_value.h"
#include "reporters/debugger/ddtscope_debug.h"
#include "reporters/debugger/session.h"
#include "reporters/text/report.h"
#include "reporters/trace/format/counter_file.h"

namespace ddtscope::reporters::debugger_test {
namespace {

namespace fs = std::filesystem;

// demo_halo: T1 a subarray "interior", T2 a vector, T3 a struct "probe", T4 indexed "upper triangle".
const fs::path trace_file = fs::path(DDTSCOPE_TESTDATA) / "v1" / "demo_halo_openmpi" / "rank-0.jsonl";

int read_image(void* user, uint64_t address, void* to, size_t bytes) {
  return static_cast<DebugImage*>(user)->reader()(address, to, bytes) ? 0 : 1;
}

/// Changes what the table of handles says of one.
template <class Change>
void change_slot(DebugImage& image, std::uint64_t handle, Change change) {
  trace::DebugView view;
  std::memcpy(&view, image.bytes.data(), sizeof view);
  const std::size_t slots = view.tables[0] - DebugImage::base + sizeof(trace::DebugTable);
  for (std::size_t at = slots; at + sizeof(trace::DebugHandle) <= image.bytes.size();
       at += sizeof(trace::DebugHandle)) {
    trace::DebugHandle slot;
    std::memcpy(&slot, image.bytes.data() + at, sizeof slot);
    if (slot.handle != handle) continue;
    change(slot);
    std::memcpy(image.bytes.data() + at, &slot, sizeof slot);
    break;
  }
}

class DebugApi : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(ddtscope_debug_open(read_image, &image_, image_.view, "image", &session_), DDTSCOPE_SUCCESS)
        << ddtscope_debug_message(nullptr);
  }
  void TearDown() override { ddtscope_debug_close(&session_); }

  ddtscope_debug_type type(const char* text) {
    ddtscope_debug_type found{};
    EXPECT_EQ(ddtscope_debug_find_text(session_, text, &found), DDTSCOPE_SUCCESS) << ddtscope_debug_message(session_);
    return found;
  }
  /// What a call wrote to `text_`.
  std::string text_of(int status) {
    EXPECT_EQ(status, DDTSCOPE_SUCCESS) << ddtscope_debug_message(session_);
    return status == DDTSCOPE_SUCCESS ? text_ : "";
  }
  std::string message() const { return ddtscope_debug_message(session_); }

  DebugImage image_{trace_file};
  ddtscope_debug* session_ = nullptr;
  const char* text_ = nullptr;
};

TEST_F(DebugApi, SaysWhereNothingOfMessagesIsKnown) {
  EXPECT_EQ(text_of(ddtscope_debug_messages(session_, &text_)),
            "What is under way was not recorded in this process.\n");
}

TEST_F(DebugApi, SaysWhereThereAreNoWindows) {
  EXPECT_NE(text_of(ddtscope_debug_windows(session_, &text_)).find("No window was made in this process"),
            std::string::npos);
}

TEST_F(DebugApi, ShowsWhatTheCommandShows) {
  const fs::path paths[] = {trace_file};
  const LoadResult loaded = load_job(paths);
  const Job& job = *std::get<std::unique_ptr<Job>>(loaded);
  Analysis analysis(job);
  Symbols symbols;
  for (const JobType& known : job.types) {
    std::ostringstream expected;
    ShowOptions options;
    options.type = known.number;
    report_show(expected, {{job, analysis, symbols}, Style(Colour::never)}, options);
    const auto found = type(reporters::text_of(known.number).c_str());
    EXPECT_EQ(text_of(ddtscope_debug_show(session_, found.number, nullptr, 0, &text_)), expected.str());
  }
}

TEST_F(DebugApi, HandlesAreWhatTheirSlotsSay) {
  ddtscope_debug_type found{};
  ASSERT_EQ(ddtscope_debug_find_handle(session_, DebugImage::handle_of(0), &found), DDTSCOPE_SUCCESS);
  EXPECT_EQ(found.state, DDTSCOPE_DEBUG_LIVE);
  EXPECT_EQ(found.is_committed, 1);
  EXPECT_EQ(found.number, type("interior").number);
  EXPECT_EQ(found.extent, 960);
  ASSERT_EQ(ddtscope_debug_find_handle(session_, DebugImage::handle_of(2), &found), DDTSCOPE_SUCCESS);
  EXPECT_EQ(found.state, DDTSCOPE_DEBUG_FREED);
  EXPECT_EQ(text_of(ddtscope_debug_line(session_, &found, &text_)).rfind("freed; was T3 \"probe\"", 0), 0U);
  std::uint64_t address = 0;
  ASSERT_EQ(ddtscope_debug_freed_at(session_, DebugImage::handle_of(2), &address), DDTSCOPE_SUCCESS);
  EXPECT_EQ(address, 0x2222u);
  for (const std::uint64_t handle : {DebugImage::handle_of(0), std::uint64_t{0xdeadbeef}}) {
    ASSERT_EQ(ddtscope_debug_freed_at(session_, handle, &address), DDTSCOPE_SUCCESS);
    EXPECT_EQ(address, 0u);
  }
  ASSERT_EQ(ddtscope_debug_find_handle(session_, 0xdeadbeef, &found), DDTSCOPE_SUCCESS);
  EXPECT_EQ(found.state, DDTSCOPE_DEBUG_UNKNOWN);
  EXPECT_EQ(found.number, DDTSCOPE_DEBUG_NO_TYPE);
}

TEST_F(DebugApi, WhatNeedsNoCommitIsNotCalledUncommitted) {
  struct Case {
    std::uint8_t flags;
    int commit;
    const char* end;
  };
  const std::uint64_t handle = DebugImage::handle_of(1);
  for (const Case& wanted : {Case{0, DDTSCOPE_DEBUG_NOT_COMMITTED, ", not committed"},
                             Case{trace::debug_handle_needs_no_commit, DDTSCOPE_DEBUG_NEEDS_NO_COMMIT, ", extent 872"},
                             Case{trace::debug_handle_needs_no_commit | trace::debug_handle_committed,
                                  DDTSCOPE_DEBUG_COMMITTED, ", committed"}}) {
    change_slot(image_, handle, [&](trace::DebugHandle& slot) { slot.flags = wanted.flags; });
    TearDown();
    SetUp();
    ddtscope_debug_type found{};
    ASSERT_EQ(ddtscope_debug_find_handle(session_, handle, &found), DDTSCOPE_SUCCESS);
    EXPECT_EQ(found.is_committed, wanted.commit);
    const std::string line = text_of(ddtscope_debug_line(session_, &found, &text_));
    EXPECT_TRUE(line.ends_with(wanted.end)) << line;
  }
}

TEST_F(DebugApi, WhereMemoryIsLackingThatIsSaid) {
  const ddtscope_debug_read without_memory = [](void*, uint64_t, void*, size_t) -> int { throw std::bad_alloc(); };
  ddtscope_debug* none = nullptr;
  EXPECT_EQ(ddtscope_debug_open(without_memory, nullptr, image_.view, "image", &none), DDTSCOPE_ERR_NO_MEM);
  EXPECT_STREQ(ddtscope_debug_message(nullptr), "there is not enough memory.");
  EXPECT_EQ(ddtscope_debug_open(read_image, &image_, 0, "image", &none), DDTSCOPE_ERR_OTHER);
  EXPECT_STRNE(ddtscope_debug_message(nullptr), "there is not enough memory.");
}

TEST_F(DebugApi, WhereAByteIsIsSaidByEntryOrGap) {
  const auto probe = type("probe").number;
  EXPECT_EQ(
      text_of(ddtscope_debug_where(session_, probe, 0x1000, 2, 0x1000 + 24 + 9, &text_)),
      "0x1021 is byte 33 of the buffer: byte 1 of entry 5 of copy 1, MPI_DOUBLE at offset 32, value (memory cannot "
      "be read).\n  T3 member 1 > MPI_DOUBLE\n");
  EXPECT_EQ(text_of(ddtscope_debug_where(session_, probe, 0x1000, 1, 0x1006, &text_)),
            "0x1006 is byte 6 of the buffer: in a gap, which no entry covers: 3 bytes from offset 5 on.\n"
            "  below: entry 4, MPI_CHAR at offset 4\n  above: entry 5, MPI_DOUBLE at offset 8\n");
  const std::string before = text_of(ddtscope_debug_where(session_, probe, 0x1000, 1, 0xff0, &text_));
  EXPECT_NE(before.find("is byte -16 of the buffer: not in it, 16 bytes before the first byte"), std::string::npos);
}

TEST_F(DebugApi, TouchedBytesBeginAtTheDisplacement) {
  const auto probe = type("probe").number;
  EXPECT_EQ(text_of(ddtscope_debug_touched(session_, probe, 0x1000, 0, 1, &text_)),
            "1 copy of T3 at 0x1000 has 7 entries of 15 bytes, from 0x1000 to 0x1011 (bytes 0 to 17 of the buffer).");
  EXPECT_EQ(
      text_of(ddtscope_debug_touched(session_, probe, 0x1000, -32, 2, &text_)),
      "2 copies of T3 at 0xfe0 have 14 entries of 30 bytes, from 0xfe0 to 0x1009 (bytes -32 to 9 of the buffer).");
  EXPECT_EQ(text_of(ddtscope_debug_touched(session_, probe, 0, 0x2000, 0, &text_)),
            "0 copies of T3 at 0x2000 have no entries: nothing is touched.");
}

TEST_F(DebugApi, ALimitThatWouldTakeAllMemoryIsRefused) {
  const auto probe = type("probe").number;
  constexpr std::size_t highest = DDTSCOPE_DEBUG_HIGHEST_LIMIT;
  EXPECT_EQ(ddtscope_debug_show(session_, probe, nullptr, highest, &text_), DDTSCOPE_SUCCESS);
  EXPECT_EQ(ddtscope_debug_show(session_, probe, nullptr, highest + 1, &text_), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(message(), "a limit of 1,000,001 is too much to print; the highest is 1,000,000.");
  EXPECT_EQ(ddtscope_debug_values(session_, probe, 0x1000, 1, highest, 0, &text_), DDTSCOPE_SUCCESS);
  EXPECT_EQ(ddtscope_debug_values(session_, probe, 0x1000, 1, highest + 1, 0, &text_), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_debug_list(session_, DDTSCOPE_DEBUG_ALL, nullptr, nullptr, highest, &text_), DDTSCOPE_SUCCESS);
  EXPECT_EQ(ddtscope_debug_list(session_, DDTSCOPE_DEBUG_ALL, nullptr, nullptr, highest + 1, &text_), DDTSCOPE_ERR_ARG);
}

TEST_F(DebugApi, EntriesAreGivenFromAnyPlace) {
  ddtscope_debug_entry entries[4];
  std::size_t number = 0;
  ASSERT_EQ(ddtscope_debug_entries(session_, type("probe").number, 2, 5, 4, entries, &number), DDTSCOPE_SUCCESS);
  ASSERT_EQ(number, 4U);
  const std::int64_t offsets[] = {8, 16, 24, 25};
  for (std::size_t i = 0; i < number; ++i) EXPECT_EQ(entries[i].offset, offsets[i]);
  EXPECT_STREQ(entries[1].basic_type, "MPI_SHORT");
  ASSERT_EQ(ddtscope_debug_entries(session_, type("probe").number, 2, 14, 4, entries, &number), DDTSCOPE_SUCCESS);
  EXPECT_EQ(number, 0U);
}

TEST_F(DebugApi, WrongQuestionsAreRefusedInASentence) {
  ddtscope_debug_type found{};
  EXPECT_EQ(ddtscope_debug_find_text(session_, "T99", &found), DDTSCOPE_ERR_TYPE);
  EXPECT_NE(message().find("T99"), std::string::npos);
  EXPECT_EQ(ddtscope_debug_show(session_, 123456, nullptr, 0, &text_), DDTSCOPE_ERR_TYPE);
  EXPECT_EQ(ddtscope_debug_show(session_, 0, "cube", 0, &text_), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_debug_show(session_, 0, nullptr, 0, nullptr), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_debug_values(session_, 0, 0, -1, 10, 0, &text_), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_debug_list(session_, 7, nullptr, nullptr, 10, &text_), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_debug_list(session_, 0, "[", nullptr, 10, &text_), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_debug_save(session_, ""), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_debug_save(session_, "/no/such/folder/t.jsonl"), DDTSCOPE_ERR_OTHER);
  EXPECT_EQ(ddtscope_debug_check(nullptr, &text_), DDTSCOPE_ERR_ARG);
  EXPECT_EQ(ddtscope_debug_open(nullptr, nullptr, 0, nullptr, &session_), DDTSCOPE_ERR_ARG);
  uint64_t address = 0;
  EXPECT_EQ(ddtscope_debug_find(read_image, &image_, nullptr, 0, &address), DDTSCOPE_ERR_OTHER);
}

TEST_F(DebugApi, ANameThatWasGivenSinceIsAChange) {
  trace::DebugView view;
  std::memcpy(&view, image_.bytes.data(), sizeof view);
  trace::DebugArena arena;
  for (std::uint64_t address = view.first_arena; address != 0; address = arena.next) {
    char* const at = image_.bytes.data() + (address - DebugImage::base);
    std::memcpy(&arena, at, sizeof arena);
    for (const int more : {64, 0}) {
      trace::DebugArena changed = arena;
      changed.used += static_cast<std::uint64_t>(more);
      std::memcpy(at, &changed, sizeof changed);
      int is_current = -1;
      ASSERT_EQ(ddtscope_debug_is_current(session_, DebugImage::handle_of(0), &is_current), DDTSCOPE_SUCCESS);
      EXPECT_EQ(is_current, more == 0 ? 1 : 0);
    }
  }
}

TEST_F(DebugApi, CountersOfACoreMustFitItsHandles) {
  const DebugImage fitting(trace_file, {.counters = ImageOptions::Counters::fitting});
  for (const bool fits : {true, false}) {
    DebugImage image = fitting;
    if (!fits) ++image.counters[offsetof(trace::CounterRecord, freed)];
    ddtscope_debug* core = nullptr;
    ASSERT_EQ(ddtscope_debug_open_core(read_image, &image, image.view, "core", &core), DDTSCOPE_SUCCESS);
    const char* notes = nullptr;
    ASSERT_EQ(ddtscope_debug_notes(core, &notes), DDTSCOPE_SUCCESS);
    EXPECT_EQ(std::string(notes).find("do not fit the handles") == std::string::npos, fits) << notes;
    ddtscope_debug_close(&core);
  }
}

TEST_F(DebugApi, WhatHasChangedIsTold) {
  int is_current = 0;
  ASSERT_EQ(ddtscope_debug_is_current(session_, DebugImage::handle_of(0), &is_current), DDTSCOPE_SUCCESS);
  EXPECT_EQ(is_current, 1);
  change_slot(image_, DebugImage::handle_of(0),
              [](trace::DebugHandle& slot) { slot.state = trace::DebugHandleState::dead; });
  ASSERT_EQ(ddtscope_debug_is_current(session_, DebugImage::handle_of(0), &is_current), DDTSCOPE_SUCCESS);
  EXPECT_EQ(is_current, 0);
}

TEST(DebugApiOnDamage, EveryQuestionIsAnsweredOrRefused) {
  const DebugImage whole(trace_file);
  std::minstd_rand random(6);  // NOLINT(cert-msc51-cpp): the same damage every time
  for (int i = 0; i < 200; ++i) {
    DebugImage image = whole;
    for (auto flips = random() % 6 + 1; flips != 0; --flips) {
      char& byte = image.bytes[random() % image.bytes.size()];
      byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1U << random() % 8));
    }
    ddtscope_debug* session = nullptr;
    if (ddtscope_debug_open(read_image, &image, image.view, "image", &session) != DDTSCOPE_SUCCESS) {
      EXPECT_STRNE(ddtscope_debug_message(nullptr), "");
      continue;
    }
    const char* text = nullptr;
    EXPECT_EQ(ddtscope_debug_list(session, DDTSCOPE_DEBUG_ALL, nullptr, nullptr, 100, &text), DDTSCOPE_SUCCESS);
    EXPECT_EQ(ddtscope_debug_check(session, &text), DDTSCOPE_SUCCESS);
    for (std::uint32_t line = 0; line < 4; ++line) {
      ddtscope_debug_type type{};
      ASSERT_EQ(ddtscope_debug_find_handle(session, DebugImage::handle_of(line), &type), DDTSCOPE_SUCCESS);
      ASSERT_EQ(ddtscope_debug_line(session, &type, &text), DDTSCOPE_SUCCESS);
      if (type.number == DDTSCOPE_DEBUG_NO_TYPE) continue;
      EXPECT_EQ(ddtscope_debug_show(session, type.number, nullptr, 5, &text), DDTSCOPE_SUCCESS);
      EXPECT_EQ(ddtscope_debug_values(session, type.number, DebugImage::base, 2, 50, 1, &text), DDTSCOPE_SUCCESS);
      EXPECT_EQ(ddtscope_debug_where(session, type.number, DebugImage::base, 2, DebugImage::base + 7, &text),
                DDTSCOPE_SUCCESS);
      EXPECT_EQ(ddtscope_debug_code(session, type.number, &text), DDTSCOPE_SUCCESS);
    }
    ddtscope_debug_close(&session);
    EXPECT_EQ(session, nullptr);
  }
}

template <class Value>
std::string shown(const char* name, Value value) {
  PredefinedType type;
  type.name = name;
  type.size = sizeof value;
  return text_of_value(type, {reinterpret_cast<const char*>(&value), sizeof value}, LDBL_MANT_DIG);
}

/// Of 16 bytes, the lower half first.
std::string shown_halves(const char* name, std::uint64_t lower, std::uint64_t upper, int long_double_digits) {
  const std::uint64_t halves[] = {lower, upper};
  PredefinedType type;
  type.name = name;
  type.size = sizeof halves;
  return text_of_value(type, {reinterpret_cast<const char*>(halves), sizeof halves}, long_double_digits);
}

TEST(BasicValue, IsWrittenAsTheLanguageHasIt) {
  EXPECT_EQ(shown("MPI_INT", -5), "-5");
  EXPECT_EQ(shown("MPI_UNSIGNED", 4294967295U), "4294967295");
  EXPECT_EQ(shown("MPI_DOUBLE", 0.1), "0.1");
  EXPECT_EQ(shown("MPI_FLOAT", 0.1F), "0.1");
  EXPECT_EQ(shown("MPI_LONG_DOUBLE", 0.5L), "0.5");
  EXPECT_EQ(shown("MPI_CHAR", 'h'), "104 'h'");
  EXPECT_EQ(shown("MPI_CHAR", '\n'), "10");
  EXPECT_EQ(shown("MPI_C_BOOL", true), "true");
  EXPECT_EQ(shown("MPI_LOGICAL", std::int32_t{0}), "false");
  EXPECT_EQ(shown("MPI_BYTE", static_cast<unsigned char>(0xa5)), "0xa5");
  const double wave[] = {1.5, -2};
  PredefinedType complex;
  complex.name = "MPI_DOUBLE_COMPLEX";
  EXPECT_EQ(text_of_value(complex, {reinterpret_cast<const char*>(wave), sizeof wave}, LDBL_MANT_DIG), "(1.5, -2)");
  EXPECT_EQ(shown("F90_REAL(15,307)", 2.5), "2.5");
  EXPECT_EQ(shown("MPI_SOMETHING_NEW", std::uint16_t{0x1234}), "0x3412");
}

TEST(BasicValue, LongDoubleHasTheFormatOfTheProcess) {
  const std::uint64_t whole = std::uint64_t{1} << 63;  // the first digit, which x86's format writes down
  EXPECT_EQ(shown_halves("MPI_LONG_DOUBLE", whole | whole >> 1, 0x3FFF, 64), "1.5");
  EXPECT_EQ(shown_halves("MPI_LONG_DOUBLE", whole, 0xC000, 64), "-2");
  EXPECT_EQ(shown_halves("MPI_LONG_DOUBLE", 0, 0, 64), "0");
  EXPECT_EQ(shown_halves("MPI_LONG_DOUBLE", whole, 0xFFFF, 64), "-inf");
  EXPECT_EQ(shown_halves("MPI_LONG_DOUBLE", whole | 1, 0x7FFF, 64), "nan");
  EXPECT_EQ(shown_halves("MPI_LONG_DOUBLE", whole, 0x3FFF, 113), shown_halves("MPI_REAL16", whole, 0x3FFF, 64));
  EXPECT_EQ(shown_halves("MPI_LONG_DOUBLE", 0, 0x3FFF800000000000, 113), "1.5");
  EXPECT_EQ(shown_halves("MPI_REAL16", 0, 0x3FFF800000000000, 64), "1.5") << "Fortran's is the same everywhere";
  EXPECT_EQ(shown_halves("MPI_LONG_DOUBLE", 0, 0x3FFF800000000000, 106), "0x0000000000000000000000000080ff3f");
  // What x86's format has, in full: the rest of the 16 bytes says nothing.
  EXPECT_EQ(shown_halves("MPI_LONG_DOUBLE", whole, 0xABCD00003FFF, 64), "1");
}

TEST(BasicValue, WhichFormatThatIsTheViewTells) {
  for (const std::uint32_t told : {64U, 113U, 0U}) {
    const DebugImage image(trace_file, {.long_double_digits = told});
    const auto session = DebugSession::open(image.reader(), image.view, "image", Instant::now);
    ASSERT_TRUE(std::holds_alternative<std::unique_ptr<DebugSession>>(session)) << std::get<std::string>(session);
    EXPECT_EQ(std::get<0>(session)->long_double_digits(), told == 0 ? LDBL_MANT_DIG : static_cast<int>(told));
  }
}

}  // namespace
}  // namespace ddtscope::reporters::debugger_test
