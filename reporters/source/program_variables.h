// Which variable of a program an address is: what its debugging information says of static memory, of the stack's
// frames and of what pointers point to.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reporters/source/source_type.h"

namespace ddtscope::reporters {

/// A variable that the address may belong to, or a pointer that leads to it.
struct FoundObject {
  std::string name;         // "x", "s->data"
  std::string declaration;  // "double x[8]", "double *p"
  std::string file;         // without its folders; empty where it is not known
  std::optional<int> line;
  SourceLanguage language = SourceLanguage::other;
  /// The variable's; of a pointer that of what it points to, which may be the first of many. Null where that is void.
  SourceTypePtr type;
  bool is_pointee = false;
  bool is_parameter = false;  // an argument that the function is given, which need not say what its caller has there
  bool is_over = false;       // the information says so of a place shortly before the call, not of the call itself
  bool may_be_left_over = false;   // where it is held was another variable's before, whose value it may be
  std::size_t scope = 0;           // how many scopes outwards the variable is that holds it
  bool is_section = false;         // only some of an array's elements, which do not follow each other
  bool is_part_of_common = false;  // Fortran's: what lies behind it is the block's, too
  std::int64_t place = 0;          // of the address from the beginning of the object, or of the first one; bytes
};

/// A call of the program's: where the frame is in the module, as traces have it.
struct ProgramFrame {
  std::uint64_t offset = 0;                   // the return address less one, in the module's own address space
  std::optional<std::int64_t> stack_pointer;  // at the call, from the frame's CFA, where it was recorded
};

/// Something that has a value when the call is made: of a frame, or in static memory of the frame's module.
struct FrameValue {
  enum class Where : std::uint8_t { slot, in_register, in_static_memory };
  Where where = Where::slot;
  std::int64_t at = 0;  // bytes from the CFA, DWARF's number of the register, or the address in the module's own space
  /// Empty: the value is the address, or as far below it as `behind` says; else [value + through] is.
  std::optional<std::int64_t> through;
  std::int64_t behind = 0;
};

/// A program or a shared library on this machine, with its debugging information.
class ProgramVariables {
 public:
  /// `build_id` is hexadecimal: a file with another one is not taken.
  ProgramVariables(const std::string& path, const std::optional<std::string>& build_id);
  ~ProgramVariables();
  ProgramVariables(const ProgramVariables&) = delete;
  ProgramVariables& operator=(const ProgramVariables&) = delete;

  /// Why nothing is known of it, or not all, as the end of a sentence about the file; else empty.
  const std::string& problem() const;

  // The most likely ones first: those of inner scopes.
  /// Static variables that have the address, which is in the module's own address space.
  std::vector<FoundObject> in_static_memory(std::uint64_t offset);
  /// Variables that each thread has for itself, by how far behind the beginning of its memory of the module.
  std::vector<FoundObject> in_thread_memory(std::uint64_t offset);
  /// Variables of the frame that have the address so many bytes from its CFA.
  std::vector<FoundObject> on_stack(const ProgramFrame& frame, std::int64_t distance);
  /// Of variables that hold such a value, or are where it says, what is there.
  std::vector<FoundObject> pointed_to(const ProgramFrame& frame, const FrameValue& value);

 private:
  class Reader;
  std::string problem_;
  std::unique_ptr<Reader> reader_;
};

}  // namespace ddtscope::reporters
