// Lines that say what one-sided calls reach, and in which windows.
#include <algorithm>
#include <iterator>

#include "reporters/trace/read/record_reader.h"

namespace ddtscope {

using namespace members;

void RecordReader::read_window(const Members& members, std::size_t) {
  check_order(members, "id", end_.windows.size(), "window");
  WindowRecord record;
  const auto name = key_from_text(members.text("name"));
  if (!name) members.refuse("name", "16 digits of a hexadecimal number");
  record.name = *name;
  const std::string_view flavour = members.text("flavour");
  const auto* const found = std::find_if(std::begin(all_window_flavours), std::end(all_window_flavours),
                                         [&](WindowFlavour one) { return name_of(one) == flavour; });
  if (found == std::end(all_window_flavours)) {
    members.refuse("flavour", R"("create", "allocate", "shared" or "dynamic")");
  }
  record.flavour = *found;
  record.size = members.integer_or_null("size");
  record.displacement_unit = members.integer_or_null("displacement_unit");
  const bool has_memory = record.flavour != WindowFlavour::dynamic;
  if (record.size.has_value() != has_memory || record.size.value_or(0) < 0) {
    members.refuse("size", "a number of bytes, or of a dynamic window null");
  }
  if (record.displacement_unit.has_value() != has_memory) {
    members.refuse("displacement_unit", "a number of bytes, or of a dynamic window null");
  }
  record.called = words_.kept(members.text("called"));
  record.binding = words_.kept(members.text("binding"));
  record.site = members.number_or_null<FrameRecord>("site", frames_, "frame");
  if (merged_) record.ranks = ranks_of(members.need("ranks"));
  end_.windows.push_back(std::move(record));
}

void RecordReader::read_accesses(const Members& members, std::size_t) {
  AccessesRecord record;
  record.window = members.number_of<WindowRecord>("window", end_.windows.size(), "window");
  record.target = members.integer("target");
  if (record.target < 0) members.refuse("target", "a rank");
  record.type = kept_type(members.need("type"), "type");
  record.elements = members.count("elements");
  read_argument(members, record);
  record.site = members.number_or_null<FrameRecord>("site", frames_, "frame");
  record.lowest = members.integer("lowest");
  record.highest = members.integer("highest");
  if (record.highest < record.lowest) members.refuse("highest", "no less than the lowest displacement");
  record.count = members.count("count");
  if (merged_) record.ranks = ranks_of(members.need("ranks"));
  end_.accesses.push_back(std::move(record));
}

}  // namespace ddtscope
