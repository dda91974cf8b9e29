#include "reporters/model/data_words.h"

#include <algorithm>
#include <vector>

#include "decoder/base/grouped.h"
#include "decoder/layout/typemap.h"

namespace ddtscope::reporters {

/// "(MPI_INT, 2 x MPI_DOUBLE)" of a made type, behind a blank.
std::string DataWords::signature_of(DefinitionId type) {
  constexpr std::size_t most_runs = 4;
  if (!job_.number_of(type).valid()) return "";
  layouts_.make_room(layout_memory);
  const std::vector<SignatureRun> runs = signature_runs(layouts_, layouts_.root(type), most_runs + 1);
  std::string text;
  for (std::size_t i = 0; i < std::min(most_runs, runs.size()); ++i) {
    text += (text.empty() ? "" : ", ") +
            (runs[i].repeat == Exact(1) ? std::string() : grouped(runs[i].repeat) + " x ") + name_of(runs[i].type);
  }
  return " (" + text + (runs.size() > most_runs ? ", ..." : "") + ")";
}

std::string DataWords::data_of(std::optional<DefinitionId> type, std::uint64_t elements) {
  if (!type) return "nothing";
  const TypeNumber number = job_.number_of(*type);
  const bool is_named = number.valid() && !job_.names(number).empty();
  return grouped(elements) + " x " + job_.name_of(*type) + (is_named ? " '" + job_.names(number).front() + "'" : "") +
         signature_of(*type);
}

}  // namespace ddtscope::reporters
