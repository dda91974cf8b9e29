// The standard's definitions of the constructors, word by word and without any cleverness: typemaps as
// long lists, markers among the entries. Tests hold the layouts against them.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "decoder/definition/definition.h"

namespace ddtscope::test {

struct OracleEntry {
  enum class Kind : std::uint8_t { basic, lb_marker, ub_marker };
  Kind kind = Kind::basic;
  PredefinedId type;
  std::int64_t displacement = 0;
  std::int64_t size = 0;
};
using OracleTypemap = std::vector<OracleEntry>;

struct OracleBounds {
  std::int64_t size = 0, lb = 0, ub = 0, true_lb = 0, true_ub = 0, alignment = 1;
  std::int64_t extent() const { return ub - lb; }
};

class Oracle {
 public:
  explicit Oracle(const DefinitionStore& store) : store_(store) {}

  /// With markers.
  const OracleTypemap& typemap(DefinitionId id);
  /// Entries only.
  OracleTypemap entries(DefinitionId id);
  OracleBounds bounds(DefinitionId id);
  /// Of a predefined type the library's own.
  std::int64_t extent(DefinitionId id);

 private:
  OracleTypemap expand(const Definition& definition);
  OracleTypemap predefined(PredefinedId id) const;
  OracleBounds bounds_of(const OracleTypemap& typemap) const;
  OracleTypemap subarray(std::vector<std::int64_t> sizes, std::vector<std::int64_t> subsizes,
                         std::vector<std::int64_t> starts, std::int64_t order, const OracleTypemap& oldtype,
                         std::int64_t ex) const;
  OracleTypemap darray(const ConstructorCall& call);

  const DefinitionStore& store_;
  std::unordered_map<std::uint32_t, OracleTypemap> typemaps_;
};

}  // namespace ddtscope::test
