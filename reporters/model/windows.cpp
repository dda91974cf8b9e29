// The ranks' windows as the job's, and what was reached in them.
#include <utility>

#include "reporters/model/job_builder.h"

namespace ddtscope::reporters {

std::vector<WindowIndex> JobBuilder::join_windows(const FileEnd& end) {
  std::vector<WindowIndex> indices;
  for (const WindowRecord& record : end.windows) {
    JobWindow window{record.name,
                     record.flavour,
                     record.size,
                     record.displacement_unit,
                     job_.word(record.called),
                     job_.word(record.binding),
                     site_of(record.site),
                     {}};
    indices.push_back({join_line(job_.windows, windows_index_,
                                 {window.name, window.flavour, window.size, window.displacement_unit, window.called,
                                  window.binding, window.site},
                                 std::move(window), record.ranks)});
  }
  for (const WindowNameRecord& record : end.window_names) {
    JobWindowName name{indices[record.window.value], job_.word(record.name), {}};
    join_line(job_.window_names, window_names_index_, {name.window, name.name}, std::move(name), record.ranks);
  }
  return indices;
}

/// Targets are ranks of the origins' world: lines of two worlds stay apart.
void JobBuilder::join_accesses(const FileEnd& end, const std::vector<WindowIndex>& windows) {
  for (const AccessesRecord& record : end.accesses) {
    JobAccesses accesses{.window = windows[record.window.value],
                         .target = record.target,
                         .type = definition_of(record.type),
                         .elements = record.elements,
                         .called = job_.word(record.called),
                         .binding = job_.word(record.binding),
                         .parameter = record.parameter,
                         .site = site_of(record.site),
                         .lowest = record.lowest,
                         .highest = record.highest,
                         .count = record.count,
                         .ranks = {}};
    add_ranks(accesses.ranks, record.ranks);  // their world is in the key
    join_line(
        job_.accesses, accesses_index_,
        {accesses.window, accesses.target, accesses.type.value, accesses.elements, accesses.called, accesses.binding,
         accesses.parameter, accesses.site, accesses.lowest, accesses.highest, accesses.count, accesses.world()},
        std::move(accesses), record.ranks);
  }
}

std::vector<std::uint32_t> JobBuilder::join_window_events(const FileEnd& end) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(end.window_events.size());
  for (const WindowEventRecord& record : end.window_events) {
    WindowEvent event{.kind = record.kind,
                      .called = job_.word(record.called),
                      .binding = job_.word(record.binding),
                      .site = site_of(record.site),
                      .asserts = record.asserts,
                      .ordering = record.ordering,
                      .target = record.target,
                      .is_exclusive = record.is_exclusive,
                      .group = record.group,
                      .type = record.type ? std::optional(definition_of(*record.type)) : std::nullopt,
                      .elements = record.elements,
                      .parameter = record.parameter,
                      .displacement = record.displacement,
                      .step = record.step,
                      .times = record.times,
                      .op = job_.word(record.op)};
    const auto [found, is_new] =
        window_events_index_.try_emplace(std::move(event), static_cast<std::uint32_t>(job_.window_events.size()));
    if (is_new) job_.window_events.push_back(found->first);
    numbers.push_back(found->second);
  }
  return numbers;
}

void JobBuilder::join_epochs(FileEnd& end, const std::vector<WindowIndex>& windows,
                             const std::vector<std::uint32_t>& sequences) {
  for (const EpochsRecord& record : end.epochs) {
    JobEpochs epochs;
    epochs.window = windows[record.window.value];
    epochs.sequence = sequences[record.sequence.value];
    add_ranks(epochs.ranks, record.ranks);
    if (epochs.ranks.empty()) continue;  // without a world there are no ranks that targets could have
    EpochsKey key{epochs.window, epochs.sequence, std::nullopt, epochs.ranks.ranges().front().world};
    if (record.undecided) {
      epochs.undecided = UndecidedFrom{record.undecided->operation, job_.word(record.undecided->why)};
      std::get<2>(key).emplace(epochs.undecided->operation, epochs.undecided->why);
    }
    join_line(job_.epochs, epochs_index_, key, std::move(epochs), record.ranks);
  }
  for (AttachedRecord& record : end.attached) {
    JobAttached attached{windows[record.window.value], std::move(record.ranges), {}};
    add_ranks(attached.ranks, record.ranks);
    job_.attached.push_back(std::move(attached));
  }
  end.attached.clear();
}

}  // namespace ddtscope::reporters
