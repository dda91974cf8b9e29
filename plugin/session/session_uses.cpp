// Uses of types: who counts them, who judges them, and how the user is told of an error before the call.
#include <dlfcn.h>
#include <signal.h>

#include <cstdio>
#include <string_view>

#include "plugin/session/session.h"

extern "C" {
/// To break on: an error in a call was found, and the library has not got the call yet.
[[gnu::visibility("default"), gnu::noinline]] void ddtscope_on_error(const char* message) {
  asm volatile("" : : "r"(message) : "memory");  // so that the argument is there, and no call is left out
}
}

namespace ddtscope::plugin {
namespace {

/// "exchange in halo+0x1263"; a program has names for its own functions only where it exports them.
std::string place_in_words(void* address) {
  Dl_info found{};
  if (address == nullptr || dladdr(address, &found) == 0 || found.dli_fname == nullptr) return {};
  std::string_view module = found.dli_fname;
  module.remove_prefix(module.rfind('/') + 1);
  char offset[32];
  const auto call = reinterpret_cast<std::uintptr_t>(address) - 1;
  std::snprintf(offset, sizeof offset, "+0x%zx", call - reinterpret_cast<std::uintptr_t>(found.dli_fbase));
  const std::string function = found.dli_sname != nullptr ? std::string(found.dli_sname) + " in " : std::string();
  return ", called from " + function + std::string(module) + offset;
}

}  // namespace

void Session::start_uses(Opened opened) {
  communicator_queries_ = std::make_unique<MpiCommunicatorQueries>(mpi_);
  verdicts_ = std::make_unique<Verdicts>(writer_);
  const HandleBits null_type = bits_of(null_datatype());
  const auto tell = [this](const ToldError& error) { tell_error(error); };
  type_call_judge_ = std::make_unique<TypeCallJudge>(TypeCallJudge::Parts{*registry_, *verdicts_, null_type, tell});
  judge_ = std::make_unique<UseJudge>(UseJudge::Options{use_constants(), null_type, predefined_operations()},
                                      UseJudge::Parts{*registry_, *verdicts_, *queries_, tell});
  uses_ = std::make_unique<UseCounters>(UseCounters::Options{.constants = use_constants(),
                                                             .null_type = null_type,
                                                             .most_bytes = settings_.most_memory_bytes / 4,
                                                             .judge = judge_.get()},
                                        *registry_, counter_pages_, *communicator_queries_);
  registry_->write_at_end([this](trace::Writer& writer) {
    uses_->write(writer);
    verdicts_->write_counts();
  });
  if (opened != Opened::world) return;
  for (const MPI_Comm communicator : {world_communicator(), self_communicator()}) {
    uses_->communicator_is_alive(bits_of(communicator));
  }
}

void Session::judge_constructor(const ConstructorArguments& arguments, const ProgramCall& call) {
  if (!type_call_judge_->is_wrong(arguments)) return;
  Stack stack;
  sites_->capture(stack, call.caller, Path::failed);
  type_call_judge_->judge(arguments, {call.entry, &stack});
}

void Session::judge_commit(HandleBits type, const ProgramCall& call) {
  Stack stack;
  sites_->capture(stack, call.caller, Path::failed);
  type_call_judge_->judge_commit(type, {call.entry, &stack});
}

void Session::judge_free(HandleBits type, const ProgramCall& call) noexcept {
  if (!type_call_judge_) return;
  Stack stack;
  sites_->capture(stack, call.caller, Path::failed);
  guarded([&](Registry&) { type_call_judge_->judge_free(type, {call.entry, &stack}); });
}

void Session::tell_error(const ToldError& error) {
  std::string message = error.message;
  if (message.ends_with('.')) message.pop_back();
  const std::string line = (rank_ >= 0 ? "rank " + text_of(own_rank()) + ": " : std::string()) + message +
                           place_in_words(error.address) + " [" + std::string(kind_of(error.id).id) + "]";
  log_->warn(line);
  ddtscope_on_error(line.c_str());
  if (settings_.stop_on_error) raise(SIGSTOP);
}

}  // namespace ddtscope::plugin
