// The store that decoder tests share.
#include "decoder/testing/test_store.h"

#include <stdexcept>

namespace ddtscope::test {

namespace {

PredefinedType basic(const char* name, std::int64_t size) {
  return {name, PredefinedKind::basic, size, size, natural_alignment(name, size), {}, {}, 0};
}

}  // namespace

const std::vector<PredefinedType>& common_predefined_types() {
  static const std::vector<PredefinedType> types = {
      basic("MPI_CHAR", 1),
      basic("MPI_SHORT", 2),
      basic("MPI_INT", 4),
      basic("MPI_FLOAT", 4),
      basic("MPI_DOUBLE", 8),
      basic("MPI_LONG_DOUBLE", 16),
      basic("MPI_C_DOUBLE_COMPLEX", 16),
      {"MPI_2INT", PredefinedKind::pair, 8, 8, 4, "MPI_INT", "MPI_INT", 4},
      {"MPI_SHORT_INT", PredefinedKind::pair, 6, 8, 4, "MPI_SHORT", "MPI_INT", 4},
      {"MPI_DOUBLE_INT", PredefinedKind::pair, 12, 16, 8, "MPI_DOUBLE", "MPI_INT", 8},
      {"MPI_LB", PredefinedKind::lb_marker, 0, 0, 1, {}, {}, 0},
      {"MPI_UB", PredefinedKind::ub_marker, 0, 0, 1, {}, {}, 0},
  };
  return types;
}

const std::vector<PredefinedType>& many_predefined_types() {
  static const std::vector<PredefinedType> types = [] {
    std::vector<PredefinedType> all = common_predefined_types();
    for (const PredefinedType& type : {
             basic("MPI_BYTE", 1),
             basic("MPI_PACKED", 1),
             basic("MPI_C_BOOL", 1),
             basic("MPI_UNSIGNED_SHORT", 2),
             basic("MPI_WCHAR", 4),
             basic("MPI_LONG", 8),
             basic("MPI_UINT64_T", 8),
             basic("MPI_AINT", 8),
             basic("MPI_COUNT", 8),
             basic("MPI_C_COMPLEX", 8),
             basic("MPI_C_LONG_DOUBLE_COMPLEX", 32),
             basic("MPI_INTEGER", 4),
             basic("MPI_REAL", 4),
             basic("MPI_DOUBLE_PRECISION", 8),
             basic("MPI_COMPLEX", 8),
             basic("MPI_LOGICAL", 4),
             basic("MPI_CHARACTER", 1),
             basic("MPI_INTEGER2", 2),
             basic("MPI_REAL16", 16),
             basic("MPI_COMPLEX32", 32),
         }) {
      all.push_back(type);
    }
    all.push_back({"MPI_FLOAT_INT", PredefinedKind::pair, 8, 8, 4, "MPI_FLOAT", "MPI_INT", 4});
    all.push_back({"MPI_LONG_INT", PredefinedKind::pair, 12, 16, 8, "MPI_LONG", "MPI_INT", 8});
    all.push_back({"MPI_LONG_DOUBLE_INT", PredefinedKind::pair, 20, 32, 16, "MPI_LONG_DOUBLE", "MPI_INT", 16});
    all.push_back({"MPI_2REAL", PredefinedKind::pair, 8, 8, 4, "MPI_REAL", "MPI_REAL", 4});
    all.push_back(
        {"MPI_2DOUBLE_PRECISION", PredefinedKind::pair, 16, 16, 8, "MPI_DOUBLE_PRECISION", "MPI_DOUBLE_PRECISION", 8});
    return all;
  }();
  return types;
}

TestStore::TestStore(LibraryConstants constants, std::span<const PredefinedType> predefined)
    : store_(constants), layouts_(store_) {
  for (const PredefinedType& type : predefined) layouts_.add(store_.add_predefined(type));
}

Form TestStore::form_for(std::initializer_list<std::int64_t> counts) {
  for (const std::int64_t value : counts) {
    if (value > INT32_MAX || value < INT32_MIN) return Form::large_counts;
  }
  return Form::int_counts;
}

DefinitionId TestStore::make(Combiner combiner, Form form, const Arguments& arguments,
                             std::vector<DefinitionId> oldtypes) {
  ConstructorCall call;
  call.combiner = combiner;
  call.form = form;
  call.datatypes = oldtypes;
  std::array<std::vector<std::int32_t>, 4> narrow;
  std::size_t scalars = 0;
  std::size_t arrays = 0;
  const auto parameters = row_of(combiner).parameters;
  if (parameters.size() != arguments.size()) throw std::invalid_argument("number of arguments");
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].shape == ParameterShape::scalar) {
      call.scalars[scalars++] = arguments[i].at(0);
      continue;
    }
    const bool is_wide = parameters[i].kind == ParameterKind::address ||
                         (parameters[i].kind == ParameterKind::count && form == Form::large_counts);
    if (is_wide) {
      call.arrays[arrays] = IntegerArray(std::span<const std::int64_t>(arguments[i]));
    } else {
      for (const std::int64_t value : arguments[i]) narrow[arrays].push_back(static_cast<std::int32_t>(value));
      call.arrays[arrays] = IntegerArray(std::span<const std::int32_t>(narrow[arrays]));
    }
    ++arrays;
  }
  return intern(call);
}

DefinitionId TestStore::make_f90(Combiner combiner, const Arguments& arguments, PredefinedType basic_type) {
  ConstructorCall call;
  call.combiner = combiner;
  for (std::size_t i = 0; i < arguments.size(); ++i) call.scalars[i] = arguments[i].at(0);
  basic_type.name = f90_name(call);
  store_.add_basic(basic_type);
  return intern(call);
}

DefinitionId TestStore::intern(const ConstructorCall& call) {
  const auto [id, is_new] = store_.intern(call);
  if (is_new) layouts_.add(id);
  return id;
}

}  // namespace ddtscope::test
