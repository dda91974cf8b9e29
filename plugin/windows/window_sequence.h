// What a process does about one window, in its order: a folded sequence of events. Accesses that are alike but for
// their displacements, which are one step apart, are one event.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "plugin/messages/channels.h"
#include "plugin/messages/folded_sequence.h"
#include "plugin/windows/window_events.h"

namespace ddtscope::plugin {

/// Not synchronised.
class WindowSequence {
 public:
  /// Both must outlive it, and are shared with others.
  WindowSequence(WindowEvents& events, FoldedSymbols& symbols);
  WindowSequence(const WindowSequence&) = delete;
  WindowSequence& operator=(const WindowSequence&) = delete;

  /// What one call did, where it can be taken back.
  struct Place {
    std::uint64_t number = 0;
  };

  /// An access, by its first displacement.
  [[gnu::always_inline]] inline Place append_access(const WindowEvent& access) {
    if (run_.times != 0 && run_.is_like(access) && goes_on(access.displacement)) [[likely]]
      return {++appended_};
    return begin_run(access);
  }
  Place append(const WindowEvent& event);
  /// The call returned an error: nothing was done. Where others came behind it, nobody knows any more.
  void take_back(const Place& place);

  /// Nothing is known from here on.
  void lose(Unknown why);
  bool is_known() const { return unknown_ == Unknown::none; }
  /// What stays of one to which nothing is appended any more.
  struct Ended {
    std::vector<std::uint32_t> places;       // of symbols, in order
    std::optional<UndecidedFrom> undecided;  // nothing where all is known
    bool is_empty = true;                    // there was never anything
  };
  /// Once, when nothing is appended any more. It is gone next, and gives back the bytes that it has counted.
  Ended end();

 private:
  static constexpr std::uint32_t no_event = UINT32_MAX;

  /// Whether the run goes on with this displacement; it then has.
  bool goes_on(std::int64_t displacement) {
    if (run_.times == 1) [[unlikely]]
      return begin_to_step(displacement);
    if (displacement != next_) return false;
    ++run_.times;
    if (__builtin_add_overflow(next_, run_.step, &next_)) [[unlikely]]
      close_run();
    return true;
  }
  bool begin_to_step(std::int64_t displacement);
  Place begin_run(const WindowEvent& access);
  void close_run();
  std::uint32_t number_of(const WindowEvent& event);

  WindowEvents& events_;
  FoldedSymbols& symbols_;
  FoldedSequence sequence_;
  std::uint64_t appended_ = 0;  // calls, whether they were taken back or not
  /// Accesses that are not in the sequence yet: none, one, or several.
  WindowEvent run_{.times = 0};
  std::int64_t next_ = 0;      // the displacement with which it goes on, where they are several
  std::uint64_t repeats_ = 0;  // of one: so many more at the same place, which are in the sequence
  /// The number of the last event of each kind: a loop has few.
  std::array<std::uint32_t, std::size(names_of_window_events)> last_;
  std::uint32_t last_number_ = 0;  // of all
  Unknown unknown_ = Unknown::none;
  std::uint64_t unknown_from_ = 0;
};

}  // namespace ddtscope::plugin
