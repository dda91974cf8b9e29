#include "reporters/debugger/session.h"

#include <algorithm>
#include <cfloat>
#include <cstring>

#include "reporters/debug_view/view_source.h"
#include "reporters/text/style.h"

namespace ddtscope::reporters {

using trace::DebugHandle;
using trace::DebugHandleState;

std::variant<std::unique_ptr<DebugSession>, std::string> DebugSession::open(ReadMemory read, std::uint64_t address,
                                                                            const std::string& name, Instant instant) {
  std::unique_ptr<DebugSession> session(new DebugSession);
  session->read_ = std::move(read);
  auto contents = read_debug_view(session->read_, address, name, instant);
  if (auto* problem = std::get_if<TraceProblem>(&contents)) return std::move(problem->sentence);
  session->view_ = std::move(std::get<ViewContents>(contents));
  ViewSource source(session->view_, name);
  TraceSource* const sources[] = {&source};
  LoadResult loaded = load_job(sources);
  if (auto* problem = std::get_if<TraceProblem>(&loaded)) return std::move(problem->sentence);
  session->job_ = std::move(std::get<std::unique_ptr<Job>>(loaded));
  Job& job = *session->job_;
  // A process is one of its job: the others are not missing.
  job.missing_ranks.clear();
  session->analysis_ = std::make_unique<Analysis>(job);
  session->index_ = std::make_unique<LayoutIndex>(job.layouts);

  for (const JobType& type : job.types) session->definitions_.emplace(type.key, type.definition);
  const std::vector<DebugHandle>& slots = session->view_.handles;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const DebugHandle& slot = slots[i];
    const auto [known, is_new] = session->handles_.try_emplace(slot.handle, i);
    // While a table is copied the same handle may stand in two slots.
    if (!is_new && slots[known->second].generation < slot.generation) known->second = i;
  }
  each_live(session->view_, [&](const LiveType& life) {
    const DefinitionId id = session->definition_of(life.definition);
    if (!id.valid()) return;
    Lives& lives = session->lives_[id.value];
    ++lives.count;
    if (lives.handle == 0) lives.handle = life.handle;
  });
  return session;
}

DefinitionId DebugSession::definition_of(ViewNumber number) const {
  if (const auto named = view_.predefined.find(number); named != view_.predefined.end()) {
    return job_->store.find_predefined(named->second).value_or(DefinitionId{});
  }
  const auto made = view_.definitions.find(number);
  if (made == view_.definitions.end()) return {};
  const auto known = definitions_.find(made->second.fixed.key);
  return known == definitions_.end() ? DefinitionId{} : known->second;
}

FoundType DebugSession::find_handle(std::uint64_t handle) const {
  FoundType found;
  found.handle = handle;
  const auto at = handles_.find(handle);
  if (at == handles_.end()) return found;
  const DebugHandle& slot = view_.handles[at->second];
  if (slot.sequence % 2 != 0) {
    found.state = FoundType::State::changing;
    return found;
  }
  if (slot.state == DebugHandleState::dead) {
    if ((slot.flags & trace::debug_handle_dropped) != 0) {
      found.state = FoundType::State::dropped;
      return found;
    }
    found.state = FoundType::State::freed;
    // The number may have been given to another definition since.
    const auto made = view_.definitions.find(slot.definition);
    if (made != view_.definitions.end() && static_cast<std::int32_t>(slot.generation - made->second.fixed.since) < 0) {
      return found;
    }
  } else {
    const bool is_dying = (slot.flags & trace::debug_handle_dying) != 0;
    found.state = is_dying ? FoundType::State::dying : FoundType::State::live;
  }
  found.definition = definition_of(slot.definition);
  found.is_predefined = (slot.flags & trace::debug_handle_predefined) != 0;
  if (found.is_predefined || (slot.flags & trace::debug_handle_committed) != 0) {
    found.commit = FoundType::Commit::seen;
  } else if ((slot.flags & trace::debug_handle_needs_no_commit) != 0) {
    found.commit = FoundType::Commit::not_needed;
  }
  return found;
}

bool DebugSession::is_current(std::uint64_t handle) const {
  const auto at = handles_.find(handle);
  trace::DebugView view;
  DebugHandle slot;
  return at != handles_.end() && read_(view_.address, &view, sizeof view) &&
         std::memcmp(&view, &view_.view, sizeof view) == 0 &&
         read_(view_.handle_places[at->second], &slot, sizeof slot) &&
         std::memcmp(&slot, &view_.handles[at->second], sizeof slot) == 0 &&
         // A name is one more record in one of them.
         std::all_of(view_.arenas.begin(), view_.arenas.end(), [&](const trace::DebugArena& known) {
           trace::DebugArena arena;
           return read_(known.self, &arena, sizeof arena) && std::memcmp(&arena, &known, sizeof arena) == 0;
         });
}

std::uint64_t DebugSession::freed_at(std::uint64_t handle) const {
  for (const trace::DebugFree& free : view_.frees) {
    if (free.own != 0 && free.handle == handle) return free.address;
  }
  return 0;
}

int DebugSession::long_double_digits() const {
  const std::uint32_t told = view_.view.long_double_digits;
  return told == 0 ? LDBL_MANT_DIG : static_cast<int>(told);
}

FoundType DebugSession::find_fortran(std::int64_t integer) const {
  FoundType last;
  for (const trace::DebugFortran& entry : view_.fortran) {
    if (entry.handle == 0 || entry.integer != integer) continue;
    // Both numbers are given again: an entry holds for the life of its handle that it names.
    const auto slot = handles_.find(entry.handle);
    if (slot == handles_.end() || view_.handles[slot->second].generation != entry.generation) continue;
    last = find_handle(entry.handle);
    if (last.state != FoundType::State::freed) return last;
  }
  if (last.state == FoundType::State::freed) return last;
  // Where the INTEGER is the handle's bits there is no table.
  if (view_.view.mpi_datatype_bytes == sizeof(std::int32_t)) return find_handle(static_cast<std::uint32_t>(integer));
  return {};
}

std::variant<FoundType, std::string> DebugSession::find_text(const std::string& text) const {
  FoundType found;
  found.state = FoundType::State::named;
  if (const auto predefined = job_->store.find_predefined(text)) {
    found.definition = *predefined;
    found.is_predefined = true;
    found.commit = FoundType::Commit::seen;
    return found;
  }
  auto type = find_type(*job_, text, {"the process", "mpitype list"});
  if (auto* problem = std::get_if<TraceProblem>(&type)) return std::move(problem->sentence);
  found.definition = job_->type(std::get<TypeNumber>(type)).definition;
  return found;
}

std::uint64_t DebugSession::live_instances(DefinitionId id) const {
  const auto at = lives_.find(id.value);
  return at == lives_.end() ? 0 : at->second.count;
}

std::uint64_t DebugSession::live_handle(DefinitionId id) const {
  const auto at = lives_.find(id.value);
  return at == lives_.end() ? 0 : at->second.handle;
}

}  // namespace ddtscope::reporters
