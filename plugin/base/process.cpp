// What the operating system and the launcher say of this process.
#include "plugin/base/process.h"

#include <limits.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>

namespace ddtscope::plugin {

std::string program_path() {
  char buffer[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", buffer, sizeof buffer);
  return length > 0 ? std::string(buffer, static_cast<std::size_t>(length)) : std::string();
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::vector<std::string> program_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string argument; std::getline(file, argument, '\0');) arguments.push_back(argument);
  if (!arguments.empty()) arguments.erase(arguments.begin());
  return arguments;
}

std::string host_name() {
  char buffer[HOST_NAME_MAX + 1] = {};
  return gethostname(buffer, sizeof buffer - 1) == 0 ? buffer : "unknown";
}

using Clock = std::chrono::system_clock;

std::string utc_text(Clock::time_point time, const char* format) {
  const std::time_t seconds = Clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  std::strftime(text, sizeof text, format, &parts);
  return text;
}

std::string timestamp() {
  const Clock::time_point now = Clock::now();
  const auto part = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  char fraction[16];
  std::snprintf(fraction, sizeof fraction, ".%03dZ", static_cast<int>(part));
  return utc_text(now, "%Y-%m-%dT%H:%M:%S") + fraction;
}

/// Unique enough for a folder name, and sorted by time.
std::string new_job_id() { return utc_text(Clock::now(), "%Y%m%d-%H%M%S") + "-" + std::to_string(getpid()); }

/// In a process without MPI_COMM_WORLD nobody can be asked: the launcher's variables tell what all
/// processes of the job have in common.
std::string job_id_of_launcher() {
  const auto variable = [](const char* name) {
    const char* value = secure_getenv(name);
    return std::string(value ? value : "");
  };
  for (const char* name : {"PMIX_NAMESPACE", "PMI_JOBID", "PMI_ID_NAMESPACE"}) {
    if (std::string value = variable(name); !value.empty()) return value;
  }
  // A batch job may start several programs: each is a step of its own.
  const std::string step = variable("SLURM_STEP_ID");
  if (const std::string job = variable("SLURM_JOB_ID"); !job.empty() && !step.empty()) return job + "." + step;
  // Under a launcher without a name for the job, its processes on one host have the same parent.
  const bool launched = secure_getenv("PMI_RANK") || secure_getenv("PMIX_RANK");
  return host_name() + "-" + std::to_string(launched ? getppid() : getpid());
}

}  // namespace ddtscope::plugin
