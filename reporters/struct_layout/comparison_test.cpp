// Entries of a typemap against members, where one may stand for the other and where not (MPI-4.1 3.3.1 and the C
// language's own representation of its types).
#include "reporters/struct_layout/comparison.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <sstream>

namespace ddtscope::reporters::comparison_test {
namespace {

StructScalar member(std::int64_t offset, std::int64_t size, ScalarKind kind, std::string path) {
  StructScalar scalar;
  scalar.offset = offset;
  scalar.size = size;
  scalar.kind = kind;
  scalar.path = std::move(path);
  return scalar;
}

Verdict verdict_on(const BasicEntry& entry, const StructScalar& scalar) {
  const auto parts = compare({entry}, {{scalar}, true}, 64);
  EXPECT_EQ(parts.size(), 1u);
  return parts.front().verdict;
}

constexpr ScalarKind floating = ScalarKind::floating;
constexpr ScalarKind integer = ScalarKind::signed_integer;

TEST(StructComparison, GradesOneMember) {
  const StructScalar number = member(8, 8, floating, "x");
  EXPECT_EQ(verdict_on({"MPI_DOUBLE", 8, 8}, number), Verdict::fits);
  EXPECT_EQ(verdict_on({"MPI_DOUBLE_PRECISION", 8, 8}, number), Verdict::fits);
  EXPECT_EQ(verdict_on({"MPI_FLOAT", 8, 4}, number), Verdict::other_size);
  EXPECT_EQ(verdict_on({"MPI_LONG", 8, 8}, number), Verdict::other_kind);
  EXPECT_EQ(verdict_on({"MPI_DOUBLE", 12, 8}, number), Verdict::other_place);
  const StructScalar count = member(0, 4, ScalarKind::unsigned_integer, "n");
  EXPECT_EQ(verdict_on({"MPI_INT", 0, 4}, count), Verdict::sign);
  EXPECT_EQ(verdict_on({"MPI_UINT32_T", 0, 4}, count), Verdict::fits);
  for (const ScalarKind kind : {ScalarKind::enumeration, ScalarKind::boolean, ScalarKind::character}) {
    EXPECT_EQ(verdict_on({"MPI_INT", 0, 4}, member(0, 4, kind, "e")), Verdict::fits);
    EXPECT_EQ(verdict_on({"MPI_UNSIGNED", 0, 4}, member(0, 4, kind, "e")), Verdict::fits);
  }
}

TEST(StructComparison, AddressesMayBeSentAsIntegers) {
  const StructScalar pointer = member(0, 8, ScalarKind::pointer, "p");
  EXPECT_EQ(verdict_on({"MPI_AINT", 0, 8}, pointer), Verdict::fits);
  EXPECT_EQ(verdict_on({"MPI_DOUBLE", 0, 8}, pointer), Verdict::pointer);
  EXPECT_EQ(verdict_on({"MPI_INT", 0, 4}, pointer), Verdict::pointer);
}

TEST(StructComparison, ComplexIsTwoNumbers) {
  const StructScalar complex = member(0, 16, ScalarKind::complex, "z");
  EXPECT_EQ(verdict_on({"MPI_C_DOUBLE_COMPLEX", 0, 16}, complex), Verdict::fits);
  EXPECT_EQ(verdict_on({"MPI_DOUBLE", 8, 8}, complex), Verdict::fits);
  EXPECT_NE(verdict_on({"MPI_FLOAT", 0, 4}, complex), Verdict::fits);
  // One entry over both members leaves none of them out.
  const auto parts = compare({{"MPI_C_DOUBLE_COMPLEX", 0, 16}},
                             {{member(0, 8, floating, "re"), member(8, 8, floating, "im")}, true}, 16);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts.front().verdict, Verdict::fits);
}

TEST(StructComparison, BytesMayBeAnything) {
  const StructScalars members = {{member(0, 4, integer, "a"), member(8, 8, floating, "b")}, true};
  std::vector<BasicEntry> bytes;
  for (std::int64_t i = 0; i < 16; ++i) bytes.push_back({"MPI_BYTE", i, 1});
  const auto parts = compare(bytes, members, 16);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].verdict, Verdict::fits);
  EXPECT_EQ(parts[0].entry->size, 4);
  EXPECT_EQ(parts[1].verdict, Verdict::sends_padding);
  EXPECT_EQ(parts[1].entry->displacement, 4);
  EXPECT_EQ(parts[1].entry->size, 4);
  EXPECT_EQ(parts[2].member->path, "b");
}

TEST(StructComparison, TheBestAlternativeOfAUnionCounts) {
  StructScalar number = member(0, 8, floating, "u.d");
  StructScalar index = member(0, 4, integer, "u.i");
  number.is_alternative = index.is_alternative = true;
  for (const BasicEntry& entry : {BasicEntry{"MPI_DOUBLE", 0, 8}, BasicEntry{"MPI_INT", 0, 4}}) {
    const auto parts = compare({entry}, {{number, index}, true}, 8);
    ASSERT_EQ(parts.size(), 1u) << entry.basic;
    EXPECT_EQ(parts.front().verdict, Verdict::fits) << entry.basic;
  }
  EXPECT_TRUE(compare({}, {{number, index}, true}, 8).empty());  // alternatives are never left out
}

TEST(StructComparison, WhatIsLeftOutAndWhatLiesBeyond) {
  StructScalars members = {{member(0, 4, integer, "a"), member(4, 4, ScalarKind::pointer, "p"),
                            member(8, 1, ScalarKind::bit_fields, "bits"), member(12, 4, integer, "b")},
                           true};
  const auto parts = compare({{"MPI_INT", 0, 4}, {"MPI_INT", 16, 4}, {"MPI_INT", -4, 4}}, members, 16);
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_EQ(parts[0].verdict, Verdict::beyond);
  EXPECT_EQ(parts[1].verdict, Verdict::fits);
  EXPECT_EQ(parts[2].verdict, Verdict::left_out);
  EXPECT_EQ(parts[2].member->path, "b");
  EXPECT_EQ(parts[3].verdict, Verdict::beyond);
  EXPECT_EQ(worst_of(parts), Severity::error);
}

// The debuggers' rules are held against the same table (reporters/debugger/agreement_test.py).
TEST(StructComparison, VerdictsAreThoseOfTheTable) {
  constexpr std::array<std::pair<std::string_view, ScalarKind>, 8> kinds = {{
      {"signed_integer", ScalarKind::signed_integer},
      {"unsigned_integer", ScalarKind::unsigned_integer},
      {"boolean", ScalarKind::boolean},
      {"enumeration", ScalarKind::enumeration},
      {"character", ScalarKind::character},
      {"floating", ScalarKind::floating},
      {"complex", ScalarKind::complex},
      {"pointer", ScalarKind::pointer},
  }};
  constexpr std::array<std::pair<std::string_view, Verdict>, 6> verdicts = {{
      {"fits", Verdict::fits},
      {"sign", Verdict::sign},
      {"pointer", Verdict::pointer},
      {"other_kind", Verdict::other_kind},
      {"other_size", Verdict::other_size},
      {"other_place", Verdict::other_place},
  }};
  const auto of_name = [](const auto& table, const std::string& name) {
    const auto* const found =
        std::find_if(table.begin(), table.end(), [&](const auto& one) { return one.first == name; });
    EXPECT_NE(found, table.end()) << name;
    return found == table.end() ? table.front().second : found->second;
  };
  std::ifstream file(DDTSCOPE_VERDICTS);
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  int cases = 0;
  while (std::getline(file, line)) {
    std::istringstream row(line);
    std::array<std::string, 6> fields;
    for (std::string& field : fields) std::getline(row, field, ',');
    const auto& [basic, bytes, kind, kind_bytes, within, verdict] = fields;
    const StructScalar scalar = member(16, std::stoll(kind_bytes), of_name(kinds, kind), "x");
    EXPECT_EQ(verdict_on({basic, 16 + std::stoll(within), std::stoll(bytes)}, scalar), of_name(verdicts, verdict))
        << line;
    ++cases;
  }
  EXPECT_GE(cases, 50);
}

}  // namespace
}  // namespace ddtscope::reporters::comparison_test
