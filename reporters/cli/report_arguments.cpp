#include "reporters/cli/report_arguments.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "reporters/json/json_format.h"
#include "reporters/text/report.h"

namespace ddtscope::reporters {

void take_traces(CLI::App& verb, std::vector<std::string>& words) {
  verb.add_option("TRACE", words, "the trace's folder, or its files")->required();
}

void take_one_each_time(CLI::Option& option) { option.expected(1)->take_all()->allow_extra_args(false); }

void ReportArguments::add_to(CLI::App& verb) {
  verb.add_flag("--json", json, "print JSON instead of text");
  verb.add_option("--color", colour, "auto (the default), always or never; NO_COLOR is honoured")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  verb.add_flag("--wide", is_wide, "lines as long as they are, also where the terminal is not so wide");
  verb.add_flag("--no-pager", has_no_pager,
                "no pager (DDTSCOPE_PAGER, PAGER or less) for what is longer than the screen");
}

ReportOptions ReportArguments::options() const {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool wanted = (no_colour == nullptr || *no_colour == '\0') &&
                      !(terminal != nullptr && std::strcmp(terminal, "dumb") == 0) && isatty(STDOUT_FILENO) == 1;
  const bool coloured = colour == "always" || (colour == "auto" && wanted);
  ReportOptions options{
      {paths.begin(), paths.end()},
      {},
      {is_wide || json ? Fit::none : Fit::to_terminal, has_no_pager ? Paging::none : Paging::when_long}};
  if (json) {
    options.format = std::make_shared<JsonFormat>();
  } else {
    options.format = std::make_shared<TextFormat>(Style(coloured ? Colour::always : Colour::never));
  }
  return options;
}

}  // namespace ddtscope::reporters
