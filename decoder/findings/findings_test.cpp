// Findings: for each kind types that have it, near misses that have not, and the numbers in the sentences.
#include "decoder/findings/findings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "decoder/findings/findings_fixture.h"

namespace ddtscope::test::findings_test {
namespace {

TEST_F(FindingsTest, TheKindsAreTheIssuesAndEachIsExplained) {
  const std::set<std::string_view> wanted = {
      "copies-overlap",     "entries-overlap", "gap-before-lb",    "negative-lb",        "missing-resize",
      "misaligned-members", "empty-type",      "empty-blocks",     "absolute-addresses", "exceeds-int",
      "not-portable",       "simpler-type",    "library-disagrees"};
  std::set<std::string_view> ids;
  for (const FindingKind& kind : finding_kinds()) {
    EXPECT_TRUE(ids.insert(kind.id).second) << kind.id;
    EXPECT_EQ(find_finding_kind(kind.id), &kind);
    EXPECT_LT(kind.title.size(), 60u) << kind.id;
    EXPECT_NE(kind.explanation.find("\n\n"), std::string_view::npos) << kind.id;
    EXPECT_NE(kind.example.find(';'), std::string_view::npos) << kind.id;
    EXPECT_EQ(kind.example.back(), '\n') << kind.id;
  }
  EXPECT_TRUE(std::includes(ids.begin(), ids.end(), wanted.begin(), wanted.end()));
  EXPECT_EQ(find_finding_kind("no-such-kind"), nullptr);
  EXPECT_EQ(find_finding_kind(""), nullptr);
}

TEST_F(FindingsTest, AnExplanationSaysWhenItIsLessThanTheWorst) {
  for (const FindingKind& kind : finding_kinds()) {
    EXPECT_LE(kind.least, kind.severity) << kind.id;
    if (kind.least == kind.severity) continue;
    EXPECT_NE(kind.explanation.find(text_of(kind.least)), std::string_view::npos) << kind.id;
    EXPECT_NE(kind.explanation.find("t is a"), std::string_view::npos) << kind.id;
  }
}

TEST_F(FindingsTest, PredefinedTypesHaveNone) {
  for (std::uint32_t i = 0; i < many_predefined_types().size(); ++i) EXPECT_TRUE(all(DefinitionId{i}).empty()) << i;
  EXPECT_TRUE(
      all(types.make_f90(Combiner::f90_real, {{15}, {307}}, {{}, PredefinedKind::basic, 8, 8, 8, {}, {}, 0})).empty());
}

TEST_F(FindingsTest, AlarmsStandBeforeNotes) {
  const DefinitionId id = types.structure({1, 0, 1, 1}, {-8, 0, 1, 2}, {mpi_char, mpi_int, mpi_double, mpi_double});
  const std::vector<Finding> findings = all(id);
  ASSERT_GE(findings.size(), 3u);
  EXPECT_EQ(findings[0].severity, Severity::warning);
  EXPECT_EQ(findings.back().severity, Severity::note);
  EXPECT_TRUE(std::is_sorted(findings.begin(), findings.end(),
                             [](const Finding& a, const Finding& b) { return a.severity > b.severity; }));
}

// ---- copies-overlap

TEST_F(FindingsTest, AnExtentThatIsTooSmallLaysEachCopyOverTheNext) {
  const DefinitionId id = types.resized(particle, 0, 8);
  EXPECT_EQ(severity(id, "copies-overlap"), "warning");
  EXPECT_EQ(
      message(id, "copies-overlap"),
      "Copies stand 8 bytes apart, but the data of one spans 38, from byte 0 to 38: each copy overlaps the next.");
  EXPECT_NE(advice(id, "copies-overlap").find("MPI_Type_create_resized(" + name(particle) + ", 0, 40)"),
            std::string::npos)
      << advice(id, "copies-overlap");
  EXPECT_EQ(severity(particle, "copies-overlap"), "");
  EXPECT_EQ(severity(types.resized(particle, 0, 40), "copies-overlap"), "");
  EXPECT_EQ(severity(types.resized(particle, 0, 38), "copies-overlap"), "");
  EXPECT_EQ(severity(types.resized(particle, 0, 37), "copies-overlap"), "warning");
  EXPECT_EQ(severity(types.resized(particle, 0, -8), "copies-overlap"), "warning");
  EXPECT_EQ(severity(types.resized(mpi_int, 0, 0), "copies-overlap"), "warning");
}

TEST_F(FindingsTest, AMatrixColumnResizedToOneElementIsNoted) {
  const DefinitionId column = types.vector(10, 1, 12, mpi_double);
  EXPECT_EQ(severity(column, "copies-overlap"), "");
  const DefinitionId unit = types.resized(column, 0, 8);
  EXPECT_EQ(severity(unit, "copies-overlap"), "note");
  EXPECT_EQ(message(unit, "copies-overlap"),
            "Copies stand 8 bytes apart, but the data of one spans 872, from byte 0 to 872: copy 12 is the first that "
            "touches bytes of copy 0.");
  EXPECT_NE(advice(unit, "copies-overlap").find("up to 12 copies"), std::string::npos);
  EXPECT_NE(advice(unit, "copies-overlap").find("872 + (N - 1) * 8 bytes"), std::string::npos);
}

TEST_F(FindingsTest, AnExtentThatCountsDisplacementsIsNoted) {
  // Tiles for MPI_Scatterv: displacements in elements, in rows, in structs.
  const DefinitionId tile = types.subarray({16, 16}, {4, 4}, {0, 0}, types.constants().order_c, mpi_double);
  EXPECT_EQ(severity(types.resized(tile, 0, 8), "copies-overlap"), "note");
  EXPECT_EQ(severity(types.resized(tile, 0, 32), "copies-overlap"), "note");
  EXPECT_EQ(severity(types.resized(tile, 0, 128), "copies-overlap"), "note");
  const DefinitionId of_structs = types.subarray({16, 16}, {4, 4}, {0, 0}, types.constants().order_c, inner);
  EXPECT_EQ(severity(types.resized(of_structs, 0, 16), "copies-overlap"), "note");
  EXPECT_EQ(severity(types.resized(of_structs, 0, 24), "copies-overlap"), "warning");
  EXPECT_EQ(severity(types.resized(tile, 0, 12), "copies-overlap"), "warning");
}

TEST_F(FindingsTest, AStructTakesItsBoundsFromResizedMembersOnly) {
  // struct { int id; struct Inner inner; int last; }
  const DefinitionId outer = types.structure({1, 1, 1}, {0, 8, 24}, {mpi_int, inner, mpi_int});
  EXPECT_EQ(severity(outer, "copies-overlap"), "warning");
  EXPECT_EQ(message(outer, "copies-overlap"),
            "Copies stand 16 bytes apart, but the data of one spans 28, from byte 0 to 28: each copy overlaps the "
            "next. Its bounds, 8 to 24, come from member 1 (" +
                name(inner) + "), which has explicit ones: members without do not count.");
  EXPECT_NE(advice(outer, "copies-overlap").find("MPI_Type_create_resized(" + name(outer) + ", 0, 32)"),
            std::string::npos);
  // The program that resizes the outer struct too has done what is to be done.
  const DefinitionId mended = types.resized(outer, 0, 32);
  EXPECT_EQ(severity(mended, "copies-overlap"), "");
  EXPECT_EQ(severity(outer, "copies-overlap"), "note");
  EXPECT_NE(message(outer, "copies-overlap").find("The program resizes it"), std::string::npos);
}

TEST_F(FindingsTest, OverlapOfCopiesIsToldWhereItArises) {
  const DefinitionId column = types.resized(types.vector(10, 1, 12, mpi_double), 0, 8);
  for (const DefinitionId id : {types.dup(column), types.contiguous(3, column), types.vector(2, 1, 3, column),
                                types.resized(types.dup(column), 4, 8)}) {
    EXPECT_EQ(severity(id, "copies-overlap"), "") << id.value;
  }
  EXPECT_EQ(severity(types.resized(column, 0, 16), "copies-overlap"), "note");
  EXPECT_EQ(severity(types.resized(column, 0, 872), "copies-overlap"), "");
  EXPECT_EQ(severity(types.resized(types.contiguous(0, mpi_int), 0, 0), "copies-overlap"), "");
}

TEST_F(FindingsTest, AResizeThatKeepsOverlappingCopiesKeepsTheWarning) {
  const DefinitionId outer = types.structure({1, 1}, {0, 8}, {mpi_int, inner});
  ASSERT_EQ(severity(outer, "copies-overlap"), "warning");
  const DefinitionId kept = types.resized(outer, 8, 16);
  EXPECT_EQ(severity(outer, "copies-overlap"), "note");
  EXPECT_EQ(severity(kept, "copies-overlap"), "warning");
  EXPECT_TRUE(advice(kept, "copies-overlap").starts_with("MPI_Type_create_resized(" + name(outer) + ", 0, 24) "));
  const DefinitionId kept_twice = types.resized(kept, 0, 16);
  EXPECT_EQ(severity(kept, "copies-overlap"), "note");
  EXPECT_EQ(severity(kept_twice, "copies-overlap"), "warning");
  EXPECT_EQ(severity(types.dup(kept_twice), "copies-overlap"), "");
}

TEST_F(FindingsTest, NothingIsAdvisedThatNoCallTakes) {
  DefinitionId id = mpi_double;
  for (int i = 0; i < 3; ++i) id = types.contiguous(2000000, id);
  types.layouts().observe(id, ObservedBounds{std::nullopt, 0, INT64_C(8659767778871345152), 0, std::nullopt});
  EXPECT_EQ(severity(id, "exceeds-int"), "error");
  EXPECT_EQ(severity(id, "copies-overlap"), "");
  EXPECT_EQ(severity(id, "library-disagrees"), "");
}

// One block stands twice in a copy of so many that the first copy to overlap another is searched for in vain. No two
// others are 5 to 19 bytes apart, so that the next copy, 12 bytes on, touches nothing of this one.
TEST_F(FindingsTest, WhatOverlapsWithinACopyIsNoOverlapOfNeighbours) {
  std::vector<std::int64_t> displacements;
  std::int64_t at = 31000000;
  for (std::uint32_t i = 0; i <= 300000; ++i) {
    displacements.push_back(at);
    if (i > 0) at -= 100 + (i * 2654435761U >> 13) % 5;
  }
  const DefinitionId blocks =
      types.make(Combiner::hindexed_block, Form::int_counts,
                 {{static_cast<std::int64_t>(displacements.size())}, {1}, displacements}, {mpi_double});
  const DefinitionId id = types.resized(blocks, 0, 12);
  EXPECT_EQ(severity(id, "copies-overlap"), "note");
  EXPECT_EQ(message(id, "copies-overlap").find("each copy overlaps the next"), std::string::npos)
      << message(id, "copies-overlap");
}

// ---- entries-overlap

TEST_F(FindingsTest, EntriesThatShareABytesAreNamed) {
  const DefinitionId id = types.vector(3, 4, 2, mpi_int);
  EXPECT_EQ(severity(id, "entries-overlap"), "warning");
  EXPECT_NE(message(id, "entries-overlap").find("more than once: by entry "), std::string::npos)
      << message(id, "entries-overlap");
  EXPECT_NE(advice(id, "entries-overlap").find("Blocks of 4 elements stand apart from a stride of 4 on."),
            std::string::npos);
  EXPECT_EQ(severity(types.vector(3, 4, 4, mpi_int), "entries-overlap"), "");

  const DefinitionId pieces = types.hindexed({1, 1, 1}, {0, 20, 3}, mpi_int);
  EXPECT_EQ(message(pieces, "entries-overlap"), "One copy touches byte 3 more than once: by entry 0 (" + name(pieces) +
                                                    " block 0 > MPI_INT at byte 0) and entry 2 (" + name(pieces) +
                                                    " block 2 > MPI_INT at byte 3).");
  EXPECT_EQ(severity(types.hindexed({1, 1, 1}, {0, 20, 4}, mpi_int), "entries-overlap"), "");
  EXPECT_EQ(severity(types.hvector(4, 1, 0, mpi_double), "entries-overlap"), "warning");
}

TEST_F(FindingsTest, OneBlockThatIsRepeatedAndOnlyReadIsANote) {
  const DefinitionId again = types.hvector(4, 1, 0, mpi_double);
  const DefinitionId listed = types.hindexed({2, 2}, {8, 8}, mpi_int);
  const DefinitionId mistaken = types.vector(3, 4, 2, mpi_int);
  const DefinitionId beside = types.hindexed({2, 2}, {8, 12}, mpi_int);
  bool is_read = false;
  sources.is_only_read = [&](DefinitionId) { return is_read; };
  EXPECT_EQ(severity(again, "entries-overlap"), "warning");
  EXPECT_EQ(severity(listed, "entries-overlap"), "warning");
  is_read = true;
  EXPECT_EQ(severity(again, "entries-overlap"), "note");
  EXPECT_NE(advice(again, "entries-overlap").find("only sent or written to files"), std::string::npos);
  EXPECT_EQ(severity(listed, "entries-overlap"), "note");
  // The receiver gets wrong numbers.
  EXPECT_EQ(severity(mistaken, "entries-overlap"), "warning");
  EXPECT_EQ(severity(beside, "entries-overlap"), "warning");
}

TEST_F(FindingsTest, OverlapOfEntriesIsToldWhereItArises) {
  const DefinitionId id = types.vector(3, 4, 2, mpi_int);
  EXPECT_EQ(severity(types.dup(id), "entries-overlap"), "");
  EXPECT_EQ(severity(types.contiguous(5, id), "entries-overlap"), "");
  EXPECT_EQ(severity(types.structure({1, 1}, {0, 64}, {id, mpi_char}), "entries-overlap"), "");
  EXPECT_EQ(severity(types.structure({0, 2}, {0, 64}, {id, types.hvector(2, 1, 1, mpi_int)}), "entries-overlap"), "");
  // Columns that run over the row's end are the caller's doing, not the column's.
  const DefinitionId column = types.resized(types.vector(10, 1, 12, mpi_double), 0, 8);
  EXPECT_EQ(severity(types.contiguous(12, column), "entries-overlap"), "");
  EXPECT_EQ(severity(types.contiguous(13, column), "entries-overlap"), "warning");
}

TEST_F(FindingsTest, AFarOverlapIsToldWithoutLookingAtAllEntries) {
  const DefinitionId id = types.hindexed({1, 1}, {0, 7999999}, types.contiguous(1000000, mpi_double));
  EXPECT_EQ(severity(id, "entries-overlap"), "warning");
  EXPECT_EQ(message(id, "entries-overlap"),
            "One copy touches byte 7,999,999 more than once: by entries after the first 4,096 entries.");
}

// ---- missing-resize

TEST_F(FindingsTest, AStructShorterThanItsMembersNeedsAResize) {
  // struct { int id; struct { double unused; int more; int id; } inner; }: the inner one's data does not fill its
  // bounds.
  const DefinitionId sparse = types.resized(types.hindexed({1}, {12}, mpi_int), 0, 16);
  const DefinitionId outer = types.structure({1, 1}, {0, 8}, {mpi_int, sparse});
  EXPECT_EQ(severity(outer, "copies-overlap"), "");
  EXPECT_EQ(severity(outer, "missing-resize"), "warning");
  EXPECT_EQ(message(outer, "missing-resize"),
            "The extent is 16 bytes, but a C struct with members at these displacements has 24: in an array the second "
            "element is looked for at the wrong place. Its bounds, 8 to 24, come from member 1 (" +
                name(sparse) + "), which has explicit ones: members without do not count.");
  EXPECT_EQ(advice(outer, "missing-resize"),
            "MPI_Type_create_resized(" + name(outer) + ", 0, 24), with sizeof of the struct for the extent.");
  types.resized(outer, 0, 24);
  EXPECT_EQ(severity(outer, "missing-resize"), "note");
}

TEST_F(FindingsTest, StructsThatTheStandardRoundsNeedNone) {
  EXPECT_EQ(severity(types.structure({1, 1}, {0, 8}, {mpi_double, mpi_char}), "missing-resize"), "");
  EXPECT_EQ(severity(particle, "missing-resize"), "");
  EXPECT_EQ(severity(types.structure({1, 2}, {0, 8}, {inner, inner}), "missing-resize"), "");
  const DefinitionId column = types.resized(types.vector(10, 1, 12, mpi_double), 0, 8);
  EXPECT_EQ(severity(types.structure({1, 1}, {0, 8}, {column, mpi_int}), "missing-resize"), "");
}

TEST_F(FindingsTest, AnObservedExtentWithoutTrailingPaddingIsFound) {
  const DefinitionId id = types.structure({1, 1}, {0, 8}, {mpi_double, mpi_char});
  types.layouts().observe(id, ObservedBounds{9, 0, 9, 0, 9});
  EXPECT_EQ(severity(id, "missing-resize"), "warning");
  EXPECT_NE(advice(id, "missing-resize").find(", 0, 16)"), std::string::npos);
}

// ---- misaligned-members

TEST_F(FindingsTest, APackedStructNeedsItsSizeSet) {
  // struct { char kind; double time; char flag; int step; }: packed, whatever address it has.
  const DefinitionId packed = types.structure({1, 1, 1, 1}, {0, 1, 9, 10}, {mpi_char, mpi_double, mpi_char, mpi_int});
  EXPECT_EQ(severity(packed, "misaligned-members"), "warning");
  EXPECT_EQ(message(packed, "misaligned-members"),
            "Member 1 (MPI_DOUBLE at byte 1) is off its alignment: the displacements are the running sums of the "
            "members' sizes, as in a packed struct; but the extent was rounded up from 14 to 16, so that in an array "
            "the second element is looked for 2 bytes too far on.");
  EXPECT_NE(advice(packed, "misaligned-members").find("MPI_Type_create_resized(" + name(packed) + ", 0, 14)"),
            std::string::npos);
  const DefinitionId mended = types.resized(packed, 0, 14);
  EXPECT_EQ(severity(packed, "misaligned-members"), "note");
  EXPECT_EQ(severity(mended, "misaligned-members"), "");
  EXPECT_EQ(severity(types.structure({1, 1}, {0, 8}, {mpi_char, mpi_double}), "misaligned-members"), "");
}

TEST_F(FindingsTest, RunningSumsOfSizesAreAWarningWithWhatOffsetofGives) {
  // struct { char kind; double position[2]; int cell; }
  const DefinitionId sums = types.structure({1, 2, 1}, {0, 1, 17}, {mpi_char, mpi_double, mpi_int});
  EXPECT_EQ(severity(sums, "misaligned-members"), "warning");
  EXPECT_NE(message(sums, "misaligned-members").find("running sums of the members' sizes"), std::string::npos);
  EXPECT_NE(advice(sums, "misaligned-members")
                .find("offsetof gives 0, 8, 24 for a C struct of these members, and "
                      "sizeof 32."),
            std::string::npos)
      << advice(sums, "misaligned-members");
  EXPECT_NE(advice(sums, "misaligned-members").find("MPI_Type_create_resized(" + name(sums) + ", 0, 21)"),
            std::string::npos);
  // Or two variables, which stand so where the address suits both.
  const DefinitionId behind_int = types.structure({1, 1}, {0, 4}, {mpi_int, mpi_double});
  EXPECT_EQ(severity(behind_int, "misaligned-members"), "note");
  EXPECT_NE(advice(behind_int, "misaligned-members").find("offsetof gives 0, 8 "), std::string::npos);
  EXPECT_NE(message(behind_int, "misaligned-members").find("rounded up from 12 to 16"), std::string::npos);
  // Also where nothing is rounded up.
  EXPECT_EQ(severity(types.structure({1, 1, 7}, {0, 1, 9}, {mpi_char, mpi_double, mpi_char}), "misaligned-members"),
            "warning");
  // Empty members stand anywhere.
  EXPECT_EQ(severity(types.structure({1, 0, 2}, {0, 99, 1}, {mpi_char, mpi_int, mpi_double}), "misaligned-members"),
            "warning");
  // Sums that are offsets too.
  EXPECT_EQ(severity(types.structure({1, 2}, {0, 8}, {mpi_double, mpi_int}), "misaligned-members"), "");
}

TEST_F(FindingsTest, APackedStructWithItsSizeIsNoted) {
  const DefinitionId packed = types.structure({1, 2, 3}, {0, 1, 17}, {mpi_char, mpi_double, mpi_int});
  const DefinitionId sized = types.resized(packed, 0, 29);
  EXPECT_EQ(severity(packed, "misaligned-members"), "note");
  EXPECT_EQ(severity(sized, "misaligned-members"), "");
  // The C struct's size with a packed struct's displacements is right for neither.
  const DefinitionId sums = types.structure({1, 1}, {0, 1}, {mpi_char, mpi_double});
  const DefinitionId wrong = types.resized(sums, 0, 16);
  EXPECT_EQ(severity(wrong, "misaligned-members"), "warning");
  EXPECT_NE(advice(wrong, "misaligned-members").find("offsetof gives 0, 8 "), std::string::npos);
}

TEST_F(FindingsTest, OtherMisalignedEntriesAreNoted) {
  // A double before and a double behind an int, counted from the first: a packed struct, or variables.
  EXPECT_EQ(severity(types.structure({1, 1}, {0, 12}, {mpi_int, mpi_double}), "misaligned-members"), "note");
  const DefinitionId pieces = types.hindexed({1, 1, 1}, {0, 8, 20}, mpi_double);
  EXPECT_EQ(message(pieces, "misaligned-members"), "MPI_DOUBLE at byte 20 is off its alignment.");
  EXPECT_EQ(message(types.hvector(1000000, 1, 12, mpi_double), "misaligned-members"),
            "MPI_DOUBLE at byte 12 is off its alignment.");
  EXPECT_EQ(severity(types.hindexed({1, 1, 1}, {0, 8, 24}, mpi_double), "misaligned-members"), "");
  EXPECT_EQ(severity(types.hindexed({1, 0, 1}, {0, 3, 24}, mpi_double), "misaligned-members"), "");
  EXPECT_EQ(severity(types.hvector(3, 1, 3, mpi_char), "misaligned-members"), "");
}

TEST_F(FindingsTest, AnExtentOffTheAlignmentIsNoted) {
  const DefinitionId id = types.resized(types.structure({1, 1}, {0, 8}, {mpi_double, mpi_char}), 0, 9);
  EXPECT_EQ(severity(id, "misaligned-members"), "note");
  EXPECT_NE(message(id, "misaligned-members").find("The extent, 9 bytes, is no multiple of 8"), std::string::npos);
  EXPECT_EQ(severity(types.contiguous(4, id), "misaligned-members"), "");
  EXPECT_EQ(severity(types.resized(particle, 0, 48), "misaligned-members"), "");
}

TEST_F(FindingsTest, MisalignmentIsToldWhereItArises) {
  const DefinitionId packed = types.structure({1, 1}, {0, 1}, {mpi_char, mpi_double});
  EXPECT_EQ(severity(types.contiguous(4, packed), "misaligned-members"), "");
  EXPECT_EQ(severity(types.dup(packed), "misaligned-members"), "");
  EXPECT_EQ(severity(types.structure({1, 1}, {0, 16}, {packed, mpi_double}), "misaligned-members"), "");
}

// ---- bounds

TEST_F(FindingsTest, DataBeforeTheBufferIsNoted) {
  const DefinitionId backwards = types.vector(3, 2, -4, mpi_int);
  EXPECT_EQ(severity(backwards, "negative-lb"), "note");
  EXPECT_EQ(message(backwards, "negative-lb"),
            "The data begins at byte -32: 32 bytes before the address that is given as the buffer.");
  EXPECT_EQ(severity(types.contiguous(2, backwards), "negative-lb"), "");
  EXPECT_EQ(severity(types.vector(3, 2, 4, mpi_int), "negative-lb"), "");
  const DefinitionId padded = types.resized(mpi_int, -4, 16);
  EXPECT_EQ(
      message(padded, "negative-lb"),
      "The lower bound is -4; the data begins at byte 0, so that nothing before the buffer's address is touched.");
  EXPECT_EQ(severity(types.vector(1, 2, -4, mpi_int), "negative-lb"), "");
  EXPECT_EQ(severity(types.resized(types.contiguous(0, mpi_int), -8, 16), "negative-lb"), "");
}

TEST_F(FindingsTest, VariablesOnBothSidesOfTheBufferAreNoPartsOfOneArray) {
  const std::int64_t far = INT64_C(1) << 45;
  const DefinitionId id = types.structure({1, 1}, {0, -far}, {mpi_int, mpi_double});
  EXPECT_EQ(severity(id, "negative-lb"), "note");
  EXPECT_EQ(
      message(id, "negative-lb"),
      "Members stand on both sides of the buffer's address, from byte -35,184,372,088,832 to 4: separate variables, "
      "counted from one of them.");
  EXPECT_EQ(advice(id, "negative-lb"), "Give the address of the variable that the displacements are counted from.");
  EXPECT_TRUE(
      message(types.structure({1, 1}, {-16, -8}, {mpi_int, mpi_double}), "negative-lb").starts_with("The data"));
}

TEST_F(FindingsTest, AGapBeforeTheLowerBoundIsNoted) {
  // double value of struct { int id; double value; }
  const DefinitionId value = types.hindexed({1}, {8}, mpi_double);
  EXPECT_EQ(severity(value, "gap-before-lb"), "note");
  EXPECT_EQ(message(value, "gap-before-lb"),
            "The lower bound is 8: the first 8 bytes are no part of the extent, so that copies stand 8 bytes apart.");
  EXPECT_NE(advice(value, "gap-before-lb").find("MPI_Type_create_resized(" + name(value) + ", 0, 16)"),
            std::string::npos);
  EXPECT_EQ(severity(types.contiguous(2, value), "gap-before-lb"), "");
  EXPECT_EQ(severity(types.hindexed({1}, {0}, mpi_double), "gap-before-lb"), "");
  EXPECT_EQ(severity(types.subarray({8}, {2}, {3}, types.constants().order_c, mpi_int), "gap-before-lb"), "");
  types.resized(value, 0, 16);
  EXPECT_EQ(severity(value, "gap-before-lb"), "");
}

TEST_F(FindingsTest, DataOutsideTheBoundsIsNoted) {
  const DefinitionId id = types.resized(types.hindexed({1, 1}, {-4, 8}, mpi_int), 0, 8);
  EXPECT_EQ(severity(id, "copies-overlap"), "");
  EXPECT_EQ(message(id, "beyond-bounds"),
            "The data lies from byte -4 to 12, the bounds are 0 to 8: 4 bytes before them and 4 bytes behind. Copies "
            "interleave without overlap.");
  EXPECT_EQ(advice(id, "beyond-bounds"), "N copies need 16 + (N - 1) * 8 bytes from byte -4 on, not N * 8.");
  EXPECT_EQ(severity(types.contiguous(3, id), "beyond-bounds"), "");
  EXPECT_EQ(severity(types.resized(types.hindexed({1, 1}, {0, 4}, mpi_int), 0, 8), "beyond-bounds"), "");
  EXPECT_EQ(severity(types.resized(particle, 0, 8), "beyond-bounds"), "");  // copies-overlap says more
}

TEST_F(FindingsTest, CopiesBeyondTheirBoundsMayStandApart) {
  // Bytes 0 to 4, 100 to 104 ...: N * 100 bytes from byte 0 on are enough.
  const DefinitionId before = types.resized(mpi_int, 8, 100);
  EXPECT_EQ(message(before, "beyond-bounds"),
            "The data lies from byte 0 to 4, the bounds are 8 to 108: 8 bytes before them. Copies stand apart.");
  EXPECT_EQ(advice(before, "beyond-bounds"), "N copies need 4 + (N - 1) * 100 bytes from byte 0 on.");
  // Bytes 16 to 24, 32 to 40 ...: N * 16 bytes from byte 0 on are not.
  const DefinitionId at_16 = types.make(Combiner::hindexed_block, Form::int_counts, {{1}, {1}, {16}}, {mpi_double});
  const DefinitionId behind = types.resized(at_16, 0, 16);
  EXPECT_EQ(message(behind, "beyond-bounds"),
            "The data lies from byte 16 to 24, the bounds are 0 to 16: 8 bytes behind. Copies stand apart.");
  EXPECT_EQ(advice(behind, "beyond-bounds"), "N copies need 8 + (N - 1) * 16 bytes from byte 16 on, not N * 16.");
}

TEST_F(FindingsTest, ANegativeExtentIsNoted) {
  const DefinitionId id = types.resized(mpi_double, 0, -8);
  EXPECT_EQ(message(id, "negative-extent"),
            "The extent is -8: each copy stands 8 bytes before the one that it follows.");
  EXPECT_EQ(severity(types.resized(mpi_double, -8, 8), "negative-extent"), "");
  EXPECT_EQ(severity(types.dup(id), "negative-extent"), "");
}

// ---- sizes

TEST_F(FindingsTest, ASizeBeyondIntSaysWhichCallsCannotTellIt) {
  const DefinitionId id = types.contiguous(INT64_C(1) << 28, mpi_double);
  EXPECT_EQ(severity(id, "exceeds-int"), "note");
  EXPECT_EQ(
      message(id, "exceeds-int"),
      "The size is 2,147,483,648 bytes, more than an int holds: MPI_Type_size and MPI_Pack_size give MPI_UNDEFINED.");
  EXPECT_EQ(severity(types.contiguous(INT32_MAX, mpi_char), "exceeds-int"), "");
  EXPECT_NE(message(types.contiguous(INT64_C(1) << 31, mpi_char), "exceeds-int").find("MPI_Get_elements"),
            std::string::npos);
  EXPECT_EQ(severity(types.contiguous(3, id), "exceeds-int"), "");
  EXPECT_NE(message(types.vector(2, 1, 1 << 29, mpi_double), "exceeds-int").find("The extent is 4,294,967,304 bytes"),
            std::string::npos);
}

TEST_F(FindingsTest, WhatDoesNotFitMpiCountIsAnError) {
  const DefinitionId large = types.contiguous(INT64_C(1) << 60, mpi_double);
  EXPECT_EQ(severity(large, "exceeds-int"), "error");
  EXPECT_EQ(
      message(large, "exceeds-int"),
      "The size, 9,223,372,036,854,775,808, does not fit MPI_Count: the calls that tell it answer MPI_UNDEFINED.");
  EXPECT_EQ(severity(types.contiguous((INT64_C(1) << 60) - 1, mpi_double), "exceeds-int"), "note");
  EXPECT_EQ(severity(types.contiguous(2, large), "exceeds-int"), "");
  const DefinitionId huge = types.vector(INT64_C(1) << 50, INT64_C(1) << 50, 1, types.contiguous(1 << 30, mpi_double));
  EXPECT_EQ(message(huge, "exceeds-int"),
            "The size, more than 128 bits, does not fit MPI_Count: the calls that tell it answer MPI_UNDEFINED.");
  const DefinitionId far = types.hvector(3, 1, INT64_C(1) << 62, mpi_char);
  EXPECT_EQ(severity(far, "exceeds-int"), "error");
  EXPECT_EQ(message(far, "exceeds-int"),
            "The true extent, 9,223,372,036,854,775,809, does not fit MPI_Count: the calls that tell it answer "
            "MPI_UNDEFINED.");
  // MPI_Type_get_true_extent tells the true lower bound and the true extent, 2^63 - 4 and 4 here (MPI-4.1 5.1.8).
  const DefinitionId last =
      types.make(Combiner::hindexed_block, Form::int_counts, {{1}, {1}, {INT64_MAX - 3}}, {mpi_int});
  EXPECT_EQ(severity(last, "exceeds-int"), "error");
  EXPECT_EQ(message(last, "exceeds-int"), "The true upper bound, 9,223,372,036,854,775,808, does not fit MPI_Count.");
}

// ---- arguments

TEST_F(FindingsTest, AddressesAsDisplacementsAreNoted) {
  const std::int64_t heap = 0x55d0c0de1000, stack = 0x7ffd12345678;
  const DefinitionId id = types.structure({1, 1, 1}, {heap, stack, heap + 64}, {mpi_int, mpi_double, mpi_char});
  EXPECT_EQ(severity(id, "absolute-addresses"), "note");
  EXPECT_EQ(message(id, "absolute-addresses"), "Displacement 0 (0x55d0c0de1000) looks like an address, as do 2 more.");
  EXPECT_NE(advice(id, "absolute-addresses").find("MPI_BOTTOM"), std::string::npos);
  // What is said of displacements from a buffer would be noise.
  EXPECT_EQ(severity(id, "gap-before-lb"), "");
  EXPECT_EQ(severity(id, "exceeds-int"), "");
  EXPECT_EQ(severity(types.contiguous(1, id), "absolute-addresses"), "");

  const DefinitionId mixed = types.hindexed({1, 1, 1}, {heap, 16, heap + 64}, mpi_int);
  EXPECT_EQ(severity(mixed, "absolute-addresses"), "warning");
  EXPECT_EQ(message(mixed, "absolute-addresses"),
            "Displacement 0 (0x55d0c0de1000) looks like an address, displacement 1 (16) is counted from a buffer: no "
            "buffer is right for both.");
  EXPECT_EQ(severity(types.hindexed({1, 0, 1}, {heap, 16, heap + 64}, mpi_int), "absolute-addresses"), "note");
  // An absolute type stands rightly at 0 beside an address: its own data lies at addresses, too.
  EXPECT_EQ(severity(types.structure({1, 1}, {heap + 128, 0}, {mpi_double, id}), "absolute-addresses"), "note");
  EXPECT_EQ(severity(types.structure({1, 1}, {0, 0}, {mpi_double, id}), "absolute-addresses"), "");
  EXPECT_EQ(
      severity(types.structure({1, 1, 1}, {heap + 128, 0, 8}, {mpi_double, id, mpi_double}), "absolute-addresses"),
      "warning");
  // A large file or matrix is no address space.
  EXPECT_EQ(severity(types.hindexed({1, 1}, {0, INT64_C(10) << 40}, mpi_int), "absolute-addresses"), "");
  EXPECT_EQ(severity(types.hvector(2, 1, heap, mpi_int), "absolute-addresses"), "");
}

TEST_F(FindingsTest, EmptyTypesAndBlocksAreNoted) {
  const DefinitionId empty = types.contiguous(0, mpi_int);
  EXPECT_EQ(severity(empty, "empty-type"), "note");
  EXPECT_EQ(severity(types.structure({}, {}, {}), "empty-type"), "note");
  EXPECT_EQ(severity(types.structure({0}, {0}, {mpi_int}), "empty-type"), "note");
  EXPECT_EQ(severity(types.contiguous(1, mpi_int), "empty-type"), "");
  EXPECT_EQ(severity(types.contiguous(3, empty), "empty-type"), "");
  EXPECT_EQ(severity(types.dup(empty), "empty-type"), "");
  EXPECT_EQ(severity(types.structure({1, 0}, {0, 8}, {empty, mpi_int}), "empty-type"), "note");

  const DefinitionId some = types.indexed({0, 3, 0}, {100, 2, 50}, mpi_int);
  EXPECT_EQ(message(some, "empty-blocks"), "2 of the 3 blocks have length 0, the first of them block 0.");
  EXPECT_EQ(message(types.indexed({1, 0}, {0, 2}, mpi_int), "empty-blocks"),
            "1 of the 2 blocks has length 0: block 1.");
  EXPECT_EQ(severity(types.indexed({0, 0}, {0, 2}, mpi_int), "empty-blocks"), "");
  EXPECT_EQ(severity(types.indexed({1, 2}, {0, 2}, mpi_int), "empty-blocks"), "");
}

TEST_F(FindingsTest, RemovedMarkersAreNoted) {
  const DefinitionId id = types.structure({1, 1, 1}, {-3, 0, 6}, {named("MPI_LB"), mpi_int, named("MPI_UB")});
  EXPECT_EQ(message(id, "removed-markers"), "Member 0 is MPI_LB, which was removed in MPI-3.0.");
  EXPECT_NE(advice(id, "removed-markers").find("(type, -3, 9)"), std::string::npos);
  EXPECT_EQ(severity(types.contiguous(2, id), "removed-markers"), "");
}

TEST_F(FindingsTest, ASimplerConstructorIsNoted) {
  const DefinitionId id =
      types.make(Combiner::indexed_block, Form::int_counts, {{4}, {1}, {0, 10, 20, 30}}, {mpi_double});
  EXPECT_EQ(severity(id, "simpler-type"), "note");
  EXPECT_EQ(message(id, "simpler-type"), "MPI_Type_vector(4, 1, 10, MPI_DOUBLE) is the same type.");
  EXPECT_EQ(severity(types.vector(4, 1, 10, mpi_double), "simpler-type"), "");
  EXPECT_EQ(severity(types.dup(id), "simpler-type"), "");
  EXPECT_EQ(severity(types.make(Combiner::indexed_block, Form::int_counts, {{4}, {1}, {0, 10, 20, 31}}, {mpi_double}),
                     "simpler-type"),
            "");
}

TEST_F(FindingsTest, AResizeThatOnlyMakesSureOfTheBoundsIsNotAdvisedAgainst) {
  for (const DefinitionId id : {types.resized(particle, 0, 40), types.contiguous(1, particle)}) {
    EXPECT_EQ(severity(id, "simpler-type"), "note");
    EXPECT_EQ(message(id, "simpler-type"), name(particle) + " is the same type.");
    EXPECT_TRUE(advice(id, "simpler-type").starts_with("There is nothing to do")) << advice(id, "simpler-type");
  }
  EXPECT_EQ(message(types.resized(mpi_int, 0, 4), "simpler-type"), "MPI_INT is the same type.");
  EXPECT_TRUE(advice(types.resized(mpi_int, 0, 4), "simpler-type").starts_with("There is nothing to do"));
  EXPECT_EQ(severity(types.dup(particle), "simpler-type"), "");
}

}  // namespace
}  // namespace ddtscope::test::findings_test
