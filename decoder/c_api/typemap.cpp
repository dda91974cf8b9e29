// Typemaps in batches: entries, contiguous blocks, runs of the signature, and the way down to an entry.
#include "decoder/layout/typemap.h"

#include <algorithm>
#include <array>

#include "decoder/c_api/context.h"
#include "decoder/c_api/public_answer.h"
#include "decoder/coverage/byte_search.h"
#include "decoder/layout/path.h"

using namespace ddtscope;
using namespace ddtscope::c_api;

namespace {

/// What the functions that read in batches share.
struct Batch {
  ddtscope_context::Asked asked;
  Exact first;
};

template <class Item>
struct BatchArguments {
  ddtscope_datatype datatype;
  int rule;
  std::int64_t count;
  ddtscope_integer first;
  std::size_t max;
  Item* array;
  const char* array_name;
  std::size_t* number;
};

template <class Item>
Status begin(ddtscope_context& context, const BatchArguments<Item>& arguments, Batch& batch) {
  if (Status status = context.ask(arguments.datatype, arguments.rule, arguments.count, batch.asked); status.failed()) {
    return status;
  }
  if (Status status = require(arguments.number, "number"); status.failed()) return status;
  if (arguments.max > 0) {
    if (Status status = require(arguments.array, arguments.array_name); status.failed()) return status;
  }
  if (Status status = exact_of(arguments.first, "first", batch.first); status.failed()) return status;
  if (!(batch.first >= Exact(0))) return {DDTSCOPE_ERR_ARG, "first is negative, or does not fit"};
  return {};
}

Status does_not_fit(const char* what, const char* bits = "64") {
  return {DDTSCOPE_ERR_VALUE_TOO_LARGE, std::string(what) + " does not fit " + bits + " bits"};
}

/// One of them: `read` puts into the array what there is, and counts it.
template <class Item>
int read_batch(const char* function, ddtscope_context* context, const BatchArguments<Item>& arguments,
               Status (*read)(ddtscope_context&, const Batch&, std::span<Item>, std::size_t&)) {
  return call(function, context, [&](ddtscope_context& c) {
    Batch batch;
    if (Status status = begin(c, arguments, batch); status.failed()) return status;
    *arguments.number = 0;
    return read(c, batch, {arguments.array, arguments.max}, *arguments.number);
  });
}

/// What is read at once, on the stack.
constexpr std::size_t chunk = 256;

Status entries(ddtscope_context& context, const Batch& batch, std::span<ddtscope_entry> out, std::size_t& number) {
  TypemapCursor cursor(batch.asked.view->index, batch.asked.root, batch.asked.copies);
  if (out.empty() || !cursor.seek(batch.first)) return {};
  const PredefinedTable& predefined = context.store().predefined();
  std::array<TypemapEntry, chunk> buffer;
  PredefinedId last;
  ddtscope_entry entry{};
  while (number < out.size()) {
    const std::size_t wanted = std::min(chunk, out.size() - number);
    const std::size_t got = cursor.next(std::span(buffer).first(wanted));
    for (std::size_t i = 0; i < got; ++i) {
      const std::optional<std::int64_t> displacement = buffer[i].displacement.to_int64();
      if (!displacement) return does_not_fit("a displacement");
      if (buffer[i].type != last) {
        last = buffer[i].type;
        entry = {context.basic_name(last), 0, predefined[last].size};
      }
      entry.displacement = *displacement;
      out[number++] = entry;
    }
    if (got < wanted) break;
  }
  return {};
}

Status blocks(ddtscope_context&, const Batch& batch, std::span<ddtscope_block> out, std::size_t& number) {
  BlockCursor cursor(batch.asked.view->index, batch.asked.root, batch.asked.copies);
  if (out.empty()) return {};
  if (batch.first != Exact(0) && !cursor.seek(batch.first)) {
    const LayoutFacts facts = facts_of_copies(batch.asked.view->layouts, batch.asked.root, batch.asked.copies);
    return facts.blocks.fits() ? Status() : does_not_fit("the number of blocks", "128");
  }
  std::array<NarrowBlock, chunk> buffer;
  while (number < out.size()) {
    const std::size_t wanted = std::min(chunk, out.size() - number);
    const std::size_t got = cursor.next(std::span(buffer).first(wanted));
    for (std::size_t i = 0; i < got; ++i) out[number++] = {buffer[i].displacement, buffer[i].length};
    if (got == wanted) continue;
    Block wide;
    return cursor.next(wide) ? does_not_fit("a block") : Status();
  }
  return {};
}

Status runs(ddtscope_context& context, const Batch& batch, std::span<ddtscope_run> out, std::size_t& number) {
  SignatureCursor cursor(batch.asked.view->index, batch.asked.root, batch.asked.copies);
  if (out.empty()) return {};
  if (batch.first != Exact(0) && !cursor.seek(batch.first)) {
    const LayoutFacts facts = facts_of_copies(batch.asked.view->layouts, batch.asked.root, batch.asked.copies);
    return facts.signature_runs.fits() ? Status() : does_not_fit("the number of runs", "128");
  }
  for (SignatureRun run; number < out.size() && cursor.next(run);) {
    out[number++] = {context.basic_name(run.type), integer_of(run.repeat)};
  }
  return {};
}

/// From a type down to one of its entries.
struct Way {
  DefinitionId type;
  std::vector<PathStep> steps;
};

Status find_way(ddtscope_context& context, ddtscope_datatype datatype, ddtscope_integer entry, Way& way) {
  ddtscope_context::Asked asked;
  if (Status status = context.ask(datatype, DDTSCOPE_RULE_STANDARD, 1, asked); status.failed()) return status;
  Exact number;
  if (Status status = exact_of(entry, "entry", number); status.failed()) return status;
  const Exact entries = asked.view->layouts.facts(asked.id).entries;
  const bool is_there = number >= Exact(0) && (number < entries || (number.fits() && !entries.fits()));
  if (!is_there) return {DDTSCOPE_ERR_ARG, "there is no entry " + number.to_string()};
  way = {asked.id, path_to_entry(asked.view->layouts, asked.id, number)};
  return {};
}

}  // namespace

int ddtscope_get_typemap(ddtscope_context* context, ddtscope_datatype datatype, int rule, int64_t count,
                         ddtscope_typemap* typemap) {
  return call(__func__, context, [&](ddtscope_context& c) {
    ddtscope_context::Asked asked;
    if (Status status = c.ask(datatype, rule, count, asked); status.failed()) return status;
    if (Status status = require(typemap, "typemap"); status.failed()) return status;
    const LayoutFacts facts = facts_of_copies(asked.view->layouts, asked.root, asked.copies);
    *typemap = {integer_of(facts.entries), integer_of(facts.blocks), integer_of(facts.signature_runs), facts.alignment};
    return Status();
  });
}

int ddtscope_get_entries(ddtscope_context* context, ddtscope_datatype datatype, int rule, int64_t count,
                         ddtscope_integer first, size_t max_entries, ddtscope_entry entries_out[], size_t* number) {
  return read_batch<ddtscope_entry>(
      __func__, context, {datatype, rule, count, first, max_entries, entries_out, "entries", number}, entries);
}

int ddtscope_get_blocks(ddtscope_context* context, ddtscope_datatype datatype, int rule, int64_t count,
                        ddtscope_integer first, size_t max_blocks, ddtscope_block blocks_out[], size_t* number) {
  return read_batch<ddtscope_block>(__func__, context,
                                    {datatype, rule, count, first, max_blocks, blocks_out, "blocks", number}, blocks);
}

int ddtscope_get_signature(ddtscope_context* context, ddtscope_datatype datatype, int64_t count, ddtscope_integer first,
                           size_t max_runs, ddtscope_run runs_out[], size_t* number) {
  return read_batch<ddtscope_run>(
      __func__, context, {datatype, DDTSCOPE_RULE_STANDARD, count, first, max_runs, runs_out, "runs", number}, runs);
}

int ddtscope_find_byte(ddtscope_context* context, ddtscope_datatype datatype, int rule, int64_t count, int64_t byte,
                       ddtscope_covering* covering) {
  return call(__func__, context, [&](ddtscope_context& c) {
    ddtscope_context::Asked asked;
    if (Status status = c.ask(datatype, rule, count, asked); status.failed()) return status;
    if (Status status = require(covering, "covering"); status.failed()) return status;
    ByteSearch search(asked.view->index, asked.root, asked.copies);
    const ByteAnswer answer = search.find(Exact(byte));
    *covering = {};
    covering->is_covered = public_answer(answer.covered);
    if (answer.covered != Covered::yes) return Status();
    covering->basic_type = c.basic_name(answer.entry.place.type);
    covering->copy = integer_of(answer.entry.copy);
    const Exact before = answer.entry.copy * asked.view->layouts.facts(asked.id).entries;
    covering->entry = integer_of(answer.entry.entry - before);
    covering->in_entry = integer_of(answer.entry.byte);
    return Status();
  });
}

int ddtscope_get_path(ddtscope_context* context, ddtscope_datatype datatype, ddtscope_integer entry, size_t max_steps,
                      ddtscope_step steps[], size_t* number) {
  return call(__func__, context, [&](ddtscope_context& c) {
    Way way;
    if (Status status = find_way(c, datatype, entry, way); status.failed()) return status;
    if (Status status = require(number, "number"); status.failed()) return status;
    if (max_steps > 0) {
      if (Status status = require(steps, "steps"); status.failed()) return status;
    }
    for (std::size_t i = 0; i < std::min(max_steps, way.steps.size()); ++i) {
      const PathStep& step = way.steps[i];
      steps[i] = {c.handle(step.definition), integer_of(step.block), integer_of(step.element)};
    }
    *number = way.steps.size();
    return Status();
  });
}

int ddtscope_path_text(ddtscope_context* context, ddtscope_datatype datatype, ddtscope_integer entry, char* buffer,
                       size_t size, size_t* length) {
  return call(__func__, context, [&](ddtscope_context& c) {
    Way way;
    if (Status status = find_way(c, datatype, entry, way); status.failed()) return status;
    return put_text(c.text_of_way(way.type, way.steps), {buffer, size, length});
  });
}
