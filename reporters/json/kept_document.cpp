#include "reporters/json/kept_document.h"

#include <fstream>

#include "reporters/json/whole_file.h"

namespace ddtscope::reporters {

std::optional<std::string> read_kept_document(const std::filesystem::path& folder, const KeptDocument& kind,
                                              const std::function<void(const Json& item)>& take) {
  const std::filesystem::path file = folder / kind.file;
  std::ifstream stream(file);
  if (!stream) return std::nullopt;
  try {
    const Json document = Json::parse(stream);
    if (document.at("format") != kind.format) return file.string() + ": is no " + kind.what + kind.advice;
    if (const int version = document.at("version").get<int>(); version > kind.version) {
      return file.string() + ": is of version " + std::to_string(version) + ", this ddtscope reads up to version " +
             std::to_string(kind.version) + kind.advice;
    }
    for (const Json& item : document.at(kind.list)) take(item);
  } catch (const std::exception&) {  // JSON that is none, members that are missing, numbers out of range
    return file.string() + ": is damaged" + kind.advice;
  }
  return std::nullopt;
}

std::optional<TraceProblem> write_kept_document(const std::filesystem::path& folder, const KeptDocument& kind,
                                                const Job& job, std::span<const Json> items) {
  const std::filesystem::path file = folder / kind.file;
  const std::error_code error = write_whole_file(file, [&](std::ostream& stream) {
    JsonObjectWriter object(stream);
    object.add("format", kind.format);
    object.add("version", kind.version);
    object.add("job", job.header().job);
    object.add_array(kind.list, [&](JsonArrayWriter& array) {
      for (const Json& item : items) array.add(item);
    });
    object.end();
  });
  if (!error) return std::nullopt;
  return TraceProblem{TraceProblem::Kind::unreadable, file.string() + ": cannot be written (" + error.message() +
                                                          "); is the disk full, or the trace somebody else's?"};
}

}  // namespace ddtscope::reporters
