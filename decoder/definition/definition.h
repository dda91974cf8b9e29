// Definitions: constructor calls with their arguments, interned so that equal calls are one definition.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "decoder/base/index_table.h"
#include "decoder/base/stable_vector.h"
#include "decoder/definition/basic_type.h"
#include "decoder/definition/combiner.h"
#include "decoder/definition/definition_storage.h"

namespace ddtscope {

/// A definition's number in its store: oldtypes have smaller numbers than the types made of them, where the store's
/// owner never evicts.
struct DefinitionId {
  std::uint32_t value = UINT32_MAX;
  constexpr bool valid() const { return value != UINT32_MAX; }
  friend constexpr auto operator<=>(DefinitionId, DefinitionId) = default;
};

/// Values that a library gives to the constants that stand among a constructor's integers.
struct LibraryConstants {
  std::int32_t order_c = 0;
  std::int32_t order_fortran = 0;
  std::int32_t distribute_block = 0;
  std::int32_t distribute_cyclic = 0;
  std::int32_t distribute_none = 0;
  std::int32_t distribute_dflt_darg = 0;
};

/// Integers of 4 or 8 bytes that somebody else owns: an argument array as the program passed it, or
/// the store's copy of it.
struct IntegerArray {
  const void* data = nullptr;
  std::size_t length = 0;
  std::uint8_t width = 4;  // bytes per integer: 4 or 8

  IntegerArray() = default;
  explicit IntegerArray(std::span<const std::int32_t> values) : data(values.data()), length(values.size()), width(4) {}
  explicit IntegerArray(std::span<const std::int64_t> values) : data(values.data()), length(values.size()), width(8) {}

  std::int64_t operator[](std::size_t i) const {
    if (width == 4) {
      std::int32_t value;
      std::memcpy(&value, static_cast<const char*>(data) + i * 4, 4);
      return value;
    }
    std::int64_t value;
    std::memcpy(&value, static_cast<const char*>(data) + i * 8, 8);
    return value;
  }
  std::size_t bytes() const { return length * width; }
};

/// One constructor call. Scalars and arrays stand in the order of the combiner's row; datatypes are
/// definitions of the same store. In the int form, count and integer arrays have width 4 and address
/// arrays width 8; in the large form, count and address arrays have width 8.
struct ConstructorCall {
  Combiner combiner = Combiner::named;
  Form form = Form::int_counts;
  std::array<std::int64_t, 4> scalars{};  // unused ones are 0
  std::array<IntegerArray, 4> arrays{};
  std::span<const DefinitionId> datatypes;

  std::int64_t scalar(std::string_view name) const {
    return scalars[static_cast<std::size_t>(parameter_slot(combiner, name))];
  }
  const IntegerArray& array(std::string_view name) const {
    return arrays[static_cast<std::size_t>(parameter_slot(combiner, name))];
  }
};

/// Structural hash of a definition; the same in every rank, run and library.
using Key = std::uint64_t;
std::string key_text(Key key);  // 16 hex digits
std::optional<Key> key_from_text(std::string_view text);

/// The basic type that an F90 call stands for: "F90_REAL(15,307)", "F90_INTEGER(9)"; empty for others.
std::string f90_name(const ConstructorCall& call);

/// MPI_UNDEFINED, which may stand for a precision or a range in F90 calls; the same in both libraries.
inline constexpr std::int64_t mpi_undefined = -32766;

/// What the library answers about a type (get_size_x, get_extent_x, get_true_extent_x). A value that it
/// calls MPI_UNDEFINED is empty. Bytes.
struct ObservedBounds {
  std::optional<std::int64_t> size, lb, extent, true_lb, true_extent;
  friend bool operator==(const ObservedBounds&, const ObservedBounds&) = default;
};

struct Definition {
  ConstructorCall call;  // its arrays and datatypes belong to the store
  Key key = 0;
  PredefinedId predefined;     // valid for NAMED definitions
  std::byte* block = nullptr;  // what the call points to, in the store's storage: block_bytes(call)
};

/// What a call's datatypes and arrays take in a storage.
std::size_t block_bytes(const ConstructorCall& call);

/// Hashes of a call's arrays: computed apart, so that a caller can do the long part outside its lock.
using ArrayDigests = std::array<std::uint64_t, 4>;

/// All definitions of one process or of one job, deduplicated. Not synchronised; the references it returns
/// stay valid as long as the definition is there: as long as the store, where its owner never evicts.
class DefinitionStore {
 public:
  explicit DefinitionStore(LibraryConstants constants);
  /// What the calls point to is kept in `storage`, which must outlive the store.
  DefinitionStore(LibraryConstants constants, DefinitionStorage& storage);
  ~DefinitionStore();
  DefinitionStore(const DefinitionStore&) = delete;
  DefinitionStore& operator=(const DefinitionStore&) = delete;

  const LibraryConstants& constants() const { return constants_; }
  const PredefinedTable& predefined() const { return predefined_; }

  /// A predefined datatype as a definition of its own (combiner NAMED). The same name gives the same id.
  DefinitionId add_predefined(const PredefinedType& type);
  /// A basic type that no predefined handle stands for, such as an F90 type's "F90_REAL(15,307)": must be
  /// there before a definition that has it as its entry is laid out.
  PredefinedId add_basic(const PredefinedType& type);
  /// The definition of a predefined type by its name, synonyms folded.
  std::optional<DefinitionId> find_predefined(std::string_view name) const;

  struct Interned {
    DefinitionId id;
    bool is_new;
  };
  ArrayDigests digest_arrays(const ConstructorCall& call) const;
  /// The call's definition, where there is one.
  std::optional<DefinitionId> find(const ConstructorCall& call, const ArrayDigests& digests) const;
  /// Finds the call's definition or adds it; copies arrays and datatypes only when it is new.
  /// The call must be one that a library accepted: argument lengths fit the combiner's row.
  Interned intern(const ConstructorCall& call, const ArrayDigests& digests);
  Interned intern(const ConstructorCall& call) { return intern(call, digest_arrays(call)); }

  /// Calls see(id) for each definition with this key: one, but for a chance of 2^-64. None for a predefined type.
  template <class See>
  void each_with_key(Key key, See see) const {
    table_.find(key, [&](std::uint32_t number) {
      if (definitions_[number].key == key) see(DefinitionId{number});
      return false;
    });
  }

  /// Takes away a definition that is nobody's oldtype; the next new one takes its id.
  void evict(DefinitionId id);
  /// How often the definition is an oldtype of others.
  std::uint32_t parents(DefinitionId id) const { return parents_[id.value]; }
  /// What the definitions take, their calls included.
  std::size_t bytes() const { return bytes_; }
  /// What a definition of this call takes.
  static std::size_t bytes_for(const ConstructorCall& call);

  const Definition& operator[](DefinitionId id) const { return definitions_[id.value]; }
  /// One more than the largest id that was given.
  std::size_t size() const { return definitions_.size(); }

 private:
  Key key_of(const ConstructorCall& call, const ArrayDigests& digests) const;
  DefinitionId find_by_key(const ConstructorCall& call, Key key) const;
  std::uint64_t digest_array(const ConstructorCall& call, std::size_t slot) const;

  LibraryConstants constants_;
  PredefinedTable predefined_;
  StableVector<Definition> definitions_;
  std::vector<std::uint32_t> parents_;  // by DefinitionId
  std::vector<DefinitionId> free_ids_;  // of evicted definitions
  std::size_t bytes_ = 0;
  std::vector<DefinitionId> named_;  // by PredefinedId; invalid where there is no NAMED definition
  IndexTable table_;                 // by key
  ChunkStorage own_storage_;
  DefinitionStorage& storage_;
};

}  // namespace ddtscope
