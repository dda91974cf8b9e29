// What decoder tests share: a store with common predefined types, and short ways to make definitions.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decoder/definition/definition.h"
#include "decoder/layout/layout.h"

namespace ddtscope::test {

inline constexpr LibraryConstants mpich_constants = {56, 57, 121, 122, 123, -49767};
inline constexpr LibraryConstants openmpi_constants = {0, 1, 0, 1, 2, -1};

using Arguments = std::vector<std::vector<std::int64_t>>;

/// A few predefined types of each kind, as on common machines: what most tests need.
const std::vector<PredefinedType>& common_predefined_types();
/// Those and many more: the integers, complex and Fortran types, and all C pairs.
const std::vector<PredefinedType>& many_predefined_types();

class TestStore {
 public:
  explicit TestStore(LibraryConstants constants = mpich_constants,
                     std::span<const PredefinedType> predefined = common_predefined_types());

  /// The call with arguments in the C order, datatypes apart; a scalar is an array of one.
  DefinitionId make(Combiner combiner, Form form, const Arguments& arguments, std::vector<DefinitionId> oldtypes);
  DefinitionId named(std::string_view name) const { return *store_.find_predefined(name); }
  /// An F90 type; `basic` says what the library makes of it (its name is given by the call).
  DefinitionId make_f90(Combiner combiner, const Arguments& arguments, PredefinedType basic);

  DefinitionId dup(DefinitionId t) { return make(Combiner::dup, Form::int_counts, {}, {t}); }
  DefinitionId contiguous(std::int64_t n, DefinitionId t) {
    return make(Combiner::contiguous, form_for({n}), {{n}}, {t});
  }
  DefinitionId vector(std::int64_t n, std::int64_t bl, std::int64_t stride, DefinitionId t) {
    return make(Combiner::vector, form_for({n, bl, stride}), {{n}, {bl}, {stride}}, {t});
  }
  DefinitionId hvector(std::int64_t n, std::int64_t bl, std::int64_t stride, DefinitionId t) {
    return make(Combiner::hvector, form_for({n, bl}), {{n}, {bl}, {stride}}, {t});
  }
  DefinitionId indexed(const std::vector<std::int64_t>& bl, const std::vector<std::int64_t>& at, DefinitionId t) {
    return make(Combiner::indexed, Form::int_counts, {{count(at)}, bl, at}, {t});
  }
  DefinitionId hindexed(const std::vector<std::int64_t>& bl, const std::vector<std::int64_t>& at, DefinitionId t) {
    return make(Combiner::hindexed, Form::int_counts, {{count(at)}, bl, at}, {t});
  }
  DefinitionId structure(const std::vector<std::int64_t>& bl, const std::vector<std::int64_t>& at,
                         const std::vector<DefinitionId>& t) {
    return make(Combiner::structure, Form::int_counts, {{count(at)}, bl, at}, t);
  }
  DefinitionId resized(DefinitionId t, std::int64_t lb, std::int64_t extent) {
    return make(Combiner::resized, Form::int_counts, {{lb}, {extent}}, {t});
  }
  DefinitionId subarray(const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& subsizes,
                        const std::vector<std::int64_t>& starts, std::int64_t order, DefinitionId t) {
    return make(Combiner::subarray, Form::int_counts, {{count(sizes)}, sizes, subsizes, starts, {order}}, {t});
  }
  struct Grid {
    std::int64_t size, rank;
    std::vector<std::int64_t> gsizes, distribs, dargs, psizes;
    std::int64_t order;
  };
  DefinitionId darray(const Grid& g, DefinitionId t) {
    return make(Combiner::darray, Form::int_counts,
                {{g.size}, {g.rank}, {count(g.gsizes)}, g.gsizes, g.distribs, g.dargs, g.psizes, {g.order}}, {t});
  }

  DefinitionStore& store() { return store_; }
  const DefinitionStore& store() const { return store_; }
  Layouts& layouts() { return layouts_; }
  const Bounds& bounds(DefinitionId id) const { return layouts_.computed(id); }
  const LayoutFacts& facts(DefinitionId id) const { return layouts_.facts(id); }
  const LibraryConstants& constants() const { return store_.constants(); }

  DefinitionId intern(const ConstructorCall& call);

 private:
  static std::int64_t count(const std::vector<std::int64_t>& values) {
    return static_cast<std::int64_t>(values.size());
  }
  /// The int form where it can say the counts.
  static Form form_for(std::initializer_list<std::int64_t> counts);

  DefinitionStore store_;
  Layouts layouts_;
};

}  // namespace ddtscope::test
