// The shadow registry: which definition each live handle has, and how many instances each (definition, call site) had.
// The sole owner of the plugin's lock, not held while the MPI library is called; knows handles only by their bits.
// What nearly every call that makes, commits or frees a type comes to needs one lane of it (registry_lanes.cpp).
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "plugin/registry/library_decoding.h"
#include "plugin/registry/recorded_calls.h"
#include "plugin/registry/registry_end.h"
#include "plugin/registry/registry_parts.h"

namespace ddtscope::plugin {

class Registry : RegistryParts {
 public:
  using Totals = plugin::Totals;
  using Commit = HandleLives::Commit;
  using Free = HandleLives::Free;
  using Options = RegistryOptions;
  using Surroundings = RegistrySurroundings;
  using End = RegistryEnd;
  using Patience = RegistryPatience;

  Registry(const Options& options, const Surroundings& around);

  const DefinitionStore& store() const { return cache_.store(); }
  /// Counts a constructor call of one oldtype and no arrays, if it was made lately from the same place: what most calls
  /// come to. False where it is all left to created().
  [[gnu::always_inline]] inline bool created_again(const PlainCreation& creation);
  void created(const Creation& creation);
  /// MPI_Type_commit is about to be called. The one look-up counts it, and tells whether it is right.
  [[gnu::always_inline]] inline Commit begin_commit(HandleBits handle);
  void commit_failed(const Commit& commit);  // it has come back with an error
  void named(HandleBits handle, std::string_view name);
  bool knows(HandleBits handle);
  /// Of the handle of a named predefined type. Without the lock; invalid for others, and for some of them.
  [[gnu::always_inline]] inline DefinitionId predefined(HandleBits handle) const { return predefined_.find(handle); }
  /// The handle stood for a type that was made and freed, and for nothing since.
  bool was_freed(HandleBits handle);
  /// The library made a type for itself, maybe with a handle that was the program's: nothing is known of that now.
  void made_by_library(HandleBits handle);
  /// A library call took this handle and succeeded: it is a datatype, adopted if it is not known.
  void adopt_used(HandleBits handle, const EntryPoint& called, const Stack& stack);
  /// The library gave this handle, made by itself, to the program.
  void adopt_returned(HandleBits handle, const EntryPoint& called, const Stack& stack);
  void decoded(const Decoding& decoding);
  void stands_in_fortran(HandleBits handle, std::int32_t integer);
  /// The handle of the freed type that the INTEGER stood for; 0 where nobody knows.
  HandleBits freed_in_fortran(std::int32_t integer);
  /// MPI_Type_free is about to be called.
  [[gnu::always_inline]] inline Free begin_free(HandleBits handle);
  /// It has come back. True where the handle still stands for the type, by an older reference.
  [[gnu::always_inline]] inline bool end_free(const Free& free, CallOutcome outcome, const FreedAt& at = {});
  /// The key of a type that is being freed, for those who listen to frees; 0 where it is not known.
  Key key_of(const Free& free);
  /// A call by the program that returned an error, and so made nothing.
  void failed(const EntryPoint& called, trace::ErrorClass error_class, const Stack& stack);

  /// For what counts beside the registry, into the same trace: runs `work` under the lock, unless nothing is recorded
  /// any more. Of handles it may ask for those alone that the program keeps alive meanwhile: what becomes of others in
  /// their lanes it does not see as a whole.
  template <class Work>
  [[gnu::always_inline]] inline void beside(const Work& work) {
    const std::lock_guard guard(lock_.beside());
    if (!closed_) work();
  }
  /// The same for work that asks for any handles, and for where they were freed: no other thread is in a lane
  /// meanwhile.
  template <class Work>
  void beside_all_handles(const Work& work) {
    const std::lock_guard guard(lock_);
    if (!closed_) work();
  }
  /// For such work alone.
  TypesInUse& types_in_use() { return types_in_use_; }
  /// `write` runs under the lock when the counters are written into the trace.
  void write_at_end(WriteAtEnd write) { write_at_end_ = std::move(write); }

  Totals totals();
  /// Writes the counters, what is derived of the definitions, without the lock, and the end of the trace. Once; nothing
  /// is recorded afterwards. False where the lock was not to be had.
  bool close(const End& end);
  /// There was no memory in the middle of something: nothing is recorded afterwards, and the trace says so.
  void abandon();
  /// From now on several threads may call at once, though one may be in a call that began before.
  void require_locking();
  bool closed() const { return closed_; }
  /// Why the trace takes no more lines; what is in it already is still counted.
  trace::Writer::Stop trace_stopped() const { return writer_.stopped(); }
  bool trace_is_removed() const { return writer_.is_removed(); }

 private:
  struct Making;        // a constructor call on its way
  enum class Step;      // what is to be done about it
  enum class Adoption;  // how a handle came that is not known

  // These need the handle's lane alone, mostly. By value: whoever calls them keeps its words in registers.
  bool created_again_in_lane(PlainCreation creation);
  Commit begin_commit_in_lane(HandleBits handle);
  Free begin_free_in_lane(HandleBits handle);
  bool end_free_in_lane(Free free, CallOutcome outcome, FreedAt at);
  DefinitionId definition_in_lane(const PlainCreation& creation) const;
  bool count_free_in_lane(const Free& free, const FreedAt& at);

  // These lock, and call the library without the lock.
  bool is_named(HandleBits handle);
  Step count_if_known(Making& making);
  void define_and_count(const Making& making);
  void verify(DefinitionId id, HandleBits newtype);
  bool adopt_oldtypes(const Making& making);
  bool find_or_adopt(HandleBits handle, const Place& place, std::string& problem);
  bool adopt(HandleBits handle, const Place& place, Adoption how, std::string& problem);

  // These are called under the lock.
  DefinitionId definition_of(HandleBits handle);
  void begin_again(HandleBits newtype, std::uint32_t counter);
  Commit commit(HandleBits handle);
  bool finish_free(const Free& free, CallOutcome outcome, const FreedAt& at);
  void remember_free(const Free& free, const FreedAt& at);
  bool find_oldtypes(Making& making);
  void count_created(const Making& making, DefinitionId definition);
  void count_children(const Decoding& decoding, DefinitionId type, const Place& place);
  void refuse(const Making& making, HandleBits oldtype, const std::string& problem);
  bool take(HandleBits handle, const LibraryDecoding& decoding, const Place& place, std::string& problem);
  bool share_if_known(HandleBits handle, const Place& place);
  void begin_duplicate(HandleBits oldtype, HandleBits newtype);
  void write_counters();
  void write_end(const End& end);

  std::optional<Totals> at_end_;
  WriteAtEnd write_at_end_;
};

}  // namespace ddtscope::plugin
#include "plugin/registry/registry_inline.h"
