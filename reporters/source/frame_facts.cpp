#include "reporters/source/frame_facts.h"

#include <dwarf.h>
#include <elf.h>
#include <gelf.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace ddtscope::reporters {
namespace {

constexpr int most_rows = 4096;  // of one function

/// The register that an operation adds a constant to, and the constant.
struct RegisterAndOffset {
  int number;
  std::int64_t offset;
};
std::optional<RegisterAndOffset> register_of(const Dwarf_Op* operations, std::size_t count) {
  if (count != 1) return std::nullopt;
  if (operations[0].atom >= DW_OP_breg0 && operations[0].atom <= DW_OP_breg31) {
    return RegisterAndOffset{operations[0].atom - DW_OP_breg0, static_cast<std::int64_t>(operations[0].number)};
  }
  if (operations[0].atom == DW_OP_bregx && operations[0].number < 1024) {
    return RegisterAndOffset{static_cast<int>(operations[0].number), static_cast<std::int64_t>(operations[0].number2)};
  }
  return std::nullopt;
}

/// The other way round; of a damaged file it may be any number.
std::int64_t negated(std::int64_t offset) { return static_cast<std::int64_t>(-static_cast<std::uint64_t>(offset)); }

}  // namespace

std::optional<FrameRegisters> frame_registers(Dwfl_Module* module) {
  GElf_Addr bias = 0;
  GElf_Ehdr header;
  Elf* const elf = dwfl_module_getelf(module, &bias);
  if (elf == nullptr || gelf_getehdr(elf, &header) == nullptr) return std::nullopt;
  if (header.e_machine == EM_X86_64) return FrameRegisters{7, 6};
  if (header.e_machine == EM_AARCH64) return FrameRegisters{31, 29};
  return std::nullopt;
}

FrameTables::FrameTables(Dwfl_Module* module) : registers_(frame_registers(module)) {
  dwfl_module_getdwarf(module, &bias_);
  tables_[0].rows = dwfl_module_eh_cfi(module, &tables_[0].bias);
  tables_[1].rows = dwfl_module_dwarf_cfi(module, &tables_[1].bias);
}

std::optional<FrameTables::Row> FrameTables::row_at(const Table& table, Dwarf_Addr pc) const {
  Dwarf_Frame* frame = nullptr;
  if (table.rows == nullptr || dwarf_cfi_addrframe(table.rows, pc + bias_ - table.bias, &frame) != 0) {
    return std::nullopt;
  }
  const std::unique_ptr<Dwarf_Frame, void (*)(void*)> owner(frame, std::free);
  Row row;
  Dwarf_Addr begin = 0;
  if (dwarf_frame_info(frame, &begin, &row.end, nullptr) < 0) return std::nullopt;
  row.end += table.bias - bias_;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_frame_cfa(frame, &operations, &count) != 0) return row;
  const auto cfa = register_of(operations, count);
  if (!cfa || !registers_) return row;
  row.facts.emplace();
  if (cfa->number == registers_->stack_pointer) row.facts->stack_pointer = negated(cfa->offset);
  if (cfa->number == registers_->frame_pointer) row.facts->frame_pointer = negated(cfa->offset);
  return row;
}

const FrameFacts& FrameTables::at(Dwarf_Addr pc) {
  const auto [known, is_new] = known_.try_emplace(pc);
  if (!is_new) return known->second;
  for (const Table& table : tables_) {
    const auto row = row_at(table, pc);
    if (!row || !row->facts) continue;
    known->second = *row->facts;
    break;
  }
  return known->second;
}

std::optional<std::int64_t> FrameTables::usual_stack_pointer(Dwarf_Addr begin, Dwarf_Addr end) {
  const auto [known, is_new] = usual_.try_emplace(begin);
  if (!is_new) return known->second;
  std::map<std::int64_t, Dwarf_Addr> bytes;  // of the function, by where the stack pointer is
  Dwarf_Addr pc = begin;
  for (int rows = 0; pc < end && rows < most_rows; ++rows) {
    auto row = row_at(tables_[0], pc);
    if (!row) row = row_at(tables_[1], pc);
    if (!row || row->end <= pc) break;
    const Dwarf_Addr next = std::min(row->end, end);
    if (row->facts && row->facts->stack_pointer) bytes[*row->facts->stack_pointer] += next - pc;
    pc = next;
  }
  const auto most =
      std::max_element(bytes.begin(), bytes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most != bytes.end()) known->second = most->first;
  return known->second;
}

}  // namespace ddtscope::reporters
