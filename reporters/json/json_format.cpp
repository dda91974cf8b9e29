#include "reporters/json/json_format.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reporters/json/diff_json.h"
#include "reporters/json/job_json.h"
#include "reporters/json/match_json.h"
#include "reporters/json/measure_json.h"
#include "reporters/json/type_json.h"
#include "reporters/json/type_text.h"
#include "reporters/json/uses_json.h"
#include "reporters/model/ordered_parallel_for.h"

namespace ddtscope::reporters {
namespace {

/// The texts of types that are looked at together, as far as they are worth to be kept.
struct TextsOfTypes {
  std::span<const TypeNumber> types;
  Analysis* analysis;
  std::string text;
  std::vector<std::size_t> ends;  // of each in `text`
};

/// Types as an array, in pieces that are made in two threads.
class TypesArray {
 public:
  TypesArray(const ReportContext& context, std::span<const TypeNumber> all)
      : all_(all),
        at_once_(types_at_once(context.analysis, all.size())),
        types_(context.job, context.symbols),
        beside_(context.analysis.beside()),
        analyses_{&context.analysis, beside_.get()} {}

  void write(std::ostream& out) {
    text_.begin_list();
    ordered_parallel_for((all_.size() + at_once_ - 1) / at_once_,
                         [this](std::size_t lane, std::size_t piece) { return texts_of(piece, *analyses_[lane]); },
                         [&](std::size_t, const TextsOfTypes& texts) { add(texts, out); });
    text_.end_list();
    text_.end_document(out);
  }

 private:
  /// Of several windows there are two at a time, which take the memory of one.
  static std::size_t types_at_once(const Analysis& analysis, std::size_t all) {
    const std::size_t window = analysis.types_of_window();
    return std::max<std::size_t>(all <= window ? window : window / lanes, 1);
  }
  TextsOfTypes texts_of(std::size_t piece, Analysis& analysis) {
    const auto rest = all_.subspan(piece * at_once_);
    TextsOfTypes texts{
        .types = rest.first(std::min(at_once_, rest.size())), .analysis = &analysis, .text = {}, .ends = {}};
    analysis.look_at(texts.types);
    if (all_.size() <= at_once_) return texts;  // nothing is done meanwhile: all of it can be written at once
    JsonText text(indent);
    for (const TypeNumber type : texts.types) {
      types_.write(text, type, analysis);
      texts.ends.push_back(text.text().size());
      if (text.text().size() > most_kept_bytes) break;
    }
    texts.text = text.take();
    return texts;
  }
  void add(const TextsOfTypes& texts, std::ostream& out) {
    std::size_t begin = 0;
    for (const std::size_t end : texts.ends) {
      text_.raw(std::string_view(texts.text).substr(begin, end - begin));
      text_.flush_to(out);
      begin = end;
    }
    for (const TypeNumber type : texts.types.subspan(texts.ends.size())) {
      types_.write(text_, type, *texts.analysis);
      text_.flush_to(out);
    }
  }

  static constexpr std::size_t indent = 2;  // of the array's elements
  static constexpr std::size_t most_kept_bytes = std::size_t{1} << 23;

  std::span<const TypeNumber> all_;
  std::size_t at_once_;
  TypeTexts types_;
  std::unique_ptr<Analysis> beside_;
  std::array<Analysis*, lanes> analyses_;
  JsonText text_;
};

}  // namespace

void JsonFormat::summary(std::ostream& out, const ReportContext& context) const {
  write_summary_json(out, context.job, context.analysis, context.symbols);
}

void JsonFormat::types(std::ostream& out, const ReportContext& context, TypesOrder order) const {
  const std::vector<TypeNumber> all = ordered_types(context.job, order);
  TypesArray(context, all).write(out);
}

void JsonFormat::layout_groups(std::ostream& out, const ReportContext& context) const {
  write_layout_groups_json(out, context.job);
}

void JsonFormat::check(std::ostream& out, const ReportContext& context, JobFindings& findings) const {
  write_check_json(out, context, findings);
}

void JsonFormat::show(std::ostream& out, const ReportContext& context, const ShowOptions& options) const {
  Json object = type_json(context.job, options.type, context.analysis, context.symbols);
  if (options.typemap_entries) {
    add_typemap(object, context.job, options.type, *options.typemap_entries);
  }
  if (options.count) {
    add_span(object, context.job, options.type, *options.count);
  }
  if (options.array) {
    const std::int64_t count = options.count.value_or(1);
    const auto coverage = coverage_of_array(context.job, options.type, *options.array, count);
    if (const auto* found = std::get_if<ArrayCoverage>(&coverage)) add_array(object, *found, count);
  }
  if (options.source) add_source(object, *options.source);
  if (options.with_bnf) {
    object["bnf"] = bnf_of(context.job, options.type);
  }
  write_json(out, object);
}

void JsonFormat::uses(std::ostream& out, const ReportContext& context, const UsesQuery& query) const {
  write_uses_json(out, context, query);
}

void JsonFormat::explanation(std::ostream& out, const FindingKind& kind) const {
  write_json(out, explanation_json(kind));
}

void JsonFormat::finding_kinds(std::ostream& out) const { write_json(out, finding_kinds_json()); }

void JsonFormat::match(std::ostream& out, const TypeMatch& match) const { write_json(out, match_json(match)); }

void JsonFormat::measurement(std::ostream& out, const Job& job, const Measurement& measurement) const {
  write_json(out, measurement_json(job, measurement));
}

void JsonFormat::diff(std::ostream& out, const DiffInput& input, const JobDiff& diff) const {
  write_diff_json(out, input, diff);
}

}  // namespace ddtscope::reporters
