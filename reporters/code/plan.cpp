#include "reporters/code/plan.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "decoder/bounds/library_versions.h"
#include "decoder/notation/constructor_code.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t widest_line = 100;
constexpr std::size_t longest_comment = 90;

/// All parts of a type but the predefined ones, oldtypes first. Chains may be long: no recursion.
std::vector<DefinitionId> parts_of(const DefinitionStore& store, DefinitionId root) {
  std::vector<DefinitionId> order, open = {root};
  std::unordered_map<std::uint32_t, bool> done;  // false while its oldtypes are being listed
  while (!open.empty()) {
    const DefinitionId id = open.back();
    const ConstructorCall& call = store[id].call;
    const auto [state, is_new] = done.try_emplace(id.value, false);
    if (call.combiner == Combiner::named || state->second || !is_new) {
      open.pop_back();
      if (call.combiner != Combiner::named && !std::exchange(state->second, true)) order.push_back(id);
      continue;
    }
    open.insert(open.end(), call.datatypes.rbegin(), call.datatypes.rend());
  }
  return order;
}

/// Where each part is needed last.
std::unordered_map<std::uint32_t, std::size_t> last_uses(const DefinitionStore& store,
                                                         const std::vector<DefinitionId>& order) {
  std::unordered_map<std::uint32_t, std::size_t> last;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const DefinitionId oldtype : store[order[i]].call.datatypes) last[oldtype.value] = i;
  }
  return last;
}

std::vector<std::string> comments_of(const Job& job, TypeNumber type) {
  const std::vector<std::string>& names = job.names(type);
  const std::string call = constructor_call_text(
      job.store, job.type(type).definition, [&](DefinitionId id) { return job.name_of(id); }, 6);
  std::vector<std::string> comments = {text_of(type) + (names.empty() ? "" : " '" + names.front() + "'") + ": " + call};
  if (!job.rule_of_text) {
    comments.push_back("As made by a program with " + product_and_release(job.header().library_version));
  }
  for (std::string& comment : comments) comment = harmless(comment);
  return comments;
}

std::optional<NoCode> unknown_part(const PlannedType& type, const std::vector<DefinitionId>& order) {
  for (const DefinitionId id : order) {
    for (const DefinitionId oldtype : type.store[id].call.datatypes) {
      if (type.store[oldtype].call.combiner != Combiner::named) continue;
      const std::string& name = type.store.predefined()[type.store[oldtype].predefined].name;
      if (find_predefined_name(name) == nullptr) {
        return NoCode{type.name_of(id) + " is made of " + name +
                      ", which is no predefined datatype of the standard: it can be named in no program."};
      }
    }
  }
  return std::nullopt;
}

void add_remarks(CodePlan& plan) {
  for (const CodeStep& step : plan.steps) {
    for (const DefinitionId oldtype : plan.call(step.made).datatypes) {
      const Definition& part = plan.store[oldtype];
      if (part.call.combiner != Combiner::named) continue;
      const PredefinedKind kind = plan.store.predefined()[part.predefined].kind;
      if (kind == PredefinedKind::lb_marker || kind == PredefinedKind::ub_marker) {
        plan.comments.push_back("MPI_LB and MPI_UB were removed in MPI-3.0: a library may be without them.");
        return;
      }
    }
  }
}

}  // namespace

std::string harmless(std::string_view text) {
  std::string result;
  for (const char c : text.substr(0, longest_comment)) {
    const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    result += is_word || std::string_view(" _.,:;+-=()[]{}'<>").find(c) != std::string_view::npos ? c : '_';
  }
  return text.size() > longest_comment ? result + "..." : result;
}

std::variant<CodePlan, NoCode> plan_of(const PlannedType& type) {
  const std::vector<DefinitionId> order = parts_of(type.store, type.type);
  if (auto problem = unknown_part(type, order)) return *std::move(problem);
  CodePlan plan{type.store, type.type, type.variable, {}, {}};
  const auto last = last_uses(type.store, order);
  for (std::size_t i = 0; i < order.size(); ++i) {
    CodeStep& step = plan.steps.emplace_back(CodeStep{order[i], {}});
    std::vector<DefinitionId> oldtypes(plan.call(order[i]).datatypes.begin(), plan.call(order[i]).datatypes.end());
    std::sort(oldtypes.begin(), oldtypes.end());
    oldtypes.erase(std::unique(oldtypes.begin(), oldtypes.end()), oldtypes.end());
    for (const DefinitionId oldtype : oldtypes) {
      const bool is_made = plan.call(oldtype).combiner != Combiner::named && plan.is_ours(oldtype);
      if (is_made && last.at(oldtype.value) == i) step.freed.push_back(oldtype);
    }
  }
  return plan;
}

std::variant<CodePlan, NoCode> plan_of(const Job& job, TypeNumber type) {
  auto planned = plan_of({job.store, job.type(type).definition,
                          [&job](DefinitionId id) { return "t" + std::to_string(job.number_of(id).value); },
                          [&job](DefinitionId id) { return job.name_of(id); }});
  if (auto* plan = std::get_if<CodePlan>(&planned)) {
    plan->comments = comments_of(job, type);
    add_remarks(*plan);
  }
  return planned;
}

namespace {

/// Where a line of at most `room` characters ends, or the first one that is longer where there is none.
std::size_t end_of_line(std::string_view statement, std::size_t room, char or_behind) {
  std::size_t at = statement.rfind(", ", room - 2);
  if (at != statement.npos && at != 0) return at + 2;
  at = or_behind == ',' ? statement.npos : statement.rfind(or_behind, room - 1);
  if (at != statement.npos) return at + 1;
  at = statement.find(", ");
  return at == statement.npos ? statement.size() : at + 2;
}

}  // namespace

std::string broken_lines(std::string_view statement, const LineStyle& style) {
  std::string text;
  std::string indent = style.indent;
  while (!statement.empty()) {
    const std::size_t room = widest_line - std::min(widest_line / 2, indent.size() + style.end_of_line.size());
    const std::size_t end = statement.size() > room ? end_of_line(statement, room, style.or_behind) : statement.size();
    const bool is_last = end == statement.size();
    std::string_view line = statement.substr(0, end);
    if (!is_last && line.ends_with(' ')) line.remove_suffix(1);
    text += indent + std::string(line) + (is_last ? "" : style.end_of_line) + "\n";
    statement.remove_prefix(end);
    indent = style.indent + "    ";
  }
  return text;
}

std::string filled(std::string_view program, std::string_view name, std::string_view text) {
  const std::string mark = "@" + std::string(name) + "@";
  std::string result(program);
  for (std::size_t at = 0; (at = result.find(mark, at)) != result.npos; at += text.size()) {
    result.replace(at, mark.size(), text);
  }
  return result;
}

std::string program_of(std::string_view text, const CodePlan& plan, const ProgramParts& parts) {
  std::string program = filled(text, "comments", parts.comments);
  program = filled(program, "free", plan.is_ours(plan.result) ? parts.free : "");
  return filled(filled(program, "result", plan.variable(plan.result)), "make", parts.make);
}

std::optional<Language> language_of_text(std::string_view text) {
  if (text == "c") return Language::c;
  if (text == "fortran") return Language::fortran;
  if (text == "python") return Language::python;
  return std::nullopt;
}

std::variant<std::string, NoCode> code_of(const Job& job, const CodeOptions& options) {
  auto planned = plan_of(job, options.type);
  if (auto* problem = std::get_if<NoCode>(&planned)) return std::move(*problem);
  const CodePlan& plan = std::get<CodePlan>(planned);
  switch (options.language) {
    case Language::c:
      return c_code(plan, options.extent);
    case Language::fortran:
      return fortran_code(plan, options.extent);
    case Language::python:
      break;
  }
  return python_code(plan, options.extent);
}

}  // namespace ddtscope::reporters
