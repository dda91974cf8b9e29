// Which lines there are, and what their numbers, frames and ranks say (FORMAT.md).
#include "reporters/trace/read/record_reader.h"

#include <algorithm>
#include <charconv>

namespace ddtscope {

using namespace members;

void RecordReader::read_line(const Value& object, std::size_t line, std::uint64_t begin) {
  struct Row {
    std::string_view record;
    void (RecordReader::*read)(const Members&, std::size_t);
  };
  static constexpr Row readers[] = {
      {"instances", &RecordReader::read_instances},
      {"frames", &RecordReader::read_frames},
      {"definition", &RecordReader::read_definition},
      {"name", &RecordReader::read_name},
      {"module", &RecordReader::read_module},
      {"difference", &RecordReader::read_difference},
      {"header", &RecordReader::read_header},
      {"predefined", &RecordReader::read_late_predefined},
      {"end", &RecordReader::read_end},
      {"failed_calls", &RecordReader::read_failed_calls},
      {"uses", &RecordReader::read_uses},
      {"finding", &RecordReader::read_finding},
      {"finding_count", &RecordReader::read_finding_count},
      {"switch", &RecordReader::read_switch},
      {"switch_count", &RecordReader::read_switch_count},
      {"communicator", &RecordReader::read_communicator},
      {"operation", &RecordReader::read_operation},
      {"sequence", &RecordReader::read_sequence},
      {"channels", &RecordReader::read_channels},
      {"collective", &RecordReader::read_collective},
      {"collectives", &RecordReader::read_collectives},
      {"messages", &RecordReader::read_messages},
      {"buffer", &RecordReader::read_buffer},
      {"window", &RecordReader::read_window},
      {"accesses", &RecordReader::read_accesses},
      {"file", &RecordReader::read_opened_file},
      {"view", &RecordReader::read_view},
      {"file_accesses", &RecordReader::read_file_accesses},
      {"window_event", &RecordReader::read_window_event},
      {"epochs", &RecordReader::read_epochs},
      {"attached", &RecordReader::read_attached},
      {"window_name", &RecordReader::read_window_name},
      {"process", &RecordReader::read_process},
      {"note", &RecordReader::read_note},
      {"facts", &RecordReader::read_facts},
  };
  begin_ = begin;
  const Members members(object);
  const std::string_view record = members.text("record");
  for (const auto& [name, read] : readers) {
    if (record == name) {
      (this->*read)(members, line);
      return;
    }
  }
  meet_unknown(record);
}

/// Readers ignore what they do not know, and say so (FORMAT.md, Versions).
void RecordReader::meet_unknown(std::string_view kind) {
  constexpr std::size_t most_kinds = 8;
  if (version_ < trace::first_version_with_kinds_to_come || end_.unknown_kinds.size() == most_kinds) return;
  end_.unknown_kinds.insert(in_quotes(kind));
}

void RecordReader::check_order(const Members& members, const char* member, std::size_t expected, const char* what) {
  const std::uint64_t number = members.count(member);
  if (number != expected) {
    throw LineError{std::string(what) + " " + std::to_string(number) + " stands where " + what + " " +
                    std::to_string(expected) + " must come: they count from 0 in the order of lines"};
  }
}

void RecordReader::read_module(const Members& members, std::size_t) {
  check_order(members, "id", modules_, "module");
  ModuleRecord module{std::string(members.text("path")), members.text_or_null("build_id")};
  if (members.has("function")) module.function = members.text("function");
  sink_.module(std::move(module));
  ++modules_;
}

ModuleNumber RecordReader::module_of_frame(const Value& element) const {
  if (element.is_null()) {
    return {};
  }
  const std::uint64_t module = to_uint64(element).value_or(UINT64_MAX);
  if (module >= modules_) {
    throw LineError{"member \"frames\" names as a module " + kind_of(element) + ", but must name one of the " +
                    std::to_string(modules_) + " that stand above this line, or null"};
  }
  return ModuleNumber{static_cast<std::uint32_t>(module)};
}

void RecordReader::read_frames(const Members& members, std::size_t) {
  check_order(members, "first", frames_, "frame");
  auto parent = members.number_or_null<FrameRecord>("parent", frames_, "frame");
  for (const Value element : members.array("frames")) {
    const auto two = elements_of<2>(element);
    const auto offset = two ? to_uint64((*two)[1]) : std::nullopt;
    if (!offset) {
      throw LineError{"member \"frames\" must hold [module or null, offset], but holds " + kind_of(element)};
    }
    sink_.frame({parent, module_of_frame((*two)[0]), *offset});
    parent = FrameNumber{static_cast<std::uint32_t>(frames_++)};
  }
}

std::optional<Rank> RecordReader::rank_of(const Value& value) const {
  Rank rank{world_, 0};
  if (const auto number = to_int64(value)) {
    rank.number = *number;
  } else {
    std::string_view text;
    const auto take = [&](std::int64_t& integer) {
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), integer);
      text.remove_prefix(static_cast<std::size_t>(end - text.data()));
      return error == std::errc();
    };
    if (value.get(text) != simdjson::SUCCESS || !take(rank.world.value) || !text.starts_with('.')) {
      return std::nullopt;
    }
    text.remove_prefix(1);
    if (!take(rank.number) || !text.empty()) {
      return std::nullopt;
    }
  }
  const bool is_known =
      worlds_.empty() ? rank.world == world_ : std::binary_search(worlds_.begin(), worlds_.end(), rank.world);
  return rank.number >= 0 && rank.number <= INT_MAX && is_known ? std::optional(rank) : std::nullopt;
}

std::vector<RankRange> RecordReader::ranks_of(const Value& value) const {
  std::vector<RankRange> ranks;
  simdjson::dom::array ranges;
  bool valid = value.get(ranges) == simdjson::SUCCESS;
  if (valid) {
    for (const Value range : ranges) {
      const auto two = elements_of<2>(range);
      const auto first = two ? rank_of((*two)[0]) : std::nullopt;
      const auto last = two ? rank_of((*two)[1]) : std::nullopt;
      valid = first && last && first->world == last->world && *first <= *last &&
              (ranks.empty() || *first > Rank{ranks.back().world, ranks.back().last});
      if (!valid) {
        break;
      }
      ranks.push_back({first->number, last->number, first->world});
    }
  }
  if (!valid) {
    throw LineError{std::string("ranks must be [[first, last], ...], ascending") +
                    (worlds_.empty() ? "" : ", each of one of the header's worlds") + ", but are " + kind_of(value)};
  }
  return ranks;
}

}  // namespace ddtscope
