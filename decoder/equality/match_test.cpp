// Type matching against expanded signatures, and where two messages part against places that are known.
#include "decoder/equality/match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "decoder/equality/signature_difference.h"
#include "decoder/testing/random_types.h"
#include "decoder/testing/test_store.h"
#include "decoder/testing/typemap_oracle.h"

namespace ddtscope::test::match_test {
namespace {

constexpr std::int64_t quintillion = 1000000000000000000;

class MatchTest : public testing::Test {
 protected:
  Match of(DefinitionId send, Exact n, DefinitionId receive, Exact m) {
    return match({fingerprints, types.layouts(), send, n}, {fingerprints, types.layouts(), receive, m});
  }
  MatchResult result(DefinitionId send, Exact n, DefinitionId receive, Exact m) {
    const Match match = of(send, n, receive, m);
    const bool has_place = match.result == MatchResult::send_longer || match.result == MatchResult::different_types ||
                           match.result == MatchResult::bytes_and_types;
    EXPECT_EQ(match.difference.has_value(), has_place);
    return match.result;
  }
  std::string name(const std::optional<PredefinedId>& type) const {
    return type ? types.store().predefined()[*type].name : "";
  }
  DefinitionId named(std::string_view name) const { return types.named(name); }
  DefinitionId f90(std::int64_t precision, std::int64_t range) {
    return types.make_f90(Combiner::f90_real, {{precision}, {range}}, {{}, PredefinedKind::basic, 8, 8, 8, {}, {}, 0});
  }

  mutable TestStore types{mpich_constants, many_predefined_types()};
  Fingerprints fingerprints{types.layouts()};
  const DefinitionId mpi_char = named("MPI_CHAR");
  const DefinitionId mpi_int = named("MPI_INT");
  const DefinitionId mpi_double = named("MPI_DOUBLE");
  const DefinitionId mpi_byte = named("MPI_BYTE");
  const DefinitionId mpi_packed = named("MPI_PACKED");
  const DefinitionId record = types.structure({1, 1}, {0, 8}, {mpi_int, mpi_double});
};

TEST_F(MatchTest, OnlyTheOrderOfBasicTypesCounts) {
  EXPECT_EQ(result(types.vector(10, 3, 7, record), 4, record, 120), MatchResult::equal);
  EXPECT_EQ(result(record, 120, types.hvector(3, 40, -900, record), 1), MatchResult::equal);
  const DefinitionId swapped = types.structure({1, 1}, {8, 0}, {mpi_double, mpi_int});
  EXPECT_EQ(result(record, 1, swapped, 1), MatchResult::different_types);
  EXPECT_EQ(result(record, 0, swapped, 0), MatchResult::equal);
}

TEST_F(MatchTest, CopiesOfOneTypeMatchHoweverLong) {
  DefinitionId long_type = mpi_int;
  for (int i = 0; i < 5; ++i) long_type = types.contiguous(2147483647, long_type);
  EXPECT_FALSE(types.layouts().facts(long_type).entries.fits());
  EXPECT_EQ(result(long_type, 3, long_type, 3), MatchResult::equal);
  EXPECT_EQ(result(long_type, 3, long_type, 4), MatchResult::receive_longer);
  EXPECT_EQ(result(long_type, 0, long_type, 4), MatchResult::receive_longer);
  EXPECT_EQ(result(long_type, 4, long_type, 3), MatchResult::undecided);
  EXPECT_EQ(result(long_type, 1, mpi_int, 1), MatchResult::undecided);
}

TEST_F(MatchTest, TheReceiveMayBeLongerAndTheSendMayNot) {
  EXPECT_EQ(result(record, 1, record, 2), MatchResult::receive_longer);
  EXPECT_EQ(result(mpi_int, 1, record, 1), MatchResult::receive_longer);
  EXPECT_EQ(result(types.contiguous(0, mpi_int), 5, mpi_double, 1), MatchResult::receive_longer);
  EXPECT_EQ(result(mpi_double, -3, mpi_int, 1), MatchResult::receive_longer);
  EXPECT_EQ(of(mpi_double, -3, mpi_int, 1).send_entries, Exact(0));
  EXPECT_EQ(result(mpi_int, 1, mpi_packed, 0), MatchResult::send_longer);

  const Match match = of(record, 3, types.structure({1, 1, 1}, {0, 4, 32}, {mpi_int, mpi_double, mpi_int}), 1);
  EXPECT_EQ(match.result, MatchResult::send_longer);
  EXPECT_EQ(match.send_entries, Exact(6));
  EXPECT_EQ(match.receive_entries, Exact(3));
  EXPECT_EQ(match.difference->entry, Exact(3));
  EXPECT_EQ(name(match.difference->send), "MPI_DOUBLE");
  EXPECT_EQ(match.difference->send_displacement, Exact(24));
  EXPECT_EQ(name(match.difference->receive), "");
}

TEST_F(MatchTest, TheDifferenceHasAPlaceOnBothSides) {
  // One column of records, resized; against them a struct of arrays in which the seventh int is a float.
  const DefinitionId column = types.resized(types.hvector(5, 1, 100, record), 0, 16);
  const DefinitionId other =
      types.structure({1, 6, 1, 9}, {-400, 0, 104, 1000},
                      {mpi_int, types.resized(types.structure({1, 1}, {4, 0}, {mpi_double, mpi_int}), 0, 16),
                       mpi_double, named("MPI_FLOAT")});
  const Match match = of(column, 3, other, 2);
  EXPECT_EQ(match.result, MatchResult::different_types);
  EXPECT_EQ(match.difference->entry, Exact(14));
  EXPECT_EQ(name(match.difference->send), "MPI_INT");
  EXPECT_EQ(name(match.difference->receive), "MPI_FLOAT");
  EXPECT_EQ(match.difference->send_displacement, Exact(16 + 200));  // copy 1, block 2
  EXPECT_EQ(match.difference->receive_displacement, Exact(1000));

  const EntryOfCopy sent = entry_of_copy({fingerprints, types.layouts(), column, 3}, match.difference->entry);
  EXPECT_EQ(sent.copy, Exact(1));
  EXPECT_EQ(sent.entry, Exact(4));
  const EntryOfCopy received = entry_of_copy({fingerprints, types.layouts(), other, 2}, match.difference->entry);
  EXPECT_EQ(received.copy, Exact(0));
  EXPECT_EQ(received.entry, Exact(14));
}

TEST_F(MatchTest, CopiesStandOneExtentInUseApart) {
  const DefinitionId odd = types.resized(types.contiguous(2, mpi_int), -8, 1000);
  ObservedBounds observed = {8, -8, 2000, 0, 8};
  types.layouts().observe(odd, observed);
  const DefinitionId other = types.structure({6, 1}, {0, 24}, {mpi_int, mpi_char});
  const Match match = of(other, 1, odd, 4);
  EXPECT_EQ(match.difference->entry, Exact(6));
  EXPECT_EQ(match.difference->send_displacement, Exact(24));
  EXPECT_EQ(match.difference->receive_displacement, Exact(6000));
}

TEST_F(MatchTest, TypesAreEqualByTheirNames) {
  EXPECT_EQ(result(mpi_int, 1, named("MPI_INTEGER"), 1), MatchResult::different_types);
  EXPECT_EQ(result(mpi_double, 1, named("MPI_DOUBLE_PRECISION"), 1), MatchResult::different_types);
  EXPECT_EQ(result(named("MPI_REAL"), 1, named("MPI_FLOAT"), 1), MatchResult::different_types);
  EXPECT_EQ(result(named("MPI_AINT"), 1, named("MPI_COUNT"), 1), MatchResult::different_types);
  EXPECT_EQ(result(named("MPI_C_COMPLEX"), 1, named("MPI_C_FLOAT_COMPLEX"), 1), MatchResult::equal);
  EXPECT_EQ(result(f90(15, 307), 2, f90(15, 307), 2), MatchResult::equal);
  EXPECT_EQ(result(f90(15, 307), 1, f90(15, 300), 1), MatchResult::different_types);
  EXPECT_EQ(result(f90(15, 307), 1, named("MPI_DOUBLE_PRECISION"), 1), MatchResult::different_types);
}

TEST_F(MatchTest, PairsAreTwoEntries) {
  EXPECT_EQ(result(named("MPI_DOUBLE_INT"), 4, types.structure({1, 1}, {0, 8}, {mpi_double, mpi_int}), 4),
            MatchResult::equal);
  EXPECT_EQ(result(named("MPI_2INT"), 4, mpi_int, 8), MatchResult::equal);
  const Match match = of(named("MPI_DOUBLE_INT"), 4, mpi_double, 8);
  EXPECT_EQ(match.difference->entry, Exact(1));
  EXPECT_EQ(match.difference->send_displacement, Exact(8));
}

TEST_F(MatchTest, BytesMatchBytesOnly) {
  EXPECT_EQ(result(mpi_byte, 8, types.contiguous(4, mpi_byte), 2), MatchResult::equal);
  EXPECT_EQ(result(mpi_byte, 4, mpi_int, 1), MatchResult::bytes_and_types);
  EXPECT_EQ(result(mpi_char, 4, mpi_byte, 4), MatchResult::bytes_and_types);
  const DefinitionId mixed = types.structure({1, 4}, {0, 8}, {mpi_double, mpi_byte});
  const DefinitionId typed = types.structure({1, 1}, {0, 8}, {mpi_double, mpi_int});
  EXPECT_EQ(of(mixed, 1, typed, 1).difference->entry, Exact(1));
  EXPECT_EQ(result(mixed, 1, typed, 1), MatchResult::bytes_and_types);
  EXPECT_EQ(result(mixed, 2, mixed, 3), MatchResult::receive_longer);
  EXPECT_EQ(result(mixed, 1, types.structure({1, 1}, {0, 8}, {mpi_int, mpi_byte}), 1), MatchResult::different_types);
}

TEST_F(MatchTest, PackedMatchesWhatHasRoom) {
  EXPECT_EQ(result(mpi_packed, 24, record, 2), MatchResult::packed);
  EXPECT_EQ(result(mpi_packed, 20, record, 2), MatchResult::packed);
  EXPECT_EQ(result(record, 2, types.contiguous(100, mpi_packed), 1), MatchResult::packed);
  EXPECT_EQ(result(mpi_byte, 8, mpi_packed, 8), MatchResult::packed);
  EXPECT_EQ(result(mpi_packed, 8, mpi_packed, 8), MatchResult::equal);
  EXPECT_EQ(result(mpi_packed, 8, mpi_packed, 9), MatchResult::receive_longer);
  EXPECT_EQ(result(mpi_packed, 9, mpi_packed, 8), MatchResult::send_longer);
  // Nothing is the beginning of anything.
  EXPECT_EQ(result(mpi_int, 0, mpi_packed, 8), MatchResult::receive_longer);
  EXPECT_EQ(result(mpi_packed, 0, mpi_int, 0), MatchResult::equal);
}

TEST_F(MatchTest, APackedReceiveThatIsTooShortCutsTheSend) {
  const DefinitionId column = types.resized(types.hvector(5, 1, 100, record), 0, 16);  // 60 bytes each
  for (const auto& [room, entry, displacement] :
       {std::array{0 + 60, 10, 16}, std::array{63, 10, 16}, std::array{64, 11, 24}, std::array{119, 19, 424}}) {
    const Match match = of(column, 2, mpi_packed, room);
    EXPECT_EQ(match.result, MatchResult::send_longer);
    EXPECT_EQ(match.difference->entry, Exact(entry)) << room;
    EXPECT_EQ(match.difference->send_displacement, Exact(displacement)) << room;
    EXPECT_FALSE(match.difference->receive);
  }
  EXPECT_EQ(result(column, 2, mpi_packed, 120), MatchResult::packed);
  const DefinitionId ragged = types.structure({2, 0, 3}, {0, 0, 64}, {record, mpi_char, mpi_int});
  EXPECT_EQ(of(ragged, 1, mpi_packed, 29).difference->entry, Exact(5));
  const Match match = of(mpi_packed, 100, record, 2);
  EXPECT_EQ(match.result, MatchResult::send_longer);
  EXPECT_EQ(match.difference->entry, Exact(24));
  EXPECT_EQ(match.difference->send_displacement, Exact(24));
}

TEST_F(MatchTest, APackedEntryAmongOthersEqualsItselfAlone) {
  const DefinitionId mixed = types.structure({1, 4}, {0, 4}, {mpi_int, mpi_packed});
  EXPECT_EQ(result(mixed, 3, mixed, 3), MatchResult::equal);
  EXPECT_EQ(result(mixed, 1, types.contiguous(2, mpi_int), 1), MatchResult::different_types);
  EXPECT_EQ(result(mixed, 1, types.structure({1, 4}, {0, 4}, {mpi_int, mpi_byte}), 1), MatchResult::different_types);
  EXPECT_EQ(result(mixed, 1, mpi_packed, 8), MatchResult::packed);
}

TEST_F(MatchTest, LengthsAreExactToTheEndOf128Bits) {
  DefinitionId huge = record;
  for (int i = 0; i < 2; ++i) huge = types.contiguous(INT64_MAX, huge);
  const Exact entries = types.facts(huge).entries;  // near 2^127
  ASSERT_TRUE(entries.fits());
  EXPECT_EQ(result(huge, 1, record, entries), MatchResult::undecided);  // twice as many do not fit
  const Exact half = Exact(INT64_MAX) * Exact(INT64_MAX);
  EXPECT_EQ(result(huge, 1, record, half), MatchResult::equal);
  EXPECT_EQ(result(record, half, huge, 1), MatchResult::equal);
  const Match longer = of(huge, 1, record, half - 1);
  EXPECT_EQ(longer.result, MatchResult::send_longer);
  EXPECT_EQ(longer.difference->entry, entries - 2);
  EXPECT_FALSE(longer.difference->send_displacement.fits());
  EXPECT_EQ(result(types.contiguous(3, huge), 1, record, 1), MatchResult::undecided);
  EXPECT_EQ(result(record, 1, huge, 2), MatchResult::undecided);
  EXPECT_EQ(result(types.contiguous(3, huge), 0, record, 1), MatchResult::receive_longer);
  EXPECT_EQ(result(huge, 1, mpi_packed, quintillion), MatchResult::undecided);  // 6 * 2^126 bytes
}

TEST_F(MatchTest, SidesMayBeOfDifferentStores) {
  std::vector<PredefinedType> reversed = many_predefined_types();
  std::reverse(reversed.begin(), reversed.end());
  std::stable_partition(reversed.begin(), reversed.end(),
                        [](const PredefinedType& type) { return type.kind == PredefinedKind::basic; });
  TestStore others(openmpi_constants, reversed);
  Fingerprints their_fingerprints(others.layouts());
  const DefinitionId theirs = others.structure(
      {1, 1, 1, 1}, {0, 8, 16, 24},
      {others.named("MPI_INT"), others.named("MPI_DOUBLE"), others.named("MPI_INT"), others.named("MPI_REAL")});
  const MessageSide receive = {their_fingerprints, others.layouts(), theirs, 1};
  const Match parted = match({fingerprints, types.layouts(), record, 2}, receive);
  EXPECT_EQ(parted.result, MatchResult::different_types);
  EXPECT_EQ(parted.difference->entry, Exact(3));
  EXPECT_EQ(name(parted.difference->send), "MPI_DOUBLE");
  EXPECT_EQ(others.store().predefined()[*parted.difference->receive].name, "MPI_REAL");
  EXPECT_EQ(match({fingerprints, types.layouts(), record, 1}, receive).result, MatchResult::receive_longer);
}

/// Sequences of ints and doubles, of which types are built in ways of their own.
class Sequences {
 public:
  using Word = std::vector<DefinitionId>;

  Sequences(TestStore& types, std::uint64_t seed) : types_(types), random_(seed) {}

  std::int64_t number(std::int64_t least, std::int64_t greatest) {
    return std::uniform_int_distribution<std::int64_t>(least, greatest)(random_);
  }
  DefinitionId letter() { return types_.named(number(0, 1) == 0 ? "MPI_INT" : "MPI_DOUBLE"); }
  Word word(std::int64_t length) {
    Word result;
    for (std::int64_t i = 0; i < length; ++i) result.push_back(letter());
    return result;
  }

  /// The word, cut at random, and the pieces cut again.
  DefinitionId type_of(const Word& word) {
    if (word.empty()) return types_.contiguous(0, letter());
    if (word.size() == 1) return word[0];
    std::vector<DefinitionId> pieces;
    for (std::size_t begin = 0; begin < word.size();) {
      const auto left = static_cast<std::int64_t>(word.size() - begin);
      const auto length = number(1, std::max<std::int64_t>(1, std::min<std::int64_t>(left, number(1, 2) * left / 2)));
      const auto from = word.begin() + static_cast<std::ptrdiff_t>(begin);
      if (static_cast<std::size_t>(length) == word.size()) continue;
      pieces.push_back(type_of(Word(from, from + length)));
      begin += static_cast<std::size_t>(length);
    }
    return together(pieces);
  }

  DefinitionId together(const std::vector<DefinitionId>& pieces) {
    std::vector<std::int64_t> at;
    for (std::size_t i = 0; i < pieces.size(); ++i) at.push_back(number(-50, 50));
    return types_.structure(std::vector<std::int64_t>(pieces.size(), 1), at, pieces);
  }

  /// The first `length` entries of copies of the word without end: nests of a random beginning, loops over the word
  /// turned accordingly, and what is left.
  DefinitionId copies_of(const Word& word, std::int64_t length) {
    const auto period = static_cast<std::int64_t>(word.size());
    std::vector<DefinitionId> pieces;
    std::int64_t done = 0;
    const auto take = [&](std::int64_t n) {
      Word piece;
      for (std::int64_t i = 0; i < n; ++i) piece.push_back(word[static_cast<std::size_t>((done + i) % period)]);
      return piece;
    };
    while (done < length) {
      const std::int64_t some = number(0, std::min<std::int64_t>(length - done, 2 * period));
      pieces.push_back(type_of(take(some)));
      done += some;
      // One period or several of them, several times.
      const std::int64_t inner = number(1, 3) * period;
      std::int64_t outer = (length - done) / inner;
      if (outer == 0) {
        if (length - done < 2 * period) {
          pieces.push_back(type_of(take(length - done)));
          done = length;
        }
        continue;
      }
      if (number(0, 1) == 0) outer = number(1, outer);
      const DefinitionId loop = types_.resized(type_of(take(inner)), 0, number(-8, 40));
      const std::int64_t factor = number(1, 1 + outer / 2);
      pieces.push_back(types_.contiguous(outer / factor, types_.vector(factor, 1, number(-3, 3), loop)));
      done += outer / factor * factor * inner;
    }
    return together(pieces);
  }

 private:
  TestStore& types_;
  std::mt19937_64 random_;
};

TEST_F(MatchTest, OneWrongEntryDeepInALargeNestIsFound) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Sequences sequences(types, seed);
    const std::int64_t longest = std::int64_t{1} << sequences.number(3, 60);
    const std::int64_t length = sequences.number(2, longest);
    const Sequences::Word word = sequences.word(sequences.number(1, 12));
    const std::int64_t wrong = sequences.number(0, length - 1);
    const auto period = static_cast<std::int64_t>(word.size());
    Sequences::Word turned;
    for (std::int64_t i = 0; i < period; ++i)
      turned.push_back(word[static_cast<std::size_t>((wrong + 1 + i) % period)]);
    const DefinitionId right = sequences.copies_of(word, length);
    const DefinitionId parted = sequences.together(
        {sequences.copies_of(word, wrong), mpi_char, sequences.copies_of(turned, length - wrong - 1)});
    ASSERT_EQ(types.facts(right).entries, Exact(length));
    ASSERT_EQ(types.facts(parted).entries, Exact(length));
    EXPECT_EQ(result(right, 1, sequences.copies_of(word, length), 1), MatchResult::equal) << seed;

    const std::int64_t copy = sequences.number(1, 9);
    const DefinitionId copies = sequences.together({types.contiguous(copy, right), parted, right});
    const Match match = of(right, copy + 2, copies, 1);
    EXPECT_EQ(match.result, MatchResult::different_types);
    ASSERT_EQ(match.difference->entry, Exact(copy) * Exact(length) + Exact(wrong)) << "seed " << seed;
    EXPECT_EQ(name(match.difference->receive), "MPI_CHAR");
    EXPECT_EQ(match.difference->send, types.facts(word[static_cast<std::size_t>(wrong % period)]).first_type);
    // The same from both structures alone, and by bisection alone or after a few steps.
    const RepeatedSignature one = {fingerprints, types.layouts().root(parted)};
    const RepeatedSignature other = {fingerprints, types.layouts().root(right)};
    const Search search = follow_structures(one, other, length, 2000);
    EXPECT_TRUE(search.is_found) << seed;
    EXPECT_EQ(search.entry, Int128{wrong}) << seed;
    for (const std::size_t comparisons : {0u, 1u, 5u, 20u}) {
      const Int128 equal = follow_structures(one, other, length, comparisons).entry;
      EXPECT_LE(equal, Int128{wrong});
      EXPECT_EQ(bisect(one, other, equal, length), Int128{wrong}) << seed;
    }
  }
}

TEST_F(MatchTest, DeepAndSharedNestsAreComparedInTheirDescriptionsTime) {
  DefinitionId chain = mpi_int;
  DefinitionId wrong = mpi_double;
  for (int i = 0; i < 10000; ++i) {
    chain = types.structure({1, 1}, {0, 8}, {chain, mpi_int});
    wrong = types.structure({1, 1}, {0, 8}, {wrong, mpi_int});
  }
  EXPECT_EQ(of(chain, 2, wrong, 2).difference->entry, Exact(0));
  EXPECT_EQ(result(chain, 1, mpi_int, 10001), MatchResult::equal);

  // Words that never repeat (Thue and Morse): a' = ab, b' = ba; the others shifted by one entry.
  DefinitionId a = mpi_int;
  DefinitionId b = mpi_double;
  std::vector<DefinitionId> all_a, all_b;
  for (int i = 0; i < 60; ++i) {
    all_a.push_back(a);
    all_b.push_back(b);
    const DefinitionId next = types.structure({1, 1}, {0, 8}, {a, b});
    b = types.structure({1, 1}, {0, 8}, {b, a});
    a = next;
  }
  // a60 = a0 b0 b1 ... b59.
  std::vector<DefinitionId> pieces = {mpi_int};
  pieces.insert(pieces.end(), all_b.begin(), all_b.end());
  const DefinitionId unrolled =
      types.structure(std::vector<std::int64_t>(61, 1), std::vector<std::int64_t>(61, 0), pieces);
  EXPECT_EQ(result(a, 1, unrolled, 1), MatchResult::equal);
  pieces[50] = all_a[49];
  const DefinitionId parted =
      types.structure(std::vector<std::int64_t>(61, 1), std::vector<std::int64_t>(61, 0), pieces);
  EXPECT_EQ(of(a, 1, parted, 1).difference->entry, Exact(std::int64_t{1} << 49));
}

TEST(Match, OfRandomTypesIsThatOfTheirExpandedSignatures) {
  const PredefinedType few[] = {{"MPI_INT", PredefinedKind::basic, 4, 4, 4, {}, {}, 0},
                                {"MPI_SHORT", PredefinedKind::basic, 2, 2, 2, {}, {}, 0},
                                {"MPI_BYTE", PredefinedKind::basic, 1, 1, 1, {}, {}, 0},
                                {"MPI_SHORT_INT", PredefinedKind::pair, 6, 8, 4, "MPI_SHORT", "MPI_INT", 4}};
  TestStore types(mpich_constants, few);
  RandomTypesOptions options;
  options.seed = 77;
  options.most_entries = 40;
  RandomTypes random(types, options);
  Oracle oracle(types.store());
  Fingerprints fingerprints(types.layouts());
  std::vector<DefinitionId> made;
  for (int i = 0; i < 3000; ++i) {
    const DefinitionId id = random.next();
    if (id.valid()) made.push_back(id);
  }
  std::array<int, 8> seen{};
  std::mt19937_64 choice(3);
  for (int round = 0; round < 40000; ++round) {
    struct Side {
      DefinitionId type;
      std::int64_t count;
      OracleTypemap entries;
    };
    std::array<Side, 2> sides;
    for (Side& side : sides) {
      side = {made[choice() % made.size()], static_cast<std::int64_t>(choice() % 5), {}};
      const OracleTypemap one = oracle.entries(side.type);
      for (std::int64_t copy = 0; copy < side.count; ++copy) {
        for (OracleEntry entry : one) {
          entry.displacement += copy * oracle.bounds(side.type).extent();
          side.entries.push_back(entry);
        }
      }
    }
    const auto& [send, receive] = sides;
    const Match found = match({fingerprints, types.layouts(), send.type, send.count},
                              {fingerprints, types.layouts(), receive.type, receive.count});
    ++seen[static_cast<std::size_t>(found.result)];
    std::size_t k = 0;
    while (k < send.entries.size() && k < receive.entries.size() && send.entries[k].type == receive.entries[k].type) {
      ++k;
    }
    ASSERT_EQ(found.send_entries, Exact(static_cast<std::int64_t>(send.entries.size())));
    ASSERT_EQ(found.receive_entries, Exact(static_cast<std::int64_t>(receive.entries.size())));
    if (k == send.entries.size()) {
      ASSERT_EQ(found.result, k == receive.entries.size() ? MatchResult::equal : MatchResult::receive_longer);
      continue;
    }
    ASSERT_TRUE(found.difference);
    ASSERT_EQ(found.difference->entry, Exact(static_cast<std::int64_t>(k)))
        << send.type.value << " " << receive.type.value;
    EXPECT_EQ(found.difference->send, send.entries[k].type);
    EXPECT_EQ(found.difference->send_displacement, Exact(send.entries[k].displacement));
    if (k == receive.entries.size()) {
      ASSERT_EQ(found.result, MatchResult::send_longer);
      continue;
    }
    EXPECT_EQ(found.difference->receive, receive.entries[k].type);
    EXPECT_EQ(found.difference->receive_displacement, Exact(receive.entries[k].displacement));
    const auto is_byte = [&](PredefinedId type) { return types.store().predefined()[type].name == "MPI_BYTE"; };
    const bool has_bytes = is_byte(send.entries[k].type) || is_byte(receive.entries[k].type);
    ASSERT_EQ(found.result, has_bytes ? MatchResult::bytes_and_types : MatchResult::different_types);
  }
  for (const MatchResult result : {MatchResult::equal, MatchResult::receive_longer, MatchResult::send_longer,
                                   MatchResult::different_types, MatchResult::bytes_and_types}) {
    EXPECT_GT(seen[static_cast<std::size_t>(result)], 500) << text_of(result);
  }
}

}  // namespace
}  // namespace ddtscope::test::match_test
