#include "reporters/json/job_json.h"

#include <algorithm>

#include "decoder/constructor_code.h"
#include "reporters/json/type_json.h"
#include "reporters/model/layout_groups.h"
#include "reporters/model/summary.h"
#include "reporters/model/worlds.h"

namespace ddtscope {
namespace {

constexpr std::size_t most_made_limit = 10;

std::string call_of(const Job& job, TypeNumber number) {
  return constructor_call_text(job.store, job.type(number).definition,
                               [&](DefinitionId id) { return job.name_of(id); });
}

Json left_behind_json(const Job& job, const std::vector<LeftBehind>& list, Symbols& symbols) {
  Json array = Json::array();
  for (const LeftBehind& left : list) {
    array.push_back({{"id", text_of(left.type)},
                     {"instances", json_integer(left.lives)},
                     {"part_of_another", left.part_of_another},
                     {"names", job.names(left.type)},
                     {"call", call_of(job, left.type)},
                     {"call_site", call_site_json(job, left.site, symbols)}});
  }
  return array;
}

Json process_json(const JobRank& rank) {
  return {{"rank", rank.header.rank ? rank_json(*rank.header.rank) : Json(nullptr)},
          {"host", rank.header.host},
          {"pid", rank.header.pid},
          {"file", rank.file.string()},
          {"complete", rank.complete()},
          {"ended", rank.end ? Json(rank.end->reason) : Json(nullptr)},
          {"stopped", rank.stopped ? Json(*rank.stopped) : Json(nullptr)},
          {"created", rank.counters ? json_count(rank.counters->created + rank.counters->adopted) : Json(nullptr)},
          {"last_line_cut", rank.last_line_cut}};
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
                     {"error_class", calls.error_class.empty() ? Json(nullptr) : Json(calls.error_class)},
                     {"count", json_count(calls.count)},
                     {"ranks", ranks_json(calls.ranks)},
                     {"call_site", call_site_json(job, calls.site, symbols)}});
  }
  return array;
}

}  // namespace

Json summary_json(const Job& job, Analysis& analysis, Symbols& symbols) {
  const Summary summary = summarise(job);
  const HeaderRecord& header = job.header();
  Json object;
  object["complete"] = job.complete();
  object["job"] = header.job;
  object["program"] = header.program;
  object["arguments"] = header.arguments;
  object["started"] = header.started;
  object["library"] = {
      {"name", header.library_name}, {"version", header.library_version}, {"standard", header.library_standard}};
  object["size"] = header.size ? Json(*header.size) : Json(nullptr);
  Json ranks = Json::array();
  for (const JobRank& rank : job.ranks) {
    ranks.push_back(process_json(rank));
  }
  object["ranks"] = std::move(ranks);
  Json missing = Json::array();
  for (const Rank rank : job.missing_ranks) {
    missing.push_back(rank_json(rank));
  }
  object["missing_ranks"] = std::move(missing);
  if (has_spawned_worlds(job)) {
    object["worlds"] = worlds_json(job);
  }
  object["notes"] = job.notes;
  object["definitions"] = job.types.size();
  object["call_sites"] = summary.call_sites;
  object["without_callers"] = json_count(summary.without_callers);
  object["counted"] = summary.counted;
  object["created"] = json_count(summary.total.created);
  object["adopted"] = json_count(summary.total.adopted);
  object["committed"] = json_count(summary.total.committed);
  object["freed"] = json_count(summary.total.freed);
  object["live"] = json_integer(summary.live);
  Json most_made = Json::array();
  for (std::size_t i = 0; i < std::min(most_made_limit, summary.most_made.size()); ++i) {
    const JobType& type = job.type(summary.most_made[i]);
    const Counters total = job.instances.total(type.number);
    most_made.push_back({{"id", text_of(type.number)},
                         {"instances", json_count(total.created + total.adopted)},
                         {"names", job.names(type.number)},
                         {"call", call_of(job, type.number)},
                         {"call_site", call_site_json(job, busiest_site(job, type.number), symbols)}});
  }
  object["most_made"] = std::move(most_made);
  object["never_freed"] = left_behind_json(job, summary.never_freed, symbols);
  object["never_committed"] = left_behind_json(job, summary.never_committed, symbols);
  object["unrecorded"] = unrecorded_json(job, symbols);
  object["failed_calls"] = failed_calls_json(job, symbols);
  const SortedDifferences differences = analysis.differences();
  object["differences"] = differences.unexplained.size();
  object["explained_differences"] = differences.explained.size();
  const std::optional<FindingCounts> findings = analysis.finding_counts();
  object["findings"] = findings ? Json{{"errors", json_count(findings->errors)},
                                       {"warnings", json_count(findings->warnings)},
                                       {"notes", json_count(findings->notes)}}
                                : Json(nullptr);
  return object;
}

Json check_json(const Job& job, Analysis& analysis, Symbols& symbols) {
  const Summary summary = summarise(job);
  Json differences = Json::array();
  for (const JobDifference& difference : job.differences) {
    const std::optional<BoundsRule> explanation = analysis.explanation(difference);
    differences.push_back({{"id", text_of(difference.type)},
                           {"names", job.names(difference.type)},
                           {"call", call_of(job, difference.type)},
                           {"subject", difference.subject},
                           {"computed", Json::parse(difference.computed, nullptr, false)},
                           {"library", Json::parse(difference.library, nullptr, false)},
                           {"explained", explanation ? Json(modelled_version(*explanation)) : Json(nullptr)},
                           {"ranks", ranks_json(difference.ranks)}});
  }
  Json object;
  object["complete"] = job.complete();
  object["verified"] =
      std::all_of(job.ranks.begin(), job.ranks.end(), [](const JobRank& rank) { return rank.header.verify; });
  object["differences"] = std::move(differences);
  Json findings = Json::array();
  for (const auto& [number, finding] : analysis.all_findings()) {
    Json item = {{"type", text_of(number)}, {"names", job.names(number)}, {"call", call_of(job, number)}};
    item.update(finding_json(finding));
    item["call_site"] = call_site_json(job, busiest_site(job, number), symbols);
    findings.push_back(std::move(item));
  }
  object["findings"] = std::move(findings);
  object["never_freed"] = left_behind_json(job, summary.never_freed, symbols);
  object["never_committed"] = left_behind_json(job, summary.never_committed, symbols);
  object["unrecorded"] = unrecorded_json(job, symbols);
  object["failed_calls"] = failed_calls_json(job, symbols);
  return object;
}

Json layout_groups_json(const Job& job) {
  Json array = Json::array();
  for (const LayoutGroup& group : layout_groups(job)) {
    Json types = Json::array();
    for (const TypeNumber number : group.types) {
      types.push_back(text_of(number));
    }
    array.push_back({{"layout", group.layout ? Json(text_of(*group.layout)) : Json(nullptr)},
                     {"lb", json_integer(group.lb)},
                     {"extent", json_integer(group.extent)},
                     {"types", std::move(types)}});
  }
  return array;
}

Json explanation_json(const FindingKind& kind) {
  return {{"id", kind.id},
          {"severity", text_of(kind.severity)},
          {"title", kind.title},
          {"explanation", kind.explanation},
          {"example", kind.example}};
}

Json finding_kinds_json() {
  Json array = Json::array();
  for (const FindingKind& kind : finding_kinds()) {
    array.push_back(explanation_json(kind));
  }
  return array;
}

}  // namespace ddtscope
