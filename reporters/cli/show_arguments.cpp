// What `show` takes.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "reporters/cli/report_arguments.h"
#include "reporters/cli/type_arguments.h"
#include "reporters/cli/verb_arguments.h"
#include "reporters/text/picture.h"
#include "reporters/trace/format/number_of_text.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t default_typemap_entries = 1000;

struct ShowArguments {
  ReportArguments report;
  RuleArguments rule;
  ArrayArguments array;
  std::string view, typemap, count;
  bool bnf = false, source = false;

  void add_to(CLI::App& verb) {
    report.add_to(verb);
    rule.take_words(verb, report.paths);
    verb.add_option("--view", view, "rows, grid, runs or tree, instead of what suits the type")
        ->check(CLI::IsMember({"rows", "grid", "runs", "tree"}));
    typemap_ = verb.add_option("--typemap", typemap, "the first N entries of the typemap (1000)")
                   ->type_name("N")
                   ->expected(0, 1);
    count_ = verb.add_option("--count", count, "how much memory N copies need, and from where")->type_name("N");
    verb.add_flag("--bnf", bnf, "spell the type in the print syntax of 1995 too");
    array.add_to(verb);
    verb.add_flag("--source", source,
                  "beside the struct of the program that it stands for, member by member (needs -g)");
  }

  Command command() {
    ShowVerbOptions options;
    for (const std::string& wrong : {rule.take_type("show", report.paths, options.type), take_numbers(options)}) {
      if (!wrong.empty()) return usage(wrong);
    }
    options.rule = rule.rule();
    options.report = report.options();
    options.view = view_of_text(view);
    if (bnf) options.syntax = Syntax::bnf;
    auto drawn = array.value();
    if (const auto* problem = std::get_if<std::string>(&drawn)) return usage(*problem);
    options.array = std::move(std::get<0>(drawn));
    if (source && options.report.traces.empty()) return usage("--source is of a type of a trace: its program tells.");
    options.with_source = source;
    return options;
  }

 private:
  /// What is wrong with --typemap or --count, where something is.
  std::string take_numbers(ShowVerbOptions& options) const {
    if (typemap_->count() != 0) {
      options.typemap_entries =
          typemap.empty() ? std::optional(default_typemap_entries) : number_of_text<std::size_t>(typemap);
      if (!options.typemap_entries) return "--typemap takes a number of entries, but \"" + typemap + "\" is none.";
    }
    if (count_->count() == 0) return {};
    options.count = number_of_text<std::int64_t>(count);
    const bool is_right = options.count && *options.count >= 0;
    return is_right ? "" : "--count takes a number of copies, but \"" + count + "\" is none.";
  }

  CLI::Option* typemap_ = nullptr;
  CLI::Option* count_ = nullptr;
};

}  // namespace

Asked declare_show(CLI::App& verb) {
  const auto show = std::make_shared<ShowArguments>();
  show->add_to(verb);
  return [show] { return show->command(); };
}

}  // namespace ddtscope::reporters
