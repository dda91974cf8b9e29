#include "reporters/buffers/findings_of_buffers.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "decoder/base/grouped.h"
#include "decoder/base/lower_case.h"
#include "reporters/buffers/touched_places.h"
#include "reporters/model/uses.h"
#include "reporters/source/basic_names.h"
#include "reporters/struct_layout/struct_layout.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t most_told = 3;  // parts of one finding

enum class Done : std::uint8_t { sent, received, given };

Done done_with(const JobBuffer& buffer) {
  const std::string called = lower_case(std::string(buffer.called));
  const auto has = [&](const char* word) { return called.find(word) != called.npos; };
  using enum trace::UseParameter;
  const bool is_datatype = buffer.parameter == datatype;
  if (buffer.parameter == sendtype || buffer.parameter == sendtypes || (is_datatype && has("send") && !has("recv"))) {
    return Done::sent;
  }
  if (buffer.parameter == recvtype || buffer.parameter == recvtypes || (is_datatype && has("recv") && !has("send"))) {
    return Done::received;
  }
  return Done::given;
}

/// "sends 10 x MPI_INT from"
std::string what_is_done(const Job& job, const JobBuffer& buffer) {
  const std::string what = grouped(buffer.elements) + " x " + job.name_of(buffer.type);
  switch (done_with(buffer)) {
    case Done::sent:
      return "sends " + what + " from ";
    case Done::received:
      return "receives " + what + " into ";
    case Done::given:
      break;
  }
  return "is given " + what + " at ";
}

std::string bytes_text(const ObjectComparison& comparison) {
  if (!comparison.object) return "";
  const ByteRange& touched = comparison.touched;
  const ByteRange& object = *comparison.object;
  if (touched.begin < object.begin) {
    return counted(Exact(object.begin - touched.begin), "byte", "bytes") + " before it";
  }
  if (touched.end > object.end) {
    return counted(Exact(touched.end - object.end), "byte", "bytes") + " beyond its end: bytes " +
           grouped(Exact(touched.begin - object.begin)) + " to " + grouped(Exact(touched.end - 1 - object.begin)) +
           " are touched, and it has " + grouped(Exact(object.length()));
  }
  const std::string place =
      touched.begin == object.begin ? "" : " from byte " + grouped(Exact(touched.begin - object.begin)) + " on";
  return grouped(Exact(touched.length())) + " of " + counted(Exact(object.length()), "byte", "bytes") + place;
}

/// Of another type it need not have the length. Where types are no error, the length is a fault of its own.
bool is_length_told_apart(const ObjectComparison& comparison) {
  return comparison.is_too_small() && comparison.severity_of_types() != Severity::error;
}

/// The clauses of a sentence about types, the worst first.
std::string clauses(const ObjectComparison& comparison) {
  std::string text;
  const auto add = [&](const std::string& clause) { text += (text.empty() ? "" : "; ") + clause; };
  for (std::size_t i = 0; i < std::min(most_told, comparison.parts.size()); ++i) {
    const WrongPart& part = comparison.parts[i];
    add((severity_of(part.verdict) == Severity::note ? "note: " : "") + part.text);
  }
  if (comparison.parts.size() > most_told) add("and " + grouped(comparison.parts.size() - most_told) + " more");
  if (!comparison.shape.empty()) add(comparison.shape);
  if (!comparison.extent.empty()) add(comparison.extent);
  const std::string bytes = is_length_told_apart(comparison) ? "" : bytes_text(comparison);
  if (!bytes.empty()) add(bytes);
  return text;
}

/// How often the argument was used at the place, where that was counted.
std::uint64_t calls_of(const Job& job, const JobBuffer& buffer) {
  std::uint64_t calls = 0;
  for (const TypeUse& use : job.uses) {
    if (use.type == buffer.type && use.called == buffer.called && use.parameter == buffer.parameter &&
        use.site == buffer.site) {
      calls += use.counts.calls;
    }
  }
  return std::max<std::uint64_t>(calls, 1);
}

JobFinding finding_at(const Job& job, const JobBuffer& buffer, FindingId id) {
  JobFinding finding{};
  finding.kind = &kind_of(id);
  finding.type = buffer.type;
  finding.called = buffer.called;
  finding.argument = name_of(buffer.parameter);
  finding.ranks = buffer.ranks;
  finding.count = calls_of(job, buffer);
  finding.sites = {buffer.site};
  return finding;
}

std::string sentence_begin(const Job& job, const JobBuffer& buffer) {
  return std::string(buffer.called) + " " + what_is_done(job, buffer);
}

JobFinding finding_of_types(const Job& job, const JobBuffer& buffer, const JudgedBuffer& judged) {
  JobFinding finding = finding_at(job, buffer, FindingId::source_type);
  finding.severity = *judged.comparison.severity_of_types();
  finding.message = sentence_begin(job, buffer) + (judged.object.is_section ? "a section of " : "") +
                    text_of(judged.object) + ": " + clauses(judged.comparison) + ".";
  const bool is_pointer = !judged.comparison.parts.empty() &&
                          judged.comparison.parts.front().verdict == Verdict::pointer && !judged.object.is_pointee;
  finding.advice = is_pointer ? "Pass the pointer itself, not its address."
                   : judged.comparison.parts.empty()
                       ? "Make the type for the array as it is declared."
                       : "Use the datatype that the variable's own type has, or the variable that is meant.";
  return finding;
}

JobFinding finding_of_size(const Job& job, const JobBuffer& buffer, const JudgedBuffer& judged) {
  JobFinding finding = finding_at(job, buffer, FindingId::buffer_too_small);
  finding.severity = Severity::error;
  const bool is_heap =
      std::holds_alternative<HeapPlace>(buffer.place) && judged.comparison.touched.end > judged.comparison.object->end;
  finding.message = sentence_begin(job, buffer) +
                    (judged.object.name.empty() ? "memory that was allocated" : text_of(judged.object)) + ": " +
                    bytes_text(judged.comparison) + (is_heap ? ", all that was allocated" : "") + ".";
  finding.advice = "Make the buffer as long as the count and the type say, or the count smaller.";
  return finding;
}

/// What the compiler's descriptor says of the elements, as an object.
FoundObject object_of(const ArrayDescriptor& descriptor) {
  using enum ArrayDescriptor::Element;
  const std::string name(names_of_array_elements[static_cast<std::size_t>(descriptor.element)]);
  const auto kind = descriptor.element == integer   ? ScalarKind::signed_integer
                    : descriptor.element == logical ? ScalarKind::boolean
                    : descriptor.element == real    ? ScalarKind::floating
                                                    : ScalarKind::complex;
  FoundObject object;
  const std::int64_t bytes = descriptor.bytes;
  const std::string number = std::to_string(kind == ScalarKind::complex ? bytes / 2 : bytes);
  const std::string type = name + "(kind=" + number + ")";
  object.declaration = "an array of " + type;
  object.language = SourceLanguage::fortran;
  object.is_pointee = true;
  object.type = std::make_shared<SourceType>(
      SourceType{type, bytes, SourceScalar{kind, basic_of_built_in({type, bytes, kind}, SourceLanguage::fortran)}});
  return object;
}

/// The variable in which a section is, if there is one with such elements.
const FoundObject* with_elements(const std::vector<FoundObject>& found, const SourceType& element) {
  for (const FoundObject& one : found) {
    const SourceType* inner = one.type.get();
    while (inner != nullptr && inner->array() != nullptr) inner = inner->array()->element.get();
    if (inner != nullptr && is_same(*inner, element)) return &one;
  }
  return nullptr;
}

bool has_types_wrong(const ObjectComparison& comparison) {
  return !comparison.parts.empty() || !comparison.shape.empty() || !comparison.extent.empty();
}

/// The basic type that a datatype has at the buffer's address, where all of its entries are of that one. Of a mixture
/// nothing is said: a structure may be sent by its first component, and what lies behind that is another one.
std::optional<DefinitionId> basic_at_address(const Job& job, const JobBuffer& buffer, std::int64_t element) {
  const auto touched = touched_places(job, {buffer.type, std::min<std::uint64_t>(buffer.elements, 1), 0, element});
  if (!touched || touched->empty()) return std::nullopt;
  const std::string_view basic = touched->front().basic;
  bool is_there = false;
  for (const TouchedPlace& one : *touched) {
    if (one.basic != basic) return std::nullopt;
    is_there |= one.first == 0;
  }
  return is_there ? job.store.find_predefined(basic) : std::nullopt;
}

/// What is wrong with the entry at the buffer's address: the only element that a descriptor says for certain is there.
std::vector<WrongPart> wrong_at_address(const Job& job, const JobBuffer& buffer, const FoundObject& object) {
  const std::optional<DefinitionId> basic = basic_at_address(job, buffer, object.type->size);
  if (!basic) return {};
  JobBuffer first = buffer;
  first.type = *basic;
  first.elements = 1;
  first.place = NoPlace{};
  return compare(job, first, object).parts;
}

/// Held against what the compiler says of the elements: all that is known of a section whose elements do not follow
/// each other, and of a variable that optimised code has left nothing of. It excuses the whole buffer, and accuses what
/// lies at its address alone.
std::optional<JudgedBuffer> judged_by_descriptor(const Job& job, const JobBuffer& buffer,
                                                 const std::vector<FoundObject>& found) {
  using enum ArrayDescriptor::Element;
  if (!buffer.descriptor || buffer.descriptor->element == character || buffer.descriptor->element == derived) return {};
  const bool is_section = buffer.descriptor->is_section;
  if (is_section && job.number_of(buffer.type).valid()) return {};
  JudgedBuffer judged;
  judged.object = object_of(*buffer.descriptor);
  judged.object.is_section = is_section;
  JobBuffer elements = buffer;
  if (is_section) {
    elements.place = NoPlace{};
    elements.elements = std::min<std::uint64_t>(elements.elements, 1);
  }
  FoundObject compared = judged.object;
  if (const FoundObject* const variable = with_elements(found, *judged.object.type)) {
    judged.object = *variable;
    judged.object.type = compared.type;
    judged.object.is_pointee = true;
    judged.object.is_section = is_section;
    // Which element it is, is known of one that follows others.
    const bool is_element = !is_section && variable->place % compared.type->size == 0;
    if (is_element) compared = judged.object;
  }
  judged.comparison = compare(job, elements, compared);
  if (has_types_wrong(judged.comparison)) {
    judged.comparison.parts = wrong_at_address(job, elements, compared);
    if (judged.comparison.parts.empty()) return {};
  }
  return judged;
}

/// What is known of a block alone, whatever leads to it.
std::optional<JudgedBuffer> judged_block(const Job& job, const JobBuffer& buffer) {
  const auto* heap = std::get_if<HeapPlace>(&buffer.place);
  if (heap == nullptr || !heap->block) return std::nullopt;
  JudgedBuffer block;
  block.object.is_pointee = true;
  block.comparison = compare(job, buffer, block.object);
  return block;
}

/// One for each (id, type, variable), as severe as its worst. Of calls as bad as each other it tells the one that
/// writes where it should not.
class Findings {
 public:
  void add(JobFinding finding, const FoundObject& object, Done done) {
    const std::tuple key(finding.kind->id, finding.type->value, object.declaration, object.file,
                         object.line.value_or(0), object.name.empty() ? finding.message : object.name);
    const auto [known, is_new] = places_.try_emplace(key, findings_.size());
    const std::pair badness(finding.severity, done == Done::received);
    if (is_new) {
      findings_.push_back(std::move(finding));
      badness_.push_back(badness);
      return;
    }
    JobFinding& one = findings_[known->second];
    std::pair<Severity, bool>& worst = badness_[known->second];
    const bool is_worse = badness > worst;
    std::vector<std::optional<FrameIndex>> sites = is_worse ? finding.sites : one.sites;
    for (const auto& site : is_worse ? one.sites : finding.sites) {
      if (std::find(sites.begin(), sites.end(), site) == sites.end()) sites.push_back(site);
    }
    RankRanges ranks = one.ranks;
    join_ranks(ranks, finding.ranks);
    const std::uint64_t count = one.count + (sites.size() > one.sites.size() ? finding.count : 0);
    if (is_worse) {
      one = std::move(finding);
      worst = badness;
    }
    one.sites = std::move(sites);
    one.ranks = std::move(ranks);
    one.count = count;
  }
  std::vector<JobFinding> take() { return std::move(findings_); }

 private:
  std::map<std::tuple<std::string_view, std::uint32_t, std::string, std::string, int, std::string>, std::size_t>
      places_;
  std::vector<JobFinding> findings_;
  std::vector<std::pair<Severity, bool>> badness_;  // of each, and whether it is a receive
};

}  // namespace

std::string text_of(const FoundObject& object) {
  if (object.name.empty()) return object.declaration;
  const std::string line = object.line ? ":" + std::to_string(*object.line) : "";
  return "`" + object.name + "` (" + object.declaration + (object.file.empty() ? "" : ", " + object.file + line) + ")";
}

std::optional<JudgedBuffer> best_of(const Job& job, const JobBuffer& buffer, std::vector<FoundObject> found) {
  std::optional<JudgedBuffer> best;
  const auto rank = [](const FoundObject& object, const ObjectComparison& comparison) {
    // What says nothing of types neither accuses nor excuses, and what is over excuses, but accuses last of all.
    const auto severity = comparison.severity();
    return std::tuple(!comparison.is_compared, severity && object.is_over,
                      severity ? static_cast<int>(*severity) + 1 : 0);
  };
  // Another variable of the same block says nothing where one has the address itself, be it as a void *: that is memory
  // which is lent for something else. A function's argument, though, is a void * whatever it is given.
  const bool has_exact = std::any_of(found.begin(), found.end(), [](const FoundObject& one) {
    return one.is_pointee && one.place == 0 && (one.type != nullptr || !one.is_parameter);
  });
  for (FoundObject& object : found) {
    if (has_exact && object.is_pointee && object.place != 0) continue;
    ObjectComparison comparison = compare(job, buffer, object);
    // What may be another variable's value excuses, but does not accuse.
    if (object.may_be_left_over && has_types_wrong(comparison)) continue;
    if (!best || rank(object, comparison) < rank(best->object, best->comparison)) {
      best = JudgedBuffer{std::move(object), std::move(comparison)};
    }
  }
  return best;
}

DrawnFindings findings_of_sources(const Job& job) {
  DrawnFindings drawn{findings_of_structs(job), {}};
  std::set<DefinitionId> with_struct;
  for (const JobFinding& finding : drawn.findings) with_struct.insert(*finding.type);
  BufferObjects objects(job);
  Findings findings;
  KnownBuffers buffers{job.buffers.size(), 0};
  for (const JobBuffer& buffer : job.buffers) {
    const std::vector<FoundObject> found = objects.of(buffer);
    const bool is_section = buffer.descriptor && buffer.descriptor->is_section;
    std::optional<JudgedBuffer> judgement = is_section ? std::nullopt : best_of(job, buffer, found);
    std::optional<JudgedBuffer> described = judged_by_descriptor(job, buffer, found);
    // Who says what the elements are knows better than what leads to their memory.
    const bool is_excused = described && described->comparison.is_compared && !described->comparison.severity();
    if (!judgement || (is_excused && has_types_wrong(judgement->comparison))) judgement = std::move(described);
    if (judgement) {
      ++buffers.known;
    } else if (objects.has_information(buffer)) {
      buffers.unknown_in_frames += std::holds_alternative<StackPlace>(buffer.place) ? 1 : 0;
      buffers.unknown_allocated += std::holds_alternative<HeapPlace>(buffer.place) ? 1 : 0;
    }
    if (!judgement && !is_section) judgement = judged_block(job, buffer);
    if (!judgement || !judgement->comparison.severity()) continue;
    const bool is_told = with_struct.contains(buffer.type) && judgement->object.type != nullptr;
    const bool has_wrong_types = has_types_wrong(judgement->comparison) && !is_told;
    if (has_wrong_types) {
      findings.add(finding_of_types(job, buffer, *judgement), judgement->object, done_with(buffer));
    }
    if (has_wrong_types ? is_length_told_apart(judgement->comparison) : judgement->comparison.is_too_small()) {
      findings.add(finding_of_size(job, buffer, *judgement), judgement->object, done_with(buffer));
    }
  }
  for (JobFinding& finding : findings.take()) drawn.findings.push_back(std::move(finding));
  drawn.remarks = objects.problems();
  if (buffers_are_recorded(job)) drawn.buffers = buffers;
  return drawn;
}

}  // namespace ddtscope::reporters
