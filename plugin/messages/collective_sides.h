// What a process gives to a collective operation, and gets by it, out of the call's arguments (MPI-4.1 6, 8.6).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "plugin/messages/collective_call.h"
#include "plugin/registry/types_in_use.h"
#include "plugin/uses/use_amounts.h"

namespace ddtscope::plugin {

/// Not synchronised: under the registry's lock, which the types want.
class CollectiveSides {
 public:
  /// `types` must outlive it.
  CollectiveSides(const UseConstants& constants, TypesInUse& types)
      : constants_(constants), types_(types), amounts_(constants) {}

  CollectiveRoot root_of(const UseCall& call) const;
  struct Both {
    CollectiveSide send, receive;
  };
  /// As they are kept in `calls`. None where it is not known yet which type something is.
  std::optional<Both> both_of(const UseCall& call, const Communicator& communicator, CollectiveCalls& calls);

  /// What decides all of the above where no array does: equal words, equal sides.
  using Words = std::array<std::uint64_t, 8>;
  static bool has_arrays(const UseRow& row) { return row.has_count_array[0] || row.has_count_array[1]; }
  Words words_of(const UseCall& call) const;

 private:
  bool add_block(HandleBits type, std::int64_t count, std::uint64_t times);
  bool add_alike(const UseCall& call, const Use& use, const Communicator& communicator);
  bool add_array(const UseCall& call, std::size_t which, const Communicator& communicator);

  const UseConstants constants_;
  TypesInUse& types_;
  UseAmounts amounts_;
  std::vector<BlockRun> blocks_;  // scratch
};

}  // namespace ddtscope::plugin
