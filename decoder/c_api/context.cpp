// Contexts, errors, and predefined datatypes.
#include "decoder/c_api/context.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_set>
#include <vector>

#include "decoder/base/of_thread.h"
#include "decoder/definition/f90.h"

namespace ddtscope::c_api {
namespace {

/// Contexts that may be used, so that one that was freed is told before it is touched.
class LiveContexts {
 public:
  void add(const ddtscope_context* context) {
    const std::unique_lock lock(mutex_);
    contexts_.insert(context);
  }
  /// False where it is not among them.
  bool remove(const ddtscope_context* context) {
    const std::unique_lock lock(mutex_);
    return contexts_.erase(context) != 0;
  }
  bool contains(const ddtscope_context* context) const {
    const std::shared_lock lock(mutex_);
    return contexts_.contains(context);
  }

 private:
  mutable std::shared_mutex mutex_;
  std::unordered_set<const ddtscope_context*> contexts_;
};

/// Never destroyed: a program may free its contexts while it ends.
LiveContexts& live_contexts() {
  static auto* const contexts = new LiveContexts;
  return *contexts;
}

std::uint32_t next_serial() {
  static std::atomic<std::uint32_t> last{0};
  std::uint32_t serial = 0;
  while (serial == 0) serial = last.fetch_add(1, std::memory_order_relaxed) + 1;
  return serial;
}

int public_error(ErrorClass error) {
  switch (error) {
    case ErrorClass::success:
      return DDTSCOPE_SUCCESS;
    case ErrorClass::count:
      return DDTSCOPE_ERR_COUNT;
    case ErrorClass::type:
      return DDTSCOPE_ERR_TYPE;
    case ErrorClass::rank:
      return DDTSCOPE_ERR_RANK;
    case ErrorClass::dims:
      return DDTSCOPE_ERR_DIMS;
    case ErrorClass::argument:
      return DDTSCOPE_ERR_ARG;
  }
  return DDTSCOPE_ERR_INTERN;
}

constexpr LibraryConstants constants = {DDTSCOPE_ORDER_C,          DDTSCOPE_ORDER_FORTRAN,
                                        DDTSCOPE_DISTRIBUTE_BLOCK, DDTSCOPE_DISTRIBUTE_CYCLIC,
                                        DDTSCOPE_DISTRIBUTE_NONE,  DDTSCOPE_DISTRIBUTE_DFLT_DARG};
static_assert(DDTSCOPE_UNDEFINED == mpi_undefined);

constexpr std::int64_t largest_basic_type = std::int64_t{1} << 31;

PredefinedType basic_type(const std::string& name, SizeAndAlignment value) {
  PredefinedType type;
  type.name = name;
  type.size = type.extent = value.size;
  type.alignment = value.alignment;
  return type;
}

/// A name that may be added to the standard's: the library's own.
bool is_library_name(std::string_view name) {
  return name.starts_with("MPI") && std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
         });
}

}  // namespace

Status::Status(ErrorClass error, std::string message) : Status(public_error(error), std::move(message)) {}

Status require(const void* pointer, const char* name) {
  return pointer != nullptr ? Status() : Status(DDTSCOPE_ERR_ARG, std::string(name) + " is NULL");
}

Status put_text(std::string_view text, const TextBuffer& out) {
  if (out.size > 0) {
    if (Status status = require(out.buffer, "buffer"); status.failed()) return status;
    const std::size_t fits = std::min(text.size(), out.size - 1);
    std::copy_n(text.data(), fits, out.buffer);
    out.buffer[fits] = '\0';
  }
  if (out.length != nullptr) *out.length = text.size();
  return {};
}

ddtscope_integer integer_of(Exact value) {
  if (!value.fits()) return {0, 0, 0};
  return {static_cast<std::uint64_t>(value.value()), static_cast<std::int64_t>(value.value() >> 64),
          value.to_int64() ? 64 : 128};
}

Status exact_of(ddtscope_integer value, const char* name, Exact& exact) {
  switch (value.bits) {
    case 0:
      exact = Exact::unfit();
      return {};
    case 64:
    case 128:
      break;
    default:
      return {DDTSCOPE_ERR_ARG, std::string(name) + " is no ddtscope_integer: its bits are none of 64, 128 and 0"};
  }
  const Int128 high = value.high;
  exact = Exact(high * (Int128{1} << 64) + static_cast<Int128>(value.low));
  return {};
}

bool is_live(const ddtscope_context* context) { return context != nullptr && live_contexts().contains(context); }

std::string& message_without_context() { return OfThread<std::string>::get(); }

int finish(const char* function, const Status& status, std::string& message) noexcept {
  message.clear();
  if (!status.failed()) return DDTSCOPE_SUCCESS;
  try {
    message = function;
    message += ": ";
    if (status.error() == DDTSCOPE_ERR_NO_MEM) {
      message += "not enough memory";
    } else if (status.error() == DDTSCOPE_ERR_INTERN) {
      message += "a mistake in ddtscope; please report it";
    } else {
      message += status.message();
    }
  } catch (...) {
    message.clear();
  }
  return status.error();
}

}  // namespace ddtscope::c_api

using namespace ddtscope;
using namespace ddtscope::c_api;

ddtscope_context::ddtscope_context()
    : serial_(next_serial()), store_(constants), rules_(store_), observations_(store_) {}

Status ddtscope_context::resolve(ddtscope_datatype datatype, const char* name, DefinitionId& id) const {
  if (datatype == DDTSCOPE_DATATYPE_NULL) {
    return {DDTSCOPE_ERR_TYPE, std::string(name) + " is DDTSCOPE_DATATYPE_NULL"};
  }
  const std::uint64_t number = datatype & UINT32_MAX;
  if (datatype >> 32 != serial_ || number == 0 || number > store_.size()) {
    return {DDTSCOPE_ERR_TYPE, std::string(name) + " is no datatype of this context"};
  }
  id = DefinitionId{static_cast<std::uint32_t>(number - 1)};
  return {};
}

std::optional<DefinitionId> ddtscope_context::predefined(std::string_view name) {
  if (f90_call_of_name(name)) return std::nullopt;  // has no name in MPI
  return add_predefined_type(store_, name, [&](std::string_view canonical) {
    const auto other = other_machine_.find(canonical);
    return other != other_machine_.end() ? std::optional(other->second) : on_this_machine(canonical);
  });
}

Status ddtscope_context::set_predefined(std::string_view name, SizeAndAlignment value) {
  const auto in_range = [](std::int64_t bytes) { return bytes >= 1 && bytes < largest_basic_type; };
  if (!in_range(value.size)) {
    return {DDTSCOPE_ERR_ARG, "size (" + std::to_string(value.size) + ") is not in [1, 2^31)"};
  }
  if (!in_range(value.alignment) || (value.alignment & (value.alignment - 1)) != 0) {
    return {DDTSCOPE_ERR_ARG, "alignment (" + std::to_string(value.alignment) + ") is no power of two in [1, 2^31)"};
  }
  const PredefinedName* row = find_predefined_name(name);
  if (row != nullptr && row->kind != PredefinedKind::basic) {
    return {DDTSCOPE_ERR_TYPE, std::string(name) + " is a pair type or a marker, which has no size of its own"};
  }
  const bool is_f90_name = f90_call_of_name(name).has_value();
  if (row == nullptr && !is_f90_name && !is_library_name(name)) {
    return {DDTSCOPE_ERR_ARG, "the name of a basic type begins with \"MPI\" or is like \"F90_REAL(15,307)\""};
  }
  const std::string canonical(row != nullptr ? row->canonical : name);
  if (const std::optional<PredefinedId> known = store_.predefined().find(canonical)) {
    const PredefinedType& type = store_.predefined()[*known];
    if (SizeAndAlignment{type.size, type.alignment} == value) return {};
    return {DDTSCOPE_ERR_OTHER, canonical + " is in use with size " + std::to_string(type.size) + " and alignment " +
                                    std::to_string(type.alignment)};
  }
  other_machine_[canonical] = value;
  return {};
}

std::optional<PredefinedType> ddtscope_context::f90_type(const ConstructorCall& call) const {
  const auto other = other_machine_.find(f90_name(call));
  return other != other_machine_.end() ? basic_type(other->first, other->second) : common_f90_type(call);
}

Status ddtscope_context::construct(const Construction& construction) {
  ConstructorCall call;
  call.combiner = construction.combiner;
  call.form = construction.form;
  const CombinerRow& row = row_of(call.combiner);
  const std::int64_t* scalar = construction.scalars.begin();
  const IntegerArray* array = construction.arrays.begin();
  std::size_t scalars = 0;
  std::size_t arrays = 0;
  std::size_t count = row.datatypes == DatatypeArguments::two ? 2 : row.datatypes == DatatypeArguments::one ? 1 : 0;
  std::size_t length = 0;
  for (const Parameter& parameter : row.parameters) {
    if (parameter.shape == ParameterShape::scalar) {
      const std::int64_t value = call.scalars[scalars++] = *scalar++;
      // Before it is taken for a length.
      if (const auto problem =
              impossible_values(parameter, call.form, IntegerArray(std::span<const std::int64_t>(&value, 1)))) {
        return {problem->error, problem->text};
      }
      if (parameter.is_length()) length = static_cast<std::size_t>(value);
      continue;
    }
    if (length == 0) continue;
    if (array->data == nullptr) return {DDTSCOPE_ERR_ARG, std::string(parameter.name) + " is NULL"};
    call.arrays[arrays] = *array++;
    call.arrays[arrays++].length = length;
  }
  const bool has_types = row.datatypes == DatatypeArguments::per_count;
  if (has_types) count = length;
  if (has_types && count > 0 && construction.oldtypes == nullptr) {
    return {DDTSCOPE_ERR_ARG, "array_of_types is NULL"};
  }
  std::vector<DefinitionId> oldtypes(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = has_types    ? "array_of_types[" + std::to_string(i) + "]"
                             : count == 1 ? "oldtype"
                             : i == 0     ? "value_type"
                                          : "index_type";
    if (Status status = resolve(construction.oldtypes[i], name.c_str(), oldtypes[i]); status.failed()) return status;
  }
  if (Status status = require(construction.newtype, "newtype"); status.failed()) return status;
  call.datatypes = oldtypes;
  DefinitionId id;
  if (Status status = intern(call, id); status.failed()) return status;
  *construction.newtype = handle(id);
  return {};
}

Status ddtscope_context::intern(const ConstructorCall& call, DefinitionId& id) {
  if (const auto problem = erroneous_argument(store_, call)) return {problem->error, problem->text};
  if (is_f90(call.combiner) && !store_.predefined().find(f90_name(call))) {
    const std::optional<PredefinedType> basic = f90_type(call);
    if (!basic) return {DDTSCOPE_ERR_ARG, "Fortran has no kind with this precision and range"};
    store_.add_basic(*basic);
  }
  id = store_.intern(call).id;
  return {};
}

std::optional<ObservedBounds> ddtscope_context::Observations::observed(DefinitionId id) const {
  const auto known = said.find(id);
  if (known == said.end()) return std::nullopt;
  ObservedBounds bounds = known->second;
  const ObservedBounds by_standard = as_answered(layouts.computed(id));
  for (const NamedBound& bound : named_bounds) {
    if (!(bounds.*bound.value)) bounds.*bound.value = by_standard.*bound.value;
  }
  return bounds;
}

Status ddtscope_context::view(int rule, View*& view) {
  if (rule < DDTSCOPE_RULE_STANDARD || rule > DDTSCOPE_RULE_OBSERVED) {
    return {DDTSCOPE_ERR_ARG, "rule (" + std::to_string(rule) + ") is none"};
  }
  const bool is_observed = rule == DDTSCOPE_RULE_OBSERVED;
  const Layouts& layouts = is_observed ? observations_.layouts : rules_[bounds_rules[rule]].layouts();
  std::unique_ptr<View>& kept = views_[static_cast<std::size_t>(rule)];
  if (!kept) kept = std::make_unique<View>(layouts);
  view = kept.get();
  return {};
}

ddtscope_context::Judge::Judge(ddtscope_context& context, View& view)
    : simplifier(context.store_, view.layouts),
      sources{view.layouts, context.rules_, view.fingerprints, simplifier,
              [&context](DefinitionId id) { return context.name_of(id); }} {}

Status ddtscope_context::judge(int rule, Judge*& judge) {
  View* view = nullptr;
  if (Status status = this->view(rule, view); status.failed()) return status;
  // Bounds that are observed later would contradict what is told here.
  for (; rule == DDTSCOPE_RULE_OBSERVED && judged_ < store_.size(); ++judged_) {
    observations_.layouts.root(DefinitionId{judged_});
  }
  std::unique_ptr<Judge>& kept = judges_[static_cast<std::size_t>(rule)];
  if (!kept) {
    kept = std::make_unique<Judge>(*this, *view);
    if (is_of_library(rule)) kept->sources.library = bounds_rules[rule];
  }
  judge = kept.get();
  return {};
}

Status ddtscope_context::ask(ddtscope_datatype datatype, int rule, std::int64_t count, Asked& asked) {
  if (Status status = resolve(datatype, "datatype", asked.id); status.failed()) return status;
  if (count < 0) return {DDTSCOPE_ERR_COUNT, "count (" + std::to_string(count) + ") is negative"};
  if (Status status = view(rule, asked.view); status.failed()) return status;
  asked.root = asked.view->layouts.root(asked.id);
  asked.copies = {Exact(count), asked.view->layouts.extent(asked.id)};
  return {};
}

Bounds ddtscope_context::bounds(int rule, DefinitionId id) {
  if (rule != DDTSCOPE_RULE_OBSERVED) return rules_[bounds_rules[rule]].bounds(id);
  Bounds bounds = observations_.layouts.computed(id);
  const std::optional<ObservedBounds> observed = observations_.observed(id);
  if (!observed) return bounds;
  const auto replace = [](Exact& value, const std::optional<std::int64_t>& known) {
    if (known) value = Exact(*known);
  };
  replace(bounds.size, observed->size);
  replace(bounds.lb, observed->lb);
  replace(bounds.extent, observed->extent);
  replace(bounds.true_lb, observed->true_lb);
  replace(bounds.true_extent, observed->true_extent);
  bounds.ub = bounds.lb + bounds.extent;
  bounds.true_ub = bounds.true_lb + bounds.true_extent;
  return bounds;
}

void ddtscope_context::take_release(int rule, const TakenRelease& taken) {
  const auto i = static_cast<std::size_t>(rule);
  remarks_[i] = taken.remark;
  if (&release(rule) == taken.release) return;
  // What is laid out otherwise is looked at anew; findings name the release.
  for (std::unique_ptr<Judge>& judge : judges_) judge.reset();
  views_[i].reset();
  rules_.choose(*taken.release);
}

bool ddtscope_context::observe(DefinitionId id, const ObservedBounds& bounds) {
  if (observations_.layouts.is_laid_out(id)) return false;
  observations_.said[id] = bounds;
  return true;
}

const char* ddtscope_context::basic_name(PredefinedId id) {
  while (basic_names_.size() <= id.value) {
    const PredefinedId next{static_cast<std::uint32_t>(basic_names_.size())};
    basic_names_.push_back(store_.predefined()[next].name);
  }
  return basic_names_[id.value].c_str();
}

void ddtscope_context::set_name(DefinitionId id, std::string_view name) {
  if (name.empty()) {
    names_.erase(id);
  } else {
    names_[id] = name;
  }
}

std::string ddtscope_context::name_of(DefinitionId id) const {
  const auto given = names_.find(id);
  if (given != names_.end()) return given->second;
  const Definition& definition = store_[id];
  return definition.predefined.valid() ? store_.predefined()[definition.predefined].name
                                       : "T" + std::to_string(std::uint64_t{id.value} + 1);
}

std::string ddtscope_context::text_of_way(DefinitionId id, const std::vector<PathStep>& way) const {
  if (way.empty()) return name_of(id);
  return text_of_path(store_, way, [this](DefinitionId type) { return name_of(type); });
}

const char* ddtscope_error_name(int error) {
  switch (error) {
    case DDTSCOPE_SUCCESS:
      return "MPI_SUCCESS";
    case DDTSCOPE_ERR_COUNT:
      return "MPI_ERR_COUNT";
    case DDTSCOPE_ERR_TYPE:
      return "MPI_ERR_TYPE";
    case DDTSCOPE_ERR_RANK:
      return "MPI_ERR_RANK";
    case DDTSCOPE_ERR_DIMS:
      return "MPI_ERR_DIMS";
    case DDTSCOPE_ERR_ARG:
      return "MPI_ERR_ARG";
    case DDTSCOPE_ERR_VALUE_TOO_LARGE:
      return "MPI_ERR_VALUE_TOO_LARGE";
    case DDTSCOPE_ERR_NO_MEM:
      return "MPI_ERR_NO_MEM";
    case DDTSCOPE_ERR_OTHER:
      return "MPI_ERR_OTHER";
    case DDTSCOPE_ERR_INTERN:
      return "MPI_ERR_INTERN";
    default:
      return "";
  }
}

const char* ddtscope_error_message(const ddtscope_context* context) {
  return is_live(context) ? context->message.c_str() : message_without_context().c_str();
}

const char* ddtscope_version(void) { return DDTSCOPE_VERSION; }

int ddtscope_context_create(ddtscope_context** context) {
  return without_exceptions(__func__, message_without_context(), [&]() -> Status {
    if (Status status = require(context, "context"); status.failed()) return status;
    auto created = std::make_unique<ddtscope_context>();
    live_contexts().add(created.get());
    *context = created.release();
    return {};
  });
}

int ddtscope_context_free(ddtscope_context** context) {
  return without_exceptions(__func__, message_without_context(), [&]() -> Status {
    if (Status status = require(context, "context"); status.failed()) return status;
    if (*context == nullptr) return {};
    if (!live_contexts().remove(*context)) return {DDTSCOPE_ERR_ARG, "the context was freed before"};
    delete *context;
    *context = nullptr;
    return {};
  });
}

int ddtscope_set_predefined(ddtscope_context* context, const char* name, int64_t size, int64_t alignment) {
  return call(__func__, context, [&](ddtscope_context& c) {
    if (Status status = require(name, "name"); status.failed()) return status;
    return c.set_predefined(name, {size, alignment});
  });
}

int ddtscope_predefined(ddtscope_context* context, const char* name, ddtscope_datatype* datatype) {
  return call(__func__, context, [&](ddtscope_context& c) -> Status {
    if (Status status = require(name, "name"); status.failed()) return status;
    if (Status status = require(datatype, "datatype"); status.failed()) return status;
    const std::optional<DefinitionId> id = c.predefined(name);
    if (!id) return {DDTSCOPE_ERR_TYPE, std::string("\"") + name + "\" is no predefined datatype"};
    *datatype = c.handle(*id);
    return {};
  });
}

const char* ddtscope_predefined_name(size_t index) {
  // Views of literals, which end in a null character.
  const std::vector<PredefinedName>& names = predefined_names();
  return index < names.size() ? names[index].name.data() : nullptr;
}
