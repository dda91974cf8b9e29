// What a call of a collective operation is recorded by: before the library gets it.
#pragma once

#include <mpi.h>

#include "plugin/session/session.h"

namespace ddtscope::plugin {

/// One call, on its way through a wrapper; nothing where its row says that it is not collective.
class CollectiveOfCall {
 public:
  CollectiveOfCall(Session& session, const UsingCall& call) : session_(session), call_(call) {
    const UseRow& row = call.arguments.row;
    Messages* const messages = session.messages();
    collectives_ = session.collectives();
    if (!row.collective.any() || collectives_ == nullptr || messages == nullptr) return;
    const bool is_shown = session.in_flight() != nullptr && row.uses.request < 0;
    session.guarded([&](Registry&) {
      placed_ = collectives_->begin(call_, [&] {
        if (is_shown) shown_ = messages->begin_collective(call_);
      });
    });
  }
  CollectiveOfCall(const CollectiveOfCall&) = delete;
  CollectiveOfCall& operator=(const CollectiveOfCall&) = delete;

  /// Where others see it while it is under way.
  const PlaceInFlight& shown() const { return shown_; }
  /// The library has returned, and the types are known. What was too long has been received; a file that could not be
  /// opened was tried to be, as "open, else create" does.
  void end(int status) {
    if (placed_.state == Collectives::Placed::State::nowhere) return;
    if (status == MPI_SUCCESS || session_.is_truncated(status) || session_.is_of_file(status)) {
      session_.guarded([&](Registry&) { collectives_->end(call_, placed_); });
      return;
    }
    using Failure = Collectives::Failure;
    const Failure failure = session_.is_refusal(status) ? Failure::refused : Failure::in_between;
    session_.guarded([&](Registry&) { collectives_->failed(placed_, failure); });
  }

 private:
  Session& session_;
  const UsingCall call_;
  Collectives* collectives_ = nullptr;  // another thread may stop them meanwhile
  Collectives::Placed placed_;
  PlaceInFlight shown_;
};

/// Positions, from 0, of the arguments of a collective function without datatypes; -1 where there is none.
struct CollectiveArguments {
  std::int8_t communicator = -1;
  std::int8_t started = -1;  // the request that the call starts
  std::int8_t made = -1;     // the persistent request that it makes
};

/// The row of such a function.
consteval UseRow collective_row(const CollectiveArguments& arguments) {
  UseRow row;
  row.collective.communicator = arguments.communicator;
  row.uses.request = arguments.made;
  if (arguments.started >= 0) {
    row.lasts = Lasts::request;
    row.holder = arguments.started;
  }
  return row;
}

}  // namespace ddtscope::plugin
