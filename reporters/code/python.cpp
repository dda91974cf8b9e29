// Calls and programs in Python, with mpi4py.
#include "decoder/notation/argument_list.h"
#include "decoder/notation/mpi4py_names.h"
#include "reporters/code/plan.h"

namespace ddtscope::reporters {
namespace {

constexpr std::string_view program_text = R"py(@comments@# To run: mpirun -n 1 python3 this.py
from mpi4py import MPI


def make_type():
@make@    return @result@


def print_packed(made, size, true_lb, span):
    """Every byte of the memory gets a number of 24 bits, 8 of them in each of three turns: the packed bytes then tell which
    bytes of the memory they are. Bytes are counted from the buffer's address."""
    # Python's buffers begin where the memory begins: the type is moved there.
    moved = MPI.Datatype.Create_struct([1], [-true_lb], [made])
    whole = moved.Create_resized(0, max(1, span))
    whole.Commit()
    moved.Free()
    origin = [0] * size
    position = 0
    for turn in range(3):
        memory = bytearray((i >> 8 * turn) & 255 for i in range(max(1, span)))
        packed = bytearray(whole.Pack_size(1, MPI.COMM_SELF) + size + 1)
        position = whole.Pack(memory, packed, 0, MPI.COMM_SELF)
        for i in range(size):
            origin[i] |= packed[i] << 8 * turn
    whole.Free()
    # What is left out of a basic type, such as the padding of a long double, has no number of ours.
    origin = [byte if byte < span else None for byte in origin]
    print("packed", position, "bytes")
    first = 0
    while first < size:
        last = first + 1
        while last < size and origin[last] == (None if origin[first] is None else origin[last - 1] + 1):
            last += 1
        if origin[first] is None:
            print(f"  [{first}, {last}) padding")
        else:
            print(f"  [{first}, {last}) from [{true_lb + origin[first]}, {true_lb + origin[last - 1] + 1})")
        first = last


made = make_type()
size = made.Get_size()
lb, extent = made.Get_extent()
true_lb, true_extent = made.Get_true_extent()
print(f"size {size}\nlb {lb}\nextent {extent}\ntrue lb {true_lb}\ntrue extent {true_extent}")
most = 2**24
if 0 <= size <= most and 0 <= true_extent <= most:
    print_packed(made, size, true_lb, true_extent)
else:
    print("not packed: more than", most, "bytes")
@free@)py";

class Arguments : public ArgumentWriter {
 public:
  explicit Arguments(const CodePlan& plan) : plan_(plan) {}

  bool has(const CombinerRow& row, const Parameter& parameter) const override {
    if (parameter.name == "ndims") return false;
    bool any_array = row.datatypes == DatatypeArguments::per_count;
    for (const Parameter& other : row.parameters) any_array |= other.shape != ParameterShape::scalar;
    return parameter.name != "count" || !any_array;
  }
  bool has_oldtype() const override { return false; }
  void constant(std::string& text, std::string_view mpi_name) const override { (text += "MPI.") += mpi_name.substr(4); }
  void datatype(std::string& text, DefinitionId id) const override { text += name_of(id); }
  void array(std::string& text, const ArgumentKind& /*kind*/, const ArrayElements& elements) override {
    text += '[';
    elements.append_to(text);
    text += ']';
  }
  std::string name_of(DefinitionId id) const {
    const Definition& type = plan_.store[id];
    if (type.call.combiner != Combiner::named) return plan_.variable(id);
    return "MPI." + mpi4py_type(plan_.store.predefined()[type.predefined].name).value_or("");
  }

 private:
  const CodePlan& plan_;
};

std::string make_text(const CodePlan& plan, const std::string& indent) {
  const LineStyle style{indent, ""};
  Arguments writer(plan);
  std::string text;
  for (const CodeStep& step : plan.steps) {
    const ConstructorCall& call = plan.call(step.made);
    const bool is_method = row_of(call.combiner).datatypes == DatatypeArguments::one;
    text += broken_lines(plan.variable(step.made) + " = " +
                             (is_method ? writer.name_of(call.datatypes[0]) : std::string("MPI.Datatype")) + "." +
                             mpi4py_method(call.combiner) + "(" + argument_list(plan.store, step.made, writer) + ")",
                         style);
    for (const DefinitionId id : step.freed) text += indent + plan.variable(id) + ".Free()\n";
  }
  if (plan.is_ours(plan.result)) text += indent + plan.variable(plan.result) + ".Commit()\n";
  return text;
}

std::optional<NoCode> without_name(const CodePlan& plan) {
  for (const CodeStep& step : plan.steps) {
    for (const DefinitionId oldtype : plan.call(step.made).datatypes) {
      if (plan.call(oldtype).combiner != Combiner::named) continue;
      const std::string& name = plan.store.predefined()[plan.store[oldtype].predefined].name;
      if (!mpi4py_type(name)) return NoCode{"mpi4py has no name for " + name + ": take another --language."};
    }
  }
  return std::nullopt;
}

std::string comment_lines(const CodePlan& plan) {
  std::vector<std::string> comments = plan.comments;
  bool any_large = false, any_value_index = false;
  for (const CodeStep& step : plan.steps) {
    any_large |= plan.call(step.made).form == Form::large_counts;
    any_value_index |= plan.call(step.made).combiner == Combiner::value_index;
  }
  if (any_large) comments.push_back("Made with large counts: mpi4py 4 takes them, mpi4py 3 as far as they fit an int.");
  if (any_value_index) comments.push_back("Get_value_index is of mpi4py 4.1.");
  std::string text;
  for (const std::string& comment : comments) text += "# " + comment + "\n";
  return text;
}

}  // namespace

std::variant<std::string, NoCode> python_code(const CodePlan& plan, CodeExtent extent) {
  if (auto problem = without_name(plan)) return *std::move(problem);
  const std::string result = plan.variable(plan.result);
  if (extent == CodeExtent::program) {
    return program_of(program_text, plan, {comment_lines(plan), make_text(plan, "    "), "made.Free()\n"});
  }
  return comment_lines(plan) + "from mpi4py import MPI\n\n" + make_text(plan, "") + "\n# use " + result + " here\n\n" +
         (plan.is_ours(plan.result) ? result + ".Free()\n" : "# predefined: not to be freed\n");
}

}  // namespace ddtscope::reporters
