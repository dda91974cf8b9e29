// What others see of a call while it is under way, and of what it has started (plugin/in_flight).
#pragma once

#include <mpi.h>

#include <cstdint>

#include "plugin/in_flight/pending_file.h"
#include "plugin/library/library.h"
#include "plugin/session/session.h"

namespace ddtscope::plugin {

/// Of one that sends and receives nothing more is said than that it is there.
inline void show_started(PendingFile& file, std::intptr_t request, const PlacesInFlight& places) {
  if (request == 0) return;
  const bool is_one = places[1].operation == trace::pending_none;
  const PlaceInFlight place = is_one ? places[0] : PlaceInFlight{.operation = places[0].operation};
  file.start(handle_in_memory(reinterpret_cast<const void*>(request), 0, sizeof(MPI_Request)), place);
}

/// A message that was placed as one of lately: its place is this thread's last one. In few words that stay in
/// registers.
template <const UseRow& row>
class MessageInFlight {
 public:
  static constexpr bool is_started = row.lasts == Lasts::request;
  [[gnu::always_inline]] explicit MessageInFlight(PendingFile* file)
      : file_(file),
        place_(places_in_flight[0]),
        is_shown_(file != nullptr && place_.operation != trace::pending_none) {}

  [[gnu::always_inline]] void enter() const {
    if (!is_started && is_shown_) file_->enter(trace::PendingCall::message, {place_, {}});
  }
  [[gnu::always_inline]] void leave() const {
    if (!is_started && is_shown_) file_->leave();
  }
  /// It succeeded.
  [[gnu::always_inline]] void start(const std::intptr_t* arguments) const {
    if constexpr (is_started) {
      const std::intptr_t request = arguments[row.holder];
      if (!is_shown_ || request == 0) return;
      file_->start(handle_in_memory(reinterpret_cast<const void*>(request), 0, sizeof(MPI_Request)), place_);
    }
  }

 private:
  PendingFile* const file_;
  const PlaceInFlight place_;
  const bool is_shown_;
};

/// Any call that uses types, once its messages have begun.
class InFlight {
 public:
  /// `collective` is the place of a call that is collective.
  InFlight(Session& session, const UsingCall& call, const PlaceInFlight& collective)
      : session_(session), call_(call), file_(session.messages() != nullptr ? session.in_flight() : nullptr) {
    const UseRow& row = call.arguments.row;
    if (file_ == nullptr || row.uses.request >= 0) return;
    if (row.message.any()) {
      places_ = places_in_flight;
    } else if (row.collective.any()) {
      places_[0] = collective;
    }
  }
  /// Null where there is nothing to wait for.
  PendingFile* file() const { return call_.arguments.row.lasts == Lasts::call ? file_ : nullptr; }
  trace::PendingCall call() const {
    return call_.arguments.row.message.any() ? trace::PendingCall::message : trace::PendingCall::collective;
  }
  const PlacesInFlight& places() const { return places_; }
  /// The library has returned.
  void end(int status) const {
    if (file_ == nullptr || places_[0].operation == trace::pending_none) return;
    const UseRow& row = call_.arguments.row;
    if (status == MPI_SUCCESS) {
      if (row.lasts == Lasts::request) show_started(*file_, call_.arguments.words[row.holder], places_);
    } else if (Messages* const messages = session_.messages();
               messages != nullptr && !row.message.any() && !session_.is_of_file(status)) {
      session_.guarded([&](Registry&) { messages->collective_failed(places_[0]); });
    }
  }

 private:
  Session& session_;
  const UsingCall& call_;
  PendingFile* const file_;
  PlacesInFlight places_{};
};

}  // namespace ddtscope::plugin
