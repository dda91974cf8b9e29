#include "reporters/json/uses_json.h"

#include "reporters/json/files_json.h"
#include "reporters/json/type_json.h"
#include "reporters/json/type_text.h"

namespace ddtscope::reporters {

Json use_json(const Job& job, const TypeUse& use, Symbols& symbols) {
  JsonText text;
  CallSiteTexts sites(job, symbols);
  write_use(text, job, use, sites);
  return Json::parse(text.text());
}

namespace {

void write_traffic(JsonText& text, const ReportContext& context, const Traffic& sum, UsesBy by) {
  const Job& job = context.job;
  text.begin_object();
  if (by == UsesBy::pair) {
    text.key("source").value(rank_json(sum.source)).key("destination").value(rank_json(sum.destination));
  } else {
    const JobCommunicator* const made = sum.made ? &job.communicators[sum.made->value] : nullptr;
    text.key("communicator")
        .string(made == nullptr ? std::string(name_of(sum.predefined))
                : made->name    ? key_text(*made->name)
                                : std::string());
    text.key("called").value(made != nullptr ? Json(made->called) : Json(nullptr));
    text.key("call_site").value(made != nullptr ? call_site_json(job, made->site, context.symbols) : Json::array());
  }
  text.key("messages").count(sum.messages).key("bytes").exact(sum.bytes).key("types").begin_list();
  for (const TypeTraffic& one : sum.types) {
    text.begin_object().key("type").value(one.type ? Json(job.name_of(*one.type)) : Json(nullptr));
    text.key("messages").count(one.messages).key("bytes").exact(one.bytes).end_object();
  }
  text.end_list().end_object();
}

}  // namespace

void write_uses_json(std::ostream& out, const ReportContext& context, const UsesQuery& query) {
  if (query.by == UsesBy::file) return write_files_json(out, context, query);
  if (is_of_messages(query.by)) {
    JsonText text;
    text.begin_list();
    for (const Traffic& sum : selected_traffic(context.job, query, context.symbols)) {
      write_traffic(text, context, sum, query.by);
      text.flush_to(out);
    }
    text.end_list();
    text.end_document(out);
    return;
  }
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
