// Reading DDTSCOPE_* variables. A value that makes no sense is reported once and the default stays.
#include "plugin/base/settings.h"

#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "reporters/trace/format/number_of_text.h"

namespace ddtscope::plugin {
namespace {

std::string_view value_of(const char* name) {
  // secure_getenv: in a set-uid program the caller's variables are not to be trusted.
  const char* value = secure_getenv(name);
  return value ? std::string_view(value) : std::string_view();
}

/// "100", "64K", "10M", "2G".
std::optional<std::uint64_t> bytes_of_text(std::string_view text) {
  int shift = 0;
  constexpr std::string_view units = "KMG";
  if (const std::size_t unit = text.empty() ? units.npos : units.find(text.back()); unit != units.npos) {
    shift = 10 * (static_cast<int>(unit) + 1);
    text.remove_suffix(1);
  }
  const auto value = number_of_text<std::uint64_t>(text);
  return value && *value <= UINT64_MAX >> shift ? std::optional(*value << shift) : std::nullopt;
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
    if (const auto depth = number_of_text<int>(value); depth && *depth >= 0) {
      settings.stack_depth = *depth;
    } else {
      complain("DDTSCOPE_STACK", value, "a number of frames");
    }
  }
  const auto limit = [&](const char* name, std::uint64_t& target) {
    const std::string_view value = value_of(name);
    if (value.empty()) return;
    if (const std::optional<std::uint64_t> bytes = bytes_of_text(value)) {
      target = *bytes;
    } else {
      complain(name, value, "a number of bytes, such as 100M");
    }
  };
  limit("DDTSCOPE_MAX_TRACE", settings.most_trace_bytes);
  limit("DDTSCOPE_MAX_MEMORY", settings.most_memory_bytes);
  const auto on_or_off = [&](const char* name, bool& target) {
    const std::string_view value = value_of(name);
    if (value == "off" || value == "0") {
      target = false;
    } else if (!value.empty() && value != "on" && value != "1") {
      complain(name, value, "on or off");
    }
  };
  on_or_off("DDTSCOPE_MERGE", settings.merge);
  on_or_off("DDTSCOPE_USES", settings.uses);
  if (const std::string_view value = value_of("DDTSCOPE_MERGE_TIMEOUT"); !value.empty()) {
    if (const auto seconds = number_of_text<int>(value); seconds && *seconds > 0) {
      settings.merge_patience_s = *seconds;
    } else {
      complain("DDTSCOPE_MERGE_TIMEOUT", value, "a number of seconds");
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
