#include "plugin/windows/window_sequence.h"

namespace ddtscope::plugin {

WindowSequence::WindowSequence(WindowEvents& events, FoldedSymbols& symbols)
    : events_(events), symbols_(symbols), sequence_(symbols) {
  last_.fill(no_event);
  symbols_.count_bytes(sizeof *this - sizeof sequence_);  // which counts itself
}

std::uint32_t WindowSequence::number_of(const WindowEvent& event) {
  std::uint32_t& last = last_[static_cast<std::size_t>(event.kind)];
  if (last == no_event || !(events_.all()[last] == event)) last = events_.intern(event);
  return last;
}

/// The second access of a run says how far they are apart. Again at the same place is no run: the sequence counts them.
bool WindowSequence::begin_to_step(std::int64_t displacement) {
  if (displacement == run_.displacement) {
    last_number_ = number_of(run_);
    sequence_.append(last_number_);
    ++repeats_;
    return true;
  }
  std::int64_t step = 0;
  std::int64_t next = 0;
  if (__builtin_sub_overflow(displacement, run_.displacement, &step) ||
      __builtin_add_overflow(displacement, step, &next)) {
    return false;
  }
  run_.step = step;
  run_.times = 2;
  next_ = next;
  return true;
}

WindowSequence::Place WindowSequence::begin_run(const WindowEvent& access) {
  close_run();
  if (!is_known()) return {};
  run_ = access;
  run_.times = 1;
  run_.step = 0;
  repeats_ = 0;
  return {++appended_};
}

void WindowSequence::close_run() {
  if (run_.times == 0) return;
  last_number_ = number_of(run_);
  sequence_.append(last_number_);
  run_.times = 0;
}

WindowSequence::Place WindowSequence::append(const WindowEvent& event) {
  close_run();
  if (!is_known()) return {};
  last_number_ = number_of(event);
  sequence_.append(last_number_);
  return {++appended_};
}

void WindowSequence::take_back(const Place& place) {
  if (place.number == 0 || !is_known()) return;
  const bool is_last = place.number == appended_;
  if (is_last && run_.times > 1) {
    if (--run_.times == 1) {
      run_.step = 0;
    } else {
      next_ -= run_.step;
    }
  } else if (is_last && run_.times == 1 && repeats_ == 0) {
    run_.times = 0;
  } else if (is_last && sequence_.take_back(last_number_)) {
    if (run_.times == 1) --repeats_;
  } else {
    lose(Unknown::failed);
  }
}

void WindowSequence::lose(Unknown why) {
  if (!is_known()) return;
  close_run();
  unknown_ = why;
  unknown_from_ = sequence_.size();
}

/// The places are counted already, where they were.
WindowSequence::Ended WindowSequence::end() {
  close_run();
  const std::span<const std::uint32_t> places = sequence_.end();
  Ended ended;
  ended.places.assign(places.begin(), places.end());
  ended.is_empty = is_known() && appended_ == 0;
  if (!is_known()) ended.undecided = UndecidedFrom{unknown_from_, word_of(unknown_)};
  symbols_.count_bytes(-static_cast<std::ptrdiff_t>(sizeof *this));
  return ended;
}

}  // namespace ddtscope::plugin
