// Findings, portability, and simpler types.
#include "decoder/findings/findings.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "decoder/c_api/context.h"
#include "decoder/c_api/derived_parts.h"
#include "decoder/findings/finding_kinds.h"

using namespace ddtscope;
using namespace ddtscope::c_api;

namespace {

static_assert(static_cast<int>(Severity::note) == DDTSCOPE_SEVERITY_NOTE);
static_assert(static_cast<int>(Severity::warning) == DDTSCOPE_SEVERITY_WARNING);
static_assert(static_cast<int>(Severity::error) == DDTSCOPE_SEVERITY_ERROR);

using PublicKinds = std::array<ddtscope_finding_kind, finding_kind_count>;

const PublicKinds& public_kinds() {
  // Views of literals.
  static const PublicKinds kinds = [] {
    PublicKinds result{};
    std::transform(finding_kinds().begin(), finding_kinds().end(), result.begin(), [](const FindingKind& kind) {
      return ddtscope_finding_kind{kind.id.data(), static_cast<int>(kind.severity), kind.title.data(),
                                   kind.explanation.data(), kind.example.data()};
    });
    return result;
  }();
  return kinds;
}

/// The type and the judge of it.
struct Judged {
  DefinitionId id;
  ddtscope_context::Judge* judge = nullptr;
};

Status ask_judge(ddtscope_context& c, ddtscope_datatype datatype, int rule, Judged& judged) {
  if (Status status = c.resolve(datatype, "datatype", judged.id); status.failed()) return status;
  return c.judge(rule, judged.judge);
}

/// A definition of another store in the context's own.
DefinitionId take_over(ddtscope_context& c, const DefinitionStore& from, DefinitionId id) {
  DefinitionStore& store = c.store();
  std::map<DefinitionId, DefinitionId> taken;
  const auto own = [&](DefinitionId oldtype) {
    const Definition& definition = from[oldtype];
    return definition.call.combiner == Combiner::named ? store.add_predefined(from.predefined()[definition.predefined])
                                                       : taken.at(oldtype);
  };
  for (const DefinitionId part : derived_parts(from, id)) {
    ConstructorCall call = from[part].call;
    std::vector<DefinitionId> oldtypes;
    std::transform(call.datatypes.begin(), call.datatypes.end(), std::back_inserter(oldtypes), own);
    call.datatypes = oldtypes;
    taken[part] = store.intern(call).id;
  }
  return own(id);
}

}  // namespace

const char* ddtscope_severity_name(int severity) {
  const bool is_one = severity >= DDTSCOPE_SEVERITY_NOTE && severity <= DDTSCOPE_SEVERITY_ERROR;
  return is_one ? text_of(static_cast<Severity>(severity)).data() : "";
}

const ddtscope_finding_kind* ddtscope_finding_kind_at(size_t index) {
  return index < public_kinds().size() ? &public_kinds()[index] : nullptr;
}

const ddtscope_finding_kind* ddtscope_find_finding_kind(const char* id) {
  const FindingKind* kind = id != nullptr ? find_finding_kind(id) : nullptr;
  return kind != nullptr ? &public_kinds()[static_cast<std::size_t>(kind - finding_kinds().data())] : nullptr;
}

int ddtscope_get_findings(ddtscope_context* context, ddtscope_datatype datatype, int rule, size_t max_findings,
                          ddtscope_finding findings[], size_t* number) {
  return call(__func__, context, [&](ddtscope_context& c) -> Status {
    Judged judged;
    if (Status status = ask_judge(c, datatype, rule, judged); status.failed()) return status;
    if (max_findings > 0) {
      if (Status status = require(findings, "findings"); status.failed()) return status;
    }
    if (Status status = require(number, "number"); status.failed()) return status;
    c.findings = findings_of(judged.judge->sources, judged.id);
    for (std::size_t i = 0; i < std::min(max_findings, c.findings.size()); ++i) {
      const Finding& finding = c.findings[i];
      const auto kind = static_cast<std::size_t>(finding.kind - finding_kinds().data());
      findings[i] = {&public_kinds()[kind], static_cast<int>(finding.severity), finding.message.c_str(),
                     finding.advice.c_str()};
    }
    *number = c.findings.size();
    return {};
  });
}

int ddtscope_get_portability(ddtscope_context* context, ddtscope_datatype datatype, ddtscope_portability* portability,
                             size_t max_reasons, const char* reasons[], size_t* number) {
  return call(__func__, context, [&](ddtscope_context& c) -> Status {
    Judged judged;
    if (Status status = ask_judge(c, datatype, DDTSCOPE_RULE_STANDARD, judged); status.failed()) return status;
    if (Status status = require(portability, "portability"); status.failed()) return status;
    if (max_reasons > 0) {
      if (Status status = require(reasons, "reasons"); status.failed()) return status;
    }
    if (Status status = require(number, "number"); status.failed()) return status;
    Portability answer = portability_of(judged.judge->sources, judged.id);
    c.reasons = std::move(answer.reasons);
    *portability = {answer.portable ? 1 : 0, answer.moves_data ? 1 : 0, answer.moves_entries ? 1 : 0};
    for (std::size_t i = 0; i < std::min(max_reasons, c.reasons.size()); ++i) reasons[i] = c.reasons[i].c_str();
    *number = c.reasons.size();
    return {};
  });
}

int ddtscope_simpler_text(ddtscope_context* context, ddtscope_datatype datatype, int rule, char* buffer, size_t size,
                          size_t* length) {
  return call(__func__, context, [&](ddtscope_context& c) {
    Judged judged;
    if (Status status = ask_judge(c, datatype, rule, judged); status.failed()) return status;
    const std::optional<Simpler> simpler =
        judged.judge->simplifier.simpler(judged.id, judged.judge->sources.name_oldtype);
    return put_text(simpler ? simpler->call : "", {buffer, size, length});
  });
}

int ddtscope_type_normal_form(ddtscope_context* context, ddtscope_datatype datatype, int rule,
                              ddtscope_datatype* newtype) {
  return call(__func__, context, [&](ddtscope_context& c) -> Status {
    Judged judged;
    if (Status status = ask_judge(c, datatype, rule, judged); status.failed()) return status;
    if (Status status = require(newtype, "newtype"); status.failed()) return status;
    Simplifier& simplifier = judged.judge->simplifier;
    const DefinitionId normal = simplifier.normal_form(judged.id);
    *newtype = c.handle(take_over(c, simplifier.normal_forms(), normal));
    return {};
  });
}
