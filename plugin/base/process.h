// This process and its job: names, times, ids. Nothing of MPI.
#pragma once

#include <string>
#include <vector>

namespace ddtscope::plugin {

/// Path of the executable; empty where the system does not tell.
std::string program_path();
/// The last component of a path.
std::string file_name(const std::string& path);
/// What stands after the program's name on the command line.
std::vector<std::string> program_arguments();
std::string host_name();
/// The time now, ISO 8601 in UTC with milliseconds.
std::string timestamp();
/// For a job that one process decides about: unique enough for a folder name, and sorted by time.
std::string new_job_id();
/// For a process that has nobody to ask: what the launcher's variables say alike to all processes of a job.
std::string job_id_of_launcher();

}  // namespace ddtscope::plugin
