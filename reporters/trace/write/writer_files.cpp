// The lines of a trace that say which files were opened, how they were viewed, and what was accessed in them.
#include "reporters/trace/write/writer.h"

namespace ddtscope::trace {

void Writer::opened_file(const OpenedFileLine& line) {
  begin("file").key("id").integer(line.number.value).key("name").string(line.name).key("communicator");
  line.communicator.empty() ? line_.null() : line_.string(line.communicator);
  line_.key("mode").string(line.mode);
  line_.key("called").string(line.called).key("binding").string(line.binding).key("site");
  number_or_null(line.site);
  if (is_merged()) ranks(line.ranks);
  finish();
}

void Writer::view(const ViewLine& line) {
  begin("view").key("file").integer(line.file.value).key("etype");
  name_or_number(line.etype.predefined, line.etype.definition);
  line_.key("filetype");
  name_or_number(line.filetype.predefined, line.filetype.definition);
  line_.key("datarep").string(line.datarep).key("lowest");
  line.is_at_current ? line_.null() : line_.integer(line.lowest);
  line_.key("highest");
  line.is_at_current ? line_.null() : line_.integer(line.highest);
  line_.key("called").string(line.called).key("binding").string(line.binding).key("site");
  number_or_null(line.site);
  line_.key("count");
  counter(line.count);
  if (is_merged()) ranks(line.ranks);
  finish();
}

void Writer::file_accesses(const FileAccessesLine& line) {
  begin("file_accesses").key("file").integer(line.file.value);
  argument_members(line);
  line_.key("site");
  number_or_null(line.site);
  line_.key("count");
  counter(line.count);
  if (is_merged()) ranks(line.ranks);
  finish();
}

}  // namespace ddtscope::trace
