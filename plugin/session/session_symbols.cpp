// Functions and lines of the call sites stay with the trace: who has them written, and when.
#include <string>
#include <utility>

#include "plugin/library/launched_world.h"
#include "plugin/session/output_folder.h"
#include "plugin/session/session.h"
#include "plugin/session/symbols_helper.h"

namespace ddtscope::plugin {

Session* Session::keeps_symbols_ = nullptr;

/// The trace has its end. What follows waits until MPI has ended, so that no other rank waits for it.
void Session::want_symbols() {
  if (!settings_.symbols || sites_->depth() == 0) return;
  if (rank_ == 0 || (rank_ < 0 && is_first_by_launcher())) keeps_symbols_ = this;
}

void Session::keep_symbols() noexcept {
  Session* session = std::exchange(keeps_symbols_, nullptr);
  if (!session) return;
  try {
    const std::string& folder = session->folder_;
    const std::string command = find_command(session->settings_.command);
    const std::string why = command.empty()
                                ? "the command ddtscope is not beside the plugin; DDTSCOPE_COMMAND names it"
                                : SymbolsHelper{command, folder, session->settings_.symbols_patience_s}.run();
    if (why.empty()) return;
    session->log_->warn("functions and lines are not kept with the trace (" + why + "); `ddtscope resolve " +
                        shell_word(folder) + "` does it");
  } catch (...) {
    say_once("functions and lines are not kept with the trace: ", "no memory");
  }
}

}  // namespace ddtscope::plugin
