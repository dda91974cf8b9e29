#include "reporters/json/type_json.h"

#include "decoder/layout/span.h"
#include "decoder/layout/typemap.h"
#include "decoder/notation/constructor_code.h"
#include "reporters/json/type_text.h"

namespace ddtscope::reporters {
namespace {

/// What is written by `write(text)`, as a value.
template <class Write>
Json read_back(const Write& write) {
  JsonText text;
  write(text);
  return Json::parse(text.text());
}

}  // namespace

Json ranks_json(const RankRanges& ranks) {
  return read_back([&](JsonText& text) { write_ranks(text, ranks); });
}

Json rank_json(Rank rank) { return rank.world.is_first() ? Json(rank.number) : Json(text_of(rank)); }

Json call_site_json(const Job& job, std::optional<FrameIndex> site, Symbols& symbols) {
  return read_back([&](JsonText& text) { write_call_site(text, job, site, symbols); });
}

std::string call_in_json(const Job& job, TypeNumber number) {
  return constructor_call_text(job.store, job.type(number).definition,
                               [&](DefinitionId id) { return job.name_of(id); });
}

Json finding_json(const Finding& finding) {
  return read_back([&](JsonText& text) { write_finding(text, finding); });
}

Json type_json(const Job& job, TypeNumber number, Analysis& analysis, Symbols& symbols) {
  return read_back([&](JsonText& text) { TypeTexts(job, symbols).write(text, number, analysis); });
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

void add_source(Json& object, const SourceAnswer& answer) {
  object["source"] = nullptr;
  if (!answer.layout) return;
  const NamedRecord& record = answer.layout->record;
  Json parts = Json::array();
  for (const ComparedPart& part : answer.layout->parts) {
    const auto severity = severity_of(part.verdict);
    parts.push_back({{"offset", json_integer(part.entry ? part.entry->displacement : part.member->offset)},
                     {"member", part.member ? Json(part.member->path) : Json(nullptr)},
                     {"declared", part.member ? Json(part.member->type) : Json(nullptr)},
                     {"basic", part.entry ? Json(part.entry->basic) : Json(nullptr)},
                     {"severity", severity ? Json(text_of(*severity)) : Json(nullptr)},
                     {"what", severity ? Json(text_of(part.verdict)) : Json(nullptr)}});
  }
  object["source"] = {{"record", record.spelling},
                      {"file", text_or_null(record.file)},
                      {"line", record.line ? Json(*record.line) : Json(nullptr)},
                      {"size", json_integer(record.type->size)},
                      {"parts", std::move(parts)}};
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

}  // namespace ddtscope::reporters
