#include "reporters/model/window_epochs.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "reporters/model/paired_operations.h"
#include "reporters/model/uses.h"

namespace ddtscope::reporters {
namespace {

/// Of requests' calls each has an end of its own: so many of one event are told one by one.
constexpr std::uint64_t most_told_apart = 1 << 16;

template <class Key>
std::uint32_t number_in(std::map<Key, std::uint32_t>& numbers, std::vector<const Key*>& all, Key key) {
  const auto [known, is_new] = numbers.try_emplace(std::move(key), static_cast<std::uint32_t>(all.size()));
  if (is_new) all.push_back(&known->first);
  return known->second;
}

/// Calls that are not complete at their target, with how many times they were made.
struct PendingKey {
  std::uint32_t shape = 0;
  std::int64_t displacement = 0, step = 0;
  std::uint64_t times = 1;
  friend auto operator<=>(const PendingKey&, const PendingKey&) = default;
};
struct PendingCalls {
  std::uint64_t count = 0;
  std::uint32_t since = 0;  // of those that write: how many of these were there before
};
/// What was done since the last synchronisation.
struct Pending {
  std::map<PendingKey, PendingCalls> calls;
  std::set<PendingKey> reads;  // of the calls
  std::uint32_t writes = 0;    // of the calls, too
  /// Those that only read and are back, with how many writes they may have met: the most of all of them.
  std::map<PendingKey, std::uint32_t> back;
};
using PendingAt = std::map<std::int64_t, Pending>;  // by target

/// All that decides what the next events mean.
struct State {
  bool has_fenced = false;
  PendingAt fenced, started, locked;
  std::optional<std::uint32_t> start;  // the group of the access epoch
  std::map<std::int64_t, bool> locks;  // targets; whether exclusive
  bool has_all = false;
  AccumulateOrdering ordering;
  template <class See>
  void each_with(const State& other, See see) {
    for (const auto& [own, others] :
         {std::pair{&fenced, &other.fenced}, std::pair{&started, &other.started}, std::pair{&locked, &other.locked}}) {
      for (auto& [target, pending] : *own) {
        for (auto& [key, calls] : pending.calls) see(calls.count, others->at(target).calls.at(key).count);
      }
    }
  }
};

bool alike(const Pending& a, const Pending& b) {
  return a.back == b.back &&
         std::equal(a.calls.begin(), a.calls.end(), b.calls.begin(), b.calls.end(), [](const auto& x, const auto& y) {
           return x.first == y.first && x.second.since == y.second.since &&
                  std::min<std::uint64_t>(x.second.count, 2) == std::min<std::uint64_t>(y.second.count, 2);
         });
}
bool alike(const PendingAt& a, const PendingAt& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
    return one.first == other.first && alike(one.second, other.second);
  });
}
/// Whether the same events give the same epochs: what was made twice is as good as what was made more often.
bool alike(const State& a, const State& b) {
  return a.has_fenced == b.has_fenced && a.start == b.start && a.locks == b.locks && a.has_all == b.has_all &&
         a.ordering == b.ordering && alike(a.fenced, b.fenced) && alike(a.started, b.started) &&
         alike(a.locked, b.locked);
}

/// Elements of a sequence, one event after the other, loops as often as it takes until they change nothing more.
class EpochWalk {
 public:
  EpochWalk(const Job& job, EpochContents& contents, std::uint64_t& steps)
      : job_(job), contents_(contents), steps_(steps) {}

  WindowEpochs take(std::span<const SequenceElement> elements, std::uint64_t length) {
    note_targets(elements);
    left_ = length;
    walk(elements);
    finish();
    for (auto& [key, stream] : streams_) told_.streams.push_back(std::move(stream));
    return std::move(told_);
  }

 private:
  using Marks = std::map<std::pair<EpochMode, std::int64_t>, std::size_t>;

  void note_targets(std::span<const SequenceElement> elements) {
    for (const SequenceElement& element : elements) {
      if (element.times != 0) continue;
      const WindowEvent& event = job_.window_events[element.number];
      if (event.kind == WindowEventKind::access && event.target) targets_[*event.target] = true;
    }
  }

  void walk(std::span<const SequenceElement> elements) {
    for (std::size_t at = 0; at < elements.size() && left_ != 0 && !told_.is_cut;) {
      const SequenceElement& element = elements[at];
      if (element.times == 0) {
        if (steps_ == 0) {
          told_.is_cut = true;
          return;
        }
        --steps_;
        --left_;
        meet(job_.window_events[element.number]);
        ++at;
        continue;
      }
      turn(elements.subspan(at + 1, element.number), element.times);
      at += 1 + element.number;
    }
  }

  void turn(std::span<const SequenceElement> body, std::uint64_t times) {
    const std::uint64_t length = length_of(body);
    if (length == 0) return;
    for (std::uint64_t done = 0; done < times && left_ != 0 && !told_.is_cut;) {
      const State before = state_;
      const std::uint64_t outside = told_.outside;
      Marks marks;
      for (const auto& [key, stream] : streams_) marks[key] = stream.elements.size();
      walk(body);
      ++done;
      if (!alike(before, state_)) continue;
      std::uint64_t more = std::min(times - done, left_ / length);
      // What is completed little by little changes its meaning when it becomes few.
      state_.each_with(before, [&](std::uint64_t now, std::uint64_t then) {
        if (now < then) more = std::min(more, now < 2 ? 0 : (now - 2) / (then - now));
      });
      if (more == 0) continue;
      state_.each_with(before, [&](std::uint64_t& now, std::uint64_t then) { now += (now - then) * more; });
      told_.outside += (told_.outside - outside) * more;
      repeat(marks, more);
      done += more;
      left_ -= more * length;
    }
  }

  /// What was told since becomes a loop.
  void repeat(const Marks& marks, std::uint64_t more) {
    for (auto& [key, stream] : streams_) {
      const auto marked = marks.find(key);
      const std::size_t mark = marked == marks.end() ? 0 : marked->second;
      if (stream.elements.size() == mark) continue;
      const auto body = static_cast<std::uint32_t>(stream.elements.size() - mark);
      stream.elements.insert(stream.elements.begin() + static_cast<std::ptrdiff_t>(mark), {more + 1, body});
    }
  }

  EpochStream& stream_of(EpochMode mode, std::int64_t target) {
    EpochStream& stream = streams_[{mode, target}];
    stream.mode = mode;
    stream.target = target;
    return stream;
  }
  void tell(EpochMode mode, std::int64_t target, std::uint32_t number) {
    stream_of(mode, target).elements.push_back({0, number});
  }

  EpochShape shape_of(const WindowEvent& event) const {
    return {event.called,   event.binding,   event.site, event.type.value_or(DefinitionId{}),
            event.elements, event.parameter, event.op,   state_.ordering};
  }

  void meet(const WindowEvent& event) {
    switch (event.kind) {
      case WindowEventKind::fence:
        for (const auto& [target, is] : targets_) {
          tell(EpochMode::fence, target, content_of(state_.fenced[target]));
        }
        state_.fenced.clear();
        state_.has_fenced = true;
        break;
      case WindowEventKind::post:
        tell(EpochMode::post, 0, contents_.number_of(event.group));
        break;
      case WindowEventKind::start:
        state_.start = contents_.number_of(event.group);
        state_.started.clear();
        break;
      case WindowEventKind::complete:
        if (!state_.start) break;
        for (const auto& [target, is] : targets_) {
          if (has_rank(contents_.group(*state_.start), target)) {
            tell(EpochMode::start, target, content_of(state_.started[target]));
          }
        }
        state_.start.reset();
        state_.started.clear();
        break;
      case WindowEventKind::wait:
        break;
      case WindowEventKind::lock:
        if (event.target) state_.locks[*event.target] = event.is_exclusive;
        break;
      case WindowEventKind::lock_all:
        state_.has_all = true;
        break;
      case WindowEventKind::unlock:
        if (!event.target) break;
        end_passive(*event.target);
        state_.locks.erase(*event.target);
        break;
      case WindowEventKind::unlock_all:
        end_all_passive();
        state_.has_all = false;
        break;
      case WindowEventKind::flush:
        event.target ? end_passive(*event.target) : end_all_passive();
        break;
      case WindowEventKind::flush_local:
        for (auto& [target, pending] : state_.locked) {
          if (!event.target || *event.target == target) end_reads(pending);
        }
        break;
      case WindowEventKind::ordering:
        state_.ordering = event.ordering;
        break;
      case WindowEventKind::access:
        access(event);
        break;
      case WindowEventKind::completed:
        complete_access(event);
        break;
    }
  }

  void access(const WindowEvent& event) {
    if (!event.target || !event.type) return;
    const std::int64_t target = *event.target;
    const auto lock = state_.locks.find(target);
    Pending* pending = nullptr;
    bool has_requests = false;
    if (lock != state_.locks.end() || state_.has_all) {
      pending = &state_.locked[target];
      EpochStream& stream = stream_of(EpochMode::passive, target);
      stream.is_shared = stream.is_shared || lock == state_.locks.end() || !lock->second;
      has_requests = is_request_read(event);
    } else if (state_.start && has_rank(contents_.group(*state_.start), target)) {
      pending = &state_.started[target];
    } else if (state_.has_fenced) {
      pending = &state_.fenced[target];
    } else {
      told_.outside += event.times;
      return;
    }
    const std::uint32_t shape = contents_.number_of(shape_of(event));
    const bool writes = !is_read(shape);
    each_part(event, has_requests, [&](std::int64_t displacement, std::int64_t step, std::uint64_t times) {
      PendingCalls& calls = pending->calls[{shape, displacement, step, times}];
      if (calls.count++ != 0) return;
      if (writes) {
        calls.since = pending->writes++;
      } else {
        pending->reads.insert({shape, displacement, step, times});
      }
    });
  }

  template <class See>
  void each_part(const WindowEvent& event, bool has_requests, See see) {
    if (!has_requests || event.times == 1 || event.times > most_told_apart) {
      see(event.displacement, event.times == 1 ? 0 : event.step, event.times);
      return;
    }
    steps_ -= std::min(steps_, event.times);
    for (std::uint64_t i = 0; i < event.times; ++i) {
      see(event.displacement + static_cast<std::int64_t>(i) * event.step, 0, 1);
    }
  }

  /// What only reads the target's memory is over when its result is there: MPI_Get, and what fetches by MPI_NO_OP.
  static bool only_reads(const std::string& function, std::string_view op) {
    if (function == "get" || function == "rget") return true;
    const bool fetches = function == "fetch_and_op" || function == "get_accumulate" || function == "rget_accumulate";
    return fetches && op == "MPI_NO_OP";
  }
  /// Whether the request's completion tells that the target's memory is read (MPI-4.1 12.3.5).
  static bool is_request_read(const WindowEvent& event) {
    const std::string function = bare_function_of(event.called);
    return function.starts_with('r') && only_reads(function, event.op);
  }
  bool is_read(std::uint32_t shape) {
    for (std::size_t next = are_reads_.size(); next <= shape; ++next) {
      const EpochShape& calls = contents_.shape(static_cast<std::uint32_t>(next));
      are_reads_.push_back(only_reads(bare_function_of(calls.called), calls.op));
    }
    return are_reads_[shape];
  }

  void complete_access(const WindowEvent& event) {
    if (!event.target || !is_request_read(event)) return;
    const auto found = state_.locked.find(*event.target);
    if (found == state_.locked.end()) return;
    Pending& pending = found->second;
    const std::uint32_t shape = contents_.number_of(shape_of(event));
    each_part(event, true, [&](std::int64_t displacement, std::int64_t step, std::uint64_t times) {
      const auto done = pending.calls.find({shape, displacement, step, times});
      if (done == pending.calls.end()) return;
      come_back(pending, done->first);
      if (--done->second.count != 0) return;
      pending.reads.erase(done->first);
      pending.calls.erase(done);
    });
  }

  static void end_reads(Pending& pending) {
    for (const PendingKey& key : pending.reads) {
      come_back(pending, key);
      pending.calls.erase(key);
    }
    pending.reads.clear();
  }
  /// What writes later is not met any more, and what reads never is.
  static void come_back(Pending& pending, const PendingKey& key) {
    if (pending.writes != 0) pending.back[key] = pending.writes;
  }

  std::uint32_t content_of(const Pending& pending) {
    EpochContent content;
    for (const auto& [key, calls] : pending.calls) {
      content.push_back({key.shape, key.displacement, key.step, key.times, calls.count > 1,
                         pending.back.empty() ? 0 : calls.since, EpochAccess::never_back});
    }
    for (const auto& [key, until] : pending.back) {
      if (pending.calls.contains(key)) continue;  // one of them is not back, and meets all
      content.push_back({key.shape, key.displacement, key.step, key.times, false, 0, until});
    }
    std::sort(content.begin(), content.end());
    return contents_.number_of(std::move(content));
  }

  void end_passive(std::int64_t target) {
    const auto found = state_.locked.find(target);
    if (found == state_.locked.end()) return;
    if (!found->second.calls.empty()) tell(EpochMode::passive, target, content_of(found->second));
    state_.locked.erase(found);
  }
  void end_all_passive() {
    for (const auto& [target, pending] : state_.locked) {
      if (!pending.calls.empty()) tell(EpochMode::passive, target, content_of(pending));
    }
    state_.locked.clear();
  }

  /// The last period of all has no fence behind it; what is not completed is pending all the same.
  void finish() {
    if (state_.has_fenced) {
      for (const auto& [target, is] : targets_) tell(EpochMode::fence, target, content_of(state_.fenced[target]));
    }
    end_all_passive();
  }

  const Job& job_;
  EpochContents& contents_;
  std::uint64_t& steps_;
  std::uint64_t left_ = 0;  // events
  std::map<std::int64_t, bool> targets_;
  std::vector<bool> are_reads_;  // by shape
  State state_;
  std::map<std::pair<EpochMode, std::int64_t>, EpochStream> streams_;
  WindowEpochs told_;
};

}  // namespace

bool has_rank(const GroupRuns& group, std::int64_t rank) {
  return std::any_of(group.begin(), group.end(), [&](const RankRun& run) {
    const auto [least, most] = std::minmax(run.first, run.last);
    return least <= rank && rank <= most && (run.first == run.last || (rank - run.first) % run.step == 0);
  });
}

std::uint32_t EpochContents::number_of(EpochContent content) {
  return number_in(content_numbers_, contents_, std::move(content));
}
std::uint32_t EpochContents::number_of(const EpochShape& shape) { return number_in(shape_numbers_, shapes_, shape); }
std::uint32_t EpochContents::number_of(const GroupRuns& group) { return number_in(group_numbers_, groups_, group); }

WindowEpochs epochs_of(const Job& job, const JobEpochs& epochs, EpochContents& contents, std::uint64_t& most_steps) {
  const std::vector<SequenceElement>& elements = job.window_sequences[epochs.sequence];
  const std::uint64_t length = length_of(elements);
  const std::uint64_t known = epochs.undecided ? std::min(length, epochs.undecided->operation) : length;
  return EpochWalk(job, contents, most_steps).take(elements, known);
}

}  // namespace ddtscope::reporters
