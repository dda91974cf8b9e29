// The calls of the MPI library, one place for each.
#include "testapps/differential/mpi_library.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <optional>

#include "decoder/definition/array_constants.h"

namespace ddtscope::differential {
namespace {

struct NamedHandle {
  const char* name;
  MPI_Datatype handle;
};

#define NAMED(name) \
  NamedHandle { #name, name }

std::vector<NamedHandle> predefined_handles() {
  return {
      NAMED(MPI_CHAR),
      NAMED(MPI_SHORT),
      NAMED(MPI_INT),
      NAMED(MPI_LONG),
      NAMED(MPI_LONG_LONG_INT),
      NAMED(MPI_SIGNED_CHAR),
      NAMED(MPI_UNSIGNED_CHAR),
      NAMED(MPI_UNSIGNED_SHORT),
      NAMED(MPI_UNSIGNED),
      NAMED(MPI_UNSIGNED_LONG),
      NAMED(MPI_UNSIGNED_LONG_LONG),
      NAMED(MPI_FLOAT),
      NAMED(MPI_DOUBLE),
      NAMED(MPI_LONG_DOUBLE),
      NAMED(MPI_WCHAR),
      NAMED(MPI_C_BOOL),
      NAMED(MPI_INT8_T),
      NAMED(MPI_INT16_T),
      NAMED(MPI_INT32_T),
      NAMED(MPI_INT64_T),
      NAMED(MPI_UINT8_T),
      NAMED(MPI_UINT16_T),
      NAMED(MPI_UINT32_T),
      NAMED(MPI_UINT64_T),
      NAMED(MPI_AINT),
      NAMED(MPI_COUNT),
      NAMED(MPI_OFFSET),
      NAMED(MPI_C_COMPLEX),
      NAMED(MPI_C_DOUBLE_COMPLEX),
      NAMED(MPI_C_LONG_DOUBLE_COMPLEX),
      NAMED(MPI_BYTE),
      NAMED(MPI_PACKED),
      NAMED(MPI_CXX_BOOL),
      NAMED(MPI_CXX_FLOAT_COMPLEX),
      NAMED(MPI_CXX_DOUBLE_COMPLEX),
      NAMED(MPI_CXX_LONG_DOUBLE_COMPLEX),
      NAMED(MPI_INTEGER),
      NAMED(MPI_REAL),
      NAMED(MPI_DOUBLE_PRECISION),
      NAMED(MPI_COMPLEX),
      NAMED(MPI_LOGICAL),
      NAMED(MPI_CHARACTER),
      NAMED(MPI_DOUBLE_COMPLEX),
      NAMED(MPI_INTEGER1),
      NAMED(MPI_INTEGER2),
      NAMED(MPI_INTEGER4),
      NAMED(MPI_INTEGER8),
      NAMED(MPI_REAL4),
      NAMED(MPI_REAL8),
      NAMED(MPI_REAL16),
      NAMED(MPI_COMPLEX8),
      NAMED(MPI_COMPLEX16),
      NAMED(MPI_COMPLEX32),
      NAMED(MPI_FLOAT_INT),
      NAMED(MPI_DOUBLE_INT),
      NAMED(MPI_LONG_INT),
      NAMED(MPI_2INT),
      NAMED(MPI_SHORT_INT),
      NAMED(MPI_LONG_DOUBLE_INT),
      NAMED(MPI_2REAL),
      NAMED(MPI_2DOUBLE_PRECISION),
      NAMED(MPI_2INTEGER),
#ifdef OPEN_MPI
      NAMED(MPI_LOGICAL1),
      NAMED(MPI_LOGICAL2),
      NAMED(MPI_LOGICAL4),
      NAMED(MPI_LOGICAL8),
      NAMED(MPI_2COMPLEX),
      NAMED(MPI_2DOUBLE_COMPLEX),
#else
      NAMED(MPI_INTEGER16),
#ifdef MPI_LB
      NAMED(MPI_LB),
      NAMED(MPI_UB),
#endif
#endif
  };
}

#undef NAMED

/// MPI_UNDEFINED stands for a value that does not fit; a bound of that very value cannot be told apart.
std::optional<std::int64_t> defined(MPI_Count value) {
  if (value == MPI_UNDEFINED) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

std::vector<OfferedType> ask_for_types() {
  const std::vector<NamedHandle> handles = predefined_handles();
  const auto size_of = [&](std::string_view name) -> std::int64_t {
    for (const NamedHandle& named : handles) {
      if (named.name == name) return observe(named.handle).size.value_or(0);
    }
    return 0;
  };
  std::vector<OfferedType> offered;
  for (const NamedHandle& named : handles) {
    if (named.handle == MPI_DATATYPE_NULL) continue;
    const ObservedBounds bounds = observe(named.handle);
    const PredefinedType type =
        described_predefined(named.name, bounds.size.value_or(0), bounds.extent.value_or(0), size_of);
    const bool marker = type.kind == PredefinedKind::lb_marker || type.kind == PredefinedKind::ub_marker;
    if (type.size != 0 || marker) offered.push_back({type, named.handle});
  }
  std::stable_sort(offered.begin(), offered.end(), [](const OfferedType& a, const OfferedType& b) {
    return (a.type.kind == PredefinedKind::pair) < (b.type.kind == PredefinedKind::pair);
  });
  return offered;
}

std::vector<OfferedF90Type> ask_for_f90_types() {
  const std::pair<Combiner, test::Arguments> calls[] = {
      {Combiner::f90_real, {{6}, {37}}},      {Combiner::f90_real, {{15}, {307}}}, {Combiner::f90_complex, {{6}, {37}}},
      {Combiner::f90_complex, {{15}, {307}}}, {Combiner::f90_integer, {{2}}},      {Combiner::f90_integer, {{4}}},
      {Combiner::f90_integer, {{9}}},         {Combiner::f90_integer, {{18}}},
  };
  std::vector<OfferedF90Type> offered;
  for (const auto& [combiner, arguments] : calls) {
    ConstructorCall call;
    call.combiner = combiner;
    for (std::size_t i = 0; i < arguments.size(); ++i) call.scalars[i] = arguments[i][0];
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (construct(call, {}, &type) != MPI_SUCCESS) continue;
    const ObservedBounds bounds = observe(type);
    PredefinedType basic;
    basic.size = bounds.size.value_or(0);
    basic.extent = bounds.extent.value_or(0);
    basic.alignment = natural_alignment(row_of(combiner).mpi_name, basic.size);
    offered.push_back({combiner, arguments, basic, type});
  }
  return offered;
}

struct CombinerValue {
  int value;
  Combiner combiner;
};

std::optional<Combiner> combiner_of_value(int value) {
  static const CombinerValue values[] = {
      {MPI_COMBINER_NAMED, Combiner::named},
      {MPI_COMBINER_DUP, Combiner::dup},
      {MPI_COMBINER_CONTIGUOUS, Combiner::contiguous},
      {MPI_COMBINER_VECTOR, Combiner::vector},
      {MPI_COMBINER_HVECTOR, Combiner::hvector},
      {MPI_COMBINER_INDEXED, Combiner::indexed},
      {MPI_COMBINER_HINDEXED, Combiner::hindexed},
      {MPI_COMBINER_INDEXED_BLOCK, Combiner::indexed_block},
      {MPI_COMBINER_HINDEXED_BLOCK, Combiner::hindexed_block},
      {MPI_COMBINER_STRUCT, Combiner::structure},
      {MPI_COMBINER_SUBARRAY, Combiner::subarray},
      {MPI_COMBINER_DARRAY, Combiner::darray},
      {MPI_COMBINER_F90_REAL, Combiner::f90_real},
      {MPI_COMBINER_F90_COMPLEX, Combiner::f90_complex},
      {MPI_COMBINER_F90_INTEGER, Combiner::f90_integer},
      {MPI_COMBINER_RESIZED, Combiner::resized},
  };
  for (const CombinerValue& known : values) {
    if (known.value == value) return known.combiner;
  }
  return std::nullopt;
}

/// The arguments of a call as the C functions take them.
class CallArguments {
 public:
  explicit CallArguments(const ConstructorCall& call) : call_(call) {}
  int integer(std::size_t slot) const { return static_cast<int>(call_.scalars[slot]); }
  MPI_Aint address(std::size_t slot) const { return static_cast<MPI_Aint>(call_.scalars[slot]); }
  MPI_Count large(std::size_t slot) const { return static_cast<MPI_Count>(call_.scalars[slot]); }
  const int* integers(std::size_t slot) const { return static_cast<const int*>(array(slot)); }
  const MPI_Aint* addresses(std::size_t slot) const { return static_cast<const MPI_Aint*>(array(slot)); }
  const MPI_Count* larges(std::size_t slot) const { return static_cast<const MPI_Count*>(array(slot)); }

 private:
  /// Never null: a program's array is not, even if nothing is in it.
  const void* array(std::size_t slot) const {
    static constexpr std::int64_t nothing = 0;
    return call_.arrays[slot].length == 0 ? &nothing : call_.arrays[slot].data;
  }
  const ConstructorCall& call_;
};

int construct_with_int_counts(const ConstructorCall& call, std::span<const MPI_Datatype> oldtypes,
                              MPI_Datatype* newtype) {
  const CallArguments a(call);
  const MPI_Datatype old = oldtypes.empty() ? MPI_DATATYPE_NULL : oldtypes[0];
  switch (call.combiner) {
    case Combiner::named:
    case Combiner::value_index:
      break;
    case Combiner::dup:
      return MPI_Type_dup(old, newtype);
    case Combiner::contiguous:
      return MPI_Type_contiguous(a.integer(0), old, newtype);
    case Combiner::vector:
      return MPI_Type_vector(a.integer(0), a.integer(1), a.integer(2), old, newtype);
    case Combiner::hvector:
      return MPI_Type_create_hvector(a.integer(0), a.integer(1), a.address(2), old, newtype);
    case Combiner::indexed:
      return MPI_Type_indexed(a.integer(0), a.integers(0), a.integers(1), old, newtype);
    case Combiner::hindexed:
      return MPI_Type_create_hindexed(a.integer(0), a.integers(0), a.addresses(1), old, newtype);
    case Combiner::indexed_block:
      return MPI_Type_create_indexed_block(a.integer(0), a.integer(1), a.integers(0), old, newtype);
    case Combiner::hindexed_block:
      return MPI_Type_create_hindexed_block(a.integer(0), a.integer(1), a.addresses(0), old, newtype);
    case Combiner::structure: {
      const MPI_Datatype none[] = {MPI_INT};
      return MPI_Type_create_struct(a.integer(0), a.integers(0), a.addresses(1),
                                    oldtypes.empty() ? none : oldtypes.data(), newtype);
    }
    case Combiner::subarray:
      return MPI_Type_create_subarray(a.integer(0), a.integers(0), a.integers(1), a.integers(2), a.integer(1), old,
                                      newtype);
    case Combiner::darray:
      return MPI_Type_create_darray(a.integer(0), a.integer(1), a.integer(2), a.integers(0), a.integers(1),
                                    a.integers(2), a.integers(3), a.integer(3), old, newtype);
    case Combiner::f90_real:
      return MPI_Type_create_f90_real(a.integer(0), a.integer(1), newtype);
    case Combiner::f90_complex:
      return MPI_Type_create_f90_complex(a.integer(0), a.integer(1), newtype);
    case Combiner::f90_integer:
      return MPI_Type_create_f90_integer(a.integer(0), newtype);
    case Combiner::resized:
      return MPI_Type_create_resized(old, a.address(0), a.address(1), newtype);
  }
  return MPI_ERR_TYPE;
}

#if MPI_VERSION >= 4
int construct_with_large_counts(const ConstructorCall& call, std::span<const MPI_Datatype> oldtypes,
                                MPI_Datatype* newtype) {
  const CallArguments a(call);
  const MPI_Datatype old = oldtypes.empty() ? MPI_DATATYPE_NULL : oldtypes[0];
  switch (call.combiner) {
    case Combiner::named:
    case Combiner::value_index:
    case Combiner::dup:
    case Combiner::f90_real:
    case Combiner::f90_complex:
    case Combiner::f90_integer:
      break;
    case Combiner::contiguous:
      return MPI_Type_contiguous_c(a.large(0), old, newtype);
    case Combiner::vector:
      return MPI_Type_vector_c(a.large(0), a.large(1), a.large(2), old, newtype);
    case Combiner::hvector:
      return MPI_Type_create_hvector_c(a.large(0), a.large(1), a.large(2), old, newtype);
    case Combiner::indexed:
      return MPI_Type_indexed_c(a.large(0), a.larges(0), a.larges(1), old, newtype);
    case Combiner::hindexed:
      return MPI_Type_create_hindexed_c(a.large(0), a.larges(0), a.larges(1), old, newtype);
    case Combiner::indexed_block:
      return MPI_Type_create_indexed_block_c(a.large(0), a.large(1), a.larges(0), old, newtype);
    case Combiner::hindexed_block:
      return MPI_Type_create_hindexed_block_c(a.large(0), a.large(1), a.larges(0), old, newtype);
    case Combiner::structure: {
      const MPI_Datatype none[] = {MPI_INT};
      return MPI_Type_create_struct_c(a.large(0), a.larges(0), a.larges(1), oldtypes.empty() ? none : oldtypes.data(),
                                      newtype);
    }
    case Combiner::subarray:
      return MPI_Type_create_subarray_c(a.integer(0), a.larges(0), a.larges(1), a.larges(2), a.integer(1), old,
                                        newtype);
    case Combiner::darray:
      return MPI_Type_create_darray_c(a.integer(0), a.integer(1), a.integer(2), a.larges(0), a.integers(1),
                                      a.integers(2), a.integers(3), a.integer(3), old, newtype);
    case Combiner::resized:
      return MPI_Type_create_resized_c(old, a.large(0), a.large(1), newtype);
  }
  return MPI_ERR_TYPE;
}
#endif

template <class Integer>
std::vector<Integer> room_for(std::int64_t count) {
  std::vector<Integer> values;
  values.reserve(static_cast<std::size_t>(count) + 1);  // never null
  values.resize(static_cast<std::size_t>(count));
  return values;
}

}  // namespace

MpiSession::MpiSession() {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  // Who watches this process wants to see how it dies, not the libraries' own reports.
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(signal, SIG_DFL);
}

MpiSession::~MpiSession() { MPI_Finalize(); }

std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text;
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string version(text.data());
  return version.substr(0, version.find_first_of("\n,"));
}

const TakenRelease& release_of_library() {
  static const TakenRelease taken = release_taken_for(rule_of_library, library_version());
  return taken;
}

const LibraryConstants& library_constants() {
  static const LibraryConstants constants = {MPI_ORDER_C,           MPI_ORDER_FORTRAN,   MPI_DISTRIBUTE_BLOCK,
                                             MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_DFLT_DARG};
  return constants;
}

std::vector<Form> library_forms() {
#if MPI_VERSION >= 4
  return {Form::int_counts, Form::large_counts};
#else
  return {Form::int_counts};
#endif
}

const std::vector<OfferedType>& offered_types() {
  static const std::vector<OfferedType> offered = ask_for_types();
  return offered;
}

const std::vector<OfferedF90Type>& offered_f90_types() {
  static const std::vector<OfferedF90Type> offered = ask_for_f90_types();
  return offered;
}

MPI_Datatype leaf_handle(const DefinitionStore& store, DefinitionId id) {
  const Definition& definition = store[id];
  if (definition.call.combiner == Combiner::named) {
    for (const OfferedType& offered : offered_types()) {
      if (offered.type.name == store.predefined()[definition.predefined].name) return offered.handle;
    }
  }
  for (const OfferedF90Type& offered : offered_f90_types()) {
    const auto has_value = [&](std::size_t i) {
      return i >= offered.arguments.size() || offered.arguments[i][0] == definition.call.scalars[i];
    };
    if (offered.combiner == definition.call.combiner && has_value(0) && has_value(1)) return offered.handle;
  }
  return MPI_DATATYPE_NULL;
}

std::unique_ptr<test::TestStore> store_of_library() {
  std::vector<PredefinedType> predefined;
  for (const OfferedType& offered : offered_types()) predefined.push_back(offered.type);
  auto types = std::make_unique<test::TestStore>(library_constants(), predefined);
  for (const OfferedF90Type& offered : offered_f90_types()) {
    types->make_f90(offered.combiner, offered.arguments, offered.basic);
  }
  return types;
}

std::string text_of_error(int error) {
  if (error == MPI_SUCCESS) return "MPI_SUCCESS";
  int error_class = error;
  MPI_Error_class(error, &error_class);
  std::array<char, MPI_MAX_ERROR_STRING> text;
  int length = 0;
  MPI_Error_string(error_class, text.data(), &length);
  return "error class " + std::to_string(error_class) + " (" +
         std::string(text.data(), static_cast<std::size_t>(length)) + ")";
}

int construct(const ConstructorCall& call, std::span<const MPI_Datatype> oldtypes, MPI_Datatype* newtype) {
#if MPI_VERSION >= 4
  if (call.form == Form::large_counts) return construct_with_large_counts(call, oldtypes, newtype);
#endif
  return construct_with_int_counts(call, oldtypes, newtype);
}

int int_envelope(MPI_Datatype type, Envelope& envelope) {
  std::array<int, 4> values{};
  const int error = MPI_Type_get_envelope(type, &values[0], &values[1], &values[2], &values[3]);
  if (error != MPI_SUCCESS) return error;
  const std::optional<Combiner> combiner = combiner_of_value(values[3]);
  envelope = {values[0], values[1], 0, values[2], combiner.value_or(Combiner::value_index)};
  return error;
}

DecodedType decode(MPI_Datatype type) {
  DecodedType decoded;
  Envelope& envelope = decoded.envelope;
#if MPI_VERSION >= 4
  std::array<MPI_Count, 4> numbers{};
  int value = 0;
  decoded.error = MPI_Type_get_envelope_c(type, &numbers[0], &numbers[1], &numbers[2], &numbers[3], &value);
  envelope = {numbers[0], numbers[1], numbers[2], numbers[3], combiner_of_value(value).value_or(Combiner::value_index)};
#else
  decoded.error = int_envelope(type, envelope);
#endif
  if (decoded.error != MPI_SUCCESS || envelope.combiner == Combiner::named) return decoded;

  auto integers = room_for<int>(envelope.num_integers);
  auto addresses = room_for<MPI_Aint>(envelope.num_addresses);
  decoded.datatypes = room_for<MPI_Datatype>(envelope.num_datatypes);
#if MPI_VERSION >= 4
  auto large_counts = room_for<MPI_Count>(envelope.num_large_counts);
  decoded.error = MPI_Type_get_contents_c(type, envelope.num_integers, envelope.num_addresses,
                                          envelope.num_large_counts, envelope.num_datatypes, integers.data(),
                                          addresses.data(), large_counts.data(), decoded.datatypes.data());
  decoded.contents.large_counts.assign(large_counts.begin(), large_counts.end());
#else
  decoded.error = MPI_Type_get_contents(
      type, static_cast<int>(envelope.num_integers), static_cast<int>(envelope.num_addresses),
      static_cast<int>(envelope.num_datatypes), integers.data(), addresses.data(), decoded.datatypes.data());
#endif
  decoded.contents.integers.assign(integers.begin(), integers.end());
  decoded.contents.addresses.assign(addresses.begin(), addresses.end());
  if (decoded.error != MPI_SUCCESS) decoded.datatypes.clear();
#if defined(MPI_ABI_VERSION) && !defined(OPEN_MPI)
  if (rule_of_library == BoundsRule::openmpi) {  // behind the standard ABI: a bug that has a program of its own
    const Form form = envelope.num_large_counts > 0 ? Form::large_counts : Form::int_counts;
    change_array_constants(envelope.combiner, form, decoded.contents.integers,
                           {test::openmpi_constants, library_constants()});
  }
#endif
  return decoded;
}

ObservedBounds observe(MPI_Datatype type) {
  MPI_Count size = MPI_UNDEFINED, lb = MPI_UNDEFINED, extent = MPI_UNDEFINED, true_lb = MPI_UNDEFINED,
            true_extent = MPI_UNDEFINED;
  MPI_Type_size_x(type, &size);
  MPI_Type_get_extent_x(type, &lb, &extent);
  MPI_Type_get_true_extent_x(type, &true_lb, &true_extent);
  return {defined(size), defined(lb), defined(extent), defined(true_lb), defined(true_extent)};
}

}  // namespace ddtscope::differential
