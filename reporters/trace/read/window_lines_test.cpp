// Lines that say what one-sided calls reach, and in which windows.
#include <gtest/gtest.h>

#include <string>

#include "reporters/trace/read/file_at_its_end.h"
#include "reporters/trace/read/lines_fixture.h"

namespace ddtscope::window_lines_test {
namespace {

class WindowLines : public test::LinesFixture {
 protected:
  /// The line with this number is, with these words.
  void refused(const std::string& text, int line, const std::string& words) {
    FileAtItsEnd sink;
    const auto problem = read_text(text, sink);
    ASSERT_TRUE(problem) << "accepted: " << text.substr(text.find('\n'));
    EXPECT_NE(problem->sentence.find("rank-0.jsonl:" + std::to_string(line) + ": "), std::string::npos)
        << problem->sentence;
    EXPECT_NE(problem->sentence.find(words), std::string::npos) << problem->sentence;
  }
  static std::string window(const std::string& members) {
    return R"({"record":"window",)" + members + R"(,"called":"MPI_Win_create","binding":"c","site":null})" + "\n";
  }
  static std::string accesses(const std::string& members) {
    return R"({"record":"accesses",)" + members +
           R"(,"type":"MPI_INT","elements":4,"called":"MPI_Put","binding":"c","site":null})" + "\n";
  }
  const std::string first_ = R"("id":0,"name":"00ff00ff00ff00ff",)";
};

TEST_F(WindowLines, SayWhatIsReached) {
  FileAtItsEnd sink;
  const auto problem = read_text(
      header_line() + window(first_ + R"("flavour":"create","size":800,"displacement_unit":8)") +
          window(R"("id":1,"name":"00ff00ff00ff00fe","flavour":"dynamic","size":null,"displacement_unit":null)") +
          accesses(
              R"("window":1,"target":3,"argument":"target_datatype","lowest":-2,"highest":"9223372036854775807","count":7)"),
      sink);
  ASSERT_FALSE(problem) << problem->sentence;
  const auto& windows = sink.known.windows;
  ASSERT_EQ(windows.size(), 2u);
  EXPECT_EQ(windows[0].name, Key{0x00FF00FF00FF00FF});
  EXPECT_EQ(windows[0].flavour, WindowFlavour::create);
  EXPECT_EQ(windows[0].size, 800);
  EXPECT_EQ(windows[0].displacement_unit, 8);
  EXPECT_EQ(windows[1].flavour, WindowFlavour::dynamic);
  EXPECT_FALSE(windows[1].size);
  ASSERT_EQ(sink.known.accesses.size(), 1u);
  const AccessesRecord& accesses = sink.known.accesses[0];
  EXPECT_EQ(accesses.window, WindowNumber{1});
  EXPECT_EQ(accesses.target, 3);
  EXPECT_EQ(accesses.elements, 4u);
  EXPECT_EQ(accesses.parameter, trace::UseParameter::target_datatype);
  EXPECT_EQ(accesses.lowest, -2);
  EXPECT_EQ(accesses.highest, INT64_MAX);
  EXPECT_EQ(accesses.count, 7u);
}

TEST_F(WindowLines, AreRefusedWhereTheyMakeNoSense) {
  const std::string head = header_line();
  const std::string memory = R"("size":8,"displacement_unit":1)";
  refused(head + window(R"("id":1,"name":"00ff00ff00ff00ff","flavour":"create",)" + memory), 2,
          "window 1 stands where");
  refused(head + window(R"("id":0,"name":"00ff","flavour":"create",)" + memory), 2, "\"name\" must be 16 digits");
  refused(head + window(first_ + R"("flavour":"huge",)" + memory), 2, "\"flavour\" must be");
  refused(head + window(first_ + R"("flavour":"dynamic",)" + memory), 2, "\"size\" must be");
  refused(head + window(first_ + R"("flavour":"create","size":-1,"displacement_unit":1)"), 2, "\"size\" must be");
  refused(head + window(first_ + R"("flavour":"create","size":8,"displacement_unit":null)"), 2,
          "\"displacement_unit\" must be");
  for (const char* const unit : {"0", "-8"}) {
    refused(head + window(first_ + R"("flavour":"create","size":8,"displacement_unit":)" + unit), 2,
            "\"displacement_unit\" must be a number of bytes that is 1 or more");
  }
  const std::string above = head + window(first_ + R"("flavour":"create",)" + memory);
  const std::string places = R"("argument":"datatype","lowest":0,"highest":1,"count":2)";
  refused(above + accesses(R"("window":1,"target":0,)" + places), 3, "names window 1, but only 1 stand");
  refused(above + accesses(R"("window":0,"target":-1,)" + places), 3, "\"target\" must be a rank");
  refused(above + accesses(R"("window":0,"target":0,"argument":"buffer","lowest":0,"highest":1,"count":2)"), 3,
          "\"argument\" must be");
  refused(above + accesses(R"("window":0,"target":0,"argument":"datatype","lowest":2,"highest":1,"count":2)"), 3,
          "\"highest\" must be");
}

TEST_F(WindowLines, SayWhatWasDone) {
  FileAtItsEnd sink;
  const std::string synchronisation = R"(,"called":"MPI_Win_lock","binding":"c","site":null})"
                                      "\n";
  const std::string event = R"({"record":"window_event","id":)";
  const std::string access =
      R"(,"type":"MPI_INT","elements":4,"called":"MPI_Accumulate","binding":"c","argument":"target_datatype")";
  const auto problem =
      read_text(header_line() + window(first_ + R"("flavour":"create","size":800,"displacement_unit":8)") + event +
                    R"(0,"kind":"lock","target":3,"exclusive":true,"assert":["nocheck"])" + synchronisation + event +
                    R"(1,"kind":"access","target":3,"displacement":-2,"times":5,"step":-8)" + access +
                    R"(,"op":"MPI_SUM","site":null})" + "\n" + event + R"(2,"kind":"flush","target":null)" +
                    synchronisation + event + R"(3,"kind":"start","group":[[0,4,2]],"assert":[])" + synchronisation +
                    event + R"(4,"kind":"ordering","accumulate_ordering":["raw","waw"])" + synchronisation +
                    R"({"record":"sequence","id":0,"of":"window_events","operations":[0,[7,[1,2]],3]})" + "\n" +
                    R"({"record":"epochs","window":0,"sequence":0,"undecided":[16,"memory"]})" + "\n" +
                    R"({"record":"attached","window":0,"ranges":[[-8,8],["9223372036854775799",8]]})" + "\n" +
                    R"({"record":"window_name","window":0,"name":"the \"halo\""})" + "\n",
                sink);
  ASSERT_FALSE(problem) << problem->sentence;
  const auto& events = sink.known.window_events;
  ASSERT_EQ(events.size(), 5u);
  EXPECT_EQ(events[0].kind, WindowEventKind::lock);
  EXPECT_EQ(events[0].target, 3);
  EXPECT_TRUE(events[0].is_exclusive);
  EXPECT_EQ(events[0].asserts.set, WindowAsserts::nocheck);
  EXPECT_EQ(events[1].displacement, -2);
  EXPECT_EQ(events[1].times, 5u);
  EXPECT_EQ(events[1].step, -8);
  EXPECT_EQ(events[1].op, "MPI_SUM");
  EXPECT_EQ(events[1].elements, 4u);
  EXPECT_EQ(events[1].parameter, trace::UseParameter::target_datatype);
  EXPECT_FALSE(events[2].target);
  EXPECT_EQ(events[3].group, (GroupRuns{{0, 4, 2}}));
  EXPECT_EQ(events[4].ordering.set, AccumulateOrdering::raw | AccumulateOrdering::waw);
  EXPECT_EQ(sink.known.sequences[0].of, SequenceOf::window_events);
  ASSERT_EQ(sink.known.epochs.size(), 1u);
  EXPECT_EQ(sink.known.epochs[0].window, WindowNumber{0});
  EXPECT_EQ(sink.known.epochs[0].undecided->operation, 16u);
  ASSERT_EQ(sink.known.window_names.size(), 1u);
  EXPECT_EQ(sink.known.window_names[0].name, "the \"halo\"");
  ASSERT_EQ(sink.known.attached.size(), 1u);
  EXPECT_EQ(sink.known.attached[0].ranges, (std::vector<AttachedRange>{{-8, 8}, {INT64_MAX - 8, 8}}));
}

TEST_F(WindowLines, AreRefusedWhereNothingCanHaveBeenDoneSo) {
  const std::string above = header_line() + window(first_ + R"("flavour":"create","size":8,"displacement_unit":1)");
  const auto event = [](const std::string& members) {
    return R"({"record":"window_event","id":0,)" + members + R"(,"called":"MPI_Put","binding":"c","site":null})" + "\n";
  };
  const std::string access = R"("kind":"access","target":0,"type":"MPI_INT","elements":1,"argument":"datatype",)";
  refused(above + event(R"("kind":"wink")"), 3, "\"kind\" must be");
  refused(above + event(R"("kind":"lock","target":null,"exclusive":true,"assert":[])"), 3, "\"target\" must be");
  refused(above + event(R"("kind":"unlock","target":-1)"), 3, "\"target\" must be a rank");
  refused(above + event(R"("kind":"fence","assert":["maybe"])"), 3, "\"assert\" must be");
  refused(above + event(R"("kind":"ordering","accumulate_ordering":["wow"])"), 3, "\"accumulate_ordering\" must be");
  refused(above + event(R"("kind":"ordering")"), 3, "\"accumulate_ordering\"");
  refused(above + event(R"("kind":"post","group":[[0,1]],"assert":[])"), 3, "\"group\" must hold");
  refused(above + event(access + R"("displacement":0,"times":1,"step":1)"), 3, "\"times\" must be");
  refused(above + event(access + R"("displacement":0,"times":2,"step":0)"), 3, "\"times\" must be");
  refused(above + event(access + R"("displacement":"9223372036854775807","times":2,"step":1)"), 3, "\"times\" must be");
  const std::string known = above + event(R"("kind":"complete")");
  const auto sequence = [](const std::string& members) { return R"({"record":"sequence","id":0,)" + members + "}\n"; };
  refused(known + sequence(R"("of":"windows","operations":[0])"), 4, "\"of\" must be");
  refused(known + sequence(R"("of":"window_events","operations":[1])"), 4, "\"operations\" must hold");
  refused(known + sequence(R"("operations":[])") + R"({"record":"epochs","window":0,"sequence":0})" + "\n", 5,
          "\"sequence\" must be");
  refused(known + R"({"record":"window_name","window":1,"name":"halo"})" + "\n", 4, "\"window\" names window 1");
  refused(known + R"({"record":"window_name","window":0,"name":null})" + "\n", 4, "\"name\" must be");
  refused(known + R"({"record":"attached","window":0,"ranges":[[0,8],[4,8]]})" + "\n", 4, "\"ranges\" must be");
}

}  // namespace
}  // namespace ddtscope::window_lines_test
