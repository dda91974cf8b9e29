// What a call of a collective operation is recorded by: before the library gets it.
#pragma once

#include <mpi.h>

#include "plugin/session/session.h"

namespace ddtscope::plugin {

/// One call, on its way through a wrapper; nothing where its row says that it is not collective.
class CollectiveOfCall {
 public:
  CollectiveOfCall(Session& session, const UsingCall& call) : session_(session), call_(call) {
    if (!call.arguments.row.collective.any() || session.collectives() == nullptr) return;
    session.guarded([&](Registry&) { placed_ = session.collectives()->begin(call_); });
  }
  CollectiveOfCall(const CollectiveOfCall&) = delete;
  CollectiveOfCall& operator=(const CollectiveOfCall&) = delete;

  /// The library has returned, and the types are known. What was too long has been received.
  void end(int status) {
    if (placed_.state == Collectives::Placed::State::nowhere || session_.collectives() == nullptr) return;
    const bool has_failed = status != MPI_SUCCESS && !session_.is_truncated(status);
    session_.guarded([&](Registry&) {
      has_failed ? session_.collectives()->failed(placed_) : session_.collectives()->end(call_, placed_);
    });
  }

 private:
  Session& session_;
  const UsingCall call_;
  Collectives::Placed placed_;
};

/// The row of a function without datatypes whose communicator stands there.
consteval UseRow collective_row(std::int8_t communicator) {
  UseRow row;
  row.collective.communicator = communicator;
  return row;
}

}  // namespace ddtscope::plugin
