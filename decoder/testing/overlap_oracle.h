// Which bytes a typemap touches, one by one: what the overlap tests are held against.
#pragma once

#include <cstdint>
#include <vector>

#include "decoder/testing/typemap_oracle.h"

namespace ddtscope::test {

class OracleBytes {
 public:
  explicit OracleBytes(const OracleTypemap& entries);

  std::int64_t covered() const;
  /// How often one copy touches the byte at this displacement.
  int times(std::int64_t byte) const;
  bool overlap_within() const;
  /// The smallest k >= 1 so that copies 0 and k, `extent` apart, share a byte; 0 if there is none.
  std::int64_t first_overlapping_copy(std::int64_t extent) const;
  /// Whether `count` copies touch some byte twice.
  bool overlap_of_count(std::int64_t extent, std::int64_t count) const;

 private:
  std::int64_t span() const { return static_cast<std::int64_t>(times_.size()); }

  std::int64_t first_ = 0;  // displacement of the first byte counted
  std::vector<int> times_;
};

}  // namespace ddtscope::test
