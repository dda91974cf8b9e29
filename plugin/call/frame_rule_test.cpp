// Rules of all code that is loaded here, beside what elfutils reads in the same tables.
#include "plugin/call/frame_rule.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <link.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace ddtscope::plugin::frame_rule_test {
namespace {

#ifdef __x86_64__

/// A module's file, as elfutils opens it.
class ModuleFile {
 public:
  explicit ModuleFile(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    elf_version(EV_CURRENT);
    if (file_ >= 0) elf_ = elf_begin(file_, ELF_C_READ_MMAP, nullptr);
    if (elf_) tables_ = dwarf_getcfi_elf(elf_);
  }
  ~ModuleFile() {
    if (tables_) dwarf_cfi_end(tables_);
    if (elf_) elf_end(elf_);
    if (file_ >= 0) close(file_);
  }
  ModuleFile(const ModuleFile&) = delete;
  ModuleFile& operator=(const ModuleFile&) = delete;

  /// The rule in elfutils' words.
  FrameRule rule_at(Dwarf_Addr address) const {
    Dwarf_Frame* found = nullptr;
    if (!tables_ || dwarf_cfi_addrframe(tables_, address, &found) != 0) return {};
    const std::unique_ptr<Dwarf_Frame, decltype(&free)> frame(found, free);
    bool is_signal = false;
    if (dwarf_frame_info(found, nullptr, nullptr, &is_signal) != 16 || is_signal) return {};
    std::array<Dwarf_Op, 3> room;
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    if (dwarf_frame_register(found, 16, room.data(), &operations, &count) != 0) return {};
    // No operations: undefined where there is no room for them either, else the same value.
    if (count == 0) return operations == room.data() ? FrameRule{.cfa = FrameRule::Cfa::outermost} : FrameRule{};
    if (offset_from_cfa(operations, count) != -8) return {};
    FrameRule rule;
    Dwarf_Op* pointer = nullptr;
    std::size_t pointer_count = 0;
    if (dwarf_frame_register(found, 6, room.data(), &pointer, &pointer_count) != 0) return {};
    if (const std::optional<std::int64_t> offset = offset_from_cfa(pointer, pointer_count)) {
      rule.frame_pointer = FrameRule::FramePointer::below_cfa;
      rule.frame_pointer_offset = static_cast<std::int16_t>(*offset);
    } else if (pointer_count == 2 && pointer[1].atom == DW_OP_breg6) {  // behind the address, which nothing uses
      rule.frame_pointer = FrameRule::FramePointer::by_frame_pointer;
      rule.frame_pointer_offset = static_cast<std::int16_t>(pointer[1].number);
    } else if (pointer_count != 0 || pointer != nullptr) {
      rule.frame_pointer = FrameRule::FramePointer::lost;
    }
    if (dwarf_frame_cfa(found, &operations, &count) != 0 || count == 0) return {};
    rule.cfa_offset = static_cast<std::int32_t>(operations[0].number);
    if (count == 1 && operations[0].atom == DW_OP_bregx) {
      rule.cfa_offset = static_cast<std::int32_t>(operations[0].number2);
      if (operations[0].number == 7) rule.cfa = FrameRule::Cfa::stack_pointer;
      if (operations[0].number == 6) rule.cfa = FrameRule::Cfa::frame_pointer;
    } else if (count == 1 && operations[0].atom == DW_OP_breg7) {
      rule.cfa = FrameRule::Cfa::stack_pointer;
    } else if (count == 1 && operations[0].atom == DW_OP_breg6) {
      rule.cfa = FrameRule::Cfa::frame_pointer;
    } else if (count == 2 && operations[0].atom == DW_OP_breg6 && operations[1].atom == DW_OP_deref) {
      rule.cfa = FrameRule::Cfa::word_of_frame;
    }
    return rule.cfa == FrameRule::Cfa::unknown ? FrameRule{} : rule;
  }

  /// Where a function has put what its caller had in a register, in elfutils' words; nothing where these say nothing.
  std::optional<FrameRegisters::Place> place_at(Dwarf_Addr address, int number) const {
    using Kind = FrameRegisters::Place::Kind;
    Dwarf_Frame* found = nullptr;
    if (!tables_ || dwarf_cfi_addrframe(tables_, address, &found) != 0) return std::nullopt;
    const std::unique_ptr<Dwarf_Frame, decltype(&free)> frame(found, free);
    std::array<Dwarf_Op, 3> room;
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    if (dwarf_frame_register(found, number, room.data(), &operations, &count) != 0) return std::nullopt;
    if (const std::optional<std::int64_t> offset = offset_from_cfa(operations, count)) {
      return FrameRegisters::Place{Kind::below_cfa, *offset};
    }
    if (count == 2 && operations[1].atom == DW_OP_breg6) {
      return FrameRegisters::Place{Kind::by_frame_pointer, static_cast<std::int64_t>(operations[1].number)};
    }
    // Of rbx, which is register 3, elfutils knows no rule of the ABI: it has that for register 0.
    const bool is_kept = count == 0 && (operations == nullptr || number == 3);
    return FrameRegisters::Place{is_kept ? Kind::kept : Kind::lost, 0};
  }

 private:
  /// A word at the canonical frame address plus an offset.
  static std::optional<std::int64_t> offset_from_cfa(const Dwarf_Op* operations, std::size_t count) {
    if (count == 0 || operations[0].atom != DW_OP_call_frame_cfa) return std::nullopt;
    if (count == 1) return 0;
    if (count == 2 && operations[1].atom == DW_OP_plus_uconst) return static_cast<std::int64_t>(operations[1].number);
    return std::nullopt;
  }

  int file_;
  Elf* elf_ = nullptr;
  Dwarf_CFI* tables_ = nullptr;
};

struct Code {
  std::string path;
  std::uintptr_t bias, begin, end;
};

std::vector<Code> loaded_code() {
  std::vector<Code> found;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        const std::string path = info->dlpi_name[0] == '\0' ? "/proc/self/exe" : info->dlpi_name;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0 || access(path.c_str(), R_OK) != 0) continue;
          const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
          static_cast<std::vector<Code>*>(data)->push_back({path, info->dlpi_addr, begin, begin + segment.p_memsz});
        }
        return 0;
      },
      &found);
  return found;
}

TEST(FrameRule, IsWhatElfutilsReadsInTheSameTables) {
  std::mt19937_64 random(1);
  std::map<FrameRule::Cfa, int> seen;
  for (const Code& code : loaded_code()) {
    const ModuleFile file(code.path);
    for (int i = 0; i < 4000; ++i) {
      const std::uintptr_t address = code.begin + random() % (code.end - code.begin);
      const FrameRule rule = frame_rule_at(address + 1);
      const FrameRule expected = file.rule_at(address - code.bias);
      ++seen[rule.cfa];
      ASSERT_EQ(rule.cfa, expected.cfa) << code.path << " at " << std::hex << address - code.bias;
      if (rule.cfa == FrameRule::Cfa::unknown || rule.cfa == FrameRule::Cfa::outermost) continue;
      ASSERT_EQ(rule.cfa_offset, expected.cfa_offset) << code.path << " at " << std::hex << address - code.bias;
      ASSERT_EQ(rule.frame_pointer, expected.frame_pointer) << code.path << " at " << std::hex << address - code.bias;
      ASSERT_EQ(rule.frame_pointer_offset, expected.frame_pointer_offset)
          << code.path << " at " << std::hex << address - code.bias;
    }
  }
  EXPECT_GT(seen[FrameRule::Cfa::stack_pointer], 1000);
  EXPECT_GT(seen[FrameRule::Cfa::frame_pointer], 100);
}

TEST(FrameRule, RegistersAreWhereElfutilsReadsThem) {
  using Kind = FrameRegisters::Place::Kind;
  std::mt19937_64 random(2);
  std::map<Kind, int> seen;
  for (const Code& code : loaded_code()) {
    const ModuleFile file(code.path);
    for (int i = 0; i < 2000; ++i) {
      const std::uintptr_t address = code.begin + random() % (code.end - code.begin);
      const FrameRegisters found = frame_registers_at(address + 1);
      ASSERT_EQ(found.rule, frame_rule_at(address + 1));
      if (found.rule.cfa == FrameRule::Cfa::unknown || found.rule.cfa == FrameRule::Cfa::outermost) continue;
      for (std::size_t k = 0; k < kept_registers.size(); ++k) {
        ++seen[found.places[k].kind];
        ASSERT_EQ(file.place_at(address - code.bias, kept_registers[k]), found.places[k])
            << code.path << " at " << std::hex << address - code.bias << ", register " << int{kept_registers[k]};
      }
    }
  }
  EXPECT_GT(seen[Kind::below_cfa], 1000);
  EXPECT_GT(seen[Kind::kept], 1000);
}

TEST(FrameRule, OfNoCodeIsUnknown) {
  static int data = 0;
  EXPECT_EQ(frame_rule_at(reinterpret_cast<std::uintptr_t>(&data)), FrameRule{});
  EXPECT_EQ(frame_rule_at(0), FrameRule{});
  EXPECT_EQ(frame_rule_at(~std::uintptr_t{0}), FrameRule{});
}

#endif

}  // namespace
}  // namespace ddtscope::plugin::frame_rule_test
