// The layouts of CPython's releases, and the walk along its frames.
#include "plugin/call/python_frames.h"

#include <dlfcn.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "plugin/base/call_instruction.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ddtscope::plugin {
namespace {

// Include/cpython/{pystate,code,unicodeobject}.h and Include/internal/pycore_frame.h of each release. A build without
// the interpreter's lock has other ones: it does not pass the trial.
constexpr std::array<PythonLayout, 3> layouts{{
    {.major = 3,
     .minor = 11,
     .thread_frame = 56,
     .has_record = true,
     .record_frame = 8,
     .frame_code = 32,
     .frame_previous = 48,
     .frame_instruction = 56,
     .frame_owner = 69,
     .code_first_line = 72,
     .code_file = 112,
     .code_function = 128,
     .code_lines = 136,
     .code_instructions = 184,
     .ascii_text = 48,
     .other_text = 72},
    {.major = 3,
     .minor = 12,
     .thread_frame = 56,
     .has_record = true,
     .record_frame = 0,
     .frame_code = 0,
     .frame_previous = 8,
     .frame_instruction = 56,
     .frame_owner = 70,
     .code_first_line = 68,
     .code_file = 112,
     .code_function = 128,
     .code_lines = 136,
     .code_instructions = 192,
     .ascii_text = 40,
     .other_text = 56},
    {.major = 3,
     .minor = 13,
     .thread_frame = 72,
     .has_record = false,
     .record_frame = 0,
     .frame_code = 0,
     .frame_previous = 8,
     .frame_instruction = 56,
     .frame_owner = 70,
     .code_first_line = 68,
     .code_file = 112,
     .code_function = 128,
     .code_lines = 136,
     .code_instructions = 200,
     .ascii_text = 40,
     .other_text = 56},
}};
// Of all releases: PyObject, PyVarObject, PyASCIIObject, PyBytesObject.
constexpr std::size_t object_type = 8, object_size = 16, text_length = 16, text_state = 32, bytes_begin = 32;
/// Whose the frame is: one that stands between two calls of the interpreter's own (since 3.12) has code that is
/// nobody's.
constexpr unsigned char owned_by_c_stack = 3;
/// More is no name of a function or file, and no table of lines.
constexpr std::size_t longest_text = 65536, longest_table = std::size_t{1} << 26;
/// Of a table of lines, what tells that code is other code: each call pays for it.
constexpr std::size_t compared_table = 256;

/// Memory that is known to be there.
struct OwnMemory {
  static bool copy(const void* from, void* to, std::size_t bytes) {
    std::memcpy(to, from, bytes);
    return true;
  }
};

/// Memory that may be anywhere: what is not there is not read.
struct AnyMemory {
  static bool copy(const void* from, void* to, std::size_t bytes) {
    const iovec there{const_cast<void*>(from), bytes};
    const iovec here{to, bytes};
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == static_cast<ssize_t>(bytes);
  }
};

const void* at(const void* object, std::size_t offset) { return static_cast<const char*>(object) + offset; }

/// A string of the interpreter: its characters as they lie in memory.
struct Text {
  const void* begin = nullptr;
  std::size_t characters = 0;
  unsigned width = 1;  // bytes of a character
  bool is_ascii = false;
  std::size_t bytes() const { return characters * width; }
};

/// A frame that runs code, and what the code refers to.
struct InterpreterFrame {
  const void* code = nullptr;
  std::int64_t offset = 0;  // of the instruction, in bytes
  std::int32_t first_line = 0;
  Text file, function;
  const void* lines = nullptr;
  std::size_t lines_bytes = 0;
};

template <class Memory>
class Reader {
 public:
  Reader(const PythonLayout& layout, const PythonTypes& types) : layout_(layout), types_(types) {}

  /// Calls `take` with each frame that runs code, innermost first, as long as it says true. False where something is
  /// not what it is taken for.
  template <class Take>
  bool each_frame(const void* thread, std::size_t depth, const Take& take) const {
    const void* frame = nullptr;
    if (!load(thread, layout_.thread_frame, frame)) return false;
    if (layout_.has_record && (frame == nullptr || !load(frame, layout_.record_frame, frame))) return false;
    // Between frames of Python code there are some of the interpreter's own.
    for (std::size_t seen = 0, left = 2 * depth + 2; frame != nullptr && seen < depth && left != 0; --left) {
      const void* code = nullptr;
      unsigned char owner = 0;
      if (!load(frame, layout_.frame_code, code) || !load(frame, layout_.frame_owner, owner)) return false;
      if (owner != owned_by_c_stack) {
        InterpreterFrame found;
        if (code == nullptr || !is(code, types_.code)) return false;
        if (!read(frame, code, found)) return false;
        if (!take(found)) return true;
        ++seen;
      }
      if (!load(frame, layout_.frame_previous, frame)) return false;
    }
    return true;
  }

 private:
  template <class Value>
  static bool load(const void* object, std::size_t offset, Value& value) {
    return Memory::copy(at(object, offset), &value, sizeof value);
  }
  bool is(const void* object, const void* type) const {
    const void* found = nullptr;
    return load(object, object_type, found) && found == type;
  }
  bool read(const void* frame, const void* code, InterpreterFrame& found) const {
    const char* instruction = nullptr;
    if (!load(frame, layout_.frame_instruction, instruction)) return false;
    found.code = code;
    found.offset = instruction - static_cast<const char*>(at(code, layout_.code_instructions));
    const void* table = nullptr;
    std::int64_t bytes = 0;
    if (!load(code, layout_.code_first_line, found.first_line) || !read_text(code, layout_.code_file, found.file) ||
        !read_text(code, layout_.code_function, found.function) || !load(code, layout_.code_lines, table) ||
        !is(table, types_.bytes) || !load(table, object_size, bytes) || bytes < 0 ||
        static_cast<std::size_t>(bytes) > longest_table) {
      return false;
    }
    found.lines = at(table, bytes_begin);
    found.lines_bytes = static_cast<std::size_t>(bytes);
    return true;
  }
  bool read_text(const void* code, std::size_t member, Text& text) const {
    const void* object = nullptr;
    std::int64_t length = 0;
    std::uint32_t state = 0;
    if (!load(code, member, object) || !is(object, types_.text) || !load(object, text_length, length) ||
        !load(object, text_state, state)) {
      return false;
    }
    text.width = state >> 2 & 7;
    const bool is_compact = (state >> 5 & 1) != 0;
    text.is_ascii = (state >> 6 & 1) != 0;
    if (!is_compact || length < 0 || (text.width != 1 && text.width != 2 && text.width != 4)) return false;
    text.characters = std::min(static_cast<std::size_t>(length), longest_text);
    text.begin = at(object, text.is_ascii ? layout_.ascii_text : layout_.other_text);
    return true;
  }

  const PythonLayout& layout_;
  const PythonTypes types_;
};

void append_utf8(std::string& to, std::uint32_t character) {
  const auto byte = [&](std::uint32_t value) { to.push_back(static_cast<char>(value)); };
  const auto tail = [&](unsigned shift) { byte(0x80 | (character >> shift & 0x3F)); };
  if (character < 0x80) {
    byte(character);
  } else if (character < 0x800) {
    byte(0xC0 | character >> 6);
    tail(0);
  } else if (character < 0x10000) {
    const bool is_half = character >= 0xD800 && character < 0xE000;  // what Python makes of a byte that is no UTF-8
    if (is_half) return append_utf8(to, 0xFFFD);
    byte(0xE0 | character >> 12);
    tail(6);
    tail(0);
  } else {
    byte(0xF0 | character >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

std::string utf8_of(const Text& text) {
  std::string result;
  for (std::size_t i = 0; i < text.characters; ++i) {
    std::uint32_t character = 0;  // of any width: the machines that have layouts have the low bytes first
    std::memcpy(&character, at(text.begin, i * text.width), text.width);
    append_utf8(result, character);
  }
  return result;
}

std::uint32_t line_of(const InterpreterFrame& frame) {
  return python_line({static_cast<const unsigned char*>(frame.lines), frame.lines_bytes}, frame.first_line,
                     frame.offset);
}

/// Of what stands in the code, not of where it lies: other code may come to lie there.
std::uint64_t hash_of(const InterpreterFrame& frame, std::uint64_t outer) {
  const std::array<std::uint64_t, 4> numbers{outer, static_cast<std::uint64_t>(frame.offset),
                                             static_cast<std::uint64_t>(frame.first_line), frame.lines_bytes};
  std::uint64_t hash = XXH3_64bits(numbers.data(), sizeof numbers);
  hash = XXH3_64bits_withSeed(frame.file.begin, frame.file.bytes(), hash);
  hash = XXH3_64bits_withSeed(frame.function.begin, frame.function.bytes(), hash);
  return XXH3_64bits_withSeed(frame.lines, std::min(frame.lines_bytes, compared_table), hash);
}

}  // namespace

std::uint32_t python_line(std::span<const unsigned char> table, std::int64_t first_line, std::int64_t offset) {
  constexpr unsigned long_form = 14, without_columns = 13, without_line = 15, first_one_line = 10;
  std::int64_t line = first_line;
  std::int64_t end = 0;
  for (std::size_t i = 0; i < table.size();) {
    const unsigned form = table[i] >> 3 & 15;
    end += 2 * ((table[i] & 7) + 1);  // an instruction is of two bytes
    if (form == long_form || form == without_columns) {
      std::uint64_t number = 0;
      for (unsigned shift = 0, more = 1; more != 0 && i + 1 < table.size() && shift < 60; shift += 6) {
        const unsigned char byte = table[++i];
        number |= static_cast<std::uint64_t>(byte & 63) << shift;
        more = byte & 64;
      }
      const auto delta = static_cast<std::int64_t>(number >> 1);
      line += number & 1 ? -delta : delta;
    } else if (form >= first_one_line && form < without_columns) {
      line += form - first_one_line;
    }
    if (offset < end) return form == without_line || line <= 0 ? 0 : static_cast<std::uint32_t>(line);
    // The next entry begins with the next byte whose highest bit is set.
    do ++i;
    while (i < table.size() && (table[i] & 0x80) == 0);
  }
  return 0;
}

const PythonLayout* python_layout(unsigned long version) {
  for (const PythonLayout& layout : layouts) {
    if (sizeof(void*) == 8 && version >> 24 == layout.major && (version >> 16 & 255) == layout.minor) return &layout;
  }
  return nullptr;
}

std::optional<PythonFrames::Functions> PythonFrames::find_functions() {
  const auto find = [](const char* name) { return dlsym(RTLD_DEFAULT, name); };
  Functions found{};
  found.thread_state = reinterpret_cast<void* (*)()>(find("PyGILState_GetThisThreadState"));
  found.is_initialized = reinterpret_cast<int (*)()>(find("Py_IsInitialized"));
  if (found.thread_state == nullptr || found.is_initialized == nullptr) return std::nullopt;
  // Nobody takes it away while it may be asked. The program itself is there anyway.
  Dl_info module{};
  if (dladdr(reinterpret_cast<void*>(found.thread_state), &module) != 0)
    dlopen(module.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  found.version = static_cast<const unsigned long*>(find("Py_Version"));  // since 3.11
  found.types = {.code = find("PyCode_Type"), .text = find("PyUnicode_Type"), .bytes = find("PyBytes_Type")};
  found.utf8_of = reinterpret_cast<const char* (*)(const void*, std::ptrdiff_t*)>(find("PyUnicode_AsUTF8AndSize"));
  found.line_of = reinterpret_cast<int (*)(const void*, int)>(find("PyCode_Addr2Line"));
  return found;
}

PythonFrames::PythonFrames(const Functions& functions, const PythonLayout* layout)
    : functions_(functions), layout_(layout), state_(layout ? State::untried : State::unknown_release) {}

std::unique_ptr<PythonFrames> PythonFrames::of_process() {
  const std::optional<Functions> functions = is_portable_wanted() ? std::nullopt : find_functions();
  if (!functions) return nullptr;
  const PythonLayout* known = functions->are_complete() ? python_layout(*functions->version) : nullptr;
  return std::unique_ptr<PythonFrames>(new PythonFrames(*functions, known));
}

std::unique_ptr<PythonFrames> PythonFrames::of_process(const PythonLayout& assumed) {
  const std::optional<Functions> functions = find_functions();
  if (!functions || !functions->are_complete()) return nullptr;
  return std::unique_ptr<PythonFrames>(new PythonFrames(*functions, &assumed));
}

PythonFrames::State PythonFrames::try_layout(const void* thread) const noexcept {
  const void* own = nullptr;
  if (!AnyMemory::copy(&functions_.types.code, &own, sizeof own)) return State::forbidden;
  const Reader<AnyMemory> reader(*layout_, functions_.types);
  bool is_compared = false;
  bool is_right = true;
  constexpr std::size_t enough = 16;
  const bool is_read = reader.each_frame(thread, enough, [&](const InterpreterFrame& frame) {
    if (frame.offset < 0) return true;  // has not begun
    // Its own functions ask the same objects, which are those of a frame that runs; nothing is made for it.
    is_right = line_of(frame) ==
               static_cast<std::uint32_t>(std::max(0, functions_.line_of(frame.code, static_cast<int>(frame.offset))));
    for (const auto& [text, member] :
         {std::pair(&frame.file, layout_->code_file), std::pair(&frame.function, layout_->code_function)}) {
      if (!text->is_ascii) continue;
      const void* object = nullptr;
      std::ptrdiff_t bytes = 0;
      OwnMemory::copy(at(frame.code, member), &object, sizeof object);
      is_right = is_right && functions_.utf8_of(object, &bytes) == text->begin &&
                 static_cast<std::size_t>(bytes) == text->characters;
      is_compared = true;
    }
    return is_right;
  });
  if (!is_read || !is_right) return State::fails;
  return is_compared ? State::holds : State::untried;
}

bool PythonFrames::can_read(const void* thread) const noexcept {
  const State state = state_.load(std::memory_order_relaxed);
  if (state != State::untried) [[likely]]
    return state == State::holds;
  // A trial is dear, and a program may have an interpreter that never runs anything.
  if (!std::has_single_bit(calls_untried_.fetch_add(1, std::memory_order_relaxed) + 1)) return false;
  const State tried = try_layout(thread);
  State expected = State::untried;
  // Threads try at once: one frame that is otherwise outweighs those that are as they are known to be.
  if (tried == State::fails) {
    state_.store(tried, std::memory_order_relaxed);
  } else if (tried != State::untried) {
    state_.compare_exchange_strong(expected, tried, std::memory_order_relaxed);
  }
  return state_.load(std::memory_order_relaxed) == State::holds;
}

const void* PythonFrames::state_of_thread() const noexcept {
  return functions_.is_initialized() != 0 ? functions_.thread_state() : nullptr;
}

const void* PythonFrames::thread_to_read() const noexcept {
  if (is_given_up(state_.load(std::memory_order_relaxed))) return nullptr;
  const void* const thread = state_of_thread();
  return thread != nullptr && can_read(thread) ? thread : nullptr;
}

std::uint64_t PythonFrames::position(std::size_t depth) const noexcept {
  const void* const thread = thread_to_read();
  if (thread == nullptr) return 0;
  const Reader<OwnMemory> reader(*layout_, functions_.types);
  std::uint64_t hash = 0;
  reader.each_frame(thread, depth, [&](const InterpreterFrame& frame) {
    hash = hash_of(frame, hash) | 1;  // never 0
    return true;
  });
  return hash;
}

std::vector<PythonPlace> PythonFrames::places(std::size_t depth) const {
  std::vector<PythonPlace> places;
  const void* const thread = thread_to_read();
  if (thread == nullptr) return places;
  const Reader<OwnMemory> reader(*layout_, functions_.types);
  reader.each_frame(thread, depth, [&](const InterpreterFrame& frame) {
    places.push_back({utf8_of(frame.file), utf8_of(frame.function), line_of(frame)});
    return true;
  });
  return places;
}

std::string PythonFrames::problem() const {
  const State state = state_.load(std::memory_order_relaxed);
  if (!is_given_up(state) || state_of_thread() == nullptr) return {};
  std::string why = "are not as they are known to be";
  if (state == State::forbidden) {
    why = "are not read, because the system does not let a process look at its memory (process_vm_readv)";
  } else if (state == State::unknown_release) {
    const auto release = [](const PythonLayout& layout) {
      return std::to_string(layout.major) + "." + std::to_string(layout.minor);
    };
    why = "are not known (" + release(layouts.front()) + " to " + release(layouts.back()) + " are)";
  }
  return "The frames of this process's Python interpreter " + why +
         ": call sites have those of the interpreter in their place.";
}

}  // namespace ddtscope::plugin
