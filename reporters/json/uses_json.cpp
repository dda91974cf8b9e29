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

void write_window(JsonText& text, const ReportContext& context, const WindowUses& window) {
  const Job& job = context.job;
  const JobWindow& made = job.windows[window.parts.front().value];
  text.begin_object().key("window").string(window_id(window.number)).key("name").string(key_text(made.name));
  text.key("labels").begin_list();
  for (const std::string_view label : window.labels) text.string(label);
  text.end_list().key("flavour").string(name_of(made.flavour)).key("called").string(made.called);
  text.key("call_site").value(call_site_json(job, made.site, context.symbols));
  text.key("parts").begin_list();
  for (const WindowIndex index : window.parts) {
    const JobWindow& part = job.windows[index.value];
    text.begin_object().key("ranks").value(reporters::ranks_json(part.ranks));
    text.key("size").exact(part.size ? Exact(*part.size) : Exact::unfit());
    text.key("displacement_unit").exact(part.displacement_unit ? Exact(*part.displacement_unit) : Exact::unfit());
    text.end_object();
  }
  text.end_list().key("calls").count(window.number_of_calls).key("bytes").exact(window.bytes);
  text.key("functions").begin_list();
  for (const WindowCalls& calls : window.calls) {
    text.begin_object().key("called").string(calls.called).key("type").string(job.name_of(calls.type));
    text.key("ranks").value(reporters::ranks_json(calls.origins));
    text.key("calls").count(calls.calls).key("bytes").exact(calls.bytes).end_object();
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
  if (query.by == UsesBy::window) {
    JsonText text;
    text.begin_list();
    for (const WindowUses& window : selected_windows(context.job, query, context.symbols)) {
      write_window(text, context, window);
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
