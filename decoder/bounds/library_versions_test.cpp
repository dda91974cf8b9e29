#include "decoder/bounds/library_versions.h"

#include <gtest/gtest.h>

#include <string>

namespace ddtscope::test::library_versions_test {
namespace {

std::string taken(BoundsRule library, std::string_view version) {
  return std::string(release_taken_for(library, version).release->name);
}
std::string remark(BoundsRule library, std::string_view version) { return release_taken_for(library, version).remark; }

TEST(LibraryVersions, AreInOrderAndNamedAlike) {
  for (const BoundsRule rule : bounds_rules) {
    const ModelledRelease* before = nullptr;
    for (const ModelledRelease& release : modelled_releases(rule)) {
      EXPECT_EQ(release.rule, rule);
      EXPECT_EQ(rule_of(release.model), rule);
      EXPECT_TRUE(release.name.ends_with(release.version));
      EXPECT_TRUE(release.version.starts_with(release.series));
      if (before != nullptr) {
        EXPECT_LT(before->number, release.number);
        EXPECT_LE(before->model, release.model);
      }
      before = &release;
    }
    EXPECT_EQ(before, &newest_release(rule));
  }
}

TEST(LibraryVersions, AModelledReleaseIsTakenWithoutAWord) {
  for (const BoundsRule rule : {BoundsRule::openmpi, BoundsRule::mpich}) {
    for (const ModelledRelease& release : modelled_releases(rule)) {
      EXPECT_EQ(release_taken_for(rule, release.version).release, &release);
      EXPECT_EQ(remark(rule, release.version), "");
    }
  }
  const std::string_view debian =
      "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022";
  EXPECT_EQ(taken(BoundsRule::openmpi, debian), "Open MPI 4.1.4");
  EXPECT_EQ(remark(BoundsRule::openmpi, debian), "");
  const std::string_view candidate = "Open MPI v6.0.0rc2, package: Debian OpenMPI, ident: 6.0.0rc2";
  EXPECT_EQ(taken(BoundsRule::openmpi, candidate), "Open MPI 6.0.0rc2");
  EXPECT_EQ(remark(BoundsRule::openmpi, candidate), "");
  const std::string_view mpich =
      "MPICH Version:      4.2.1\nMPICH Release date: Wed Apr 17 15:30:02 CDT 2024\nMPICH ABI: 16:1:4";
  EXPECT_EQ(taken(BoundsRule::mpich, mpich), "MPICH 4.2.1");
  EXPECT_EQ(remark(BoundsRule::mpich, mpich), "");
}

TEST(LibraryVersions, AreCutToALineAndToProductAndRelease) {
  const std::string_view openmpi = "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4";
  EXPECT_EQ(first_line_of_version(openmpi), openmpi);
  EXPECT_EQ(product_and_release(openmpi), "Open MPI v4.1.4");
  const std::string_view mpich = "MPICH Version:\t4.0.2\nMPICH Release date: Thu Apr  7 12:34:45 CDT 2022, or so";
  EXPECT_EQ(first_line_of_version(mpich), "MPICH Version: 4.0.2");
  EXPECT_EQ(product_and_release(mpich), "MPICH Version: 4.0.2");
  EXPECT_EQ(product_and_release(""), "");
}

TEST(LibraryVersions, BetweenTwoTheOlderOneIsTaken) {
  EXPECT_EQ(taken(BoundsRule::openmpi, "Open MPI v5.0.5, package: x"), "Open MPI 4.1.4");
  EXPECT_EQ(taken(BoundsRule::openmpi, "Open MPI v4.1.6, package: x"), "Open MPI 4.1.4");
  EXPECT_EQ(taken(BoundsRule::openmpi, "Open MPI v5.0.8, package: x"), "Open MPI 5.0.7");
  EXPECT_EQ(taken(BoundsRule::openmpi, "Open MPI v6.0.0rc1, package: x"), "Open MPI 5.0.7");
  EXPECT_EQ(taken(BoundsRule::mpich, "MPICH Version:\t4.2.1p1\n"), "MPICH 4.2.1");
  EXPECT_EQ(taken(BoundsRule::mpich, "MPICH Version: 4.2.1rc1\n"), "MPICH 4.0.2");
  EXPECT_EQ(taken(BoundsRule::mpich, "MPICH Version: 5.0.0a1\n"), "MPICH 4.2.1");
  EXPECT_EQ(remark(BoundsRule::openmpi, "Open MPI v5.0.8, package: x"),
            "Open MPI 5.0.8 is not among the releases that ddtscope models: the rule of Open MPI 5.0.7 is taken.");
}

TEST(LibraryVersions, OlderAndNewerOnesAreSaid) {
  EXPECT_EQ(taken(BoundsRule::openmpi, "Open MPI v3.1.3"), "Open MPI 4.1.4");
  EXPECT_EQ(remark(BoundsRule::openmpi, "Open MPI v3.1.3"),
            "Open MPI 3.1.3 is older than what ddtscope models: the rule of Open MPI 4.1.4 is taken.");
  EXPECT_EQ(remark(BoundsRule::openmpi, "Open MPI v7.1.0, package: x"),
            "Open MPI 7.1.0 is newer than what ddtscope models: the rule of Open MPI 6.0.0rc2 is taken.");
  EXPECT_EQ(remark(BoundsRule::openmpi, "Open MPI v6.0.0"),
            "Open MPI 6.0.0 is newer than what ddtscope models: the rule of Open MPI 6.0.0rc2 is taken.");
  EXPECT_EQ(remark(BoundsRule::mpich, "MPICH Version: 3.4\n"),
            "MPICH 3.4 is older than what ddtscope models: the rule of MPICH 4.0.2 is taken.");
}

TEST(LibraryVersions, WhatCallsItselfOtherwiseIsNotModelled) {
  for (const char* text :
       {"Intel(R) MPI Library 2021.9 for Linux* OS\n", "MVAPICH Version: 4.0\n",
        "CRAY MPICH version 8.1.25.17 (ANL base 3.4a2)", "4.2.1 or so", "MPICH Version: next", "-1"}) {
    EXPECT_EQ(taken(BoundsRule::mpich, text), "MPICH 5.0.2") << text;
    EXPECT_NE(remark(BoundsRule::mpich, text), "") << text;
  }
  EXPECT_EQ(remark(BoundsRule::mpich, "MVAPICH Version: 4.0\nMVAPICH Release date: x"),
            "\"MVAPICH Version: 4.0\" is no release that ddtscope models: the rule of MPICH 5.0.2 is taken.");
  EXPECT_EQ(remark(BoundsRule::openmpi, ""),
            "The library does not say which it is: the rule of Open MPI 6.0.0rc2 is taken.");
  EXPECT_EQ(taken(BoundsRule::openmpi, "Open MPI v99999999999999999999.1"), "Open MPI 6.0.0rc2");
}

}  // namespace
}  // namespace ddtscope::test::library_versions_test
