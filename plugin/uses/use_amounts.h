// How much of which types a call uses, out of its arguments and the communicator (MPI-4.1 2.5, 6; what counts: the
// trace's FORMAT.md).
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "plugin/call/entry_point.h"
#include "plugin/call/stack.h"
#include "plugin/registry/library_queries.h"
#include "plugin/uses/communicators.h"
#include "plugin/uses/use_row.h"

namespace ddtscope::plugin {

/// An element of an array of integers or handles, each of `bytes` bytes.
inline std::int64_t element_in_memory(const void* array, std::size_t i, std::uint8_t bytes) {
  if (bytes == 4) {
    std::int32_t value;
    std::memcpy(&value, static_cast<const char*>(array) + i * 4, sizeof value);
    return value;
  }
  std::int64_t value;
  std::memcpy(&value, static_cast<const char*>(array) + i * 8, sizeof value);
  return value;
}
inline HandleBits bits_of_word(std::int64_t word, std::uint8_t bytes) {
  return bytes == 4 ? static_cast<std::uint32_t>(word) : static_cast<HandleBits>(word);
}

/// The handle number `i` of an array of them, each of `bytes` bytes.
inline HandleBits handle_in_memory(const void* handles, std::size_t i, std::uint8_t bytes) {
  return bits_of_word(element_in_memory(handles, i, bytes), bytes);
}

/// A call's arguments, each in a word as the wrapper got it.
struct UseCall {
  const UseRow& row;
  const std::intptr_t* words;
  /// Whether its arrays of types are not the program's but Open MPI's for a Fortran procedure, which have as many
  /// entries as the communicator has processes, however many neighbours these have.
  bool has_translated_types = false;

  HandleBits handle(int position, const UseConstants& constants) const {
    return bits_of_word(words[position], constants.handle_bytes);
  }
  int integer(int position) const { return static_cast<int>(words[position]); }
  std::int64_t integer_of(int position, std::uint8_t bytes) const {
    return bytes == 4 ? static_cast<std::int32_t>(words[position]) : words[position];
  }
  /// A negative count is wrong, and moves nothing.
  std::uint64_t count(int position) const {
    const std::int64_t count = integer_of(position, row.count_bytes);
    return count > 0 ? static_cast<std::uint64_t>(count) : 0;
  }
};

/// What one argument, or one entry of an array of types, uses. Counts are not negative.
struct UseAmount {
  UseParameter parameter = UseParameter::none;
  HandleBits type = 0;
  std::uint64_t elements = 0;
  std::uint64_t smallest = 0;
  std::uint64_t largest = 0;
  bool is_entry = false;  // of an array of types
  // What is to be judged, because nothing like it is right.
  bool is_negative = false;       // a count, which counts as 0 here
  bool has_null_buffer = false;   // and elements
  bool is_at_nobody = false;      // the other process is MPI_PROC_NULL
  std::uint8_t which = 0;         // of the row's uses
  std::uint32_t entry = 0;        // the first one of a negative count, or of an array of types
  std::uint64_t null_result = 0;  // elements that a reduction is to write, and has a null pointer for
  // Of blocks from a null pointer on: the first and the last copy, counted from there.
  std::int64_t first_copy = 0, last_copy = 0;
};

/// A call that is about to use types, or has.
struct UsingCall {
  UseCall arguments;
  const EntryPoint* called = nullptr;
  const Stack* stack = nullptr;
  /// What the program gave a Fortran procedure that gets a descriptor for each buffer; nullptr of all others.
  const std::intptr_t* with_descriptors = nullptr;
};

/// Reads calls of one library. Its answers are in memory that is used again.
class UseAmounts {
 public:
  explicit UseAmounts(const UseConstants& constants) : constants_(constants) {}

  /// The handle of the communicator that must be known first; 0 where none must.
  HandleBits wanted_communicator(const UseCall& call) const;
  /// What the call uses; `communicator` may be null where none is wanted. Valid until the next call.
  const std::vector<UseAmount>& of(const UseCall& call, const Communicator* communicator);

  /// Whether an argument says anything in this process.
  enum class Presence : std::uint8_t {
    absent,
    in_place,  // what it says stands elsewhere: MPI_IN_PLACE
    there
  };
  Presence presence_of(const UseCall& call, const Use& use, const Communicator* communicator) const;

  /// How many counts an array of them has, and of whom where they are neighbours.
  struct Entries {
    std::size_t count = 0;
    std::span<const int> neighbours;
    bool is_whole = true;  // else the library's array of types ends here, and the program's has more
    bool is_of(std::size_t i, int rank) const { return i < neighbours.size() && neighbours[i] == rank; }
    /// How many of them are looked at: all but those of `nobody` at the end.
    std::size_t up_to_last(int nobody) const {
      std::size_t number = count;
      while (number != 0 && is_of(number - 1, nobody)) --number;
      return number;
    }
  };
  /// None where something of it is not known.
  Entries entries_of(const UseCall& call, std::size_t which, const Communicator* communicator) const;
  bool is_no_op(const UseCall& call) const;
  /// Whether a reduction, of this communicator, writes a result here.
  bool has_result_here(const UseCall& call, const Communicator& communicator) const;
  /// The communicator that says so; null where nothing depends on it, or it is not known.
  const Communicator* of_result(const UseCall& call, const Communicators& known) const;
  /// What a count says for this process itself, of an array of them the entry of its own rank.
  static std::uint64_t own_count(const UseCall& call, const UseAmount& amount, const Communicator& communicator);
  /// Whether this process is the root of a rooted collective.
  bool is_root(const UseCall& call, const Communicator& communicator) const;

 private:
  bool is_rooted_elsewhere(const UseCall& call) const;
  bool is_reduction_at_inter_root(const UseCall& call) const;
  bool is_significant(const UseCall& call, const Use& use, const Communicator* communicator) const {
    return presence_of(call, use, communicator) == Presence::there;
  }
  bool is_at_null_process(const UseCall& call, const Use& use) const;
  std::uint64_t null_result_of(const UseCall& call, const UseAmount& amount, const Communicator* communicator) const;
  void place_blocks(const UseCall& call, UseAmount& whole, const Entries& entries) const;
  void add(const UseCall& call, std::size_t which, const Communicator* communicator);
  void add_array(const UseCall& call, std::size_t which, const Communicator* communicator);

  const UseConstants constants_;
  std::vector<UseAmount> amounts_;
};

}  // namespace ddtscope::plugin
