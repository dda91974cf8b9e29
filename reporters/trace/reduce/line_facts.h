// Works out what is derived of definitions from their lines, one after the other in the file's order: after the user's
// phase of MPI_Finalize, where the definitions themselves may have made room for others long ago.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "decoder/definition/definition.h"
#include "decoder/definition/envelope.h"
#include "decoder/definition/observed.h"
#include "decoder/layout/layout.h"
#include "reporters/trace/write/json_line.h"

namespace ddtscope::reduce {

class LineFacts {
 public:
  /// Beside somebody else's program: definitions that would take more stay without facts, and so do those made of them.
  struct Limits {
    std::size_t bytes_of_definitions = std::size_t{12} << 20;
    std::size_t bytes_of_layouts = std::size_t{6} << 20;
    std::chrono::milliseconds time{1000};
  };
  /// `header` is the file's first line.
  LineFacts(std::string_view header, const Limits& limits);

  /// A line of this kind.
  void predefined(std::string_view line);
  /// The facts of the file's next definition, as members in JSON; until the next call. Empty where nobody works them
  /// out.
  std::string_view next(std::string_view definition);
  /// How many definitions have none, so far.
  std::uint64_t without() const { return without_; }

 private:
  void add_predefined(std::string_view object);
  DefinitionId define(std::string_view definition);
  bool take_contents(std::string_view contents);
  bool take_datatypes(std::string_view datatypes);
  bool is_late();

  const Limits limits_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  bool is_late_ = false;
  std::uint64_t without_ = 0;
  DefinitionStore store_;
  PackedObserved observed_;
  Layouts layouts_;
  std::vector<DefinitionId> numbers_;  // of the file's definitions; invalid where it has none
  trace::JsonLine line_;
  Contents contents_;  // scratch
  CallFromContents call_;
};

}  // namespace ddtscope::reduce
