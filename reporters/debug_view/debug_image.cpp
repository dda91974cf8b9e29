#include "reporters/debug_view/debug_image.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <stdexcept>

#include "decoder/definition/envelope.h"
#include "reporters/trace/format/counter_file.h"
#include "reporters/trace/format/debug_view_checksum.h"
#include "reporters/trace/read/reader.h"

namespace ddtscope::reporters {

using namespace trace;

/// Takes a trace's records and lays them into memory. Definitions get numbers of the process that are not those of the
/// file.
class ImageBuilder : public TraceSink {
 public:
  ImageBuilder(DebugImage& image, ImageOptions options) : image_(image), options_(options) {
    image_.bytes.resize(sizeof(DebugView));
    image_.view = DebugImage::base;
  }

  void header(HeaderRecord&& header) override {
    rank_ = header.rank ? header.rank->number : -1;
    size_ = header.size.value_or(-1);
    pid_ = header.pid;
    for (const PredefinedType& type : header.predefined) predefined(type);
  }
  void predefined(const PredefinedType& type) override {
    const DebugPredefined fixed{.definition = number_of_predefined(), .reserved = 0};
    predefined_.emplace(type.name, fixed.definition);
    add_record(DebugRecordKind::predefined, bytes_of(fixed) + type.name);
    handles_.push_back({.handle = 0x4c000000 + fixed.definition,
                        .definition = fixed.definition,
                        .counter = debug_view_none,
                        .generation = 0,
                        .sequence = 0,
                        .state = DebugHandleState::live,
                        .flags = debug_handle_predefined | debug_handle_committed});
  }
  void module(ModuleRecord&&) override {}
  void frame(const FrameRecord&) override {}
  void definition(DefinitionRecord& record) override {
    CallFromContents call;
    Contents& contents = record.contents;
    contents.datatypes.assign(record.oldtypes.size(), DefinitionId{0});
    if (!call.build(record.combiner, record.form, contents)) throw std::runtime_error(call.problem());
    DebugDefinition fixed{};
    fixed.line = line_;
    fixed.definition = number_of(line_);
    fixed.key = record.key;
    fixed.site = record.site.value;
    fixed.entry = entry_of(std::string(record.called), "c");
    fixed.adopted = record.adopted;
    fixed.combiner = combiner_code(record.combiner);
    fixed.large = record.form == Form::large_counts;
    fixed.datatypes = static_cast<std::uint32_t>(record.oldtypes.size());
    const std::optional<std::int64_t> bounds[] = {record.observed.size, record.observed.lb, record.observed.extent,
                                                  record.observed.true_lb, record.observed.true_extent};
    for (std::size_t i = 0; i < 5; ++i) {
      fixed.observed[i] = bounds[i].value_or(0);
      if (!bounds[i]) fixed.undefined = static_cast<std::uint8_t>(fixed.undefined | 1U << i);
    }
    std::string content;
    for (const OldtypeRecord& oldtype : record.oldtypes) {
      const auto* made = std::get_if<DefinitionNumber>(&oldtype);
      content += bytes_of(made != nullptr ? number_of(made->value)
                                          : predefined_.at(std::string(std::get<std::string_view>(oldtype))));
    }
    for (std::size_t i = 0; i < 4; ++i) {
      const IntegerArray& array = call.call().arrays[i];
      fixed.scalars[i] = call.call().scalars[i];
      fixed.array_lengths[i] = array.length;
      fixed.array_widths[i] = array.width;
      if (array.length == 0) continue;
      content.resize((content.size() + 7) / 8 * 8);
      content.append(static_cast<const char*>(array.data), array.bytes());
    }
    add_record(DebugRecordKind::definition, bytes_of(fixed) + content);
    definitions_.push_back(fixed);
    ++line_;
  }
  void name(NameRecord&&) override {}
  void difference(DifferenceRecord&&) override {}
  void process(ProcessRecord&&) override {}
  void note(std::string&&) override {}
  void end(FileEnd&& end) override {
    for (const InstancesRecord& instances : end.instances) {
      CounterRecord record{};
      record.definition = instances.definition.value;
      record.site = instances.site.value;
      record.created = instances.created;
      record.adopted = instances.adopted;
      record.committed = instances.committed;
      record.freed = instances.freed;
      if (options_.counters == ImageOptions::Counters::fitting) {
        const bool is_live = is_live_line(record.definition) && counted_.insert(record.definition).second;
        record.created = std::max<std::uint64_t>(record.created, is_live);
        record.freed = record.created + record.adopted - is_live;
      }
      instances.binding.copy(record.binding, sizeof record.binding - 1);
      instances.called.copy(record.called, sizeof record.called - 1);
      counters_.push_back({.definition = number_of(record.definition),
                           .site = record.site,
                           .entry = entry_of(std::string(instances.called), std::string(instances.binding)),
                           .own = 0,
                           .counts = DebugImage::counters_base + image_.counters.size()});
      append(image_.counters, bytes_of(record));
    }
    for (std::uint32_t line = 0; line < line_; ++line) {
      handles_.push_back({.handle = DebugImage::handle_of(line),
                          .definition = number_of(line),
                          .counter = 0,
                          .generation = line,
                          .sequence = 2,
                          .state = is_live_line(line) ? DebugHandleState::live : DebugHandleState::dead,
                          .flags = line % 2 == 0 ? debug_handle_committed : std::uint8_t{0}});
    }
  }

  /// Definitions are in the image already. The other lines come last, those with numbers of their own in no good order.
  void finish(const std::filesystem::path& trace) {
    std::ifstream stream(trace);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) {
      const bool is_kept = line.find("{\"record\":\"definition\"") != 0 &&
                           line.find("{\"record\":\"instances\"") != 0 && line.find("{\"record\":\"end\"") != 0;
      const bool is_numbered = line.find("{\"record\":\"name\"") != 0 && line.find("{\"record\":\"difference\"") != 0;
      if (is_kept && is_numbered) lines.push_back(line);
      if (is_kept && !is_numbered) add_record(DebugRecordKind::line, line);
    }
    for (; !lines.empty(); lines.pop_back()) add_record(DebugRecordKind::line, lines.back());
    DebugView view{};
    std::memcpy(view.magic, debug_view_magic, sizeof view.magic);
    view.byte_order = debug_view_byte_order;
    view.version = debug_view_version;
    view.self = image_.view;
    view.bytes = sizeof view;
    view.arena_bytes = sizeof(DebugArena);
    view.record_bytes = sizeof(DebugRecord);
    view.definition_bytes = sizeof(DebugDefinition);
    view.table_bytes = sizeof(DebugTable);
    view.mpi_datatype_bytes = 8;
    view.pid = pid_;
    view.rank = rank_;
    view.size = size_;
    view.first_arena = first_arena_;
    view.checksum = checksum_of(view);
    view.state = static_cast<std::uint32_t>(DebugViewState::recording);
    view.long_double_digits = options_.long_double_digits;
    add_table(view, DebugTableKind::handles, handles_);
    if (options_.counters == ImageOptions::Counters::missing) image_.counters.clear();
    add_table(view, DebugTableKind::counters, counters_);
    add_table(view, DebugTableKind::fortran, std::vector<DebugFortran>{{DebugImage::handle_of(0), 73, 0}});
    // An entry that is free, and a handle that lives again.
    add_table(view, DebugTableKind::frees,
              std::vector<DebugFree>{{DebugImage::handle_of(2), 2, 0, 0, 0x1111},
                                     {DebugImage::handle_of(2), 2, 0, 1, 0x2222},
                                     {DebugImage::handle_of(0), 0, 0, 1, 0x3333}});
    if (!options_.files.empty()) add_table(view, DebugTableKind::files, options_.files);
    std::memcpy(image_.bytes.data(), &view, sizeof view);
  }

 private:
  static bool is_live_line(std::uint32_t line) { return line % 3 != 2; }

  template <class Struct>
  static std::string bytes_of(const Struct& value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
  }
  static void append(std::vector<char>& to, const std::string& bytes) {
    to.insert(to.end(), bytes.begin(), bytes.end());
  }

  static std::uint32_t number_of(std::uint32_t line) { return 1000 + line * 3; }
  std::uint32_t number_of_predefined() const { return static_cast<std::uint32_t>(predefined_.size()); }

  std::uint32_t entry_of(const std::string& name, const std::string& binding) {
    const auto [found, is_new] = entries_.try_emplace({name, binding}, static_cast<std::uint32_t>(entries_.size()));
    if (is_new) {
      add_record(DebugRecordKind::entry,
                 bytes_of(DebugEntry{found->second, 0}) + name + std::string(1, '\0') + binding);
    }
    return found->second;
  }

  void add_record(DebugRecordKind kind, const std::string& content) {
    DebugRecord record{};
    record.used = sizeof record + content.size();
    record.bytes = (record.used + 63) / 64 * 64;
    record.kind = static_cast<std::uint32_t>(kind);
    record.checksum = checksum_of(record, content.data());
    if (arena_ == 0 || room_ < record.bytes) add_arena(std::max(options_.arena_bytes, record.bytes + 100));
    const std::uint64_t at = used();
    std::memcpy(image_.bytes.data() + arena_ + at, &record, sizeof record);
    std::memcpy(image_.bytes.data() + arena_ + at + sizeof record, content.data(), content.size());
    set_used(at + record.bytes);
    room_ -= record.bytes;
  }

  void add_arena(std::uint64_t bytes) {
    const std::size_t at = (image_.bytes.size() + 15) / 16 * 16;
    image_.bytes.resize(at + bytes);
    DebugArena arena{};
    std::memcpy(arena.magic, debug_arena_magic, sizeof arena.magic);
    arena.self = DebugImage::base + at;
    arena.bytes = bytes;
    arena.used = sizeof arena;
    std::memcpy(image_.bytes.data() + at, &arena, sizeof arena);
    if (arena_ == 0) {
      first_arena_ = arena.self;
    } else {
      std::memcpy(image_.bytes.data() + arena_ + offsetof(DebugArena, next), &arena.self, sizeof arena.self);
    }
    arena_ = at;
    room_ = bytes - sizeof arena;
  }
  std::uint64_t used() const {
    std::uint64_t value = 0;
    std::memcpy(&value, image_.bytes.data() + arena_ + offsetof(DebugArena, used), sizeof value);
    return value;
  }
  void set_used(std::uint64_t value) {
    std::memcpy(image_.bytes.data() + arena_ + offsetof(DebugArena, used), &value, sizeof value);
  }

  template <class Entry>
  void add_table(DebugView& view, DebugTableKind kind, const std::vector<Entry>& entries) {
    const std::size_t at = (image_.bytes.size() + 7) / 8 * 8;
    image_.bytes.resize(at);
    DebugTable table{};
    std::memcpy(table.magic, debug_table_magic, sizeof table.magic);
    table.self = DebugImage::base + at;
    table.kind = static_cast<std::uint32_t>(kind);
    table.entry_bytes = sizeof(Entry);
    table.capacity = entries.size() + 5;
    table.used = entries.size();
    append(image_.bytes, bytes_of(table));
    for (const Entry& entry : entries) append(image_.bytes, bytes_of(entry));
    image_.bytes.resize(image_.bytes.size() + 5 * sizeof(Entry));
    view.tables[static_cast<std::size_t>(kind)] = table.self;
  }

  DebugImage& image_;
  const ImageOptions options_;
  std::int64_t rank_ = -1, size_ = -1, pid_ = 0;
  std::map<std::string, std::uint32_t> predefined_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> entries_;
  std::vector<DebugDefinition> definitions_;
  std::vector<DebugHandle> handles_;
  std::vector<DebugCounter> counters_;
  std::set<std::uint32_t> counted_;  // definitions
  std::uint32_t line_ = 0;
  std::uint64_t first_arena_ = 0;
  std::size_t arena_ = 0;
  std::uint64_t room_ = 0;
};

DebugImage::DebugImage(const std::filesystem::path& trace, ImageOptions options) {
  TraceReader reader;
  ImageBuilder builder(*this, options);
  if (const auto problem = reader.read(trace, builder)) throw std::runtime_error(problem->sentence);
  builder.finish(trace);
}

std::size_t DebugImage::record_of(DebugRecordKind kind) const {
  DebugView descriptor;
  std::memcpy(&descriptor, bytes.data(), sizeof descriptor);
  for (std::uint64_t address = descriptor.first_arena; address != 0;) {
    DebugArena arena;
    std::memcpy(&arena, bytes.data() + (address - base), sizeof arena);
    for (std::uint64_t at = sizeof arena; at < arena.used;) {
      DebugRecord record;
      const std::size_t place = address - base + at;
      std::memcpy(&record, bytes.data() + place, sizeof record);
      if (record.kind == static_cast<std::uint32_t>(kind)) return place;
      at += record.bytes;
    }
    address = arena.next;
  }
  throw std::runtime_error("no such record");
}

ReadMemory DebugImage::reader() const {
  return [this](std::uint64_t address, void* to, std::size_t length) {
    const auto copy = [&](const std::vector<char>& from, std::uint64_t begin) {
      if (address < begin || address - begin > from.size() || length > from.size() - (address - begin)) return false;
      std::memcpy(to, from.data() + (address - begin), length);
      return true;
    };
    return copy(bytes, base) || copy(counters, counters_base);
  };
}

}  // namespace ddtscope::reporters
