// Lines that say what was found wrong with a call.
#include "reporters/trace/read/record_reader.h"

namespace ddtscope {

using namespace members;

void RecordReader::read_finding(const Members& members, std::size_t) {
  check_order(members, "id", end_.findings.size(), "finding");
  CallFindingRecord finding;
  finding.finding = words_.kept(members.text("finding"));
  finding.severity = words_.kept(members.text("severity"));
  if (const Value type = members.need("type"); !type.is_null()) {
    finding.type = kept_type(type, "type");
  }
  finding.called = words_.kept(members.text("called"));
  finding.binding = words_.kept(members.text("binding"));
  finding.argument = words_.kept(members.text("argument"));
  finding.site = members.number_or_null<FrameRecord>("site", frames_, "frame");
  finding.message = members.text("message");
  if (members.has("freed")) {
    const Members freed = members.object("freed");
    finding.freed_by = words_.kept(freed.text("called"));
    finding.freed_at = freed.number_or_null<FrameRecord>("site", frames_, "frame");
  }
  if (members.has("other")) {
    finding.access = words_.kept(members.text("access"));
    finding.elements = members.count("elements");
    finding.other = other_argument(members.object("other"));
  }
  if (merged_) {
    finding.count = members.count("count");
    finding.ranks = ranks_of(members.need("ranks"));
  }
  end_.findings.push_back(std::move(finding));
}

OldtypeRecord RecordReader::kept_type(const Value& datatype, const std::string& member) {
  OldtypeRecord type = read_oldtype(datatype, member);
  if (auto* name = std::get_if<std::string_view>(&type)) *name = words_.kept(*name);
  return type;
}

OtherArgumentRecord RecordReader::other_argument(const Members& other) {
  OtherArgumentRecord record;
  record.type = kept_type(other.need("type"), "other.type");
  record.called = words_.kept(other.text("called"));
  record.argument = words_.kept(other.text("argument"));
  record.site = other.number_or_null<FrameRecord>("site", frames_, "frame");
  record.access = words_.kept(other.text("access"));
  record.elements = other.count("elements");
  record.distance = other.integer("distance");
  record.is_of_same_call = other.flag("same_call");
  return record;
}

}  // namespace ddtscope
