// Lines that say what went from process to process.
#include <climits>

#include "reporters/trace/read/record_reader.h"

namespace ddtscope {

using namespace members;

namespace {

constexpr int deepest_loop = 64;
/// Of the operations of one sequence.
constexpr std::uint64_t longest_sequence = std::uint64_t{1} << 63;

}  // namespace

void RecordReader::read_operation(const Members& members, std::size_t) {
  check_order(members, "id", end_.operations.size(), "operation");
  OperationRecord record;
  record.elements = members.count("elements");
  if (const Value type = members.need("type"); !type.is_null() || record.elements != 0) {
    record.type = kept_type(type, "type");
  }
  read_argument(members, record);
  record.site = members.number_or_null<FrameRecord>("site", frames_, "frame");
  end_.operations.push_back(record);
}

std::uint64_t RecordReader::read_folded(const Value& value, std::size_t known, int depth,
                                        std::vector<SequenceElement>& elements) {
  const auto refuse = [](const Value& found) -> std::uint64_t {
    throw LineError{
        "member \"operations\" must hold numbers of operations that stand above this line, and loops of them as "
        "[times, [...]], fewer than 2^63 in all, but holds " +
        kind_of(found)};
  };
  simdjson::dom::array array;
  if (depth > deepest_loop || value.get(array) != simdjson::SUCCESS) return refuse(value);
  std::uint64_t length = 0;
  for (const Value element : array) {
    std::uint64_t more = 1;
    if (const auto number = to_uint64(element)) {
      if (*number >= known) return refuse(element);
      elements.push_back({0, static_cast<std::uint32_t>(*number)});
    } else {
      const auto two = elements_of<2>(element);
      const std::uint64_t times = two ? to_uint64((*two)[0]).value_or(0) : 0;
      if (times < 2) return refuse(element);
      const std::size_t loop = elements.size();
      elements.push_back({times, 0});
      const std::uint64_t body = read_folded((*two)[1], known, depth + 1, elements);
      const std::size_t inside = elements.size() - loop - 1;
      if (body == 0 || inside > UINT32_MAX || __builtin_mul_overflow(times, body, &more)) return refuse(element);
      elements[loop].number = static_cast<std::uint32_t>(inside);
    }
    if (__builtin_add_overflow(length, more, &length) || length >= longest_sequence) return refuse(element);
  }
  return length;
}

void RecordReader::read_sequence(const Members& members, std::size_t) {
  check_order(members, "id", end_.sequences.size(), "sequence");
  SequenceRecord record;
  if (members.has("of")) {
    const std::string_view of = members.text("of");
    record.of = of == name_of(SequenceOf::collectives) ? SequenceOf::collectives : SequenceOf::window_events;
    if (of != name_of(record.of)) members.refuse("of", R"("collectives" or "window_events")");
  }
  const std::size_t known = record.of == SequenceOf::operations    ? end_.operations.size()
                            : record.of == SequenceOf::collectives ? end_.collective_operations.size()
                                                                   : end_.window_events.size();
  read_folded(members.need("operations"), known, 0, record.elements);
  record.elements.shrink_to_fit();
  end_.sequences.push_back(std::move(record));
}

void RecordReader::read_channel_ends(const Members& members, std::vector<ChannelEnd>& channels) const {
  const auto array = members.array("channels");
  channels.reserve(array.size());
  for (const Value element : array) {
    const auto two = elements_of<2>(element);
    const auto number = [&](std::size_t i) {
      return two && (*two)[i].is_null() ? ChannelEnd::any : two ? to_int64((*two)[i]).value_or(INT64_MAX) : INT64_MAX;
    };
    const std::int64_t peer = number(0);
    const std::int64_t tag = number(1);
    if ((peer < 0 && peer != ChannelEnd::any) || peer > INT_MAX || tag < INT_MIN || tag > INT_MAX) {
      throw LineError{"member \"channels\" must hold [rank or null, tag or null], but holds " + kind_of(element)};
    }
    channels.push_back({static_cast<std::int32_t>(peer), static_cast<std::int32_t>(tag)});
  }
}

std::optional<UndecidedFrom> RecordReader::read_undecided(const Members& members) {
  if (!members.has("undecided")) return std::nullopt;
  const auto two = elements_of<2>(members.need("undecided"));
  const auto from = two ? to_uint64((*two)[0]) : std::nullopt;
  std::string_view why;
  if (!from || (*two)[1].get(why) != simdjson::SUCCESS) members.refuse("undecided", "[number of an operation, why]");
  return UndecidedFrom{*from, words_.kept(why)};
}

template <class Record>
void RecordReader::read_sequence_of_communicator(const Members& members, SequenceOf of, Record& record) {
  std::string_view name;
  if (members.need("communicator").get(name) == simdjson::SUCCESS) {
    for (const PredefinedCommunicator known : {PredefinedCommunicator::world, PredefinedCommunicator::self}) {
      if (name == name_of(known)) record.predefined = known;
    }
    if (record.predefined == PredefinedCommunicator::none) {
      members.refuse("communicator", "the number of a communicator, \"MPI_COMM_WORLD\" or \"MPI_COMM_SELF\"");
    }
  } else {
    record.communicator =
        members.number_of<CommunicatorRecord>("communicator", end_.communicators.size(), "communicator");
  }
  record.sequence = members.number_of<SequenceRecord>("sequence", end_.sequences.size(), "sequence");
  if (end_.sequences[record.sequence.value].of != of) {
    members.refuse("sequence", of == SequenceOf::collectives ? "the number of a sequence of collectives"
                                                             : "the number of a sequence of operations");
  }
  record.undecided = read_undecided(members);
  if (!merged_) return;
  record.rank = rank_of(members.need("rank"));
  if (!record.rank) members.refuse("rank", "a rank of the header's worlds");
}

void RecordReader::read_channels(const Members& members, std::size_t) {
  ChannelsRecord record;
  read_sequence_of_communicator(members, SequenceOf::operations, record);
  const std::string_view direction = members.text("direction");
  if (direction != "send" && direction != "receive") members.refuse("direction", "\"send\" or \"receive\"");
  record.direction = direction == "send" ? ChannelDirection::send : ChannelDirection::receive;
  record.is_partitioned = members.has("partitioned") && members.flag("partitioned");
  record.is_unordered = members.has("unordered") && members.flag("unordered");
  read_channel_ends(members, record.channels);
  end_.channels.push_back(std::move(record));
}

CollectiveRoot RecordReader::read_root(const Members& members) {
  const Value value = members.need("root");
  if (value.is_null()) return {};
  std::string_view name;
  if (value.get(name) == simdjson::SUCCESS) {
    if (name == "MPI_ROOT") return {CollectiveRoot::Is::itself, 0};
    if (name == "MPI_PROC_NULL") return {CollectiveRoot::Is::nobody, 0};
  }
  const std::int64_t rank = to_int64(value).value_or(-1);
  if (rank < 0 || rank > INT_MAX) members.refuse("root", "a rank, \"MPI_ROOT\", \"MPI_PROC_NULL\" or null");
  return {CollectiveRoot::Is::process, static_cast<std::int32_t>(rank)};
}

CollectiveSideRecord RecordReader::read_side(const Members& members, const char* name) {
  const Value value = members.need(name);
  CollectiveSideRecord side;
  if (value.is_null()) return side;
  const auto refuse = [&]() { members.refuse(name, "null, \"in place\", \"long\" or [[times, type, elements], ...]"); };
  std::string_view word;
  if (value.get(word) == simdjson::SUCCESS) {
    if (word != "in place" && word != "long") refuse();
    side.is = word == "long" ? CollectiveSideIs::too_long : CollectiveSideIs::in_place;
    return side;
  }
  simdjson::dom::array array;
  if (value.get(array) != simdjson::SUCCESS) refuse();
  side.is = CollectiveSideIs::blocks;
  std::uint64_t blocks = 0;
  for (const Value element : array) {
    const auto three = elements_of<3>(element);
    const std::uint64_t times = three ? to_uint64((*three)[0]).value_or(0) : 0;
    const auto elements = three ? to_uint64((*three)[2]) : std::nullopt;
    if (times == 0 || times > UINT32_MAX || !elements || (blocks += times) > UINT32_MAX) {
      throw LineError{"member \"" + std::string(name) +
                      "\" must hold [times, type, elements], fewer than 2^32 blocks in all, but holds " +
                      kind_of(element)};
    }
    BlockRunRecord run{times, std::nullopt, *elements};
    if (!(*three)[1].is_null() || *elements != 0) run.type = kept_type((*three)[1], name);
    side.runs.push_back(run);
  }
  side.runs.shrink_to_fit();
  return side;
}

void RecordReader::read_collective(const Members& members, std::size_t) {
  check_order(members, "id", end_.collective_operations.size(), "collective");
  CollectiveRecord record;
  read_call(members, record);
  record.root = read_root(members);
  if (!members.need("op").is_null()) record.op = words_.kept(members.text("op"));
  record.send = read_side(members, "send");
  record.receive = read_side(members, "receive");
  end_.collective_operations.push_back(std::move(record));
}

Neighbours RecordReader::read_neighbours(const Members& members) {
  const std::string_view topology = members.text("topology");
  if (topology != "cartesian" && topology != "graph") members.refuse("topology", "\"cartesian\" or \"graph\"");
  Neighbours neighbours{.is_cartesian = topology == "cartesian", .sources = {}, .destinations = {}};
  const auto read = [&](const char* name, std::vector<std::int32_t>& ranks) {
    const auto array = members.array(name);
    ranks.reserve(array.size());
    for (const Value element : array) {
      const std::int64_t rank = element.is_null() ? Neighbours::nobody : to_int64(element).value_or(INT64_MAX);
      if (rank > INT_MAX || (rank < 0 && !element.is_null())) {
        throw LineError{"member \"" + std::string(name) + "\" must hold ranks or null, but holds " + kind_of(element)};
      }
      ranks.push_back(static_cast<std::int32_t>(rank));
    }
  };
  read("sources", neighbours.sources);
  read("destinations", neighbours.destinations);
  return neighbours;
}

void RecordReader::read_collectives(const Members& members, std::size_t) {
  CollectivesRecord record;
  read_sequence_of_communicator(members, SequenceOf::collectives, record);
  if (members.has("neighbours")) {
    record.neighbours = read_neighbours(Members(members.need("neighbours"), "member \"neighbours\""));
  }
  end_.collectives.push_back(std::move(record));
}

void RecordReader::read_messages(const Members& members, std::size_t) {
  MessagesRecord record;
  for (const Value element : members.array("left_out")) {
    const Members part(element, "an element of \"left_out\"");
    record.left_out.push_back({words_.kept(part.text("why")), part.count("count")});
  }
  if (merged_) record.ranks = ranks_of(members.need("ranks"));
  end_.messages.push_back(std::move(record));
}

}  // namespace ddtscope
