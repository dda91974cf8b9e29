// What is wrong with the arguments of a call that uses datatypes, as far as the process itself can tell before the
// library gets them (MPI-4.1 3.2, 5.1.9, 6). Off the way of calls that are right: whoever counts them asks for it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plugin/call/call_outcome.h"
#include "plugin/judge/type_call_judge.h"
#include "plugin/judge/verdicts.h"
#include "plugin/registry/registry.h"
#include "plugin/uses/communicators.h"
#include "plugin/uses/op_types.h"
#include "plugin/uses/use_amounts.h"

namespace ddtscope::plugin {

class UseJudge {
 public:
  struct Options {
    UseConstants constants;
    HandleBits null_type = 0;
    std::vector<PredefinedOp> ops = {};
  };
  /// All must outlive it.
  struct Parts {
    Registry& registry;
    Verdicts& verdicts;
    LibraryQueries& library;
    std::function<void(const ToldError&)> tell;
  };
  UseJudge(const Options& options, Parts parts) : options_(options), parts_(std::move(parts)), ops_(options.ops) {}

  /// Whether a call's operation and type were found to be right together before. Under the lock.
  bool knows_operation(const UseCall& call, const TypeInUse& type) const { return ops_.is_known(pair_of(call, type)); }

  /// Writes what is wrong with the call. Without the lock: the library may be asked for a type's bounds.
  void judge(const UsingCall& call, const Communicators& communicators);
  /// A call of which something was not known has come back. Without the lock.
  void settle(const UsingCall& call, CallOutcome outcome);

 private:
  OpTypes::Pair pair_of(const UseCall& call, const TypeInUse& type) const {
    return {call.handle(call.row.uses.op, options_.constants), type, call.row.is_one_sided()};
  }
  struct Suspicion {
    Verdict verdict;
    // Of a null buffer: which copies of the type are there, and how far from it the first one is.
    bool depends_on_bounds = false;
    bool is_partitioned = false;
    HandleBits type = 0;
    std::int64_t first_copy = 0, last_copy = 0;
    std::int64_t displacement = 0;
  };

  std::vector<Suspicion> look(const UsingCall& call, const Communicators& communicators);
  void look_at(const UsingCall& call, const UseAmount& amount, std::vector<Suspicion>& found);
  void look_at_negative(const UsingCall& call, const UseAmount& amount, Suspicion negative,
                        std::vector<Suspicion>& found) const;
  bool look_at_type(const UsingCall& call, const UseAmount& amount, Suspicion& suspicion);
  bool look_at_operation(const UsingCall& call, const UseAmount& amount, Suspicion& suspicion);
  /// Why an operation and a type are wrong together.
  struct Misfit {
    Severity severity;
    std::string what;  // the call is given
  };
  std::optional<Misfit> misfit_of(const UsingCall& call, const UseAmount& amount, const PredefinedOp* op) const;
  std::string count_in_words(const UsingCall& call, const UseAmount& amount) const;
  void look_at_null_buffer(const UsingCall& call, const UseAmount& amount, Suspicion& suspicion) const;
  static Suspicion null_result(const UsingCall& call, const UseAmount& amount, Suspicion suspicion);
  /// Which bytes a null buffer's elements are.
  enum class Touched : std::uint8_t { none, lowest, at_addresses };
  Touched touched_bytes(const Suspicion& suspicion) const;
  bool is_right_by_bounds(Suspicion& suspicion) const;

  const Options options_;
  Parts parts_;
  OpTypes ops_;
};

}  // namespace ddtscope::plugin
