// Joins the ranks' traces along a tree of processes, over messages of whatever kind. No rank waits for ever: one that
// hears nothing for too long gives up and says so to its neighbours, and then all traces stay as they are.
//
// The tree is binomial: rank r takes r + 1, r + 2, r + 4, ... below its own lowest bit, so that every subtree has
// ranks that follow each other. Records go up in pieces. A piece is sent only when the parent has asked for it, and it
// asks when it is ready to receive; it asks in messages of a byte, for which the child is ready as soon as it takes
// part. Whoever gives up waits a moment for its neighbours' last words, so that what is under way finds its end:
// nothing that is sent stays unmatched, but for some words to a rank that never comes or from one that comes too late.
// Then it receives nothing any more: some libraries complain of receives that are left over.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reporters/trace/reduce/merged_file.h"
#include "reporters/trace/reduce/rank_trace.h"
#include "reporters/trace/reduce/record_reduce.h"

namespace ddtscope::reduce {

/// Messages between ranks. Memory that is given stays in place until the request is completed. May throw NotReduced.
class Messages {
 public:
  using Request = std::size_t;
  virtual ~Messages() = default;
  /// Keeps memory for so many requests, beside those that are made.
  virtual void reserve(std::size_t requests) = 0;
  /// The next so many take it: they need none.
  virtual void use_reserve(std::size_t requests) = 0;
  virtual Request send(std::int64_t rank, int tag, const void* data, std::size_t bytes) = 0;
  virtual Request receive(std::int64_t rank, int tag, void* data, std::size_t bytes) = 0;
  /// Must not be asked again once it said so.
  virtual bool is_completed(Request request) = 0;
  /// Nothing is received any more. False where its memory must stay all the same.
  virtual bool cancel_receive(Request request) = 0;
  /// Seconds, from whatever moment on.
  virtual double now() = 0;
};

class TreeReduce {
 public:
  struct Options {
    std::int64_t rank = 0, ranks = 1;
    double patience = 60;  // seconds without any message
  };
  /// Takes the memory that it needs to tell its neighbours, in the end, that this rank cannot take part.
  TreeReduce(Messages& messages, const Options& options);
  ~TreeReduce();
  TreeReduce(const TreeReduce&) = delete;
  TreeReduce& operator=(const TreeReduce&) = delete;

  /// Another patience than the options': before it begins.
  void wait_at_most(double seconds) { options_.patience = seconds; }

  /// Takes part. `trace_file` is this rank's, empty where it has none; rank 0 makes the world's
  /// merged file in `folder`.
  void begin(const std::string& trace_file, const std::string& folder) noexcept;
  /// Does what can be done without waiting; false where that was nothing.
  bool step() noexcept;
  enum class Outcome : std::uint8_t {
    pending,
    merged,  // the merged file is whole
    apart,   // this rank's file is needed
  };
  Outcome outcome() const { return outcome_; }
  /// Why the traces stay apart, as far as this rank knows; empty otherwise.
  std::string_view reason() const { return reason_.data(); }
  /// Whether messages may still come into this object's memory: it must never be destroyed then.
  bool must_stay() const { return must_stay_; }

 private:
  class Child;
  struct Piece;
  /// Each child sends its parent exactly one: that it has sent all, or that it gave up.
  struct Notice {
    std::uint32_t gave_up = 0;
    char reason[252] = {};
  };

  void meet_neighbours();
  void open_traces(const std::string& trace_file, const std::string& folder);
  void expect_token();
  bool take_tokens();
  bool take_notices();
  bool take_pieces();
  bool produce();
  bool send_piece();
  void finish_reduce();
  void give_up(const char* reason) noexcept;
  void give_up_over(const std::exception& error) noexcept;
  void tell_parent();
  bool sends_are_completed();
  /// Requests at the beginning: a notice of each child, two tokens.
  std::size_t first_words() const { return children_.size() + 2; }
  /// A notice, a token for each child.
  std::size_t last_words() const { return children_.size() + 1; }
  bool end_in_peace();
  void stop_receiving();
  void check_patience();
  bool is_any_child_silent() const;
  bool waits_for_parent() const;
  double limit() const;
  std::int64_t silent_rank() const;

  enum class Stage : std::uint8_t { joining, waiting_for_end, telling, gave_up };

  Messages& messages_;
  Options options_;
  bool is_merged_file_whole_ = false;  // as far as this rank knows
  std::int64_t parent_ = -1;
  int height_ = 0;  // of the subtree
  Stage stage_ = Stage::joining;
  Outcome outcome_ = Outcome::pending;
  std::array<char, sizeof(Notice::reason)> reason_{};
  double last_progress_ = 0, gave_up_at_ = 0;
  bool must_stay_ = false;
  bool parent_has_ended_ = false;  // it will say nothing more

  std::unique_ptr<RankTrace> own_;
  std::vector<std::unique_ptr<Child>> children_;
  std::optional<RecordReduce> reduce_;
  std::unique_ptr<MergedFile> file_;  // at the root

  // To and from the parent.
  std::string out_;  // encoded, not yet sent
  bool all_produced_ = false;
  bool may_send_ = false;
  std::unique_ptr<Piece> piece_;
  std::optional<Messages::Request> piece_request_;
  Notice notice_;
  std::optional<Messages::Request> notice_request_;
  bool notice_is_sent_ = false;
  struct Token {
    char kind = 0;
    Messages::Request request = 0;
  };
  std::deque<Token> tokens_;  // those that may come
};

}  // namespace ddtscope::reduce
