// What is behind the handles of the C API, and what all its functions share: the check of contexts and handles,
// errors as values, and the wall that no exception passes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decoder/base/exact.h"
#include "decoder/bounds/bounds.h"
#include "decoder/c_api/ddtscope.h"
#include "decoder/definition/arguments.h"
#include "decoder/definition/definition.h"
#include "decoder/definition/this_machine.h"
#include "decoder/equality/fingerprint.h"
#include "decoder/findings/findings.h"
#include "decoder/layout/layout.h"
#include "decoder/layout/layout_index.h"
#include "decoder/layout/path.h"
#include "decoder/layout/typemap.h"
#include "decoder/normal_form/simplify.h"

namespace ddtscope::c_api {

/// DDTSCOPE_RULE_OPENMPI and those after it, which have releases.
constexpr bool is_of_library(int rule) { return rule > DDTSCOPE_RULE_STANDARD && rule < DDTSCOPE_RULE_OBSERVED; }

/// How a call ends: success, or an error class and a sentence.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(int error, std::string message) : error_(error), message_(std::move(message)) {}
  Status(ErrorClass error, std::string message);

  bool failed() const { return error_ != DDTSCOPE_SUCCESS; }
  int error() const { return error_; }
  const std::string& message() const { return message_; }

 private:
  int error_ = DDTSCOPE_SUCCESS;
  std::string message_;
};

/// DDTSCOPE_ERR_ARG where a pointer that is to be used is NULL.
Status require(const void* pointer, const char* name);

/// Where text goes, and how long it was.
struct TextBuffer {
  char* buffer;
  std::size_t size;
  std::size_t* length;
};
Status put_text(std::string_view text, const TextBuffer& out);

ddtscope_integer integer_of(Exact value);
Status exact_of(ddtscope_integer value, const char* name, Exact& exact);

/// A constructor call as C has it.
struct Construction {
  Combiner combiner;
  Form form = Form::int_counts;
  std::initializer_list<std::int64_t> scalars = {};
  std::initializer_list<IntegerArray> arrays = {};  // without lengths: a count or ndims gives them
  const ddtscope_datatype* oldtypes = nullptr;
  ddtscope_datatype* newtype = nullptr;
};

}  // namespace ddtscope::c_api

/// Not synchronised.
struct ddtscope_context {
 public:
  using Status = ddtscope::c_api::Status;

  ddtscope_context();

  ddtscope::DefinitionStore& store() { return store_; }
  const ddtscope::DefinitionStore& store() const { return store_; }

  ddtscope_datatype handle(ddtscope::DefinitionId id) const {
    return std::uint64_t{serial_} << 32 | (std::uint64_t{id.value} + 1);
  }
  Status resolve(ddtscope_datatype datatype, const char* name, ddtscope::DefinitionId& id) const;

  /// Adds the type where it is new.
  std::optional<ddtscope::DefinitionId> predefined(std::string_view name);
  Status set_predefined(std::string_view name, ddtscope::SizeAndAlignment value);
  /// What an F90 call stands for; empty where Fortran has no such kind.
  std::optional<ddtscope::PredefinedType> f90_type(const ddtscope::ConstructorCall& call) const;

  Status construct(const ddtscope::c_api::Construction& construction);
  /// Interns a call whose arguments are checked here.
  Status intern(const ddtscope::ConstructorCall& call, ddtscope::DefinitionId& id);

  /// What is asked of layouts, under one of the public rules.
  struct View {
    explicit View(const ddtscope::Layouts& all) : layouts(all), fingerprints(all), index(all) {}
    const ddtscope::Layouts& layouts;
    ddtscope::Fingerprints fingerprints;
    ddtscope::LayoutIndex index;
  };
  /// `view` is set on success.
  Status view(int rule, View*& view);
  /// Copies of a type under a rule: what most functions ask of.
  struct Asked {
    ddtscope::DefinitionId id;
    View* view = nullptr;
    ddtscope::LayoutId root;
    ddtscope::Copies copies;
  };
  Status ask(ddtscope_datatype datatype, int rule, std::int64_t count, Asked& asked);
  ddtscope::Bounds bounds(int rule, ddtscope::DefinitionId id);
  /// What is judged under one of the public rules.
  struct Judge {
    Judge(ddtscope_context& context, View& view);
    ddtscope::Simplifier simplifier;
    ddtscope::FindingSources sources;
  };
  /// With all definitions laid out: those made of one have a say. `judge` is set on success.
  Status judge(int rule, Judge*& judge);
  /// What the rule stands for from now on.
  void take_release(int rule, const ddtscope::TakenRelease& taken);
  const ddtscope::ModelledRelease& release(int rule) const { return rules_.releases()[ddtscope::bounds_rules[rule]]; }
  const char* remark_on_release(int rule) const { return remarks_[static_cast<std::size_t>(rule)].c_str(); }
  /// False where it comes too late.
  bool observe(ddtscope::DefinitionId id, const ddtscope::ObservedBounds& bounds);
  /// "MPI_INT"; lives as long as the context.
  const char* basic_name(ddtscope::PredefinedId id);

  void set_name(ddtscope::DefinitionId id, std::string_view name);
  std::string name_of(ddtscope::DefinitionId id) const;
  /// A way down from the type; a predefined one, from which no way leads down, is named.
  std::string text_of_way(ddtscope::DefinitionId id, const std::vector<ddtscope::PathStep>& way) const;

  std::string message;  // of the last call
  // What the last calls for them gave pointers into.
  std::vector<ddtscope::Finding> findings;
  std::vector<std::string> reasons;

 private:
  /// What was said of types of a job.
  struct Observations final : ddtscope::ObservedSource {
    explicit Observations(const ddtscope::DefinitionStore& store) : layouts(store, *this) {}
    /// With the standard's value in place of one that is not known: elsewhere a missing one is MPI_UNDEFINED.
    std::optional<ddtscope::ObservedBounds> observed(ddtscope::DefinitionId id) const override;
    std::map<ddtscope::DefinitionId, ddtscope::ObservedBounds> said;
    ddtscope::Layouts layouts;
  };

  std::uint32_t serial_;
  ddtscope::DefinitionStore store_;
  ddtscope::AllRules rules_;
  std::array<std::string, DDTSCOPE_RULE_OBSERVED> remarks_;  // by rule, on its release
  Observations observations_;
  std::uint32_t judged_ = 0;                                             // so many definitions are laid out as observed
  std::array<std::unique_ptr<View>, DDTSCOPE_RULE_OBSERVED + 1> views_;  // by rule
  std::array<std::unique_ptr<Judge>, DDTSCOPE_RULE_OBSERVED + 1> judges_;         // by rule
  std::deque<std::string> basic_names_;                                           // by PredefinedId
  std::map<std::string, ddtscope::SizeAndAlignment, std::less<>> other_machine_;  // by canonical name
  std::map<ddtscope::DefinitionId, std::string> names_;
};

namespace ddtscope::c_api {

/// Whether a context was created and not freed yet.
bool is_live(const ddtscope_context* context);

/// The message for calls without a context; of this thread.
std::string& message_without_context();

/// Ends a call: keeps the message, gives the error class. Messages that cannot be kept for lack of memory are empty.
int finish(const char* function, const Status& status, std::string& message) noexcept;

/// Runs `body`, and turns what it throws into an error.
template <class Body>
int without_exceptions(const char* function, std::string& message, Body body) noexcept {
  try {
    return finish(function, body(), message);
  } catch (const std::bad_alloc&) {
    return finish(function, Status(DDTSCOPE_ERR_NO_MEM, ""), message);
  } catch (const std::length_error&) {
    return finish(function, Status(DDTSCOPE_ERR_NO_MEM, ""), message);
  } catch (...) {
    return finish(function, Status(DDTSCOPE_ERR_INTERN, ""), message);
  }
}

/// The frame of each function of the API.
template <class Body>
int call(const char* function, ddtscope_context* context, Body body) noexcept {
  if (!is_live(context)) {
    return without_exceptions(function, message_without_context(), [&] {
      return Status(DDTSCOPE_ERR_ARG, context == nullptr ? "the context is NULL" : "the context was freed");
    });
  }
  return without_exceptions(function, context->message, [&]() -> Status { return body(*context); });
}

}  // namespace ddtscope::c_api
