#include "reporters/cli/listing_arguments.h"

#include <CLI/Validators.hpp>
#include <map>

namespace ddtscope::reporters {
namespace {

const std::map<std::string, TypesOrder> types_orders = {
    {"id", TypesOrder::id},     {"instances", TypesOrder::instances}, {"live", TypesOrder::live},
    {"size", TypesOrder::size}, {"extent", TypesOrder::extent},       {"blocks", TypesOrder::blocks}};
const std::map<std::string, UsesBy> uses_orders = {
    {"bytes", UsesBy::bytes}, {"calls", UsesBy::calls},       {"type", UsesBy::type},     {"site", UsesBy::site},
    {"pair", UsesBy::pair},   {"comm", UsesBy::communicator}, {"window", UsesBy::window}, {"file", UsesBy::file}};

}  // namespace

void TypesArguments::add_to(CLI::App& verb) {
  CLI::Option* const grouped =
      verb.add_option("--group-by", group_by_, "layout: types that are the same in memory together")
          ->check(CLI::IsMember({"layout"}));
  verb.add_option("--sort", sort_, "id (the default), or the most first: instances, live, size, extent or blocks")
      ->check(CLI::IsMember(&types_orders))
      ->type_name("BY")
      ->excludes(grouped);
}

TypesOptions TypesArguments::options(const ReportOptions& report) const {
  return {report, group_by_.empty() ? Grouping::none : Grouping::layout, types_orders.at(sort_)};
}

void UsesArguments::add_to(CLI::App& verb) {
  verb.add_option(
          "--by", by_,
          "in the order of bytes (the default) or calls; type or site: sums of each, in text; pair or comm: who sends "
          "how much to whom, and on which communicator; window: what one-sided calls do in each; file: what was "
          "read from and written to each file")
      ->check(CLI::IsMember(&uses_orders));
  verb.add_option("--filter", filter_,
                  "only those of a type, function, argument, file or module that is called so; with * and ?")
      ->type_name("PATTERN");
  verb.add_option("--epoch", epoch_,
                  "with --by window: draw the Nth epoch, not the first one with a conflict or an access")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  verb.add_flag("--csv", csv_, "comma-separated values, a line for each use")->excludes(verb.get_option("--json"));
  json_ = verb.get_option("--json");
}

UsesOptions UsesArguments::options(const ReportOptions& report) const {
  const UsesOutput of_report = json_->count() != 0 ? UsesOutput::json : UsesOutput::text;
  UsesOptions options{report, {uses_orders.at(by_), filter_}, csv_ ? UsesOutput::csv : of_report};
  if (epoch_ != 0) options.query.epoch = epoch_;
  if (csv_) options.report.presentation.fit = Fit::none;
  return options;
}

}  // namespace ddtscope::reporters
