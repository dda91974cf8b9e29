#include "reporters/json/type_text.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>
#include <utility>

#include "decoder/coverage/diagnosis.h"
#include "decoder/coverage/overlap.h"
#include "decoder/definition/envelope.h"
#include "decoder/layout/typemap.h"
#include "reporters/json/type_json.h"
#include "reporters/model/uses.h"

namespace ddtscope::reporters {
namespace {

void write_integers(JsonText& text, const std::vector<std::int64_t>& values) {
  text.begin_row();
  for (const std::int64_t value : values) text.integer(value);
  text.end_row();
}

void write_envelope(JsonText& text, const Envelope& envelope) {
  text.begin_object();
  text.key("num_integers").integer(envelope.num_integers);
  text.key("num_addresses").integer(envelope.num_addresses);
  text.key("num_large_counts").integer(envelope.num_large_counts);
  text.key("num_datatypes").integer(envelope.num_datatypes);
  text.end_object();
}

void write_contents(JsonText& text, const Job& job, const Contents& contents) {
  text.begin_object();
  write_integers(text.key("integers"), contents.integers);
  write_integers(text.key("addresses"), contents.addresses);
  write_integers(text.key("large_counts"), contents.large_counts);
  text.key("datatypes").begin_row();
  for (const DefinitionId id : contents.datatypes) text.string(job.name_of(id));
  text.end_row().end_object();
}

/// The seven bounds and the names of those that are undefined: what the `_x` calls cannot return (MPI_Count has 64
/// bits), and the upper bounds that follow from such a value.
void write_bounds(JsonText& text, const Bounds& bounds) {
  std::vector<std::string> undefined;
  // Defined where all of `counts` are.
  const auto add = [&](const char* name, Exact value, std::initializer_list<Exact> counts) {
    text.key(name);
    if (std::all_of(counts.begin(), counts.end(), [](Exact count) { return count.to_int64().has_value(); })) {
      text.exact(value);
    } else {
      text.null();
      undefined.emplace_back(name);
    }
  };
  add("size", bounds.size, {bounds.size});
  add("lb", bounds.lb, {bounds.lb});
  add("ub", bounds.ub, {bounds.lb, bounds.extent});
  add("extent", bounds.extent, {bounds.extent});
  add("true_lb", bounds.true_lb, {bounds.true_lb});
  add("true_ub", bounds.true_ub, {bounds.true_lb, bounds.true_extent});
  add("true_extent", bounds.true_extent, {bounds.true_extent});
  text.key("undefined").strings(undefined);
}

void write_string_or_null(JsonText& text, const std::optional<std::string>& value) {
  value ? text.string(*value) : text.null();
}

void write_fingerprint(JsonText& text, const std::optional<Fingerprint>& fingerprint) {
  fingerprint ? text.string(text_of(*fingerprint)) : text.null();
}

void write_diagnosis(JsonText& text, const Diagnosis& diagnosis) {
  text.begin_object();
  text.key("bytes_before_lb").exact(diagnosis.bytes_before_lb);
  text.key("bytes_beyond_ub").exact(diagnosis.bytes_beyond_ub);
  text.key("hole_bytes");
  diagnosis.hole_bytes ? text.exact(*diagnosis.hole_bytes) : text.null();
  text.key("entries_overlap").string(text_of(diagnosis.entries_overlap));
  text.key("copies_overlap").string(text_of(diagnosis.copies_overlap));
  text.key("memory").string(memory_formula(diagnosis));
  text.end_object();
}

void write_rank(JsonText& text, Rank rank) {
  rank.world.is_first() ? text.integer(rank.number) : text.string(text_of(rank));
}

void write_frame(JsonText& text, const Job& job, const JobFrame& frame, Symbols& symbols) {
  const ModuleRecord* const module = frame.module ? &job.module(*frame.module) : nullptr;
  static const SourceLocation nowhere;
  const SourceLocation& location = module != nullptr ? symbols.resolve(*module, frame.offset) : nowhere;
  text.begin_object();
  write_string_or_null(text.key("function"), location.function);
  write_string_or_null(text.key("file"), location.file);
  text.key("line");
  location.line ? text.integer(*location.line) : text.null();
  text.key("module");
  module != nullptr ? text.string(module->path) : text.null();
  write_string_or_null(text.key("build_id"), module != nullptr ? module->build_id : std::nullopt);
  text.key("offset").count(frame.offset);
  text.end_object();
}

void write_bounds_by_rules(JsonText& text, const Analysis& analysis, const Analysis::Place& place) {
  text.key("bounds").begin_object();
  for (const BoundsRule rule : bounds_rules) {
    text.key(text_of(rule)).begin_object();
    write_bounds(text, place.rules[rule].bounds(place.definition));
    text.end_object();
  }
  text.end_object();
  text.key("bounds_versions").begin_object();
  for (const BoundsRule library : library_rules) {
    text.key(text_of(library)).string(analysis.releases()[library].version);
  }
  const std::string& remark = analysis.remark_on_release();
  text.key("unmodelled");
  remark.empty() ? text.null() : text.string(remark);
  text.end_object();
}

void write_advice(JsonText& text, Analysis& analysis, TypeNumber number) {
  const Portability& portability = analysis.portability(number);
  text.key("portable").begin_object();
  text.key("value").boolean(portability.portable);
  text.key("reasons").strings(portability.reasons);
  text.end_object();
  const std::optional<Simpler>& simpler = analysis.simpler(number);
  text.key("simpler");
  simpler ? text.string(simpler->call) : text.null();
  text.key("findings").begin_list();
  for (const Finding& finding : analysis.findings(number)) write_finding(text, finding);
  text.end_list();
}

}  // namespace

void write_ranks(JsonText& text, const RankRanges& ranks) {
  text.begin_row();
  for (const auto& [first, last, world] : ranks.ranges()) {
    text.begin_row();
    write_rank(text, Rank{world, first});
    write_rank(text, Rank{world, last});
    text.end_row();
  }
  text.end_row();
}

void write_call_site(JsonText& text, const Job& job, std::optional<FrameIndex> site, Symbols& symbols) {
  text.begin_list();
  if (site) {
    for (const FrameIndex index : job.stack(*site)) write_frame(text, job, job.frame(index), symbols);
  }
  text.end_list();
}

void CallSiteTexts::write(JsonText& text, std::optional<FrameIndex> site) {
  if (!site) {
    text.begin_list().end_list();
    return;
  }
  if (kept_.empty()) kept_.resize(most_kept);
  Kept& kept = kept_[site->value % most_kept];
  if (kept.site != site || kept.indent != text.indent()) {
    JsonText frames(text.indent());
    write_call_site(frames, job_, site, symbols_);
    kept = {site, text.indent(), std::string(frames.text())};
  }
  text.raw(kept.text);
}

void write_finding(JsonText& text, const Finding& finding) {
  text.begin_object();
  text.key("id").string(finding.kind->id);
  text.key("severity").string(text_of(finding.severity));
  text.key("message").string(finding.message);
  text.key("advice").string(finding.advice);
  text.end_object();
}

void write_use(JsonText& text, const Job& job, const TypeUse& use, CallSiteTexts& sites) {
  text.begin_object();
  text.key("type").string(job.name_of(use.type));
  text.key("called").string(use.called);
  text.key("binding").string(use.binding);
  text.key("argument").string(trace::name_of(use.parameter));
  write_ranks(text.key("ranks"), use.ranks);
  text.key("calls").count(use.counts.calls);
  text.key("elements").count(use.counts.elements);
  text.key("bytes").exact(bytes_of(job, use));
  const std::optional<std::uint64_t> received = use.counts.received;
  received ? text.key("received_bytes").count(*received) : text.key("received_bytes").null();
  text.key("smallest_count").count(use.counts.smallest);
  text.key("largest_count").count(use.counts.largest);
  sites.write(text.key("call_site"), use.site);
  text.end_object();
}

TypeTexts::TypeTexts(const Job& job, Symbols& symbols) : job_(job), sites_(job, symbols) {
  PlacesOfUses uses;
  for (std::size_t i = 0; i < job.uses.size(); ++i) uses[job.uses[i].type].push_back(i);
  uses_ = std::make_shared<const PlacesOfUses>(std::move(uses));
}

void TypeTexts::write(JsonText& text, TypeNumber number, Analysis& analysis) {
  const JobType& type = job_.type(number);
  const Analysis::Place place = analysis.place(number);
  text.begin_object();
  write_description(text, type);
  write_bounds(text, as_bounds(job_.observed(type)));
  text.key("alignment").integer(place.layouts.facts(place.definition).alignment);
  write_bounds_by_rules(text, analysis, place);
  write_layout(text, place);
  const Diagnosis diagnosis = analysis.diagnosis(number);
  text.key("overlap").string(text_of(diagnosis.entries_overlap));
  write_advice(text, analysis, number);
  write_diagnosis(text.key("diagnosis"), diagnosis);
  write_instances(text, type);
  write_uses(text, type);
  text.end_object();
}

void TypeTexts::write_description(JsonText& text, const JobType& type) const {
  const ConstructorCall& call = job_.store[type.definition].call;
  text.key("id").string(text_of(type.number));
  text.key("key").string(key_text(type.key));
  text.key("combiner").string(row_of(call.combiner).mpi_name);
  text.key("constructor").string(constructor_name(call.combiner, call.form));
  text.key("call").string(call_in_json(job_, type.number));
  text.key("names").strings(job_.names(type.number));
  write_envelope(text.key("envelope"), envelope_of(call));
  write_contents(text.key("contents"), job_, contents_of(call));
}

void TypeTexts::write_layout(JsonText& text, const Analysis::Place& place) const {
  const LayoutId root = place.layouts.root(place.definition);
  const LayoutFacts& facts = place.layouts.facts(place.definition);
  text.key("entries").exact(facts.entries);
  write_signature(text, place);
  const bool is_whole = facts.signature_runs <= Exact(static_cast<std::int64_t>(json_signature_limit));
  text.key("signature_truncated").boolean(!is_whole);
  text.key("blocks").exact(facts.blocks);
  text.key("fingerprint").begin_object();
  write_fingerprint(text.key("layout"), place.fingerprints.layout(root));
  write_fingerprint(text.key("signature"), place.fingerprints.signature(root));
  text.end_object();
}

/// Of long signatures, most runs stand there again and again: their texts are kept.
void TypeTexts::write_signature(JsonText& text, const Analysis::Place& place) const {
  struct Kept {
    SignatureRun run;
    std::string text;
  };
  std::array<Kept, 16> kept;
  text.key("signature").begin_row();
  const LayoutId root = place.layouts.root(place.definition);
  for (const SignatureRun& run : signature_runs(place.layouts, root, json_signature_limit)) {
    Kept& same = kept[(run.type.value + static_cast<std::size_t>(run.repeat.value())) % kept.size()];
    if (same.text.empty() || same.run.type != run.type || !(same.run.repeat == run.repeat)) {
      JsonText alone;
      alone.begin_row().string(job_.store.predefined()[run.type].name).exact(run.repeat).end_row();
      same = {run, alone.take()};
    }
    text.raw(same.text);
  }
  text.end_row();
}

void TypeTexts::write_instances(JsonText& text, const JobType& type) {
  text.key("instances").begin_list();
  for (const Instances& instances : job_.instances.of(type.number)) {
    const auto& counters = instances.counters;
    const auto count = [&](const char* name, std::uint64_t Counters::*member) {
      text.key(name);
      counters ? text.count((*counters).*member) : text.null();
    };
    text.begin_object();
    write_ranks(text.key("ranks"), instances.ranks());
    text.key("called").string(instances.called);
    text.key("binding");
    instances.binding.empty() ? text.null() : text.string(instances.binding);
    count("created", &Counters::created);
    count("adopted", &Counters::adopted);
    count("committed", &Counters::committed);
    count("freed", &Counters::freed);
    text.key("live");
    counters ? text.integer(live(*counters, job_.store[type.definition].call.combiner)) : text.null();
    sites_.write(text.key("call_site"), instances.site);
    text.end_object();
  }
  text.end_list();
}

void TypeTexts::write_uses(JsonText& text, const JobType& type) {
  text.key("uses").begin_list();
  if (const auto found = uses_->find(type.definition); found != uses_->end()) {
    for (const std::size_t use : found->second) write_use(text, job_, job_.uses[use], sites_);
  }
  text.end_list();
}

}  // namespace ddtscope::reporters
