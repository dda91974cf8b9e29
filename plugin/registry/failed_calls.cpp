// Counts and lines of failed calls.
#include "plugin/registry/failed_calls.h"

namespace ddtscope::plugin {

void FailedCalls::count(const Place& place, trace::ErrorClass error_class) {
  trace::CounterRecord*& record = failed_[{place.called->name, error_class, place.site}];
  if (!record) {
    record = &pages_.add({.definition = {},
                          .site = place.site,
                          .called = place.called->name,
                          .binding = place.called->binding,
                          .error_class = error_class});
  }
  ++record->failed;
}

void FailedCalls::write(trace::Writer& writer) const {
  std::vector<FailedCallsRecord> calls;
  for (auto call = failed_.begin(); call != failed_.end();) {
    const FailedCall& key = call->first;
    const trace::CounterRecord& record = *call->second;
    calls.push_back({.called = key.called,
                     .binding = record.binding,
                     .error_class = name_of(key.error_class),
                     .site = key.site,
                     .count = record.failed});
    ++call;
    const bool goes_on =
        call != failed_.end() && call->first.called == key.called && call->first.error_class == key.error_class;
    if (goes_on) continue;
    writer.failed_calls(calls);
    calls.clear();
  }
}

}  // namespace ddtscope::plugin
