// Types of a job that are the same in memory, however they were built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "decoder/equality/fingerprint.h"
#include "reporters/model/job.h"

namespace ddtscope::reporters {

/// Types with equal typemaps, lower bounds and extents: one does for all of them, with any count. Signatures are
/// then equal, too.
struct LayoutGroup {
  std::optional<Fingerprint> layout;  // empty where a displacement does not fit 128 bits: the type is alone
  Exact lb, extent;                   // those in use: the library's where they are known
  Exact size;
  std::vector<TypeNumber> types;  // ascending
};

/// All made types of a job, by the first number in the group. Most groups of a large job have one type: a group is
/// put together when it is asked for. The job must outlive them. Time grows with the types'
/// descriptions.
class LayoutGroups {
 public:
  explicit LayoutGroups(const Job& job);

  std::size_t size() const { return groups_.size(); }
  LayoutGroup operator[](std::size_t group) const;
  /// How many types the group has.
  std::uint32_t types(std::size_t group) const { return groups_[group].types; }

 private:
  static constexpr std::uint32_t none = 0;  // no type has this number
  static constexpr std::uint64_t no_hash = 0;
  struct Group {
    std::optional<Fingerprint> layout;
    std::uint64_t hash;         // of layout and bounds
    std::uint32_t first, last;  // types
    std::uint32_t types;
  };

  DefinitionId definition(std::uint32_t type) const { return job_.type(TypeNumber{type}).definition; }
  template <class Is>
  std::size_t slot_with(std::uint64_t hash, Is is) const;
  void enlarge_table();

  const Job& job_;
  mutable Layouts layouts_;  // some
  std::vector<Group> groups_;
  std::vector<std::uint32_t> next_;   // by TypeNumber less one: the next type of the same group
  std::vector<std::uint32_t> slots_;  // open addressing by hash: the group's number and one, or none
};

}  // namespace ddtscope::reporters
