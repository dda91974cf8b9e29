// Typemaps: what streams, seeks and sums must agree in. Few entries are checked one by one.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "decoder/fuzz/exact_values.h"
#include "decoder/fuzz/questions.h"
#include "decoder/fuzz/text.h"

namespace ddtscope::fuzz {
namespace {

constexpr std::size_t most_entries = 160;

struct Copies {
  ddtscope_datatype type;
  int rule;
  std::int64_t count;
};

struct Batch {
  bool is_whole = false;  // not cut by a value that does not fit
  std::size_t number = 0;
};

template <class Element, class Read>
Batch read(Session& s, std::vector<Element>& out, Read read_into) {
  Batch batch;
  batch.number = 999999;
  const int status = read_into(out.data(), out.size(), &batch.number);
  batch.is_whole = s.succeeded(status);
  if (!batch.is_whole) {
    FUZZ_CHECK(s, status == DDTSCOPE_ERR_VALUE_TOO_LARGE);
    if (batch.number == 999999) batch.number = 0;
  }
  FUZZ_CHECK(s, batch.number <= out.size());
  out.resize(batch.number);
  return batch;
}

Batch entries(Session& s, const Copies& of, Wide first, std::size_t most, std::vector<ddtscope_entry>& out) {
  out.resize(most);
  return read(s, out, [&](ddtscope_entry* to, std::size_t size, std::size_t* number) {
    return ddtscope_get_entries(s.context, of.type, of.rule, of.count, integer_of(first), size, to, number);
  });
}
Batch blocks(Session& s, const Copies& of, Wide first, std::size_t most, std::vector<ddtscope_block>& out) {
  out.resize(most);
  return read(s, out, [&](ddtscope_block* to, std::size_t size, std::size_t* number) {
    return ddtscope_get_blocks(s.context, of.type, of.rule, of.count, integer_of(first), size, to, number);
  });
}
Batch runs(Session& s, const Copies& of, Wide first, std::size_t most, std::vector<ddtscope_run>& out) {
  out.resize(most);
  return read(s, out, [&](ddtscope_run* to, std::size_t size, std::size_t* number) {
    return ddtscope_get_signature(s.context, of.type, of.count, integer_of(first), size, to, number);
  });
}

bool is_same(const ddtscope_entry& a, const ddtscope_entry& b) {
  return std::strcmp(a.basic_type, b.basic_type) == 0 && a.displacement == b.displacement && a.size == b.size;
}
bool is_same(const ddtscope_block& a, const ddtscope_block& b) {
  return a.displacement == b.displacement && a.length == b.length;
}
bool is_same(const ddtscope_run& a, const ddtscope_run& b) {
  return std::strcmp(a.basic_type, b.basic_type) == 0 && is_equal(a.repeat, b.repeat);
}

/// Reading on from element k gives what reading from the start gave there; beyond the last one there is none.
template <class Element, class Read>
void check_seek(Session& s, const std::vector<Element>& all, std::optional<Wide> total, Read read_from) {
  std::vector<Element> part;
  if (!all.empty()) {
    const std::size_t k = s.input.choice(std::min<std::size_t>(all.size(), 256));
    const Batch batch = read_from(static_cast<Wide>(k), all.size() - k, part);
    if (!total && !batch.is_whole && batch.number == 0) return;  // where to go on cannot be counted
    FUZZ_CHECK(s, batch.number == all.size() - k);
    for (std::size_t i = 0; i < part.size(); ++i) FUZZ_CHECK(s, is_same(part[i], all[k + i]));
  }
  if (!total || *total == 0) return;
  read_from(*total, 1, part);
  FUZZ_CHECK(s, part.empty());
  const Batch last = read_from(*total - 1, 2, part);
  FUZZ_CHECK(s, last.number == 1 || !last.is_whole);
}

/// Blocks and runs, made of entries by their definitions.
void check_merging(Session& s, const Copies& of, const std::vector<ddtscope_entry>& all) {
  std::vector<ddtscope_block> expected_blocks;
  std::vector<ddtscope_run> expected_runs;
  for (const ddtscope_entry& entry : all) {
    ddtscope_block* block = expected_blocks.empty() ? nullptr : &expected_blocks.back();
    if (block != nullptr && Wide{block->displacement} + block->length == entry.displacement) {
      block->length += entry.size;
    } else {
      expected_blocks.push_back({entry.displacement, entry.size});
    }
    ddtscope_run* run = expected_runs.empty() ? nullptr : &expected_runs.back();
    if (run != nullptr && std::strcmp(run->basic_type, entry.basic_type) == 0) {
      ++run->repeat.low;
    } else {
      expected_runs.push_back({entry.basic_type, ddtscope_integer_of(1)});
    }
  }
  std::vector<ddtscope_block> got_blocks;
  blocks(s, of, 0, expected_blocks.size() + 1, got_blocks);
  FUZZ_CHECK(s, got_blocks.size() == expected_blocks.size());
  for (std::size_t i = 0; i < got_blocks.size(); ++i) FUZZ_CHECK(s, is_same(got_blocks[i], expected_blocks[i]));
  std::vector<ddtscope_run> got_runs;
  runs(s, of, 0, expected_runs.size() + 1, got_runs);
  FUZZ_CHECK(s, got_runs.size() == expected_runs.size());
  for (std::size_t i = 0; i < got_runs.size(); ++i) FUZZ_CHECK(s, is_same(got_runs[i], expected_runs[i]));
  ddtscope_typemap map{};
  FUZZ_CHECK(s, s.succeeded(ddtscope_get_typemap(s.context, of.type, of.rule, of.count, &map)));
  FUZZ_CHECK(s, value_of(map.blocks) == static_cast<Wide>(expected_blocks.size()));
  FUZZ_CHECK(s, value_of(map.signature_runs) == static_cast<Wide>(expected_runs.size()));
}

void check_span(Session& s, const Copies& of, const std::vector<ddtscope_entry>& all) {
  ddtscope_integer first{}, length{};
  FUZZ_CHECK(s, s.succeeded(ddtscope_get_span(s.context, of.type, of.rule, of.count, &first, &length)));
  Wide low = 0, high = 0;
  for (const ddtscope_entry& entry : all) {
    const Wide end = Wide{entry.displacement} + entry.size;
    low = &entry == all.data() ? entry.displacement : std::min<Wide>(low, entry.displacement);
    high = &entry == all.data() ? end : std::max(high, end);
  }
  FUZZ_CHECK(s, value_of(first) == low && value_of(length) == high - low);
}

/// A byte of an entry, and any byte.
void check_bytes(Session& s, const Copies& of, const std::vector<ddtscope_entry>& all) {
  const ddtscope_entry* entry = all.empty() ? nullptr : &all[s.input.choice(all.size())];
  const std::int64_t byte = entry != nullptr && !s.input.one_in(3) ? entry->displacement : s.input.number();
  ddtscope_covering covering{};
  FUZZ_CHECK(s, s.succeeded(ddtscope_find_byte(s.context, of.type, of.rule, of.count, byte, &covering)));
  if (covering.is_covered == DDTSCOPE_UNDECIDED) return;
  const auto covers = [&](const ddtscope_entry& e) {
    return Wide{e.displacement} <= byte && Wide{byte} < Wide{e.displacement} + e.size;
  };
  FUZZ_CHECK(s, (covering.is_covered == DDTSCOPE_YES) == std::any_of(all.begin(), all.end(), covers));
  if (covering.is_covered != DDTSCOPE_YES) return;
  const Wide per_copy = static_cast<Wide>(all.size()) / of.count;
  const Wide number = *value_of(covering.copy) * per_copy + *value_of(covering.entry);
  FUZZ_CHECK(s, number >= 0 && number < static_cast<Wide>(all.size()));
  const ddtscope_entry& found = all[static_cast<std::size_t>(number)];
  FUZZ_CHECK(s, covers(found) && std::strcmp(found.basic_type, covering.basic_type) == 0);
  FUZZ_CHECK(s, value_of(covering.in_entry) == Wide{byte} - found.displacement);
}

void check_standard_bounds(Session& s, const Copies& of, const std::vector<ddtscope_entry>& all) {
  ddtscope_bounds bounds{};
  FUZZ_CHECK(s, s.succeeded(ddtscope_get_bounds(s.context, of.type, of.rule, &bounds)));
  Wide size = 0;
  for (const ddtscope_entry& entry : all) size += entry.size;
  FUZZ_CHECK(s, of.count == 0 || value_of(bounds.size) == size / of.count);
  if (of.count != 1) return;
  ddtscope_integer first{}, length{};
  FUZZ_CHECK(s, s.succeeded(ddtscope_get_span(s.context, of.type, of.rule, 1, &first, &length)));
  FUZZ_CHECK(s, is_equal(bounds.true_lb, first) && is_equal(bounds.true_extent, length));
}

}  // namespace

void ask_typemap(Session& s) {
  const Copies of = {s.any_type(), s.any_rule(), s.input.one_in(2) ? 1 : s.input.count()};
  ddtscope_typemap map{};
  if (!s.succeeded(ddtscope_get_typemap(s.context, of.type, of.rule, of.count, &map))) return;
  const std::optional<Wide> total = value_of(map.entries);
  FUZZ_CHECK(s, !total || *total >= 0);
  const bool is_small = total && *total <= static_cast<Wide>(most_entries);
  std::vector<ddtscope_entry> all;
  const Batch batch = entries(s, of, 0, is_small ? most_entries + 1 : 20, all);
  check_seek(s, all, total, [&](Wide first, std::size_t most, std::vector<ddtscope_entry>& out) {
    return entries(s, of, first, most, out);
  });
  std::vector<ddtscope_block> some_blocks;
  blocks(s, of, 0, s.input.one_in(2) ? 20 : 600, some_blocks);
  check_seek(s, some_blocks, value_of(map.blocks), [&](Wide first, std::size_t most, std::vector<ddtscope_block>& out) {
    return blocks(s, of, first, most, out);
  });
  std::vector<ddtscope_run> some_runs;
  runs(s, of, 0, 20, some_runs);
  check_seek(
      s, some_runs, value_of(map.signature_runs),
      [&](Wide first, std::size_t most, std::vector<ddtscope_run>& out) { return runs(s, of, first, most, out); });
  if (!is_small || !batch.is_whole) return;
  FUZZ_CHECK(s, static_cast<Wide>(all.size()) == *total);
  const bool fits = std::all_of(all.begin(), all.end(), [](const ddtscope_entry& entry) {
    return Wide{entry.displacement} + entry.size <= INT64_MAX;
  });
  if (fits) check_merging(s, of, all);
  check_span(s, of, all);
  check_bytes(s, of, all);
  if (of.rule == DDTSCOPE_RULE_STANDARD) check_standard_bounds(s, of, all);
}

void ask_bounds(Session& s) {
  const ddtscope_datatype type = s.any_type();
  const int rule = s.any_rule();
  ddtscope_bounds b{};
  if (!s.succeeded(ddtscope_get_bounds(s.context, type, rule, &b))) return;
  const auto is_sum = [](ddtscope_integer a, ddtscope_integer c, ddtscope_integer sum) {
    // In 128 bits, which may not hold the sum.
    return a.bits != 64 || c.bits != 64 || *value_of(a) + *value_of(c) == *value_of(sum);
  };
  FUZZ_CHECK(s, is_sum(b.lb, b.extent, b.ub) && is_sum(b.true_lb, b.true_extent, b.true_ub));
  const std::int64_t count = s.input.number();
  ddtscope_integer first{}, length{};
  if (!s.succeeded(ddtscope_get_span(s.context, type, rule, count, &first, &length))) return;
  FUZZ_CHECK(s, length.bits == 0 || *value_of(length) >= 0);
}

void ask_path(Session& s) {
  const ddtscope_datatype type = s.any_type();
  const ddtscope_integer entry = ddtscope_integer_of(s.input.number());
  std::vector<ddtscope_step> steps(s.input.choice(6));
  std::size_t number = 0;
  if (!s.succeeded(ddtscope_get_path(s.context, type, entry, steps.size(), steps.data(), &number))) return;
  if (number > 0 && !steps.empty()) FUZZ_CHECK(s, steps[0].datatype == type);
  const std::string text = text_of(s, [&](char* buffer, std::size_t size, std::size_t* length) {
    return ddtscope_path_text(s.context, type, entry, buffer, size, length);
  });
  FUZZ_CHECK(s, !text.empty());
}

}  // namespace ddtscope::fuzz
