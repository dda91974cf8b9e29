// What a process does about one window, in its order: a folded sequence of events. Accesses that are alike but for
// their displacements, which are one step apart, are one event.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "plugin/messages/channels.h"
#include "plugin/messages/folded_sequence.h"
#include "plugin/windows/window_events.h"

namespace ddtscope::plugin {

/// Not synchronised.
class WindowSequence {
 public:
  /// Both must outlive it, and are shared with others.
  WindowSequence(WindowEvents& events, FoldedSymbols& symbols) : events_(events), sequence_(symbols) {
    symbols.count_bytes(sizeof *this);
  }

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
  bool is_empty() const { return is_known() && appended_ == 0; }
  /// From which event on what is not known; nothing where all is.
  std::optional<UndecidedFrom> undecided() const;
  /// Places of symbols, in order. Nothing is appended afterwards.
  std::span<const std::uint32_t> end();

 private:
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
  FoldedSequence sequence_;
  std::uint64_t appended_ = 0;  // calls, whether they were taken back or not
  /// Accesses that are not in the sequence yet: none, one, or several.
  WindowEvent run_{.times = 0};
  std::int64_t next_ = 0;      // the displacement with which it goes on, where they are several
  std::uint64_t repeats_ = 0;  // of one: so many more at the same place, which are in the sequence
  /// The last event of each kind, with its number: a loop has few.
  struct Last {
    WindowEvent event{.times = 0};
    std::uint32_t number = 0;
  };
  std::array<Last, std::size(names_of_window_events)> last_;
  std::uint32_t last_number_ = 0;  // of all
  Unknown unknown_ = Unknown::none;
  std::uint64_t unknown_from_ = 0;
};

}  // namespace ddtscope::plugin
