// A struct's datatype in C, and in C++.
#include <string>

#include "reporters/code/plan.h"
#include "reporters/code/struct_code.h"

namespace ddtscope::reporters {
namespace {

class Writer {
 public:
  explicit Writer(const StructText& text)
      : text_(text),
        of_(has_comma() ? "record" : text.record.spelling),
        suffix_(suffix_beside(of_, {"lengths", "places", "types", "members", "type"})) {}

  std::string function() {
    std::string code = "/* " + text_.comments.front();
    for (std::size_t i = 1; i < text_.comments.size(); ++i) code += "\n   " + text_.comments[i];
    code += " */\n#include <mpi.h>\n#include <stddef.h>\n\n" + function_head() + "(void) {\n";
    // offsetof is a macro: it would take the type for two arguments.
    if (has_comma()) code += "  using record = " + text_.record.spelling + ";\n";
    code += std::string("  ") + (is_cxx() ? "static_assert" : "_Static_assert") + "(sizeof(" + of_ +
            ") == " + std::to_string(text_.plan.size) + ", \"not the struct that was compiled\");\n";
    const std::string type = level(text_.plan, {});
    return code + body_ + "  MPI_Type_commit(&" + type + ");\n  return " + type + ";\n}\n";
  }

 private:
  bool has_comma() const { return text_.record.spelling.find(',') != std::string::npos; }
  bool is_cxx() const { return text_.record.language == SourceLanguage::cxx; }

  std::string function_head() const {
    std::string name;
    for (const char c : text_.record.name) {
      const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
      if (is_plain || (!name.empty() && name.back() != '_')) name += is_plain ? c : '_';
    }
    return std::string("/* The caller frees it. */\nMPI_Datatype make_") + name;
  }

  std::string designator(const std::vector<std::string>& path) const { return path_text(path, '.', "[0]"); }

  /// Where a part lies: by name, or by number where the language does not let it be named.
  std::string place(const StructPart& part, const std::vector<std::string>& base) const {
    const bool is_named = !part.path.empty() && !part.is_bytes && !text_.record.type->record()->hides_members;
    if (!is_named) {
      return std::to_string(part.offset) + (part.path.empty() ? "" : " /* " + designator(part.path) + " */");
    }
    std::vector<std::string> whole = base;
    whole.insert(whole.end(), part.path.begin(), part.path.end());
    const std::string own = "offsetof(" + of_ + ", " + designator(whole) + ")";
    return base.empty() ? own : own + " - offsetof(" + of_ + ", " + designator(base) + ")";
  }

  std::string size(const StructPlan& plan, const std::vector<std::string>& base) const {
    if (base.empty()) return "sizeof(" + of_ + ")";
    if (text_.record.type->record()->hides_members) return std::to_string(plan.size);
    return "sizeof(((" + of_ + " *)0)->" + designator(base) + ")";
  }

  /// The variable of the type that is made of a record, whose first element `base` names within the whole.
  std::string level(const StructPlan& plan, const std::vector<std::string>& base) {
    std::string lengths, types, freed;
    std::vector<std::string> places;
    for (const StructPart& part : plan.parts) {
      std::string type(part.basic);
      if (part.inner) {
        std::vector<std::string> path = base;
        path.insert(path.end(), part.path.begin(), part.path.end());
        path.resize(path.size() + part.dimensions.size());
        type = level(*part.inner, path);
        freed += "  MPI_Type_free(&" + type + ");\n";
      }
      const std::string comma = types.empty() ? "" : ", ";
      lengths += comma + std::to_string(part.count);
      places.push_back(place(part, base));
      types += comma + type;
    }
    const std::string number = suffix_ + (base.empty() ? "" : std::to_string(++levels_));  // of what is inside
    std::string type = "type" + number;
    const std::string packed = "members" + number;
    body_ += broken_lines("const int lengths" + number + "[] = {" + lengths + "};", {"  ", ""});
    body_ += "  const MPI_Aint places" + number + "[] = {\n";
    for (const std::string& place : places) body_ += "      " + place + ",\n";
    body_ += "  };\n" + broken_lines("const MPI_Datatype types" + number + "[] = {" + types + "};", {"  ", ""});
    body_ += "  MPI_Datatype " + packed + ", " + type + ";\n";
    body_ += "  MPI_Type_create_struct(" + std::to_string(plan.parts.size()) + ", lengths" + number + ", places" +
             number + ", types" + number + ", &" + packed + ");\n";
    body_ += "  MPI_Type_create_resized(" + packed + ", 0, " + size(plan, base) + ", &" + type + ");\n";
    body_ += "  MPI_Type_free(&" + packed + ");\n" + freed;
    return type;
  }

  const StructText& text_;
  std::string of_;      // "struct particle"
  std::string suffix_;  // of all variables
  std::string body_;
  int levels_ = 0;
};

}  // namespace

std::string struct_c_code(const StructText& text) { return Writer(text).function(); }

}  // namespace ddtscope::reporters
