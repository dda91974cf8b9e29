#include "reporters/trace/write/facts.h"

#include <vector>

#include "decoder/coverage/diagnosis.h"
#include "decoder/layout/strided_runs.h"
#include "decoder/layout/typemap.h"

namespace ddtscope::trace {
namespace {

void strided_runs_value(JsonLine& line, const std::vector<StridedRun>& runs, const PredefinedTable& predefined) {
  line.begin_array();
  for (const StridedRun& run : runs) {  // groups nest at most as deep as strided_runs() allows
    line.begin_object();
    if (run.type.valid()) {
      line.key("type").string(predefined[run.type].name);
    } else {
      line.key("of");
      strided_runs_value(line, run.group, predefined);
    }
    line.key("at").exact(run.displacement);
    line.key("repeat").begin_array();
    for (const auto& [count, stride] : run.repeat) {
      line.begin_array().exact(count).exact(stride).end_array();
    }
    line.end_array().end_object();
  }
  line.end_array();
}

void append_signature(JsonLine& line, const Layouts& layouts, DefinitionId id) {
  line.key("signature").begin_array();
  for (const SignatureRun& run : signature_runs(layouts, layouts.root(id), signature_limit)) {
    line.begin_array().string(layouts.store().predefined()[run.type].name).exact(run.repeat).end_array();
  }
  line.end_array();
  // A number of runs that does not fit is more than the limit.
  line.key("signature_truncated")
      .boolean(!(layouts.facts(id).signature_runs <= Exact(static_cast<std::int64_t>(signature_limit))));
}

void append_diagnosis(JsonLine& line, const Diagnosis& diagnosis) {
  line.key("diagnosis").begin_object().key("bytes_before_lb").exact(diagnosis.bytes_before_lb);
  line.key("bytes_beyond_ub").exact(diagnosis.bytes_beyond_ub).key("hole_bytes");
  diagnosis.hole_bytes ? line.exact(*diagnosis.hole_bytes) : line.null();
  line.key("entries_overlap").string(text_of(diagnosis.entries_overlap));
  line.key("copies_overlap").string(text_of(diagnosis.copies_overlap));
  line.key("memory").string(memory_formula(diagnosis)).end_object();
}

}  // namespace

void append_facts(JsonLine& line, const Layouts& layouts, DefinitionId id) {
  const LayoutFacts& facts = layouts.facts(id);
  line.key("alignment").integer(facts.alignment).key("entries").exact(facts.entries).key("blocks").exact(facts.blocks);
  append_signature(line, layouts, id);
  const StridedRuns typemap = strided_runs(layouts, layouts.root(id), typemap_limit);
  line.key("typemap");
  strided_runs_value(line, typemap.runs, layouts.store().predefined());
  line.key("typemap_truncated").boolean(typemap.truncated);
  append_diagnosis(line, diagnose(layouts, id));
}

}  // namespace ddtscope::trace
