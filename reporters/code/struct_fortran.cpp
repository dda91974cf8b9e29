// A derived type's datatype in Fortran, with the module mpi_f08.
#include <string>

#include "reporters/code/plan.h"
#include "reporters/code/struct_code.h"

namespace ddtscope::reporters {
namespace {

class Writer {
 public:
  explicit Writer(const StructText& text)
      : text_(text),
        suffix_(suffix_beside(text.record.name,
                              {"type", "sample", "inner", "members", "types", "begin", "next", "places"})) {}

  std::string function() {
    const std::string& name = text_.record.name;
    const std::string sample = "sample" + suffix_;
    const std::string type = level(text_.plan, {sample + "(1)", sample + "(2)", "type" + suffix_});
    std::string code;
    for (const std::string& comment : text_.comments) code += "! " + comment + "\n";
    const std::string function = ("make_" + name).substr(0, longest_name);
    code += "! The caller frees it.\nfunction " + function + "() result(" + type + ")\n  use mpi_f08\n";
    if (!text_.record.module.empty()) code += "  use " + text_.record.module + ", only : " + name + "\n";
    code +=
        "  implicit none\n  type(MPI_Datatype) :: " + type + "\n  type(" + name + "), target :: " + sample + "(2)\n";
    return code + declarations_ + body_ + "  call MPI_Type_commit(" + type + ")\nend function " + function + "\n";
  }

 private:
  /// A record: an object of it, the one behind it in memory, and the variable for its type.
  struct Object {
    std::string name;
    std::string next;  // empty where there is none
    std::string type;
  };

  static std::string component(const std::string& object, const std::vector<std::string>& path) {
    return object + "%" + path_text(path, '%', "");
  }

  /// Of an array of records the first element, or the `further`th behind it in memory, 0 or 1.
  static std::string element(const StructPart& part, std::int64_t further) {
    std::string text;
    for (const SourceArray::Dimension& dimension : part.dimensions) {
      const bool has_more = further > 0 && dimension.length.value_or(1) > 1;
      text += (text.empty() ? "(" : ", ") + std::to_string(dimension.lower + (has_more ? further : 0));
      if (has_more) further = 0;
    }
    return text + ")";
  }

  void statement(const std::string& text) { body_ += broken_lines(text, {"  ", " &", '%'}); }

  /// A component by which the record's beginning is known; how far behind it that lies is what was compiled.
  static std::string first_component(const std::string& object, const StructPlan& plan) {
    const StructPart& first = plan.parts.front();
    const std::string name = component(object, first.path);
    return first.inner ? first_component(name + element(first, 0), *first.inner) : name;
  }

  static constexpr std::size_t longest_name = 63;  // Fortran 2018, 6.2.2

  static std::string less(std::int64_t bytes) { return bytes == 0 ? "" : " - " + std::to_string(bytes); }

  static std::int64_t first_offset(const StructPlan& plan) {
    const StructPart& first = plan.parts.front();
    return first.offset + (first.inner ? first_offset(*first.inner) : 0);
  }

  std::string level(const StructPlan& plan, const Object& object) {
    const std::string number = suffix_ + std::to_string(levels_++);
    const std::string count = std::to_string(plan.parts.size());
    std::string types, lengths, freed, addresses;
    std::size_t index = 0;
    for (const StructPart& part : plan.parts) {
      std::string type(part.basic);
      std::string name = component(object.name, part.path);
      if (part.inner) {
        const std::string base = name;
        const Object inner{base + element(part, 0), part.count > 1 ? base + element(part, 1) : "",
                           "inner" + suffix_ + std::to_string(levels_)};
        type = level(*part.inner, inner);
        declarations_ += "  type(MPI_Datatype) :: " + type + "\n";
        freed += "  call MPI_Type_free(" + type + ")\n";
        name = first_component(inner.name, *part.inner);
      }
      ++index;
      const std::string place = "places" + number + "(" + std::to_string(index) + ")";
      addresses += broken_lines("call MPI_Get_address(" + name + ", " + place + ")", {"  ", " &", '%'});
      // The first that is sent may stand behind one that is not.
      const std::string before = part.inner ? less(first_offset(*part.inner)) : "";
      if (!before.empty()) addresses += "  " + place + " = " + place + before + "\n";
      lengths += (lengths.empty() ? "" : ", ") + std::to_string(part.count);
      types += (types.empty() ? "" : ", ") + type;
    }
    declarations_ += "  type(MPI_Datatype) :: members" + number + ", types" + number + "(" + count + ")\n";
    declarations_ +=
        "  integer(MPI_ADDRESS_KIND) :: begin" + number + ", next" + number + ", places" + number + "(" + count + ")\n";
    body_ += addresses;
    statement("begin" + number + " = places" + number + "(1)" + less(plan.parts.front().offset));
    finish(plan, object, {number, types, lengths});
    body_ += freed;
    return object.type;
  }

  struct Lists {
    std::string number, types, lengths;
  };

  void finish(const StructPlan& plan, const Object& object, const Lists& lists) {
    const std::string& number = lists.number;
    statement("places" + number + " = places" + number + " - begin" + number);
    statement("types" + number + " = [" + lists.types + "]");
    statement("call MPI_Type_create_struct(" + std::to_string(plan.parts.size()) + ", [" + lists.lengths + "], places" +
              number + ", types" + number + ", members" + number + ")");
    if (object.next.empty()) {
      statement("next" + number + " = " + std::to_string(plan.size));
    } else {
      statement("call MPI_Get_address(" + first_component(object.next, plan) + ", next" + number + ")");
      statement("next" + number + " = next" + number + " - begin" + number + " - " +
                std::to_string(first_offset(plan)));
    }
    statement("call MPI_Type_create_resized(members" + number + ", 0_MPI_ADDRESS_KIND, next" + number + ", " +
              object.type + ")");
    body_ += "  call MPI_Type_free(members" + number + ")\n";
  }

  const StructText& text_;
  std::string suffix_;  // of all variables
  std::string declarations_, body_;
  int levels_ = 0;
};

}  // namespace

std::string struct_fortran_code(const StructText& text) { return Writer(text).function(); }

}  // namespace ddtscope::reporters
