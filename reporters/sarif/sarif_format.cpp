#include "reporters/sarif/sarif_format.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reporters/json/json.h"
#include "reporters/model/summary.h"
#include "reporters/sarif/uri.h"
#include "reporters/text/report.h"
#include "reporters/text/words.h"

namespace ddtscope {
namespace {

constexpr std::size_t callers_limit = 16;

/// Where the paths of a run begin: what lies in the working directory is told relative to it, as code hosts want it.
constexpr const char* source_root = "SRCROOT";

Json text_json(std::string_view text) { return {{"text", printable(text)}}; }

/// Paragraphs and code, whose line feeds are meant.
Json help_json(const FindingKind& kind) {
  const std::string explanation(kind.explanation), example(kind.example);
  return {{"text", explanation + "\n\n" + example}, {"markdown", explanation + "\n\n```c\n" + example + "```\n"}};
}

Json rules_json() {
  Json rules = Json::array();
  for (const FindingKind& kind : finding_kinds()) {
    rules.push_back({{"id", kind.id},
                     {"shortDescription", text_json(kind.title)},
                     {"fullDescription", text_json(kind.explanation.substr(0, kind.explanation.find("\n\n")))},
                     {"help", help_json(kind)},
                     {"defaultConfiguration", {{"level", text_of(kind.severity)}}}});
  }
  return rules;
}

/// Writes results one after the other: what they share is worked out once.
class Results {
 public:
  explicit Results(const ReportContext& context)
      : context_(context), folder_(std::filesystem::current_path(ignored_).string() + "/") {}

  Json result(TypeNumber number, const Finding& finding);
  std::string root_uri() const { return file_uri(folder_); }

 private:
  Json location(FrameIndex index);
  Json artifact(const std::string& path) const;
  std::string fingerprint(TypeNumber number, const Finding& finding, const std::vector<FrameIndex>& stack);
  const SourceLocation* source_of(FrameIndex index);

  const ReportContext& context_;
  std::error_code ignored_;
  std::string folder_;
  std::map<std::string, std::uint64_t> seen_;  // fingerprints, and how often
};

const SourceLocation* Results::source_of(FrameIndex index) {
  const JobFrame& frame = context_.job.frame(index);
  if (!frame.module) return nullptr;
  const ModuleRecord& module = context_.job.module(*frame.module);
  return &context_.symbols.resolve(module.path, module.build_id, frame.offset);
}

Json Results::artifact(const std::string& path) const {
  if (path.starts_with(folder_)) {
    return {{"uri", encoded_path(path.substr(folder_.size()))}, {"uriBaseId", source_root}};
  }
  return {{"uri", path.starts_with('/') ? file_uri(path) : encoded_path(path)}};
}

/// The line of a frame, or its address in the module where the line is unknown.
Json Results::location(FrameIndex index) {
  const JobFrame& frame = context_.job.frame(index);
  const SourceLocation* source = source_of(index);
  Json physical;
  if (source != nullptr && source->file) {
    physical["artifactLocation"] = artifact(*source->file);
    if (source->line && *source->line > 0) physical["region"] = {{"startLine", *source->line}};
  } else if (frame.module) {
    physical["artifactLocation"] = artifact(context_.job.module(*frame.module).path);
  }
  Json location;
  if (!physical.is_null()) location["physicalLocation"] = std::move(physical);
  if (source != nullptr && source->function) {
    location["logicalLocations"] = {{{"name", printable(*source->function)}, {"kind", "function"}}};
  }
  location["message"] = text_json(place_of_frame(context_.job, index, context_.symbols));
  return location;
}

/// The same as long as the finding is about a type made by the same constructor in the same function, wherever the
/// lines and the addresses went; of several that are alike, the number of each.
std::string Results::fingerprint(TypeNumber number, const Finding& finding, const std::vector<FrameIndex>& stack) {
  const Job& job = context_.job;
  const ConstructorCall& call = job.store[job.type(number).definition].call;
  std::string text = std::string(finding.kind->id) + '\n' + std::string(constructor_name(call.combiner, call.form));
  for (const FrameIndex index : stack) {
    const SourceLocation* source = source_of(index);
    if (source == nullptr || !source->function) continue;
    const std::string file = source->file.value_or(job.module(*job.frame(index).module).path);
    text += '\n' + *source->function + '\n' + std::filesystem::path(file).filename().string();
    break;
  }
  std::string hash = key_text(XXH64(text.data(), text.size(), 0));
  hash += ":" + std::to_string(++seen_[hash]);
  return hash;
}

Json Results::result(TypeNumber number, const Finding& finding) {
  const Job& job = context_.job;
  const std::optional<FrameIndex> site = busiest_site(job, number);
  const std::vector<FrameIndex> stack = site ? job.stack(*site) : std::vector<FrameIndex>();
  Json result = {{"ruleId", finding.kind->id},
                 {"ruleIndex", finding.kind - finding_kinds().data()},
                 {"level", text_of(finding.severity)},
                 {"message", text_json(id_and_name(job, number) + " " + call_of(job, number) + ": " + finding.message +
                                       " " + finding.advice)}};
  // The innermost frame whose line is known; a library's frames within it are told as the rest of the way.
  const auto has_line = [&](FrameIndex index) {
    const SourceLocation* source = source_of(index);
    return source != nullptr && source->file.has_value();
  };
  auto first = std::find_if(stack.begin(), stack.end(), has_line);
  if (first == stack.end()) first = stack.begin();
  Json locations = Json::array();
  Json related = Json::array();
  for (auto frame = stack.begin(); frame != stack.end(); ++frame) {
    if (frame == first) {
      locations.push_back(location(*frame));
    } else if (related.size() < callers_limit && !job.frame(*frame).is_not_recorded()) {
      Json one = location(*frame);
      one["id"] = related.size() + 1;
      related.push_back(std::move(one));
    }
    if (is_outermost(job, *frame, context_.symbols)) break;
  }
  result["locations"] = std::move(locations);
  if (!related.empty()) result["relatedLocations"] = std::move(related);
  result["partialFingerprints"] = {{"ddtscopeFinding/v1", fingerprint(number, finding, stack)}};
  result["properties"] = {
      {"type", text_of(number)}, {"key", key_text(job.type(number).key)}, {"names", job.names(number)}};
  return result;
}

/// What the run was: a trace that is incomplete says so, for what is not in it cannot be found.
Json invocation_json(const Job& job) {
  Json invocation = {{"executionSuccessful", true}};
  if (!job.complete()) {
    invocation["toolExecutionNotifications"] = {
        {{"level", "warning"}, {"message", text_json("The trace is " + completeness(job) + ".")}}};
  }
  return invocation;
}

}  // namespace

void SarifFormat::check(std::ostream& out, const ReportContext& context) const {
  Results results(context);
  Json found = Json::array();
  const auto add = [&](TypeNumber number, const Finding& finding) { found.push_back(results.result(number, finding)); };
  for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
    context.analysis.each_finding(severity, add);
  }
  Json run = {{"tool", {{"driver", {{"name", "ddtscope"}, {"version", DDTSCOPE_VERSION}, {"rules", rules_json()}}}}},
              {"invocations", Json::array({invocation_json(context.job)})},
              {"originalUriBaseIds", {{source_root, {{"uri", results.root_uri()}}}}},
              {"results", std::move(found)}};
  write_json(out, {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                   {"version", "2.1.0"},
                   {"runs", Json::array({std::move(run)})}});
}

}  // namespace ddtscope
