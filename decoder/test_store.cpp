// The store that decoder tests share.
#include "decoder/test_store.h"

#include <stdexcept>

namespace ddtscope::test {

TestStore::TestStore(LibraryConstants constants) : store_(constants), layouts_(store_) {
  const auto add = [&](const PredefinedType& type) { layouts_.add(store_.add_predefined(type)); };
  const auto basic = [&](const char* name, std::int64_t size) {
    add({name, PredefinedKind::basic, size, size, natural_alignment(name, size), {}, {}, 0});
  };
  basic("MPI_CHAR", 1);
  basic("MPI_SHORT", 2);
  basic("MPI_INT", 4);
  basic("MPI_FLOAT", 4);
  basic("MPI_DOUBLE", 8);
  basic("MPI_LONG_DOUBLE", 16);
  basic("MPI_C_DOUBLE_COMPLEX", 16);
  add({"MPI_2INT", PredefinedKind::pair, 8, 8, 4, "MPI_INT", "MPI_INT", 4});
  add({"MPI_SHORT_INT", PredefinedKind::pair, 6, 8, 4, "MPI_SHORT", "MPI_INT", 4});
  add({"MPI_DOUBLE_INT", PredefinedKind::pair, 12, 16, 8, "MPI_DOUBLE", "MPI_INT", 8});
  add({"MPI_LB", PredefinedKind::lb_marker, 0, 0, 1, {}, {}, 0});
  add({"MPI_UB", PredefinedKind::ub_marker, 0, 0, 1, {}, {}, 0});
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

DefinitionId TestStore::intern(const ConstructorCall& call) {
  const auto [id, is_new] = store_.intern(call);
  if (is_new) layouts_.add(id);
  return id;
}

}  // namespace ddtscope::test
