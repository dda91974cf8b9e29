// Random types as constructor calls that are nested, one in a line: random_calls SEED HOW-MANY. All combiners that both
// libraries have, in both forms; the leaves are basic types of C.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <set>
#include <string>

#include "decoder/notation/constructor_code.h"
#include "decoder/testing/random_types.h"

namespace {

using namespace ddtscope;
using namespace ddtscope::test;

constexpr std::size_t longest = 1500;
constexpr std::size_t shortest = 60;  // those of one call are few, and soon all made

std::vector<PredefinedType> leaves() {
  std::vector<PredefinedType> types;
  for (const PredefinedType& type : common_predefined_types()) {
    if (type.kind == PredefinedKind::basic) types.push_back(type);
  }
  return types;
}

RandomTypesOptions options_of(std::uint64_t seed) {
  RandomTypesOptions options;
  options.seed = seed;
  options.greatest_depth = 4;
  options.most_entries = 300;
  options.farthest_byte = 20000;
  std::erase(options.combiners, Combiner::value_index);  // of MPI-4.1
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return EXIT_FAILURE;
  TestStore types(mpich_constants, leaves());
  RandomTypes random(types, options_of(std::strtoull(argv[1], nullptr, 10)));
  const std::function<std::string(DefinitionId)> text_of = [&](DefinitionId id) {
    return constructor_call_text(types.store(), id, text_of, SIZE_MAX);
  };
  std::set<std::string> told;
  for (const auto wanted = std::strtoull(argv[2], nullptr, 10); told.size() < wanted;) {
    const DefinitionId id = random.next();
    if (!id.valid()) continue;
    const std::string text = text_of(id);
    if (text.size() > longest || text.size() < shortest || !told.insert(text).second) continue;
    std::printf("%s\n", text.c_str());
  }
  return EXIT_SUCCESS;
}
