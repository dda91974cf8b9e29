#include "decoder/notation/make_call.h"

namespace ddtscope {

std::variant<DefinitionId, ArgumentProblem> make_call(DefinitionStore& store, Combiner combiner, Form form,
                                                      const CallArguments& arguments, const F90Types& f90_type) {
  CallFromContents call;
  if (!call.build(combiner, form, contents_of(combiner, form, arguments))) {
    return ArgumentProblem{call.error(), call.problem()};
  }
  if (auto problem = erroneous_argument(store, call.call())) return *std::move(problem);
  const std::string f90 = f90_name(call.call());
  if (!f90.empty() && !store.predefined().find(f90)) {
    const std::optional<PredefinedType> basic = f90_type(call.call());
    if (!basic) return ArgumentProblem{ErrorClass::argument, "Fortran has no kind with this precision and range"};
    store.add_basic(*basic);
  }
  return store.intern(call.call()).id;
}

}  // namespace ddtscope
