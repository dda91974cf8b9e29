#include "reporters/trace/reduce/tree_reduce.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "reporters/trace/write/exception_text.h"

namespace ddtscope::reduce {
namespace {

// Tags.
constexpr int tag_piece = 1, tag_token = 2, tag_notice = 3;
// Tokens, from parent to child.
constexpr char token_send = 's', token_end = 'e', token_give_up = 'g';

constexpr std::size_t piece_bytes = std::size_t{64} << 10;
// What has come from all children and is not yet joined.
constexpr std::size_t most_waiting_bytes = std::size_t{64} << 20;
// Who stands higher waits longer, so that the rank that is next to the trouble is the one to tell of it.
constexpr double patience_of_a_level = 0.5;
constexpr double seconds_for_last_words = 1.0;

}  // namespace

struct TreeReduce::Piece {
  std::uint32_t bytes = 0;
  std::uint32_t is_last = 0;
  char data[piece_bytes];
};

/// The records of a subtree.
class TreeReduce::Child : public RecordSource {
 public:
  Child(Messages& messages, std::int64_t rank) : messages_(messages), rank_(rank) {}

  void expect_notice() { notice_request_ = messages_.receive(rank_, tag_notice, &notice_, sizeof notice_); }
  void begin() {
    piece_ = std::make_unique<Piece>();
    ask();
  }
  bool take_piece(std::size_t& waiting) {
    bool progress = false;
    if (piece_request_ && messages_.is_completed(*piece_request_)) {
      progress = true;
      piece_request_.reset();
      if (piece_->bytes > piece_bytes) throw NotReduced("what another rank sent is damaged");
      bytes_.append(piece_->data, piece_->bytes);
      is_last_ = piece_->is_last != 0;
    }
    waiting += bytes_.size() - taken_;
    if (!is_last_ && !piece_request_ && bytes_.size() - taken_ < wanted_) {
      ask();
      progress = true;
    }
    return progress;
  }
  /// The notice, once.
  const Notice* take_notice() {
    if (!notice_request_ || !messages_.is_completed(*notice_request_)) return nullptr;
    notice_request_.reset();
    return &notice_;
  }
  void tell(char token) {
    tokens_.push_back({token, 0});
    tokens_.back().request = messages_.send(rank_, tag_token, &tokens_.back().kind, 1);
  }
  /// Needs no memory but a request.
  void tell_give_up() {
    last_token_ = token_give_up;
    last_request_ = messages_.send(rank_, tag_token, &last_token_, 1);
  }
  bool sends_are_completed() {
    while (!tokens_.empty() && messages_.is_completed(tokens_.front().request)) tokens_.pop_front();
    if (last_request_ && messages_.is_completed(*last_request_)) last_request_.reset();
    return tokens_.empty() && !last_request_;
  }
  /// After it was told that this rank gave up: what it has sent, and its notice, which it always sends.
  bool has_said_all() {
    if (piece_request_ && messages_.is_completed(*piece_request_)) piece_request_.reset();
    return take_notice() != nullptr || !notice_request_;
  }
  /// False where something may still come.
  bool stop_receiving() {
    bool all = true;
    for (auto* request : {&piece_request_, &notice_request_}) {
      if (*request) all = messages_.cancel_receive(**request) && all;
      request->reset();
    }
    return all;
  }
  std::int64_t rank() const { return rank_; }
  bool is_silent() const { return notice_request_.has_value(); }

  State state() override {
    if (has_record_) return State::ready;
    std::string_view rest = std::string_view(bytes_).substr(taken_);
    const std::size_t before = rest.size();
    if (take_encoded(rest, record_)) {
      taken_ += before - rest.size();
      has_record_ = true;
      wanted_ = piece_bytes;
      return State::ready;
    }
    // What is left is the beginning of a record, however long.
    bytes_.erase(0, taken_);
    taken_ = 0;
    if (is_last_ && !bytes_.empty()) throw NotReduced("what another rank sent is damaged");
    wanted_ = bytes_.size() + piece_bytes;
    return is_last_ ? State::ended : State::waiting;
  }
  Record& head() override { return record_; }
  void pop() override { has_record_ = false; }

 private:
  void ask() {
    piece_request_ = messages_.receive(rank_, tag_piece, piece_.get(), sizeof *piece_);
    sends_are_completed();
    tell(token_send);
  }

  Messages& messages_;
  std::int64_t rank_;
  std::unique_ptr<Piece> piece_;
  std::optional<Messages::Request> piece_request_;
  Notice notice_;
  std::optional<Messages::Request> notice_request_;
  std::deque<Token> tokens_;  // being sent
  char last_token_ = 0;
  std::optional<Messages::Request> last_request_;
  std::string bytes_;
  std::size_t taken_ = 0;
  std::size_t wanted_ = piece_bytes;  // so many bytes should be there
  bool is_last_ = false;
  bool has_record_ = false;
  Record record_;
};

TreeReduce::TreeReduce(Messages& messages, const Options& options) : messages_(messages), options_(options) {
  const std::int64_t lowest_bit = options_.rank & -options_.rank;
  if (options_.rank != 0) parent_ = options_.rank - lowest_bit;
  for (std::int64_t step = 1; (options_.rank == 0 || step < lowest_bit) && options_.rank + step < options_.ranks;
       step *= 2) {
    children_.push_back(std::make_unique<Child>(messages_, options_.rank + step));
    ++height_;
  }
  messages_.reserve(first_words() + last_words());
}

TreeReduce::~TreeReduce() = default;

void TreeReduce::begin(const std::string& trace_file, const std::string& folder) noexcept {
  last_progress_ = messages_.now();
  try {
    meet_neighbours();
    open_traces(trace_file, folder);
  } catch (const std::exception& error) {
    give_up_over(error);
  }
}

/// What comes even from those that give up at once has a place.
void TreeReduce::meet_neighbours() {
  messages_.use_reserve(first_words());
  if (parent_ >= 0) {
    // The parent may ask and then give up.
    expect_token();
    expect_token();
  }
  for (const auto& child : children_) child->expect_notice();
}

void TreeReduce::open_traces(const std::string& trace_file, const std::string& folder) {
  if (parent_ >= 0) piece_ = std::make_unique<Piece>();
  for (const auto& child : children_) child->begin();
  if (trace_file.empty()) {
    char reason[sizeof(Notice::reason)];
    std::snprintf(reason, sizeof reason, "rank %lld has no trace, or none that is whole",
                  static_cast<long long>(options_.rank));
    give_up(reason);
    return;
  }
  own_ = std::make_unique<RankTrace>(trace_file);
  if (parent_ < 0)
    file_ = std::make_unique<MergedFile>(folder + "/" + merged_file_of(own_->world()), own_->header(), options_.ranks,
                                         MergedFile::Limits{});
  std::vector<RecordSource*> sources = {own_.get()};
  for (const auto& child : children_) sources.push_back(child.get());
  reduce_.emplace(std::move(sources));
}

bool TreeReduce::step() noexcept {
  if (outcome_ != Outcome::pending) return false;
  bool progress = false;
  try {
    progress = take_tokens();
    if (stage_ != Stage::gave_up) progress |= take_notices();
    if (stage_ == Stage::joining) {
      progress |= take_pieces();
      progress |= produce();
    }
    if (stage_ == Stage::joining || stage_ == Stage::waiting_for_end) progress |= send_piece();
    if (stage_ == Stage::telling && sends_are_completed() && !is_any_child_silent()) {
      outcome_ = Outcome::merged;
      return true;
    }
    if (stage_ != Stage::gave_up && progress) last_progress_ = messages_.now();
    if (stage_ != Stage::gave_up && !progress) check_patience();
  } catch (const std::exception& error) {
    give_up_over(error);
  }
  return stage_ == Stage::gave_up ? end_in_peace() : progress;
}

bool TreeReduce::end_in_peace() {
  bool all_said = true;
  try {
    all_said = sends_are_completed() && (parent_ < 0 || parent_has_ended_);
    for (const auto& child : children_) all_said = child->has_said_all() && all_said;
  } catch (const std::exception&) {  // nobody can be told
  }
  if (!all_said && messages_.now() - gave_up_at_ < seconds_for_last_words) return false;
  stop_receiving();
  // The merged file is there whoever was not to be told of it.
  outcome_ = is_merged_file_whole_ ? Outcome::merged : Outcome::apart;
  return true;
}

void TreeReduce::stop_receiving() {
  try {
    // What is sent to a rank that takes nothing stays, too.
    must_stay_ = !sends_are_completed();
    for (const auto& child : children_) must_stay_ = !child->stop_receiving() || must_stay_;
    for (const Token& token : tokens_) must_stay_ = !messages_.cancel_receive(token.request) || must_stay_;
  } catch (const std::exception&) {
    must_stay_ = true;
  }
}

void TreeReduce::expect_token() {
  Token& token = tokens_.emplace_back();
  token.request = messages_.receive(parent_, tag_token, &token.kind, 1);
}

bool TreeReduce::take_tokens() {
  bool progress = false;
  while (!tokens_.empty() && stage_ != Stage::telling && messages_.is_completed(tokens_.front().request)) {
    progress = true;
    const char kind = tokens_.front().kind;
    tokens_.pop_front();
    parent_has_ended_ = kind != token_send;
    if (kind == token_send) {
      may_send_ = true;
    } else if (stage_ == Stage::gave_up) {
      is_merged_file_whole_ = kind == token_end;
    } else if (kind == token_end) {
      is_merged_file_whole_ = true;
      stage_ = Stage::telling;
      for (const auto& child : children_) child->tell(token_end);
    } else {
      give_up("another rank gave up");
    }
  }
  return progress;
}

bool TreeReduce::take_notices() {
  bool progress = false;
  for (const auto& child : children_) {
    const Notice* notice = child->take_notice();
    if (notice == nullptr) continue;
    progress = true;
    if (notice->gave_up == 0) continue;
    give_up(notice->reason);
    return true;
  }
  return progress;
}

bool TreeReduce::take_pieces() {
  bool progress = false;
  std::size_t waiting = 0;
  for (const auto& child : children_) progress |= child->take_piece(waiting);
  if (waiting > most_waiting_bytes) throw NotReduced("the ranks' definitions are too long to be joined");
  return progress;
}

bool TreeReduce::produce() {
  bool progress = false;
  Record record;
  while (!all_produced_ && (file_ || out_.size() < 2 * piece_bytes)) {
    const RecordSource::State state = reduce_->next(record);
    if (state == RecordSource::State::waiting) break;
    progress = true;
    if (state == RecordSource::State::ended) {
      all_produced_ = true;
      if (file_) finish_reduce();
    } else if (file_) {
      file_->add(record);
    } else {
      append_encoded(out_, record);
    }
  }
  return progress;
}

void TreeReduce::finish_reduce() {
  file_->finish();
  is_merged_file_whole_ = true;
  file_.reset();
  stage_ = Stage::telling;
  for (const auto& child : children_) child->tell(token_end);
}

bool TreeReduce::send_piece() {
  bool progress = false;
  if (piece_request_ && messages_.is_completed(*piece_request_)) {
    piece_request_.reset();
    progress = true;
  }
  const bool is_enough = out_.size() >= piece_bytes || all_produced_;
  if (stage_ == Stage::joining && parent_ >= 0 && may_send_ && !piece_request_ && is_enough) {
    const std::size_t bytes = std::min(out_.size(), piece_bytes);
    piece_->bytes = static_cast<std::uint32_t>(bytes);
    piece_->is_last = all_produced_ && bytes == out_.size() ? 1 : 0;
    std::memcpy(piece_->data, out_.data(), bytes);
    out_.erase(0, bytes);
    may_send_ = false;
    if (piece_->is_last == 0) expect_token();
    piece_request_ = messages_.send(parent_, tag_piece, piece_.get(), offsetof(Piece, data) + bytes);
    if (piece_->is_last != 0) {
      stage_ = Stage::waiting_for_end;
      tell_parent();
    }
    progress = true;
  }
  return progress;
}

void TreeReduce::tell_parent() {
  if (parent_ < 0 || notice_request_) return;
  notice_.gave_up = stage_ == Stage::gave_up ? 1 : 0;
  std::memcpy(notice_.reason, reason_.data(), reason_.size());
  notice_request_ = messages_.send(parent_, tag_notice, &notice_, sizeof notice_);
}

/// Needs no memory.
void TreeReduce::give_up(const char* reason) noexcept {
  if (stage_ == Stage::gave_up) return;
  stage_ = Stage::gave_up;
  std::snprintf(reason_.data(), reason_.size(), "%.*s", static_cast<int>(reason_.size()) - 1, reason);
  file_.reset();
  messages_.use_reserve(last_words());
  try {
    gave_up_at_ = messages_.now();
    tell_parent();
    for (const auto& child : children_) child->tell_give_up();
  } catch (const std::exception&) {
    // Whoever hears nothing gives up by itself.
  }
}

void TreeReduce::give_up_over(const std::exception& error) noexcept {
  char reason[sizeof(Notice::reason)];
  std::snprintf(reason, sizeof reason, "rank %lld: %s", static_cast<long long>(options_.rank), trace::text_of(error));
  give_up(reason);
}

bool TreeReduce::sends_are_completed() {
  bool all = true;
  for (const auto& child : children_) all = child->sends_are_completed() && all;
  if (stage_ != Stage::gave_up && piece_request_) {
    if (messages_.is_completed(*piece_request_)) piece_request_.reset();
    all = all && !piece_request_;
  }
  if (notice_request_ && !notice_is_sent_) notice_is_sent_ = messages_.is_completed(*notice_request_);
  return all && (!notice_request_ || notice_is_sent_);
}

bool TreeReduce::is_any_child_silent() const {
  return std::any_of(children_.begin(), children_.end(), [](const auto& child) { return child->is_silent(); });
}

/// Else for its children.
bool TreeReduce::waits_for_parent() const {
  return parent_ >= 0 && (stage_ == Stage::waiting_for_end || all_produced_ || out_.size() >= 2 * piece_bytes);
}

double TreeReduce::limit() const {
  // The parent may be waiting for ranks that this one does not know of.
  int level = height_;
  if (waits_for_parent()) {
    level = 1;
    for (std::int64_t ranks = 1; ranks < options_.ranks; ranks *= 2) ++level;
  }
  return options_.patience + level * patience_of_a_level;
}

void TreeReduce::check_patience() {
  if (messages_.now() - last_progress_ <= limit()) return;
  char reason[sizeof(Notice::reason)];
  std::snprintf(reason, sizeof reason, "rank %lld was not heard of for %ld seconds",
                static_cast<long long>(silent_rank()), static_cast<long>(options_.patience));
  give_up(reason);
}

std::int64_t TreeReduce::silent_rank() const {
  if (!waits_for_parent()) {
    for (const auto& child : children_) {
      if (child->is_silent() && child->state() == RecordSource::State::waiting) return child->rank();
    }
  }
  return parent_;
}

}  // namespace ddtscope::reduce
