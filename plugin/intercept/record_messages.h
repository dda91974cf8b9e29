// What a call sends and receives: recorded before the library gets it, and where only its status tells what it has
// received, after.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "plugin/intercept/record_pending.h"
#include "plugin/intercept/wanted_status.h"
#include "plugin/session/session.h"

namespace ddtscope::plugin {

/// The messages of one call, on its way through a wrapper.
class MessagesOfCall {
 public:
  MessagesOfCall(Session& session, const UsingCall& call, const PlainUse& plain) : session_(session), call_(call) {
    Messages* const messages = session.messages();  // another thread may stop them
    if (!call.arguments.row.message.any() || messages == nullptr) return;
    session.guarded([&](Registry&) {
      begun_ = messages->begin(call, plain);
      is_begun_ = true;
    });
  }
  MessagesOfCall(const MessagesOfCall&) = delete;
  MessagesOfCall& operator=(const MessagesOfCall&) = delete;

  /// What is passed on of `count` arguments: where only a status tells and the program wants none, one of the plugin's
  /// in its place.
  const std::intptr_t* arguments(const std::intptr_t* words, std::size_t count) {
    const std::int8_t position = call_.arguments.row.status;
    if (!is_begun_ || position < 0 || !is_wildcard()) [[likely]]
      return words;
    status_ = reinterpret_cast<const MPI_Status*>(words[position]);
    if (!wants_no_status(words[position])) return words;
    std::copy(words, words + count, words_.begin());
    words_[static_cast<std::size_t>(position)] = reinterpret_cast<std::intptr_t>(&own_status_);
    status_ = &own_status_;
    return words_.data();
  }
  /// The library has returned, and the types are known.
  void end(const ProgramCall& came, int status) {
    Messages* const messages = session_.messages();
    if (!is_begun_ || messages == nullptr) return;
    session_.guarded([&](Registry&) { end(*messages, came, status); });
  }

 private:
  bool is_wildcard() const {
    using State = Messages::Placed::State;
    return std::any_of(begun_.begin(), begun_.end(), [](const Messages::Placed& placed) {
      return placed.state == State::unknown || placed.state == State::left;  // which may turn out to be one
    });
  }
  void end(Messages& messages, const ProgramCall& came, int status) {
    const UseRow& row = call_.arguments.row;
    // One that was too long has been received.
    if (status != MPI_SUCCESS && !session_.is_truncated(status)) return messages.failed(begun_);
    if (row.uses.request >= 0) {
      const auto* const request = reinterpret_cast<const void*>(call_.arguments.words[row.uses.request]);
      if (request != nullptr) messages.made(call_, handle_in_memory(request, 0, sizeof(MPI_Request)));
      return;
    }
    messages.end(call_, begun_);
    for (const Messages::Placed& placed : begun_) {
      if (row.lasts == Lasts::request) {
        messages.wait_for(placed, holder_of(came, call_.arguments));
      } else if (status_ != nullptr) {
        messages.received(placed, {status_->MPI_SOURCE, status_->MPI_TAG});
      }
    }
  }

  Session& session_;
  const UsingCall call_;
  bool is_begun_ = false;
  Messages::Begun begun_ = {};
  const MPI_Status* status_ = nullptr;
  MPI_Status own_status_;
  std::array<std::intptr_t, 16> words_;
};

}  // namespace ddtscope::plugin
