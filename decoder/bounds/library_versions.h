// The releases of the libraries that the rules for bounds were held against, and which of them a running library is
// taken for.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ddtscope {

/// Whose arithmetic: MPI-4.1 by its text, Open MPI's, MPICH's (both as on 64-bit Linux).
enum class BoundsRule : std::uint8_t { standard, openmpi, mpich };
inline constexpr BoundsRule bounds_rules[] = {BoundsRule::standard, BoundsRule::openmpi, BoundsRule::mpich};
/// Without the standard's.
inline constexpr std::span<const BoundsRule> library_rules = std::span<const BoundsRule>(bounds_rules).subspan(1);
static_assert(bounds_rules[0] == BoundsRule::standard);
std::string_view text_of(BoundsRule rule);  // "standard", "openmpi", "mpich"

/// One way of computing bounds: releases of a library that answer alike share one, named by the first of them.
enum class BoundsModel : std::uint8_t { standard, openmpi_4_1, openmpi_5_0, openmpi_6_0, mpich_4_0, mpich_5_0 };
inline constexpr BoundsModel bounds_models[] = {BoundsModel::standard,    BoundsModel::openmpi_4_1,
                                                BoundsModel::openmpi_5_0, BoundsModel::openmpi_6_0,
                                                BoundsModel::mpich_4_0,   BoundsModel::mpich_5_0};

constexpr BoundsRule rule_of(BoundsModel model) {
  switch (model) {
    case BoundsModel::standard:
      break;
    case BoundsModel::openmpi_4_1:
    case BoundsModel::openmpi_5_0:
    case BoundsModel::openmpi_6_0:
      return BoundsRule::openmpi;
    case BoundsModel::mpich_4_0:
    case BoundsModel::mpich_5_0:
      return BoundsRule::mpich;
  }
  return BoundsRule::standard;
}

/// "6.0.0rc2" as it is ordered: before 6.0.0, after 5.0.7.
struct ReleaseNumber {
  enum Stage : std::uint8_t { alpha, beta, candidate, final, patched };
  int major = 0, minor = 0, patch = 0;
  Stage stage = final;
  int stage_number = 0;
  friend constexpr auto operator<=>(const ReleaseNumber&, const ReleaseNumber&) = default;
};

/// A release whose answers the rule was compared with. Texts are views of literals, which end with a zero.
struct ModelledRelease {
  BoundsRule rule;
  BoundsModel model;
  ReleaseNumber number;
  std::string_view name;     // "Open MPI 5.0.7", "MPI-4.1"
  std::string_view version;  // "5.0.7"
  std::string_view series;   // "5.0"
};
/// Oldest first, never empty; by the standard's rule MPI-4.1 alone.
std::span<const ModelledRelease> modelled_releases(BoundsRule rule);
const ModelledRelease& newest_release(BoundsRule rule);
/// Two releases of a rule and all between them: "Open MPI 4.1 to 6.0", "Open MPI 5.0", "MPI-4.1".
std::string text_of_releases(const ModelledRelease& first, const ModelledRelease& last);
/// "Open MPI"; nothing for the standard, whose text has one name only.
std::string_view product_name(BoundsRule rule);

/// Of what MPI_Get_library_version gives: "Open MPI v4.1.4, package: Debian OpenMPI", "MPICH Version: 4.0.2".
std::string first_line_of_version(std::string_view library_version);
/// The same, to the first comma: "Open MPI v4.1.4", "MPICH Version: 4.0.2".
std::string product_and_release(std::string_view library_version);

/// A library as it calls itself, and the release whose rule is taken for it.
struct TakenRelease {
  const ModelledRelease* release;
  /// A sentence that says so where the library is no modelled release; else empty.
  std::string remark;
};
/// `library_version` is what MPI_Get_library_version gives, or a number alone: "5.0.7". Between two modelled releases
/// the older one is taken, before the first the first, and for all else the newest.
TakenRelease release_taken_for(BoundsRule library, std::string_view library_version);

/// Which release stands for each rule: without a library to ask, the newest.
class ChosenReleases {
 public:
  const ModelledRelease& operator[](BoundsRule rule) const {
    const ModelledRelease* chosen = chosen_[static_cast<std::size_t>(rule)];
    return chosen != nullptr ? *chosen : newest_release(rule);
  }
  void choose(const ModelledRelease& release) { chosen_[static_cast<std::size_t>(release.rule)] = &release; }

 private:
  const ModelledRelease* chosen_[std::size(bounds_rules)] = {};
};

}  // namespace ddtscope
