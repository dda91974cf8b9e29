#include "reporters/html/type_data.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "decoder/coverage/diagnosis.h"
#include "decoder/layout/strided_runs.h"
#include "decoder/layout/typemap.h"
#include "reporters/html/array_shape.h"
#include "reporters/text/style.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t runs_of_page = 60000;
constexpr std::size_t fewest_runs = 16;
constexpr std::size_t most_runs = 1024;
constexpr std::size_t sites_limit = 5;
constexpr std::size_t parts_limit = 64;
constexpr std::size_t signature_limit = 12;
constexpr std::size_t array_limit = 64;  // elements of an argument array

/// [type or runs of a group, displacement, [[count, stride], ...]].
Json run_json(const Job& job, const StridedRun& run);

Json runs_json(const Job& job, const std::vector<StridedRun>& runs) {
  Json array = Json::array();
  for (const StridedRun& run : runs) array.push_back(run_json(job, run));
  return array;
}

// As deep as strided_runs() nests groups, which is bounded.
Json run_json(const Job& job, const StridedRun& run) {
  Json loops = Json::array();
  for (const auto& [count, stride] : run.repeat) {
    loops.push_back(Json::array({json_integer(count), json_integer(stride)}));
  }
  Json what = run.type.valid() ? Json(job.store.predefined()[run.type].name) : runs_json(job, run.group);
  return Json::array({std::move(what), json_integer(run.displacement), std::move(loops)});
}

/// [where from, sizes, bytes of a cell, the first cell's offset].
Json shape_json(const ArrayShape& shape) {
  Json sizes = Json::array();
  for (const Exact size : shape.sizes) sizes.push_back(json_integer(size));
  return Json::array({shape.from, std::move(sizes), json_integer(shape.cell), json_integer(shape.origin)});
}

}  // namespace

TypeData::TypeData(const ReportContext& context, std::size_t types)
    : context_(context),
      runs_limit_(std::clamp(runs_of_page / std::max<std::size_t>(types, 1), fewest_runs, most_runs)) {}

std::size_t TypeData::text(std::string_view text) {
  const auto [place, is_new] = places_.try_emplace(std::string(text), texts_.size());
  if (is_new) texts_.push_back(printable(text));
  return place->second;
}

Json TypeData::bounds(const JobType& type) const {
  const Bounds bounds = as_bounds(context_.job.observed(type));
  Json array = Json::array();
  const Exact alignment = context_.job.layouts.facts(type.definition).alignment;
  for (const Exact value : {bounds.lb, bounds.ub, bounds.true_lb, bounds.true_ub, alignment}) {
    array.push_back(json_integer(value));
  }
  return array;
}

Json TypeData::findings_json(const std::vector<Finding>& findings) {
  Json array = Json::array();
  for (const Finding& finding : findings) {
    array.push_back(Json::array(
        {text(finding.kind->id), text(text_of(finding.severity)), text(finding.message), text(finding.advice)}));
  }
  return array;
}

namespace {

/// Lives of one type from call sites that read the same.
struct OfPlace {
  std::string called, place, ranks;
  std::optional<Counters> counters;
};

std::vector<OfPlace> places_of(const ReportContext& context, TypeNumber number) {
  std::vector<OfPlace> places;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> known;
  for (const Instances& part : context.job.instances.of(number)) {
    OfPlace place{std::string(part.called), place_of(context.job, part.site, context.symbols), words_of(part.ranks()),
                  part.counters};
    const auto [at, is_new] = known.try_emplace({place.called, place.place, place.ranks}, places.size());
    if (is_new) {
      places.push_back(std::move(place));
    } else if (std::optional<Counters>& counters = places[at->second].counters; counters && part.counters) {
      *counters += *part.counters;
    } else {
      counters = {};
    }
  }
  const auto made = [](const OfPlace& place) {
    return place.counters ? place.counters->created + place.counters->adopted : 0;
  };
  std::stable_sort(places.begin(), places.end(), [&](const OfPlace& a, const OfPlace& b) { return made(a) > made(b); });
  return places;
}

}  // namespace

Json TypeData::sites(const JobType& type) {
  const std::vector<OfPlace> places = places_of(context_, type.number);
  Json array = Json::array();
  for (const OfPlace& place : places) {
    if (array.size() == sites_limit) break;
    Json site = Json::array({text(place.called), text(place.place), text(place.ranks)});
    if (place.counters) {
      site.push_back(json_count(place.counters->created + place.counters->adopted));
      site.push_back(json_count(place.counters->committed));
      site.push_back(json_count(place.counters->freed));
      site.push_back(json_integer(live(*place.counters, context_.job.store[type.definition].call.combiner)));
    }
    array.push_back(std::move(site));
  }
  if (places.size() > array.size()) array.push_back(places.size() - array.size());
  return array;
}

Json TypeData::portability(TypeNumber number) {
  Json array = Json::array();
  for (const std::string& reason : context_.analysis.portability(number).reasons) array.push_back(text(reason));
  return array;
}

Json TypeData::parts(DefinitionId id) const {
  std::vector<std::uint32_t> numbers;
  for (const DefinitionId oldtype : context_.job.store[id].call.datatypes) {
    const TypeNumber number = context_.job.number_of(oldtype);
    if (!number.valid() || std::find(numbers.begin(), numbers.end(), number.value) != numbers.end()) continue;
    numbers.push_back(number.value);
    if (numbers.size() == parts_limit) break;
  }
  return numbers;
}

std::string TypeData::signature(DefinitionId id) const {
  const Job& job = context_.job;
  const std::vector<SignatureRun> runs = signature_runs(job.layouts, job.layouts.root(id), signature_limit + 1);
  std::string text;
  for (std::size_t i = 0; i < std::min(signature_limit, runs.size()); ++i) {
    text += (i == 0 ? "" : ", ") + (runs[i].repeat == Exact(1) ? "" : grouped(runs[i].repeat) + " x ") +
            job.store.predefined()[runs[i].type].name;
  }
  return runs.size() > signature_limit ? text + ", ..." : text;
}

void TypeData::add(TypeNumber number, const std::vector<Finding>& findings) {
  const Job& job = context_.job;
  const JobType& type = job.type(number);
  const StridedRuns runs = strided_runs(job.layouts, job.layouts.root(type.definition), runs_limit_);
  const Diagnosis diagnosis = diagnose(job.layouts, type.definition);
  Json object = {{"key", key_text(type.key)}, {"bounds", bounds(type)}};
  object["signature"] = text(signature(type.definition));
  if (diagnosis.hole_bytes && !(*diagnosis.hole_bytes == Exact(0))) {
    object["holes"] = json_integer(*diagnosis.hole_bytes);
  }
  if (diagnosis.entries_overlap != Overlap::no) object["overlap"] = text(text_of(diagnosis.entries_overlap));
  object["runs"] = runs_json(job, runs.runs);
  if (runs.truncated) object["cut"] = true;
  object["shape"] = shape_json(array_shape_of(job, number, runs));
  const auto add_some = [&](const char* name, Json array) {
    if (!array.empty()) object[name] = std::move(array);
  };
  // The table's row has it where it is short.
  const std::string call = call_of(job, number, array_limit);
  if (call != call_of(job, number)) object["call"] = call;
  add_some("parts", parts(type.definition));
  add_some("findings", findings_json(findings));
  add_some("sites", sites(type));
  add_some("portability", portability(number));
  if (const auto& simpler = context_.analysis.simpler(number)) object["simpler"] = text(simpler->call);
  types_[std::to_string(number.value)] = std::move(object);
}

Json TypeData::take() {
  Json basics = Json::object();
  const PredefinedTable& predefined = context_.job.store.predefined();
  for (std::uint32_t i = 0; i < predefined.size(); ++i) {
    basics[predefined[PredefinedId{i}].name] = json_integer(predefined[PredefinedId{i}].size);
  }
  return {{"texts", std::move(texts_)}, {"basics", std::move(basics)}, {"types", std::move(types_)}};
}

}  // namespace ddtscope::reporters
