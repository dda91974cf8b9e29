// Calls and programs in C.
#include <utility>

#include "decoder/notation/constructor_code.h"
#include "reporters/code/plan.h"

namespace ddtscope::reporters {
namespace {

// Longer arrays would take too much of the stack.
constexpr std::size_t longest_literal = 1000;

constexpr std::string_view program_text = R"(/* @comments@
   To build and run: mpicc this.c -o this && mpirun -n 1 ./this */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static MPI_Datatype make_type(void) {
@make@  return @result@;
}

/* Every byte of the memory gets a number of 24 bits, 8 of them in each of three turns: the packed bytes then tell which bytes
   of the memory they are. Bytes are counted from the buffer's address. */
static void print_packed(MPI_Datatype type, long long true_lb, long long span, int size) {
  int room, position = 0, turn, first, last;
  long long i;
  MPI_Pack_size(1, type, MPI_COMM_SELF, &room);
  unsigned char *memory = calloc((size_t)span + 1, 1), *packed = calloc((size_t)room + (size_t)size + 1, 1);
  long long *from = calloc((size_t)size + 1, sizeof *from);
  for (turn = 0; turn < 3; ++turn) {
    for (i = 0; i < span; ++i) memory[i] = (unsigned char)(i >> (8 * turn));
    position = 0;
    MPI_Pack(memory - true_lb, 1, type, packed, room, &position, MPI_COMM_SELF);
    for (i = 0; i < size; ++i) from[i] |= (long long)packed[i] << (8 * turn);
  }
  printf("packed %d bytes\n", position);
  /* What is left out of a basic type, such as the padding of a long double, has no number of ours. */
  for (i = 0; i < size; ++i) from[i] = from[i] < span ? from[i] : -1;
  for (first = 0; first < size; first = last) {
    for (last = first + 1; last < size && from[last] == (from[first] < 0 ? -1 : from[last - 1] + 1); ++last) continue;
    if (from[first] < 0) {
      printf("  [%d, %d) padding\n", first, last);
    } else {
      printf("  [%d, %d) from [%lld, %lld)\n", first, last, true_lb + from[first], true_lb + from[last - 1] + 1);
    }
  }
  free(memory);
  free(packed);
  free(from);
}

int main(int argc, char **argv) {
  const long long most = 1 << 24;
  MPI_Count size, lb, extent, true_lb, true_extent;
  MPI_Init(&argc, &argv);
  MPI_Datatype type = make_type();
#if MPI_VERSION >= 4
  MPI_Type_size_c(type, &size);
  MPI_Type_get_extent_c(type, &lb, &extent);
  MPI_Type_get_true_extent_c(type, &true_lb, &true_extent);
#else
  MPI_Type_size_x(type, &size);
  MPI_Type_get_extent_x(type, &lb, &extent);
  MPI_Type_get_true_extent_x(type, &true_lb, &true_extent);
#endif
  printf("size %lld\nlb %lld\nextent %lld\ntrue lb %lld\ntrue extent %lld\n", (long long)size, (long long)lb,
         (long long)extent, (long long)true_lb, (long long)true_extent);
  if (size < 0 || size > most || true_extent < 0 || true_extent > most) {
    printf("not packed: more than %lld bytes\n", most);
  } else {
    print_packed(type, (long long)true_lb, (long long)true_extent, (int)size);
  }
@free@  MPI_Finalize();
  return 0;
}
)";

class Arguments : public CArguments {
 public:
  using CArguments::CArguments;
  void array(std::string& text, const ArgumentKind& kind, const ArrayElements& elements) override {
    if (elements.length() <= longest_literal || kind.parameter == nullptr) {
      CArguments::array(text, kind, elements);
      return;
    }
    const std::string name = "a" + std::to_string(++arrays_);
    std::string declaration = "static const " + element_type(kind) + " " + name + "[] = {";
    elements.append_to(declaration);
    declarations_ += broken_lines(declaration + "};", {"  ", ""});
    text += name;
  }
  std::string take_declarations() { return std::exchange(declarations_, {}); }

 private:
  std::string declarations_;
  int arrays_ = 0;
};

std::string make_text(const CodePlan& plan) {
  std::string variables;
  for (const CodeStep& step : plan.steps) variables += (variables.empty() ? "" : ", ") + plan.variable(step.made);
  std::string text = broken_lines("MPI_Datatype " + variables + ";", {"  ", ""});
  Arguments writer(plan.store, plan.variable);
  for (const CodeStep& step : plan.steps) {
    const std::string statement = constructor_statement(plan.store, step.made, writer, plan.variable(step.made));
    text += writer.take_declarations() + broken_lines(statement, {"  ", ""});
    for (const DefinitionId id : step.freed) text += "  MPI_Type_free(&" + plan.variable(id) + ");\n";
  }
  return text;
}

std::string commit_text(const CodePlan& plan) {
  return plan.is_ours(plan.result) ? "  MPI_Type_commit(&" + plan.variable(plan.result) + ");\n" : "";
}

std::string without_indent(const std::string& text) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin) + 1;
    result += text.substr(begin + 2, end - begin - 2);
    begin = end;
  }
  return result;
}

}  // namespace

std::variant<std::string, NoCode> c_code(const CodePlan& plan, CodeExtent extent) {
  std::string comments;
  for (const std::string& line : plan.comments) comments += (comments.empty() ? "" : "\n   ") + line;
  const std::string result = plan.variable(plan.result);
  if (extent == CodeExtent::program) {
    return program_of(program_text, plan, {comments, make_text(plan) + commit_text(plan), "  MPI_Type_free(&type);\n"});
  }
  return "/* " + comments + " */\n" + without_indent(make_text(plan) + commit_text(plan)) + "\n/* use " + result +
         " here */\n\n" +
         (plan.is_ours(plan.result) ? "MPI_Type_free(&" + result + ");\n" : "/* predefined: not to be freed */\n");
}

std::variant<std::string, NoCode> c_function_of(const DefinitionStore& store, DefinitionId type,
                                                std::string_view function) {
  const std::string head = "static MPI_Datatype " + std::string(function) + "(void) {\n";
  const NameOldtype variable = [](DefinitionId id) { return "t" + std::to_string(id.value); };
  const auto planned = plan_of({store, type, variable, [](DefinitionId) { return std::string("the type"); }});
  if (const auto* problem = std::get_if<NoCode>(&planned)) return *problem;
  const CodePlan& plan = std::get<CodePlan>(planned);
  if (!plan.steps.empty()) return head + make_text(plan) + "  return " + variable(type) + ";\n}\n";
  const std::string& name = store.predefined()[store[type].predefined].name;
  if (find_predefined_name(name) == nullptr) return NoCode{"it is " + name + ", which no program can name."};
  return head + "  return " + name + ";\n}\n";
}

}  // namespace ddtscope::reporters
