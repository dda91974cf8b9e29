// Lines that say which files were opened, how they were viewed, and what was accessed in them.
#include "reporters/trace/read/record_reader.h"

namespace ddtscope {

using namespace members;

void RecordReader::read_opened_file(const Members& members, std::size_t) {
  check_order(members, "id", end_.files.size(), "file");
  OpenedFileRecord record;
  record.name = members.text("name");
  record.communicator = words_.kept(members.text_or_null("communicator").value_or(""));
  record.mode = words_.kept(members.text("mode"));
  read_call(members, record);
  if (merged_) record.ranks = ranks_of(members.need("ranks"));
  end_.files.push_back(std::move(record));
}

void RecordReader::read_view(const Members& members, std::size_t) {
  ViewRecord record;
  record.file = members.number_of<OpenedFileRecord>("file", end_.files.size(), "file");
  record.etype = kept_type(members.need("etype"), "etype");
  record.filetype = kept_type(members.need("filetype"), "filetype");
  record.datarep = words_.kept(members.text("datarep"));
  record.lowest = members.integer_or_null("lowest");
  record.highest = members.integer_or_null("highest");
  if (record.lowest.has_value() != record.highest.has_value() || record.highest < record.lowest) {
    members.refuse("highest", "no less than the lowest displacement, or null as that is");
  }
  read_call(members, record);
  record.count = members.count("count");
  if (merged_) record.ranks = ranks_of(members.need("ranks"));
  end_.views.push_back(std::move(record));
}

void RecordReader::read_file_accesses(const Members& members, std::size_t) {
  FileAccessesRecord record;
  record.file = members.number_of<OpenedFileRecord>("file", end_.files.size(), "file");
  record.type = kept_type(members.need("type"), "type");
  record.elements = members.count("elements");
  read_argument(members, record);
  record.site = members.number_or_null<FrameRecord>("site", frames_, "frame");
  record.count = members.count("count");
  if (merged_) record.ranks = ranks_of(members.need("ranks"));
  end_.file_accesses.push_back(std::move(record));
}

}  // namespace ddtscope
