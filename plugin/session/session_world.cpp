// What the ranks of a world agree on when it begins: folder, job, and whether their traces are joined in the end.
#include <limits.h>

#include <cerrno>
#include <cstdio>
#include <optional>
#include <string>

#include "plugin/base/process.h"
#include "plugin/library/launched_world.h"
#include "plugin/session/output_folder.h"
#include "plugin/session/parent_trace.h"
#include "plugin/session/session.h"

namespace ddtscope::plugin {

/// What rank 0 decides for all, and what any rank objects to: each sends its own, and all get the bits of all. Where
/// another rank than 0 has nothing to say there are zeros.
struct Session::Decision {
  char folder[PATH_MAX];
  char job[256];
  int merge_patience_s;      // 0: the ranks' traces stay apart
  std::int64_t world;        // 0: the first
  std::int64_t spawned_by;   // where it is not the first
  std::int64_t stays_apart;  // why some rank cannot join its trace with the others'; 0: all can
};

namespace {
constexpr std::int64_t has_no_memory = 1, has_sessions_trace = 2;
}

/// Collective over the world.
void Session::agree(Decision& decision, MPI_Comm communicator, int size) {
  if (size == 1) return;
  const Decision own = decision;
  mpi_.Allreduce(&own, &decision, sizeof own, *predefined_handle("MPI_BYTE"), *predefined_operation("MPI_BOR"),
                 communicator);
}

/// Where all ranks meet: each comes by everything in here that is collective, whatever it lacks itself.
bool Session::start_world() {
  const MPI_Comm communicator = world_communicator();
  mpi_.Comm_rank(communicator, &rank_);
  mpi_.Comm_size(communicator, &size_);
  Decision decision{};
  if (rank_ == 0 && has_settings_) decide(decision, notice_);
  // All ranks or none: nobody shall wait in the end for one that was never able to answer.
  decision.stays_apart = merge_.reserve(mpi_, rank_, size_) ? 0 : has_no_memory;
  agree(decision, communicator, size_);
  if (decision.folder[0] == '\0') {
    if (rank_ == 0) say_once(notice_.empty() ? "no trace is written: no memory" : notice_.c_str(), "");
    return false;
  }
  merge_patience_s_ = decision.merge_patience_s;
  if (merge_patience_s_ == 0 || decision.stays_apart != 0) {
    merge_.give_up((decision.stays_apart & has_no_memory) != 0 ? "a rank had no memory when it began"
                                                               : "a process opened an MPI session before MPI_Init");
  } else {
    merge_.begin(merge_patience_s_);
  }
  if (merge_patience_s_ > 0) merging_ = this;
  watch_finalize();
  if (decision.world != 0) {
    world_ = {decision.world};
    spawned_by_ = WorldNumber{decision.spawned_by};
  }
  folder_ = decision.folder;
  job_ = decision.job;
  return true;
}

/// MPI_Init in a process whose trace is that of the sessions that it opened before: it stays that, a trace without a
/// rank. The others meet all the same.
void Session::meet_world() noexcept {
  const MPI_Comm communicator = world_communicator();
  int rank = 0;
  int size = 1;
  mpi_.Comm_rank(communicator, &rank);
  mpi_.Comm_size(communicator, &size);
  Decision decision{};
  decision.stays_apart = has_sessions_trace;
  if (rank == 0) {
    std::snprintf(decision.folder, sizeof decision.folder, "%s", folder_.c_str());
    std::snprintf(decision.job, sizeof decision.job, "%s", job_.c_str());
  }
  agree(decision, communicator, size);
}

void Session::decide(Decision& decision, std::string& notice) noexcept {
  try {
    decision.merge_patience_s = settings_.merge ? settings_.merge_patience_s : 0;
    if (decide_beside_parent(decision)) return;
    job_ = settings_.job.empty() ? new_job_id() : settings_.job;
    OutputFolder folder = make_output_folder(settings_.output, file_name(program_path()), job_, Claim::whole_job);
    // This rank's file is the claim: of two jobs that start at once, one makes it.
    if (!folder.path.empty() && !writer_.create(folder.path + "/rank-0.jsonl") && errno == EEXIST) {
      folder = make_output_folder(folder.path, file_name(program_path()), job_, Claim::whole_job);
    }
    notice = folder.notice;
    std::snprintf(decision.folder, sizeof decision.folder, "%s", folder.path.c_str());
    std::snprintf(decision.job, sizeof decision.job, "%s", job_.c_str());
  } catch (...) {
    decision.folder[0] = '\0';
    notice.clear();
  }
}

/// A spawned world is of its parent's job, if that has a trace that is found and takes the world's files.
bool Session::decide_beside_parent(Decision& decision) {
  const LaunchedWorld launched = launched_world();
  if (launched.parent.empty()) return false;
  const std::optional<ParentTrace> parent = find_parent_trace(launched, settings_.output);
  if (!parent || !writer_.create(parent->folder + "/" + file_stem_of({launched.number, 0}) + ".jsonl")) return false;
  std::snprintf(decision.folder, sizeof decision.folder, "%s", parent->folder.c_str());
  std::snprintf(decision.job, sizeof decision.job, "%s", parent->job.c_str());
  decision.world = launched.number.value;
  decision.spawned_by = parent->world.value;
  return true;
}

void Session::watch_finalize() {
  // The attributes of MPI_COMM_SELF are deleted first in MPI_Finalize, the youngest first (MPI-4.1 11.2.4): this one,
  // set before any of the program's, is deleted after the callbacks in which libraries free their types, and
  // while all other processes still wait. After MPI_Finalize it may be too late: a launcher may end what is
  // left of a job as soon as one process fails.
  int keyval = MPI_KEYVAL_INVALID;
  const auto deleted = [](MPI_Comm, int, void*, void*) -> int {
    Session::end_user_phase();
    return MPI_SUCCESS;
  };
  const auto copied_nowhere = [](MPI_Comm, int, void*, void*, void*, int* flag) -> int {
    *flag = 0;
    return MPI_SUCCESS;
  };
  if (mpi_.Comm_create_keyval(copied_nowhere, deleted, &keyval, nullptr) == MPI_SUCCESS) {
    mpi_.Comm_set_attr(self_communicator(), keyval, nullptr);
  }
}

}  // namespace ddtscope::plugin
