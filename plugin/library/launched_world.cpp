// The environment that launchers give to their processes.
#include "plugin/library/launched_world.h"

#include <cstdlib>
#include <optional>
#include <string_view>

#include "reporters/trace/format/number_of_text.h"

namespace ddtscope::plugin {
namespace {

/// What the launcher calls a world: its own name, and the world's number in it.
struct JobName {
  std::string launcher;
  std::uint32_t number = 0;
};

constexpr std::uint32_t low_half = 0xFFFF;

/// "57475074" (Open MPI 4): the launcher's own number and, in the lower 16 bits, that of the world.
/// "prterun-host-21462@2" (since Open MPI 5).
std::optional<JobName> job_name_of(std::string_view job) {
  if (const auto value = number_of_text<std::uint32_t>(job)) {
    return JobName{std::to_string(*value & ~low_half), *value & low_half};
  }
  const std::size_t at = job.rfind('@');
  if (at == job.npos || at == 0) return std::nullopt;
  const auto number = number_of_text<std::uint32_t>(job.substr(at + 1));
  return number ? std::optional(JobName{std::string(job.substr(0, at)), *number}) : std::nullopt;
}

}  // namespace

LaunchedWorld launched_by_open_mpi() {
  // In a set-uid program the caller's variables are not to be trusted.
  const auto variable = [](const char* name) {
    const char* value = secure_getenv(name);
    return std::string_view(value ? value : "");
  };
  LaunchedWorld world;
  world.job = variable("PMIX_NAMESPACE");
  const std::optional<JobName> own = job_name_of(world.job);
  // Of the parent "57475073.0:396780974": a process of it and a port. Since Open MPI 5 the upper half is a hash of the
  // launcher's name, the lower one is the world's number still.
  const std::string_view port = variable("OMPI_PARENT_PORT");
  const std::string_view process = port.substr(0, port.find('.'));
  const std::optional<std::uint32_t> by = number_of_text<std::uint32_t>(process);
  if (!own || !by) return world;
  const std::uint32_t parent_number = *by & low_half;
  const bool is_of_numbers = world.job.find('@') == world.job.npos;
  // Another job that such a process starts inherits its environment: it is the first of its launcher, or has another's
  // number.
  const bool is_of_same_launcher = !is_of_numbers || std::to_string(*by & ~low_half) == own->launcher;
  if (own->number > 1 && own->number != parent_number && is_of_same_launcher) {
    world.number = {own->number};
    world.parent = is_of_numbers ? std::string(process) : own->launcher + "@" + std::to_string(parent_number);
    world.parent_number = {parent_number};
  }
  return world;
}

bool is_first_by_launcher() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    if (const char* rank = secure_getenv(name)) return std::string_view(rank) == "0";
  }
  return true;
}

}  // namespace ddtscope::plugin
