// A debug view as a trace: the same records that its file would have told, as far as the memory holds them.
#pragma once

#include <filesystem>
#include <optional>
#include <variant>

#include "reporters/debug_view/view_contents.h"
#include "reporters/trace/read/reader.h"

namespace ddtscope::reporters {

class ViewSource : public TraceSource {
 public:
  /// `contents` must outlive it. `name` is what messages call the memory: "core.1234".
  ViewSource(const ViewContents& contents, std::filesystem::path name);

  const std::filesystem::path& name() const override { return name_; }
  std::variant<HeaderRecord, TraceProblem> header() override;
  std::optional<TraceProblem> read(TraceSink& sink) override;

 private:
  const ViewContents& contents_;
  std::filesystem::path name_;
  std::vector<std::string_view> lines_;  // in the order of a trace
};

}  // namespace ddtscope::reporters
