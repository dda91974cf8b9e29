// The files that are open, each with a line of the trace; their views; what is read and written, as one for each place
// of the program and type, however many calls there are; and what the mode of a file forbids (MPI-4.1 14).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plugin/call/call_outcome.h"
#include "plugin/files/file_constants.h"
#include "plugin/judge/type_call_judge.h"
#include "plugin/judge/verdicts.h"
#include "plugin/messages/named_communicators.h"
#include "plugin/registry/registry.h"
#include "plugin/uses/folded_calls.h"
#include "plugin/uses/use_counters.h"
#include "reporters/trace/write/writer.h"

namespace ddtscope::plugin {

/// Called by the wrappers, without the registry's lock, which it takes.
class FileAccesses {
 public:
  struct Options {
    UseConstants constants = {};
    FileConstants files = {};
    HandleBits world = 0, self = 0;
    std::uint32_t most_lines = 4096;  // of files, in the trace
    std::size_t most_bytes = 0;       // of names, and of accesses, and of views
  };
  /// All must outlive it.
  struct Parts {
    Registry& registry;
    Verdicts& verdicts;
    trace::Writer& writer;
    const NamedCommunicators* communicators;  // may be null: nobody gives them names
    std::function<void(const ToldError&)> tell;
  };
  FileAccesses(const Options& options, Parts parts) : options_(options), parts_(std::move(parts)) {}

  /// A file was opened.
  struct Opened {
    HandleBits file = 0, communicator = 0;
    std::string_view name;  // as the program gave it
    int mode = 0;
    const EntryPoint* called = nullptr;
    const Stack* stack = nullptr;
  };
  void opened(const Opened& opened);
  /// It is about to be closed: its handle may be another one's next.
  void closed(HandleBits file);

  /// A call that accesses a file (UseRow::file) is about to begin: writes and tells what the file's mode forbids.
  void judge(const UsingCall& call);
  /// It has come back: what it accessed, or the view that it set. One that failed is a call of no elements.
  void accessed(const UsingCall& call, CallOutcome outcome);

  /// Under the registry's lock, when nothing else comes.
  void write(trace::Writer& writer) const;

 private:
  struct File {
    OpenedFileNumber line;  // invalid where there was no memory for one
    int mode = 0;
  };
  /// What accesses of one line have in common.
  struct Place {
    OpenedFileNumber file;
    DefinitionNumber definition;
    PredefinedId predefined;
    const EntryPoint* called = nullptr;
    CallSiteId site;
    friend bool operator==(const Place&, const Place&) = default;
    std::size_t hash() const;
  };
  struct Amounts {
    std::uint64_t calls = 0, elements = 0;
  };
  /// The same of views, whose type is the etype.
  struct View {
    Place place;
    DefinitionNumber filetype_definition;
    PredefinedId filetype_predefined;
    std::uint32_t datarep = 0;
    bool is_at_current = false;
    friend bool operator==(const View&, const View&) = default;
    std::size_t hash() const;
  };
  using FileKey = std::tuple<std::string, int, std::string, const EntryPoint*, CallSiteId>;

  HandleBits file_of(const UseCall& call) const { return static_cast<HandleBits>(call.words[call.row.file]); }
  std::string mode_in_words(int mode) const;
  std::string communicator_in_words(HandleBits communicator) const;
  std::string misuse(const UsingCall& call, const File& file) const;
  void add(const UsingCall& call, CallOutcome outcome);
  void add_view(const UsingCall& call, const Place& place);
  std::uint32_t datarep_of(const char* name);

  const Options options_;
  const Parts parts_;
  std::unordered_map<HandleBits, File> open_;
  std::map<FileKey, OpenedFileNumber> lines_;
  std::vector<std::string> names_;  // by line
  std::size_t bytes_of_names_ = 0;
  std::vector<std::string> datareps_;
  FoldedCalls<Place, Amounts> accesses_;
  FoldedCalls<View, FoldedNumbers> views_;  // and their displacements
  std::uint64_t without_line_ = 0;          // calls that opened files
  /// Calls that are not told, of each kind.
  struct LeftOut {
    std::uint64_t accesses = 0, views = 0;
    void add(const UseRow& row) { ++(row.uses.first.is_of_view() ? views : accesses); }
  };
  LeftOut of_unknown_;        // the file or the type is not known
  LeftOut of_file_left_out_;  // the file has no line
};

}  // namespace ddtscope::plugin
