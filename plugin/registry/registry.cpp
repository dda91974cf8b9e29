// Creation, life and end of instances.
#include "plugin/registry/registry.h"

#include <memory>
#include <mutex>
#include <utility>

#include "plugin/registry/registry_making.h"
#include "plugin/registry/verify.h"

namespace ddtscope::plugin {

Registry::Registry(const Options& options, const Surroundings& around) : RegistryParts(options, around) {}

void Registry::created(const Creation& creation) {
  Making making{.creation = creation};
  if (making.has_arrays()) making.digests = cache_.store().digest_arrays(creation.call);
  if (creation.call.combiner == Combiner::value_index && is_named(creation.newtype)) [[unlikely]]
    return;
  Step step = count_if_known(making);
  while (step == Step::adopt) [[unlikely]] {
      if (!adopt_oldtypes(making)) return;
      step = count_if_known(making);
    }
  if (step == Step::define) [[unlikely]]
    define_and_count(making);
}

/// MPI_Type_get_value_index makes nothing where it finds a pair with a name, such as MPI_DOUBLE_INT.
bool Registry::is_named(HandleBits handle) {
  {
    const std::lock_guard guard(lock_);
    if (closed_) return false;
    if (const HandleEntry* entry = lives_.find(handle)) return cache_.is_predefined(entry->type());
  }
  const std::optional<Envelope> envelope = library_.envelope(handle);
  return envelope && envelope->combiner == Combiner::named;
}

[[gnu::always_inline]] inline bool Registry::find_oldtypes(Making& making) {
  const IntegerArray& handles = making.creation.oldtypes;
  const std::span<DefinitionId> oldtypes = making.oldtypes.resize(handles.length);
  for (std::size_t i = 0; i < handles.length; ++i) {
    oldtypes[i] = definition_of(handle_at(handles, i));
    if (!oldtypes[i].valid()) return false;
  }
  making.creation.call.datatypes = oldtypes;
  return true;
}

Registry::Step Registry::count_if_known(Making& making) {
  const Creation& creation = making.creation;
  const std::lock_guard guard(lock_);
  if (closed_) return Step::done;
  making.place = place_of(*creation.called, *creation.stack);
  if (!find_oldtypes(making)) [[unlikely]]
    return Step::adopt;
  if (making.may_be_recent()) {
    const RecentCall& recent = making.recent(cache_, counting_lane(creation.newtype));
    if (recent.is(making.place, making.oldtype(), making.numbers())) {
      begin_again(creation.newtype, recent.counter());
      if (creation.call.combiner == Combiner::dup) begin_duplicate(handle_at(creation.oldtypes, 0), creation.newtype);
      return Step::done;
    }
  }
  const DefinitionId known = cache_.find(creation.call, making.digests);
  if (known.valid() && cache_.has_line(known)) {
    count_created(making, known);
    return Step::done;
  }
  if (known.valid() || writer_.stopped()) [[unlikely]] {
    drop(creation.newtype, making.place);
    return Step::done;
  }
  for (const DefinitionId oldtype : creation.call.datatypes) cache_.pin(oldtype);
  return Step::define;
}

/// A call that is new, unless another thread makes it, too. Nobody else has the handle yet.
void Registry::define_and_count(const Making& making) {
  const Creation& creation = making.creation;
  const ObservedBounds bounds = library_.bounds(creation.newtype);
  DefinitionCache::Defined defined;
  {
    const std::lock_guard guard(lock_);
    if (!closed_) {
      defined = cache_.define({.call = creation.call,
                               .digests = making.digests,
                               .bounds = bounds,
                               .place = making.place,
                               .since = lives_.next_generation()});
      defined.id.valid() ? count_created(making, defined.id) : drop(creation.newtype, making.place);
    }
    cache_.unpin(creation.call.datatypes);
  }
  if (verifies_ && defined.is_first) verify(defined.id, creation.newtype);
}

void Registry::count_created(const Making& making, DefinitionId definition) {
  const Creation& creation = making.creation;
  const std::uint32_t counter = counter_of(definition, making.place, creation.newtype);
  ++counters_.counted(counter).created;
  begin_life(creation.newtype, definition, counter);
  if (creation.call.combiner == Combiner::dup) begin_duplicate(handle_at(creation.oldtypes, 0), creation.newtype);
  if (making.may_be_recent() && counters_.place(counter).site == making.place.site)
    making.recent(cache_, counting_lane(creation.newtype))
        .set(making.place, making.oldtype(), making.numbers(), counter);
}

void Registry::verify(DefinitionId id, HandleBits newtype) {
  const LibraryAnswers answers = ask_library(newtype, library_);
  {
    const std::lock_guard guard(lock_);
    const KnownHandles known = [&](HandleBits child) {
      const HandleEntry* entry = lives_.find(child);
      return entry ? std::optional(entry->type()) : std::nullopt;
    };
    if (!closed_) {
      for (DifferenceRecord& difference : differences(*cache_.layouts(), id, answers, known)) {
        difference.definition = cache_.number_of(id);
        writer_.difference(difference);
      }
    }
  }
  give_back(answers, library_);
}

/// It is committed where the type is that it was made of (MPI-4.1 5.1.10).
void Registry::begin_duplicate(HandleBits oldtype, HandleBits newtype) {
  const HandleEntry* entry = lives_.find(oldtype);
  if (entry && entry->may_be_used()) lives_.needs_no_commit(newtype);
}

void Registry::commit_failed(const Commit& commit) {
  const std::lock_guard guard(lock_);
  if (closed_ || commit.of != Commit::Of::first) return;
  if (lives_.take_back(commit)) --counters_.counted(commit.counter).committed;
}

void Registry::named(HandleBits handle, std::string_view name) {
  const std::lock_guard guard(lock_);
  const HandleEntry* entry = lives_.find(handle);
  if (closed_ || !entry || cache_.is_predefined(entry->type())) return;
  const DefinitionNumber number = cache_.number_of(entry->type());
  if (names_.is_new(number, name)) writer_.name(number, name);
}

bool Registry::was_freed(HandleBits handle) {
  const std::lock_guard guard(lock_);
  return lives_.was_freed(handle);
}

void Registry::made_by_library(HandleBits handle) {
  const std::lock_guard guard(lock_);
  if (lives_.was_freed(handle)) lives_.bury(handle);
}

bool Registry::knows(HandleBits handle) {
  const std::lock_guard guard(lock_);
  return lives_.find(handle) != nullptr;
}

Key Registry::key_of(const Free& free) {
  const std::lock_guard guard(lock_);
  return free.known ? cache_.store()[free.definition].key : 0;
}

void Registry::stands_in_fortran(HandleBits handle, std::int32_t integer) {
  const std::lock_guard guard(lock_);
  if (!closed_) lives_.stands_in_fortran(handle, integer);
}

HandleBits Registry::freed_in_fortran(std::int32_t integer) {
  const std::lock_guard guard(lock_);
  return lives_.freed_in_fortran(integer);
}

void Registry::failed(const EntryPoint& called, trace::ErrorClass error_class, const Stack& stack) {
  const std::lock_guard guard(lock_);
  if (closed_) return;
  Place place = place_of(called, stack);
  if (!failed_.has_room_for(place, error_class)) place.site = sites_.not_recorded(writer_);
  failed_.count(place, error_class);
}

Totals Registry::totals() {
  const std::lock_guard guard(lock_);
  return at_end_ ? *at_end_ : count_totals();
}

bool Registry::close(const End& end) {
  // At the end of a process the lock may belong to a thread that will never run again, or to the very
  // call that a signal handler interrupted: then the trace stays without its end.
  if (end.patience == Patience::bounded) {
    if (!lock_.try_lock_for_a_while()) return false;
  } else {
    lock_.lock();
  }
  {
    const std::lock_guard guard(lock_, std::adopt_lock);
    if (closed_) return true;
    closed_ = true;
    at_end_ = count_totals();
    if (!writer_.stopped()) write_counters();
    writer_.settle();
  }
  // Nobody else writes any more.
  if (!writer_.stopped()) write_end(end);
  if (writer_.stopped()) {
    pages_.ended(end.complete ? trace::Completeness::complete : trace::Completeness::incomplete, end.reason);
  } else {
    pages_.remove();
  }
  return true;
}

void Registry::write_counters() {
  if (!counters_.fold_all()) return;
  failed_.write(writer_);
  if (write_at_end_) write_at_end_(writer_, unrecorded_);
}

void Registry::write_end(const End& end) {
  std::vector<UnrecordedRecord> items = counters_.unrecorded();
  unrecorded_.add_to(items);
  const std::uint64_t without = end.add_facts ? end.add_facts() : writer_.definitions();
  writer_.end({end.complete, std::string(end.reason), std::string(end.time), without}, items);
}

void Registry::abandon() {
  if (!lock_.try_lock_for_a_while()) return;
  const std::lock_guard guard(lock_, std::adopt_lock);
  const bool is_ending = std::exchange(closed_, true);  // then somebody else writes
  pages_.trace_stopped(trace::counter_file_abandoned);
  if (pages_.problem() == 0 || writer_.stopped() || is_ending) return;
  writer_.note("A process had no memory for more: what it did afterwards is not in the trace.");
}

}  // namespace ddtscope::plugin
