// Lines that count: instances, and calls that returned an error.
#include "reporters/trace/read/record_reader.h"

namespace ddtscope {

using namespace members;

void RecordReader::read_instances(const Members& members, std::size_t) {
  instances_at_.push_back(begin_);
  InstancesRecord instances;
  instances.definition = definition_of(members);
  instances.called = words_.kept(members.text("called"));
  instances.binding = words_.kept(members.text("binding"));
  for (const Value element : members.array("counts")) {
    merged_ ? read_merged_counts(element, instances) : read_counts(element, instances);
    end_.instances.push_back(instances);
  }
}

void RecordReader::read_counts(const Value& element, InstancesRecord& instances) {
  const auto five = elements_of<5>(element);
  if (!five || !take_counters(std::span(*five).subspan<1>(), counter_limit, instances)) {
    throw LineError{"member \"counts\" must hold [site or null, created, adopted, committed, freed], but holds " +
                    kind_of(element)};
  }
  instances.site = site_of_counts((*five)[0]);
}

void RecordReader::read_merged_counts(const Value& element, InstancesRecord& instances) {
  const auto six = elements_of<6>(element);
  instances.known = six && !(*six)[1].is_null();
  const bool are_counters = six && (!instances.known || take_counters(std::span<const Value>(*six).subspan(1, 4),
                                                                      merged_counter_limit, instances));
  if (!are_counters) {
    throw LineError{
        "member \"counts\" must hold [site or null, created, adopted, committed, freed, ranks], but holds " +
        kind_of(element)};
  }
  instances.site = site_of_counts((*six)[0]);
  const std::vector<RankRange> ranks = ranks_of((*six)[5]);
  instances.first_range = static_cast<std::uint32_t>(end_.ranges.size());
  instances.ranges = static_cast<std::uint32_t>(ranks.size());
  end_.ranges.insert(end_.ranges.end(), ranks.begin(), ranks.end());
}

FrameNumber RecordReader::site_of_counts(const Value& value) const {
  if (value.is_null()) {
    return {};
  }
  const auto site = to_uint64(value);
  if (!site || *site >= frames_) {
    throw LineError{"member \"counts\" names as a site " + kind_of(value) + ", but must name one of the " +
                    std::to_string(frames_) + " frames that stand above this line, or null"};
  }
  return FrameNumber{static_cast<std::uint32_t>(*site)};
}

void RecordReader::read_failed_calls(const Members& members, std::size_t) {
  FailedCallsRecord calls;
  calls.called = words_.kept(members.text("called"));
  calls.binding = words_.kept(members.text("binding"));
  if (!members.need("error_class").is_null()) {
    calls.error_class = words_.kept(members.text("error_class"));
  }
  for (const Value element : members.array("counts")) {
    const auto two = merged_ ? std::nullopt : elements_of<2>(element);
    const auto three = merged_ ? elements_of<3>(element) : std::nullopt;
    const Value* const values = two ? two->data() : three ? three->data() : nullptr;
    const auto count = values != nullptr ? to_uint64(values[1]) : std::nullopt;
    if (!count || *count > (merged_ ? merged_counter_limit : counter_limit)) {
      throw LineError{std::string("member \"counts\" must hold [site or null, count") + (merged_ ? ", ranks" : "") +
                      "], but holds " + kind_of(element)};
    }
    calls.count = *count;
    calls.site = site_of_counts(values[0]);
    calls.ranks = merged_ ? ranks_of(values[2]) : std::vector<RankRange>();
    end_.failed_calls.push_back(calls);
  }
}

}  // namespace ddtscope
