// Arithmetic modulo the two primes against the compiler's own remainder.
#include "decoder/base/residue.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace ddtscope::residue_test {
namespace {

constexpr Int128 primes[] = {(Int128{1} << 61) - 1, (Int128{1} << 61) - 45};

std::uint64_t remainder(Int128 value, std::size_t i) {
  return static_cast<std::uint64_t>((value % primes[i] + primes[i]) % primes[i]);
}

TEST(Residue, OfAny128BitInteger) {
  constexpr Int128 greatest = static_cast<Int128>(~static_cast<std::uint64_t>(0) >> 1) << 64 | ~std::uint64_t{0};
  std::vector<Int128> values = {0, 1, -1, greatest, -greatest, -greatest - 1};
  for (const Int128 prime : primes) {
    for (const Int128 factor : {Int128{1}, Int128{45}, prime, prime + 2, greatest / prime}) {
      for (const Int128 near : {-1, 0, 1}) {
        if (near > 0 && prime * factor > greatest - near) continue;
        values.push_back(prime * factor + near);
        values.push_back(-(prime * factor) - near);
      }
    }
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 10000; ++i) {
    values.push_back((static_cast<Int128>(static_cast<std::int64_t>(random())) << 64 | random()) >> (i % 128));
  }
  for (const Int128 value : values) {
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(Residue(value).words()[i], remainder(value, i)) << Exact(value).to_string();
    }
  }
}

TEST(Residue, SumsDifferencesAndProducts) {
  std::mt19937_64 random(2);
  std::vector<std::uint64_t> numbers = {0, 1, 2, 44, 45, 46};
  for (const Int128 prime : primes) {
    for (std::uint64_t back = 1; back < 4; ++back) numbers.push_back(static_cast<std::uint64_t>(prime) - back);
  }
  for (int i = 0; i < 100; ++i) numbers.push_back(random() >> 3);
  for (const std::uint64_t a : numbers) {
    for (const std::uint64_t b : numbers) {
      const Residue x(a, a);
      const Residue y(b, b);
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ((x + y).words()[i], remainder(Int128{a} + b, i));
        EXPECT_EQ((x - y).words()[i], remainder(Int128{a} - b, i));
        EXPECT_EQ((x * y).words()[i], remainder(Int128{a} * b, i));
      }
    }
  }
}

}  // namespace
}  // namespace ddtscope::residue_test
