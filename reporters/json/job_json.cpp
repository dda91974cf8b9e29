#include "reporters/json/job_json.h"

#include <algorithm>

#include "reporters/json/measure_json.h"
#include "reporters/json/type_json.h"
#include "reporters/measure/kept_measurement.h"
#include "reporters/model/layout_groups.h"
#include "reporters/model/summary.h"
#include "reporters/model/worlds.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t most_made_limit = 10;

void add_left_behind(JsonArrayWriter& array, const Job& job, const std::vector<LeftBehind>& list, Symbols& symbols) {
  for (const LeftBehind& left : list) {
    array.add({{"id", text_of(left.type)},
               {"instances", json_integer(left.lives)},
               {"part_of_another", left.part_of_another},
               {"names", job.names(left.type)},
               {"call", call_in_json(job, left.type)},
               {"call_site", call_site_json(job, left.site, symbols)}});
  }
}

Json process_json(const JobRank& rank, const HeaderRecord& of_job) {
  Json process = {
      {"rank", rank.header.rank ? rank_json(*rank.header.rank) : Json(nullptr)},
      {"host", rank.header.host},
      {"pid", rank.header.pid},
      {"file", rank.file.string()},
      {"complete", rank.complete()},
      {"ended", rank.end ? Json(rank.end->reason) : Json(nullptr)},
      {"stopped", rank.stopped ? Json(*rank.stopped) : Json(nullptr)},
      {"created", rank.counters ? json_count(rank.counters->created + rank.counters->adopted) : Json(nullptr)},
      {"last_line_cut", rank.last_line_cut}};
  if (rank.header.program != of_job.program || rank.header.arguments != of_job.arguments) {
    process["program"] = rank.header.program;
    process["arguments"] = rank.header.arguments;
  }
  return process;
}

Json worlds_json(const Job& job) {
  Json array = Json::array();
  for (const JobWorld& world : worlds_of(job)) {
    array.push_back({{"world", world.number.value},
                     {"spawned_by", world.spawned_by ? Json(world.spawned_by->value) : Json(nullptr)},
                     {"size", world.size ? Json(*world.size) : Json(nullptr)},
                     {"programs", world.programs},
                     {"complete", world.complete}});
  }
  return array;
}

Json unrecorded_json(const Job& job, Symbols& symbols) {
  Json array = Json::array();
  for (const Unrecorded& unrecorded : job.unrecorded) {
    array.push_back({{"called", unrecorded.called},
                     {"count", json_count(unrecorded.count)},
                     {"why", unrecorded.why},
                     {"ranks", ranks_json(unrecorded.ranks)},
                     {"call_site", call_site_json(job, unrecorded.site, symbols)}});
  }
  return array;
}

Json failed_calls_json(const Job& job, Symbols& symbols) {
  Json array = Json::array();
  for (const FailedCalls& calls : job.failed_calls) {
    array.push_back({{"called", calls.called},
                     {"binding", calls.binding},
                     {"error_class", text_or_null(calls.error_class)},
                     {"count", json_count(calls.count)},
                     {"ranks", ranks_json(calls.ranks)},
                     {"call_site", call_site_json(job, calls.site, symbols)}});
  }
  return array;
}

/// A type's name, or null where there is none.
Json type_name_json(const Job& job, std::optional<DefinitionId> type) {
  return type ? Json(job.name_of(*type)) : Json(nullptr);
}

Json aliases_json(std::string_view aliases) {
  Json array = Json::array();
  while (!aliases.empty()) {
    const std::size_t end = std::min(aliases.find(' '), aliases.size());
    array.push_back(aliases.substr(0, end));
    aliases.remove_prefix(std::min(end + 1, aliases.size()));
  }
  return array;
}

Json other_json(const Job& job, const std::optional<OtherParty>& other, Symbols& symbols) {
  if (!other) return nullptr;
  return {{"type", type_name_json(job, other->type)},
          {"called", text_or_null(other->called)},
          {"argument", text_or_null(other->argument)},
          {"ranks", ranks_json(other->ranks)},
          {"call_site", call_site_json(job, other->site, symbols)}};
}

}  // namespace

Json finding_of_job_json(const ReportContext& context, const JobFinding& finding) {
  const Job& job = context.job;
  Symbols& symbols = context.symbols;
  const KeptMeasurement* const measured = measured_for(context, finding);
  const TypeNumber number = job.number_of(finding.type);
  return {{"type", type_name_json(job, finding.type)},
          {"names", number.valid() ? Json(job.names(number)) : Json::array()},
          {"call", number.valid() ? Json(call_in_json(job, number)) : Json(nullptr)},
          {"id", finding.kind->id},
          {"severity", text_of(finding.severity)},
          {"message", finding.message},
          {"advice", finding.advice},
          {"called", text_or_null(finding.called)},
          {"argument", text_or_null(finding.argument)},
          {"ranks", ranks_json(finding.ranks)},
          {"count", json_count(finding.count)},
          {"other", other_json(job, finding.other, symbols)},
          {"aliases", aliases_json(finding.kind->aliases)},
          {"measured", measured != nullptr ? kept_measurement_json(job, *measured) : Json(nullptr)},
          {"call_site", call_site_json(job, finding.site(), symbols)}};
}

namespace {

Json switches_json(const Job& job, Symbols& symbols) {
  Json array = Json::array();
  for (const RecordingSwitch& one : job.switches) {
    array.push_back({{"of", one.of},
                     {"state", one.is_off ? "off" : "on"},
                     {"level", one.level},
                     {"called", one.called},
                     {"binding", one.binding},
                     {"time", one.time},
                     {"count", json_count(one.count)},
                     {"ranks", ranks_json(one.ranks)},
                     {"call_site", call_site_json(job, one.site, symbols)}});
  }
  return array;
}

Json communicators_json(const Job& job, Symbols& symbols) {
  Json array = Json::array();
  for (const JobCommunicator& one : job.communicators) {
    Json groups = Json::array();
    for (const GroupRuns& group : one.groups) {
      Json runs = Json::array();
      for (const RankRun& run : group) runs.push_back({run.first, run.last, run.step});
      groups.push_back(std::move(runs));
    }
    array.push_back({{"name", one.name ? Json(key_text(*one.name)) : Json(nullptr)},
                     {"called", one.called},
                     {"binding", one.binding},
                     {"groups", one.groups.empty() ? Json(nullptr) : std::move(groups)},
                     {"ranks", ranks_json(one.ranks)},
                     {"call_site", call_site_json(job, one.site, symbols)}});
  }
  return array;
}

Json message_count_json(const MessageCount& count) {
  return {{"channels", json_count(count.channels)}, {"messages", json_count(count.messages)}};
}

Json collective_count_json(const CollectiveCount& count) {
  return {{"communicators", json_count(count.communicators)}, {"calls", json_count(count.calls)}};
}

/// In how many the processes agree; null where none were recorded.
Json collectives_json(const Job& job, Analysis& analysis) {
  if (!messages_are_recorded(job)) return nullptr;
  const CollectiveComparison& collectives = analysis.collectives();
  Json undecided = Json::array();
  for (const auto& [why, count] : collectives.undecided) {
    Json one = collective_count_json(count);
    one["why"] = why;
    undecided.push_back(std::move(one));
  }
  Json amounts = Json::array();
  for (const auto& [why, count] : collectives.amounts_not_compared) {
    amounts.push_back({{"why", why}, {"calls", json_count(count)}});
  }
  Json all = collective_count_json(collectives.all);
  all["agreed"] = collective_count_json(collectives.agreed);
  all["mismatched_communicators"] = json_count(collectives.mismatched_communicators);
  all["calls_behind"] = json_count(collectives.calls_behind);
  all["differing"] = json_count(collectives.differing_calls);
  all["undecided"] = std::move(undecided);
  all["amounts_not_compared"] = std::move(amounts);
  return all;
}

/// How many match on both sides; null where none were recorded.
Json messages_json(const Job& job, Analysis& analysis) {
  if (!messages_are_recorded(job)) return nullptr;
  const MessageComparison& messages = analysis.messages();
  Json undecided = Json::array();
  for (const auto& [why, count] : messages.undecided) {
    Json one = message_count_json(count);
    one["why"] = why;
    undecided.push_back(std::move(one));
  }
  Json left_out = Json::array();
  for (const auto& [why, count] : messages.left_out) left_out.push_back({{"why", why}, {"count", json_count(count)}});
  Json all = message_count_json(messages.all);
  all["matched"] = message_count_json(messages.matched);
  all["differing"] = json_count(messages.wrong);
  all["same_bytes"] = json_count(messages.same_bytes);
  all["truncated"] = json_count(messages.truncated);
  all["unmatched_sends"] = json_count(messages.unmatched_sends);
  all["unmatched_receives"] = json_count(messages.unmatched_receives);
  all["undecided"] = std::move(undecided);
  all["left_out"] = std::move(left_out);
  all["unknown_ranks"] = ranks_json(messages.unknown_ranks);
  return all;
}

/// What both documents end with, or nearly.
void add_what_was_left(JsonObjectWriter& object, const Job& job, const Summary& summary, Symbols& symbols) {
  object.add_array("never_freed",
                   [&](JsonArrayWriter& array) { add_left_behind(array, job, summary.never_freed, symbols); });
  object.add_array("never_committed",
                   [&](JsonArrayWriter& array) { add_left_behind(array, job, summary.never_committed, symbols); });
  object.add("unrecorded", unrecorded_json(job, symbols));
  object.add("switches", switches_json(job, symbols));
  object.add("failed_calls", failed_calls_json(job, symbols));
}

}  // namespace

void write_summary_json(std::ostream& out, const ReportContext& context) {
  const Job& job = context.job;
  Analysis& analysis = context.analysis;
  Symbols& symbols = context.symbols;
  const Summary summary = summarise(job);
  const HeaderRecord& header = job.header();
  JsonObjectWriter object(out);
  object.add("complete", job.complete());
  object.add("job", header.job);
  object.add("program", header.program);
  object.add("arguments", header.arguments);
  object.add("started", header.started);
  object.add("library", {{"name", header.library_name},
                         {"abi", header.abi()},
                         {"version", header.library_version},
                         {"standard", header.library_standard}});
  object.add("size", header.size ? Json(*header.size) : Json(nullptr));
  object.add_array("ranks", [&](JsonArrayWriter& array) {
    for (const JobRank& rank : job.ranks) {
      array.add(process_json(rank, header));
    }
  });
  Json missing = Json::array();
  for (const Rank rank : job.missing_ranks) {
    missing.push_back(rank_json(rank));
  }
  object.add("missing_ranks", missing);
  if (has_spawned_worlds(job)) {
    object.add("worlds", worlds_json(job));
  }
  object.add("notes", job.notes);
  object.add("definitions", job.types.size());
  object.add("call_sites", summary.call_sites);
  object.add("without_callers", json_count(summary.without_callers));
  object.add("counted", summary.counted);
  object.add("created", json_count(summary.total.created));
  object.add("adopted", json_count(summary.total.adopted));
  object.add("committed", json_count(summary.total.committed));
  object.add("freed", json_count(summary.total.freed));
  object.add("live", json_integer(summary.live));
  Json most_made = Json::array();
  for (std::size_t i = 0; i < std::min(most_made_limit, summary.most_made.size()); ++i) {
    const JobType& type = job.type(summary.most_made[i]);
    const Counters total = job.instances.total(type.number);
    most_made.push_back({{"id", text_of(type.number)},
                         {"instances", json_count(total.created + total.adopted)},
                         {"names", job.names(type.number)},
                         {"call", call_in_json(job, type.number)},
                         {"call_site", call_site_json(job, busiest_site(job, type.number), symbols)}});
  }
  object.add("most_made", most_made);
  object.add("communicators", communicators_json(job, symbols));
  object.add("messages", messages_json(job, analysis));
  object.add("collectives", collectives_json(job, analysis));
  add_what_was_left(object, job, summary, symbols);
  const SortedDifferences differences = analysis.differences();
  object.add("differences", differences.unexplained.size());
  object.add("explained_differences", differences.explained.size());
  const JobFindings findings = JobFindings::of_summary(job, analysis, context.kept_sources);
  const FindingCounts& counts = findings.counts();
  object.add("findings", findings.has_types() ? Json{{"errors", json_count(counts.errors)},
                                                     {"warnings", json_count(counts.warnings)},
                                                     {"notes", json_count(counts.notes)}}
                                              : Json(nullptr));
  object.end();
}

void write_check_json(std::ostream& out, const ReportContext& context, JobFindings& findings) {
  const Job& job = context.job;
  Analysis& analysis = context.analysis;
  Symbols& symbols = context.symbols;
  const Summary summary = summarise(job);
  JsonObjectWriter object(out);
  object.add("complete", job.complete());
  object.add("verified",
             std::all_of(job.ranks.begin(), job.ranks.end(), [](const JobRank& rank) { return rank.header.verify; }));
  object.add("unmodelled", text_or_null(analysis.remark_on_release()));
  object.add_array("differences", [&](JsonArrayWriter& array) {
    for (const JobDifference& difference : job.differences) {
      const std::optional<BoundsRule> explanation = analysis.explanation(difference);
      array.add({{"id", text_of(difference.type)},
                 {"names", job.names(difference.type)},
                 {"call", call_in_json(job, difference.type)},
                 {"subject", difference.subject},
                 {"computed", Json::parse(difference.computed, nullptr, false)},
                 {"library", Json::parse(difference.library, nullptr, false)},
                 {"explained", explanation ? Json(analysis.releases()[*explanation].name) : Json(nullptr)},
                 {"ranks", ranks_json(difference.ranks)}});
    }
  });
  object.add_array("findings", [&](JsonArrayWriter& array) {
    for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
      findings.each(severity, [&](const JobFinding& finding) { array.add(finding_of_job_json(context, finding)); });
    }
  });
  object.add("buffers", findings.buffers() ? Json{{"recorded", json_count(findings.buffers()->recorded)},
                                                  {"known", json_count(findings.buffers()->known)}}
                                           : Json(nullptr));
  object.add("remarks", findings.remarks());
  object.add("left_out", {{"ignored", json_count(findings.left_out().ignored)},
                          {"suppressed", json_count(findings.left_out().suppressed)}});
  object.add("messages", messages_json(job, analysis));
  object.add("collectives", collectives_json(job, analysis));
  add_what_was_left(object, job, summary, symbols);
  object.end();
}

void write_layout_groups_json(std::ostream& out, const Job& job) {
  const LayoutGroups groups(job);
  JsonArrayWriter array(out);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const LayoutGroup group = groups[i];
    Json types = Json::array();
    for (const TypeNumber number : group.types) {
      types.push_back(text_of(number));
    }
    array.add({{"layout", group.layout ? Json(text_of(*group.layout)) : Json(nullptr)},
               {"lb", json_integer(group.lb)},
               {"extent", json_integer(group.extent)},
               {"types", std::move(types)}});
  }
  array.end();
}

Json explanation_json(const FindingKind& kind) {
  return {{"id", kind.id},       {"severity", text_of(kind.severity)}, {"least_severity", text_of(kind.least)},
          {"title", kind.title}, {"explanation", kind.explanation},    {"example", kind.example}};
}

Json finding_kinds_json() {
  Json array = Json::array();
  for (const FindingKind& kind : finding_kinds()) {
    array.push_back(explanation_json(kind));
  }
  return array;
}

}  // namespace ddtscope::reporters
