#include "reporters/json/diff_json.h"

#include "reporters/json/type_json.h"
#include "reporters/model/summary.h"

namespace ddtscope::reporters {
namespace {

Json type_in_short(const ReportContext& context, TypeNumber number) {
  const Job& job = context.job;
  const JobType& type = job.type(number);
  return {{"type", text_of(number)},
          {"key", key_text(type.key)},
          {"names", job.names(number)},
          {"call", call_in_json(job, number)}};
}

Json made_json(const ReportContext& context, const std::optional<MadeThere>& made) {
  if (!made) return nullptr;
  Json object = type_in_short(context, made->type);
  object["made"] = json_count(made->made());
  object["committed"] = json_count(made->counters.committed);
  object["freed"] = json_count(made->counters.freed);
  object["live"] = json_integer(made->live);
  object["call_site"] = call_site_json(context.job, made->site, context.symbols);
  return object;
}

Json used_json(const ReportContext& context, const std::optional<UsedThere>& used) {
  if (!used) return nullptr;
  const TypeNumber number = context.job.number_of(used->type);
  return {{"type", context.job.name_of(used->type)},
          {"names", number.valid() ? Json(context.job.names(number)) : Json::array()},
          {"called", used->called},
          {"argument", trace::name_of(used->parameter)},
          {"calls", json_count(used->calls)},
          {"elements", json_count(used->elements)},
          {"bytes", json_integer(used->bytes)},
          {"call_site", call_site_json(context.job, used->site, context.symbols)}};
}

Json job_json(const ReportContext& context) {
  const Job& job = context.job;
  const HeaderRecord& header = job.header();
  const Summary summary = summarise(job);
  return {{"complete", job.complete()},
          {"job", header.job},
          {"program", header.program},
          {"arguments", header.arguments},
          {"started", header.started},
          {"library", {{"name", header.library_name}, {"version", header.library_version}}},
          {"processes", job.ranks.size()},
          {"definitions", job.types.size()},
          {"made", json_count(summary.total.created + summary.total.adopted)},
          {"live", json_integer(summary.live)}};
}

Json finding_change_json(const ReportContext& context, const FindingChange& change) {
  const Job& job = context.job;
  const JobFinding& finding = change.finding;
  const TypeNumber number = job.number_of(finding.type);
  Json item = {{"type", nullptr}, {"key", nullptr}, {"names", Json::array()}, {"call", nullptr}};
  if (number.valid()) {
    item = type_in_short(context, number);
  } else if (finding.type) {
    item["type"] = job.name_of(*finding.type);
  }
  item.update(finding_json({finding.kind, finding.severity, finding.message, finding.advice}));
  item["is_new"] = change.is_new();
  item["called"] = text_or_null(finding.called);
  item["argument"] = text_or_null(finding.argument);
  item["call_site"] = call_site_json(job, finding.site(), context.symbols);
  return item;
}

}  // namespace

void write_diff_json(std::ostream& out, const DiffInput& input, const JobDiff& diff) {
  JsonObjectWriter object(out);
  object.add("same", diff.is_same());
  object.add("old", job_json(input.before));
  object.add("new", job_json(input.after));
  object.add("joined", {{"same", json_count(diff.joined.same)},
                        {"by_site", json_count(diff.joined.by_site)},
                        {"by_layout", json_count(diff.joined.by_layout)},
                        {"only_old", json_count(diff.joined.only_old)},
                        {"only_new", json_count(diff.joined.only_new)}});
  object.add_array("changes", [&](JsonArrayWriter& array) {
    for (const Change& change : diff.changes) {
      array.add({{"kind", text_of(change.kind)},
                 {"old", made_json(input.before, change.before)},
                 {"new", made_json(input.after, change.after)}});
    }
  });
  object.add_array("leaks", [&](JsonArrayWriter& array) {
    for (const LeakChange& leak : diff.leaks) {
      array.add({{"is_new", leak.is_new()},
                 {"old", made_json(input.before, leak.before)},
                 {"new", made_json(input.after, leak.after)}});
    }
  });
  object.add_array("findings", [&](JsonArrayWriter& array) {
    for (const FindingChange& change : diff.findings) {
      array.add(finding_change_json(change.is_new() ? input.after : input.before, change));
    }
  });
  object.add("compares_uses", diff.compares_uses);
  object.add_array("uses", [&](JsonArrayWriter& array) {
    for (const UseChange& change : diff.uses) {
      array.add({{"old", used_json(input.before, change.before)}, {"new", used_json(input.after, change.after)}});
    }
  });
  object.end();
}

}  // namespace ddtscope::reporters
