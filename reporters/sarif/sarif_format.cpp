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

namespace ddtscope::reporters {
namespace {

constexpr std::size_t callers_limit = 16;

/// Where the paths of a run begin: what lies in the working directory is told relative to it, as code hosts want it.
constexpr const char* source_root = "SRCROOT";

/// What a message is: braces would stand for an argument, brackets for a link (SARIF 2.1.0, 3.11.5 and 3.11.6).
std::string message_text(std::string_view text) {
  std::string message;
  for (const char c : printable(text)) {
    if (c == '[' || c == ']' || c == '\\') message += '\\';
    if (c == '{' || c == '}') message += c;
    message += c;
  }
  return message;
}

Json text_json(std::string_view text) { return {{"text", message_text(text)}}; }

/// Paragraphs and code, whose line feeds are meant. They take no arguments, and readers show them as they are.
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

  Json result(const JobFinding& finding);
  std::string root_uri() const { return file_uri(folder_); }

 private:
  Json location(FrameIndex index);
  Json artifact(const std::string& path) const;
  std::string fingerprint(const JobFinding& finding, const std::vector<FrameIndex>& stack);
  std::size_t telling_frame(const std::vector<FrameIndex>& stack);
  void add_stack(Json& result, const std::vector<FrameIndex>& stack);
  void add_places(Json& related, const JobFinding& finding);
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
  return &context_.symbols.resolve(module, frame.offset);
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

/// What a finding is about: a type that was made, with its call, one of the library's, or a call.
std::string subject_of(const Job& job, const JobFinding& finding) {
  if (!finding.type) return std::string(finding.called);
  const TypeNumber number = job.number_of(*finding.type);
  return number.valid() ? id_and_name(job, number) + " " + call_of(job, number)
                        : std::string(job.name_of(*finding.type));
}

/// The same as long as the finding is about a type made by the same constructor, or the same call, in the same
/// function, wherever the lines and the addresses went; of several that are alike, the number of each.
std::string Results::fingerprint(const JobFinding& finding, const std::vector<FrameIndex>& stack) {
  const Job& job = context_.job;
  std::string text = std::string(finding.kind->id) + '\n';
  if (job.number_of(finding.type).valid()) {
    const ConstructorCall& call = job.store[*finding.type].call;
    text += constructor_name(call.combiner, call.form);
  } else {
    text += finding.called;
  }
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

/// The innermost frame whose line is known, else the innermost.
std::size_t Results::telling_frame(const std::vector<FrameIndex>& stack) {
  const auto has_line = [&](FrameIndex index) {
    const SourceLocation* source = source_of(index);
    return source != nullptr && source->file.has_value();
  };
  const auto found = std::find_if(stack.begin(), stack.end(), has_line);
  return found == stack.end() ? 0 : static_cast<std::size_t>(found - stack.begin());
}

/// The telling frame is the finding's place; a library's frames within it, and its callers, are the rest of the way.
void Results::add_stack(Json& result, const std::vector<FrameIndex>& stack) {
  const Job& job = context_.job;
  const std::size_t first = telling_frame(stack);
  Json locations = Json::array();
  Json related = Json::array();
  for (std::size_t i = 0; i < stack.size(); ++i) {
    if (i == first) {
      locations.push_back(location(stack[i]));
    } else if (related.size() < callers_limit && !job.frame(stack[i]).is_not_recorded()) {
      related.push_back(location(stack[i]));
    }
    if (is_outermost(job, stack[i], context_.symbols)) break;
  }
  result["locations"] = std::move(locations);
  result["relatedLocations"] = std::move(related);
}

/// The other call sites of what is told once, and the second party.
void Results::add_places(Json& related, const JobFinding& finding) {
  const auto add = [&](std::optional<FrameIndex> site, const std::string& what) {
    if (!site || related.size() >= 2 * callers_limit) return;
    const std::vector<FrameIndex> stack = context_.job.stack(*site);
    if (stack.empty()) return;
    Json one = location(stack[telling_frame(stack)]);
    one["message"]["text"] = message_text(what) + one["message"]["text"].get<std::string>();
    related.push_back(std::move(one));
  };
  for (std::size_t i = 1; i < finding.sites.size(); ++i) add(finding.sites[i], "also: ");
  if (finding.other) add(finding.other->site, std::string(finding.other->called) + ": ");
}

Json Results::result(const JobFinding& finding) {
  const Job& job = context_.job;
  const std::optional<FrameIndex> site = finding.site();
  const std::vector<FrameIndex> stack = site ? job.stack(*site) : std::vector<FrameIndex>();
  const std::string measured = measured_in_words(context_, finding);
  Json result = {{"ruleId", finding.kind->id},
                 {"ruleIndex", finding.kind - finding_kinds().data()},
                 {"level", text_of(finding.severity)},
                 {"message", text_json(subject_of(job, finding) + ": " + finding.message + " " + finding.advice +
                                       (measured.empty() ? "" : " " + measured))},
                 {"partialFingerprints", {{"ddtscopeFinding/v1", fingerprint(finding, stack)}}}};
  add_stack(result, stack);
  Json& related = result["relatedLocations"];
  add_places(related, finding);
  for (std::size_t i = 0; i < related.size(); ++i) related[i]["id"] = i + 1;
  if (related.empty()) result.erase("relatedLocations");
  const TypeNumber number = job.number_of(finding.type);
  if (number.valid()) {
    result["properties"] = {
        {"type", text_of(number)}, {"key", key_text(job.type(number).key)}, {"names", job.names(number)}};
  }
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

void SarifFormat::check(std::ostream& out, const ReportContext& context, JobFindings& findings) const {
  Results results(context);
  Json found = Json::array();
  for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
    findings.each(severity, [&](const JobFinding& finding) { found.push_back(results.result(finding)); });
  }
  Json run = {{"tool", {{"driver", {{"name", "ddtscope"}, {"version", DDTSCOPE_VERSION}, {"rules", rules_json()}}}}},
              {"invocations", Json::array({invocation_json(context.job)})},
              {"originalUriBaseIds", {{source_root, {{"uri", results.root_uri()}}}}},
              {"results", std::move(found)}};
  write_json(out, {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                   {"version", "2.1.0"},
                   {"runs", Json::array({std::move(run)})}});
}

}  // namespace ddtscope::reporters
