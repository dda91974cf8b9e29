// The windows that are alive: what each is, which epochs are open, and which accesses are not known to be complete.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reporters/debugger/session.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

using trace::DebugGroup;
using trace::DebugWindow;
using trace::DebugWindowEvent;

/// One window, and of each of its calls what the job knows of it.
class WindowText {
 public:
  /// `next` is the number of its first call among the job's, and then that of the next window's.
  WindowText(DebugSession& session, const DebugWindow& window, std::size_t& next)
      : session_(&session), window_(&window) {
    each_event(window, [&](const DebugWindowEvent& event) {
      const auto& calls = session.job().window_calls;
      if (next < calls.size()) calls_.emplace(&event, &calls[next]);
      ++next;
    });
  }

  /// The more, the more is under way.
  int rank() const {
    if (window_->ticket != 0 || accesses() != 0) return 2;
    return window_->epochs_used != 0 || window_->is_unknown != 0 ? 1 : 0;
  }

  std::string text() {
    text_ = "Window " + name() + ": " + headline() + "\n";
    if (window_->ticket != 0) {
      text_ += "  in " + call_at(window_->last) + to_whom(window_->last, window_->last_group) +
               ", which has not come back\n";
    }
    tell_epochs();
    tell_accesses();
    tell_window();
    return std::move(text_);
  }

 private:
  const Job& job() const { return session_->job(); }

  std::string name() const {
    const std::string handle = hexadecimal(window_->handle);
    return window_->label[0] != '\0' ? "\"" + printable(window_->label) + "\" (" + handle + ")" : handle;
  }

  /// The function's name; "a call" where its record is damaged.
  std::string called(const DebugWindowEvent& event) const {
    const auto found = calls_.find(&event);
    const bool is_known = found != calls_.end() && !found->second->called.empty();
    return is_known ? printable(found->second->called) : "a call that is not known";
  }
  std::string place(const DebugWindowEvent& event) {
    const auto found = calls_.find(&event);
    if (found == calls_.end() || !found->second->site) return {};
    return place_of(job(), found->second->site, session_->symbols());
  }
  std::string call_at(const DebugWindowEvent& event) {
    const std::string where = place(event);
    return called(event) + (where.empty() ? "" : ", " + where);
  }

  static std::string in_words(const DebugGroup& group) {
    if (group.processes == 0) return "an empty group, or one that is not known";
    std::string words = group.processes == 1 ? "rank " : "ranks ";
    std::uint64_t told = 0;
    for (std::uint32_t i = 0; i < group.used; ++i) {
      const auto& [first, last, step] = group.runs[i];
      if (i != 0) words += ", ";
      words += std::to_string(first);
      if (first != last) words += (step == 1 ? "-" : " to ") + std::to_string(last);
      if (first != last && step != 1) words += " in steps of " + std::to_string(step);
      told += step != 0 ? static_cast<std::uint64_t>((std::int64_t{last} - first) / step) + 1 : 1;
    }
    return told < group.processes ? words + " and " + grouped(group.processes - told) + " more" : words;
  }
  /// ", of rank 3, exclusive"; empty of a call to all.
  static std::string to_whom(const DebugWindowEvent& event, const DebugGroup& group) {
    if (has_group(kind_of(event))) return ", with " + in_words(group);
    if (event.target == DebugWindowEvent::all_targets) return {};
    std::string words = ", of rank " + std::to_string(event.target);
    if (kind_of(event) == WindowEventKind::lock) words += event.is_exclusive != 0 ? ", exclusive" : ", shared";
    return words;
  }

  std::uint64_t accesses() const {
    std::uint64_t number = window_->accesses_left_out;
    for (std::uint32_t i = 0; i < window_->accesses_used; ++i) number += pending(window_->accesses[i]);
    return number;
  }
  /// Those that are complete at the origin are so, where they bring something there.
  static std::uint64_t pending(const DebugWindowEvent& access) {
    const std::uint64_t over = access.reads != 0 ? std::min(access.at_origin, access.times) : 0;
    return access.times - over;
  }

  /// "MPI_Win_fence epoch open since exchange (halo.c:31); 3 calls of MPI_Put not complete".
  std::string headline() {
    std::string words = window_->is_unknown != 0
                            ? "which epochs are open is not known, because a call failed or the recording was stopped"
                            : epochs_in_words();
    const std::string calls = accesses_in_words();
    if (!calls.empty()) return words + "; " + calls + " not complete";
    const bool is_fence = window_->epochs_used == 1 && kind_of(window_->epochs[0]) == WindowEventKind::fence;
    return is_fence && window_->is_unknown == 0 ? words + ", if an access follows: there is none yet" : words;
  }
  /// That of the access that was opened last; exposures come behind it.
  std::string epochs_in_words() {
    if (window_->epochs_used == 0) {
      return window_->ticket != 0 ? "no epoch open yet, within " + call_at(window_->last) : "no epoch open";
    }
    const auto is_exposure = [](const DebugWindowEvent& epoch) { return kind_of(epoch) == WindowEventKind::post; };
    const DebugWindowEvent* shown = window_->epochs + (window_->epochs_used - 1);
    for (std::uint32_t i = 0; i < window_->epochs_used; ++i) {
      if (!is_exposure(window_->epochs[i])) shown = window_->epochs + i;
    }
    const std::string where = place(*shown);
    std::string words = called(*shown) + (is_exposure(*shown) ? " exposure" : " epoch") + " open";
    if (!where.empty()) words += " since " + where;
    const std::uint64_t more = window_->epochs_used - 1 + window_->epochs_left_out;
    return more != 0 ? words + ", and " + counted(more, "other", "others") : words;
  }
  /// "3 calls of MPI_Put and 1 of MPI_Get"; empty where all are complete.
  std::string accesses_in_words() const {
    std::map<std::string, std::uint64_t> number;
    for (std::uint32_t i = 0; i < window_->accesses_used; ++i) {
      const DebugWindowEvent& access = window_->accesses[i];
      if (pending(access) != 0) number[called(access)] += pending(access);
    }
    std::string words;
    for (const auto& [function, calls] : number) {
      words += words.empty() ? counted(calls, "call of ", "calls of ") : " and " + grouped(calls) + " of ";
      words += function;
    }
    if (const std::uint64_t more = window_->accesses_left_out; more != 0) {
      words += (words.empty() ? "" : " and ") + counted(more, "other call", "other calls");
    }
    return words;
  }

  void tell_epochs() {
    if (window_->epochs_used != 0) text_ += "  Open epochs\n";
    for (std::uint32_t i = 0; i < window_->epochs_used; ++i) {
      const DebugWindowEvent& epoch = window_->epochs[i];
      const bool is_post = kind_of(epoch) == WindowEventKind::post;
      text_ += "    " + call_at(epoch) + to_whom(epoch, is_post ? window_->posted : window_->started);
      const WindowAsserts asserts{epoch.asserts};
      for (std::size_t bit = 0; bit < std::size(WindowAsserts::names); ++bit) {
        if ((asserts.set >> bit & 1) != 0) text_ += ", " + std::string(WindowAsserts::names[bit]);
      }
      text_ += "\n";
    }
    if (window_->epochs_left_out != 0) text_ += "    and " + grouped(window_->epochs_left_out) + " more\n";
  }

  void tell_accesses() {
    if (window_->accesses_used != 0 || window_->accesses_left_out != 0) text_ += "  Accesses that are not complete\n";
    for (std::uint32_t i = 0; i < window_->accesses_used; ++i) tell_access(window_->accesses[i]);
    if (const std::uint64_t more = window_->accesses_left_out; more != 0) {
      text_ += "    and " + counted(more, "call", "calls") +
               " that found no room to be recorded, some of which may be complete\n";
    }
  }
  void tell_access(const DebugWindowEvent& access) {
    const auto found = calls_.find(&access);
    text_ += "    " + call_at(access) + ": ";
    if (access.times != 1) text_ += grouped(access.times) + " times ";
    if (found != calls_.end() && found->second->type) {
      text_ += grouped(access.elements) + " x " + type_in_words(job(), *found->second->type);
    } else {
      text_ += grouped(access.elements) + " elements";
    }
    text_ += " at rank " + std::to_string(access.target) + ", displacement " + std::to_string(access.displacement);
    if (access.times != 1 && access.step != 0) text_ += " and on in steps of " + std::to_string(access.step);
    if (access.origin != 0) text_ += ", origin buffer " + hexadecimal(access.origin);
    if (access.at_origin != 0) {
      const std::string number = access.at_origin < access.times ? grouped(access.at_origin) + " " : "";
      text_ += access.reads != 0 ? "; " + number + "complete" : "; " + number + "complete at the origin alone";
    }
    text_ += "\n";
  }

  void tell_window() {
    text_ +=
        "  " + std::string(name_of(static_cast<WindowFlavour>(window_->flavour))) + ", by " + call_at(window_->made);
    if (static_cast<WindowFlavour>(window_->flavour) == WindowFlavour::dynamic) {
      text_ += ": memory that is attached";
    } else {
      text_ += ": " + counted(static_cast<std::uint64_t>(std::max<std::int64_t>(window_->size, 0)), "byte", "bytes") +
               " from " + hexadecimal(window_->base) + " on, displacement unit " +
               std::to_string(window_->displacement_unit);
    }
    text_ += ", on " + communicator() + "\n";
  }
  std::string communicator() const {
    if (window_->predefined == 1) return "MPI_COMM_WORLD";
    if (window_->predefined == 2) return "MPI_COMM_SELF";
    return window_->communicator != 0 ? "communicator " + key_text(window_->communicator)
                                      : "a communicator that has no name";
  }

  DebugSession* session_;
  const DebugWindow* window_;
  std::map<const DebugWindowEvent*, const MessageOperation*> calls_;
  std::string text_;
};

}  // namespace

std::string windows_under_way(DebugSession& session) {
  const ViewContents& view = session.view();
  if (!view.are_windows_known) {
    return "No window was made in this process, or none is recorded (DDTSCOPE_MESSAGES, DDTSCOPE_USES).\n";
  }
  if (view.windows.empty()) {
    return view.may_lack_windows ? "Of no window that is alive anything is told; there may be some.\n"
                                 : "No window is alive.\n";
  }
  std::vector<WindowText> windows;
  std::size_t next = 0;
  for (const DebugWindow& window : view.windows) windows.emplace_back(session, window, next);
  std::stable_sort(windows.begin(), windows.end(),
                   [](const WindowText& a, const WindowText& b) { return a.rank() > b.rank(); });
  std::string text;
  for (WindowText& window : windows) text += window.text();
  if (view.may_lack_windows) text += "There may be more windows, which found no room to be told, or are damaged.\n";
  return text;
}

}  // namespace ddtscope::reporters
