#include "reporters/struct_layout/comparison.h"

#include <algorithm>
#include <array>

#include "decoder/definition/basic_kind.h"
#include "reporters/source/basic_names.h"

namespace ddtscope::reporters {
namespace {

bool is_any_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool is_bytes(std::string_view basic) {
  return is_any_of(basic, {"MPI_BYTE", "MPI_PACKED", "MPI_CHAR", "MPI_SIGNED_CHAR", "MPI_UNSIGNED_CHAR", "MPI_UINT8_T",
                           "MPI_INT8_T", "MPI_CHARACTER"});
}

namespace {

ScalarKind kind_of_basic(std::string_view basic) {
  switch (basic_kind(basic)) {
    case BasicKind::complex:
      return ScalarKind::complex;
    case BasicKind::floating:
      return ScalarKind::floating;
    case BasicKind::boolean:
      return ScalarKind::boolean;
    case BasicKind::unsigned_integer:
      return ScalarKind::unsigned_integer;
    case BasicKind::wide_character:
      return ScalarKind::character;
    case BasicKind::signed_integer:
    case BasicKind::byte:
    case BasicKind::packed:
    case BasicKind::other:
      break;
  }
  return ScalarKind::signed_integer;
}

bool is_floating(ScalarKind kind) { return kind == ScalarKind::floating || kind == ScalarKind::complex; }
bool is_signed(ScalarKind kind) { return kind == ScalarKind::signed_integer; }
bool is_unsigned(ScalarKind kind) { return kind == ScalarKind::unsigned_integer; }

/// Whether one is a complex number and the other half of one.
bool are_parts_of_complex(const BasicEntry& entry, const StructScalar& member) {
  const ScalarKind kind = kind_of_basic(entry.basic);
  if (kind == ScalarKind::floating && member.kind == ScalarKind::complex) {
    return 2 * entry.size == member.size && (entry.displacement - member.offset) % entry.size == 0;
  }
  return kind == ScalarKind::complex && member.kind == ScalarKind::floating && entry.size == 2 * member.size &&
         entry.displacement == member.offset;
}

Verdict verdict_on(const BasicEntry& entry, const StructScalar& member) {
  const ScalarKind kind = kind_of_basic(entry.basic);
  if (member.kind == ScalarKind::unknown || are_parts_of_complex(entry, member)) return Verdict::fits;
  if (member.kind == ScalarKind::bit_fields) return is_floating(kind) ? Verdict::other_kind : Verdict::fits;
  if (member.kind == ScalarKind::pointer) {
    const bool is_address = !is_floating(kind) && entry.size == member.size && entry.displacement == member.offset;
    return is_address ? Verdict::fits : Verdict::pointer;
  }
  if (is_floating(kind) != is_floating(member.kind)) return Verdict::other_kind;
  if (entry.size != member.size) return Verdict::other_size;
  if (entry.displacement != member.offset) return Verdict::other_place;
  if (kind == ScalarKind::complex || member.kind == ScalarKind::complex) {
    return kind == member.kind ? Verdict::fits : Verdict::other_kind;
  }
  if ((is_signed(kind) && is_unsigned(member.kind)) || (is_unsigned(kind) && is_signed(member.kind))) {
    return Verdict::sign;
  }
  const auto is_long_long = [](std::string_view basic) { return has_words(basic, "LONG_LONG"); };
  const auto is_long = [&](std::string_view basic) { return has_words(basic, "_LONG") && !is_long_long(basic); };
  const bool other_name =
      (is_long(entry.basic) && is_long_long(member.basic)) || (is_long_long(entry.basic) && is_long(member.basic));
  return other_name && !is_floating(kind) ? Verdict::same_bytes : Verdict::fits;
}

bool contains(const StructScalar& member, std::int64_t place) {
  return place >= member.offset && place < member.offset + member.size;
}

class Comparer {
 public:
  Comparer(const std::vector<StructScalar>& members, std::int64_t struct_size)
      : members_(members), touched_(members.size(), false), struct_size_(struct_size) {}

  void entry(const BasicEntry& entry) {
    touch(entry);
    ComparedPart part{Verdict::fits, entry, std::nullopt};
    const std::optional<std::size_t> member = best_member(entry);
    if (member) part.member = members_[*member];
    if (entry.displacement < 0 || entry.displacement + entry.size > struct_size_) {
      part.verdict = Verdict::beyond;
    } else if (is_bytes(entry.basic)) {
      part.verdict = member ? Verdict::fits : Verdict::sends_padding;
    } else {
      part.verdict = member ? verdict_on(entry, members_[*member]) : Verdict::in_padding;
    }
    if (!continues(part)) parts_.push_back(std::move(part));
  }

  std::vector<ComparedPart> take() {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const StructScalar& member = members_[i];
      const bool may_be_missing = member.kind == ScalarKind::pointer || member.kind == ScalarKind::bit_fields ||
                                  member.kind == ScalarKind::unknown || member.is_alternative || member.size == 0;
      if (!touched_[i] && !may_be_missing) parts_.push_back({Verdict::left_out, std::nullopt, member});
    }
    std::stable_sort(parts_.begin(), parts_.end(),
                     [](const ComparedPart& a, const ComparedPart& b) { return place_of(a) < place_of(b); });
    return std::move(parts_);
  }

 private:
  static std::int64_t place_of(const ComparedPart& part) {
    return part.entry ? part.entry->displacement : part.member->offset;
  }

  /// Bytes behind bytes are the same entry.
  bool continues(const ComparedPart& part) {
    if (parts_.empty() || !is_bytes(part.entry->basic)) return false;
    ComparedPart& before = parts_.back();
    const bool is_alike = before.entry->basic == part.entry->basic && before.verdict == part.verdict &&
                          before.entry->displacement + before.entry->size == part.entry->displacement &&
                          before.member.has_value() == part.member.has_value() &&
                          (!part.member || before.member->offset == part.member->offset);
    if (is_alike) before.entry->size += part.entry->size;
    return is_alike;
  }

  std::size_t first_from(std::int64_t place) const {
    // Members of a union may lie over others; none is larger than this.
    const auto found = std::lower_bound(members_.begin(), members_.end(), place - largest_scalar,
                                        [](const StructScalar& member, std::int64_t at) { return member.offset < at; });
    return static_cast<std::size_t>(found - members_.begin());
  }

  void touch(const BasicEntry& entry) {
    const std::int64_t end = entry.displacement + entry.size;
    for (std::size_t i = first_from(entry.displacement); i < members_.size() && members_[i].offset < end; ++i) {
      if (members_[i].offset + members_[i].size > entry.displacement) touched_[i] = true;
    }
  }

  std::optional<std::size_t> best_member(const BasicEntry& entry) const {
    std::optional<std::size_t> best;
    for (std::size_t i = first_from(entry.displacement);
         i < members_.size() && members_[i].offset <= entry.displacement; ++i) {
      if (!contains(members_[i], entry.displacement)) continue;
      if (!best || verdict_on(entry, members_[i]) < verdict_on(entry, members_[*best])) best = i;
    }
    return best;
  }

  static constexpr std::int64_t largest_scalar = 64;  // bytes
  const std::vector<StructScalar>& members_;
  std::vector<bool> touched_;
  std::int64_t struct_size_;
  std::vector<ComparedPart> parts_;
};

struct VerdictRow {
  std::optional<Severity> severity;
  std::string_view text;
};
constexpr std::array<VerdictRow, 11> verdict_rows = {{
    {std::nullopt, ""},
    {Severity::note, "long against long long, the same bytes here"},
    {Severity::note, "left out"},
    {Severity::note, "padding, sent as bytes"},
    {Severity::warning, "signed against unsigned"},
    {Severity::warning, "lies in padding, where no member is"},
    {Severity::error, "a pointer, in place of what it points to"},
    {Severity::error, "floating against integer"},
    {Severity::error, "not at the member's beginning"},
    {Severity::error, "another size"},
    {Severity::error, "lies beyond the struct"},
}};

}  // namespace

std::optional<Severity> severity_of(Verdict verdict) {
  return verdict_rows[static_cast<std::size_t>(verdict)].severity;
}
std::string_view text_of(Verdict verdict) { return verdict_rows[static_cast<std::size_t>(verdict)].text; }

std::vector<ComparedPart> compare(const std::vector<BasicEntry>& entries, const StructScalars& scalars,
                                  std::int64_t struct_size) {
  Comparer comparer(scalars.scalars, struct_size);
  for (const BasicEntry& entry : entries) comparer.entry(entry);
  return comparer.take();
}

std::optional<Severity> worst_of(const std::vector<ComparedPart>& parts) {
  std::optional<Severity> worst;
  for (const ComparedPart& part : parts) {
    const std::optional<Severity> severity = severity_of(part.verdict);
    if (severity && (!worst || *severity > *worst)) worst = severity;
  }
  return worst;
}

}  // namespace ddtscope::reporters
