// One type in full.
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "decoder/coverage/diagnosis.h"
#include "decoder/definition/envelope.h"
#include "decoder/layout/span.h"
#include "decoder/layout/typemap.h"
#include "reporters/report/source_findings.h"
#include "reporters/text/columns.h"
#include "reporters/text/picture.h"
#include "reporters/text/report.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t array_limit = 16;
constexpr std::size_t signature_limit = 12;
constexpr std::size_t sites_limit = 4;
constexpr std::size_t frames_limit = 6;

template <class Value, class TextOf>
std::string list_of(const std::vector<Value>& values, TextOf text_of_value) {
  std::string text = "[";
  for (std::size_t i = 0; i < std::min(array_limit, values.size()); ++i) {
    text += (i == 0 ? "" : ", ") + text_of_value(values[i]);
  }
  if (values.size() > array_limit) {
    text += ", ... (" + grouped(static_cast<std::uint64_t>(values.size())) + " values)";
  }
  return text + "]";
}

void print_contents(std::ostream& out, const Job& job, const ConstructorCall& call) {
  const Envelope envelope = envelope_of(call);
  const Contents contents = contents_of(call);
  const auto number = [](std::int64_t value) { return std::to_string(value); };
  out << "envelope  " << row_of(call.combiner).mpi_name << ": "
      << counted(Exact(envelope.num_integers), "integer", "integers") << ", "
      << counted(Exact(envelope.num_addresses), "address", "addresses") << ", "
      << counted(Exact(envelope.num_large_counts), "large count", "large counts") << ", "
      << counted(Exact(envelope.num_datatypes), "datatype", "datatypes") << "\ncontents ";
  bool any = false;
  const auto add = [&](const char* name, const std::string& list) {
    out << (any ? "; " : " ") << name << " " << list;
    any = true;
  };
  if (!contents.integers.empty()) {
    add("integers", list_of(contents.integers, number));
  }
  if (!contents.addresses.empty()) {
    add("addresses", list_of(contents.addresses, number));
  }
  if (!contents.large_counts.empty()) {
    add("large counts", list_of(contents.large_counts, number));
  }
  if (!contents.datatypes.empty()) {
    add("datatypes", list_of(contents.datatypes, [&](DefinitionId id) { return printable(job.name_of(id)); }));
  }
  out << (any ? "" : " none") << "\n";
}

/// What a type that was written down is made of.
void print_parts(std::ostream& out, const Job& job, TypeNumber number) {
  constexpr std::uint32_t most = 8;
  for (std::uint32_t i = 1; i < number.value && i <= most; ++i) {
    out << (i == 1 ? "parts     " : "          ") << "T" << i << " = " << call_of(job, TypeNumber{i}, array_limit)
        << "\n";
  }
  if (number.value > most + 1) {
    out << "          ... " << counted(std::uint64_t{number.value - most - 1}, "more type", "more types") << "\n";
  }
}

void print_bounds(std::ostream& out, const Job& job, const JobType& type) {
  const Bounds bounds = as_bounds(job.observed(type));
  const LayoutFacts& facts = job.layouts.facts(type.definition);
  out << "size      " << grouped_or_undefined(bounds.size) << "\n"
      << "bounds    lb " << grouped_or_undefined(bounds.lb) << ", ub " << grouped_or_undefined(bounds.ub) << ", extent "
      << grouped_or_undefined(bounds.extent) << "\n"
      << "true      lb " << grouped_or_undefined(bounds.true_lb) << ", ub " << grouped_or_undefined(bounds.true_ub)
      << ", extent " << grouped_or_undefined(bounds.true_extent) << "\n"
      << "entries   " << grouped(facts.entries) << " in "
      << counted(facts.blocks, "contiguous block", "contiguous blocks") << ", alignment " << facts.alignment << "\n";
}

/// All releases of a library that are modelled.
std::string all_releases(BoundsRule rule) {
  return text_of_releases(modelled_releases(rule).front(), modelled_releases(rule).back());
}

/// A line where all agree, a table of the bounds in the releases that do not.
void print_portability(std::ostream& out, const TextContext& context, const JobType& type) {
  const Portability& portability = context.analysis.portability(type.number);
  if (portability.portable) {
    std::vector<std::string> all = {"the standard"};
    for (const BoundsRule library : library_rules) all.push_back(all_releases(library));
    out << "portable  yes: " << listed(all) << " agree\n";
    return;
  }
  out << context.style(Role::warning, "portable  no") << "\n";
  for (const std::string& reason : portability.reasons) {
    out << "          " << printable(reason) << "\n";
  }
  constexpr std::size_t width = 7;
  using Line = std::array<std::string, width>;
  std::vector<Line> lines = {{"", "size", "lb", "ub", "extent", "true lb", "true ub"}};
  const auto add = [&](std::string_view name, const Bounds& bounds) {
    lines.push_back({std::string(name), grouped_or_undefined(bounds.size), grouped_or_undefined(bounds.lb),
                     grouped_or_undefined(bounds.ub), grouped_or_undefined(bounds.extent),
                     grouped_or_undefined(bounds.true_lb), grouped_or_undefined(bounds.true_ub)});
  };
  if (!context.job.rule_of_text) add("observed", as_bounds(context.job.observed(type)));
  const Analysis::Place place = context.analysis.place(type.number);
  for (const BoundsRule rule : bounds_rules) {
    const std::span<const ModelledRelease> releases = modelled_releases(rule);
    const auto answer = [&](std::size_t i) {
      return as_answered(place.rules[releases[i].model].bounds(place.definition));
    };
    for (std::size_t first = 0, last = 0; first < releases.size(); first = ++last) {
      while (last + 1 < releases.size() && answer(last + 1) == answer(first)) ++last;
      add(text_of_releases(releases[first], releases[last]),
          place.rules[releases[first].model].bounds(place.definition));
    }
  }
  std::array<Align, width> alignment;
  alignment.fill(Align::right);
  alignment[0] = Align::left;
  print_columns(lines, alignment, [&](std::size_t, const std::string& text) { out << "          " << text << "\n"; });
}

void print_fingerprint(std::ostream& out, const Analysis::Place& place) {
  const auto text = [](const std::optional<Fingerprint>& fingerprint) {
    return fingerprint ? text_of(*fingerprint) : std::string("unknown");
  };
  const LayoutId root = place.layouts.root(place.definition);
  out << "hash      layout " << text(place.fingerprints.layout(root)) << ", signature "
      << text(place.fingerprints.signature(root)) << "\n";
}

void print_findings(std::ostream& out, const TextContext& context, TypeNumber number) {
  const auto print = [&](const auto& finding) {
    const std::string head = std::string(text_of(finding.severity)) + " (" + std::string(finding.kind->id) + "): ";
    out << context.style(is_alarming(finding.severity) ? Role::warning : Role::faint, head)
        << printable(finding.message) << " " << printable(finding.advice) << "\n";
  };
  for (const Finding& finding : context.analysis.findings(number)) print(finding);
  for (const JobFinding& finding : source_findings_of(context, number)) print(finding);
}

void print_signature(std::ostream& out, const Job& job, DefinitionId id) {
  const auto runs = signature_runs(job.layouts, job.layouts.root(id), signature_limit);
  out << "signature ";
  if (runs.empty()) {
    out << "(empty)";
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string& name = job.store.predefined()[runs[i].type].name;
    out << (i == 0 ? "" : ", ") << (runs[i].repeat == Exact(1) ? "" : grouped(runs[i].repeat) + " x ")
        << printable(name);
  }
  const Exact hidden = job.layouts.facts(id).signature_runs - Exact(static_cast<std::int64_t>(runs.size()));
  out << (hidden > Exact(0) ? ", ... (" + counted(hidden, "more run", "more runs") + ")" : "") << "\n";
}

std::vector<std::string> sentences_of(const Job& job, DefinitionId id) {
  const Diagnosis diagnosis = diagnose(job.layouts, id);
  const LayoutFacts& facts = job.layouts.facts(id);
  const Exact lb = job.layouts.lb(id);
  const Exact extent = job.layouts.extent(id);
  const Exact ub = lb + extent;
  std::vector<std::string> sentences;
  if (facts.empty()) {
    return sentences;  // which is a finding
  }
  const auto bytes = [](Exact value) { return counted(value, "byte", "bytes"); };
  if (diagnosis.bytes_before_lb > Exact(0)) {
    sentences.push_back(bytes(diagnosis.bytes_before_lb) + " lie before the lower bound: the data begins at " +
                        grouped(facts.true_lb) + ", the type at " + grouped(lb) + ".");
  }
  if (diagnosis.bytes_beyond_ub > Exact(0)) {
    sentences.push_back(bytes(diagnosis.bytes_beyond_ub) + " lie beyond the upper bound: the data ends at " +
                        grouped(facts.true_ub) + ", the type at " + grouped(ub) +
                        ", so a buffer of count x extent is too small.");
  }
  if (lb < facts.true_lb && lb <= ub) {
    sentences.push_back(bytes(min(facts.true_lb, ub) - lb) + " of padding at the start: the type begins at " +
                        grouped(lb) + ", its data at " + grouped(facts.true_lb) + ".");
  }
  if (facts.true_ub < ub) {
    sentences.push_back(bytes(ub - facts.true_ub) + " of padding at the end: the data ends at " +
                        grouped(facts.true_ub) + ", the next copy's bounds begin at " + grouped(ub) + ".");
  }
  if (diagnosis.hole_bytes && *diagnosis.hole_bytes > Exact(0)) {
    sentences.push_back(bytes(*diagnosis.hole_bytes) + " in holes between the first byte and the last.");
  } else if (!diagnosis.hole_bytes) {
    sentences.push_back("How many bytes are in holes is undecided.");
  }
  // That they do overlap is a finding.
  if (diagnosis.entries_overlap == Overlap::undecided) {
    sentences.push_back("Whether its entries overlap is undecided.");
  }
  if (diagnosis.copies_overlap == Overlap::undecided) {
    sentences.push_back("Whether copies at its extent overlap is undecided.");
  }
  sentences.push_back("`count` copies need " + grouped(diagnosis.span_of_one) + " + (count - 1) * " +
                      grouped(diagnosis.span_per_copy) + " bytes of memory, from byte " + grouped(diagnosis.first) +
                      (extent < Exact(0) ? " + (count - 1) * " + grouped(extent) : "") + " of the buffer on.");
  return sentences;
}

void print_span(std::ostream& out, const Job& job, DefinitionId id, std::int64_t count) {
  const Span span = span_of(job.layouts, id, count);
  out << counted(Exact(count), "copy needs ", "copies need ") << counted(span.length(), "byte", "bytes")
      << " of memory: from byte " << grouped(span.first) << " of the buffer on, up to byte " << grouped(span.end)
      << ".\n";
}

void print_sites(std::ostream& out, const TextContext& context, const JobType& type) {
  const Job& job = context.job;
  const InstancesTable::Range all = job.instances.of(type.number);
  std::vector<Instances> order(all.begin(), all.end());
  const auto made = [](const Instances& instances) {
    return instances.counters ? instances.counters->created + instances.counters->adopted : 0;
  };
  std::stable_sort(order.begin(), order.end(), [&](auto& a, auto& b) { return made(a) > made(b); });
  out << context.style(Role::heading,
                       "made at " + counted(static_cast<std::uint64_t>(order.size()), "call site", "call sites"))
      << "\n";
  for (std::size_t i = 0; i < std::min(sites_limit, order.size()); ++i) {
    const Instances& instances = order[i];
    out << "  " << printable(instances.called);
    if (instances.counters) {
      const Counters& counters = *instances.counters;
      out << ": " << grouped(counters.created) << " created, "
          << (counters.adopted != 0 ? grouped(counters.adopted) + " adopted, " : "") << grouped(counters.committed)
          << " committed, " << grouped(counters.freed) << " freed, "
          << grouped(Exact(live(counters, job.store[type.definition].call.combiner))) << " live";
    } else {
      out << ": numbers unknown, because the process has not ended MPI";
    }
    out << (instances.ranks().empty() ? "" : "; " + words_of(instances.ranks())) << "\n";
    if (!instances.site) {
      out << "    from an unknown place\n";
      continue;
    }
    auto frames = job.stack(*instances.site);
    for (std::size_t at = 0; at < std::min(frames_limit, frames.size()); ++at) {
      if (is_outermost(job, frames[at], context.symbols)) {
        frames.resize(at + 1);
      }
    }
    std::string unresolved;
    for (std::size_t at = 0; at < std::min(frames_limit, frames.size()); ++at) {
      const JobFrame& frame = job.frame(frames[at]);
      out << "    " << (at == 0 ? "in " : "by ") << place_of_frame(job, frames[at], context.symbols) << "\n";
      if (at == 0 && frame.module) {
        const ModuleRecord& module = job.module(*frame.module);
        const SourceLocation& location = context.symbols.resolve(module, frame.offset);
        unresolved = location.why_unresolved.empty() ? "" : module.path + ": " + location.why_unresolved;
      }
    }
    if (frames.size() > frames_limit) {
      out << "    ... "
          << counted(static_cast<std::uint64_t>(frames.size() - frames_limit), "more frame", "more frames") << "\n";
    }
    if (!unresolved.empty()) {
      out << context.style(Role::faint, "    (" + printable(unresolved) + ")") << "\n";
    }
  }
  if (order.size() > sites_limit) {
    out << "  ... "
        << counted(static_cast<std::uint64_t>(order.size() - sites_limit), "more call site", "more call sites") << "\n";
  }
}

void print_typemap(std::ostream& out, const Job& job, DefinitionId id, std::size_t limit) {
  TypemapCursor cursor(job.layouts, job.layouts.root(id));
  TypemapEntry entry;
  std::size_t printed = 0;
  for (; printed < limit && cursor.next(entry); ++printed) {
    out << "  (" << printable(job.store.predefined()[entry.type].name) << ", " << entry.displacement.to_string()
        << ")\n";
  }
  const Exact hidden = job.layouts.facts(id).entries - Exact(static_cast<std::int64_t>(printed));
  if (hidden > Exact(0)) {
    out << "  ... " << counted(hidden, "more entry", "more entries") << "\n";
  }
}

void print_array(std::ostream& out, const TextContext& context, const ShowOptions& options) {
  const std::int64_t count = options.count.value_or(1);
  const auto coverage = coverage_of_array(context.job, options.type, *options.array, count);
  if (const auto* problem = std::get_if<std::string>(&coverage)) {
    out << printable(*problem) << "\n";
    return;
  }
  const std::string copies = counted(Exact(count), "copy of ", "copies of ") + id_and_name(context.job, options.type);
  out << picture_in_array(std::get<ArrayCoverage>(coverage), *options.array, copies, context.style);
}

}  // namespace

void report_show(std::ostream& out, const TextContext& context, const ShowOptions& options) {
  const Job& job = context.job;
  const JobType& type = job.type(options.type);
  out << context.style(Role::heading, text_of(type.number) + "  " + call_of(job, type.number, array_limit)) << "\n";
  for (const std::string& name : job.names(type.number)) {
    out << "name      \"" << printable(name) << "\"\n";
  }
  out << "key       " << key_text(type.key) << "\n";
  if (job.rule_of_text) {
    print_parts(out, job, options.type);
    out << "rule      " << newest_release(*job.rule_of_text).name
        << ", by which the bounds are worked out: nothing ran\n";
  }
  print_contents(out, job, job.store[type.definition].call);
  print_bounds(out, job, type);
  print_signature(out, job, type.definition);
  print_fingerprint(out, context.analysis.place(type.number));
  print_portability(out, context, type);
  if (const std::string& remark = context.analysis.remark_on_release(); !remark.empty()) {
    out << "library   " << printable(remark) << "\n";
  }
  if (const std::optional<Simpler>& simpler = context.analysis.simpler(type.number)) {
    out << "simpler   " << printable(simpler->call) << "\n";
  }
  if (options.with_bnf) {
    out << "bnf       " << printable(bnf_of(job, type.number)) << "\n";
  }
  out << "\n";
  print_findings(out, context, type.number);
  if (options.count) {
    print_span(out, job, type.definition, *options.count);
  }
  for (const std::string& sentence : sentences_of(job, type.definition)) {
    out << sentence << "\n";
  }
  out << "\n";
  if (!job.rule_of_text) {
    print_sites(out, context, type);
    out << "\n";
  }
  if (options.array) {
    print_array(out, context, options);
  } else {
    out << picture_of(job, type.number, options.view, context.style);
  }
  if (options.source) report_source(out, context, *options.source);
  if (options.typemap_entries) {
    out << "\n" << context.style(Role::heading, "typemap") << "\n";
    print_typemap(out, job, type.definition, *options.typemap_entries);
  }
}

}  // namespace ddtscope::reporters
