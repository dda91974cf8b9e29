// The text is parsed into a job's store; the rule answers in place of a library.
#include "reporters/model/job_of_text.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "decoder/definition/this_machine.h"
#include "decoder/notation/bnf.h"
#include "decoder/notation/constructor_parser.h"

namespace ddtscope::reporters {
namespace {

// Of one library or another: they are written by name only.
constexpr LibraryConstants constants = {.order_c = 56,
                                        .order_fortran = 57,
                                        .distribute_block = 121,
                                        .distribute_cyclic = 122,
                                        .distribute_none = 123,
                                        .distribute_dflt_darg = -49767};

constexpr std::string_view blanks = " \t\r\n";

/// "U1(V:d:3:1:2)"
bool is_short_notation(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
  const std::size_t end = text.find_first_not_of("0123456789", begin + 1);
  return text.substr(begin, 1) == "U" && end != text.npos && end > begin + 1 && text[end] == '(';
}

std::variant<DefinitionId, CallTextError> parse(DefinitionStore& store, std::string_view text) {
  if (!is_short_notation(text)) return parse_constructor_call(store, text);
  BnfEnvironment environment;
  environment.predefined = [&](std::string_view name) { return add_predefined_type(store, name); };
  const std::size_t begin = text.find_first_not_of(blanks);
  const std::size_t end = text.find_last_not_of(blanks) + 1;
  const BnfResult result = parse_bnf(store, text.substr(begin, end - begin), environment);
  if (result.error) return CallTextError{begin + result.error->position, "expected is " + result.error->expected};
  return result.type;
}

/// The line of the text that has the place, cut to what a terminal shows, and a caret.
TextProblem with_caret(std::string_view text, const CallTextError& error) {
  constexpr std::size_t before = 40, after = 36;
  const std::size_t place = std::min(error.position, text.size());
  const std::size_t line = place == 0 ? 0 : text.rfind('\n', place - 1) + 1;  // npos + 1 is 0
  const std::size_t begin = place - line > before ? place - before : line;
  const std::size_t line_end = std::min(text.find('\n', place), text.size());
  const std::size_t end = std::min(line_end, place + after);
  const std::string lead = begin == line ? "  " : "  ...";
  std::string excerpt(text.substr(begin, end - begin));
  // A byte is a column here: what is none on a terminal is not shown as it is.
  std::replace_if(
      excerpt.begin(), excerpt.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return {
      error.sentence + ", at character " + std::to_string(place + 1) + ":",
      lead + excerpt + (end == line_end ? "" : "...") + "\n" + std::string(lead.size() + place - begin, ' ') + "^\n"};
}

/// Types are numbered as those of a trace: oldtypes first. All have the rule's bounds.
void add_types(Job& job, BoundsRule rule) {
  AllRules rules(job.store);
  for (std::uint32_t i = 0; i < job.store.size(); ++i) {
    const DefinitionId id{i};
    const Definition& definition = job.store[id];
    if (definition.call.combiner == Combiner::named) continue;
    job.observed_bounds.add(id, as_answered(rules[rule].bounds(id)));
    const TypeNumber number{static_cast<std::uint32_t>(job.types.size() + 1)};
    job.numbers.resize(job.store.size());
    job.numbers[i] = number;
    JobType type;
    type.number = number;
    type.definition = id;
    type.key = definition.key;
    job.types.push_back(std::move(type));
  }
}

}  // namespace

std::variant<JobOfText, TextProblem> job_of_text(const std::string& text, BoundsRule rule) {
  JobOfText result{std::make_unique<Job>(constants), {}};
  Job& job = *result.job;
  const auto parsed = parse(job.store, text);
  if (const auto* error = std::get_if<CallTextError>(&parsed)) return with_caret(text, *error);
  const DefinitionId id = std::get<DefinitionId>(parsed);
  if (job.store[id].call.combiner == Combiner::named) {
    return TextProblem{
        job.store.predefined()[job.store[id].predefined].name + " is a predefined datatype: nothing makes it.", {}};
  }
  job.rule_of_text = rule;
  JobRank& nobody = job.ranks.emplace_back();
  if (rule != BoundsRule::standard) {
    nobody.header.library_name = text_of(rule);
    nobody.header.library_version = newest_release(rule).version;
  }
  add_types(job, rule);
  result.type = job.number_of(id);
  return result;
}

}  // namespace ddtscope::reporters
