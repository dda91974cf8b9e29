// Debugging information by hand: questions about what no compiler writes end, and what is sound in it is found. What
// never ends fails by the test's time limit.
#include <dlfcn.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "reporters/source/program_variables.h"
#include "reporters/source/records_of_program.h"
#include "reporters/source/struct_scalars.h"

namespace ddtscope::reporters::program_by_hand_test {
namespace {

const std::string program_by_hand = DDTSCOPE_PROGRAM_BY_HAND;

/// Where the function is, in the module's own address space.
std::uint64_t place_of_function() {
  void* const module = dlopen(program_by_hand.c_str(), RTLD_NOW | RTLD_LOCAL);
  Dl_info where = {};
  void* const function = module == nullptr ? nullptr : dlsym(module, "only_function");
  EXPECT_TRUE(function != nullptr && dladdr(function, &where) != 0) << dlerror();
  const auto place = reinterpret_cast<std::uintptr_t>(function) - reinterpret_cast<std::uintptr_t>(where.dli_fbase);
  if (module != nullptr) dlclose(module);
  return place;
}

std::vector<FoundObject> pointed_to_by_slot(ProgramVariables& variables, std::int64_t slot) {
  const ProgramFrame frame{place_of_function() + 4, {}};
  return variables.pointed_to(frame, {FrameValue::Where::slot, slot, {}, 0});
}

TEST(ProgramByHand, APointerAmongBlocksThatAreTheirOwnSiblingsIsFound) {
  ProgramVariables variables(program_by_hand, std::nullopt);
  EXPECT_EQ(variables.problem(), "");
  const auto found = pointed_to_by_slot(variables, -40);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, "sound");
  EXPECT_EQ(found[0].declaration, "type(sound) *sound");
  EXPECT_TRUE(found[0].is_pointee);
  EXPECT_FALSE(found[0].may_be_left_over) << "a function within this one has a frame of its own";
}

TEST(ProgramByHand, ARecordThatHoldsItselfFourTimesHasNoPointer) {
  ProgramVariables variables(program_by_hand, std::nullopt);
  for (const std::int64_t slot : {-64, -56, -48}) EXPECT_TRUE(pointed_to_by_slot(variables, slot).empty()) << slot;
}

TEST(ProgramByHand, NoStaticVariableIsFound) {
  ProgramVariables variables(program_by_hand, std::nullopt);
  EXPECT_TRUE(variables.in_static_memory(place_of_function()).empty());
}

TEST(ProgramByHand, ItsRecordsAreFoundOnce) {
  SourceProgram program(program_by_hand);
  const auto read = program.records([](const RecordHead&) { return true; });
  ASSERT_TRUE(std::holds_alternative<std::vector<NamedRecord>>(read)) << std::get<std::string>(read);
  std::vector<std::string> names;
  for (const NamedRecord& record : std::get<0>(read)) names.push_back(record.name);
  EXPECT_EQ(names, (std::vector<std::string>{"sound", "knot"}));
}

SourceTypePtr record_of(std::vector<SourceMember> members, std::int64_t size) {
  return std::make_shared<SourceType>(SourceType{"record", size, SourceRecord{std::move(members)}});
}

TEST(ScalarsOf, EmptyStructsHaveNone) {
  const std::int64_t length = std::int64_t{1} << 40;
  const SourceType array{{}, length, SourceArray{record_of({}, 1), {{0, length}}}};
  const StructScalars scalars = scalars_of(array, 16);
  EXPECT_TRUE(scalars.scalars.empty());
  EXPECT_FALSE(scalars.is_whole);
}

TEST(ScalarsOf, RecordsThatHoldAnotherTwiceEndAtDepth100) {
  SourceTypePtr type = record_of({}, 1);
  for (int depth = 0; depth < 100; ++depth) type = record_of({{"a", 0, type}, {"b", 0, type}}, 1);
  EXPECT_FALSE(scalars_of(*type, 16).is_whole);
  EXPECT_TRUE(is_same(*type, *type));
}

TEST(ScalarsOf, EmptyMembersDoNotHideThoseBehindThem) {
  std::vector<SourceMember> members;
  for (int i = 0; i < 40; ++i) members.push_back({"e" + std::to_string(i), 0, record_of({}, 1)});
  const auto number =
      std::make_shared<SourceType>(SourceType{"int", 4, SourceScalar{ScalarKind::signed_integer, "MPI_INT"}});
  members.push_back({"x", 4, number});
  const StructScalars scalars = scalars_of(*record_of(std::move(members), 8), 1);
  ASSERT_EQ(scalars.scalars.size(), 1U);
  EXPECT_EQ(scalars.scalars[0].path, "x");
  EXPECT_TRUE(scalars.is_whole);
}

}  // namespace
}  // namespace ddtscope::reporters::program_by_hand_test
