// What the ranks sent and received, as lines of the merged trace.
#include <deque>

#include "reporters/trace/format/number_of_text.h"
#include "reporters/trace/reduce/json_text.h"
#include "reporters/trace/reduce/merged_file.h"

namespace ddtscope::reduce {
namespace {

PredefinedCommunicator communicator_of(std::string_view name) {
  for (const PredefinedCommunicator known : {PredefinedCommunicator::world, PredefinedCommunicator::self}) {
    if (name == name_of(known)) return known;
  }
  return PredefinedCommunicator::none;
}

/// A rank, "MPI_ROOT", "MPI_PROC_NULL" or null.
CollectiveRoot root_of(std::string_view text) {
  if (text == "\"MPI_ROOT\"") return {CollectiveRoot::Is::itself, 0};
  if (text == "\"MPI_PROC_NULL\"") return {CollectiveRoot::Is::nobody, 0};
  const auto rank = number_of_text<std::int32_t>(text);
  return rank ? CollectiveRoot{CollectiveRoot::Is::process, *rank} : CollectiveRoot{};
}

/// Empty where they are not told.
std::optional<Neighbours> neighbours_of(std::string_view text) {
  if (text.empty()) return std::nullopt;
  Neighbours neighbours{
      .is_cartesian = member_of(text, "topology") == "\"cartesian\"", .sources = {}, .destinations = {}};
  const auto read = [&](const char* name, std::vector<std::int32_t>& ranks) {
    for (JsonWalk walk(member_of(text, name)); walk.next();) {
      ranks.push_back(number_of_text<std::int32_t>(walk.value()).value_or(Neighbours::nobody));
    }
  };
  read("sources", neighbours.sources);
  read("destinations", neighbours.destinations);
  return neighbours;
}

std::vector<ChannelEnd> ends_of(std::string_view text) {
  std::vector<ChannelEnd> ends;
  for (JsonWalk walk(text); walk.next();) {
    JsonWalk two(walk.value());
    ChannelEnd end;
    for (std::int32_t* const number : {&end.peer, &end.tag}) {
      if (two.next()) *number = number_of_text<std::int32_t>(two.value()).value_or(ChannelEnd::any);
    }
    ends.push_back(end);
  }
  return ends;
}

}  // namespace

std::uint32_t MergedFile::number_in(const Numbers& numbers, Hash hash) {
  const auto found = numbers.find(hash);
  if (found == numbers.end()) throw NotReduced("what a channel or a window had is missing");
  return found->second;
}

/// [from, why]
UndecidedFrom MergedFile::undecided_of(std::string_view text, std::string& why) {
  JsonWalk two(text);
  const std::uint64_t from = two.next() ? count_of(two.value()) : 0;
  if (two.next()) why = text_of_string(two.value());
  return {from, why};
}

void MergedFile::write_operations() {
  std::uint32_t number = 0;
  for (const Record& record : operations_) {
    BodyReader body(record.body);
    trace::OperationLine line;
    line.number = {number};
    ArgumentWords words;
    read_argument(body, line, words);
    line.site = site(body.number());
    writer_.operation(line);
    operation_numbers_.emplace(record.key, number++);
  }
}

void MergedFile::read_folded(BodyReader& body, const Numbers& numbers, std::vector<SequenceElement>& elements) {
  for (std::uint64_t left = body.number(); left != 0; --left) {
    const std::uint64_t times = body.number();
    const std::size_t place = elements.size();
    elements.push_back({times, 0});
    if (times == 0) {
      elements[place].number = number_in(numbers, body.number());
      continue;
    }
    read_folded(body, numbers, elements);
    elements[place].number = static_cast<std::uint32_t>(elements.size() - place - 1);
  }
}

void MergedFile::write_sequences() {
  std::uint32_t number = 0;
  std::vector<SequenceElement> elements;
  for (const Record& record : sequences_) {
    BodyReader body(record.body);
    elements.clear();
    read_folded(body, operation_numbers_, elements);
    writer_.sequence({number}, elements);
    sequence_numbers_.emplace(record.key, number++);
  }
}

template <class Line>
void MergedFile::read_sequence_of_communicator(BodyReader& body, const Numbers& sequences, Line& line,
                                               std::string& why) const {
  line.rank = Rank{{}, static_cast<std::int64_t>(body.number())};
  const Hash communicator = body.number();
  line.predefined = communicator_of(text_of_string(body.text()));
  if (line.predefined == PredefinedCommunicator::none) {
    line.communicator = {number_in(communicator_numbers_, communicator)};
  }
  line.sequence = {number_in(sequences, body.number())};
  if (const std::string_view undecided = body.text(); !undecided.empty()) {
    line.undecided = undecided_of(undecided, why);
  }
}

void MergedFile::write_channels() {
  for (const Stored& channels : channels_) {
    const Record record = stored(channels);
    BodyReader body(record.body);
    trace::ChannelsLine line;
    std::string why;
    read_sequence_of_communicator(body, sequence_numbers_, line, why);
    line.direction = body.text() == "\"send\"" ? ChannelDirection::send : ChannelDirection::receive;
    line.is_partitioned = body.text() == "true";
    line.is_unordered = body.text() == "true";
    const std::vector<ChannelEnd> ends = ends_of(body.text());
    line.channels = ends;
    writer_.channels(line);
    check_written();
  }
}

/// What a line of one side refers to.
struct MergedFile::CollectiveSideWords {
  std::deque<std::string> predefined;
  std::vector<trace::BlockRunLine> runs;
};

trace::CollectiveSideLine MergedFile::read_side(BodyReader& body, CollectiveSideWords& words) const {
  const std::uint64_t runs = body.number();
  if (runs == 0) {
    const std::string_view word = body.text();
    return {word == "\"in place\"" ? CollectiveSideIs::in_place
            : word == "\"long\""   ? CollectiveSideIs::too_long
                                   : CollectiveSideIs::none,
            {}};
  }
  for (std::uint64_t left = runs - 1; left != 0; --left) {
    trace::BlockRunLine run;
    run.times = body.number();
    WrittenType type = written(body.text());
    run.definition = type.definition;
    run.predefined = words.predefined.emplace_back(std::move(type.predefined));
    run.elements = body.number();
    words.runs.push_back(run);
  }
  return {CollectiveSideIs::blocks, words.runs};
}

void MergedFile::write_collectives() {
  std::uint32_t number = 0;
  for (const Record& record : collective_operations_) {
    BodyReader body(record.body);
    trace::CollectiveLine line;
    const std::string called = text_of_string(body.text());
    const std::string binding = text_of_string(body.text());
    line.number = {number};
    line.called = called;
    line.binding = binding;
    line.root = root_of(body.text());
    const std::string_view op_text = body.text();
    const std::string op = op_text == "null" ? std::string() : text_of_string(op_text);
    line.op = op;
    line.site = site(body.number());
    CollectiveSideWords send, receive;
    line.send = read_side(body, send);
    line.receive = read_side(body, receive);
    writer_.collective(line);
    collective_numbers_.emplace(record.key, number++);
  }
  number = static_cast<std::uint32_t>(sequences_.size());
  std::vector<SequenceElement> elements;
  for (const Record& record : collective_sequences_) {
    BodyReader body(record.body);
    elements.clear();
    read_folded(body, collective_numbers_, elements);
    writer_.sequence({number}, elements, SequenceOf::collectives);
    collective_sequence_numbers_.emplace(record.key, number++);
  }
  for (const Stored& collectives : collectives_) {
    const Record record = stored(collectives);
    BodyReader body(record.body);
    trace::CollectivesLine line;
    std::string why;
    read_sequence_of_communicator(body, collective_sequence_numbers_, line, why);
    const std::optional<Neighbours> neighbours = neighbours_of(body.text());
    if (neighbours) line.neighbours = &*neighbours;
    writer_.collectives(line);
    check_written();
  }
}

void MergedFile::write_messages() {
  write_operations();
  write_sequences();
  write_channels();
  write_collectives();
  for (const Record& record : messages_) {
    std::vector<std::string> words;
    std::vector<std::uint64_t> counts;
    for (JsonWalk walk(record.body); walk.next();) {
      words.push_back(text_of_string(member_of(walk.value(), "why")));
      counts.push_back(count_of(member_of(walk.value(), "count")));
    }
    std::vector<MessagesLeftOut> left_out;
    for (std::size_t i = 0; i < words.size(); ++i) left_out.push_back({words[i], counts[i]});
    writer_.messages(left_out, record.parts[0].ranks.ranges());
  }
}

}  // namespace ddtscope::reduce
