#include "reporters/code/struct_plan.h"

#include <algorithm>
#include <utility>

namespace ddtscope::reporters {
namespace {

class Planner {
 public:
  explicit Planner(StructPlan& plan) : plan_(plan) {}

  void record(const SourceRecord& record, std::int64_t offset) {
    for (const SourceMember& member : record.members) {
      // What has no name is reached by its members' names alone.
      if (!member.name.empty()) path_.push_back(member.name);
      member_of(*member.type, offset + member.offset);
      if (!member.name.empty()) path_.pop_back();
    }
    if (record.has_unknown_places) plan_.left_out.push_back(here() + " (a virtual base class)");
  }

 private:
  void member_of(const SourceType& type, std::int64_t offset) {
    if (const SourceScalar* scalar = type.scalar()) {
      scalars(*scalar, type.size, {.offset = offset});
    } else if (const SourceArray* array = type.array()) {
      elements(*array, offset);
    } else if (type.record()->is_union) {
      bytes("a union", {.offset = offset, .count = type.size});
    } else {
      record(*type.record(), offset);
    }
  }

  /// `part` has place and count.
  void scalars(const SourceScalar& scalar, std::int64_t size, StructPart part) {
    if (scalar.kind == ScalarKind::pointer) {
      plan_.left_out.push_back(here() + " (a pointer)");
    } else if (scalar.kind == ScalarKind::bit_fields) {
      part.count *= size;
      bytes("bit-fields", std::move(part));
    } else if (!scalar.basic.empty()) {
      part.basic = scalar.basic;
      add(std::move(part));
    } else if (size > 0) {
      part.count *= size;
      bytes("MPI has no such type", std::move(part));
    } else {
      plan_.left_out.push_back(here() + " (of a type of which the debugging information says nothing)");
    }
  }

  void elements(const SourceArray& array, std::int64_t offset) {
    const SourceType* element = array.element.get();
    auto count = array.length();
    std::vector<SourceArray::Dimension> dimensions = array.dimensions;
    while (count && element->array() != nullptr) {  // a typedef's array in an array
      const auto inner = element->array()->length();
      count = inner && *inner <= most_elements / std::max<std::int64_t>(*count, 1) ? std::optional(*count * *inner)
                                                                                   : std::nullopt;
      dimensions.insert(dimensions.end(), element->array()->dimensions.begin(), element->array()->dimensions.end());
      element = element->array()->element.get();
    }
    if (!count || *count > most_elements) {
      plan_.left_out.push_back(here() + " (an array whose length is not in the type)");
    } else if (*count == 0) {
      return;
    } else if (const SourceScalar* scalar = element->scalar()) {
      scalars(*scalar, element->size, {.offset = offset, .count = *count});
    } else if (element->record()->is_union) {
      bytes("unions", {.offset = offset, .count = *count * element->size});
    } else {
      records(*element, {.offset = offset, .count = *count, .dimensions = std::move(dimensions)});
    }
  }

  void records(const SourceType& element, StructPart part) {
    part.inner = std::make_shared<StructPlan>(plan_of_struct(element));
    const std::string prefix = here() + "[].";
    for (const std::string& left : part.inner->left_out) plan_.left_out.push_back(prefix + left);
    for (const std::string& left : part.inner->as_bytes) plan_.as_bytes.push_back(prefix + left);
    if (!part.inner->parts.empty()) add(std::move(part));
  }

  void bytes(const char* why, StructPart part) {
    if (part.count > most_elements) {
      plan_.left_out.push_back(here() + " (" + why + ", of more bytes than a blocklength can have)");
      return;
    }
    plan_.as_bytes.push_back(here() + " (" + why + ")");
    part.basic = "MPI_BYTE";
    part.is_bytes = true;
    // Bit-fields that follow each other share bytes.
    if (!plan_.parts.empty() && plan_.parts.back().is_bytes) {
      StructPart& before = plan_.parts.back();
      const std::int64_t end = before.offset + before.count;
      if (part.offset >= before.offset && part.offset <= end &&
          part.offset + part.count - before.offset <= most_elements) {
        before.count = std::max(end, part.offset + part.count) - before.offset;
        return;
      }
    }
    add(std::move(part));
  }

  void add(StructPart part) {
    part.path = path_;
    plan_.parts.push_back(std::move(part));
  }

  std::string here() const { return path_.empty() ? "a part without a name" : path_text(path_, '.', "[0]"); }

  static constexpr std::int64_t most_elements = INT32_MAX;  // a blocklength
  StructPlan& plan_;
  std::vector<std::string> path_;
};

}  // namespace

StructPlan plan_of_struct(const SourceType& record) {
  StructPlan plan;
  plan.size = record.size;
  if (record.record()->is_union && record.size > INT32_MAX) {
    plan.left_out.emplace_back("all of it (a union, of more bytes than a blocklength can have)");
    return plan;
  }
  if (record.record()->is_union) {
    plan.as_bytes.emplace_back("all of it (a union)");
    plan.parts.push_back({.path = {}, .count = record.size, .basic = "MPI_BYTE", .is_bytes = true});
    return plan;
  }
  Planner(plan).record(*record.record(), 0);
  return plan;
}

std::string path_text(const std::vector<std::string>& path, char separator, std::string_view first) {
  std::string text;
  for (const std::string& name : path) {
    if (name.empty()) {
      text += first;
    } else {
      if (!text.empty()) text += separator;
      text += name;
    }
  }
  return text;
}

}  // namespace ddtscope::reporters
