// What a debugger may ask of a process that stands still, or of its core: its debug view read once, and joined to a
// job.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "decoder/layout/layout_index.h"
#include "decoder/layout/typemap.h"
#include "reporters/debug_view/view_contents.h"
#include "reporters/model/analysis.h"
#include "reporters/model/job.h"
#include "reporters/symbols/symbols.h"
#include "reporters/text/picture.h"

namespace ddtscope::reporters {

/// What stands behind a handle, or a type that was named without one.
struct FoundType {
  enum class State : std::uint8_t {
    unknown,   // no datatype that ddtscope knows
    live,      // the handle stands for the type
    dying,     // inside MPI_Type_free
    freed,     // stood for the type last
    dropped,   // a datatype of which nothing could be kept
    changing,  // a thread was in the middle of changing what is known of the handle
    named,     // no handle was given
  };
  State state = State::unknown;
  enum class Commit : std::uint8_t {
    none,
    seen,        // or predefined
    not_needed,  // as far as is known: a duplicate of such a type, or given by the library
  };
  DefinitionId definition;  // invalid where nothing is known of it
  std::uint64_t handle = 0;
  Commit commit = Commit::none;
  bool is_predefined = false;
};

/// An array of the program's, `double u[8][10]`.
struct NamedArray {
  std::string name;
  std::uint64_t address = 0;
  std::int64_t element_bytes = 1;
  std::vector<std::int64_t> sizes;  // of a first one of 0 the array's end is not known
};
/// "u[2][6]", or "u[2][6] + 4 bytes" inside of it; empty outside of the array.
std::string element_at(const NamedArray& array, std::uint64_t address);

class DebugSession {
 public:
  /// The session, or why there is none in a sentence. `read` is kept for what buffers hold.
  static std::variant<std::unique_ptr<DebugSession>, std::string> open(ReadMemory read, std::uint64_t address,
                                                                       const std::string& name, Instant instant);

  const ViewContents& view() const { return view_; }
  const Job& job() const { return *job_; }
  Job& job() { return *job_; }
  Analysis& analysis() { return *analysis_; }
  Symbols& symbols() { return symbols_; }
  LayoutIndex& index() { return *index_; }
  /// LDBL_MANT_DIG of the process; of this one where the view does not tell.
  int long_double_digits() const;
  bool read(std::uint64_t address, void* to, std::size_t bytes) const { return read_(address, to, bytes); }

  FoundType find_handle(std::uint64_t handle) const;
  /// Whether the process's memory still says of the handle what was read of it.
  bool is_current(std::uint64_t handle) const;
  FoundType find_fortran(std::int64_t integer) const;
  /// Where the call that freed the handle's last type returns to; 0 where it is not known any more.
  std::uint64_t freed_at(std::uint64_t handle) const;
  /// By id, key, the program's name, or a predefined type's name; else why not.
  std::variant<FoundType, std::string> find_text(const std::string& text) const;

  /// Lives that were not freed, by the handle table.
  std::uint64_t live_instances(DefinitionId id) const;
  /// One live handle of the type; 0 where it has none.
  std::uint64_t live_handle(DefinitionId id) const;
  /// "T9", "MPI_INT".
  std::string name_of(DefinitionId id) const { return job_->name_of(id); }

  std::optional<NamedArray> array;  // that buffers lie in

 private:
  DebugSession() = default;
  DefinitionId definition_of(ViewNumber number) const;

  struct Lives {
    std::uint64_t count = 0;
    std::uint64_t handle = 0;
  };

  ReadMemory read_;
  ViewContents view_;
  std::unique_ptr<Job> job_;
  std::unique_ptr<Analysis> analysis_;
  std::unique_ptr<LayoutIndex> index_;
  Symbols symbols_;
  std::unordered_map<std::uint64_t, std::size_t> handles_;  // index of its slot
  std::unordered_map<Key, DefinitionId> definitions_;
  std::unordered_map<std::uint32_t, Lives> lives_;  // by definition
};

/// A call with a buffer: `count` copies of a type at an address.
struct BufferQuestion {
  DefinitionId type;
  std::uint64_t buffer = 0;
  std::int64_t count = 1;
};

struct ListOptions {
  enum class Which : std::uint8_t { all, live, freed } which = Which::all;
  std::string name, site;  // POSIX extended regular expressions; empty: any
  std::size_t limit = 1000;
};

struct ValuesOptions {
  std::size_t limit = 100;
  bool with_holes = false;
};

// Answers as text; std::invalid_argument with a sentence where a question cannot be answered.

/// One line of at most 200 columns for whatever the handle is.
std::string one_line_of(const DebugSession& session, const FoundType& type);
std::string list_of_types(DebugSession& session, const ListOptions& options);
std::string show_type(DebugSession& session, DefinitionId type, std::optional<View> view,
                      std::optional<std::size_t> typemap_entries);
/// Each entry of the buffer with its offset, address, basic type and value.
std::string values_in_buffer(DebugSession& session, const BufferQuestion& question, const ValuesOptions& options);
/// Which entry covers the byte at an address, or in which gap it lies.
std::string where_in_buffer(DebugSession& session, const BufferQuestion& question, std::uint64_t address);
/// What the buffer's bytes are, in a line; the first copy begins `displacement` bytes from the buffer's address.
std::string touched_by_buffer(DebugSession& session, const BufferQuestion& question, std::int64_t displacement = 0);
/// The constructor calls as C.
std::string code_of_type(DebugSession& session, DefinitionId type);
std::string check_types(DebugSession& session);
/// Which call each thread is in, what is started and not complete, and how many operations each channel has.
std::string messages_under_way(DebugSession& session);
/// Of each window that is alive what it is, which epochs are open, and which accesses are not known to be complete;
/// those of which something is under way first.
std::string windows_under_way(DebugSession& session);

}  // namespace ddtscope::reporters
