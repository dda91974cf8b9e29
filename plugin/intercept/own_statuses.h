// The statuses of a call that completes requests, where one of these is a receive whose status alone says what it has
// got: where the program wants none, the plugin's own.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "plugin/intercept/wanted_status.h"
#include "plugin/session/session.h"

namespace ddtscope::plugin {

class OwnStatuses {
 public:
  OwnStatuses(Session& session, Messages& messages) : session_(session), messages_(messages) {}

  /// What is passed on in place of the program's `statuses`, of which there are `count`. Under guarded(): where there
  /// is no memory, it is what the program has passed, and nothing will be told.
  template <class Requests>
  std::intptr_t begin(const Requests& requests, std::intptr_t statuses, std::size_t count) {
    for (std::size_t i = 0; i < requests.size() && !is_awaited_; ++i) is_awaited_ = messages_.awaits(requests[i]);
    if (!is_awaited_) return statuses;
    last_ = messages_.last_awaited();
    if (!wants_no_status(statuses)) {
      told_ = reinterpret_cast<const MPI_Status*>(statuses);
      return statuses;
    }
    if (count == 0) return statuses;
    own_ = std::make_unique<MPI_Status[]>(count);
    told_ = own_.get();
    return reinterpret_cast<std::intptr_t>(told_);
  }
  /// Whether one of the requests is such a receive.
  bool is_awaited() const { return is_awaited_; }

  /// A request is complete, as the status number `which` tells.
  void completed(const Holder& request, std::size_t which) {
    if (told_ == nullptr) return lost(request);
    const MPI_Status& status = told_[which];
    ReceivedMessage message{status.MPI_SOURCE, status.MPI_TAG};
    if (session_.is_cancelled(status)) message.outcome = ReceivedMessage::Outcome::cancelled;
    messages_.completed(request, message, last_);
  }
  /// Nobody can say what became of it.
  void lost(const Holder& request) { messages_.lost(request, last_); }
  /// The same as completed(), where some have failed.
  void completed_or_failed(const Holder& request, std::size_t which) {
    if (told_ == nullptr) return lost(request);
    failed(request, which, told_[which].MPI_ERROR);
  }
  /// Of one of which the call's own result says so.
  void failed(const Holder& request, std::size_t which, int error) {
    if (error == MPI_ERR_PENDING) return;  // it goes on
    // What was too long for its buffer has been received.
    const bool is_received = told_ != nullptr && (error == MPI_SUCCESS || session_.is_truncated(error));
    is_received ? completed(request, which) : lost(request);
  }

 private:
  Session& session_;
  Messages& messages_;
  bool is_awaited_ = false;
  std::uint64_t last_ = 0;
  const MPI_Status* told_ = nullptr;
  std::unique_ptr<MPI_Status[]> own_;
};

}  // namespace ddtscope::plugin
