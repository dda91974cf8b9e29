// The types of programs that are right: none of them has a warning.
#include <gtest/gtest.h>

#include "decoder/findings/findings_fixture.h"
#include "decoder/notation/constructor_code.h"

namespace ddtscope::test::findings_programs_test {
namespace {

class ProgramsTest : public FindingsTest {
 protected:
  /// All definitions of the store.
  void expect_no_alarm() {
    for (std::uint32_t i = 0; i < types.store().size(); ++i) {
      const DefinitionId id{i};
      for (const Finding& finding : all(id)) {
        EXPECT_EQ(finding.severity, Severity::note) << constructor_call_text(types.store(), id, sources.name_oldtype)
                                                    << ": " << finding.kind->id << ": " << finding.message;
      }
    }
  }
  std::int64_t order_c() const { return types.constants().order_c; }
  std::int64_t order_fortran() const { return types.constants().order_fortran; }
};

TEST_F(ProgramsTest, HaloExchange) {
  types.vector(10, 1, 12, mpi_double);                                      // a column
  types.contiguous(12, mpi_double);                                         // a row
  types.subarray({10, 12}, {8, 10}, {1, 1}, order_c(), mpi_double);         // the interior
  types.subarray({10, 12}, {10, 1}, {0, 11}, order_fortran(), mpi_double);  // an edge
  for (int face = 0; face < 3; ++face) {
    std::vector<std::int64_t> subsizes = {8, 8, 8}, starts = {1, 1, 1};
    subsizes[static_cast<std::size_t>(face)] = 1;
    types.subarray({10, 10, 10}, subsizes, starts, order_c(), named("MPI_REAL"));
  }
  types.hvector(8, 1, 12 * 8 * 10, types.vector(10, 1, 12, mpi_double));  // a plane
  expect_no_alarm();
}

TEST_F(ProgramsTest, CStructs) {
  types.structure({5, 1, 1}, {0, 8, 16}, {mpi_char, mpi_double, mpi_short});  // struct Probe of the demo
  types.resized(particle, 0, 40);
  types.contiguous(100, inner);
  // struct Outer { int id; struct Inner inner[3]; float last; }: resized as it must be.
  types.resized(types.structure({1, 3, 1}, {0, 8, 56}, {mpi_int, inner, named("MPI_FLOAT")}), 0, 64);
  // struct { int n; long double x; }, struct { char c; double complex z; }, struct { short s; struct { double; int } }
  types.structure({1, 1}, {0, 16}, {mpi_int, named("MPI_LONG_DOUBLE")});
  types.structure({1, 1}, {0, 8}, {mpi_char, named("MPI_C_DOUBLE_COMPLEX")});
  types.structure({1, 1}, {0, 8}, {mpi_short, named("MPI_DOUBLE_INT")});
  // Only some members, with the whole struct's bounds.
  types.resized(types.structure({3, 1}, {8, 32}, {mpi_double, mpi_int}), 0, 40);
  types.resized(types.hindexed({3}, {8}, mpi_double), 0, 40);
  // A packed struct with its size.
  types.resized(types.structure({1, 1}, {0, 1}, {mpi_char, mpi_double}), 0, 9);
  // A member's array of structs inside a larger allocation, in the large form.
  types.make(Combiner::structure, Form::large_counts, {{2}, {1, 4}, {0, 8}}, {mpi_int, mpi_double});
  expect_no_alarm();
}

TEST_F(ProgramsTest, SeparateVariablesCountedFromTheFirst) {
  types.structure({1, 1, 1}, {0, 8, 20}, {mpi_double, mpi_double, mpi_int});
  types.structure({1, 1, 1}, {0, -8, -12}, {mpi_double, mpi_double, mpi_int});
  types.structure({1, 1, 1}, {0, 4, 12}, {mpi_int, mpi_double, mpi_double});
  types.structure({1, 1, 1}, {0, 60, -12}, {mpi_char, mpi_int, mpi_char});
  types.structure({1, 100, 50}, {0, 0x10000000, 0x2a2c00001000}, {mpi_int, mpi_double, mpi_int});
  expect_no_alarm();
}

TEST_F(ProgramsTest, MatricesInLinearAlgebra) {
  // BLACS: general matrices, and trapezoids by columns, as indexed and as struct; unit diagonals leave a length 0.
  for (const std::int64_t lda : {4, 7, 64}) {
    types.vector(5, 4, lda, mpi_double);
    types.vector(5, 1, lda, named("MPI_C_DOUBLE_COMPLEX"));
  }
  std::vector<std::int64_t> lengths, upper, lower, bytes;
  for (std::int64_t column = 0; column < 8; ++column) {
    lengths.push_back(column);
    upper.push_back(column * 9);
    lower.push_back(column * 9 + 8 - column);
    bytes.push_back(column * 9 * 8);
  }
  types.indexed(lengths, upper, mpi_double);
  types.indexed(lengths, lower, mpi_double);
  types.hindexed(lengths, bytes, mpi_double);
  types.structure(lengths, bytes, std::vector<DefinitionId>(8, mpi_double));
  types.indexed({8, 7, 6, 5, 4, 3, 2, 1}, {0, 9, 18, 27, 36, 45, 54, 63}, mpi_double);
  // Values and where they stand, side by side: combine operations.
  for (const std::int64_t n : {1, 2, 7}) {
    types.structure({n, n}, {0, n * 8}, {mpi_double, named("MPI_UNSIGNED_SHORT")});
    types.structure({n, n}, {0, n * 16}, {named("MPI_C_DOUBLE_COMPLEX"), mpi_int});
  }
  expect_no_alarm();
}

TEST_F(ProgramsTest, ColumnsTilesAndTransposes) {
  const DefinitionId column = types.resized(types.vector(10, 1, 12, mpi_double), 0, 8);
  types.contiguous(12, column);  // the transpose, with a count of 1
  types.resized(types.contiguous(4, column), 0, 32);
  const DefinitionId tile = types.subarray({16, 16}, {4, 4}, {0, 0}, order_c(), mpi_double);
  types.resized(tile, 0, 8);
  types.resized(tile, 0, 32);
  types.resized(types.vector(4, 4, 16, inner), 0, 16);
  types.resized(types.vector(4, 4, 16, mpi_char), 0, 1);
  expect_no_alarm();
}

TEST_F(ProgramsTest, DistributedArraysOfAGrid) {
  const LibraryConstants& k = types.constants();
  for (const std::int64_t order : {order_c(), order_fortran()}) {
    for (std::int64_t rank = 0; rank < 4; ++rank) {
      const std::int64_t d = k.distribute_dflt_darg;
      types.darray({4, rank, {8, 12}, {k.distribute_block, k.distribute_none}, {d, d}, {4, 1}, order}, mpi_double);
      types.darray({4, rank, {8, 12}, {k.distribute_none, k.distribute_cyclic}, {d, 2}, {1, 4}, order},
                   named("MPI_FLOAT"));
      types.darray({4, rank, {8, 6}, {k.distribute_block, k.distribute_cyclic}, {d, 1}, {2, 2}, order}, mpi_int);
      types.darray({4, rank, {13, 11}, {k.distribute_cyclic, k.distribute_cyclic}, {2, 3}, {2, 2}, order}, mpi_double);
      types.darray({4, rank, {3, 5}, {k.distribute_block, k.distribute_block}, {d, d}, {4, 1}, order}, mpi_double);
    }
  }
  expect_no_alarm();
}

TEST_F(ProgramsTest, OneTypeOfEachConstructor) {
  // testapps/types/constructors.c
  const DefinitionId vector = types.vector(3, 2, 4, mpi_int);
  types.dup(vector);
  types.contiguous(5, mpi_double);
  types.hvector(3, 2, 20, mpi_short);
  types.indexed({2, 1, 3}, {0, 5, 8}, mpi_int);
  types.hindexed({1, 2}, {4, 16}, named("MPI_FLOAT"));
  types.make(Combiner::indexed_block, Form::int_counts, {{3}, {2}, {1, 4, 9}}, {mpi_int});
  types.make(Combiner::hindexed_block, Form::int_counts, {{2}, {3}, {0, 32}}, {mpi_char});
  types.structure({1, 2, 1}, {0, 8, 24}, {mpi_char, mpi_double, vector});
  types.subarray({4, 6}, {2, 3}, {1, 2}, order_c(), mpi_double);
  types.resized(mpi_int, -4, 16);
  types.contiguous(2, named("MPI_DOUBLE_INT"));
  types.contiguous(INT64_C(3) << 31, mpi_double);
  const PredefinedType real = {{}, PredefinedKind::basic, 8, 8, 8, {}, {}, 0};
  types.contiguous(3, types.make_f90(Combiner::f90_real, {{15}, {307}}, real));
  // testapps/types: large_indexed.c, deep_chain.c, doublings.c; testapps/lifecycle: threads.c
  std::vector<std::int64_t> lengths, displacements;
  for (std::int64_t i = 0; i < 1000; ++i) {
    lengths.push_back(1 + i % 3);
    displacements.push_back(5 * i + i * i % 2);
  }
  types.indexed(lengths, displacements, mpi_int);
  DefinitionId chain = mpi_int;
  for (int i = 0; i < 100; ++i) chain = types.structure({1}, {4}, {chain});
  DefinitionId doubled = named("MPI_BYTE");
  for (int i = 0; i < 60; ++i) doubled = types.structure({1, 1}, {0, INT64_C(1) << i}, {doubled, doubled});
  types.structure({1, 1}, {0, 64}, {types.vector(2, 1, 3, mpi_int), types.contiguous(103, mpi_char)});
  expect_no_alarm();
}

TEST_F(ProgramsTest, StringsFilesAndLists) {
  types.contiguous(80, mpi_char);
  types.contiguous(10, types.contiguous(80, named("MPI_CHARACTER")));
  types.make(Combiner::indexed_block, Form::int_counts, {{4}, {1}, {17, 3, 99, 20}}, {mpi_double});  // ghost cells
  types.make(Combiner::hindexed_block, Form::int_counts, {{4}, {1}, {136, 24, 792, 160}}, {mpi_double});
  types.vector(100, 1, 4, types.contiguous(1000, mpi_int));  // a file view
  types.make(Combiner::vector, Form::large_counts, {{1 << 20}, {1 << 20}, {INT64_C(1) << 32}}, {mpi_double});
  // HPL: a panel's parts by their addresses, for MPI_BOTTOM.
  types.structure({100, 64, 1}, {0x7f12c0de1010, 0x7f12c0de1340, 0x55d0c0de1240}, {mpi_double, mpi_int, mpi_int});
  types.structure({100, 64}, {0x7f12c0de1010, 0x7f12c0de1340}, {mpi_double, mpi_double});
  // Parts of one allocation, relative to its first.
  types.structure({100, 64}, {0, 4096}, {mpi_double, mpi_int});
  expect_no_alarm();
}

TEST_F(ProgramsTest, TypesThatLeadBackwards) {
  types.vector(3, 2, -4, mpi_int);
  types.hindexed({1, 1, 1}, {16, 0, -16}, mpi_double);
  types.hvector(8, 1, -24, inner);
  expect_no_alarm();
}

}  // namespace
}  // namespace ddtscope::test::findings_programs_test
