// Work on many independent pieces, on two cores, with the results in order.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <future>
#include <mutex>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

namespace ddtscope::reporters {

inline constexpr std::size_t lanes = 2;

/// A thread that does every second piece, as many ahead of who takes the results as there may be.
template <class Work>
class SecondLane {
 public:
  using Result = std::invoke_result_t<Work&, std::size_t, std::size_t>;
  /// How many results of a lane may wait to be taken: pieces take different times.
  static constexpr std::size_t most_waiting = 4;

  /// `work` must outlive it.
  SecondLane(Work& work, std::size_t pieces) : work_(work), pieces_(pieces) {
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error&) {  // no thread can be had
    }
  }
  ~SecondLane() {
    {
      const std::lock_guard lock(mutex_);
      is_stopped_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  SecondLane(const SecondLane&) = delete;
  SecondLane& operator=(const SecondLane&) = delete;

  bool has_next() {
    const std::lock_guard lock(mutex_);
    return !results_.empty() && results_.front().wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  /// Of its next piece, which is waited for.
  Result next() {
    if (!thread_.joinable()) {
      const std::size_t piece = std::exchange(next_, next_ + lanes);
      return work_(1, piece);
    }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !results_.empty(); });
    std::future<Result> result = std::move(results_.front());
    results_.pop_front();
    lock.unlock();
    changed_.notify_all();
    return result.get();
  }

 private:
  void run() {
    for (; next_ < pieces_; next_ += lanes) {
      std::packaged_task<Result()> task([this] { return work_(1, next_); });
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return is_stopped_ || results_.size() < most_waiting; });
        if (is_stopped_) return;
        results_.push_back(task.get_future());
      }
      changed_.notify_all();
      task();
    }
  }

  Work& work_;
  const std::size_t pieces_;
  std::size_t next_ = 1;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::future<Result>> results_;
  bool is_stopped_ = false;
  std::thread thread_;
};

/// take(i, work(lane, i)) for each i < `pieces`, in this order. Piece i is of lane i % lanes, and of the calls of work
/// with the same lane, one ends before the next begins; take is called in the calling thread, alone, when pieces behind
/// this one may have been worked on. What is thrown comes out here.
template <class Work, class Take>
void ordered_parallel_for(std::size_t pieces, Work work, Take take) {
  if (pieces == 0) return;
  if (pieces == 1) return take(std::size_t{0}, work(0, 0));
  SecondLane<Work> second(work, pieces);
  std::deque<typename SecondLane<Work>::Result> own;
  std::size_t taken = 0;
  const auto take_own = [&] {
    take(taken++, std::move(own.front()));
    own.pop_front();
  };
  for (std::size_t piece = 0; taken < pieces;) {
    if (taken % lanes == 0 && !own.empty()) {
      take_own();
    } else if (taken % lanes == 1 && (second.has_next() || piece >= pieces || own.size() == second.most_waiting)) {
      take(taken, second.next());
      ++taken;
    } else {
      own.push_back(work(0, piece));
      piece += lanes;
    }
  }
}

}  // namespace ddtscope::reporters
