// Work that a second thread does ahead of the one that needs it, a few pieces at most.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace ddtscope {

template <class Piece, std::size_t most_ahead = 3>
class Prefetcher {
 public:
  /// make(piece) makes the next piece in a used one; false after the last. It is called by one thread at a time.
  explicit Prefetcher(std::function<bool(Piece&)> make) : make_(std::move(make)) {
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error&) {
      // Where no thread can be had, next() makes each.
    }
  }
  /// Waits for the piece that is being made.
  ~Prefetcher() {
    {
      const std::lock_guard lock(mutex_);
      is_stopped_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  /// Whether next() gives a piece without waiting for it to be made.
  bool has_next() {
    const std::lock_guard lock(mutex_);
    return made_ - taken_ > (is_given_ ? 1U : 0U);
  }
  /// The next piece, until the next call; null at the end. What make throws comes out here, after all that was made
  /// before.
  Piece* next() {
    if (!thread_.joinable()) {
      if (std::exchange(is_last_, true)) return nullptr;
      is_last_ = !make_(pieces_[0]);
      return pieces_.data();
    }
    std::unique_lock lock(mutex_);
    if (is_given_) {
      ++taken_;
      is_given_ = false;
      changed_.notify_all();
    }
    changed_.wait(lock, [this] { return made_ > taken_ || is_last_; });
    if (made_ > taken_) {
      is_given_ = true;
      return &pieces_[taken_ % pieces_.size()];
    }
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    return nullptr;
  }

 private:
  void run() {
    for (std::unique_lock lock(mutex_); !is_last_;) {
      changed_.wait(lock, [this] { return made_ - taken_ < pieces_.size() || is_stopped_; });
      if (is_stopped_) return;
      Piece& piece = pieces_[made_ % pieces_.size()];
      lock.unlock();
      bool is_last = true;
      std::exception_ptr failure;
      try {
        is_last = !make_(piece);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      is_last_ = is_last;
      failure_ = failure;
      if (!failure) ++made_;
      changed_.notify_all();
    }
  }

  std::function<bool(Piece&)> make_;
  std::array<Piece, most_ahead> pieces_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // How many pieces were made, and given back: piece n has the place n modulo their number.
  std::size_t made_ = 0, taken_ = 0;
  bool is_given_ = false;
  bool is_last_ = false;
  bool is_stopped_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace ddtscope
