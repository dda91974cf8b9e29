#include "reporters/debug_view/view_contents.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <set>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "reporters/trace/format/debug_view_checksum.h"
#include "reporters/trace/format/pending_file.h"
#include "reporters/trace/read/line_file.h"
#include "reporters/trace/read/pending_reader.h"
#include "reporters/trace/read/record_reader.h"

namespace ddtscope::reporters {
namespace {

using namespace trace;

// Memory is taken as it turns out to be there: what a header claims is not believed.
constexpr std::uint64_t piece = std::uint64_t{1} << 20;
constexpr std::size_t damages_told = 20;

/// Copies what is there of [begin, begin + bytes), in order, up to the first byte that is missing.
class Copier {
 public:
  explicit Copier(const ReadMemory& read) : read_(read) {}

  std::vector<std::uint64_t> copy(std::uint64_t begin, std::uint64_t bytes, std::uint64_t& copied) const {
    std::vector<std::uint64_t> words;
    copied = 0;
    while (copied < bytes) {
      const std::uint64_t at = begin + copied;
      std::uint64_t length = std::min(piece, bytes - copied);
      words.resize((copied + length + 7) / 8);
      char* const to = reinterpret_cast<char*>(words.data()) + copied;
      if (!read_(at, to, length)) {
        length = std::min(memory_page - at % memory_page, bytes - copied);
        if (length == 0 || !read_(at, to, length)) break;
      }
      copied += length;
    }
    words.resize((copied + 7) / 8);
    return words;
  }

 private:
  const ReadMemory& read_;
};

class ViewReader {
 public:
  ViewReader(const ReadMemory& read, ViewContents& contents) : read_(read), contents_(contents) {}

  void read_all(Instant instant) {
    files_ = table<DebugFile>(DebugTableKind::files, "mapped files");
    read_arenas();
    read_handles();
    read_counters();
    contents_.older_lives = table<DebugOlderLife>(DebugTableKind::older_lives, "older lives");
    if (instant == Instant::past && !is_forked()) drop_counts_of_others();
    contents_.evicted = table<DebugEvicted>(DebugTableKind::evicted, "evicted definitions", Extent::capacity);
    contents_.fortran = table<DebugFortran>(DebugTableKind::fortran, "Fortran handles", Extent::capacity);
    contents_.frees = table<DebugFree>(DebugTableKind::frees, "freed handles", Extent::capacity);
    read_windows();
    read_pending(instant);
  }

 private:
  bool is_forked() const { return contents_.view.state == static_cast<std::uint32_t>(DebugViewState::forked); }

  void damage(const std::string& sentence) {
    if (contents_.damage_count++ < damages_told) contents_.damages.push_back(sentence);
  }

  void read_arenas() {
    std::map<std::uint64_t, std::uint64_t> seen;  // where each begins and ends: they do not overlap
    for (std::uint64_t address = contents_.view.first_arena; address != 0;) {
      DebugArena arena;
      const std::string where = "the arena at " + hexadecimal(address);
      if (!read_(address, &arena, sizeof arena)) {
        damage(where + " is not in the memory, so what it and those behind it hold is not known.");
        return;
      }
      const bool fits = std::memcmp(arena.magic, debug_arena_magic, sizeof arena.magic) == 0 && arena.self == address &&
                        arena.used >= sizeof arena && arena.used <= arena.bytes && arena.bytes <= UINT64_MAX - address;
      const auto behind = seen.upper_bound(address);
      const bool overlaps = fits && ((behind != seen.end() && behind->first < address + arena.bytes) ||
                                     (behind != seen.begin() && std::prev(behind)->second > address));
      if (!fits || overlaps) {
        damage(where + " is damaged, so what it and those behind it hold is not known.");
        return;
      }
      seen.emplace(address, address + arena.bytes);
      contents_.arenas.push_back(arena);
      read_records(address + sizeof arena, arena.used - sizeof arena);
      address = arena.next;
    }
  }

  void read_records(std::uint64_t address, std::uint64_t bytes) {
    std::uint64_t copied = 0;
    contents_.memory.push_back(Copier(read_).copy(address, bytes, copied));
    const char* const memory = reinterpret_cast<const char*>(contents_.memory.back().data());
    if (copied < bytes) {
      damage(std::to_string(bytes - copied) + " bytes of records from " + hexadecimal(address + copied) +
             " on are not in the memory.");
    }
    for (std::uint64_t at = 0; at < copied;) {
      DebugRecord record;
      if (copied - at < sizeof record) {
        if (copied == bytes) damage("the record at " + hexadecimal(address + at) + " is damaged.");
        return;
      }
      std::memcpy(&record, memory + at, sizeof record);
      if (record.bytes < sizeof record || record.bytes % 8 != 0 || record.bytes > bytes - at) {
        damage("the record at " + hexadecimal(address + at) +
               " is damaged, so it and those behind it in its arena are left out.");
        return;
      }
      if (record.kind != static_cast<std::uint32_t>(DebugRecordKind::none)) {
        const bool is_there = record.used >= sizeof record && record.used <= record.bytes && record.used <= copied - at;
        const std::span<const char> content =
            is_there ? std::span(memory + at + sizeof record, record.used - sizeof record) : std::span<const char>();
        if (!is_there || record.checksum != checksum_of(record, content.data()) || !take(record, content)) {
          damage("the record at " + hexadecimal(address + at) + " is damaged and left out.");
        }
      }
      at += record.bytes;
    }
  }

  /// False where the record is not what its kind must be. Kinds that are not known are passed over.
  bool take(const DebugRecord& record, std::span<const char> content) {
    switch (static_cast<DebugRecordKind>(record.kind)) {
      case DebugRecordKind::line:
        contents_.lines.emplace_back(content.data(), content.size());
        return true;
      case DebugRecordKind::predefined: {
        DebugPredefined fixed;
        if (!take_fixed(content, fixed)) return false;
        return contents_.predefined.emplace(fixed.definition, text(content)).second;
      }
      case DebugRecordKind::entry: {
        DebugEntry fixed;
        if (!take_fixed(content, fixed)) return false;
        const std::string both = text(content);
        const std::size_t zero = both.find('\0');
        if (zero == std::string::npos) return false;
        return contents_.entries.emplace(fixed.number, ViewEntry{both.substr(0, zero), both.substr(zero + 1)}).second;
      }
      case DebugRecordKind::definition:
        return take_definition(content);
      case DebugRecordKind::lines_left_out:
        contents_.lines_left_out = true;
        return true;
      case DebugRecordKind::none:
        break;
    }
    return true;
  }

  template <class Fixed>
  static bool take_fixed(std::span<const char>& content, Fixed& fixed) {
    if (content.size() < sizeof fixed) return false;
    std::memcpy(&fixed, content.data(), sizeof fixed);
    content = content.subspan(sizeof fixed);
    return true;
  }
  static std::string text(std::span<const char> content) { return {content.data(), content.size()}; }

  bool take_definition(std::span<const char> content) {
    const char* const begin = content.data();
    ViewDefinition definition;
    DebugDefinition& fixed = definition.fixed;
    if (!take_fixed(content, fixed)) return false;
    const auto combiner = combiner_of_code(fixed.combiner);
    if (!combiner || *combiner == Combiner::named || fixed.large > 1 || fixed.adopted > 1) return false;
    definition.combiner = *combiner;
    std::uint64_t at = sizeof fixed;
    const std::uint64_t end = at + content.size();
    const auto take_array = [&](std::uint64_t length, std::uint8_t width, IntegerArray& array) {
      if (length == 0) return true;
      at = (at + 7) / 8 * 8;
      if (at > end || length > (end - at) / width) return false;
      array.data = begin + at;
      array.length = length;
      array.width = width;
      at += length * width;
      return true;
    };
    if (!take_array(fixed.datatypes, 4, definition.datatypes)) return false;
    for (std::size_t i = 0; i < definition.arrays.size(); ++i) {
      const std::uint8_t width = fixed.array_widths[i];
      if (fixed.array_lengths[i] != 0 && width != 4 && width != 8) return false;
      definition.arrays[i].width = width;
      if (!take_array(fixed.array_lengths[i], width, definition.arrays[i])) return false;
    }
    return fits_row(definition) && contents_.definitions.emplace(fixed.definition, definition).second;
  }

  /// Whether the arrays are as long, and as wide, as the combiner's row has them.
  static bool fits_row(const ViewDefinition& definition) {
    const CombinerRow& row = row_of(definition.combiner);
    const bool large = definition.fixed.large != 0;
    if (large && !row.has_large_form) return false;
    std::size_t scalar = 0;
    std::size_t array = 0;
    std::int64_t count = 0;
    std::int64_t dimensions = 0;
    for (const Parameter& parameter : row.parameters) {
      if (parameter.shape == ParameterShape::scalar) {
        const std::int64_t value = definition.fixed.scalars[scalar++];
        if (parameter.name == "count") count = value;
        if (parameter.name == "ndims") dimensions = value;
        continue;
      }
      const IntegerArray& values = definition.arrays[array++];
      const std::int64_t expected = parameter.shape == ParameterShape::per_count ? count : dimensions;
      const int width = parameter.kind == ParameterKind::integer           ? 4
                        : parameter.kind == ParameterKind::count && !large ? 4
                                                                           : 8;
      if (expected < 0 || values.length != static_cast<std::uint64_t>(expected)) return false;
      if (values.length != 0 && values.width != width) return false;
    }
    for (; array < definition.arrays.size(); ++array) {
      if (definition.arrays[array].length != 0) return false;
    }
    switch (row.datatypes) {
      case DatatypeArguments::none:
        return definition.datatypes.length == 0;
      case DatatypeArguments::one:
        return definition.datatypes.length == 1;
      case DatatypeArguments::two:
        return definition.datatypes.length == 2;
      case DatatypeArguments::per_count:
        return count >= 0 && definition.datatypes.length == static_cast<std::uint64_t>(count);
    }
    return false;
  }

  enum class Extent : std::uint8_t { used, capacity };

  /// The entries of a table, as far as they are there.
  template <class Entry>
  std::vector<Entry> table(DebugTableKind kind, const char* what, Extent extent = Extent::used) {
    const std::uint64_t address = contents_.view.tables[static_cast<std::size_t>(kind)];
    if (address == 0) return {};
    DebugTable header;
    const std::string name = "the table of " + std::string(what) + " at " + hexadecimal(address);
    if (!read_(address, &header, sizeof header)) {
      damage(name + " is not in the memory.");
      return {};
    }
    if (std::memcmp(header.magic, debug_table_magic, sizeof header.magic) != 0 || header.self != address ||
        header.kind != static_cast<std::uint32_t>(kind) || header.entry_bytes != sizeof(Entry) ||
        header.used > header.capacity || header.capacity > (UINT64_MAX - address) / sizeof(Entry) - sizeof header) {
      damage(name + " is damaged.");
      return {};
    }
    const std::uint64_t wanted = extent == Extent::used ? header.used : header.capacity;
    std::uint64_t copied = 0;
    const auto words = Copier(read_).copy(address + sizeof header, wanted * sizeof(Entry), copied);
    const std::uint64_t whole = copied / sizeof(Entry);
    if (whole < wanted) {
      damage(std::to_string(wanted - whole) + " of the " + std::to_string(wanted) + " entries of " + name +
             " are not in the memory.");
    }
    std::vector<Entry> entries(whole);
    if (whole != 0) std::memcpy(entries.data(), words.data(), whole * sizeof(Entry));
    return entries;
  }

  void read_handles() {
    const bool is_known = contents_.view.tables[static_cast<std::size_t>(DebugTableKind::handles)] != 0;
    std::uint64_t place = contents_.view.tables[static_cast<std::size_t>(DebugTableKind::handles)] +
                          sizeof(DebugTable) - sizeof(DebugHandle);
    for (const DebugHandle& slot : table<DebugHandle>(DebugTableKind::handles, "handles", Extent::capacity)) {
      place += sizeof slot;
      if (slot.state == DebugHandleState::none) continue;
      if (slot.state != DebugHandleState::live && slot.state != DebugHandleState::dead) {
        damage("what is said of the handle " + hexadecimal(slot.handle) + " is damaged and left out.");
      } else {
        contents_.handles.push_back(slot);
        contents_.handle_places.push_back(place);
      }
    }
    if (is_known && contents_.handles.empty()) damage("no handle is in the table of handles.");
  }

  /// Counts are in a file that is mapped into the process: a core does not hold it, and what stands at its place is
  /// believed only where it fits.
  void read_counters() {
    if (is_forked()) contents_.without_counts = WithoutCounts::of_parent;
    for (const DebugCounter& fixed : table<DebugCounter>(DebugTableKind::counters, "counters")) {
      ViewCounter& counter = contents_.counters.emplace_back(ViewCounter{fixed, {}});
      CounterRecord counts;
      if (fixed.counts != 0 && !is_forked() && read_(fixed.counts, &counts, sizeof counts) && fits(fixed, counts)) {
        counter.counts = counts;
      }
    }
  }

  /// Whether it can be what a process has written.
  static bool is_whole(const DebugWindow& window) {
    if (window.flavour > static_cast<std::uint32_t>(WindowFlavour::dynamic)) return false;
    if (window.epochs_used > DebugWindow::most_epochs || window.accesses_used > DebugWindow::most_accesses)
      return false;
    const bool is_dynamic = window.flavour == static_cast<std::uint32_t>(WindowFlavour::dynamic);
    if (!is_dynamic && (window.size < 0 || window.displacement_unit < 1)) return false;
    for (const DebugGroup* const group : {&window.last_group, &window.started, &window.posted}) {
      if (group->used > DebugGroup::most) return false;
    }
    const auto end_of_accesses = window.accesses + window.accesses_used;
    const bool are_accesses = std::all_of(window.accesses, end_of_accesses, [](const DebugWindowEvent& event) {
      return event.kind == static_cast<std::uint32_t>(WindowEventKind::access) && event.times != 0;
    });
    const auto is_known = [](const DebugWindowEvent& event) {
      return event.kind <= static_cast<std::uint32_t>(WindowEventKind::completed);
    };
    return are_accesses && is_known(window.made) && (window.ticket == 0 || is_known(window.last)) &&
           std::all_of(window.epochs, window.epochs + window.epochs_used,
                       [](const DebugWindowEvent& event) { return begins_epoch(kind_of(event)); });
  }

  void read_windows() {
    contents_.are_windows_known = contents_.view.tables[static_cast<std::size_t>(DebugTableKind::windows)] != 0;
    const std::uint64_t damages_before = contents_.damage_count;
    std::vector<DebugWindow> windows = table<DebugWindow>(DebugTableKind::windows, "windows");
    for (DebugWindow& window : windows) {
      if (window.is_alive == 0) continue;
      if (!is_whole(window)) {
        damage("what is said of the window " + hexadecimal(window.handle) + " is damaged and left out.");
        continue;
      }
      if (window.ticket != 0 && window.ticket == window.returned) DebugWindowChange(window).apply_last();
      window.label[sizeof window.label - 1] = '\0';
      contents_.windows.push_back(window);
    }
    contents_.may_lack_windows = windows.size() == DebugWindow::most || contents_.damage_count != damages_before;
  }

  /// What stands in a mapped file a core mostly lacks: then the file itself is read, where it is there still.
  void read_pending(Instant instant) {
    if (is_forked()) {
      contents_.pending_problem = "What is under way is told of the process that this one was forked from.";
      return;
    }
    contents_.pending_problem = "What is under way was not recorded in this process.";
    for (const DebugFile& file : files_) {
      constexpr std::uint64_t most_bytes = std::uint64_t{1} << 26;
      if (file.kind != static_cast<std::uint32_t>(DebugFileKind::pending) || file.bytes > most_bytes) continue;
      std::string bytes(file.bytes, '\0');
      if (read_(file.address, bytes.data(), bytes.size()) && bytes.starts_with(magic_of_pending())) {
        take_pending(pending_of_memory(std::move(bytes)));
        if (contents_.pending) keep_pending_of_process(path_of(file), instant);
      } else if (instant == Instant::past) {
        contents_.pending_problem.clear();
        if (file.path[0] != '\0') take_pending(read_pending_file(path_of(file)));
        keep_pending_of_process(path_of(file), instant);
      } else {
        contents_.pending_problem = "What is under way is not in the memory.";
      }
    }
    // Debuggers read what a core lacks from the file, and do not say so.
    contents_.may_pending_be_later = contents_.pending && instant == Instant::past;
  }
  static std::string_view magic_of_pending() { return {pending_file_magic, sizeof pending_file_magic}; }
  template <class Read>
  void take_pending(Read&& read) {
    if (auto* const file = std::get_if<std::optional<PendingFile>>(&read)) {
      contents_.pending = std::move(*file);
      if (contents_.pending) contents_.pending_problem.clear();
    } else if constexpr (std::is_same_v<Read, std::variant<std::optional<PendingFile>, std::string>>) {
      contents_.pending_problem = "What stands in the memory about what is under way " + std::get<1>(read);
    } else {
      contents_.pending_problem = std::get<1>(read).sentence;
    }
  }
  /// Where the file lay another process's may be: debuggers read it, too, in place of memory that a core lacks.
  void keep_pending_of_process(const std::string& path, Instant instant) {
    if (!contents_.pending && !contents_.pending_problem.empty()) return;  // why it says nothing is known
    const bool is_of_another = contents_.pending && (contents_.pending->header.process != contents_.view.pid ||
                                                     (instant == Instant::past && is_of_another_job(path)));
    if (contents_.pending && !is_of_another) return;
    contents_.pending.reset();
    contents_.pending_problem = "What was under way stood in a mapped file, which this core lacks" +
                                (path.empty()    ? std::string(".")
                                 : is_of_another ? ", and the file, " + path + ", is of another process."
                                                 : ", and the file, " + path + ", is not there any more.") +
                                " Cores have it where bit 3 of /proc/PID/coredump_filter is set (core(5)).";
  }

  bool fits(const DebugCounter& fixed, const CounterRecord& counts) const {
    const auto entry = contents_.entries.find(fixed.entry);
    if (entry == contents_.entries.end() || counts.site != fixed.site) return false;
    if (const auto definition = contents_.definitions.find(fixed.definition);
        definition != contents_.definitions.end() && counts.definition != definition->second.fixed.line) {
      return false;
    }
    for (const std::uint64_t count : {counts.created, counts.adopted, counts.committed, counts.freed}) {
      if (count > counter_limit) return false;
    }
    const auto is_text = [](const auto& field, const std::string& text) {
      return std::strncmp(field, text.c_str(), sizeof field) == 0 || text.substr(0, sizeof field - 1) == field;
    };
    return counts.called[sizeof counts.called - 1] == '\0' && counts.binding[sizeof counts.binding - 1] == '\0' &&
           is_text(counts.called, entry->second.name) && is_text(counts.binding, entry->second.binding);
  }

  /// Whether the counts leave as many types live as the handles tell: the process may have gone on since its memory was
  /// kept. While a thread makes or frees a type, they may differ, too: then it cannot be told which are right.
  bool counters_fit() const {
    const auto is_changing = [](const DebugHandle& slot) { return slot.sequence % 2 != 0; };
    if (std::any_of(contents_.handles.begin(), contents_.handles.end(), is_changing)) return true;
    std::map<ViewNumber, std::int64_t> live;
    each_live(contents_, [&](const LiveType& life) { ++live[life.definition]; });
    std::map<ViewNumber, std::int64_t> counted;
    std::set<ViewNumber> unknown;
    for (const ViewCounter& counter : contents_.counters) {
      if (!counter.counts) {
        unknown.insert(counter.fixed.definition);
        continue;
      }
      const CounterRecord& counts = *counter.counts;
      counted[counter.fixed.definition] +=
          static_cast<std::int64_t>(counts.created + counts.adopted) - static_cast<std::int64_t>(counts.freed);
    }
    return std::all_of(counted.begin(), counted.end(), [&](const auto& known) {
      const auto& [number, lives] = known;
      const auto definition = contents_.definitions.find(number);
      // Unnamed predefined types are handed out again without end, and never freed.
      if (definition == contents_.definitions.end() || is_unnamed_predefined(definition->second.combiner)) return true;
      const auto found = live.find(number);
      return unknown.contains(number) || lives == (found != live.end() ? found->second : 0);
    });
  }

  /// A core mostly lacks its counters: then what is read is what their file holds now.
  void drop_counts_of_others() {
    const bool is_another_jobs = std::any_of(files_.begin(), files_.end(), [&](const DebugFile& file) {
      return file.kind == static_cast<std::uint32_t>(DebugFileKind::counters) && is_of_another_job(path_of(file));
    });
    if (!is_another_jobs && counters_fit()) return;
    contents_.without_counts = is_another_jobs ? WithoutCounts::of_another_job : WithoutCounts::do_not_fit;
    for (ViewCounter& counter : contents_.counters) counter.counts.reset();
  }

  static std::string path_of(const DebugFile& file) { return {file.path, strnlen(file.path, sizeof file.path)}; }

  /// Whether what lies there now is not the process's: another job, maybe with the same process id, has taken its place
  /// since. Whose it is the first line of the trace beside it tells.
  bool is_of_another_job(const std::filesystem::path& beside) const {
    std::error_code ignored;
    if (beside.empty() || !std::filesystem::exists(beside, ignored)) return false;
    std::filesystem::path of_trace = beside;
    LineFile file;
    std::string_view first;
    const bool has_line = !file.open(of_trace.replace_extension(".jsonl")) && file.next(first) == LineFile::Next::line;
    return !has_line || std::find(contents_.lines.begin(), contents_.lines.end(), first) == contents_.lines.end();
  }

  const ReadMemory& read_;
  ViewContents& contents_;
  std::vector<DebugFile> files_;
};

}  // namespace

TraceProblem unreadable(const std::string& name, const std::string& sentence) {
  return {TraceProblem::Kind::unreadable, name + ": " + sentence};
}

std::variant<ViewContents, TraceProblem> read_debug_view(const ReadMemory& read, std::uint64_t address,
                                                         const std::string& name, Instant instant) {
  ViewContents contents;
  contents.address = address;
  DebugView& view = contents.view;
  const std::string where = "ddtscope's view at " + hexadecimal(address);
  if (!read(address, &view, sizeof view)) return unreadable(name, where + " is not in the memory; is the core cut?");
  const bool is_view = std::memcmp(view.magic, debug_view_magic, sizeof view.magic) == 0;
  const bool is_untouched = std::all_of(std::begin(view.magic), std::end(view.magic), [](char c) { return c == 0; });
  if (view.self == 0 && (is_view || is_untouched)) {
    return unreadable(
        name, "no datatype is recorded: MPI had not started, or ddtscope stands aside, as it then says on stderr.");
  }
  if (!is_view) {
    return unreadable(name, "there is no view of ddtscope's at " + hexadecimal(address) + ".");
  }
  if (view.byte_order != debug_view_byte_order) {
    return unreadable(name, "is of a machine of the other byte order; read it on one like that.");
  }
  if (view.version > debug_view_version) {
    return unreadable(name, where + " has version " + std::to_string(view.version) +
                                ", but this ddtscope reads versions up to " + std::to_string(debug_view_version) +
                                "; use the ddtscope that wrote it, or a newer one.");
  }
  if (view.self != address || view.checksum != checksum_of(view) || view.bytes < sizeof view ||
      view.arena_bytes != sizeof(DebugArena) || view.record_bytes != sizeof(DebugRecord) ||
      view.definition_bytes != sizeof(DebugDefinition) || view.table_bytes != sizeof(DebugTable)) {
    return unreadable(name, where + " is damaged.");
  }
  ViewReader(read, contents).read_all(instant);
  return contents;
}

}  // namespace ddtscope::reporters
