// Findings about what the libraries make of a type, with the differences that are known of them.
#include <gtest/gtest.h>

#include "decoder/findings/findings_fixture.h"

namespace ddtscope::test::findings_libraries_test {
namespace {

class FindingsOfLibraries : public FindingsTest {
 protected:
  Portability portability(DefinitionId id) { return portability_of(sources, id); }
  /// Unevenly spaced entries of one basic type: MPICH does not round their extent.
  const DefinitionId pair = types.hindexed({1, 1}, {0, 12}, mpi_double);
};

TEST_F(FindingsOfLibraries, ADifferentExtentIsNotPortable) {
  const Portability found = portability(pair);
  EXPECT_FALSE(found.portable);
  EXPECT_TRUE(found.moves_data);
  EXPECT_FALSE(found.moves_entries);
  EXPECT_EQ(
      found.reasons,
      (std::vector<std::string>{"The extent is 24 by MPI-4.1 and in Open MPI 4.1 to 6.0, 20 in MPICH 4.0 to 5.0."}));
  EXPECT_EQ(severity(pair, "not-portable"), "warning");
  EXPECT_EQ(message(pair, "not-portable"), found.reasons[0]);
  EXPECT_EQ(advice(pair, "not-portable"),
            "MPI_Type_create_resized(" + name(pair) + ", 0, 24) has the same bounds everywhere.");

  const DefinitionId mended = types.resized(pair, 0, 24);
  EXPECT_TRUE(portability(mended).portable);
  EXPECT_EQ(severity(mended, "not-portable"), "");
  EXPECT_EQ(severity(pair, "not-portable"), "note");
}

TEST_F(FindingsOfLibraries, TypesThatMeanTheSameEverywhereAreSilent) {
  for (const DefinitionId id :
       {types.hindexed({1, 1}, {0, 16}, mpi_double), particle, inner, types.vector(3, 2, 4, mpi_int),
        types.contiguous(3, inner), types.hvector(2, 1, -16, mpi_double)}) {
    EXPECT_TRUE(portability(id).portable) << id.value << ": " << portability(id).reasons[0];
    EXPECT_EQ(severity(id, "not-portable"), "");
  }
  EXPECT_TRUE(portability(mpi_int).portable);
  EXPECT_TRUE(portability(named("MPI_SHORT_INT")).portable);
}

TEST_F(FindingsOfLibraries, ReleasesOfALibraryAreToldApart) {
  const std::int64_t most = INT32_MAX;
  const DefinitionId joined = types.structure({INT32_MAX, 1}, {0, 4 * most}, {mpi_int, mpi_int});
  const std::vector<std::string> reasons = portability(joined).reasons;
  ASSERT_FALSE(reasons.empty());
  EXPECT_EQ(reasons[0],
            "The size is 8,589,934,592 by MPI-4.1 and in Open MPI 5.0 to 6.0 and in MPICH 4.0 to 5.0, MPI_UNDEFINED in "
            "Open MPI 4.1.");
  const DefinitionId quad = types.store().add_predefined({"MPI_REAL16", PredefinedKind::basic, 16, 16, 16, {}, {}, 0});
  types.layouts().add(quad);
  const DefinitionId quads = types.structure({1, 1}, {0, 1}, {mpi_char, quad});
  EXPECT_EQ(portability(quads).reasons,
            (std::vector<std::string>{
                "The extent is 32 by MPI-4.1 and in Open MPI 4.1 to 6.0 and in MPICH 5.0, 17 in MPICH 4.0 to 4.2."}));
  EXPECT_TRUE(portability(types.contiguous(2, quads)).moves_entries);
}

TEST_F(FindingsOfLibraries, MarkersOfAMemberReachTheStructInSomeLibraries) {
  const DefinitionId id = types.structure({1, 1}, {0, 4}, {mpi_int, types.resized(mpi_char, 0, 1)});
  EXPECT_EQ(
      portability(id).reasons,
      (std::vector<std::string>{"The lower bound is 4 by MPI-4.1 and in Open MPI 4.1 to 6.0, 0 in MPICH 4.0 to 5.0.",
                                "The extent is 1 by MPI-4.1 and in Open MPI 4.1 to 6.0, 8 in MPICH 4.0 to 5.0."}));
  EXPECT_EQ(severity(id, "not-portable"), "warning");
}

TEST_F(FindingsOfLibraries, TheStandardsBoundsAreNotAdvisedWhereCopiesOverlapAtThem) {
  const DefinitionId outer = types.structure({1, 1}, {0, 8}, {mpi_int, inner});
  const std::string resize = "MPI_Type_create_resized(" + name(outer) + ", 0, 24)";
  for (const char* kind : {"copies-overlap", "gap-before-lb", "not-portable"}) {
    EXPECT_NE(advice(outer, kind).find(resize), std::string::npos) << kind << ": " << advice(outer, kind);
  }
  const DefinitionId in_mpich = types.structure({1, 1}, {0, 16}, {mpi_int, inner});
  types.layouts().observe(in_mpich, ObservedBounds{16, 0, 32, 0, 28});
  const std::string resize_in_mpich = "MPI_Type_create_resized(" + name(in_mpich) + ", 0, 32)";
  for (const char* kind : {"not-portable", "library-disagrees"}) {
    EXPECT_NE(advice(in_mpich, kind).find(resize_in_mpich), std::string::npos) << kind << advice(in_mpich, kind);
  }
}

TEST_F(FindingsOfLibraries, MovedEntriesAreToldOnceAndWhereTheyArise) {
  const DefinitionId two = types.contiguous(2, pair);
  const Portability found = portability(two);
  EXPECT_TRUE(found.moves_entries);
  ASSERT_FALSE(found.reasons.empty());
  EXPECT_EQ(found.reasons.back(),
            "Entry 2 (MPI_DOUBLE) stands at byte 24 by MPI-4.1 and in Open MPI 4.1 to 6.0, 20 in MPICH 4.0 to 5.0.");
  EXPECT_EQ(severity(two, "not-portable"), "");  // the pair has it
  EXPECT_EQ(portability(types.contiguous(2, two)).reasons.back(), "The entries of an oldtype stand at other places.");
  // Where the pair is resized for other uses, this one must say it.
  types.resized(pair, 0, 24);
  EXPECT_EQ(severity(pair, "not-portable"), "note");
  EXPECT_EQ(severity(two, "not-portable"), "warning");
  EXPECT_NE(advice(two, "not-portable").find("oldtypes"), std::string::npos);
}

TEST_F(FindingsOfLibraries, AStrideOfMinusOneByteMovesEntriesInOpenMpi) {
  const DefinitionId backwards = types.hvector(3, 1, -1, mpi_char);
  const Portability found = portability(backwards);
  EXPECT_TRUE(found.moves_entries);
  EXPECT_TRUE(found.moves_data);
  ASSERT_EQ(found.reasons.size(), 3U);  // beside lower bound and true lower bound
  EXPECT_TRUE(found.reasons[2].starts_with("Open MPI takes the stride of -1 byte for the extent of a block"));
  EXPECT_EQ(severity(backwards, "not-portable"), "warning");
  EXPECT_NE(advice(backwards, "not-portable").find("MPI_Type_create_hindexed_block"), std::string::npos);

  // A resize mends the bounds, not the entries: the warning stays where it is.
  const DefinitionId resized = types.resized(backwards, -2, 3);
  EXPECT_TRUE(portability(resized).moves_entries);
  EXPECT_EQ(severity(resized, "not-portable"), "");
  EXPECT_EQ(severity(backwards, "not-portable"), "warning");
  EXPECT_TRUE(portability(types.structure({1, 1}, {0, 8}, {mpi_int, types.dup(resized)})).moves_entries);
  // What is advised does.
  const DefinitionId mended = types.resized(types.hindexed({1, 1, 1}, {0, -1, -2}, mpi_char), -2, 3);
  EXPECT_TRUE(portability(mended).portable);

  types.layouts().observe(backwards, ObservedBounds{3, 0, 3, 0, 3});
  sources.library = BoundsRule::openmpi;
  EXPECT_EQ(severity(backwards, "library-disagrees"), "note");
  EXPECT_NE(advice(backwards, "library-disagrees").find("MPI_Type_create_hindexed_block"), std::string::npos);
}

TEST_F(FindingsOfLibraries, OnlyAStrideThatIsMistakenMovesEntries) {
  const DefinitionId leads_down = types.resized(mpi_char, 0, -1);
  const DefinitionId backwards = types.hvector(3, 1, -1, mpi_char);
  for (const DefinitionId id :
       {types.vector(3, 1, -1, mpi_char), types.vector(2, 3, -1, mpi_char), types.vector(2, 2, 1, leads_down),
        types.hvector(2, 1, -1, mpi_int), types.contiguous(2, types.vector(2, 1, -1, mpi_char))}) {
    EXPECT_TRUE(portability(id).moves_entries) << name(id);
  }
  for (const DefinitionId id :
       {types.hvector(1, 1, -1, mpi_char), types.hvector(3, 1, -2, mpi_char), types.hvector(3, 0, -1, mpi_char),
        types.vector(3, 1, -1, mpi_int), types.vector(3, 1, 1, leads_down), types.hvector(3, 1, -1, leads_down),
        types.contiguous(0, backwards), types.structure({0, 1}, {0, 0}, {backwards, mpi_int})}) {
    EXPECT_FALSE(portability(id).moves_entries) << name(id);
  }
}

TEST_F(FindingsOfLibraries, BoundsOfNothingAreNoAlarm) {
  const DefinitionId empty = types.vector(3, 0, 5, mpi_int);
  EXPECT_FALSE(portability(empty).portable);
  EXPECT_FALSE(portability(empty).moves_data);
  EXPECT_EQ(severity(empty, "not-portable"), "note");
  EXPECT_NE(message(empty, "not-portable").find("40 in MPICH 4.0 to 5.0"), std::string::npos)
      << message(empty, "not-portable");
}

TEST_F(FindingsOfLibraries, AnswersThatAreTheStandardsAreSilent) {
  types.layouts().observe(particle, ObservedBounds{31, 0, 40, 0, 38});
  EXPECT_EQ(severity(particle, "library-disagrees"), "");
  EXPECT_EQ(severity(pair, "library-disagrees"), "");  // nobody asked the library
}

TEST_F(FindingsOfLibraries, KnownWaysOfALibraryAreNoted) {
  types.layouts().observe(pair, ObservedBounds{16, 0, 20, 0, 20});
  sources.library = BoundsRule::mpich;
  EXPECT_EQ(severity(pair, "library-disagrees"), "note");
  EXPECT_EQ(message(pair, "library-disagrees"),
            "The library answers: extent 20 (by the standard 24). So does MPICH 5.0.2 as ddtscope knows it.");
  sources.library.reset();
  EXPECT_EQ(severity(pair, "library-disagrees"), "note");
  sources.library = BoundsRule::openmpi;
  EXPECT_EQ(severity(pair, "library-disagrees"), "warning");
  EXPECT_NE(message(pair, "library-disagrees").find("That is not what ddtscope knows of Open MPI 6.0.0rc2, either."),
            std::string::npos);
  // Made of it with its extent: nothing new.
  const DefinitionId two = types.contiguous(2, pair);
  types.layouts().observe(two, ObservedBounds{32, 0, 40, 0, 40});
  EXPECT_EQ(severity(two, "library-disagrees"), "");
}

TEST_F(FindingsOfLibraries, AWrongSizeIsAnAlarm) {
  const DefinitionId id = types.contiguous(5, mpi_int);
  types.layouts().observe(id, ObservedBounds{-20, 0, 20, 0, 20});
  EXPECT_EQ(severity(id, "library-disagrees"), "warning");
  EXPECT_NE(message(id, "library-disagrees").find("size -20 (by the standard 20)"), std::string::npos);
  const DefinitionId other = types.contiguous(6, mpi_int);
  types.layouts().observe(other, ObservedBounds{24, 0, 24, std::nullopt, 24});
  EXPECT_EQ(severity(other, "library-disagrees"), "note");
  EXPECT_NE(message(other, "library-disagrees").find("true lower bound MPI_UNDEFINED (by the standard 0)"),
            std::string::npos);
}

}  // namespace
}  // namespace ddtscope::test::findings_libraries_test
