// The interning store. Looking up a known call is the plugin's hot path: no allocation, no text.
#include "decoder/definition/definition.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

namespace ddtscope {
namespace {

constexpr std::uint64_t predefined_seed = 0x707265646566;  // keeps names apart from calls
constexpr std::size_t children_on_stack = 64;

// Where the constants stand that differ between libraries: slots of the combiner table.
constexpr std::size_t subarray_order = 1;
constexpr std::size_t darray_order = 3;
constexpr std::size_t darray_distribs = 1;
constexpr std::size_t darray_dargs = 2;

// The values that stand for the libraries' constants in a hash; others keep their own.
std::int64_t portable_order(std::int64_t value, const LibraryConstants& constants) {
  if (value == constants.order_c) return 1;
  if (value == constants.order_fortran) return 2;
  return value;
}
std::int64_t portable_distribution(std::int64_t value, const LibraryConstants& constants) {
  if (value == constants.distribute_block) return 1;
  if (value == constants.distribute_cyclic) return 2;
  if (value == constants.distribute_none) return 3;
  return value;
}
std::int64_t portable_darg(std::int64_t value, const LibraryConstants& constants) {
  return value == constants.distribute_dflt_darg ? INT64_MIN : value;
}

/// Hashes a few words in registers. A library's hash of a buffer would first have to store them, and its
/// wide loads then wait for the small stores.
class Mixer {
 public:
  void add(std::uint64_t a, std::uint64_t b) {
    state_ = fold(state_ ^ a, b ^ 0xD1B54A32D192ED03u) + 0x9E3779B97F4A7C15u;
  }
  std::uint64_t result() const { return fold(state_ ^ (state_ >> 32), 0xAEF17502108EF2D9u); }

 private:
  /// The 128-bit product folded to 64 bits.
  static std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
    __extension__ typedef unsigned __int128 Wide;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  std::uint64_t state_ = 0x8CB92BA72F3D8DD7u;
};

constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 7) & ~std::size_t{7}; }

Key never_zero(std::uint64_t hash) { return hash == 0 ? 1 : hash; }

bool equal(const IntegerArray& a, const IntegerArray& b) {
  if (a.length != b.length) return false;
  if (a.length == 0) return true;
  return a.width == b.width && std::memcmp(a.data, b.data, a.bytes()) == 0;
}

bool equal(const ConstructorCall& a, const ConstructorCall& b) {
  if (a.combiner != b.combiner || a.form != b.form || a.datatypes.size() != b.datatypes.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.scalars.size(); ++i) {
    if (a.scalars[i] != b.scalars[i]) return false;
  }
  for (std::size_t i = 0; i < a.datatypes.size(); ++i) {
    if (a.datatypes[i] != b.datatypes[i]) return false;
  }
  for (std::size_t i = 0; i < a.arrays.size(); ++i) {
    if (!equal(a.arrays[i], b.arrays[i])) return false;
    if (a.arrays[i].length == 0) break;  // all arrays of a call are as long as its first, or there is none
  }
  return true;
}

}  // namespace

std::size_t block_bytes(const ConstructorCall& call) {
  std::size_t bytes = aligned(call.datatypes.size_bytes());
  for (const IntegerArray& array : call.arrays) bytes += aligned(array.bytes());
  return bytes;
}

std::string key_text(Key key) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; key >>= 4) text[i] = digits[key & 15];
  return text;
}

std::optional<Key> key_from_text(std::string_view text) {
  if (text.size() != 16) return std::nullopt;
  Key key = 0;
  for (const char c : text) {
    unsigned digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<unsigned>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      digit = static_cast<unsigned>(c - 'a') + 10;
    } else if (c >= 'A' && c <= 'F') {
      digit = static_cast<unsigned>(c - 'A') + 10;
    } else {
      return std::nullopt;
    }
    key = key << 4 | digit;
  }
  return key;
}

std::string f90_name(const ConstructorCall& call) {
  const auto number = [&](std::size_t slot) {
    const std::int64_t value = call.scalars[slot];
    return value == mpi_undefined ? std::string("MPI_UNDEFINED") : std::to_string(value);
  };
  if (call.combiner == Combiner::f90_integer) return "F90_INTEGER(" + number(0) + ")";
  if (call.combiner == Combiner::f90_real) return "F90_REAL(" + number(0) + "," + number(1) + ")";
  if (call.combiner == Combiner::f90_complex) {
    return "F90_COMPLEX(" + number(0) + "," + number(1) + ")";
  }
  return {};
}

DefinitionStore::DefinitionStore(LibraryConstants constants) : DefinitionStore(constants, own_storage_) {}

DefinitionStore::DefinitionStore(LibraryConstants constants, DefinitionStorage& storage)
    : constants_(constants), storage_(storage) {}

DefinitionStore::~DefinitionStore() = default;

DefinitionId DefinitionStore::add_predefined(const PredefinedType& type) {
  const PredefinedId predefined = predefined_.add(type);
  if (named_.size() < predefined_.size()) named_.resize(predefined_.size());
  DefinitionId& id = named_[predefined.value];
  if (!id.valid()) {
    const std::string& name = predefined_[predefined].name;
    definitions_.push_back({});
    parents_.resize(definitions_.size());
    bytes_ += sizeof(Definition);
    Definition& definition = definitions_.back();
    definition.key = never_zero(XXH3_64bits_withSeed(name.data(), name.size(), predefined_seed));
    definition.predefined = predefined;
    id = DefinitionId{static_cast<std::uint32_t>(definitions_.size() - 1)};
  }
  return id;
}

PredefinedId DefinitionStore::add_basic(const PredefinedType& type) { return predefined_.add(type); }

std::optional<DefinitionId> DefinitionStore::find_predefined(std::string_view name) const {
  const std::optional<PredefinedId> predefined = predefined_.find(name);
  if (!predefined || predefined->value >= named_.size() || !named_[predefined->value].valid()) {
    return std::nullopt;
  }
  return named_[predefined->value];
}

std::uint64_t DefinitionStore::digest_array(const ConstructorCall& call, std::size_t slot) const {
  const IntegerArray& array = call.arrays[slot];
  const bool of_constants = call.combiner == Combiner::darray && (slot == darray_distribs || slot == darray_dargs);
  if (!of_constants) return XXH3_64bits(array.data, array.bytes());
  std::vector<std::int64_t> values(array.length);
  for (std::size_t i = 0; i < array.length; ++i) {
    values[i] =
        slot == darray_distribs ? portable_distribution(array[i], constants_) : portable_darg(array[i], constants_);
  }
  return XXH3_64bits(values.data(), values.size() * sizeof values[0]);
}

ArrayDigests DefinitionStore::digest_arrays(const ConstructorCall& call) const {
  ArrayDigests digests{};
  for (std::size_t i = 0; i < digests.size() && call.arrays[i].length != 0; ++i) {
    digests[i] = digest_array(call, i);
  }
  return digests;
}

Key DefinitionStore::key_of(const ConstructorCall& call, const ArrayDigests& digests) const {
  std::array<std::int64_t, 4> scalars;
  for (std::size_t i = 0; i < scalars.size(); ++i) scalars[i] = call.scalars[i];
  if (call.combiner == Combiner::subarray) {
    scalars[subarray_order] = portable_order(scalars[subarray_order], constants_);
  } else if (call.combiner == Combiner::darray) {
    scalars[darray_order] = portable_order(scalars[darray_order], constants_);
  }
  std::uint64_t children = 0;
  const std::size_t number = call.datatypes.size();
  if (number == 1) {
    children = definitions_[call.datatypes[0].value].key;
  } else if (number != 0) {
    std::array<Key, children_on_stack> few;
    std::vector<Key> many(number > few.size() ? number : 0);
    Key* keys = many.empty() ? few.data() : many.data();
    for (std::size_t i = 0; i < number; ++i) keys[i] = definitions_[call.datatypes[i].value].key;
    children = XXH3_64bits(keys, number * sizeof(Key));
  }
  Mixer mixer;
  mixer.add(static_cast<std::uint64_t>(combiner_code(call.combiner)) | static_cast<std::uint64_t>(call.form) << 8 |
                static_cast<std::uint64_t>(call.datatypes.size()) << 16,
            children);
  mixer.add(static_cast<std::uint64_t>(scalars[0]), static_cast<std::uint64_t>(scalars[1]));
  mixer.add(static_cast<std::uint64_t>(scalars[2]), static_cast<std::uint64_t>(scalars[3]));
  for (std::size_t i = 0; i < digests.size() && call.arrays[i].length != 0; ++i) {
    mixer.add(digests[i], call.arrays[i].length);
  }
  return never_zero(mixer.result());
}

DefinitionId DefinitionStore::find_by_key(const ConstructorCall& call, Key key) const {
  return DefinitionId{table_.find(key, [&](std::uint32_t number) {
    const Definition& definition = definitions_[number];
    return definition.key == key && equal(definition.call, call);
  })};
}

std::optional<DefinitionId> DefinitionStore::find(const ConstructorCall& call, const ArrayDigests& digests) const {
  const DefinitionId id = find_by_key(call, key_of(call, digests));
  return id.valid() ? std::optional(id) : std::nullopt;
}

DefinitionStore::Interned DefinitionStore::intern(const ConstructorCall& call, const ArrayDigests& digests) {
  const Key key = key_of(call, digests);
  if (const DefinitionId known = find_by_key(call, key); known.valid()) return {known, false};

  const bool is_recycled = !free_ids_.empty();
  const DefinitionId id =
      is_recycled ? free_ids_.back() : DefinitionId{static_cast<std::uint32_t>(definitions_.size())};
  Definition definition;
  definition.key = key;
  definition.call = call;
  std::byte* block = definition.block = storage_.allocate(id, block_bytes(call));
  auto* children = reinterpret_cast<DefinitionId*>(block);
  std::uninitialized_copy(call.datatypes.begin(), call.datatypes.end(), children);
  definition.call.datatypes = {children, call.datatypes.size()};
  block += aligned(call.datatypes.size_bytes());
  for (IntegerArray& array : definition.call.arrays) {
    if (array.length == 0) {
      array.data = nullptr;
      continue;
    }
    std::memcpy(block, array.data, array.bytes());
    array.data = block;
    block += aligned(array.bytes());
  }
  if (is_recycled) {
    free_ids_.pop_back();
    definitions_[id.value] = definition;
  } else {
    definitions_.push_back(definition);
    parents_.resize(definitions_.size());
  }
  for (const DefinitionId child : call.datatypes) ++parents_[child.value];
  bytes_ += bytes_for(call);
  table_.insert(key, id.value);
  return {id, true};
}

std::size_t DefinitionStore::bytes_for(const ConstructorCall& call) {
  return sizeof(Definition) + sizeof parents_[0] + IndexTable::bytes_per_number + block_bytes(call);
}

void DefinitionStore::evict(DefinitionId id) {
  Definition& definition = definitions_[id.value];
  const ConstructorCall& call = definition.call;
  free_ids_.push_back(id);
  table_.erase(definition.key, id.value);
  for (const DefinitionId child : call.datatypes) --parents_[child.value];
  bytes_ -= bytes_for(call);
  storage_.release(definition.block, block_bytes(call));
  definition = Definition{};
}

}  // namespace ddtscope
