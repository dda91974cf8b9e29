// Lines that say what communicators are called in all their processes.
#include "reporters/trace/read/record_reader.h"

namespace ddtscope {

using namespace members;

GroupRuns RecordReader::group_of(const Value& value, const char* member) {
  simdjson::dom::array elements;
  bool valid = value.get(elements) == simdjson::SUCCESS;
  GroupRuns runs;
  if (valid) {
    for (const Value element : elements) {
      const auto three = elements_of<3>(element);
      const auto first = three ? to_int64((*three)[0]) : std::nullopt;
      const auto last = three ? to_int64((*three)[1]) : std::nullopt;
      const auto step = three ? to_int64((*three)[2]) : std::nullopt;
      constexpr std::int64_t most_ranks = std::int64_t{1} << 31;
      const auto is_rank = [](std::int64_t rank) { return rank >= 0 && rank < most_ranks; };
      valid = first && last && step && is_rank(*first) && is_rank(*last) && *step > -most_ranks && *step < most_ranks &&
              *step != 0 && (*last - *first) % *step == 0 && (*last - *first) / *step >= 0;
      if (!valid) break;
      runs.push_back({*first, *last, *step});
    }
  }
  if (!valid) {
    throw LineError{"member \"" + std::string(member) +
                    "\" must hold groups of [first rank, last rank, step], but holds " + kind_of(value)};
  }
  return runs;
}

void RecordReader::read_communicator(const Members& members, std::size_t) {
  check_order(members, "id", end_.communicators.size(), "communicator");
  CommunicatorRecord record;
  if (const auto name = members.text_or_null("name")) {
    record.name = key_from_text(*name);
    if (!record.name) members.refuse("name", "null or 16 digits of a hexadecimal number");
  }
  read_call(members, record);
  if (!members.need("groups").is_null()) {
    for (const Value group : members.array("groups")) record.groups.push_back(group_of(group, "groups"));
  }
  if (merged_) record.ranks = ranks_of(members.need("ranks"));
  end_.communicators.push_back(std::move(record));
}

}  // namespace ddtscope
