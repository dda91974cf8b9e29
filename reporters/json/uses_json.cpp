#include "reporters/json/uses_json.h"

#include "reporters/json/type_json.h"
#include "reporters/model/uses.h"

namespace ddtscope {

Json use_json(const Job& job, const TypeUse& use, Symbols& symbols) {
  return {{"type", job.name_of(use.type)},
          {"called", use.called},
          {"binding", use.binding},
          {"argument", trace::name_of(use.parameter)},
          {"ranks", ranks_json(use.ranks)},
          {"calls", json_count(use.counts.calls)},
          {"elements", json_count(use.counts.elements)},
          {"bytes", json_integer(bytes_of(job, use))},
          {"received_bytes", nullptr},
          {"smallest_count", json_count(use.counts.smallest)},
          {"largest_count", json_count(use.counts.largest)},
          {"call_site", call_site_json(job, use.site, symbols)}};
}

void write_uses_json(std::ostream& out, const ReportContext& context, const UsesQuery& query) {
  JsonArrayWriter array(out);
  for (const TypeUse* use : selected_uses(context.job, query, context.symbols)) {
    array.add(use_json(context.job, *use, context.symbols));
  }
  array.end();
}

Json uses_json(const Job& job, DefinitionId type, Symbols& symbols) {
  Json array = Json::array();
  for (const TypeUse& use : job.uses) {
    if (use.type == type) array.push_back(use_json(job, use, symbols));
  }
  return array;
}

}  // namespace ddtscope
