#include "reporters/source/program_variables.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <map>
#include <utility>

#include "reporters/source/code_units.h"
#include "reporters/source/die_children.h"
#include "reporters/source/frame_facts.h"
#include "reporters/source/pointer_types.h"
#include "reporters/source/shaped_parameters.h"
#include "reporters/source/thread_memory.h"
#include "reporters/source/type_reader.h"
#include "reporters/source/unit_language.h"
#include "reporters/source/variable_location.h"
#include "reporters/symbols/module_file.h"

namespace ddtscope::reporters {
namespace {

using Base = SymbolicValue::Base;
using Kind = VariablePiece::Kind;

constexpr std::uint64_t most_dies = 20'000'000;  // that are looked at for static variables
constexpr std::size_t most_found = 16;           // for one address

bool is_variable(int tag) { return tag == DW_TAG_variable || tag == DW_TAG_formal_parameter; }

bool may_hold_variables(int tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
         tag == DW_TAG_common_block || tag == DW_TAG_inlined_subroutine || is_record(tag);
}

template <class See>
void each_variable(const CodeScopes& scopes, const See& see) {
  for (std::size_t i = 0; i < scopes.scopes.size(); ++i) {
    Dwarf_Die scope = scopes.scopes[i];
    for (Dwarf_Die& child : children_of(&scope)) {
      if (is_variable(dwarf_tag(&child))) see(child, i);
    }
  }
}

/// How a piece of a variable has to do with a value of its frame.
struct Carried {
  enum class How : std::uint8_t {
    holds,   // the value lies `offset` bytes behind the variable's beginning
    is_at,   // the variable begins `offset` bytes behind the value
    equals,  // it is the value and so much more
  };
  How how;
  std::int64_t offset;
};

std::optional<Carried> carried(const VariablePiece& piece, const FrameValue& value, std::int64_t size) {
  const bool is_slot = value.where == FrameValue::Where::slot;
  if (piece.kind == Kind::in_register) {
    if (is_slot || piece.value.at != value.at) return std::nullopt;
    return Carried{Carried::How::holds, piece.offset};
  }
  if (piece.kind == Kind::memory && piece.value.base == Base::cfa) {
    const std::int64_t within = value.at - piece.value.plus;
    if (!is_slot || within < 0 || within >= size) return std::nullopt;
    return Carried{Carried::How::holds, piece.offset + within};
  }
  if (piece.value.base != (is_slot ? Base::slot : Base::in_register) || piece.value.at != value.at) return std::nullopt;
  if (piece.kind == Kind::memory) return Carried{Carried::How::is_at, piece.value.plus};
  if (piece.kind == Kind::value) return Carried{Carried::How::equals, piece.value.plus};
  return std::nullopt;
}

}  // namespace

class ProgramVariables::Reader {
 public:
  Reader(std::unique_ptr<ModuleFile> file, Dwarf* dwarf, Dwarf_Addr bias)
      : file_(std::move(file)),
        bias_(file_->bias() - bias),
        units_(dwarf),
        records_(units_),
        tables_(file_->module()) {}

  bool has_units() const { return !units_.all().empty(); }
  bool lacks_parts() const { return units_.lack_parts(); }

  std::vector<FoundObject> in_static_memory(std::uint64_t offset) { return in_memory(statics_, offset + bias_); }
  std::vector<FoundObject> in_thread_memory(std::uint64_t offset) { return in_memory(of_threads_, offset); }

  std::vector<FoundObject> on_stack(const ProgramFrame& frame, std::int64_t distance) {
    std::vector<FoundObject> found;
    each_piece(frame, [&](Dwarf_Die variable, const CodeUnit& unit, const VariablePiece& piece, std::int64_t size) {
      if (piece.kind != Kind::memory || piece.value.base != Base::cfa || found.size() >= most_found) return;
      const std::int64_t within = distance - piece.value.plus;
      if (within == 0 && size == 0) {
        if (auto array = array_without_length(variable, unit)) found.push_back(std::move(*array));
        return;
      }
      if (within < 0 || within >= size) return;
      found.push_back(object(variable, unit, piece.offset + within));
      found.back().is_over = piece.is_over;
    });
    return found;
  }

  std::vector<FoundObject> pointed_to(const ProgramFrame& frame, const FrameValue& value) {
    std::vector<FoundObject> found;
    if (value.where == FrameValue::Where::in_static_memory) {
      each_static(statics_, static_cast<Dwarf_Addr>(value.at) + bias_, [&](const Static& one, std::int64_t place) {
        if (found.size() >= most_found) return;
        auto object = led_to(one.variable, *one.unit, {Carried::How::holds, place}, value);
        if (object) found.push_back(std::move(*object));
      });
      return found;
    }
    each_piece(frame, [&](Dwarf_Die variable, const CodeUnit& unit, const VariablePiece& piece, std::int64_t size) {
      const auto how = carried(piece, value, size);
      if (!how || found.size() >= most_found) return;
      auto object = led_to(variable, unit, *how, value);
      if (!object) return;
      object->is_over = piece.is_over;
      object->scope = scope_;
      object->may_be_left_over =
          piece.kind == Kind::memory && piece.value.base == Base::cfa && is_left_over(variable, frame, value.at);
      found.push_back(std::move(*object));
    });
    return found;
  }

 private:
  /// A slot that a variable is in somewhere in its function.
  struct Slot {
    void *scope, *origin;     // DIEs: what it is declared in, and the variable itself, the same in all instances
    std::int64_t begin, end;  // from the CFA
  };
  struct Static {
    Dwarf_Addr begin, end;
    Dwarf_Die variable;
    const CodeUnit* unit;
    bool is_part_of_common;
  };

  /// Variables that lie where the linker has put them, by begin.
  struct Statics {
    std::vector<Static> all;
    Dwarf_Addr largest = 0;  // bytes
    void add(const Static& one) {
      largest = std::max(largest, one.end - one.begin);
      all.push_back(one);
    }
    void sort() {
      std::sort(all.begin(), all.end(), [](const Static& a, const Static& b) { return a.begin < b.begin; });
    }
  };

  std::vector<FoundObject> in_memory(const Statics& statics, Dwarf_Addr address) {
    std::vector<FoundObject> found;
    each_static(statics, address, [&](const Static& one, std::int64_t place) {
      if (found.size() >= most_found) return;
      found.push_back(object(one.variable, *one.unit, place));
      found.back().is_part_of_common = one.is_part_of_common;
    });
    return found;
  }

  /// See is told of each such variable that has the address, and how far behind its beginning that is.
  template <class See>
  void each_static(const Statics& statics, Dwarf_Addr address, const See& see) {
    if (!statics_are_read_) read_statics();
    auto after = std::upper_bound(statics.all.begin(), statics.all.end(), address,
                                  [](Dwarf_Addr wanted, const Static& one) { return wanted < one.begin; });
    while (after != statics.all.begin()) {
      --after;
      if (address - after->begin >= statics.largest) break;
      if (address < after->end) see(*after, static_cast<std::int64_t>(address - after->begin));
    }
  }

  /// See is told of each piece of each variable that is known at the call, and of how many bytes the piece has.
  template <class See>
  void each_piece(const ProgramFrame& frame, const See& see) {
    CallingFrame calling;
    calling.pc = frame.offset + bias_;
    calling.stack_pointer = frame.stack_pointer;
    const CodeScopes& scopes = units_.at(calling.pc);
    if (scopes.unit == nullptr) return;
    calling.function = scopes.scopes.back();
    if (scopes.unit->language == SourceLanguage::fortran) shapes_.add(scopes);
    each_variable(scopes, [&](Dwarf_Die variable, std::size_t scope) {
      scope_ = scope;
      if (text_attribute(&variable, DW_AT_name).empty() && shapes_.parameter_of(variable) == nullptr) return;
      const std::int64_t whole = size_of_variable(variable, *scopes.unit);
      std::vector<VariablePiece> pieces = pieces_of(&variable, &calling, tables_);
      if (pieces.empty() && whole == bytes_of_slot) {
        if (const auto slot = own_slot(variable, scopes, calling)) pieces.push_back(*slot);
      }
      for (const VariablePiece& piece : pieces) {
        see(variable, *scopes.unit, piece, piece.size.value_or(std::max<std::int64_t>(whole - piece.offset, 0)));
      }
    });
  }

  /// Where the information leaves a variable out at the call, though it has it before and behind: the slot that it is
  /// in behind the call, if that is no other variable's anywhere in the function.
  std::optional<VariablePiece> own_slot(Dwarf_Die variable, const CodeScopes& scopes, const CallingFrame& calling) {
    auto slot = slot_behind(&variable, calling, tables_);
    if (slot && is_shared(variable, slot->value.plus, scopes, calling)) slot.reset();
    return slot;
  }

  /// Whether what stands in a slot may be another variable's that is over.
  bool is_left_over(Dwarf_Die variable, const ProgramFrame& frame, std::int64_t slot) {
    CallingFrame calling;
    calling.pc = frame.offset + bias_;
    const CodeScopes& scopes = units_.at(calling.pc);
    if (scopes.unit == nullptr) return false;
    calling.function = scopes.scopes.back();
    return is_shared(variable, slot, scopes, calling);
  }

  /// Whether the slot is another variable's, too, somewhere in the function, but not at the call.
  bool is_shared(Dwarf_Die variable, std::int64_t slot, const CodeScopes& scopes, const CallingFrame& calling) {
    Dwarf_Die function = scopes.scopes.back();
    const auto [known, is_new] = slots_.try_emplace(function.addr);
    if (is_new) add_slots(function, *scopes.unit, calling, known->second);
    void* const origin = origin_of(variable).addr;
    return std::any_of(known->second.begin(), known->second.end(), [&](const Slot& one) {
      return one.origin != origin && one.begin < slot + bytes_of_slot && slot < one.end && !is_in_scope(one, scopes);
    });
  }

  static bool is_in_scope(const Slot& slot, const CodeScopes& scopes) {
    return std::any_of(scopes.scopes.begin(), scopes.scopes.end(),
                       [&](const Dwarf_Die& scope) { return scope.addr == slot.scope; });
  }

  /// Those of a function's own frame: functions within it have others.
  void add_slots(Dwarf_Die function, const CodeUnit& unit, const CallingFrame& calling, std::vector<Slot>& slots) {
    each_below(function, [&](const DieOfWalk& at) {
      const int tag = dwarf_tag(&at.die);
      if (!is_variable(tag)) return may_hold_variables(tag) && tag != DW_TAG_subprogram;
      for (const std::int64_t slot : slots_of(&at.die, calling, tables_)) {
        const std::int64_t size = size_of_variable(at.die, unit);
        const std::int64_t bytes = size > 0 ? size : bytes_of_slot;
        slots.push_back({at.parent.addr, origin_of(at.die).addr, slot, slot + bytes});
      }
      return false;
    });
  }

  /// Of a descriptor the descriptor's own.
  std::int64_t size_of_variable(Dwarf_Die variable, const CodeUnit& unit) {
    Dwarf_Die type;
    if (!type_of_die(&variable, &type)) return 0;
    Dwarf_Attribute attribute;
    Dwarf_Die plain;
    if (records_.plain_type(type, &plain) && dwarf_tag(&plain) == DW_TAG_array_type &&
        dwarf_attr(&plain, DW_AT_data_location, &attribute) != nullptr) {
      return smallest_descriptor;
    }
    return read(type, unit)->size;
  }

  SourceTypePtr read(Dwarf_Die type, const CodeUnit& unit) {
    Dwarf_Die plain;
    // A typedef may be MPI's own name for the type.
    if (!records_.plain_type(type, &plain)) return std::make_shared<SourceType>();
    return types_.type_at(is_record(dwarf_tag(&plain)) ? &plain : &type, unit.language);
  }

  FoundObject described(Dwarf_Die variable, const CodeUnit& unit, std::int64_t place) {
    FoundObject found;
    if (const Dwarf_Die* const parameter = shapes_.parameter_of(variable)) variable = *parameter;
    found.name = text_attribute(&variable, DW_AT_name);
    found.file = CodeUnits::file_of(&variable, unit);
    if (const auto line = number_attribute(&variable, DW_AT_decl_line); line && *line > 0 && *line < INT32_MAX) {
      found.line = static_cast<int>(*line);
    }
    found.language = unit.language;
    found.place = place;
    found.is_parameter = dwarf_tag(&variable) == DW_TAG_formal_parameter;
    Dwarf_Die type;
    found.declaration = type_of_die(&variable, &type) ? declared(found.name, type, unit.language) : found.name;
    return found;
  }

  FoundObject object(Dwarf_Die variable, const CodeUnit& unit, std::int64_t place) {
    FoundObject found = described(variable, unit, place);
    Dwarf_Die type;
    if (type_of_die(&variable, &type)) found.type = read(type, unit);
    return found;
  }

  std::optional<FoundObject> led_to(Dwarf_Die variable, const CodeUnit& unit, const Carried& how,
                                    const FrameValue& value) {
    Dwarf_Die type;
    if (!type_of_die(&variable, &type)) return std::nullopt;
    std::int64_t place = value.behind;
    std::optional<PointerWithin> pointer;
    std::string separator;
    if (how.how == Carried::How::is_at) {
      if (!value.through) return by_reference(variable, unit, place - how.offset);
      pointer = pointer_at(records_, type, *value.through - how.offset);
    } else {
      const bool holds = how.how == Carried::How::holds;
      pointer = pointer_at(records_, type, holds ? how.offset : 0);
      if (!holds && !value.through) place -= how.offset;
      if (pointer && value.through) {
        const std::int64_t at = *value.through - (holds ? 0 : how.offset);
        auto inner = pointer_in_pointee(*pointer, at);
        if (inner)
          inner->path = pointer->path + (inner->path.starts_with('[') || inner->path.empty() ? "" : "->") +
                        inner->path.substr(inner->path.starts_with('.') ? 1 : 0);
        pointer = std::move(inner);
      }
    }
    if (!pointer) return std::nullopt;
    FoundObject found = described(variable, unit, place);
    if (!pointer->path.empty() && pointer->target) {
      // Of a container of the standard library its own name says more than those of its members.
      const std::size_t container = std::min(pointer->path.find("._M_"), pointer->path.find("->_M_"));
      found.name += pointer->path.substr(0, container);
      if (unit.language == SourceLanguage::fortran) std::replace(found.name.begin(), found.name.end(), '.', '%');
      if (container == std::string::npos) {
        const std::string member = found.name.substr(found.name.find_last_of(".>%") + 1);
        const bool is_fortran = unit.language == SourceLanguage::fortran;
        found.declaration = spelled(*pointer->target, unit.language) + (is_fortran ? " " : " *") + member;
      }
    }
    // Of void there may be a const one.
    Dwarf_Die plain;
    if (pointer->target && records_.plain_type(*pointer->target, &plain)) found.type = read(*pointer->target, unit);
    found.is_pointee = true;
    return found;
  }

  /// What is `at` bytes behind the beginning of what a pointer points to. That may be one of many pointers; of records
  /// only the first one is known to be there: what lies behind it may be something else.
  std::optional<PointerWithin> pointer_in_pointee(const PointerWithin& pointer, std::int64_t at) {
    if (!pointer.target || at < 0) return std::nullopt;
    Dwarf_Word size = 0;
    Dwarf_Die plain;
    if (!records_.plain_type(*pointer.target, &plain)) return std::nullopt;
    if (dwarf_tag(&plain) != DW_TAG_pointer_type) return pointer_at(records_, plain, at);
    if (dwarf_aggregate_size(&plain, &size) != 0 || size == 0 || at % static_cast<std::int64_t>(size) != 0) {
      return std::nullopt;
    }
    auto found = pointer_at(records_, plain, 0);
    if (found) found->path = "[" + std::to_string(at / static_cast<std::int64_t>(size)) + "]";
    return found;
  }

  /// An array whose length only the running program knows: no more than its first element is certain to be there.
  std::optional<FoundObject> array_without_length(Dwarf_Die variable, const CodeUnit& unit) {
    FoundObject found = object(variable, unit, 0);
    const SourceArray* const array = found.type == nullptr ? nullptr : found.type->array();
    if (array == nullptr || array->length()) return std::nullopt;
    return by_reference(variable, unit, 0);
  }

  /// An argument of Fortran's, or of C++, of which the caller passes the address.
  FoundObject by_reference(Dwarf_Die variable, const CodeUnit& unit, std::int64_t place) {
    FoundObject found = object(variable, unit, place);
    found.is_pointee = true;
    // An array says what its elements are; how many there are, whoever calls knows.
    if (found.type != nullptr && found.type->array() != nullptr) found.type = found.type->array()->element;
    return found;
  }

  void read_statics() {
    statics_are_read_ = true;
    std::uint64_t dies = 0;
    for (const CodeUnit& unit : units_.all()) {
      each_below(unit.die, [&](const DieOfWalk& at) {
        if (++dies > most_dies) return false;
        const int tag = dwarf_tag(&at.die);
        if (tag == DW_TAG_variable) add_static(at.die, unit, dwarf_tag(&at.parent));
        return may_hold_variables(tag);
      });
    }
    statics_.sort();
    of_threads_.sort();
  }

  void add_static(Dwarf_Die variable, const CodeUnit& unit, int tag_of_parent) {
    Dwarf_Attribute location;
    if (dwarf_attr(&variable, DW_AT_location, &location) == nullptr) return;
    const std::vector<VariablePiece> pieces = pieces_of(&variable, nullptr, tables_);
    if (pieces.size() != 1 || pieces[0].kind != Kind::memory) return;
    const bool is_of_threads = pieces[0].value.base == Base::thread;
    if (!is_of_threads && pieces[0].value.base != Base::constant) return;
    const std::int64_t size = size_of_variable(variable, unit);
    const auto begin = static_cast<Dwarf_Addr>(pieces[0].value.plus);
    if (size <= 0 || (begin == 0 && !is_of_threads)) return;
    const Dwarf_Addr end = begin + static_cast<Dwarf_Addr>(size);
    const bool is_part_of_common = tag_of_parent == DW_TAG_common_block;
    if (is_of_threads && !is_kept(variable, begin, end, is_part_of_common)) return;
    (is_of_threads ? of_threads_ : statics_).add({begin, end, variable, &unit, is_part_of_common});
  }

  /// Whether a variable of threads is in the program, for all that the file says.
  bool is_kept(Dwarf_Die variable, Dwarf_Addr begin, Dwarf_Addr end, bool is_part_of_common) {
    if (!thread_memory_) thread_memory_.emplace(file_->module());
    const std::string name = text_attribute(&variable, DW_AT_name);
    const std::string linked_name = text_attribute(&variable, DW_AT_linkage_name);
    return thread_memory_->may_hold({begin, end, name, linked_name, is_part_of_common});
  }

  static constexpr std::int64_t bytes_of_slot = 8;
  static constexpr std::int64_t smallest_descriptor = 8;  // the address comes first in it

  std::unique_ptr<ModuleFile> file_;
  Dwarf_Addr bias_;  // from the module's own address space to the debugging information's
  CodeUnits units_;
  RecordDefinitions records_;
  FrameTables tables_;
  TypeReader types_;
  ShapedParameters shapes_;
  std::size_t scope_ = 0;  // of the variable that each_piece() is at, from the innermost one on
  bool statics_are_read_ = false;
  Statics statics_, of_threads_;
  std::optional<ThreadMemory> thread_memory_;
  std::map<void*, std::vector<Slot>> slots_;  // by the functions that were compiled
};

ProgramVariables::ProgramVariables(const std::string& path, const std::optional<std::string>& build_id) {
  auto file = std::make_unique<ModuleFile>(path, build_id);
  problem_ = file->problem();
  if (!file->is_open()) return;
  Dwarf_Addr bias = 0;
  Dwarf* const dwarf = dwfl_module_getdwarf(file->module(), &bias);
  if (dwarf != nullptr) reader_ = std::make_unique<Reader>(std::move(file), dwarf, bias);
  if (!reader_ || !reader_->has_units()) {
    reader_.reset();
    problem_ = "the file has no debugging information: compile it with -g";
  } else if (reader_->lacks_parts()) {
    problem_ = "the files .dwo that hold its debugging information (-gsplit-dwarf) are not where they were built";
  }
}
ProgramVariables::~ProgramVariables() = default;

const std::string& ProgramVariables::problem() const { return problem_; }

std::vector<FoundObject> ProgramVariables::in_static_memory(std::uint64_t offset) {
  return reader_ ? reader_->in_static_memory(offset) : std::vector<FoundObject>();
}
std::vector<FoundObject> ProgramVariables::in_thread_memory(std::uint64_t offset) {
  return reader_ ? reader_->in_thread_memory(offset) : std::vector<FoundObject>();
}
std::vector<FoundObject> ProgramVariables::on_stack(const ProgramFrame& frame, std::int64_t distance) {
  return reader_ ? reader_->on_stack(frame, distance) : std::vector<FoundObject>();
}
std::vector<FoundObject> ProgramVariables::pointed_to(const ProgramFrame& frame, const FrameValue& value) {
  return reader_ ? reader_->pointed_to(frame, value) : std::vector<FoundObject>();
}

}  // namespace ddtscope::reporters
