// What is sent or received, and on which communicator, in words of findings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "reporters/model/job.h"

namespace ddtscope::reporters {

class DataWords {
 public:
  explicit DataWords(const Job& job) : job_(job), layouts_(job.store, job.observed_bounds) {}

  const std::string& name_of(PredefinedId id) const { return job_.store.predefined()[id].name; }
  /// "2 x T1 'particle' (MPI_INT, 2 x MPI_DOUBLE)"; "nothing" without a type.
  std::string data_of(std::optional<DefinitionId> type, std::uint64_t elements);
  /// "the communicator of MPI_Comm_dup"
  std::string communicator(CommunicatorIndex made) const {
    return "the communicator of " + std::string(job_.communicators[made.value].called);
  }

 private:
  std::string signature_of(DefinitionId type);

  const Job& job_;
  Layouts layouts_;
};

}  // namespace ddtscope::reporters
