#include "reporters/text/words.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <sstream>
#include <vector>

#include "decoder/layout/typemap.h"
#include "decoder/notation/constructor_code.h"
#include "reporters/text/style.h"

namespace ddtscope::reporters {

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  }
  return text;
}

std::string grouped_or_undefined(Exact value) { return value.fits() ? grouped(value) : "undefined"; }

std::string value_or_undefined(std::optional<std::int64_t> value) {
  return value ? grouped(Exact(*value)) : "undefined";
}

std::string words_of(const RankRanges& ranks) {
  constexpr std::size_t most_columns = 80;
  const std::uint64_t count = ranks.size();
  std::string text = (count == 1 ? "rank " : "ranks ") + text_of(ranks);
  if (columns(text) <= most_columns) return text;
  return cut_to(text, most_columns) + " (" + counted(count, "rank", "ranks") + ")";
}

std::string made_text(std::uint64_t made, bool are_all_counted) {
  return grouped(made) + (are_all_counted ? "" : "+?");
}

std::string live_text(std::int64_t live, bool are_all_counted) { return are_all_counted ? grouped(Exact(live)) : "?"; }

std::string quoted_name(const Job& job, TypeNumber number) {
  constexpr std::size_t name_columns = 40;
  const std::vector<std::string>& names = job.names(number);
  return names.empty() ? "" : '"' + cut_to(printable(names.front()), name_columns) + '"';
}

std::string id_and_name(const Job& job, TypeNumber number) {
  const std::string name = quoted_name(job, number);
  return text_of(number) + (name.empty() ? "" : " " + name);
}

std::string call_of(const Job& job, TypeNumber number, std::size_t array_limit) {
  return printable(constructor_call_text(
      job.store, job.type(number).definition, [&](DefinitionId id) { return job.name_of(id); }, array_limit));
}

std::string place_of_frame(const Job& job, FrameIndex frame, Symbols& symbols, Addresses addresses) {
  const JobFrame& recorded = job.frame(frame);
  std::ostringstream address;
  address << "0x" << std::hex << recorded.offset;
  if (recorded.is_not_recorded()) {
    return "places that are not recorded (DDTSCOPE_MAX_MEMORY)";
  }
  if (!recorded.module) {
    return address.str();
  }
  const ModuleRecord& module = job.module(*recorded.module);
  const SourceLocation& location = symbols.resolve(module, recorded.offset);
  const std::string file = std::filesystem::path(module.path).filename().string();
  std::string text = location.function ? *location.function : file + "+" + address.str();
  if (location.file) {
    text += " (" + std::filesystem::path(*location.file).filename().string() +
            (location.line ? ":" + std::to_string(*location.line) : "") + ")";
  } else if (location.function && addresses == Addresses::told) {
    text += " (" + file + "+" + address.str() + ")";
  }
  for (const std::string& function : location.inlined_into) {
    text += ", inlined into " + function;
  }
  return printable(text);
}

bool is_outermost(const Job& job, FrameIndex frame, Symbols& symbols) {
  const JobFrame& recorded = job.frame(frame);
  if (!recorded.module) {
    return false;
  }
  const ModuleRecord& module = job.module(*recorded.module);
  if (module.function) {
    return false;  // what an interpreter calls main is called by something
  }
  const SourceLocation& location = symbols.resolve(module, recorded.offset);
  return location.function == "main" || (!location.inlined_into.empty() && location.inlined_into.back() == "main");
}

namespace {

/// How the program came to a place in a library.
struct WayIn {
  FrameIndex entry;   // the library's outermost frame: what was called
  FrameIndex caller;  // the program's
};

/// Nothing where the place is the program's own, or it is not known who called.
std::optional<WayIn> way_into_library(const Job& job, FrameIndex site) {
  const auto module = job.frame(site).module;
  if (!module || job.is_of_program(site)) return std::nullopt;
  FrameIndex entry = site;
  for (const FrameIndex frame : job.stack(site)) {
    if (job.frame(frame).module == module) {
      entry = frame;
    } else if (job.is_of_program(frame)) {
      return WayIn{entry, frame};
    }
  }
  return std::nullopt;
}

}  // namespace

bool is_made_for_another(const Job& job, FrameIndex site) {
  const std::optional<WayIn> way = way_into_library(job, site);
  return way && way->entry != site;
}

std::string place_of(const Job& job, std::optional<FrameIndex> site, Symbols& symbols, Addresses addresses) {
  if (!site) {
    return "an unknown place";
  }
  // Of a library that makes types for its callers (BLACS), what was called and by whom says more than the
  // innermost frame.
  std::string text = place_of_frame(job, *site, symbols, addresses);
  const std::optional<WayIn> way = way_into_library(job, *site);
  if (!way) return text;
  if (way->entry != *site) text += " for " + place_of_frame(job, way->entry, symbols, addresses);
  return text + ", called from " + place_of_frame(job, way->caller, symbols, addresses);
}

std::string telling_place_of(const Job& job, std::optional<FrameIndex> site, const SiteFrames& frames,
                             Symbols& symbols) {
  constexpr std::size_t frames_limit = 3;
  if (!site || frames.telling(*site) == 1) return place_of(job, site, symbols);
  const std::vector<FrameIndex> stack = job.stack(*site);
  const std::size_t wanted = std::min(frames.telling(*site), stack.size());
  std::string text = place_of_frame(job, stack.front(), symbols);
  for (std::size_t i = 1; i < wanted; ++i) {
    // The last one is what tells.
    const bool is_cut = wanted > frames_limit && i + 1 == wanted;
    if (i + 1 < frames_limit || i + 1 == wanted) {
      text += (is_cut ? ", ... called from " : ", called from ") + place_of_frame(job, stack[i], symbols);
    }
  }
  return text;
}

std::string one_line_layout(const Job& job, TypeNumber number) {
  constexpr std::size_t marks_limit = 24;
  constexpr std::size_t blocks_limit = 64;
  const DefinitionId id = job.type(number).definition;
  const LayoutFacts& facts = job.layouts.facts(id);
  if (facts.empty()) {
    return "(empty)";
  }
  BlockCursor cursor(job.layouts, job.layouts.root(id));
  std::vector<std::pair<std::int64_t, std::int64_t>> blocks;  // begin, end
  Block block;
  while (blocks.size() < blocks_limit && cursor.next(block)) {
    const auto begin = block.displacement.to_int64();
    const auto end = (block.displacement + block.length).to_int64();
    if (!begin || !end) {
      return "(out of range)";
    }
    if (*begin != *end) {
      blocks.emplace_back(*begin, *end);
    }
  }
  if (blocks.empty()) {
    return "(no bytes)";
  }
  std::sort(blocks.begin(), blocks.end());
  const auto lb = job.layouts.lb(id).to_int64();
  const auto extent = job.layouts.extent(id).to_int64();
  Exact origin = blocks.front().first;
  Exact last = blocks.front().second;
  for (const auto& [begin, end] : blocks) {
    last = max(last, Exact(end));
  }
  if (lb && extent && *extent >= 0) {
    origin = min(origin, Exact(*lb));
    last = max(last, Exact(*lb) + Exact(*extent));
  }
  const auto span = (last - origin).to_int64();
  if (!span || !origin.to_int64()) {
    return "(out of range)";
  }
  const std::int64_t start = *origin.to_int64();
  std::int64_t unit = *span;
  for (const auto& [begin, end] : blocks) {
    const auto from = (Exact(begin) - origin).to_int64();
    if (!from) {
      return "(out of range)";
    }
    unit = std::gcd(unit, std::gcd(*from, end - begin));
  }
  const std::int64_t marks = *span / unit;
  std::string line(static_cast<std::size_t>(std::min<std::int64_t>(marks, marks_limit)), '.');
  for (const auto& [begin, end] : blocks) {
    for (std::int64_t mark = (begin - start) / unit;
         mark < (end - start) / unit && mark < static_cast<std::int64_t>(line.size()); ++mark) {
      line[static_cast<std::size_t>(mark)] = '#';
    }
  }
  const bool more =
      marks > static_cast<std::int64_t>(line.size()) || facts.blocks > Exact(static_cast<std::int64_t>(blocks_limit));
  return line + (more ? ">" : "") + " (" + grouped(Exact(unit)) + " B a mark)";
}

std::string bytes_in_words(Exact bytes) {
  if (!bytes.fits()) return "an unknown number of bytes";
  const auto value = static_cast<double>(bytes.value());
  constexpr std::array<const char*, 7> units{"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  double scaled = value;
  while (scaled >= 999.95 && unit + 1 < units.size()) {
    scaled /= 1000;
    ++unit;
  }
  if (unit == 0) return grouped(bytes) + " B";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f %s", scaled, units[unit]);
  return text.data();
}

std::string type_in_words(const Job& job, DefinitionId type) {
  const TypeNumber number = job.number_of(type);
  return number.valid() ? id_and_name(job, number) : printable(job.name_of(type));
}

std::string some_listed(const std::vector<std::string>& texts, std::size_t all) {
  const std::size_t told = std::min({most_listed, texts.size(), all});
  std::string list;
  for (std::size_t i = 0; i < told; ++i) list += (i == 0 ? "" : ", ") + texts[i];
  return list + (all > told ? " and " + grouped(std::uint64_t{all - told}) + " more" : "");
}

}  // namespace ddtscope::reporters
