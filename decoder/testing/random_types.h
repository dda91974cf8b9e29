// Random definitions over all combiners, the same ones for the same seed: unit tests hold what the decoder says of
// them against the standard's text, the differential programs against a library.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "decoder/testing/test_store.h"

namespace ddtscope::test {

/// What may be made, and how far it may go.
struct RandomTypesOptions {
  std::uint64_t seed = 1;
  /// The constructors to draw from; F90 types are leaves, not drawn.
  std::vector<Combiner> combiners = constructors_with_oldtypes();
  std::vector<Form> forms = {Form::int_counts, Form::large_counts};
  int greatest_depth = 6;
  /// Types with more entries, or that reach farther from their origin, are not returned.
  Exact most_entries = 2000;
  Exact farthest_byte = 100000;
  /// One number in so many is drawn from the ends of its type's range; none if 0.
  int one_huge_in = 0;

  /// All combiners that have an oldtype.
  static std::vector<Combiner> constructors_with_oldtypes();
};

/// Makes definitions in a store. The leaves are those that the store holds at the start: predefined types and F90
/// types, with the sizes, extents and alignments that the caller gave them. Later definitions are made of earlier ones,
/// so that subtrees are shared.
class RandomTypes {
 public:
  RandomTypes(TestStore& types, const RandomTypesOptions& options);

  /// The next definition, not always a new one; invalid where it would be too large.
  DefinitionId next();
  /// No later definition is made of this one.
  void avoid(DefinitionId id);

 private:
  using Values = std::vector<std::int64_t>;
  struct Known {
    DefinitionId id;
    int depth;
  };

  std::int64_t number(std::int64_t least, std::int64_t greatest);
  bool one_in(std::int64_t n) { return number(1, n) == 1; }
  template <class... Numbers>
  std::int64_t one_of(Numbers... numbers);
  Values numbers(std::size_t n, std::int64_t least, std::int64_t greatest);

  std::int64_t huge(ParameterKind kind, Form form);
  bool is_huge() { return options_.one_huge_in != 0 && one_in(options_.one_huge_in); }
  std::int64_t few();
  std::int64_t count(Form form);
  std::int64_t blocklength(Form form);
  Values blocklengths(std::size_t n, Form form);
  std::int64_t step(ParameterKind kind, Form form, DefinitionId oldtype, std::int64_t blocklength);
  Values displacements(ParameterKind kind, Form form, const Values& blocklengths,
                       const std::vector<DefinitionId>& oldtypes);
  std::int64_t order();
  std::int64_t unit_of(ParameterKind kind, DefinitionId oldtype) const;

  DefinitionId leaf();
  DefinitionId oldtype(int& depth);
  DefinitionId make(int& depth);
  DefinitionId structure(Form form, int& depth);
  DefinitionId subarray(Form form, DefinitionId oldtype);
  DefinitionId darray(Form form, DefinitionId oldtype);
  DefinitionId resized(Form form, DefinitionId oldtype);

  TestStore& types_;
  RandomTypesOptions options_;
  std::mt19937_64 random_;
  std::vector<DefinitionId> leaves_;
  std::vector<DefinitionId> basic_leaves_;  // one entry each: what VALUE_INDEX takes
  std::vector<Known> pool_;
};

}  // namespace ddtscope::test
