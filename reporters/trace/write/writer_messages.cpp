// The lines of a trace that say what went from process to process.
#include "reporters/trace/write/writer.h"

namespace ddtscope::trace {

void Writer::operation(const OperationLine& line) {
  begin("operation").key("id").integer(line.number.value);
  argument_members(line);
  line_.key("site");
  number_or_null(line.site);
  finish();
}

void Writer::sequence(SequenceNumber number, std::span<const SequenceElement> elements, SequenceOf of) {
  begin("sequence").key("id").integer(number.value);
  if (of != SequenceOf::operations) line_.key("of").word(name_of(of));
  line_.key("operations");
  folded(elements);
  finish();
}

/// Loops are as deep as the sequence was folded: a few levels.
void Writer::folded(std::span<const SequenceElement> elements) {
  line_.begin_array();
  while (!elements.empty()) {
    const SequenceElement& element = elements.front();
    elements = elements.subspan(1);
    if (element.times == 0) {
      line_.integer(element.number);
    } else {
      line_.begin_array();
      counter(element.times);
      folded(elements.first(element.number));
      line_.end_array();
      elements = elements.subspan(element.number);
    }
  }
  line_.end_array();
}

void Writer::communicator_member(PredefinedCommunicator predefined, CommunicatorNumber communicator) {
  line_.key("communicator");
  if (predefined != PredefinedCommunicator::none) {
    line_.word(name_of(predefined));
  } else {
    line_.integer(communicator.value);
  }
}

void Writer::undecided_member(const std::optional<UndecidedFrom>& undecided) {
  if (!undecided) return;
  line_.key("undecided").begin_array();
  counter(undecided->operation);
  line_.string(undecided->why).end_array();
}

void Writer::channels(const ChannelsLine& line) {
  begin("channels");
  communicator_member(line.predefined, line.communicator);
  line_.key("direction").word(line.direction == ChannelDirection::send ? "send" : "receive");
  line_.key("sequence").integer(line.sequence.value);
  if (line.is_partitioned) line_.key("partitioned").boolean(true);
  if (line.is_unordered) line_.key("unordered").boolean(true);
  undecided_member(line.undecided);
  line_.key("channels").begin_array();
  for (const ChannelEnd& end : line.channels) {
    line_.begin_array();
    for (const std::int32_t number : {end.peer, end.tag}) {
      number == ChannelEnd::any ? line_.null() : line_.integer(number);
    }
    line_.end_array();
  }
  line_.end_array();
  if (line.rank) {
    line_.key("rank");
    rank(*line.rank);
  }
  finish();
}

void Writer::messages(std::span<const MessagesLeftOut> left_out, RankSpan ranks) {
  begin("messages").key("left_out").begin_array();
  for (const MessagesLeftOut& part : left_out) {
    line_.begin_object().key("why").string(part.why).key("count");
    counter(part.count);
    line_.end_object();
  }
  line_.end_array();
  if (is_merged()) this->ranks(ranks);
  finish();
}

}  // namespace ddtscope::trace
