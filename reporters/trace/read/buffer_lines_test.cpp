// Lines that say where buffers were.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "reporters/trace/read/file_at_its_end.h"
#include "reporters/trace/read/lines_fixture.h"

namespace ddtscope::buffer_lines_test {
namespace {

/// A golden trace, and lines behind it or behind its header.
class BufferLines : public test::LinesFixture {
 protected:
  static std::string line(int id, const std::string& place, const std::string& argument = "datatype") {
    return R"({"record":"buffer","id":)" + std::to_string(id) +
           R"(,"type":"MPI_INT","elements":10,"called":"MPI_Send","binding":"c","argument":")" + argument +
           R"(","site":null,)" + place + "}\n";
  }
  BufferPlace place(const std::string& member) {
    FileAtItsEnd sink;
    const auto problem = read_text(text_ + line(0, member), sink);
    EXPECT_FALSE(problem) << problem->sentence;
    return sink.known.buffers.empty() ? BufferPlace(NoPlace{"no line was read"}) : sink.known.buffers[0].place;
  }
  /// With these words.
  void refused(const std::string& line, const std::string& words) {
    FileAtItsEnd sink;
    const auto problem = read_text(header_line() + line, sink);
    ASSERT_TRUE(problem) << "accepted: " << line;
    EXPECT_NE(problem->sentence.find("rank-0.jsonl:2: "), std::string::npos) << problem->sentence;
    EXPECT_NE(problem->sentence.find(words), std::string::npos) << problem->sentence;
  }
};

TEST_F(BufferLines, SayWhatTheBufferWasGivenFor) {
  FileAtItsEnd sink;
  const auto problem = read_text(
      text_ + R"({"record":"buffer","id":0,"type":0,"elements":"18446744073709551615","called":"MPI_Alltoallw",)" +
          R"("binding":"mpi_f08","argument":"recvtypes","position":3,"site":2,"none":"why"})" + "\n",
      sink);
  ASSERT_FALSE(problem) << problem->sentence;
  ASSERT_EQ(sink.known.buffers.size(), 1u);
  const BufferRecord& buffer = sink.known.buffers[0];
  EXPECT_EQ(std::get<DefinitionNumber>(buffer.type), DefinitionNumber{0});
  EXPECT_EQ(buffer.elements, UINT64_MAX);
  EXPECT_EQ(buffer.called, "MPI_Alltoallw");
  EXPECT_EQ(buffer.binding, "mpi_f08");
  EXPECT_EQ(buffer.parameter, trace::UseParameter::recvtypes);
  EXPECT_EQ(buffer.position, 3u);
  EXPECT_EQ(buffer.site, FrameNumber{2});
  EXPECT_EQ(std::get<NoPlace>(buffer.place).why, "why");
}

TEST_F(BufferLines, SayWhereItWas) {
  EXPECT_EQ(place(R"("static":[0,"18446744073709551615"])"),
            (BufferPlace(StaticPlaceIn<ModuleNumber>{{0}, UINT64_MAX})));
  EXPECT_EQ(place(R"("stack":[2,-80])"), (BufferPlace(StackPlace{2, -80, {}})));
  EXPECT_EQ(place(R"("stack":[0,-80],"stack_pointer":-128)"), (BufferPlace(StackPlace{0, -80, -128})));
  EXPECT_EQ(place(R"("stack":[1,-80],"held":{"slots":[[1,-24,null]],"registers":[[1,3,null]]})"),
            (BufferPlace(StackPlace{1, -80, {}, {{1, -24, {}, 0}}, {{1, 3, {}, 0}}})));
  EXPECT_EQ(place(R"("thread":[0,16])"), (BufferPlace(ThreadPlaceIn<ModuleNumber>{{0}, 16})));
  const HeapPlace heap{{{0, -24, {}, 0}, {1, -8, 16, -8}}, {{0, 3, {}, 32}}, {{0, 0, {}, 0}, {0, 1, 8, 4}}, {{32, 96}}};
  EXPECT_EQ(place(R"("heap":{"slots":[[0,-24,null],[1,-8,16,-8]],"registers":[[0,3,null,32]],)"
                  R"("arguments":[[0,null],[1,8,4]],"block":[32,96]})"),
            BufferPlace(heap));
  EXPECT_EQ(place(R"("heap":{"slots":[],"registers":[],"arguments":[],"block":null})"), BufferPlace(HeapPlace{}));
}

TEST_F(BufferLines, SayWhatACompilersDescriptorSaid) {
  const auto descriptor = [&](const std::string& member) {
    FileAtItsEnd sink;
    const auto problem = read_text(text_ + line(0, member + R"("none":"why")"), sink);
    EXPECT_FALSE(problem) << problem->sentence;
    return sink.known.buffers.empty() ? std::nullopt : sink.known.buffers[0].descriptor;
  };
  EXPECT_EQ(descriptor(""), std::nullopt);
  EXPECT_EQ(descriptor(R"("descriptor":["real",8,false],)"),
            (ArrayDescriptor{ArrayDescriptor::Element::real, 8, false}));
  EXPECT_EQ(descriptor(R"("descriptor":["derived",40,true],)"),
            (ArrayDescriptor{ArrayDescriptor::Element::derived, 40, true}));
}

TEST_F(BufferLines, AreRefusedWhereTheyMakeNoSense) {
  for (const char* descriptor :
       {R"(["real",8])", R"(["double",8,false])", R"(["real",-8,false])", R"(["real",8,1])", "7"}) {
    refused(line(0, R"("descriptor":)" + std::string(descriptor) + R"(,"none":"why")"),
            "\"descriptor\" must be [kind of element, its bytes, whether it is a section]");
  }
  refused(line(0, R"("thread":[7,1])"), "\"thread\" must be [module that stands above this line, offset]");
  refused(line(1, R"("none":"why")"), "buffer 1 stands where buffer 0 must come");
  refused(line(0, R"("none":"why")", "buf"), "\"argument\" must be a parameter that names a datatype");
  refused(line(0, R"("elsewhere":1)"), "one of the members \"static\"");
  refused(line(0, R"("static":[0,1])"), "\"static\" must be [module that stands above this line, offset]");
  for (const char* stack : {"[1]", "[-1,0]", "[0,null]", "[0,0,0]", "[1048576,0]", "7"}) {
    refused(line(0, R"("stack":)" + std::string(stack)), "\"stack\" must be [frame, distance]");
  }
  const auto heap = [](const std::string& slots, const std::string& arguments, const std::string& block) {
    return line(0, R"("heap":{"slots":)" + slots + R"(,"registers":[],"arguments":)" + arguments + R"(,"block":)" +
                       block + "}");
  };
  for (const char* slot : {"[[0,1]]", "[[0,null,1]]", "[[-1,1,1]]", "[[0,1,1,null]]", "[[0,1,1,1,1]]", "[8]"}) {
    refused(heap(slot, "[]", "null"), "heap.slots must hold [frame, place, offset or null]");
  }
  refused(heap("[]", "[[0]]", "null"), "heap.arguments must hold [place, offset or null]");
  refused(heap("[]", "[]", "[1]"), "heap.block must be null or [offset, usable bytes]");
}

}  // namespace
}  // namespace ddtscope::buffer_lines_test
