// What tests of findings share: the sources over one store, and findings by their kind.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decoder/findings/findings.h"
#include "decoder/testing/test_store.h"

namespace ddtscope::test {

/// Everything that findings are drawn from, over a store of its own.
struct FindingsStore {
  explicit FindingsStore(LibraryConstants constants = openmpi_constants) : types(constants, many_predefined_types()) {}

  std::vector<Finding> all(DefinitionId id) { return findings_of(sources, id); }

  TestStore types;
  AllRules rules{types.store()};
  Fingerprints fingerprints{types.layouts()};
  Simplifier simplifier{types.store(), types.layouts()};
  FindingSources sources{types.layouts(), rules, fingerprints, simplifier,
                         [](DefinitionId id) { return "T" + std::to_string(id.value); }};
};

class FindingsTest : public testing::Test, protected FindingsStore {
 protected:
  /// Empty where the type has no such finding.
  std::string severity(DefinitionId id, std::string_view kind) {
    const std::optional<Finding> finding = find(id, kind);
    return finding ? std::string(text_of(finding->severity)) : "";
  }
  std::string message(DefinitionId id, std::string_view kind) {
    const std::optional<Finding> finding = find(id, kind);
    return finding ? finding->message : "";
  }
  std::string advice(DefinitionId id, std::string_view kind) {
    const std::optional<Finding> finding = find(id, kind);
    return finding ? finding->advice : "";
  }
  std::string name(DefinitionId id) const { return "T" + std::to_string(id.value); }

  DefinitionId named(std::string_view type) const { return types.named(type); }

  const DefinitionId mpi_char = named("MPI_CHAR");
  const DefinitionId mpi_short = named("MPI_SHORT");
  const DefinitionId mpi_int = named("MPI_INT");
  const DefinitionId mpi_double = named("MPI_DOUBLE");
  /// struct { char kind; double position[3]; int cell; short charge; }: 40 bytes.
  const DefinitionId particle =
      types.structure({1, 3, 1, 1}, {0, 8, 32, 36}, {mpi_char, mpi_double, mpi_int, mpi_short});
  /// struct { double value; int id; }: 16 bytes, with its bounds set.
  const DefinitionId inner = types.resized(types.structure({1, 1}, {0, 8}, {mpi_double, mpi_int}), 0, 16);

 private:
  std::optional<Finding> find(DefinitionId id, std::string_view kind) {
    for (const Finding& finding : all(id)) {
      if (finding.kind->id == kind) return finding;
    }
    return std::nullopt;
  }
};

}  // namespace ddtscope::test
