// The resolver on shared libraries whose addresses and lines are known.
#include "reporters/symbols/symbols.h"

#include <dlfcn.h>
#include <elf.h>
#include <gtest/gtest.h>
#include <link.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace ddtscope::reporters::symbols_test {
namespace {

struct Sample {
  std::string path;
  std::string build_id;
  std::uint64_t offset = 0;
  int line = 0;
};

std::string build_id_of(const link_map& map, const ElfW(Phdr) * headers, int count) {
  for (int i = 0; i < count; ++i) {
    if (headers[i].p_type != PT_NOTE) {
      continue;
    }
    const auto* note = reinterpret_cast<const ElfW(Nhdr)*>(map.l_addr + headers[i].p_vaddr);
    if (note->n_type != NT_GNU_BUILD_ID) {
      continue;
    }
    const auto* bytes = reinterpret_cast<const unsigned char*>(note + 1) + note->n_namesz;
    std::string text;
    for (ElfW(Word) at = 0; at < note->n_descsz; ++at) {
      char digits[3];
      std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(bytes[at]));
      text += digits;
    }
    return text;
  }
  return {};
}

Sample load(const char* path) {
  Sample sample;
  sample.path = path;
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
  if (library == nullptr) {
    return sample;
  }
  const auto call_site = reinterpret_cast<std::uintptr_t (*)(int&)>(dlsym(library, "_ZN6sample9call_siteERi"));
  EXPECT_NE(call_site, nullptr);
  link_map* map = nullptr;
  dlinfo(library, RTLD_DI_LINKMAP, &map);
  sample.offset = call_site(sample.line) - map->l_addr;
  const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(map->l_addr);
  sample.build_id =
      build_id_of(*map, reinterpret_cast<const ElfW(Phdr)*>(map->l_addr + header->e_phoff), header->e_phnum);
  EXPECT_EQ(sample.build_id.size(), 40U);
  return sample;
}

void expect_function_file_and_line(const char* path) {
  const Sample sample = load(path);
  Symbols symbols;
  const SourceLocation& location = symbols.resolve({sample.path, sample.build_id}, sample.offset);
  EXPECT_EQ(location.function, "sample::call_site(int&)");
  ASSERT_TRUE(location.file);
  EXPECT_TRUE(location.file->ends_with("symbols_sample.cpp")) << *location.file;
  EXPECT_EQ(location.line, sample.line);
  EXPECT_EQ(location.why_unresolved, "");
}

TEST(Symbols, DwarfGivesFunctionFileAndLine) { expect_function_file_and_line(SAMPLE_WITH_DWARF); }

// As clang writes it.
TEST(Symbols, DwarfNeedsNoTableOfAddresses) { expect_function_file_and_line(SAMPLE_WITHOUT_ARANGES); }

TEST(Symbols, SymbolTableGivesTheFunctionWithoutDwarf) {
  const Sample sample = load(SAMPLE_WITHOUT_DWARF);
  Symbols symbols;
  const SourceLocation& location = symbols.resolve({sample.path, sample.build_id}, sample.offset);
  EXPECT_EQ(location.function, "sample::call_site(int&)");
  EXPECT_FALSE(location.file);
  EXPECT_FALSE(location.line);
  EXPECT_NE(location.why_unresolved.find("no debugging information"), std::string::npos);
}

TEST(Symbols, FileWithAnotherBuildIdIsNotBelieved) {
  const Sample sample = load(SAMPLE_WITH_DWARF);
  Symbols symbols;
  const SourceLocation& location = symbols.resolve({sample.path, std::string(40, '0')}, sample.offset);
  EXPECT_FALSE(location.function);
  EXPECT_FALSE(location.line);
  EXPECT_NE(location.why_unresolved.find(sample.build_id), std::string::npos) << location.why_unresolved;
}

TEST(Symbols, MissingFileIsSaidToBeMissing) {
  Symbols symbols;
  const SourceLocation& location = symbols.resolve({"/nowhere/libnone.so"}, 16);
  EXPECT_FALSE(location.function);
  EXPECT_NE(location.why_unresolved.find("missing"), std::string::npos);
}

TEST(Symbols, FileThatIsNoElfFileIsSaidToBeNone) {
  const std::string path = testing::TempDir() + "/symbols_test_text";
  std::ofstream(path) << "no ELF file\n";
  Symbols symbols;
  EXPECT_NE(symbols.resolve({path}, 16).why_unresolved.find("not an ELF file"), std::string::npos);
}

// To inflate its debugging information would take most of the time that the end of a small job has.
TEST(Symbols, OfTheCLibraryFunctionsAloneAreTold) {
  const Sample sample = load(SAMPLE_WITH_DWARF);
  for (const char* name : {"libc.so.6", "libc-2.31.so", "libpthread-2.31.so"}) {
    const std::string path = testing::TempDir() + "/" + name;
    std::filesystem::copy_file(sample.path, path, std::filesystem::copy_options::overwrite_existing);
    Symbols symbols;
    const SourceLocation& location = symbols.resolve({path, sample.build_id}, sample.offset);
    EXPECT_EQ(location.function, "sample::call_site(int&)") << name;
    EXPECT_FALSE(location.file) << name;
    EXPECT_NE(location.why_unresolved.find("C library"), std::string::npos) << location.why_unresolved;
    EXPECT_NE(symbols.resolve({path, sample.build_id}, 0x7fffffff).why_unresolved.find("no symbols"),
              std::string::npos);
    std::filesystem::remove(path);
  }
}

TEST(Symbols, AddressOutsideOfEveryFunctionHasNoName) {
  const Sample sample = load(SAMPLE_WITH_DWARF);
  Symbols symbols;
  const SourceLocation& location = symbols.resolve({sample.path, sample.build_id}, 0x7fffffff);
  EXPECT_FALSE(location.function);
  EXPECT_NE(location.why_unresolved.find("no symbols"), std::string::npos);
}

TEST(Symbols, AFunctionOfAnInterpreterNeedsNoFile) {
  Symbols symbols;
  const ModuleRecord edge{"/nowhere/p.py", std::nullopt, "Grid.edge"};
  const ModuleRecord corner{"/nowhere/p.py", std::nullopt, "Grid.corner"};
  const SourceLocation& location = symbols.resolve(edge, 8);
  EXPECT_EQ(location.function, "Grid.edge");
  EXPECT_EQ(location.file, "/nowhere/p.py");
  EXPECT_EQ(location.line, 8);
  EXPECT_EQ(location.why_unresolved, "");
  EXPECT_EQ(symbols.resolve(corner, 8).function, "Grid.corner");
  EXPECT_FALSE(symbols.resolve(edge, 0).line);  // of code that has none
}

}  // namespace
}  // namespace ddtscope::reporters::symbols_test
