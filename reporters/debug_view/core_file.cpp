// Memory as a core file holds it.
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>

#include "reporters/debug_view/memory_source.h"
#include "reporters/trace/format/counter_file.h"
#include "reporters/trace/format/file_io.h"

namespace ddtscope::reporters {
namespace {

// A note that is larger is none that is looked for.
constexpr std::uint64_t longest_note = std::uint64_t{1} << 28;
// Some programs reserve terabytes.
constexpr std::uint64_t largest_range = std::uint64_t{1} << 32;

class Descriptor {
 public:
  /// What is no file in a file system, such as a pipe, which may block, is taken for one that is not there.
  explicit Descriptor(const std::filesystem::path& file)
      : value_(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat status {};
    if (value_ < 0 || (fstat(value_, &status) == 0 && S_ISREG(status.st_mode))) return;
    close(std::exchange(value_, -1));
    errno = EINVAL;
  }
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (value_ >= 0) close(value_);
  }
  int value() const { return value_; }
  std::uint64_t bytes() const {
    struct stat status {};
    return fstat(value_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
  }

  bool read(std::uint64_t offset, void* to, std::size_t bytes) const {
    return trace::read_all_at(value_, offset, to, bytes);
  }

 private:
  int value_;
};

struct Segment {
  std::uint64_t begin, end;  // addresses
  std::uint64_t offset;      // in the file
};

/// A file that was mapped.
struct MappedFile {
  std::uint64_t begin, end, offset;
  std::string path;
};

/// The ranges of the plugin's own mappings, then the others, small ones first.
std::vector<MemoryRange> searched_ranges(std::vector<MemoryRange> plugins, std::vector<MemoryRange> others) {
  std::erase_if(others, [](const MemoryRange& range) { return range.end - range.begin > largest_range; });
  std::stable_sort(others.begin(), others.end(),
                   [](const MemoryRange& a, const MemoryRange& b) { return a.end - a.begin < b.end - b.begin; });
  plugins.insert(plugins.end(), others.begin(), others.end());
  return plugins;
}

class CoreFile : public MemorySource {
 public:
  CoreFile(std::string name, Descriptor&& file, std::vector<Segment>&& segments, std::vector<MappedFile>&& mapped)
      : name_(std::move(name)), file_(std::move(file)), segments_(std::move(segments)), mapped_(std::move(mapped)) {
    std::sort(segments_.begin(), segments_.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    // The view is a variable of the plugin's.
    const auto is_plugins = [&](const Segment& segment) {
      return std::any_of(mapped_.begin(), mapped_.end(), [&](const MappedFile& mapping) {
        return segment.begin < mapping.end && mapping.begin < segment.end &&
               mapping.path.find("libddtscope-") != std::string::npos;
      });
    };
    std::vector<MemoryRange> plugins;
    std::vector<MemoryRange> others;
    for (const Segment& segment : segments_) {
      (is_plugins(segment) ? plugins : others).push_back({segment.begin, segment.end});
    }
    ranges_ = searched_ranges(std::move(plugins), std::move(others));
  }

  bool read(std::uint64_t address, void* to, std::size_t bytes) override {
    auto* at = static_cast<char*>(to);
    while (bytes != 0) {
      const auto behind = std::upper_bound(segments_.begin(), segments_.end(), address,
                                           [](std::uint64_t a, const Segment& segment) { return a < segment.begin; });
      if (behind == segments_.begin() || address >= std::prev(behind)->end) return read_counters(address, at, bytes);
      const Segment& segment = *std::prev(behind);
      const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, segment.end - address));
      if (!file_.read(segment.offset + (address - segment.begin), at, part)) return false;
      at += part;
      address += part;
      bytes -= part;
    }
    return true;
  }

  const std::vector<MemoryRange>& ranges() const override { return ranges_; }
  Instant instant() const override { return Instant::past; }
  const std::string& name() const override { return name_; }

 private:
  /// Counters are in a file, which a core names and does not hold. Other files may have changed since.
  bool read_counters(std::uint64_t address, void* to, std::size_t bytes) {
    for (const MappedFile& mapped : mapped_) {
      if (address < mapped.begin || address >= mapped.end || bytes > mapped.end - address ||
          !std::string_view(mapped.path).ends_with(trace::counter_file_extension)) {
        continue;
      }
      const Descriptor& file = counter_files_.try_emplace(mapped.path, mapped.path).first->second;
      return file.value() >= 0 && file.read(mapped.offset + (address - mapped.begin), to, bytes);
    }
    return false;
  }

  std::string name_;
  Descriptor file_;
  std::vector<Segment> segments_;
  std::vector<MappedFile> mapped_;
  std::vector<MemoryRange> ranges_;
  std::map<std::string, Descriptor> counter_files_;
};

/// NT_FILE: how many, the page's size, begin, end and offset in pages of each, then their paths.
std::vector<MappedFile> mapped_files(std::string_view note) {
  std::vector<MappedFile> files;
  constexpr std::size_t word = sizeof(std::uint64_t);
  const auto word_at = [&](std::size_t i) {
    std::uint64_t value = 0;
    std::memcpy(&value, note.data() + i * word, word);
    return value;
  };
  if (note.size() < 2 * word || word_at(0) > note.size() / (3 * word) || (2 + 3 * word_at(0)) * word > note.size()) {
    return files;
  }
  const std::uint64_t count = word_at(0);
  std::string_view paths = note.substr((2 + 3 * count) * word);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t zero = paths.find('\0');
    if (zero == std::string_view::npos) break;
    const std::size_t at = 2 + 3 * i;
    files.push_back({word_at(at), word_at(at + 1), word_at(at + 2) * word_at(1), std::string(paths.substr(0, zero))});
    paths.remove_prefix(zero + 1);
  }
  return files;
}

void read_notes(const Descriptor& file, const GElf_Phdr& segment, std::vector<MappedFile>& mapped) {
  if (segment.p_filesz > longest_note) return;
  std::string notes(segment.p_filesz, '\0');
  if (!file.read(segment.p_offset, notes.data(), notes.size())) return;
  const auto padded = [](std::uint64_t bytes) { return (bytes + 3) / 4 * 4; };
  for (std::uint64_t at = 0; notes.size() - at >= sizeof(Elf64_Nhdr);) {
    Elf64_Nhdr header;
    std::memcpy(&header, notes.data() + at, sizeof header);
    const std::uint64_t content = at + sizeof header + padded(header.n_namesz);
    if (content > notes.size() || header.n_descsz > notes.size() - content) return;
    if (header.n_type == NT_FILE) {
      for (MappedFile& one : mapped_files(std::string_view(notes).substr(content, header.n_descsz))) {
        mapped.push_back(std::move(one));
      }
    }
    at = std::min<std::uint64_t>(content + padded(header.n_descsz), notes.size());
  }
}

}  // namespace

MemorySourceResult open_core(const std::filesystem::path& path) {
  const std::string name = path.string();
  Descriptor file(path);
  if (file.value() < 0) {
    return unreadable(name, "cannot be read (" + std::string(std::strerror(errno)) + "); give a core file.");
  }
  elf_version(EV_CURRENT);
  const std::unique_ptr<Elf, int (*)(Elf*)> elf(elf_begin(file.value(), ELF_C_READ, nullptr), elf_end);
  GElf_Ehdr header;
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF || gelf_getehdr(elf.get(), &header) == nullptr ||
      header.e_type != ET_CORE) {
    return unreadable(name, "is no core file; give the core that the kernel, or gdb's generate-core-file, wrote.");
  }
  constexpr unsigned char own_order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != own_order) {
    return unreadable(name, "is of a machine of another kind; read it on one like that.");
  }
  std::size_t count = 0;
  std::vector<Segment> segments;
  std::vector<MappedFile> mapped;
  const std::uint64_t bytes = file.bytes();
  if (elf_getphdrnum(elf.get(), &count) != 0) count = 0;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf.get(), static_cast<int>(i), &segment) == nullptr) break;
    if (segment.p_type == PT_NOTE) read_notes(file, segment, mapped);
    if (segment.p_type == PT_LOAD && segment.p_filesz != 0 && segment.p_filesz <= UINT64_MAX - segment.p_vaddr) {
      // What a header claims beyond the file's end is not searched.
      const std::uint64_t there = bytes - std::min<std::uint64_t>(segment.p_offset, bytes);
      segments.push_back(
          {segment.p_vaddr, segment.p_vaddr + std::min<std::uint64_t>(segment.p_filesz, there), segment.p_offset});
    }
  }
  if (segments.empty()) return unreadable(name, "holds no memory; was the core cut?");
  return std::make_unique<CoreFile>(name, std::move(file), std::move(segments), std::move(mapped));
}

}  // namespace ddtscope::reporters
