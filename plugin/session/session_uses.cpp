// Uses of types: who counts them, who judges them, and how the user is told of an error before the call.
#include <dlfcn.h>
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
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
  status_bytes_.begin();
  if (!status_bytes_.are_in_fields()) {
    log_->debug("the fields of a status do not say how many bytes came: PMPI_Get_elements_x is asked");
  }
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
                                                             .judge = judge_.get(),
                                                             .seen = settings_.sources ? &seen_counts_ : nullptr},
                                        *registry_, counter_pages_, *communicator_queries_);
  constexpr std::size_t bytes_of_pending = 160;
  const std::size_t most = settings_.most_memory_bytes / 2 / bytes_of_pending;
  PendingCalls::Options pending{.constants = use_constants()};
  pending.most_pending = std::min(most, pending.most_pending);
  pending.most_persistent = std::min(most, pending.most_persistent);
  pending_ =
      std::make_unique<PendingCalls>(pending, PendingCalls::Parts{*registry_, *queries_, *uses_, *verdicts_, tell});
  if (settings_.sources) start_sources();
  switches_ = std::make_unique<RecordingSwitches>(writer_);
  counting_uses_ = uses_.get();
  if (opened == Opened::world && settings_.messages) start_messages();
  file_accesses_ = std::make_unique<FileAccesses>(
      FileAccesses::Options{.constants = use_constants(),
                            .files = file_constants(),
                            .world = bits_of(world_communicator()),
                            .self = bits_of(self_communicator()),
                            .most_bytes = settings_.most_memory_bytes / 16},
      FileAccesses::Parts{*registry_, *verdicts_, writer_, named_communicators_.get(), tell});
  if (opened != Opened::world) return;
  for (const MPI_Comm communicator : {world_communicator(), self_communicator()}) {
    uses_->communicator_is_alive(bits_of(communicator));
  }
}

/// Of a process that has a world, by whose ranks those of all communicators are known.
void Session::start_messages() {
  group_queries_ = std::make_unique<MpiGroupQueries>(mpi_);
  named_communicators_ = std::make_unique<NamedCommunicators>(
      NamedCommunicators::Options{}, NamedCommunicators::Parts{*registry_, *group_queries_, writer_});
  named_communicators_->begin({.world = bits_of(world_communicator()),
                               .self = bits_of(self_communicator()),
                               .number = world_.value,
                               .rank = rank_});
  start_in_flight();
  messages_ = std::make_unique<Messages>(
      Messages::Options{.constants = use_constants(),
                        .any_source = MPI_ANY_SOURCE,
                        .any_tag = MPI_ANY_TAG,
                        .world = bits_of(world_communicator()),
                        .self = bits_of(self_communicator()),
                        .rank = rank_,
                        .most_bytes = settings_.most_memory_bytes / 2},
      Messages::Parts{*registry_, *uses_, *named_communicators_, *group_queries_, showing_in_flight_.load()});
  collectives_ = std::make_unique<Collectives>(Collectives::Options{.constants = use_constants(),
                                                                    .world = bits_of(world_communicator()),
                                                                    .self = bits_of(self_communicator()),
                                                                    .ops = predefined_operations(),
                                                                    .most_bytes = settings_.most_memory_bytes / 4},
                                               Collectives::Parts{*registry_, *uses_, *named_communicators_});
  window_accesses_ = std::make_unique<WindowAccesses>(
      WindowAccesses::Options{.constants = use_constants(),
                              .world = bits_of(world_communicator()),
                              .self = bits_of(self_communicator()),
                              .most_bytes = settings_.most_memory_bytes / 8,
                              .ops = predefined_operations()},
      WindowAccesses::Parts{*registry_, *group_queries_, *named_communicators_, writer_, *verdicts_,
                            [this](const ToldError& error) { tell_error(error); }, debug_memory_});
  recording_messages_ = messages_.get();
}

bool Session::is_truncated(int status) const {
  int error_class = status;
  return mpi_.Error_class(status, &error_class) == MPI_SUCCESS && error_class == MPI_ERR_TRUNCATE;
}

bool Session::is_of_file(int status) const {
  constexpr int classes[] = {MPI_ERR_ACCESS,       MPI_ERR_AMODE, MPI_ERR_BAD_FILE,    MPI_ERR_FILE,
                             MPI_ERR_FILE_EXISTS,  MPI_ERR_IO,    MPI_ERR_FILE_IN_USE, MPI_ERR_NO_SPACE,
                             MPI_ERR_NO_SUCH_FILE, MPI_ERR_QUOTA, MPI_ERR_READ_ONLY};
  int error_class = status;
  return mpi_.Error_class(status, &error_class) == MPI_SUCCESS &&
         std::find(std::begin(classes), std::end(classes), error_class) != std::end(classes);
}

bool Session::is_refusal(int status) const {
  int error_class = status;
  if (mpi_.Error_class(status, &error_class) != MPI_SUCCESS) return true;
  return error_class != MPI_ERR_OTHER && error_class != MPI_ERR_INTERN && error_class != MPI_ERR_UNKNOWN;
}

bool Session::is_cancelled(const MPI_Status& status) const {
  int is_cancelled = 0;
  return mpi_.Test_cancelled(&status, &is_cancelled) == MPI_SUCCESS && is_cancelled != 0;
}

void Session::start_sources() {
  sources_ = std::make_unique<BufferSources>(
      BufferSources::Options{.constants = use_constants(), .most_bytes = settings_.most_memory_bytes / 16},
      BufferSources::Parts{*registry_, *sites_, *pending_, seen_counts_, writer_});
  if (const std::string problem = sources_->problem(); !problem.empty() && rank_ <= 0) log_->warn(problem);
}

/// What else was counted.
void Session::write_at_end(trace::Writer& writer, UnrecordedCalls& unrecorded) const {
  if (uses_) uses_->write(writer, unrecorded);
  if (pending_) pending_->write(writer);
  if (sources_) sources_->write(writer);
  if (named_communicators_) named_communicators_->write(writer);
  std::uint32_t next_sequence = 0;
  if (messages_) next_sequence = messages_->write(writer, collectives_.get());
  if (window_accesses_) window_accesses_->write(writer, next_sequence);
  if (file_accesses_) file_accesses_->write(writer);
  record_abort();
  if (verdicts_) verdicts_->write_counts();
  if (switches_) switches_->write_counts();
  const std::string taken = call_times_ ? call_times_->in_words() : std::string();
  if (taken.empty()) return;
  writer.note(name_of_process() + ": the plugin itself took of each call: " + taken + ".");
}

void Session::judge_constructor(const ConstructorArguments& arguments, const ProgramCall& call) {
  if (!type_call_judge_->is_wrong(arguments)) return;
  Stack stack;
  sites_->capture(stack, call.caller, Path::failed);
  type_call_judge_->judge(arguments, {call.entry, &stack});
}

void Session::judge_commit(HandleBits type, const ProgramCall& call) noexcept {
  guarded([&](Registry&) {
    if (!type_call_judge_ || !type_call_judge_->is_no_type(type)) return;
    Stack stack;
    sites_->capture(stack, call.caller, Path::failed);
    type_call_judge_->judge_commit(type, {call.entry, &stack});
  });
}

void Session::judge_free(HandleBits type, const ProgramCall& call) noexcept {
  if (!type_call_judge_) return;
  Stack stack;
  sites_->capture(stack, call.caller, Path::failed);
  guarded([&](Registry&) { type_call_judge_->judge_free(type, {call.entry, &stack}); });
}

CallSiteId Session::take_site(const ProgramCall& call) noexcept {
  Stack stack;
  capture(stack, call);
  CallSiteId site;
  guarded([&](Registry& registry) { registry.beside([&] { site = registry.types_in_use().site_of(stack); }); });
  return site;
}

/// Under the registry's lock: nothing is known of messages from here on.
void Session::end_messages() {
  recording_messages_ = nullptr;
  if (messages_) messages_->stop(Unknown::switched_off);
  if (collectives_) collectives_->stop(Unknown::switched_off);
  if (window_accesses_) window_accesses_->stop(Unknown::switched_off);
  if (showing_in_flight_.exchange(nullptr) != nullptr) pending_file_.switch_off();
}

void Session::stop_messages() noexcept {
  guarded([&](Registry& registry) { registry.beside([&] { end_messages(); }); });
}

void Session::control(int level, const ProgramCall& call) noexcept {
  if (!uses_ || level < 0) return;
  Stack stack;
  sites_->capture(stack, call.caller, Path::failed);
  UseCounters* const wanted = level == 0 ? nullptr : uses_.get();
  guarded([&](Registry& registry) {
    registry.beside([&] {
      if (counting_uses_.exchange(wanted) == wanted) return;
      // What went from process to process meanwhile nobody knows: from here on there is nothing to compare.
      end_messages();
      switches_->record(wanted != nullptr ? Recording::on : Recording::off, level, *call.entry,
                        registry.types_in_use().site_of(stack));
    });
  });
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
