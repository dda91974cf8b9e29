// What can be said of types alone: a line, a list, the full report, code.
#include <regex.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <stdexcept>
#include <unordered_set>

#include "decoder/notation/constructor_code.h"
#include "reporters/debug_view/memory.h"
#include "reporters/debugger/session.h"
#include "reporters/text/columns.h"
#include "reporters/text/report.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t widest_line = 200;
constexpr std::size_t widest_call = 100;

/// `T9 "column" = MPI_Type_vector(3, 2, 5, T1)`, or a predefined type's name.
std::string head_of(const Job& job, DefinitionId id) {
  const TypeNumber number = job.number_of(id);
  if (!number.valid()) return printable(job.name_of(id));
  return id_and_name(job, number) + " = " + cut_to(call_of(job, number, 4), widest_call);
}

bool is_derived(const Job& job, DefinitionId id) { return job.number_of(id).valid(); }

/// A POSIX extended regular expression; an empty one is in every text.
class Pattern {
 public:
  /// Throws std::invalid_argument.
  explicit Pattern(const std::string& expression) {
    if (const int error = regcomp(&compiled_, expression.c_str(), REG_EXTENDED | REG_NOSUB); error != 0) {
      std::array<char, 200> why;
      regerror(error, &compiled_, why.data(), why.size());
      throw std::invalid_argument("\"" + printable(expression) + "\" is no regular expression (" + why.data() + ").");
    }
  }
  ~Pattern() { regfree(&compiled_); }
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  bool is_in(const std::string& text) const { return regexec(&compiled_, text.c_str(), 0, nullptr, 0) == 0; }
  bool is_in_any(const std::vector<std::string>& texts) const {
    return std::ranges::any_of(texts, [this](const std::string& text) { return is_in(text); });
  }

 private:
  regex_t compiled_;
};

/// The places where the type was made, each once.
std::vector<std::string> sites_of(DebugSession& session, const JobType& type, std::size_t limit) {
  std::vector<std::string> sites;
  for (const Instances& instances : session.job().instances.of(type.number)) {
    if (sites.size() == limit) break;
    std::string site = place_of(session.job(), instances.site, session.symbols());
    if (std::find(sites.begin(), sites.end(), site) == sites.end()) sites.push_back(std::move(site));
  }
  return sites;
}

}  // namespace

std::string one_line_of(const DebugSession& session, const FoundType& type) {
  const Job& job = session.job();
  if (type.state == FoundType::State::unknown) return "no datatype that ddtscope knows";
  if (type.state == FoundType::State::dropped) return "a datatype that could not be recorded";
  if (type.state == FoundType::State::changing) return "a thread is just making or freeing this datatype";
  if (!type.definition.valid()) {
    return type.state == FoundType::State::freed ? "freed" : "a datatype of which nothing is recorded";
  }
  std::string head = head_of(job, type.definition);
  if (type.state == FoundType::State::freed) return cut_to("freed; was " + head, widest_line);
  if (!is_derived(job, type.definition)) return head;
  const ObservedBounds bounds = job.layouts.observed(type.definition).value_or(ObservedBounds{});
  std::string text =
      head + ", size " + value_or_undefined(bounds.size) + ", extent " + value_or_undefined(bounds.extent);
  if (type.state != FoundType::State::named && !type.is_predefined && type.commit != FoundType::Commit::not_needed) {
    text += type.commit == FoundType::Commit::seen ? ", committed" : ", not committed";
  }
  if (type.state == FoundType::State::dying) text += ", being freed";
  return cut_to(text, widest_line);
}

std::string list_of_types(DebugSession& session, const ListOptions& options) {
  const Job& job = session.job();
  const Pattern name(options.name);
  const Pattern site(options.site);
  std::vector<std::array<std::string, 6>> lines = {
      {"id", "live", "size", "extent", "a handle", "constructor, name, place"}};
  std::uint64_t found = 0;
  for (const JobType& type : job.types) {
    const std::uint64_t live = session.live_instances(type.definition);
    if (options.which == ListOptions::Which::live && live == 0) continue;
    if (options.which == ListOptions::Which::freed && live != 0) continue;
    const std::vector<std::string>& names = job.names(type.number);
    if (!options.name.empty() && !name.is_in_any(names)) continue;
    if (!options.site.empty() && !site.is_in_any(sites_of(session, type, SIZE_MAX))) continue;
    if (++found > options.limit) continue;
    const ObservedBounds bounds = job.observed(type);
    const std::uint64_t handle = session.live_handle(type.definition);
    std::string text = cut_to(call_of(job, type.number, 4), widest_call);
    for (const std::string& given : names) text += "  \"" + printable(given) + "\"";
    for (const std::string& place : sites_of(session, type, 1)) text += "  in " + place;
    lines.push_back({text_of(type.number), grouped(live), value_or_undefined(bounds.size),
                     value_or_undefined(bounds.extent), handle != 0 ? hexadecimal(handle) : "-", std::move(text)});
  }
  std::uint64_t lost = 0;
  for (const Unrecorded& unrecorded : job.unrecorded) lost += unrecorded.count;
  const std::string not_listed =
      lost == 0 ? "" : counted(lost, "type", "types") + " could not be recorded: `mpitype check` tells.\n";
  if (found == 0) {
    const bool has_made_none = job.types.empty() && lost == 0;
    return (has_made_none       ? "The program has made no derived datatype.\n"
            : job.types.empty() ? "No derived datatype is recorded.\n"
                                : "No datatype is like that.\n") +
           not_listed;
  }
  std::string text;
  print_columns(lines, {Align::left, Align::right, Align::right, Align::right, Align::right, Align::none},
                [&](std::size_t, const std::string& line) { text += line + "\n"; });
  if (found > options.limit) text += "... " + grouped(found - options.limit) + " more; --limit N shows more.\n";
  return text + not_listed;
}

std::string show_type(DebugSession& session, DefinitionId type, std::optional<View> view,
                      std::optional<std::size_t> typemap_entries) {
  const Job& job = session.job();
  std::ostringstream out;
  const TypeNumber number = job.number_of(type);
  if (!number.valid()) {
    const PredefinedType& predefined = job.store.predefined()[job.store[type].predefined];
    out << printable(predefined.name) << " is a predefined datatype of size " << predefined.size << ", extent "
        << predefined.extent << " and alignment " << predefined.alignment << ".\n";
    return out.str();
  }
  ShowOptions options;
  options.type = number;
  options.view = view;
  options.typemap_entries = typemap_entries;
  report_show(out, {{job, session.analysis(), session.symbols()}, Style(Colour::never)}, options);
  return out.str();
}

std::string code_of_type(DebugSession& session, DefinitionId type) {
  const Job& job = session.job();
  if (!is_derived(job, type)) return "/* " + job.name_of(type) + " is predefined. */\n";
  // Oldtypes first, each once.
  std::vector<DefinitionId> order;
  std::unordered_set<std::uint32_t> seen;
  std::vector<std::pair<DefinitionId, bool>> open = {{type, false}};
  while (!open.empty()) {
    const auto [id, are_oldtypes_there] = open.back();
    open.pop_back();
    if (are_oldtypes_there) {
      order.push_back(id);
      continue;
    }
    if (!is_derived(job, id) || !seen.insert(id.value).second) continue;
    open.emplace_back(id, true);
    const auto oldtypes = job.store[id].call.datatypes;
    for (auto at = oldtypes.rbegin(); at != oldtypes.rend(); ++at) open.emplace_back(*at, false);
  }
  const auto variable = [&](DefinitionId id) {
    return is_derived(job, id) ? "t" + std::to_string(job.number_of(id).value) : job.name_of(id);
  };
  std::string text;
  for (const DefinitionId id : order) text += "MPI_Datatype " + variable(id) + ";\n";
  for (const DefinitionId id : order) {
    text += constructor_statement(job.store, id, variable, variable(id)) + "\n";
  }
  if (!is_unnamed_predefined(job.store[type].call.combiner)) text += "MPI_Type_commit(&" + variable(type) + ");\n";
  return text;
}

std::string check_types(DebugSession& session) {
  std::ostringstream out;
  JobFindings findings(session.job(), session.analysis());
  report_check(out, {{session.job(), session.analysis(), session.symbols()}, Style(Colour::never)}, findings);
  out << "Calls and buffers are not looked at here: `ddtscope check` of the job's trace does.\n";
  return out.str();
}

}  // namespace ddtscope::reporters
