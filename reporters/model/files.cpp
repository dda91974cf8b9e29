// The ranks' files as the job's, their views, and what was accessed in them.
#include "reporters/model/job_builder.h"

namespace ddtscope::reporters {

void JobBuilder::join_files(const FileEnd& end) {
  std::vector<FileIndex> indices;
  for (const OpenedFileRecord& record : end.files) {
    JobFile file{record.name,
                 job_.word(record.communicator),
                 job_.word(record.mode),
                 job_.word(record.called),
                 job_.word(record.binding),
                 site_of(record.site),
                 {}};
    indices.push_back({join_line(job_.files, files_index_,
                                 {file.name, file.communicator, file.mode, file.called, file.binding, file.site},
                                 std::move(file), record.ranks)});
  }
  join_views(end, indices);
  join_file_accesses(end, indices);
}

/// Views of processes without a rank stay apart: nobody could tell how many processes there were.
void JobBuilder::join_views(const FileEnd& end, const std::vector<FileIndex>& files) {
  for (const ViewRecord& record : end.views) {
    JobView view{.file = files[record.file.value],
                 .etype = definition_of(record.etype),
                 .filetype = definition_of(record.filetype),
                 .datarep = job_.word(record.datarep),
                 .lowest = record.lowest,
                 .highest = record.highest,
                 .called = job_.word(record.called),
                 .binding = job_.word(record.binding),
                 .site = site_of(record.site),
                 .count = record.count,
                 .ranks = {}};
    add_ranks(view.ranks, record.ranks);
    if (view.ranks.empty()) {
      job_.views.push_back(std::move(view));
      continue;
    }
    join_line(job_.views, views_index_,
              {view.file, view.etype.value, view.filetype.value, view.datarep, view.lowest, view.highest, view.called,
               view.site, view.count},
              std::move(view), record.ranks);
  }
}

/// The same of what they have accessed.
void JobBuilder::join_file_accesses(const FileEnd& end, const std::vector<FileIndex>& files) {
  for (const FileAccessesRecord& record : end.file_accesses) {
    JobFileAccesses accesses{.file = files[record.file.value],
                             .type = definition_of(record.type),
                             .elements = record.elements,
                             .count = record.count,
                             .called = job_.word(record.called),
                             .binding = job_.word(record.binding),
                             .parameter = record.parameter,
                             .site = site_of(record.site),
                             .ranks = {}};
    add_ranks(accesses.ranks, record.ranks);
    if (accesses.ranks.empty()) {
      job_.file_accesses.push_back(std::move(accesses));
      continue;
    }
    join_line(job_.file_accesses, file_accesses_index_,
              {accesses.file, accesses.type.value, accesses.elements, accesses.count, accesses.called, accesses.binding,
               accesses.site},
              std::move(accesses), record.ranks);
  }
}

}  // namespace ddtscope::reporters
