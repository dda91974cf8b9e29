// What the tests of the libraries' rules share: a rule over a store of common types, asked in one line.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <vector>

#include "decoder/bounds/bounds.h"
#include "decoder/testing/test_store.h"

namespace ddtscope::test {

/// A library's answers about a type.
struct Reported {
  std::int64_t size, lb, extent, true_lb, true_extent;
  friend bool operator==(const Reported&, const Reported&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Reported& r) {
    return out << "{" << r.size << ", " << r.lb << ", " << r.extent << ", " << r.true_lb << ", " << r.true_extent
               << "}";
  }
};

class LibraryRuleFixture : public testing::Test {
 protected:
  LibraryRuleFixture(const LibraryConstants& constants, BoundsModel first) : types(constants), first_(first) {}

  /// As the library's first model has it.
  const Bounds& bounds(DefinitionId id) { return bounds(id, first_); }
  const Bounds& bounds(DefinitionId id, BoundsModel model) { return rules_[model].bounds(id); }
  /// Where all values fit.
  Reported reported(DefinitionId id) { return reported(id, first_); }
  Reported reported(DefinitionId id, BoundsModel model) {
    const Bounds& b = bounds(id, model);
    EXPECT_EQ(b.ub, b.lb + b.extent);
    EXPECT_EQ(b.true_ub, b.true_lb + b.true_extent);
    return {*b.size.to_int64(), *b.lb.to_int64(), *b.extent.to_int64(), *b.true_lb.to_int64(),
            *b.true_extent.to_int64()};
  }
  DefinitionId add(const PredefinedType& type) {
    const DefinitionId id = types.store().add_predefined(type);
    types.layouts().add(id);
    return id;
  }
  DefinitionId basic(const char* name, std::int64_t size) {
    return add({name, PredefinedKind::basic, size, size, natural_alignment(name, size), {}, {}, 0});
  }
  DefinitionId hindexed_block(std::int64_t blocklength, const std::vector<std::int64_t>& at, DefinitionId t) {
    return types.make(Combiner::hindexed_block, Form::int_counts,
                      {{static_cast<std::int64_t>(at.size())}, {blocklength}, at}, {t});
  }

  TestStore types;

 private:
  BoundsModel first_;
  AllRules rules_{types.store()};
};

}  // namespace ddtscope::test
