#include "reporters/cli/type_arguments.h"

#include <algorithm>
#include <cstdint>
#include <memory>

#include "decoder/bounds/library_versions.h"
#include "reporters/cli/report_arguments.h"
#include "reporters/cli/verb_arguments.h"
#include "reporters/model/job_of_text.h"
#include "reporters/trace/format/number_of_text.h"

namespace ddtscope::reporters {

Said usage(const std::string& sentence) {
  complain(sentence);
  return {exit_usage};
}

namespace {

/// The numbers of a text such as "8x10"; empty where a word is none.
std::vector<std::int64_t> numbers_of_text(const std::string& text, char separator) {
  std::vector<std::int64_t> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    const auto number = number_of_text<std::int64_t>(text.substr(begin, end - begin));
    if (!number) return {};
    numbers.push_back(*number);
    begin = end + 1;
  }
  return numbers;
}

}  // namespace

void ArrayArguments::add_to(CLI::App& verb) {
  array_ = verb.add_option("--array", array,
                           "draw the type, or --count copies, in an array of such elements: 8x10:MPI_DOUBLE")
               ->type_name("SIZES[:TYPE]");
  verb.add_option("--at", at, "the element of --array at which the buffer begins: 1,0")->type_name("INDICES");
  verb.add_option("--row", row, "bytes from one row of --array to the next, where there is padding")
      ->type_name("BYTES");
}

std::variant<std::optional<UserArray>, std::string> ArrayArguments::value() const {
  if (array_->count() == 0) {
    if (at.empty() && row.empty()) return std::nullopt;
    return (at.empty() ? "--row" : "--at") +
           std::string(" is of an array: give --array, too, such as 8x10:MPI_DOUBLE.");
  }
  UserArray result;
  const std::size_t colon = std::min(array.find(':'), array.size());
  result.sizes = numbers_of_text(array.substr(0, colon), 'x');
  if (colon < array.size()) result.element = array.substr(colon + 1);
  if (result.sizes.empty() || *std::min_element(result.sizes.begin(), result.sizes.end()) < 1) {
    return "--array takes sizes and the type of the elements, such as 8x10:MPI_DOUBLE, but \"" + array + "\" is none.";
  }
  if (!at.empty()) result.at = numbers_of_text(at, ',');
  if (!at.empty() && result.at.empty()) return "--at takes indices, such as 1,0, but \"" + at + "\" is none.";
  if (!row.empty()) {
    result.row_bytes = number_of_text<std::int64_t>(row);
    if (result.row_bytes.value_or(0) < 1) return "--row takes a number of bytes, but \"" + row + "\" is none.";
  }
  return result;
}

void RuleArguments::add_to(CLI::App& verb) {
  std::vector<std::string> names;
  for (const BoundsRule rule : library_rules) names.emplace_back(text_of(rule));
  verb.add_option("--mpi", library, "whose bounds a type that is written down has (default: the standard's)")
      ->check(CLI::IsMember(names));
}

void RuleArguments::take_words(CLI::App& verb, std::vector<std::string>& words) {
  // Two in one, because the last word is the type. A name with a blank in it is one that CLI11 2.4 refuses.
  verb.add_option("TRACE", words,
                  "the trace's folder or files, then an id (T9), key or name; or a constructor call alone")
      ->option_text("... TYPE")
      ->required();
  add_to(verb);
}

std::string RuleArguments::take_type(const std::string& verb, std::vector<std::string>& traces,
                                     std::string& type) const {
  const bool is_text = traces.size() == 1 && is_type_text(traces.front());
  if (traces.size() < 2 && !is_text) {
    return verb + " needs a trace and a type: ddtscope " + verb +
           " TRACE TYPE; `ddtscope types TRACE` lists the types." + " Or write the type down: ddtscope " + verb +
           " 'MPI_Type_vector(6, 1, 8, MPI_DOUBLE)'.";
  }
  if (!is_text && !library.empty()) return "--mpi is of a type that is written down: a trace knows its library.";
  type = traces.back();
  traces.pop_back();
  return {};
}

void MatchArguments::add_to(CLI::App& verb, std::vector<std::string>& words) {
  verb.add_option("TRACE", words,
                  "the trace's folder or files, then two types: ids, keys, names or predefined types; or two "
                  "constructor calls alone")
      ->option_text("... TYPE TYPE")
      ->required();
  verb.add_option("--count", count, "how many copies are sent, and how many received: 1,1")->type_name("N,M");
  verb.add_option("--fail-on", fail_on, "error or warning (the default): from which on the exit status is 1")
      ->check(CLI::IsMember({"error", "warning"}));
}

Command MatchArguments::command(ReportOptions report, const RuleArguments& rule) const {
  if (report.traces.size() < 2) return usage("match needs two types: ddtscope match TRACE TYPE TYPE.");
  MatchOptions options;
  options.receive = report.traces.back().string();
  report.traces.pop_back();
  options.send = report.traces.back().string();
  report.traces.pop_back();
  options.report = std::move(report);
  options.rule = rule.rule();
  options.fail_on = severity_of_text(fail_on).value_or(Severity::warning);
  if (count.empty()) return options;
  const std::vector<std::int64_t> counts = numbers_of_text(count, ',');
  if (counts.empty() || counts.size() > 2 || *std::min_element(counts.begin(), counts.end()) < 0) {
    return usage("--count takes how many copies are sent and received, such as 2,1, but \"" + count + "\" is none.");
  }
  options.send_count = counts.front();
  options.receive_count = counts.back();
  return options;
}

void CodeArguments::add_to(CLI::App& verb) {
  verb.add_option("--language", language,
                  "c, fortran (with mpi_f08) or python (with mpi4py); by default, of a struct its own")
      ->check(CLI::IsMember({"c", "fortran", "python"}));
  verb.add_flag("--program", program,
                "a whole program, which makes the type, prints its bounds and packs numbered bytes");
  verb.add_option("--struct", record,
                  "the type for a struct, class or derived type of PROGRAM, which was compiled with -g: "
                  "ddtscope code --struct NAME PROGRAM")
      ->type_name("NAME");
}

Command CodeArguments::of_struct(const std::vector<std::string>& words) const {
  if (program) return usage("--program is of a type; with --struct, code prints a function.");
  if (words.size() != 1) return usage("say whose struct it is: ddtscope code --struct " + record + " PROGRAM");
  return StructVerbOptions{record, words.front(), language_of_text(language)};
}

Command CodeArguments::command(std::vector<std::string> words, const RuleArguments& rule) const {
  if (!record.empty()) return of_struct(words);
  if (language.empty()) return usage("--language is required; `ddtscope code --help` shows what can be given.");
  CodeVerbOptions options;
  if (const std::string wrong = rule.take_type("code", words, options.type); !wrong.empty()) return usage(wrong);
  options.traces.assign(words.begin(), words.end());
  options.rule = rule.rule();
  options.language = language_of_text(language).value_or(Language::c);
  if (program) options.extent = CodeExtent::program;
  return options;
}

Asked declare_match(CLI::App& verb) {
  struct Words {
    ReportArguments report;
    MatchArguments match;
    RuleArguments rule;
  };
  const auto words = std::make_shared<Words>();
  words->report.add_to(verb);
  words->match.add_to(verb, words->report.paths);
  words->rule.add_to(verb);
  return [words] { return words->match.command(words->report.options(), words->rule); };
}

Asked declare_code(CLI::App& verb) {
  struct Words {
    std::vector<std::string> paths;
    RuleArguments rule;
    CodeArguments code;
  };
  const auto words = std::make_shared<Words>();
  words->rule.take_words(verb, words->paths);
  words->code.add_to(verb);
  return [words] { return words->code.command(words->paths, words->rule); };
}

}  // namespace ddtscope::reporters
