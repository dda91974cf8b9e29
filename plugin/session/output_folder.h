// Where a job's trace goes: one folder per job, never another job's.
#pragma once

#include <string>

namespace ddtscope::plugin {

struct OutputFolder {
  std::string path;    // absolute; empty where none could be made
  std::string notice;  // what the user must know: another folder was taken, or why there is none
};

/// Who asks: the one process that decides for a job that has written nothing yet, or each process by itself,
/// when others of the same job may have begun.
enum class Claim { whole_job, one_of_many };

/// Makes the folder. `wanted` is taken as it is unless it holds another job's trace: then `wanted`-`job`.
/// Empty: ddtscope-<program>-<job> in the current folder. Slashes of `job` become underscores there.
OutputFolder make_output_folder(const std::string& wanted, const std::string& program, const std::string& job,
                                Claim claim);

/// The same folder, named from the root on, without slashes at its end.
std::string absolute_folder(const std::string& path);

/// The path as a shell takes it: in quotes where it must be.
std::string shell_word(const std::string& path);

/// Makes a folder and its parents, as far as they do not exist; errno says why where false.
bool make_folder(const std::string& path);

}  // namespace ddtscope::plugin
