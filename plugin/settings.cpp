// Reading DDTSCOPE_* variables. A value that makes no sense is reported once and the default stays.
#include "plugin/settings.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace ddtscope::plugin {
namespace {

std::string_view value_of(const char* name) {
  // secure_getenv: in a set-uid program the caller's variables are not to be trusted.
  const char* value = secure_getenv(name);
  return value ? std::string_view(value) : std::string_view();
}

}  // namespace

Settings Settings::from_environment() {
  Settings settings;
  const auto complain = [&](const char* name, std::string_view value, const char* wanted) {
    settings.problem = std::string(name) + "=" + std::string(value) + " is not " + wanted + "; the default is used";
  };
  const auto flag = [&](const char* name, bool& target) {
    const std::string_view value = value_of(name);
    if (value == "1") {
      target = true;
    } else if (!value.empty() && value != "0") {
      complain(name, value, "0 or 1");
    }
  };
  settings.output = value_of("DDTSCOPE_OUTPUT");
  settings.job = value_of("DDTSCOPE_JOB");
  flag("DDTSCOPE_VERIFY", settings.verify);
  flag("DDTSCOPE_MPI_T", settings.control_variables);
  flag("DDTSCOPE_QUIET", settings.quiet);
  if (const std::string_view value = value_of("DDTSCOPE_STACK"); !value.empty()) {
    int depth = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), depth);
    if (error == std::errc() && end == value.data() + value.size() && depth >= 0) {
      settings.stack_depth = depth;
    } else {
      complain("DDTSCOPE_STACK", value, "a number of frames");
    }
  }
  if (const std::string_view value = value_of("DDTSCOPE_LOG"); !value.empty()) {
    if (value == "file") {
      settings.log = LogTarget::file;
    } else if (value == "stderr") {
      settings.log = LogTarget::standard_error;
    } else {
      complain("DDTSCOPE_LOG", value, "file or stderr");
    }
  }
  if (settings.quiet && settings.log == LogTarget::default_line) settings.log = LogTarget::none;
  settings.log_level = value_of("DDTSCOPE_LOG_LEVEL");
  return settings;
}

}  // namespace ddtscope::plugin
