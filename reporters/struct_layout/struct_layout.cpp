#include "reporters/struct_layout/struct_layout.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "decoder/base/grouped.h"
#include "decoder/base/lower_case.h"
#include "decoder/layout/typemap.h"
#include "reporters/model/summary.h"
#include "reporters/source/record_name.h"
#include "reporters/source/records_of_program.h"

namespace ddtscope::reporters {
namespace {

constexpr std::int64_t most_entries = 4096;
constexpr std::size_t most_scalars = 16384;

/// MPI_Type_create_struct, under MPI_Type_create_resized and MPI_Type_dup.
bool is_made_as_struct(const Job& job, DefinitionId id) {
  const ConstructorCall* call = &job.store[id].call;
  while (call->combiner == Combiner::resized || call->combiner == Combiner::dup) {
    call = &job.store[*call->datatypes.begin()].call;
  }
  return call->combiner == Combiner::structure;
}

bool has_few_entries(const Layouts& layouts, DefinitionId id) {
  return layouts.facts(id).entries <= Exact(most_entries);
}

/// By which types and records are found for each other.
std::string plain_name(std::string_view name) { return lower_case(std::string(without_scopes(without_keyword(name)))); }

/// A displacement that far away lies in no struct; sums with it fit.
std::int64_t near(Exact displacement) {
  constexpr std::int64_t farthest = std::int64_t{1} << 60;
  const std::int64_t value = displacement.to_int64().value_or(farthest);
  return std::clamp(value, -farthest, farthest);
}

/// Addresses in place of displacements, for MPI_BOTTOM (MPI-4.1 5.1.12): nothing is known of the struct then.
bool has_something_in(const std::vector<BasicEntry>& entries, std::int64_t struct_size) {
  return std::any_of(entries.begin(), entries.end(), [&](const BasicEntry& entry) {
    return entry.displacement >= 0 && entry.displacement < struct_size;
  });
}

/// A type for which a struct is looked for.
struct Wanted {
  TypeNumber type;
  std::vector<BasicEntry> entries;
  Exact extent;
  std::set<std::string> names;  // plain, in lower case
};

Wanted wanted_of(const Job& job, Layouts& layouts, TypeNumber type) {
  const DefinitionId id = job.type(type).definition;
  layouts.make_room(layout_memory);
  Wanted wanted{type, {}, layouts.extent(id), {}};
  TypemapCursor cursor(layouts, layouts.root(id));
  for (TypemapEntry entry; cursor.next(entry);) {
    const PredefinedType& basic = job.store.predefined()[entry.type];
    wanted.entries.push_back({basic.name, near(entry.displacement), basic.size});
  }
  for (const std::string& name : job.names(type)) wanted.names.insert(plain_name(name));
  return wanted;
}

/// How many copies one call used, by type.
std::map<DefinitionId, std::uint64_t> most_copies(const Job& job) {
  std::map<DefinitionId, std::uint64_t> most;
  for (const TypeUse& use : job.uses) {
    if (use.counts.largest > 0) {
      std::uint64_t& of_type = most[use.type];
      of_type = std::max(of_type, static_cast<std::uint64_t>(use.counts.largest));
    }
  }
  return most;
}

bool fits_in_all(const Wanted& wanted, const std::vector<ComparedPart>& parts, const NamedRecord& record) {
  return wanted.entries.size() > 1 && wanted.extent == Exact(record.type->size) &&
         std::all_of(parts.begin(), parts.end(),
                     [](const ComparedPart& part) { return part.verdict == Verdict::fits; });
}

/// How bad a comparison is: first by its worst part, then by how many are not right.
std::pair<int, std::size_t> badness(const std::vector<ComparedPart>& parts) {
  const std::optional<Severity> worst = worst_of(parts);
  const auto wrong =
      std::count_if(parts.begin(), parts.end(), [](const ComparedPart& part) { return part.verdict != Verdict::fits; });
  return {worst ? static_cast<int>(*worst) + 1 : 0, static_cast<std::size_t>(wrong)};
}

/// The struct of the type's name that fits best, or the only one that fits.
std::optional<StructLayout> struct_of(const Wanted& wanted, const std::vector<NamedRecord>& records) {
  std::optional<StructLayout> by_name, by_layout;
  bool is_ambiguous = false;
  for (const NamedRecord& record : records) {
    const bool has_name = wanted.names.contains(plain_name(record.name));
    if (!has_name && Exact(record.type->size) != wanted.extent) continue;
    if (!has_something_in(wanted.entries, record.type->size)) continue;
    const StructScalars scalars = scalars_of(*record.type, most_scalars);
    if (!scalars.is_whole) continue;
    std::vector<ComparedPart> parts = compare(wanted.entries, scalars, record.type->size);
    if (has_name) {
      if (by_name && badness(by_name->parts) <= badness(parts)) continue;
      by_name = StructLayout{wanted.type, record, std::move(parts), wanted.extent, 0, true};
    } else if (fits_in_all(wanted, parts, record)) {
      is_ambiguous = by_layout.has_value();
      by_layout = StructLayout{wanted.type, record, std::move(parts), wanted.extent, 0, false};
      if (is_ambiguous && wanted.names.empty()) return std::nullopt;
    }
  }
  if (by_name) return by_name;
  return is_ambiguous ? std::nullopt : by_layout;
}

/// Where the type is made: the program, or a library of its. What an interpreter runs has no structs.
std::optional<ModuleIndex> module_of(const Job& job, TypeNumber type) {
  const std::optional<FrameIndex> site = busiest_site(job, type);
  const std::optional<ModuleIndex> module = site ? job.frame(*site).module : std::nullopt;
  return module && !job.module(*module).function ? module : std::nullopt;
}

/// The types of one module for which structs are looked for, and which records may be these.
struct Sought {
  std::vector<TypeNumber> types;
  std::set<std::string> names;  // plain, in lower case
  std::set<std::int64_t> sizes;
};

std::map<ModuleIndex, Sought> sought_by_module(const Job& job, std::span<const TypeNumber> types) {
  std::map<ModuleIndex, Sought> by_module;
  Layouts layouts(job.store, job.observed_bounds);
  for (const TypeNumber type : types) {
    const DefinitionId id = job.type(type).definition;
    if (!is_made_as_struct(job, id)) continue;
    const std::optional<ModuleIndex> module = module_of(job, type);
    layouts.make_room(layout_memory);
    if (!module || !has_few_entries(layouts, id)) continue;
    Sought& sought = by_module[*module];
    sought.types.push_back(type);
    for (const std::string& name : job.names(type)) sought.names.insert(plain_name(name));
    if (const auto extent = layouts.extent(id).to_int64()) sought.sizes.insert(*extent);
  }
  return by_module;
}

/// Module by module, in each by type: what is compared with a struct is there for one type at a time.
void each_struct_layout(const Job& job, std::span<const TypeNumber> types, std::vector<std::string>* why_not,
                        const std::function<void(StructLayout&& layout)>& see) {
  const std::map<DefinitionId, std::uint64_t> copies = most_copies(job);
  Layouts layouts(job.store, job.observed_bounds);
  for (const auto& [index, sought] : sought_by_module(job, types)) {
    const ModuleRecord& module = job.module(index);
    SourceProgram program(module.path, module.build_id);
    const auto read = program.records([&, &sought = sought](const RecordHead& head) {
      return sought.sizes.contains(head.size) || sought.names.contains(lower_case(std::string(head.name)));
    });
    if (const auto* problem = std::get_if<std::string>(&read)) {
      if (why_not != nullptr) why_not->push_back(module.path + ": " + *problem + ".");
      continue;
    }
    for (const TypeNumber type : sought.types) {
      std::optional<StructLayout> layout = struct_of(wanted_of(job, layouts, type), std::get<0>(read));
      if (!layout) continue;
      const auto most = copies.find(job.type(type).definition);
      if (most != copies.end()) layout->most_copies = most->second;
      see(std::move(*layout));
    }
  }
}

std::string part_text(const ComparedPart& part) {
  const std::string place = grouped(Exact(part.entry ? part.entry->displacement : part.member->offset));
  if (part.verdict == Verdict::sends_padding) {
    return counted(Exact(part.entry->size), "byte", "bytes") + " of padding at " + place +
           (part.entry->size == 1 ? " is" : " are") + " sent as " + std::string(part.entry->basic);
  }
  if (!part.member) return std::string(part.entry->basic) + " at " + place + " " + std::string(text_of(part.verdict));
  const std::string member =
      "`" + part.member->path + "` (" + part.member->type + ") at " + grouped(Exact(part.member->offset));
  if (!part.entry) return member + " is left out";
  const std::string at = part.entry->displacement == part.member->offset ? "" : " at " + place;
  return member + " is called " + std::string(part.entry->basic) + at + ": " + std::string(text_of(part.verdict));
}

/// The worst parts, worst first, and how many more there are.
std::string parts_text(const StructLayout& layout) {
  constexpr std::size_t most_told = 3;
  std::vector<const ComparedPart*> wrong;
  for (const ComparedPart& part : layout.parts) {
    if (part.verdict != Verdict::fits) wrong.push_back(&part);
  }
  std::stable_sort(wrong.begin(), wrong.end(), [](const ComparedPart* a, const ComparedPart* b) {
    return severity_of(a->verdict) > severity_of(b->verdict);
  });
  std::string text;
  for (std::size_t i = 0; i < std::min(most_told, wrong.size()); ++i) {
    text += (i == 0 ? "" : "; ") + part_text(*wrong[i]);
  }
  if (wrong.size() > most_told) text += "; and " + grouped(wrong.size() - most_told) + " more";
  if (!layout.has_wrong_extent()) return text;
  return text + (text.empty() ? "" : "; ") + "its extent is " + grouped(layout.extent) + ", sizeof is " +
         grouped(Exact(layout.record.type->size)) + ", and a call used " + grouped(layout.most_copies) + " copies";
}

JobFinding finding_of(const Job& job, const StructLayout& layout, Severity severity) {
  JobFinding finding{};
  finding.kind = &kind_of(FindingId::struct_layout);
  finding.severity = severity;
  if (severity == Severity::note) {
    finding.message = "It is " + layout.record.text() + ", but " + parts_text(layout) + ".";
  } else {
    // Of a type's names, that by which the struct was found.
    const std::vector<std::string>& names = job.names(layout.type);
    const auto name = std::find_if(names.begin(), names.end(), [&](const std::string& one) {
      return plain_name(one) == plain_name(layout.record.name);
    });
    finding.message = "It is not " + layout.record.text() + ", though it is called '" +
                      (name == names.end() ? layout.record.name : *name) + "': " + parts_text(layout) + ".";
  }
  finding.advice = "`ddtscope show TRACE " + text_of(layout.type) +
                   " --source` has both side by side, `ddtscope code --struct " + layout.record.name +
                   " PROGRAM` writes the right type.";
  finding.type = job.type(layout.type).definition;
  MadeAt made = made_at(job, layout.type);
  finding.called = made.called;
  finding.count = made.lives;
  finding.ranks = std::move(made.ranks);
  finding.sites = std::move(made.sites);
  return finding;
}

}  // namespace

std::optional<Severity> severity_of(const StructLayout& layout) {
  const std::optional<Severity> worst = worst_of(layout.parts);
  return layout.has_wrong_extent() ? std::max(worst, std::optional(Severity::warning)) : worst;
}

bool is_struct_like(const Job& job, TypeNumber type) {
  const DefinitionId id = job.type(type).definition;
  return is_made_as_struct(job, id) && has_few_entries(job.layouts, id);
}

std::vector<StructLayout> struct_layouts(const Job& job, std::span<const TypeNumber> types,
                                         std::vector<std::string>* why_not) {
  std::vector<StructLayout> layouts;
  each_struct_layout(job, types, why_not, [&](StructLayout&& layout) { layouts.push_back(std::move(layout)); });
  std::sort(layouts.begin(), layouts.end(), [](const auto& a, const auto& b) { return a.type < b.type; });
  return layouts;
}

std::vector<JobFinding> findings_of_structs(const Job& job) {
  std::map<TypeNumber, JobFinding> by_type;
  each_struct_layout(job, job.type_numbers(), nullptr, [&](const StructLayout& layout) {
    if (const auto severity = severity_of(layout)) by_type.emplace(layout.type, finding_of(job, layout, *severity));
  });
  std::vector<JobFinding> findings;
  for (auto& [type, finding] : by_type) findings.push_back(std::move(finding));
  return findings;
}

}  // namespace ddtscope::reporters
