#include "reporters/cli/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string_view>

namespace ddtscope::reporters {
namespace {

// A program that needs more libraries than this is not searched to the end.
constexpr std::size_t libraries_limit = 4096;
constexpr int include_depth_limit = 8;

/// The folder of a file, which stands for its $ORIGIN.
std::string origin_of(const std::filesystem::path& file) {
  std::error_code error;
  return std::filesystem::weakly_canonical(file, error).parent_path().string();
}

/// What is put in is not looked at again: a folder may be called $ORIGIN.
std::string with_origin(std::string_view path, const std::string& origin) {
  std::string expanded;
  while (!path.empty()) {
    std::size_t length = 0;  // of the token that begins here
    for (const std::string_view token : {"${ORIGIN}", "$ORIGIN"}) {
      if (path.starts_with(token)) {
        length = token.size();
      }
    }
    expanded += length == 0 ? std::string(1, path.front()) : origin;
    path.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return expanded;
}

std::vector<std::string> split_paths(std::string_view text, const std::string& origin) {
  std::vector<std::string> paths;
  std::string path;
  std::istringstream stream{std::string(text)};
  while (std::getline(stream, path, ':')) {
    if (!path.empty()) {
      paths.push_back(with_origin(path, origin));
    }
  }
  return paths;
}

/// Nothing, where the section is another one.
void read_dynamic_section(Elf* elf, Elf_Scn* section, const std::string& origin, ElfFile& file) {
  GElf_Shdr header;
  if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_DYNAMIC || header.sh_entsize == 0) {
    return;
  }
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr) {
    return;
  }
  const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
  for (int i = 0; i < count; ++i) {
    GElf_Dyn entry;
    if (gelf_getdyn(data, i, &entry) == nullptr || entry.d_tag == DT_NULL) {
      break;
    }
    if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_RPATH && entry.d_tag != DT_RUNPATH) {
      continue;
    }
    const char* text = elf_strptr(elf, header.sh_link, entry.d_un.d_val);
    if (text == nullptr) {
      continue;
    }
    if (entry.d_tag == DT_NEEDED) {
      file.needed.emplace_back(text);
    } else {
      (entry.d_tag == DT_RPATH ? file.rpath : file.runpath) = split_paths(text, origin);
    }
  }
}

void read_loader_configuration(const std::string& pattern, int depth, std::vector<std::string>& folders) {
  glob_t matches{};
  if (depth < include_depth_limit && glob(pattern.c_str(), 0, nullptr, &matches) == 0) {
    for (std::size_t i = 0; i < matches.gl_pathc; ++i) {
      std::ifstream stream(matches.gl_pathv[i]);
      std::string line;
      while (std::getline(stream, line)) {
        line = line.substr(0, line.find('#'));
        std::istringstream words(line);
        std::string word;
        words >> word;
        if (word == "include" && words >> word) {
          read_loader_configuration(word.front() == '/' ? word : "/etc/" + word, depth + 1, folders);
        } else if (!word.empty() && word.front() == '/') {
          folders.push_back(word);
        }
      }
    }
  }
  globfree(&matches);
}

std::vector<std::string> system_folders() {
  std::vector<std::string> folders;
  read_loader_configuration("/etc/ld.so.conf", 0, folders);
  for (const char* folder :
       {"/lib/" DDTSCOPE_MULTIARCH, "/usr/lib/" DDTSCOPE_MULTIARCH, "/lib64", "/usr/lib64", "/lib", "/usr/lib"}) {
    folders.emplace_back(folder);
  }
  return folders;
}

}  // namespace

std::optional<ElfFile> read_elf_file(const std::filesystem::path& path) {
  elf_version(EV_CURRENT);
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    return std::nullopt;
  }
  std::optional<ElfFile> file;
  {
    const std::unique_ptr<Elf, int (*)(Elf*)> elf(elf_begin(descriptor, ELF_C_READ_MMAP, nullptr), elf_end);
    if (elf && elf_kind(elf.get()) == ELF_K_ELF) {
      file.emplace();
      const std::string origin = origin_of(path);
      std::size_t segments = 0;
      elf_getphdrnum(elf.get(), &segments);
      for (std::size_t i = 0; i < segments; ++i) {
        GElf_Phdr segment;
        file->has_interpreter |=
            gelf_getphdr(elf.get(), static_cast<int>(i), &segment) != nullptr && segment.p_type == PT_INTERP;
      }
      for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf.get(), section)) != nullptr;) {
        read_dynamic_section(elf.get(), section, origin, *file);
      }
    }
  }
  close(descriptor);
  return file;
}

std::vector<std::string> needed_libraries(const std::filesystem::path& program) {
  const std::vector<std::string> defaults = system_folders();
  const char* library_path = std::getenv("LD_LIBRARY_PATH");
  const std::vector<std::string> preferred =
      split_paths(library_path == nullptr ? "" : library_path, origin_of(program));
  struct Wanted {
    std::string name;
    std::vector<std::string> folders;  // in the loader's order
  };
  std::deque<Wanted> queue;
  std::vector<std::string> names;
  std::set<std::string> seen;
  const auto add_needs_of = [&](const std::filesystem::path& path, const std::vector<std::string>& inherited) {
    const auto file = read_elf_file(path);
    if (!file) {
      return;
    }
    // ld.so(8): DT_RPATH (also of the loaders) unless there is DT_RUNPATH, LD_LIBRARY_PATH, DT_RUNPATH, the system's.
    std::vector<std::string> folders;
    if (file->runpath.empty()) {
      folders = file->rpath;
      folders.insert(folders.end(), inherited.begin(), inherited.end());
    }
    folders.insert(folders.end(), preferred.begin(), preferred.end());
    folders.insert(folders.end(), file->runpath.begin(), file->runpath.end());
    for (const std::string& name : file->needed) {
      if (names.size() < libraries_limit && seen.insert(name).second) {
        names.push_back(name);
        queue.push_back({name, folders});
      }
    }
  };
  add_needs_of(program, {});
  const auto main_file = read_elf_file(program);
  const std::vector<std::string> inherited =
      main_file && main_file->runpath.empty() ? main_file->rpath : std::vector<std::string>();
  while (!queue.empty()) {
    Wanted wanted = std::move(queue.front());
    queue.pop_front();
    if (wanted.name.find('/') != std::string::npos) {
      add_needs_of(wanted.name, inherited);
      continue;
    }
    wanted.folders.insert(wanted.folders.end(), defaults.begin(), defaults.end());
    for (const std::string& folder : wanted.folders) {
      const auto path = std::filesystem::path(folder) / wanted.name;
      if (access(path.c_str(), R_OK) == 0) {
        add_needs_of(path, inherited);
        break;
      }
    }
  }
  return names;
}

}  // namespace ddtscope::reporters
