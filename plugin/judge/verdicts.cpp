#include "plugin/judge/verdicts.h"

#include "decoder/base/grouped.h"

namespace ddtscope::plugin {

bool Verdicts::record(const Verdict& verdict) {
  const Key key(verdict.id, verdict.called, verdict.definition, verdict.predefined, verdict.argument, verdict.site);
  if (kept_.size() >= most_ && !kept_.contains(key)) {
    ++not_kept_;
    return false;
  }
  Kept& kept = kept_[key];
  if (verdict.certainty == Certainty::provisional) {
    ++kept.unsettled;
    ++unsettled_;
    kept.message = verdict.message;
    if (kept.was_withdrawn) return false;
  }
  ++kept.count;
  if (!kept.number.valid()) {
    write(verdict, kept);
  } else if (is_to_be_written(kept.count, kept.written)) {
    write_count(kept);
  }
  return verdict.certainty == Certainty::certain && verdict.severity == Severity::error &&
         is_to_be_told(verdict.id, verdict.site);
}

std::optional<Verdicts::Settled> Verdicts::settle(const EntryPoint* called, CallSiteId site, CallOutcome outcome) {
  if (unsettled_ == 0) return std::nullopt;
  std::optional<Settled> settled;
  for (auto& [key, kept] : kept_) {
    if (kept.unsettled == 0 || std::get<1>(key) != called || std::get<5>(key) != site) continue;
    --kept.unsettled;
    --unsettled_;
    if (outcome == CallOutcome::failed) {
      if (kept.was_withdrawn) ++kept.count;
      if (is_to_be_written(kept.count, kept.written)) write_count(kept);
      const FindingId id = std::get<0>(key);
      settled = Settled{is_to_be_told(id, site), kept.message, id};
    } else if (!kept.was_withdrawn) {
      kept.was_withdrawn = true;
      kept.count = 0;
      write_count(kept);
    }
  }
  return settled;
}

void Verdicts::write_counts() {
  for (auto& [key, kept] : kept_) {
    if (kept.count != kept.written) write_count(kept);
  }
  if (not_kept_ != 0) {
    writer_.note(grouped(not_kept_) + " errors in calls are not in the trace: there are too many different ones.");
  }
}

bool Verdicts::is_to_be_told(FindingId id, CallSiteId site) {
  if (told_.size() >= most_told) return false;
  return told_.try_emplace({id, site}, true).second;
}

FindingNumber Verdicts::add(trace::FindingLine line) {
  line.number = {next_++};
  writer_.finding(line);
  return line.number;
}

void Verdicts::write(const Verdict& verdict, Kept& kept) {
  kept.written = 1;
  kept.number = add({.number = {},
                     .finding = kind_of(verdict.id).id,
                     .severity = text_of(verdict.severity),
                     .definition = verdict.definition,
                     .predefined = verdict.predefined,
                     .called = verdict.called->name,
                     .binding = verdict.called->binding,
                     .argument = verdict.argument,
                     .site = verdict.site,
                     .message = verdict.message,
                     .freed_at = verdict.freed_at,
                     .freed_by = verdict.freed_by != nullptr ? verdict.freed_by->name : std::string_view()});
}

void Verdicts::write_count(Kept& kept) {
  kept.written = kept.count;
  writer_.finding_count(kept.number, kept.count);
}

}  // namespace ddtscope::plugin
