// A batch: a few hundred random definitions that share a store, made and compared one after another; the same ones for
// the same seed and number, whatever process does them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "testapps/differential/comparison.h"

namespace ddtscope::differential {

/// A definition's place among those that are compared in its batch. Its number in the store may differ from process to
/// process: an explanation may put definitions of its own there.
using Place = std::uint32_t;
inline constexpr Place no_place = UINT32_MAX;

/// What ended a process in the middle of a batch. The definition is then not touched any more.
struct Casualty {
  Place place;
  Difference difference;
};

struct BatchOptions {
  std::uint64_t seed = 1;
  std::uint64_t number = 0;
  std::vector<Casualty> casualties = {};
  /// Nothing is made of these: the library refused them.
  std::vector<Place> avoided = {};
};
inline constexpr int definitions_in_a_batch = 250;

/// Where a process is; another one reads it when the process has died.
struct Progress {
  std::atomic<std::uint64_t> batch = 0;
  std::atomic<Place> place = no_place;  // while no case is being done
  std::atomic<Aspect> aspect = Aspect::construct;
  std::atomic<std::uint64_t> steps = 0;
};

struct BatchResult {
  std::array<std::uint64_t, combiner_count> cases{};  // by combiner
  std::uint64_t packed = 0;
  std::uint64_t standard_differs = 0;              // bounds by the standard's text are not the library's
  std::map<std::string, std::uint64_t> explained;  // by bug
  struct Failure {
    Place place;
    Difference difference;
  };
  std::vector<Place> avoided;     // refused by the library
  std::vector<Failure> failures;  // the first unexplained difference of each case
};

BatchResult run_batch(const BatchOptions& options, Progress& progress);

/// A store that holds the definition of a batch, and what it is made of.
struct Remade {
  std::unique_ptr<test::TestStore> types;
  DefinitionId definition;
};
Remade remake(const BatchOptions& options, Place place);

}  // namespace ddtscope::differential
