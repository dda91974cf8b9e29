// Lines that say how a type was used.
#include "reporters/trace/read/record_reader.h"

namespace ddtscope {

using namespace members;

void RecordReader::read_uses(const Members& members, std::size_t) {
  UsesRecord line;
  line.type = read_oldtype(members.need("type"));
  if (auto* name = std::get_if<std::string_view>(&line.type)) {
    *name = words_.kept(*name);
  }
  read_argument(members, line);
  for (const Value element : members.array("counts")) {
    end_.uses.push_back(uses_of(element, line));
  }
}

/// What was received, and what started requests sent, stands where there is something to say.
UsesRecord RecordReader::uses_of(const Value& element, const UsesRecord& line) const {
  const auto five = merged_ ? std::nullopt : elements_of<5>(element);
  const auto six = merged_ ? elements_of<6>(element) : std::nullopt;
  const auto eight = merged_ ? std::nullopt : elements_of<8>(element);
  const auto nine = merged_ ? elements_of<9>(element) : std::nullopt;
  const bool is_long = eight || nine;
  const Value* const values = five    ? five->data()
                              : six   ? six->data()
                              : eight ? eight->data()
                              : nine  ? nine->data()
                                      : nullptr;
  const auto refuse = [&] {
    throw LineError{
        std::string("member \"counts\" must hold [site or null, calls, elements, smallest, largest, and maybe received "
                    "or null, sent_calls, sent_elements") +
        (merged_ ? ", ranks" : "") + "], but holds " + kind_of(element)};
  };
  const auto read = [&](std::size_t i) {
    const auto count = values != nullptr ? to_uint64(values[i]) : std::nullopt;
    if (!count) refuse();
    return *count;
  };
  UsesRecord uses = line;
  std::uint64_t* const counts[] = {&uses.counts.calls, &uses.counts.elements, &uses.counts.smallest,
                                   &uses.counts.largest};
  for (std::size_t i = 0; i < std::size(counts); ++i) {
    *counts[i] = read(i + 1);
  }
  if (is_long) {
    if (!values[5].is_null()) uses.counts.received = read(5);
    uses.counts.sent_calls = read(6);
    uses.counts.sent_elements = read(7);
  }
  uses.site = site_of_counts(values[0]);
  if (merged_) {
    uses.ranks = ranks_of(values[is_long ? 8 : 5]);
  }
  return uses;
}

}  // namespace ddtscope
