// Bounds under a rule, and the memory that copies need.
#include "decoder/bounds/bounds.h"

#include <iterator>
#include <span>

#include "decoder/c_api/context.h"
#include "decoder/layout/span.h"

using namespace ddtscope;
using namespace ddtscope::c_api;

namespace {

constexpr bool is_computed(int rule) { return rule >= DDTSCOPE_RULE_STANDARD && rule < DDTSCOPE_RULE_OBSERVED; }
static_assert(bounds_rules[DDTSCOPE_RULE_STANDARD] == BoundsRule::standard);
static_assert(bounds_rules[DDTSCOPE_RULE_OPENMPI] == BoundsRule::openmpi);
static_assert(bounds_rules[DDTSCOPE_RULE_MPICH] == BoundsRule::mpich);
static_assert(std::size(bounds_rules) == DDTSCOPE_RULE_OBSERVED);

Status observed_value(const ddtscope_integer& value, const char* name, std::optional<std::int64_t>& known) {
  if (value.bits != 64 && value.bits != 0) {
    return {DDTSCOPE_ERR_ARG, std::string(name) + " has " + std::to_string(value.bits) + " bits, not 64 or 0"};
  }
  if (value.bits == 64) known = ddtscope_to_count(value);
  return {};
}

}  // namespace

// Views of literals.
const char* ddtscope_rule_name(int rule) {
  if (rule == DDTSCOPE_RULE_OBSERVED) return "observed";
  return is_computed(rule) ? text_of(bounds_rules[rule]).data() : "";
}

const char* ddtscope_rule_version(int rule) {
  return is_computed(rule) ? newest_release(bounds_rules[rule]).name.data() : "";
}

const char* ddtscope_modelled_version(int rule, size_t index) {
  if (!is_computed(rule)) return "";
  const std::span<const ModelledRelease> releases = modelled_releases(bounds_rules[rule]);
  return index < releases.size() ? releases[releases.size() - 1 - index].name.data() : "";
}

int ddtscope_set_library_version(ddtscope_context* context, int rule, const char* library_version) {
  return call(__func__, context, [&](ddtscope_context& c) -> Status {
    if (Status status = require(library_version, "library_version"); status.failed()) return status;
    if (!is_of_library(rule)) {
      return {DDTSCOPE_ERR_ARG, "rule (" + std::to_string(rule) + ") is none of a library"};
    }
    c.take_release(rule, release_taken_for(bounds_rules[rule], library_version));
    return {};
  });
}

int ddtscope_get_library_version(ddtscope_context* context, int rule, const char** release, const char** remark) {
  return call(__func__, context, [&](ddtscope_context& c) -> Status {
    if (!is_computed(rule)) return {DDTSCOPE_ERR_ARG, "rule (" + std::to_string(rule) + ") has no version"};
    if (release != nullptr) *release = c.release(rule).name.data();
    if (remark != nullptr) *remark = c.remark_on_release(rule);
    return {};
  });
}

int ddtscope_get_bounds(ddtscope_context* context, ddtscope_datatype datatype, int rule, ddtscope_bounds* bounds) {
  return call(__func__, context, [&](ddtscope_context& c) {
    DefinitionId id;
    ddtscope_context::View* view = nullptr;
    if (Status status = c.resolve(datatype, "datatype", id); status.failed()) return status;
    if (Status status = require(bounds, "bounds"); status.failed()) return status;
    if (Status status = c.view(rule, view); status.failed()) return status;
    const Bounds result = c.bounds(rule, id);
    *bounds = {integer_of(result.size),       integer_of(result.lb),      integer_of(result.ub),
               integer_of(result.extent),     integer_of(result.true_lb), integer_of(result.true_ub),
               integer_of(result.true_extent)};
    return Status();
  });
}

int ddtscope_observe_bounds(ddtscope_context* context, ddtscope_datatype datatype, const ddtscope_bounds* bounds) {
  return call(__func__, context, [&](ddtscope_context& c) -> Status {
    DefinitionId id;
    if (Status status = c.resolve(datatype, "datatype", id); status.failed()) return status;
    if (Status status = require(bounds, "bounds"); status.failed()) return status;
    if (c.store()[id].call.combiner == Combiner::named) {
      return {DDTSCOPE_ERR_TYPE, "a predefined type's size is said by ddtscope_set_predefined"};
    }
    ObservedBounds observed;
    for (const Status& status :
         {observed_value(bounds->size, "size", observed.size), observed_value(bounds->lb, "lb", observed.lb),
          observed_value(bounds->extent, "extent", observed.extent),
          observed_value(bounds->true_lb, "true_lb", observed.true_lb),
          observed_value(bounds->true_extent, "true_extent", observed.true_extent)}) {
      if (status.failed()) return status;
    }
    if (!c.observe(id, observed)) {
      return {DDTSCOPE_ERR_OTHER, "the type has been laid out as observed before"};
    }
    return {};
  });
}

int ddtscope_get_span(ddtscope_context* context, ddtscope_datatype datatype, int rule, int64_t count,
                      ddtscope_integer* first, ddtscope_integer* length) {
  return call(__func__, context, [&](ddtscope_context& c) {
    ddtscope_context::Asked asked;
    if (Status status = c.ask(datatype, rule, count, asked); status.failed()) return status;
    if (Status status = require(first, "first"); status.failed()) return status;
    if (Status status = require(length, "length"); status.failed()) return status;
    const Span span = span_of(asked.view->layouts, asked.id, Exact(count));
    *first = integer_of(span.first);
    *length = integer_of(span.length());
    return Status();
  });
}
