// What was read from and written to each file, as which types, and how the files were viewed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decoder/base/exact.h"
#include "reporters/model/job.h"

namespace ddtscope::reporters {

/// Of all processes. Bytes are those that were asked for by calls that succeeded; they do not fit where the library
/// does not know a type's size.
struct FileAmounts {
  std::uint64_t calls = 0;
  Exact read = Exact(0), written = Exact(0);
};

/// What was read and written as one type.
struct FileType {
  DefinitionId type;  // a predefined one, too
  FileAmounts amounts;
};

/// Views of all processes that differ in their displacement alone.
struct FileView {
  DefinitionId etype, filetype;  // predefined ones, too
  std::string_view datarep;
  std::optional<std::int64_t> lowest, highest;  // displacements, in bytes; none: MPI_DISPLACEMENT_CURRENT
  std::uint64_t count = 0;                      // of calls
};

/// A file by its name, however often and by whomever it was opened.
struct FileTraffic {
  std::string_view name;                 // the job's
  std::vector<std::string_view> modes;   // each once, as the next ones
  std::vector<std::string_view> called;  // what read and wrote
  RankRanges ranks;                      // that opened it
  FileAmounts amounts;
  std::vector<FileType> types;  // most bytes first
  std::vector<FileView> views;
};

/// What is wanted of a job, by the numbers of its accesses (Job::file_accesses), views and files. An empty list of
/// views is one of none. Of a file that is wanted itself nothing else need be.
struct WantedFiles {
  std::vector<bool> accesses, views, files;
};
/// Most bytes first: the files of which something is wanted, with that alone.
std::vector<FileTraffic> file_traffic_of(const Job& job, const WantedFiles& wanted);
/// All of it but the views.
std::vector<FileTraffic> file_traffic_of(const Job& job);

}  // namespace ddtscope::reporters
