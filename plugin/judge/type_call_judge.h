// What is wrong with the arguments of calls that make, commit and free types (MPI-4.1 5.1), before the library gets
// them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/judge/verdicts.h"
#include "plugin/registry/registry.h"

namespace ddtscope::plugin {

/// An error that the user is to be told of before the call.
struct ToldError {
  std::string message;
  FindingId id = {};
  void* address = nullptr;  // where the call returns to; null where stacks are off
};

/// A constructor call that is about to be made. Its datatypes are handles.
struct ConstructorArguments {
  const ConstructorCall& call;
  const IntegerArray& oldtypes;
};

class TypeCallJudge {
 public:
  /// All must outlive it.
  struct Parts {
    Registry& registry;
    Verdicts& verdicts;
    HandleBits null_type = 0;
    std::function<void(const ToldError&)> tell;
  };
  explicit TypeCallJudge(Parts parts) : parts_(std::move(parts)) {}

  // Quick, because each constructor call asks.
  bool is_predefined(HandleBits type) const { return parts_.registry.predefined(type).valid(); }
  bool is_null(HandleBits type) const { return type == parts_.null_type; }
  /// Whether the handle is null, or stood for a type that was freed.
  [[gnu::always_inline]] bool is_no_type(HandleBits type) const {
    return !is_predefined(type) && (is_null(type) || parts_.registry.was_freed(type));
  }

  /// Whether judge() would write something.
  bool is_wrong(const ConstructorArguments& arguments) const {
    return !wrong_arguments(arguments).empty() || has_wrong_types(arguments);
  }

  /// Where a call came from.
  struct Caller {
    const EntryPoint* called = nullptr;
    const Stack* stack = nullptr;
  };
  // These write what is wrong, if anything is.
  void judge(const ConstructorArguments& arguments, const Caller& caller);
  void judge_commit(HandleBits type, const Caller& caller);
  void judge_free(HandleBits type, const Caller& caller);

 private:
  struct Wrong {
    FindingId id;
    std::string argument;
    std::string message;
    HandleBits type = 0;
  };
  std::vector<Wrong> wrong_arguments(const ConstructorArguments& arguments) const;
  bool has_wrong_types(const ConstructorArguments& arguments) const;
  void add_wrong_type(const Wrong& place, std::string_view called, std::vector<Wrong>& found) const;
  void write(const std::vector<Wrong>& found, const Caller& caller);

  Parts parts_;
};

}  // namespace ddtscope::plugin
