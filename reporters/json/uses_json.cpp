#include "reporters/json/uses_json.h"

#include "reporters/json/type_text.h"

namespace ddtscope::reporters {

Json use_json(const Job& job, const TypeUse& use, Symbols& symbols) {
  JsonText text;
  CallSiteTexts sites(job, symbols);
  write_use(text, job, use, sites);
  return Json::parse(text.text());
}

void write_uses_json(std::ostream& out, const ReportContext& context, const UsesQuery& query) {
  JsonText text;
  CallSiteTexts sites(context.job, context.symbols);
  text.begin_list();
  for (const TypeUse* use : selected_uses(context.job, query, context.symbols)) {
    write_use(text, context.job, *use, sites);
    text.flush_to(out);
  }
  text.end_list();
  text.end_document(out);
}

}  // namespace ddtscope::reporters
