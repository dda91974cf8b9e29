#include "reporters/measure/block_rows.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string_view>

#include "decoder/layout/typemap.h"
#include "reporters/model/job_of_text.h"

namespace ddtscope::reporters {
namespace {

/// Arguments of a call that lists blocks.
constexpr std::int64_t most_listed_blocks = 4096;

/// Whether the block goes on with the row, which then has it.
bool takes(BlockRow& row, const NarrowBlock& block) {
  if (row.length != block.length) return false;
  if (row.count == 1) {
    row.stride = block.displacement - row.displacement;
  } else if (block.displacement - row.displacement != row.count * row.stride) {
    return false;
  }
  ++row.count;
  return true;
}

/// The bytes of a number in the extended format of the x87, which has 10 of them, whatever room it takes.
constexpr std::int64_t extended_bytes = 10;

/// How many numbers of the extended format such a basic type may be; 0 for all others.
int extended_parts(const PredefinedType& type) {
  const std::string_view name = type.name;
  if (name == "MPI_LONG_DOUBLE" || (name.starts_with("F90_REAL") && type.size > 8)) return 1;
  if (name == "MPI_C_LONG_DOUBLE_COMPLEX" || name == "MPI_CXX_LONG_DOUBLE_COMPLEX" ||
      (name.starts_with("F90_COMPLEX") && type.size > 16)) {
    return 2;
  }
  return 0;
}

/// Whether any entry may have bytes without a meaning. Looks at each node once, not at the entries.
bool has_extended_numbers(const Layouts& layouts, LayoutId root) {
  std::vector<LayoutId> open = {root};
  std::set<LayoutId> seen = {root};
  const auto see = [&](LayoutId id) {
    if (id.valid() && seen.insert(id).second) open.push_back(id);
  };
  while (!open.empty()) {
    const LayoutNode& node = layouts[open.back()];
    open.pop_back();
    if (node.facts.empty()) continue;
    if (node.facts.uniform()) {
      if (extended_parts(layouts.store().predefined()[node.facts.first_type]) > 0) return true;
      continue;
    }
    see(node.child);
    for (const LayoutId child : node.children) see(child);
  }
  return false;
}

/// The type that a blockwise call is made of, and how many bytes one of it has.
struct Element {
  std::string name = "MPI_BYTE";
  std::int64_t bytes = 1;
};

Element element_of(const Layouts& layouts, LayoutId root, const std::vector<BlockRow>& rows) {
  const LayoutFacts& facts = layouts[root].facts;
  const PredefinedType& basic = layouts.store().predefined()[facts.first_type];
  const auto is_whole = [&](const BlockRow& row) { return row.length % basic.size == 0; };
  const bool is_usable = facts.uniform() && basic.size > 0 && basic.extent == basic.size &&
                         find_predefined_name(basic.name) != nullptr && std::all_of(rows.begin(), rows.end(), is_whole);
  return is_usable ? Element{basic.name, basic.size} : Element{};
}

std::string text_of(std::int64_t number) { return std::to_string(number); }

std::string contiguous_or_hvector(const BlockRow& row, const Element& element) {
  const std::string length = text_of(row.length / element.bytes);
  if (row.count == 1) return "MPI_Type_contiguous(" + length + ", " + element.name + ")";
  return "MPI_Type_create_hvector(" + text_of(row.count) + ", " + length + ", " + text_of(row.stride) + ", " +
         element.name + ")";
}

std::string moved_by(const std::string& call, std::int64_t displacement) {
  if (displacement == 0) return call;
  return "MPI_Type_create_hindexed_block(1, 1, {" + text_of(displacement) + "}, " + call + ")";
}

/// Rows that are alike, at even distances: an hvector of an hvector.
std::optional<std::string> nested_call(const std::vector<BlockRow>& rows, const Element& element) {
  const std::int64_t step = rows[1].displacement - rows[0].displacement;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    BlockRow expected = rows[0];
    expected.displacement = rows[i - 1].displacement + step;
    if (!(rows[i] == expected)) return std::nullopt;
  }
  const std::string inner = contiguous_or_hvector(rows[0], element);
  return "MPI_Type_create_hvector(" + text_of(static_cast<std::int64_t>(rows.size())) + ", 1, " + text_of(step) + ", " +
         inner + ")";
}

std::optional<std::string> listing_call(const std::vector<BlockRow>& rows, const Element& element) {
  std::string lengths, displacements;
  std::int64_t blocks = 0;
  for (const BlockRow& row : rows) {
    if (row.count > most_listed_blocks - blocks) return std::nullopt;
    for (std::int64_t i = 0; i < row.count; ++i) {
      const std::string comma = blocks++ == 0 ? "" : ", ";
      lengths += comma + text_of(row.length / element.bytes);
      displacements += comma + text_of(row.displacement + i * row.stride);
    }
  }
  const bool are_even =
      std::all_of(rows.begin(), rows.end(), [&](const BlockRow& row) { return row.length == rows[0].length; });
  return are_even ? "MPI_Type_create_hindexed_block(" + text_of(blocks) + ", " +
                        text_of(rows[0].length / element.bytes) + ", {" + displacements + "}, " + element.name + ")"
                  : "MPI_Type_create_hindexed(" + text_of(blocks) + ", {" + lengths + "}, {" + displacements + "}, " +
                        element.name + ")";
}

}  // namespace

std::optional<std::vector<BlockRow>> block_rows(const Layouts& layouts, LayoutId root) {
  std::vector<BlockRow> rows;
  BlockCursor cursor(layouts, root);
  std::array<NarrowBlock, 1024> blocks{};
  while (const std::size_t read = cursor.next(blocks)) {
    for (std::size_t i = 0; i < read; ++i) {
      if (!rows.empty() && takes(rows.back(), blocks[i])) continue;
      if (rows.size() == most_rows) return std::nullopt;
      rows.push_back({blocks[i].displacement, blocks[i].length, 1, 0});
    }
  }
  return rows;
}

std::optional<std::vector<ValueRow>> value_rows(const Layouts& layouts, LayoutId root) {
  std::vector<ValueRow> rows;
  if (!has_extended_numbers(layouts, root)) return rows;
  bool any_padding = false;
  SignatureCursor cursor(layouts, root);
  SignatureRun run;
  while (cursor.next(run)) {
    if (rows.size() == most_rows) return std::nullopt;
    const PredefinedType& type = layouts.store().predefined()[run.type];
    const int parts = extended_parts(type);
    const std::int64_t size = type.size / std::max(parts, 1);
    rows.push_back({size, parts > 0 ? std::min(size, extended_bytes) : size,
                    run.repeat.to_int64().value_or(0) * std::max(parts, 1)});
    any_padding |= rows.back().meaning != size;
  }
  if (!any_padding) rows.clear();
  return rows;
}

std::optional<std::string> blockwise_call(const Layouts& layouts, LayoutId root, const std::vector<BlockRow>& rows,
                                          BlockwiseBounds bounds) {
  const Element element = element_of(layouts, root, rows);
  std::optional<std::string> call;
  if (rows.size() == 1) {
    call = moved_by(contiguous_or_hvector(rows[0], element), rows[0].displacement);
  } else if (const auto nested = nested_call(rows, element)) {
    call = moved_by(*nested, rows[0].displacement);
  } else {
    call = listing_call(rows, element);
  }
  if (!call) return std::nullopt;
  const auto made = job_of_text(*call, BoundsRule::standard);
  const auto* text = std::get_if<JobOfText>(&made);
  if (text == nullptr) return std::nullopt;  // such as a count that no int holds
  const ObservedBounds own = text->job->observed(text->job->type(text->type));
  if (own.lb == bounds.lb && own.extent == bounds.extent) return call;
  return "MPI_Type_create_resized(" + *call + ", " + text_of(bounds.lb) + ", " + text_of(bounds.extent) + ")";
}

}  // namespace ddtscope::reporters
