// Which variable of the program each buffer of a job was, by the debugging information of its files.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "reporters/model/job.h"
#include "reporters/source/program_variables.h"

namespace ddtscope::reporters {

class BufferObjects {
 public:
  explicit BufferObjects(const Job& job) : job_(job) {}

  /// The most likely ones first: those of inner frames before those of outer ones. Empty where none is known.
  std::vector<FoundObject> of(const JobBuffer& buffer);
  /// Whether the file of the code that called, or in whose frame the buffer lies, has debugging information, which
  /// might have told what it is.
  bool has_information(const JobBuffer& buffer);
  /// Why some files told nothing of buffers, of which no other one did either: a sentence for each.
  std::vector<std::string> problems() const;

 private:
  /// Null where there is no program's code.
  ProgramVariables* program(std::optional<ModuleIndex> module);
  std::vector<FoundObject> found(const JobBuffer& buffer);
  std::vector<FoundObject> on_stack(const JobBuffer& buffer, const StackPlace& place);
  std::vector<FoundObject> pointed_to(const JobBuffer& buffer, const HeapPlace& place);

  const Job& job_;
  std::map<ModuleIndex, std::unique_ptr<ProgramVariables>> programs_;
  std::set<ModuleIndex> silent_;  // that were expected to say what a buffer is, and did not
};

}  // namespace ddtscope::reporters
