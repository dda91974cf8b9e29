#include "reporters/source/records_of_program.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <algorithm>
#include <map>
#include <utility>

#include "decoder/base/lower_case.h"
#include "reporters/source/die_children.h"
#include "reporters/source/record_name.h"
#include "reporters/source/type_reader.h"
#include "reporters/source/unit_language.h"
#include "reporters/symbols/module_file.h"

namespace ddtscope::reporters {
namespace {

bool is_scope(int tag) {
  return is_record(tag) || tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_subprogram ||
         tag == DW_TAG_lexical_block;
}

std::string_view keyword_of(int tag) {
  return tag == DW_TAG_union_type ? "union " : tag == DW_TAG_class_type ? "class " : "struct ";
}

/// The record that a typedef names, where that has no name of its own.
bool record_without_name(Dwarf_Die* name, Dwarf_Die* record) {
  return type_of_die(name, record) && is_record(dwarf_tag(record)) && !has_flag(record, DW_AT_declaration) &&
         text_attribute(record, DW_AT_name).empty();
}

}  // namespace

struct SourceProgram::File {
  ModuleFile module;
  TypeReader types;
};

/// One walk over all units.
class SourceProgram::Walk {
 public:
  Walk(TypeReader& types, const RecordFilter& is_wanted) : types_(types), is_wanted_(is_wanted) {}

  /// `split` is the rest of a unit that -gsplit-dwarf has put into another file, or null; its source files stand in the
  /// unit.
  void unit(Dwarf_Die* unit, Dwarf_Die* split) {
    Dwarf_Die* const whole = split != nullptr ? split : unit;
    language_ = language_of_unit(whole);
    if (dwarf_getsrcfiles(unit, &files_, &file_count_) != 0) file_count_ = 0;
    ++units_;
    std::vector<Scope> scopes(1);  // from the outermost one to the one that the walk is in
    each_below(*whole, [&](const DieOfWalk& at) {
      scopes.resize(at.depth + 1);
      const Scope& scope = scopes.back();
      const int tag = dwarf_tag(&at.die);
      if (is_record(tag)) meet(&at.die, &at.die, scope);
      Dwarf_Die record;
      if (tag == DW_TAG_typedef && record_without_name(&at.die, &record)) meet(&at.die, &record, scope);
      if (is_scope(tag)) scopes.push_back(scope_of(&at.die, scope));
      return is_scope(tag);
    });
  }
  int units() const { return units_; }
  std::vector<NamedRecord> take() { return std::move(records_); }

 private:
  struct Scope {
    std::string prefix;  // "halo::"
    std::string module;  // Fortran's
  };

  Scope scope_of(Dwarf_Die* die, const Scope& outer) const {
    Scope scope = outer;
    const std::string name = text_attribute(die, DW_AT_name);
    const int tag = dwarf_tag(die);
    if (tag == DW_TAG_module) scope.module = name;
    if ((tag == DW_TAG_namespace || is_record(tag)) && !name.empty() && language_ == SourceLanguage::cxx) {
      scope.prefix += name + "::";
    }
    return scope;
  }

  /// `named` has the name: the record itself, or a typedef.
  void meet(Dwarf_Die* named, Dwarf_Die* record, const Scope& scope) {
    const std::string name = text_attribute(named, DW_AT_name);
    if (name.empty() || has_flag(record, DW_AT_declaration)) return;
    Dwarf_Word size = 0;
    if (dwarf_aggregate_size(record, &size) != 0 || size > Dwarf_Word{INT64_MAX}) return;
    if (!is_wanted_({name, static_cast<std::int64_t>(size)})) return;
    NamedRecord result;
    result.type = types_.type_at(record, language_);
    if (result.type->record() == nullptr) return;  // std::complex
    result.name = scope.prefix + name;
    result.module = scope.module;
    const bool has_keyword = language_ == SourceLanguage::c && is_record(dwarf_tag(named));
    result.spelling = (has_keyword ? std::string(keyword_of(dwarf_tag(record))) : std::string()) + result.name;
    result.language = language_;
    result.file = file_of(named);
    if (int line = 0; dwarf_decl_line(named, &line) == 0 && line > 0) result.line = line;
    add(std::move(result));
  }

  std::string file_of(Dwarf_Die* die) const {
    const auto number = number_attribute(die, DW_AT_decl_file);
    if (!number || *number < 0 || static_cast<std::size_t>(*number) >= file_count_) return {};
    const char* name = dwarf_filesrc(files_, static_cast<std::size_t>(*number), nullptr, nullptr);
    return name == nullptr ? std::string() : name;
  }

  void add(NamedRecord record) {
    std::vector<std::size_t>& alike = by_name_[record.name];
    for (const std::size_t index : alike) {
      if (is_same(records_[index], record)) return;
    }
    alike.push_back(records_.size());
    records_.push_back(std::move(record));
  }

  TypeReader& types_;
  const RecordFilter& is_wanted_;
  SourceLanguage language_ = SourceLanguage::other;
  Dwarf_Files* files_ = nullptr;
  std::size_t file_count_ = 0;
  int units_ = 0;
  std::vector<NamedRecord> records_;
  std::map<std::string, std::vector<std::size_t>> by_name_;
};

SourceProgram::SourceProgram(const std::string& path, const std::optional<std::string>& build_id)
    : file_(std::make_unique<File>(File{ModuleFile(path, build_id), {}})) {}
SourceProgram::~SourceProgram() = default;

std::variant<std::vector<NamedRecord>, std::string> SourceProgram::records(const RecordFilter& is_wanted) {
  if (!file_->module.is_open()) return file_->module.problem();
  Dwarf_Addr bias = 0;
  Dwarf* dwarf = dwfl_module_getdwarf(file_->module.module(), &bias);
  if (dwarf == nullptr) return std::string("the file has no debugging information: compile it with -g");
  Walk walk(file_->types, is_wanted);
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  Dwarf_Die part;  // of a unit of one type, that type
  std::uint8_t kind = 0;
  while (dwarf_get_units(dwarf, unit, &unit, nullptr, &kind, &die, &part) == 0) {
    walk.unit(&die, kind == DW_UT_skeleton && part.addr != nullptr ? &part : nullptr);
  }
  if (walk.units() == 0) return std::string("the file has no debugging information: compile it with -g");
  return walk.take();
}

namespace {

bool is_meant(const NamedRecord& record, const std::string& name) {
  if (record.place() == name || record.name == name) return true;
  if (record.language == SourceLanguage::fortran && record.name == lower_case(name)) return true;
  return record.name.size() > name.size() + 2 && record.name.ends_with("::" + name);
}

}  // namespace

std::variant<NamedRecord, NoRecord> find_record(const std::string& program, const std::string& text) {
  const std::string name(without_keyword(text));
  const std::string last(without_scopes(name));
  const bool is_place = last == name && name.find('<') == std::string::npos && name.find(':') != std::string::npos;
  SourceProgram source(program);
  auto read = source.records(
      [&](const RecordHead& head) { return is_place || head.name == last || head.name == lower_case(last); });
  if (const auto* problem = std::get_if<std::string>(&read)) {
    return NoRecord{NoRecord::Fault::of_program, program + ": " + *problem + "."};
  }
  std::vector<NamedRecord> found;
  for (NamedRecord& record : std::get<0>(read)) {
    if (is_meant(record, name)) found.push_back(std::move(record));
  }
  if (found.empty()) {
    return NoRecord{NoRecord::Fault::of_name,
                    program + ": its debugging information has no struct, class or derived type \"" + name +
                        "\" (what no code uses, compilers leave out)."};
  }
  if (found.size() == 1) return std::move(found.front());
  std::string list;
  for (const NamedRecord& record : found) list += (list.empty() ? "" : ", ") + record.text();
  return NoRecord{NoRecord::Fault::of_name,
                  program + ": \"" + name + "\" is the name of " + std::to_string(found.size()) + " types: " + list +
                      "; say which by file and line, as in --struct " + found.front().place() + "."};
}

}  // namespace ddtscope::reporters
