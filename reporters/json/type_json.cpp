#include "reporters/json/type_json.h"

#include "decoder/coverage/diagnosis.h"
#include "decoder/coverage/overlap.h"
#include "decoder/definition/envelope.h"
#include "decoder/layout/span.h"
#include "decoder/layout/typemap.h"
#include "decoder/notation/constructor_code.h"
#include "reporters/json/uses_json.h"

namespace ddtscope {
namespace {

Json array_of(const std::vector<std::int64_t>& values) {
  Json array = Json::array();
  for (const std::int64_t value : values) {
    array.push_back(json_integer(value));
  }
  return array;
}

Json envelope_json(const Envelope& envelope) {
  return {{"num_integers", json_integer(envelope.num_integers)},
          {"num_addresses", json_integer(envelope.num_addresses)},
          {"num_large_counts", json_integer(envelope.num_large_counts)},
          {"num_datatypes", json_integer(envelope.num_datatypes)}};
}

Json contents_json(const Job& job, const Contents& contents) {
  Json datatypes = Json::array();
  for (const DefinitionId id : contents.datatypes) {
    datatypes.push_back(job.name_of(id));
  }
  return {{"integers", array_of(contents.integers)},
          {"addresses", array_of(contents.addresses)},
          {"large_counts", array_of(contents.large_counts)},
          {"datatypes", std::move(datatypes)}};
}

/// The seven bounds and the names of those that are undefined: what the `_x` calls cannot return (MPI_Count has 64
/// bits), and the upper bounds that follow from such a value.
void add_bounds(Json& object, const Bounds& bounds) {
  const auto is_count = [](Exact value) { return value.to_int64().has_value(); };
  const bool has_bounds = is_count(bounds.lb) && is_count(bounds.extent);
  const bool has_true_bounds = is_count(bounds.true_lb) && is_count(bounds.true_extent);
  Json undefined = Json::array();
  const auto add = [&](const char* name, Exact value, bool defined) {
    object[name] = defined ? json_integer(value) : Json(nullptr);
    if (!defined) {
      undefined.push_back(name);
    }
  };
  add("size", bounds.size, is_count(bounds.size));
  add("lb", bounds.lb, is_count(bounds.lb));
  add("ub", bounds.ub, has_bounds);
  add("extent", bounds.extent, is_count(bounds.extent));
  add("true_lb", bounds.true_lb, is_count(bounds.true_lb));
  add("true_ub", bounds.true_ub, has_true_bounds);
  add("true_extent", bounds.true_extent, is_count(bounds.true_extent));
  object["undefined"] = std::move(undefined);
}

Json rules_json(AllRules& rules, DefinitionId id) {
  Json object = Json::object();
  for (const BoundsRule rule : bounds_rules) {
    add_bounds(object[text_of(rule)], rules[rule].bounds(id));
  }
  return object;
}

Json versions_json(const Analysis& analysis) {
  return {{"openmpi", analysis.releases()[BoundsRule::openmpi].version},
          {"mpich", analysis.releases()[BoundsRule::mpich].version},
          {"unmodelled", text_or_null(analysis.remark_on_release())}};
}

Json fingerprint_json(const std::optional<Fingerprint>& fingerprint) {
  return fingerprint ? Json(text_of(*fingerprint)) : Json(nullptr);
}

Json diagnosis_json(const Diagnosis& diagnosis) {
  return {{"bytes_before_lb", json_integer(diagnosis.bytes_before_lb)},
          {"bytes_beyond_ub", json_integer(diagnosis.bytes_beyond_ub)},
          {"hole_bytes", diagnosis.hole_bytes ? json_integer(*diagnosis.hole_bytes) : Json(nullptr)},
          {"entries_overlap", text_of(diagnosis.entries_overlap)},
          {"copies_overlap", text_of(diagnosis.copies_overlap)},
          {"memory", memory_formula(diagnosis)}};
}

Json frame_json(const Job& job, const JobFrame& frame, Symbols& symbols) {
  Json object = {
      {"function", nullptr}, {"file", nullptr}, {"line", nullptr}, {"module", nullptr}, {"build_id", nullptr}};
  if (frame.module) {
    const ModuleRecord& module = job.module(*frame.module);
    const SourceLocation& location = symbols.resolve(module.path, module.build_id, frame.offset);
    object["function"] = location.function ? Json(*location.function) : Json(nullptr);
    object["file"] = location.file ? Json(*location.file) : Json(nullptr);
    object["line"] = location.line ? Json(*location.line) : Json(nullptr);
    object["module"] = module.path;
    object["build_id"] = module.build_id ? Json(*module.build_id) : Json(nullptr);
  }
  object["offset"] = json_count(frame.offset);
  return object;
}

Json instances_json(const Job& job, const JobType& type, const Instances& instances, Symbols& symbols) {
  Json object;
  object["ranks"] = ranks_json(instances.ranks());
  object["called"] = instances.called;
  object["binding"] = instances.binding.empty() ? Json(nullptr) : Json(instances.binding);
  const auto& counters = instances.counters;
  const auto count = [&](std::uint64_t Counters::*member) {
    return counters ? json_count((*counters).*member) : Json(nullptr);
  };
  object["created"] = count(&Counters::created);
  object["adopted"] = count(&Counters::adopted);
  object["committed"] = count(&Counters::committed);
  object["freed"] = count(&Counters::freed);
  object["live"] = counters ? json_integer(live(*counters, job.store[type.definition].call.combiner)) : Json(nullptr);
  object["call_site"] = call_site_json(job, instances.site, symbols);
  return object;
}

}  // namespace

Json ranks_json(const RankRanges& ranks) {
  Json array = Json::array();
  for (const auto& [first, last, world] : ranks.ranges()) {
    array.push_back(Json::array({rank_json(Rank{world, first}), rank_json(Rank{world, last})}));
  }
  return array;
}

Json rank_json(Rank rank) { return rank.world.is_first() ? Json(rank.number) : Json(text_of(rank)); }

Json call_site_json(const Job& job, std::optional<FrameIndex> site, Symbols& symbols) {
  Json frames = Json::array();
  if (site) {
    for (const FrameIndex index : job.stack(*site)) {
      frames.push_back(frame_json(job, job.frame(index), symbols));
    }
  }
  return frames;
}

std::string call_in_json(const Job& job, TypeNumber number) {
  return constructor_call_text(job.store, job.type(number).definition,
                               [&](DefinitionId id) { return job.name_of(id); });
}

Json finding_json(const Finding& finding) {
  return {{"id", finding.kind->id},
          {"severity", text_of(finding.severity)},
          {"message", finding.message},
          {"advice", finding.advice}};
}

Json type_json(const Job& job, TypeNumber number, Analysis& analysis, Symbols& symbols) {
  const JobType& type = job.type(number);
  const ConstructorCall& call = job.store[type.definition].call;
  const Analysis::Place place = analysis.place(number);
  const LayoutId root = place.layouts.root(place.definition);
  const LayoutFacts& facts = place.layouts.facts(place.definition);
  const Diagnosis diagnosis = diagnose(place.layouts, place.definition);

  Json object;
  object["id"] = text_of(number);
  object["key"] = key_text(type.key);
  object["combiner"] = row_of(call.combiner).mpi_name;
  object["constructor"] = constructor_name(call.combiner, call.form);
  object["call"] = call_in_json(job, number);
  object["names"] = job.names(type.number);
  object["envelope"] = envelope_json(envelope_of(call));
  object["contents"] = contents_json(job, contents_of(call));
  add_bounds(object, as_bounds(job.observed(type)));
  object["alignment"] = json_integer(facts.alignment);
  object["bounds"] = rules_json(place.rules, place.definition);
  object["bounds_versions"] = versions_json(analysis);
  object["entries"] = json_integer(facts.entries);
  Json signature = Json::array();
  for (const SignatureRun& run : signature_runs(place.layouts, root, json_signature_limit)) {
    signature.push_back(Json::array({job.store.predefined()[run.type].name, json_integer(run.repeat)}));
  }
  object["signature"] = std::move(signature);
  object["signature_truncated"] = !(facts.signature_runs <= Exact(static_cast<std::int64_t>(json_signature_limit)));
  object["blocks"] = json_integer(facts.blocks);
  object["fingerprint"] = {{"layout", fingerprint_json(place.fingerprints.layout(root))},
                           {"signature", fingerprint_json(place.fingerprints.signature(root))}};
  object["overlap"] = text_of(diagnosis.entries_overlap);
  const Portability& portability = analysis.portability(number);
  object["portable"] = {{"value", portability.portable}, {"reasons", portability.reasons}};
  const std::optional<Simpler>& simpler = analysis.simpler(number);
  object["simpler"] = simpler ? Json(simpler->call) : Json(nullptr);
  Json findings = Json::array();
  for (const Finding& finding : analysis.findings(number)) {
    findings.push_back(finding_json(finding));
  }
  object["findings"] = std::move(findings);
  object["diagnosis"] = diagnosis_json(diagnosis);
  Json instances = Json::array();
  for (const Instances& part : job.instances.of(type.number)) {
    instances.push_back(instances_json(job, type, part, symbols));
  }
  object["instances"] = std::move(instances);
  object["uses"] = uses_json(job, type.definition, symbols);
  return object;
}

void add_typemap(Json& object, const Job& job, TypeNumber number, std::size_t limit) {
  TypemapCursor cursor(job.layouts, job.layouts.root(job.type(number).definition));
  Json typemap = Json::array();
  TypemapEntry entry;
  bool more = cursor.next(entry);
  for (; more && typemap.size() < limit; more = cursor.next(entry)) {
    typemap.push_back(Json::array({job.store.predefined()[entry.type].name, json_integer(entry.displacement)}));
  }
  object["typemap"] = std::move(typemap);
  object["typemap_truncated"] = more;
}

void add_span(Json& object, const Job& job, TypeNumber number, std::int64_t count) {
  const Span span = span_of(job.layouts, job.type(number).definition, count);
  object["span"] = {{"count", json_integer(count)},
                    {"first", json_integer(span.first)},
                    {"end", json_integer(span.end)},
                    {"bytes", json_integer(span.length())}};
}

void add_array(Json& object, const ArrayCoverage& coverage, std::int64_t count) {
  Json rows = Json::array();
  for (std::int64_t row = 0; row < coverage.rows; ++row) {
    const auto first = coverage.times.begin() + row * coverage.columns;
    rows.push_back(std::vector<int>(first, first + coverage.columns));
  }
  object["array"] = {{"count", json_integer(count)},
                     {"element", coverage.element},
                     {"row_bytes", json_integer(coverage.row_bytes)},
                     {"buffer", json_integer(coverage.buffer)},
                     {"times", std::move(rows)},
                     {"touched", json_count(coverage.touched)},
                     {"touched_twice", json_count(coverage.touched_twice)},
                     {"partly", json_count(coverage.partly)},
                     {"outside", json_count(coverage.outside)},
                     {"hidden", json_integer(coverage.hidden)}};
}

}  // namespace ddtscope
