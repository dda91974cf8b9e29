// What the tables for unwinding say of a function's frame while it calls another one.
#pragma once

#include <elfutils/libdwfl.h>

#include <cstdint>
#include <map>
#include <optional>

namespace ddtscope::reporters {

/// Numbers of DWARF for the registers that frames are built with.
struct FrameRegisters {
  int stack_pointer, frame_pointer;
};
std::optional<FrameRegisters> frame_registers(Dwfl_Module* module);  // none of a machine that is not known

/// Distances from the CFA, in bytes; none where the tables do not say.
struct FrameFacts {
  std::optional<std::int64_t> stack_pointer;  // at that place
  std::optional<std::int64_t> frame_pointer;
};

class FrameTables {
 public:
  explicit FrameTables(Dwfl_Module* module);

  const std::optional<FrameRegisters>& registers() const { return registers_; }
  /// `pc` is an address of the debugging information, as all here.
  const FrameFacts& at(Dwarf_Addr pc);
  /// Where the stack pointer is in most of the function: behind the prologue, before arguments are pushed for a call.
  std::optional<std::int64_t> usual_stack_pointer(Dwarf_Addr begin, Dwarf_Addr end);

 private:
  struct Table {
    Dwarf_CFI* rows = nullptr;
    Dwarf_Addr bias = 0;
  };
  struct Row {
    std::optional<FrameFacts> facts;
    Dwarf_Addr end = 0;
  };
  std::optional<Row> row_at(const Table& table, Dwarf_Addr pc) const;

  Table tables_[2];
  std::optional<FrameRegisters> registers_;
  Dwarf_Addr bias_ = 0;                     // from an address of the debugging information to the module's
  std::map<Dwarf_Addr, FrameFacts> known_;  // libdw reckons all registers anew at each question
  std::map<Dwarf_Addr, std::optional<std::int64_t>> usual_;
};

}  // namespace ddtscope::reporters
