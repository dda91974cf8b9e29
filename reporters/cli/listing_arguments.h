// What `types` and `uses` take on the command line beside the trace.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>

#include "reporters/cli/verbs.h"

namespace ddtscope::reporters {

class TypesArguments {
 public:
  void add_to(CLI::App& verb);
  TypesOptions options(const ReportOptions& report) const;

 private:
  std::string group_by_, sort_ = "id";
};

class UsesArguments {
 public:
  void add_to(CLI::App& verb);
  UsesOptions options(const ReportOptions& report) const;

 private:
  std::string by_ = "bytes", filter_;
  std::uint64_t epoch_ = 0;  // 0: not given
  bool csv_ = false;
  const CLI::Option* json_ = nullptr;
};

}  // namespace ddtscope::reporters
