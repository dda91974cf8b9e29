// Frames of a Python interpreter that is in the process: read where they lie, without running any of its code.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ddtscope::plugin {

/// Where the members of an interpreter's structures lie, in bytes from their beginning. CPython's, of one release and
/// its patches, on machines of 64 bits.
struct PythonLayout {
  unsigned major, minor;
  std::size_t thread_frame;  // in the thread's state: the frame that runs, or the record that has it
  bool has_record;           // whether it is that record
  std::size_t record_frame;  // in it: the frame that runs
  std::size_t frame_code, frame_previous, frame_instruction, frame_owner;
  std::size_t code_first_line, code_file, code_function, code_lines, code_instructions;
  std::size_t ascii_text, other_text;  // where the characters of a string begin
};

/// Addresses of an interpreter's type objects, by which its objects are known.
struct PythonTypes {
  const void *code, *text, *bytes;
};

/// Of the release of this Py_Version; nullptr where it is not known.
const PythonLayout* python_layout(unsigned long version);

/// A place in the program's Python code.
struct PythonPlace {
  std::string file, function;  // UTF-8; the function with the classes and functions in which it stands
  std::uint32_t line = 0;      // 0 where the code does not tell
  friend bool operator==(const PythonPlace&, const PythonPlace&) = default;
};

/// The line of the instruction at this offset, in bytes, by the table that the compiler left beside the code (CPython,
/// Objects/locations.md); 0 where it has none.
std::uint32_t python_line(std::span<const unsigned char> table, std::int64_t first_line, std::int64_t offset);

/// What there is of Python in this process. A thread reads nothing but the frames that it runs itself, what they refer
/// to, and what never changes of that: nobody else writes there, whether the thread holds the interpreter's lock or has
/// released it around the call. What is assumed of the interpreter is tried on the first frames that are met.
class PythonFrames {
 public:
  /// nullptr where no interpreter is in the process, or nothing is to be assumed of it (DDTSCOPE_PORTABLE).
  static std::unique_ptr<PythonFrames> of_process();
  /// An interpreter of which all this is assumed, whatever its release; for tests.
  static std::unique_ptr<PythonFrames> of_process(const PythonLayout& assumed);

  /// Tells the places of this thread's innermost frames from all others; 0 where it runs no Python code, or its frames
  /// cannot be read. Looks at `depth` frames at most, as places() does.
  std::uint64_t position(std::size_t depth) const noexcept;
  /// Of this thread, innermost first.
  std::vector<PythonPlace> places(std::size_t depth) const;
  /// Code of the interpreter itself.
  std::uintptr_t interpreter_address() const { return reinterpret_cast<std::uintptr_t>(functions_.thread_state); }
  /// Why this thread's frames are not read, as a sentence; empty where they are, or it runs no Python code.
  std::string problem() const;

 private:
  /// What is asked of the interpreter: functions that only read, and the types of its objects.
  struct Functions {
    void* (*thread_state)();
    int (*is_initialized)();
    const unsigned long* version;  // 0x030B02F0 is 3.11.2
    PythonTypes types;
    const char* (*utf8_of)(const void* text, std::ptrdiff_t* bytes);
    int (*line_of)(const void* code, int offset);
    bool are_complete() const {
      return thread_state && is_initialized && version && types.code && types.text && types.bytes && utf8_of && line_of;
    }
  };
  /// `forbidden`: the layout cannot be tried, because the system does not let a process look at its memory.
  enum class State : std::uint8_t { untried, holds, unknown_release, forbidden, fails };
  static bool is_given_up(State state) { return state != State::untried && state != State::holds; }

  PythonFrames(const Functions& functions, const PythonLayout* layout);
  static std::optional<Functions> find_functions();
  /// nullptr where there is none, or the interpreter ends: then it takes away what belongs to threads.
  const void* state_of_thread() const noexcept;
  /// Whether the frames of this thread, whose state this is, can be read. As long as no frames were met it looks for
  /// them in the 1st, 2nd, 4th, 8th call and so on.
  bool can_read(const void* thread) const noexcept;
  /// Reads this thread's frames so that what lies nowhere does no harm, and holds them against what the interpreter
  /// says. `untried` where there are none that tell.
  State try_layout(const void* thread) const noexcept;
  /// Of the thread, if it runs Python code that can be read.
  const void* thread_to_read() const noexcept;

  Functions functions_;
  const PythonLayout* layout_;  // nullptr: of no release that is known
  mutable std::atomic<State> state_;
  mutable std::atomic<std::uint64_t> calls_untried_{0};
};

}  // namespace ddtscope::plugin
