#include "plugin/files/file_accesses.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "decoder/base/grouped.h"
#include "decoder/base/hash_of_words.h"
#include "decoder/definition/definition.h"

namespace ddtscope::plugin {
namespace {

constexpr std::size_t most_datareps = 64;  // MPI has three, and what a program registers

}  // namespace

std::size_t FileAccesses::Place::hash() const {
  return HashOfWords()
      .add(std::uint64_t{predefined.value} << 32 ^ definition.value)
      .add(std::uint64_t{file.value} << 32 | site.value)
      .add(called)
      .value();
}

std::size_t FileAccesses::View::hash() const {
  return HashOfWords()
      .add(place.hash())
      .add(std::uint64_t{filetype_predefined.value} << 32 ^ filetype_definition.value)
      .add(std::uint64_t{datarep} << 1 | (is_at_current ? 1 : 0))
      .value();
}

std::string FileAccesses::mode_in_words(int mode) const {
  std::string words;
  const auto add = [&](const std::string& word) { words += (words.empty() ? "" : " | ") + word; };
  for (const FileConstants::Mode& known : options_.files.modes) {
    if (known.value == 0 || (mode & known.value) != known.value) continue;
    add(known.name);
    mode &= ~known.value;
  }
  if (mode != 0 || words.empty()) add(std::to_string(mode));
  return words;
}

/// Empty where it has no name.
std::string FileAccesses::communicator_in_words(HandleBits communicator) const {
  if (communicator == options_.world) return "MPI_COMM_WORLD";
  if (communicator == options_.self) return "MPI_COMM_SELF";
  const CommunicatorName name =
      parts_.communicators != nullptr ? parts_.communicators->name_of(communicator) : CommunicatorName();
  return name ? key_text(name.value) : std::string();
}

void FileAccesses::opened(const Opened& opened) {
  parts_.registry.beside([&] {
    File& file = open_[opened.file];
    file = {.line = {}, .mode = opened.mode};  // which is known of those without a line, too
    const CallSiteId site = parts_.registry.types_in_use().site_of(*opened.stack);
    FileKey key(opened.name, opened.mode, communicator_in_words(opened.communicator), opened.called, site);
    auto found = lines_.find(key);
    if (found == lines_.end()) {
      const std::size_t bytes = 2 * opened.name.size() + sizeof(FileKey) + 128;
      if (lines_.size() == options_.most_lines || bytes_of_names_ + bytes > options_.most_bytes) {
        ++without_line_;
        return;
      }
      bytes_of_names_ += bytes;
      const OpenedFileNumber line{static_cast<std::uint32_t>(names_.size())};
      names_.emplace_back(opened.name);
      found = lines_.emplace(std::move(key), line).first;
      const std::string mode = mode_in_words(opened.mode);
      parts_.writer.opened_file({.number = line,
                                 .name = opened.name,
                                 .communicator = std::get<2>(found->first),
                                 .mode = mode,
                                 .called = opened.called->name,
                                 .binding = opened.called->binding,
                                 .site = site});
    }
    file.line = found->second;
  });
}

void FileAccesses::closed(HandleBits file) {
  parts_.registry.beside([&] { open_.erase(file); });
}

/// Why the file's mode forbids it, as the beginning of a sentence; empty where it does not (MPI-4.1 14.2.1, 14.4.2,
/// 14.4.3).
std::string FileAccesses::misuse(const UsingCall& call, const File& file) const {
  const UseRow& row = call.arguments.row;
  if (row.uses.first.is_of_view()) return {};
  const bool writes = row.access[0] == Access::reads;  // the buffer is read
  const FileConstants& constants = options_.files;
  const std::string called = call.called->name;
  const std::string name = file.line.valid() ? " \"" + names_[file.line.value] + "\", which was opened with "
                                             : std::string(" a file that was opened with ");
  if (writes && (file.mode & constants.read_only) != 0) return called + " writes to" + name + "MPI_MODE_RDONLY";
  if (!writes && (file.mode & constants.write_only) != 0) return called + " reads from" + name + "MPI_MODE_WRONLY";
  if ((file.mode & constants.sequential) == 0 || row.pointer == FilePointer::shared) return {};
  const char* const how =
      row.pointer == FilePointer::given_offset ? " accesses an offset of" : " uses the individual file pointer of";
  return called + how + name + "MPI_MODE_SEQUENTIAL: only the shared file pointer may be used";
}

void FileAccesses::judge(const UsingCall& call) {
  Verdict verdict;
  bool is_to_be_told = false;
  parts_.registry.beside([&] {
    const auto file = open_.find(file_of(call.arguments));
    if (file == open_.end()) return;
    verdict.message = misuse(call, file->second);
    if (verdict.message.empty()) return;
    verdict.message += ".";
    const Use& use = call.arguments.row.uses.first;
    TypesInUse& types = parts_.registry.types_in_use();
    const TypeInUse type = types.find(call.arguments.handle(use.type, options_.constants));
    verdict.id = FindingId::bad_argument;
    if (call.arguments.count(use.count) == 0) {
      verdict.severity = Severity::warning;
      verdict.message += " Its count is 0, so that nothing moves.";
    }
    if (type.state == TypeInUse::State::known) {
      verdict.definition = type.number;
      verdict.predefined = types.predefined_name(type);
    }
    verdict.called = call.called;
    verdict.argument = trace::name_of(use.parameter);
    verdict.site = types.site_of(*call.stack);
    is_to_be_told = parts_.verdicts.record(verdict);
  });
  if (is_to_be_told) parts_.tell({verdict.message, verdict.id, call.stack->caller});
}

void FileAccesses::accessed(const UsingCall& call, CallOutcome outcome) {
  parts_.registry.beside([&] { add(call, outcome); });
}

void FileAccesses::add(const UsingCall& call, CallOutcome outcome) {
  const UseRow& row = call.arguments.row;
  TypesInUse& types = parts_.registry.types_in_use();
  const auto file = open_.find(file_of(call.arguments));
  const TypeInUse type = types.find(call.arguments.handle(row.uses.first.type, options_.constants));
  if (file == open_.end() || type.state != TypeInUse::State::known) {
    of_unknown_.add(row);
    return;
  }
  if (!file->second.line.valid()) {
    of_file_left_out_.add(row);
    return;
  }
  const Place place{file->second.line, type.number, type.predefined, call.called, types.site_of(*call.stack)};
  if (row.uses.first.is_of_view()) {
    if (outcome == CallOutcome::succeeded) add_view(call, place);
    return;
  }
  Amounts* const amounts = accesses_.find(place, options_.most_bytes);
  if (amounts == nullptr) return;
  ++amounts->calls;
  if (outcome == CallOutcome::succeeded) amounts->elements += call.arguments.count(row.uses.first.count);
}

std::uint32_t FileAccesses::datarep_of(const char* name) {
  constexpr std::size_t most = 128;  // MPI_MAX_DATAREP_STRING
  const std::string text(name != nullptr ? std::string_view(name, strnlen(name, most)) : std::string_view());
  const auto found = std::find(datareps_.begin(), datareps_.end(), text);
  if (found == datareps_.end() && datareps_.size() < most_datareps) {
    datareps_.push_back(text);
    return static_cast<std::uint32_t>(datareps_.size() - 1);
  }
  return static_cast<std::uint32_t>(found - datareps_.begin());  // or that of none
}

/// The displacement stands behind the file, the data representation behind the types (MPI-4.1 14.3).
void FileAccesses::add_view(const UsingCall& call, const Place& place) {
  const UseRow& row = call.arguments.row;
  const Use& second = row.uses.second;
  const TypeInUse filetype =
      parts_.registry.types_in_use().find(call.arguments.handle(second.type, options_.constants));
  if (filetype.state != TypeInUse::State::known) {
    of_unknown_.add(row);
    return;
  }
  const std::int64_t displacement = call.arguments.words[row.file + 1];
  const View view{place, filetype.number, filetype.predefined,
                  datarep_of(reinterpret_cast<const char*>(call.arguments.words[second.type + 1])),
                  displacement == options_.files.current_displacement};
  FoldedNumbers* const displacements = views_.find(view, options_.most_bytes);
  if (displacements != nullptr) displacements->add(displacement);
}

void FileAccesses::write(trace::Writer& writer) const {
  const TypesInUse& types = parts_.registry.types_in_use();
  const auto name_of_type = [&](DefinitionNumber definition, PredefinedId predefined) {
    return types.predefined_name({definition, predefined, TypeInUse::State::known});
  };
  for (const auto& [view, displacements] : views_.all()) {
    writer.view(
        {.file = view.place.file,
         .etype = {view.place.definition, name_of_type(view.place.definition, view.place.predefined)},
         .filetype = {view.filetype_definition, name_of_type(view.filetype_definition, view.filetype_predefined)},
         .datarep = view.datarep < datareps_.size() ? std::string_view(datareps_[view.datarep]) : "",
         .is_at_current = view.is_at_current,
         .lowest = displacements.lowest,
         .highest = displacements.highest,
         .called = view.place.called->name,
         .binding = view.place.called->binding,
         .site = view.place.site,
         .count = displacements.count});
  }
  for (const auto& [place, amounts] : accesses_.all()) {
    writer.file_accesses({.file = place.file,
                          .definition = place.definition,
                          .predefined = name_of_type(place.definition, place.predefined),
                          .elements = amounts.elements,
                          .called = place.called->name,
                          .binding = place.called->binding,
                          .parameter = trace::UseParameter::datatype,
                          .site = place.site,
                          .count = amounts.calls});
  }
  const auto note = [&](std::uint64_t number, const char* one, const char* several, const std::string& why) {
    if (number != 0) writer.note(counted(number, one, several) + why);
  };
  const auto note_both = [&](const LeftOut& calls, const std::string& why) {
    note(calls.accesses, "access to a file is", "accesses to files are", why);
    note(calls.views, "view of a file is", "views of files are", why);
  };
  note(without_line_, "call that opened a file is", "calls that opened files are",
       " not told: a process tells " + grouped(options_.most_lines) + ", and as much as there is memory for.");
  note_both(of_unknown_, " not told: the file or the type is not known.");
  note_both(of_file_left_out_, " not told: that the file was opened is not, either.");
  note_both({accesses_.without_memory(), views_.without_memory()},
            " not told: there is no memory for more (DDTSCOPE_MAX_MEMORY).");
}

}  // namespace ddtscope::plugin
