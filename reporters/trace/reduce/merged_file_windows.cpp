// The ranks' windows, and what they reached in them, as lines of the merged trace.
#include <algorithm>
#include <iterator>

#include "reporters/trace/reduce/json_text.h"
#include "reporters/trace/reduce/merged_file.h"

namespace ddtscope::reduce {
namespace {

WindowFlavour flavour_of(std::string_view name) {
  const auto* const found = std::find_if(std::begin(all_window_flavours), std::end(all_window_flavours),
                                         [&](WindowFlavour one) { return name_of(one) == name; });
  return found != std::end(all_window_flavours) ? *found : WindowFlavour::dynamic;
}

}  // namespace

void MergedFile::write_windows() {
  std::uint32_t number = 0;
  for (const Record& record : windows_) {
    window_numbers_.emplace(record.key, number);
    BodyReader body(record.body);
    trace::WindowLine line;
    line.number = {number++};
    line.name = key_from_text(text_of_string(body.text())).value_or(0);
    line.flavour = flavour_of(text_of_string(body.text()));
    line.size = integer_or_null_of(body.text());
    line.displacement_unit = integer_or_null_of(body.text());
    const std::string called = text_of_string(body.text());
    const std::string binding = text_of_string(body.text());
    line.called = called;
    line.binding = binding;
    line.site = site(body.number());
    line.ranks = record.parts[0].ranks.ranges();
    writer_.window(line);
  }
}

void MergedFile::write_accesses() {
  for (const Record& record : accesses_) {
    BodyReader body(record.body);
    const auto window = window_numbers_.find(body.number());
    if (window == window_numbers_.end()) throw NotReduced("a window is missing");
    trace::AccessesLine line;
    line.window = {window->second};
    ArgumentWords words;
    read_argument(body, line, words);
    line.site = site(body.number());
    for (std::int64_t* const member : {&line.target, &line.lowest, &line.highest}) {
      *member = integer_or_null_of(body.text()).value_or(0);
    }
    line.count = count_of(body.text());
    line.ranks = record.parts[0].ranks.ranges();
    writer_.accesses(line);
  }
}

}  // namespace ddtscope::reduce
