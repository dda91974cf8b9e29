// Buffers against variables: what a datatype may stand for by the standard (MPI-4.1 3.3.1) and the language's own
// representation, and how far it may reach.
#include "reporters/buffers/object_comparison.h"

#include <gtest/gtest.h>

#include "reporters/buffers/findings_of_buffers.h"
#include "reporters/model/job_fixture.h"

namespace ddtscope::reporters::object_comparison_test {
namespace {

SourceTypePtr number(const char* name, std::int64_t size, ScalarKind kind) {
  return std::make_shared<SourceType>(SourceType{name, size, SourceScalar{kind, {}}});
}
const SourceTypePtr a_double = number("double", 8, ScalarKind::floating);
const SourceTypePtr an_int = number("int", 4, ScalarKind::signed_integer);
const SourceTypePtr a_long = number("long int", 8, ScalarKind::signed_integer);
const SourceTypePtr a_char = number("char", 1, ScalarKind::character);

SourceTypePtr array_of(const SourceTypePtr& element, const std::vector<std::int64_t>& lengths) {
  SourceArray array{element, {}, false};
  std::int64_t size = element->size;
  for (const std::int64_t length : lengths) {
    array.dimensions.push_back({0, length});
    size *= length;
  }
  return std::make_shared<SourceType>(SourceType{{}, size, std::move(array)});
}
SourceTypePtr record(std::int64_t size, std::vector<SourceMember> members) {
  SourceRecord made;
  made.members = std::move(members);
  return std::make_shared<SourceType>(SourceType{"particle", size, std::move(made)});
}
FoundObject variable(const SourceTypePtr& type, std::int64_t place = 0) {
  FoundObject object;
  object.name = "x";
  object.type = type;
  object.place = place;
  return object;
}
FoundObject pointee(const SourceTypePtr& type, std::int64_t place = 0) {
  FoundObject object = variable(type, place);
  object.is_pointee = true;
  return object;
}

class ObjectComparisons : public test::JobFixture {
 protected:
  JobBuffer buffer(DefinitionId type, std::uint64_t elements, JobPlace place = StackPlace{}) {
    JobBuffer made;
    made.type = type;
    made.elements = elements;
    made.place = std::move(place);
    return made;
  }
  ObjectComparison compared(const char* type, std::uint64_t elements, const FoundObject& object) {
    return compare(job_, buffer(named(type), elements), object);
  }
  /// How severe it is to take one of these, in MPI_INT, for what is there.
  std::optional<Severity> severity_of_ints(std::vector<FoundObject> found) {
    const auto best = best_of(job_, buffer(named("MPI_INT"), 4, block(64, 128)), std::move(found));
    return best ? best->comparison.severity() : std::nullopt;
  }
  static FoundObject over(FoundObject object) {
    object.is_over = true;
    return object;
  }
  static FoundObject left_over(FoundObject object) {
    object.may_be_left_over = true;
    return object;
  }
  static FoundObject parameter(FoundObject object) {
    object.is_parameter = true;
    return object;
  }
  DefinitionId definition(TypeNumber type) { return job_.type(type).definition; }
  static JobPlace block(std::uint64_t offset, std::uint64_t usable) {
    HeapPlace place;
    place.block = {offset, usable};
    return place;
  }
};

TEST_F(ObjectComparisons, WhatFitsIsSilent) {
  EXPECT_FALSE(compared("MPI_DOUBLE", 8, variable(array_of(a_double, {8}))).severity());
  EXPECT_FALSE(compared("MPI_DOUBLE", 5, variable(array_of(a_double, {8}), 24)).severity());
  EXPECT_FALSE(compared("MPI_BYTE", 64, variable(array_of(a_double, {8}))).severity());
  EXPECT_FALSE(compared("MPI_PACKED", 3, variable(array_of(a_double, {8}))).severity());
  EXPECT_FALSE(compared("MPI_DOUBLE", 8, variable(array_of(a_char, {64}))).severity());
  EXPECT_FALSE(compared("MPI_DOUBLE", 1'000'000'000'000, pointee(a_double)).severity());
  EXPECT_FALSE(compared("MPI_INT", 8, variable(nullptr)).severity());
  EXPECT_FALSE(
      compared("MPI_DOUBLE_INT", 2, variable(array_of(record(16, {{"d", 0, a_double}, {"i", 8, an_int}}), {2})))
          .severity());
}

TEST_F(ObjectComparisons, TheFirstWrongEntryIsNamed) {
  const ObjectComparison sent = compared("MPI_INT", 10, variable(array_of(a_double, {8})));
  EXPECT_EQ(sent.severity(), Severity::error);
  ASSERT_EQ(sent.parts.size(), 1u);
  EXPECT_EQ(sent.parts[0].text, "MPI_INT at x[0] of type double: floating against integer");
  EXPECT_EQ(sent.touched.length(), 40);
  ASSERT_TRUE(sent.object);
  EXPECT_EQ(sent.object->length(), 64);
  const ObjectComparison later = compared("MPI_LONG", 2, variable(array_of(array_of(a_double, {3}), {4}), 40));
  ASSERT_EQ(later.parts.size(), 1u);
  EXPECT_EQ(later.parts[0].text, "MPI_LONG at x[1][2] of type double: floating against integer");
}

TEST_F(ObjectComparisons, EveryStrideIsFollowedHoweverLong) {
  // Every second int of an array of longs is the upper half of one.
  const DefinitionId column = definition(vector(1 << 30, 1, 3, "MPI_INT"));
  const ObjectComparison wrong = compare(job_, buffer(column, 1), pointee(an_int));
  EXPECT_FALSE(wrong.severity());
  EXPECT_EQ(compare(job_, buffer(column, 1), pointee(a_long)).severity(), Severity::error);
  const DefinitionId doubles = definition(vector(1 << 30, 2, 7));
  EXPECT_FALSE(compare(job_, buffer(doubles, 5), pointee(a_double)).severity());
  EXPECT_EQ(compare(job_, buffer(doubles, 5), pointee(a_double, 4)).severity(), Severity::error);
}

TEST_F(ObjectComparisons, BoundsAreThoseOfTheWholeVariable) {
  const ObjectComparison eleven = compared("MPI_INT", 11, variable(array_of(an_int, {10})));
  EXPECT_TRUE(eleven.is_too_small());
  EXPECT_TRUE(eleven.parts.empty());
  EXPECT_FALSE(compared("MPI_INT", 10, variable(array_of(an_int, {10}))).is_too_small());
  EXPECT_TRUE(compared("MPI_INT", 8, variable(array_of(an_int, {10}), 12)).is_too_small());
  // From one member into the next: still within the variable.
  const SourceTypePtr two = record(16, {{"a", 0, array_of(an_int, {2})}, {"b", 8, array_of(an_int, {2})}});
  EXPECT_FALSE(compared("MPI_INT", 4, variable(two)).severity());
  EXPECT_TRUE(compared("MPI_INT", 5, variable(two)).is_too_small());
}

TEST_F(ObjectComparisons, NothingIsKnownBehindWhatGoesOn) {
  const SourceTypePtr message = record(8, {{"n", 0, a_long}, {"data", 8, array_of(a_double, {0})}});
  EXPECT_FALSE(compared("MPI_DOUBLE", 10, variable(message, 8)).severity());
  FoundObject common = variable(array_of(an_int, {4}));
  common.is_part_of_common = true;
  EXPECT_FALSE(compared("MPI_INT", 8, common).severity());
  EXPECT_EQ(compared("MPI_FLOAT", 4, common).severity(), Severity::error);
}

TEST_F(ObjectComparisons, ABlockEndsWhereTheAllocatorSays) {
  const auto in_block = [&](std::uint64_t elements, std::uint64_t offset, std::uint64_t usable) {
    return compare(job_, buffer(named("MPI_DOUBLE"), elements, block(offset, usable)),
                   pointee(a_double, static_cast<std::int64_t>(offset)));
  };
  EXPECT_FALSE(in_block(12, 0, 96).severity());
  EXPECT_TRUE(in_block(13, 0, 96).is_too_small());
  EXPECT_FALSE(in_block(10, 16, 96).severity());
  EXPECT_TRUE(in_block(11, 16, 96).is_too_small());
  // The header of a block without pages of its own may be one that is no more.
  EXPECT_FALSE(in_block(13, 0, 88).severity());
}

// Whoever is over at the call may be what lay there before.
TEST_F(ObjectComparisons, WhatIsOverAccusesLast) {
  const FoundObject sizes = variable(array_of(a_long, {4}));
  const FoundObject numbers = variable(array_of(a_double, {4}));
  const FoundObject right = variable(array_of(an_int, {8}));
  FoundObject named_first = over(sizes);
  named_first.name = "before";
  for (const auto& found : {std::vector{named_first, numbers}, std::vector{numbers, named_first}}) {
    const auto best = best_of(job_, buffer(named("MPI_INT"), 4), found);
    ASSERT_TRUE(best);
    EXPECT_EQ(best->object.name, "x");
  }
  EXPECT_FALSE(severity_of_ints({left_over(numbers)})) << "which may be another one's value";
  EXPECT_EQ(severity_of_ints({over(numbers)}), Severity::error);
  EXPECT_FALSE(severity_of_ints({over(numbers), right}));
  EXPECT_FALSE(severity_of_ints({numbers, over(right)}));
}

// A part of a block may be lent as a void *, for whatever its user makes of it; but an argument is a void * in any
// case.
TEST_F(ObjectComparisons, LentMemoryIsWhatItsUserMakesOfIt) {
  const FoundObject pool = pointee(a_double, 64);
  EXPECT_EQ(severity_of_ints({pool}), Severity::error);
  EXPECT_FALSE(severity_of_ints({pool, pointee(nullptr)}));
  EXPECT_FALSE(severity_of_ints({pointee(nullptr), pool}));
  EXPECT_EQ(severity_of_ints({parameter(pointee(nullptr)), pool}), Severity::error);
  EXPECT_EQ(severity_of_ints({pointee(nullptr), pointee(a_double)}), Severity::error);
}

TEST_F(ObjectComparisons, APointerIsNotWhatItPointsTo) {
  const SourceTypePtr pointer = number("", 8, ScalarKind::pointer);
  const ObjectComparison passed = compared("MPI_DOUBLE", 1, variable(pointer));
  ASSERT_EQ(passed.parts.size(), 1u);
  EXPECT_EQ(passed.parts[0].verdict, Verdict::pointer);
  EXPECT_EQ(passed.severity(), Severity::error);
}

TEST_F(ObjectComparisons, StructsAreComparedMemberByMember) {
  const SourceTypePtr particle =
      record(32, {{"id", 0, a_long}, {"x", 8, array_of(a_double, {2})}, {"flags", 24, an_int}});
  Contents contents{{2, 1, 2}, {0, 8}, {}, {named("MPI_INT"), named("MPI_DOUBLE")}};
  const DefinitionId type = definition(make(Combiner::structure, contents));
  const ObjectComparison sent = compare(job_, buffer(type, 1), variable(particle));
  EXPECT_EQ(sent.severity(), Severity::error);
  ASSERT_EQ(sent.parts.size(), 2u);
  EXPECT_EQ(sent.parts[0].text, "MPI_INT at x.id of type long int: another size");
  EXPECT_EQ(sent.parts[1].text, "`flags` (int, 4 bytes at 24) is left out");
  contents.datatypes[0] = named("MPI_LONG");
  const DefinitionId partial = definition(make(Combiner::structure, contents));
  EXPECT_EQ(compare(job_, buffer(partial, 1), variable(particle)).severity(), Severity::note);
  const ObjectComparison several = compare(job_, buffer(partial, 3), variable(array_of(particle, {3})));
  EXPECT_EQ(several.severity(), Severity::warning);
  EXPECT_EQ(several.extent, "its extent is 24, sizeof is 32, and the call has 3 copies");
}

TEST_F(ObjectComparisons, AMemberThatIsAnArrayIsOneOfItsOwn) {
  const SourceTypePtr grid = record(8 + 8'000'000, {{"n", 0, a_long}, {"u", 8, array_of(a_double, {1000, 1000})}});
  EXPECT_FALSE(compared("MPI_DOUBLE", 1'000'000, variable(grid, 8)).severity());
  const ObjectComparison wrong = compared("MPI_LONG", 1000, variable(grid, 8 + 16'000));
  ASSERT_EQ(wrong.parts.size(), 1u);
  EXPECT_EQ(wrong.parts[0].text, "MPI_LONG at x.u[2][0] of type double: floating against integer");
}

TEST_F(ObjectComparisons, ArraysOfAnotherShapeAreSaid) {
  const FoundObject array = variable(array_of(an_int, {8, 10}));
  const auto subarray = [&](std::int64_t rows, std::int64_t columns, std::int32_t order) {
    return definition(make(Combiner::subarray, {{2, rows, columns, 4, 4, 1, 1, order}, {}, {}, {named("MPI_INT")}}));
  };
  const LibraryConstants& constants = job_.store.constants();
  EXPECT_FALSE(compare(job_, buffer(subarray(8, 10, constants.order_c), 1), array).severity());
  EXPECT_FALSE(compare(job_, buffer(subarray(10, 8, constants.order_fortran), 1), array).severity());
  const ObjectComparison swapped = compare(job_, buffer(subarray(10, 8, constants.order_c), 1), array);
  EXPECT_EQ(swapped.severity(), Severity::warning);
  EXPECT_EQ(swapped.shape, "the sizes of the subarray are those of the array in another order");
  EXPECT_FALSE(compare(job_, buffer(subarray(5, 16, constants.order_c), 1), array).severity());
  EXPECT_FALSE(compare(job_, buffer(definition(vector(8, 1, 10, "MPI_INT")), 1), array).severity());
  EXPECT_EQ(compare(job_, buffer(definition(vector(8, 1, 8, "MPI_INT")), 1), array).shape,
            "the stride is 8, but from one row to the next there are 10 elements");
  EXPECT_FALSE(compare(job_, buffer(definition(vector(4, 1, 20, "MPI_INT")), 1), array).severity());
}

}  // namespace
}  // namespace ddtscope::reporters::object_comparison_test
