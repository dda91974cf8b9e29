#include "plugin/messages/folded_sequence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

namespace ddtscope::plugin::folded_sequence_test {
namespace {

void expand(const FoldedSymbols& symbols, std::uint32_t place, std::vector<std::uint32_t>& numbers) {
  const FoldedSymbol& symbol = symbols[place];
  for (std::uint64_t i = 0; i < symbol.repeat; ++i) {
    if (symbol.body.empty()) numbers.push_back(symbol.number);
    for (const std::uint32_t part : symbol.body) expand(symbols, part, numbers);
  }
}

struct Folded {
  std::vector<std::uint32_t> numbers;
  std::size_t length = 0;  // of the whole, in symbols
  std::size_t symbols = 0;
};

/// What becomes of a sequence, and what it is when it is expanded.
Folded folded(const std::vector<std::uint32_t>& numbers) {
  FoldedSymbols symbols;
  FoldedSequence sequence(symbols);
  for (const std::uint32_t number : numbers) sequence.append(number);
  Folded result;
  for (const std::uint32_t place : sequence.end()) {
    expand(symbols, place, result.numbers);
    ++result.length;
  }
  result.symbols = symbols.size();
  EXPECT_EQ(sequence.size(), numbers.size());
  return result;
}

void repeat(std::vector<std::uint32_t>& numbers, const std::vector<std::uint32_t>& body, int times) {
  for (int i = 0; i < times; ++i) numbers.insert(numbers.end(), body.begin(), body.end());
}

TEST(FoldedSequence, IsAConstantForALoop) {
  for (const int times : {100, 100000}) {
    std::vector<std::uint32_t> numbers{9};
    repeat(numbers, {1, 2, 2, 3}, times);
    numbers.push_back(9);
    const Folded result = folded(numbers);
    EXPECT_EQ(result.numbers, numbers);
    EXPECT_LE(result.length, 4u);
    EXPECT_LE(result.symbols, 8u);
  }
}

TEST(FoldedSequence, IsAConstantForALoopInALoop) {
  for (const int times : {50, 5000}) {
    std::vector<std::uint32_t> outer{7};
    repeat(outer, {1, 2}, 20);
    outer.push_back(4);
    std::vector<std::uint32_t> numbers;
    repeat(numbers, outer, times);
    const Folded result = folded(numbers);
    EXPECT_EQ(result.numbers, numbers);
    EXPECT_LE(result.length, 12u);
    EXPECT_LE(result.symbols, 12u);
  }
}

TEST(FoldedSequence, KeepsWhatDoesNotRepeat) {
  std::vector<std::uint32_t> numbers(20000);
  std::mt19937 random(1);
  for (std::uint32_t& number : numbers) number = static_cast<std::uint32_t>(random() % 1000);
  const Folded result = folded(numbers);
  EXPECT_EQ(result.numbers, numbers);
  EXPECT_LE(result.symbols, 2100u);
}

TEST(FoldedSequence, IsTheSameWhateverIsFolded) {
  std::mt19937 random(2);
  for (int run = 0; run < 3000; ++run) {
    // Few numbers, and pieces that come again, whole and cut.
    std::vector<std::uint32_t> numbers;
    for (int piece = static_cast<int>(random() % 12); piece >= 0; --piece) {
      std::vector<std::uint32_t> body(1 + random() % 6);
      for (std::uint32_t& number : body) number = static_cast<std::uint32_t>(random() % 3);
      repeat(numbers, body, 1 + static_cast<int>(random() % 9));
      numbers.insert(numbers.end(), body.begin(), body.begin() + static_cast<std::ptrdiff_t>(random() % body.size()));
      if (random() % 3 == 0) repeat(numbers, std::vector<std::uint32_t>(numbers), 1 + static_cast<int>(random() % 2));
      if (numbers.size() > 2000) break;
    }
    ASSERT_EQ(folded(numbers).numbers, numbers) << run;
  }
}

TEST(FoldedSequence, FindsACycleOfAnyLengthThatItIsToFind) {
  for (const std::uint32_t length : {1u, 2u, 7u, 255u, 256u, 257u, 400u}) {
    std::vector<std::uint32_t> body;
    for (std::uint32_t i = 0; i < length; ++i) body.push_back(i % 2 == 0 ? i : 1000 - i);
    std::vector<std::uint32_t> numbers{5000, 5001};
    repeat(numbers, body, 30);
    const Folded result = folded(numbers);
    EXPECT_EQ(result.numbers, numbers) << length;
    EXPECT_EQ(result.length < 10, length <= 256) << length << ": " << result.length;
  }
}

TEST(FoldedSequence, SharesItsSymbolsWithOthers) {
  FoldedSymbols symbols;
  FoldedSequence one(symbols);
  FoldedSequence other(symbols);
  for (int i = 0; i < 100; ++i) {
    for (FoldedSequence* const sequence : {&one, &other}) {
      sequence->append(1);
      sequence->append(2);
    }
  }
  const auto of_one = one.end();
  const auto of_other = other.end();
  EXPECT_TRUE(std::equal(of_one.begin(), of_one.end(), of_other.begin(), of_other.end()));
  EXPECT_LE(symbols.size(), 4u);
}

TEST(FoldedSequence, TakesBackTheLastOne) {
  FoldedSymbols symbols;
  FoldedSequence sequence(symbols);
  for (const std::uint32_t number : {1u, 2u, 2u, 3u}) sequence.append(number);
  EXPECT_FALSE(sequence.take_back(2));
  EXPECT_TRUE(sequence.take_back(3));
  EXPECT_FALSE(sequence.take_back(3));
  for (const std::uint32_t number : {3u, 4u, 4u}) sequence.append(number);
  EXPECT_TRUE(sequence.take_back(4));
  std::vector<std::uint32_t> numbers;
  for (const std::uint32_t place : sequence.end()) expand(symbols, place, numbers);
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{1, 2, 2, 3, 4}));
  EXPECT_EQ(sequence.size(), 5u);
}

TEST(FoldedSequence, MayBeEmpty) { EXPECT_EQ(folded({}).length, 0u); }

}  // namespace
}  // namespace ddtscope::plugin::folded_sequence_test
