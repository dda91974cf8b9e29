// The lines of a trace that say which collective operations a process called.
#include "reporters/trace/write/writer.h"

namespace ddtscope::trace {

void Writer::side_member(std::string_view key, const CollectiveSideLine& side) {
  line_.key(key);
  switch (side.is) {
    case CollectiveSideIs::none:
      line_.null();
      return;
    case CollectiveSideIs::in_place:
      line_.word("in place");
      return;
    case CollectiveSideIs::too_long:
      line_.word("long");
      return;
    case CollectiveSideIs::blocks:
      break;
  }
  line_.begin_array();
  for (const BlockRunLine& run : side.runs) {
    line_.begin_array();
    counter(run.times);
    name_or_number(run.predefined, run.definition);
    counter(run.elements);
    line_.end_array();
  }
  line_.end_array();
}

void Writer::collective(const CollectiveLine& line) {
  begin("collective").key("id").integer(line.number.value);
  line_.key("called").string(line.called).key("binding").string(line.binding).key("site");
  number_or_null(line.site);
  line_.key("root");
  switch (line.root.is) {
    case CollectiveRoot::Is::none:
      line_.null();
      break;
    case CollectiveRoot::Is::process:
      line_.integer(line.root.rank);
      break;
    case CollectiveRoot::Is::itself:
      line_.word("MPI_ROOT");
      break;
    case CollectiveRoot::Is::nobody:
      line_.word("MPI_PROC_NULL");
      break;
  }
  line_.key("op");
  line.op.empty() ? line_.null() : line_.string(line.op);
  side_member("send", line.send);
  side_member("receive", line.receive);
  finish();
}

void Writer::neighbours_member(const Neighbours& neighbours) {
  const auto ranks_member = [&](std::string_view key, const std::vector<std::int32_t>& ranks) {
    line_.key(key).begin_array();
    for (const std::int32_t rank : ranks) rank == Neighbours::nobody ? line_.null() : line_.integer(rank);
    line_.end_array();
  };
  line_.key("neighbours").begin_object().key("topology").word(neighbours.is_cartesian ? "cartesian" : "graph");
  ranks_member("sources", neighbours.sources);
  ranks_member("destinations", neighbours.destinations);
  line_.end_object();
}

void Writer::collectives(const CollectivesLine& line) {
  begin("collectives");
  communicator_member(line.predefined, line.communicator);
  line_.key("sequence").integer(line.sequence.value);
  undecided_member(line.undecided);
  if (line.neighbours != nullptr) neighbours_member(*line.neighbours);
  if (line.rank) {
    line_.key("rank");
    rank(*line.rank);
  }
  finish();
}

}  // namespace ddtscope::trace
