// Damaged debugging information: what is asked of a program's variables and records. The input is an ELF file;
// mutations stay within its sections .debug_* and .eh_frame.
#include <sys/mman.h>
#include <unistd.h>

#include <elf.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reporters/source/program_variables.h"
#include "reporters/source/records_of_program.h"
#include "reporters/source/struct_scalars.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace ddtscope::reporters::fuzz {
namespace {

using Bytes = std::string_view;

constexpr std::uint64_t places_of_code = 24;
constexpr std::uint64_t places_of_data = 12;
constexpr std::size_t most_scalars = 256;
constexpr std::size_t longest_text = 100'000;

struct Part {
  std::string_view name;
  std::uint64_t address, offset, size;
};

template <class Value>
std::optional<Value> value_at(Bytes file, std::uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(Value)) return std::nullopt;
  Value value;
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

/// The sections that lie in the file, those of memory without contents too.
std::vector<Part> parts_of(Bytes file) {
  std::vector<Part> parts;
  const auto header = value_at<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return parts;
  const auto section = [&](std::uint64_t i) {
    return value_at<Elf64_Shdr>(file, header->e_shoff + i * sizeof(Elf64_Shdr));
  };
  const auto names = section(header->e_shstrndx);
  for (std::uint64_t i = 1; names && i < header->e_shnum; ++i) {
    const auto one = section(i);
    if (!one || names->sh_offset > file.size() || one->sh_name >= file.size() - names->sh_offset) continue;
    const Bytes rest = file.substr(names->sh_offset + one->sh_name);
    const bool has_contents = one->sh_type != SHT_NOBITS;
    if (has_contents && (one->sh_offset > file.size() || one->sh_size > file.size() - one->sh_offset)) continue;
    parts.push_back({rest.substr(0, rest.find('\0')), one->sh_addr, one->sh_offset, one->sh_size});
  }
  return parts;
}

/// The input as a file.
class MemoryFile {
 public:
  explicit MemoryFile(Bytes contents) : descriptor_(memfd_create("damaged", MFD_CLOEXEC)) {
    if (descriptor_ < 0 ||
        write(descriptor_, contents.data(), contents.size()) != static_cast<ssize_t>(contents.size())) {
      std::perror("memfd");
      std::abort();
    }
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

[[noreturn]] void stumble(const char* what, const std::string& text) {
  std::fprintf(stderr, "%s: %.400s\n", what, text.c_str());
  std::abort();
}

void look_at(const std::vector<FoundObject>& objects) {
  for (const FoundObject& object : objects) {
    if (object.declaration.size() > longest_text || object.name.size() > longest_text) {
      stumble("a text without an end", object.declaration);
    }
    if (object.line && *object.line <= 0) stumble("a line that no file has", object.declaration);
    if (object.type != nullptr) {
      if (object.type->size < 0) stumble("a negative size", object.declaration);
      if (scalars_of(*object.type, most_scalars).scalars.size() > most_scalars) {
        stumble("more scalars than were asked for", object.declaration);
      }
    }
  }
}

void ask_at(ProgramVariables& variables, std::uint64_t offset) {
  using Where = FrameValue::Where;
  const ProgramFrame frame{offset, -144};
  for (const std::int64_t distance : {-128, -48, 8}) look_at(variables.on_stack(frame, distance));
  for (const std::int64_t at : {-88, -40, -24}) {
    look_at(variables.pointed_to(frame, {Where::slot, at, {}, 0}));
    look_at(variables.pointed_to(frame, {Where::slot, at, 8, 0}));
  }
  for (const std::int64_t number : {3, 6, 12}) {
    look_at(variables.pointed_to(frame, {Where::in_register, number, {}, 16}));
    look_at(variables.pointed_to(frame, {Where::in_register, number, 8, 0}));
  }
}

void ask_of_variables(const std::string& path, const std::vector<Part>& parts) {
  ProgramVariables variables(path, std::nullopt);
  for (const Part& part : parts) {
    const bool is_code = part.name == ".text";
    if (!is_code && part.name != ".data" && part.name != ".bss") continue;
    const std::uint64_t places = is_code ? places_of_code : places_of_data;
    const std::uint64_t step = std::max<std::uint64_t>(part.size / places, 1);
    for (std::uint64_t i = 0; i < std::min(places, part.size); ++i) {
      const std::uint64_t address = part.address + i * step;
      if (is_code) {
        ask_at(variables, address);
      } else {
        look_at(variables.in_static_memory(address));
        look_at(variables.pointed_to({parts.front().address, {}},
                                     {FrameValue::Where::in_static_memory, static_cast<std::int64_t>(address), 8, 0}));
      }
    }
  }
}

void ask_of_records(const std::string& path) {
  SourceProgram program(path);
  const auto read = program.records([](const RecordHead&) { return true; });
  if (const auto* problem = std::get_if<std::string>(&read)) {
    if (problem->empty()) stumble("no records, and no reason", path);
    return;
  }
  for (const NamedRecord& record : std::get<0>(read)) {
    if (record.type == nullptr) stumble("a record without a type", record.name);
    if (scalars_of(*record.type, most_scalars).scalars.size() > most_scalars) {
      stumble("more scalars than were asked for", record.name);
    }
  }
}

bool may_be_damaged(const Part& part) { return part.name.starts_with(".debug_") || part.name == ".eh_frame"; }

}  // namespace
}  // namespace ddtscope::reporters::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t, unsigned seed) {
  using namespace ddtscope::reporters::fuzz;
  std::mt19937 random(seed);
  std::vector<Part> parts = parts_of({reinterpret_cast<const char*>(data), size});
  std::erase_if(parts, [](const Part& part) { return part.size == 0 || !may_be_damaged(part); });
  if (parts.empty()) return size;
  for (unsigned i = random() % 4 + 1; i > 0; --i) {
    const Part& part = parts[random() % parts.size()];
    const std::uint64_t begin = random() % part.size;
    const std::uint64_t length = std::min<std::uint64_t>(part.size - begin, random() % 16 + 1);
    // What does not grow keeps all else in its place.
    LLVMFuzzerMutate(data + part.offset + begin, length, length);
  }
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ddtscope::reporters::fuzz;
  const Bytes contents(reinterpret_cast<const char*>(data), size);
  const std::vector<Part> parts = parts_of(contents);
  if (parts.empty()) return 0;
  const MemoryFile file(contents);
  ask_of_variables(file.path(), parts);
  ask_of_records(file.path());
  return 0;
}
