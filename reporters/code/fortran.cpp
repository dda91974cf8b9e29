// Calls and programs in Fortran, with the module mpi_f08.
#include <algorithm>

#include "decoder/notation/argument_list.h"
#include "reporters/code/plan.h"

namespace ddtscope::reporters {
namespace {

constexpr std::string_view program_text =
    R"(@comments@! To build and run: mpifort this.f90 -o this && mpirun -n 1 ./this
program show_type
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only : int64
  implicit none
  integer(int64), parameter :: most = 2_int64**24
  type(MPI_Datatype) :: made
  integer(MPI_COUNT_KIND) :: size, lb, extent, true_lb, true_extent
  call MPI_Init()
  made = make_type()
  call MPI_Type_size_x(made, size)
  call MPI_Type_get_extent_x(made, lb, extent)
  call MPI_Type_get_true_extent_x(made, true_lb, true_extent)
  print '(a, i0)', 'size ', size, 'lb ', lb, 'extent ', extent, 'true lb ', true_lb, 'true extent ', true_extent
  if (size < 0 .or. size > most .or. true_extent < 0 .or. true_lb < -most .or. true_lb + true_extent > most) then
    print '(a, i0, a)', 'not packed: more than ', most, ' bytes, or as far from the buffer'
  else
    call print_packed(made, min(0_int64, int(true_lb, int64)), int(true_lb + true_extent, int64), int(size))
  end if
@free@  call MPI_Finalize()
contains
  function make_type() result(made)
    type(MPI_Datatype) :: made
@make@    made = @result@
  end function make_type

  ! Every byte of the memory gets a number of 32 bits, 8 of them in each of four turns: the packed bytes then tell which
  ! bytes of the memory they are. Bytes are counted from the buffer's address.
  subroutine print_packed(made, lowest, end, size)
    type(MPI_Datatype), intent(in) :: made
    integer(int64), intent(in) :: lowest, end
    integer, intent(in) :: size
    character, allocatable :: memory(:), packed(:)
    integer(int64), allocatable :: from(:)
    integer(int64) :: i
    integer :: room, position, turn, first, last
    call MPI_Pack_size(1, made, MPI_COMM_SELF, room)
    allocate(memory(lowest:max(0_int64, end)), packed(room + size + 1), from(size + 1))
    from = 0
    position = 0
    do turn = 0, 3
      do i = lowest, max(0_int64, end)
        memory(i) = achar(iand(shiftr(i - lowest, 8 * turn), 255_int64))
      end do
      position = 0
      call MPI_Pack(memory(0), 1, made, packed, room, position, MPI_COMM_SELF)
      do first = 1, size
        from(first) = ior(from(first), shiftl(int(iand(ichar(packed(first)), 255), int64), 8 * turn))
      end do
    end do
    ! What is left out of a basic type, such as the padding of a long double, has no number of ours.
    where (from < 0 .or. from >= max(1_int64, end) - lowest) from = -1
    print '(a, i0, a)', 'packed ', position, ' bytes'
    first = 1
    do while (first <= size)
      last = first
      do while (last < size)
        if (from(last + 1) /= merge(-1_int64, from(last) + 1, from(first) < 0)) exit
        last = last + 1
      end do
      if (from(first) < 0) then
        print '(a, i0, a, i0, a)', '  [', first - 1, ', ', last, ') padding'
      else
        print '(a, i0, a, i0, a, i0, a, i0, a)', '  [', first - 1, ', ', last, ') from [', lowest + from(first), ', ', &
            lowest + from(last) + 1, ')'
      end if
      first = last + 1
    end do
  end subroutine print_packed
end program show_type
)";

class Arguments : public ArgumentWriter {
 public:
  explicit Arguments(const CodePlan& plan) : plan_(plan) {}

  void number(std::string& text, const ArgumentKind& kind, std::int64_t value) const override {
    // Fortran has no negative literals: those of the smallest numbers do not fit.
    const bool is_long = kind.is_large() || kind.is_address();
    // An array says the kind of its elements.
    const bool is_plain = in_array_ && value == static_cast<std::int32_t>(value) && value != INT32_MIN;
    const std::string suffix = is_plain            ? ""
                               : kind.is_large()   ? "_MPI_COUNT_KIND"
                               : kind.is_address() ? "_MPI_ADDRESS_KIND"
                                                   : "";
    const bool is_smallest = value == (is_long ? INT64_MIN : INT32_MIN);
    text += is_smallest ? "(" + std::to_string(value + 1) + suffix + " - 1)" : std::to_string(value) + suffix;
  }
  void datatype(std::string& text, DefinitionId id) const override {
    const Definition& type = plan_.store[id];
    text += type.call.combiner == Combiner::named ? plan_.store.predefined()[type.predefined].name : plan_.variable(id);
  }
  void array(std::string& text, const ArgumentKind& kind, const ArrayElements& elements) override {
    const std::string type = kind.parameter == nullptr ? "MPI_Datatype"
                             : kind.is_large()         ? "integer(MPI_COUNT_KIND)"
                             : kind.is_address()       ? "integer(MPI_ADDRESS_KIND)"
                                                       : "integer";
    text += "[" + type + " :: ";
    in_array_ = true;
    elements.append_to(text);
    in_array_ = false;
    text += ']';
  }

 private:
  const CodePlan& plan_;
  bool in_array_ = false;
};

/// MPI_COUNT_KIND is MPI_ADDRESS_KIND in all libraries that there are, so that Fortran cannot tell the large form of a
/// call from the other where both have addresses alone (MPI-4.1 19.2.5).
bool has_large_form(Combiner combiner) {
  const auto parameters = row_of(combiner).parameters;
  return row_of(combiner).has_large_form &&
         std::any_of(parameters.begin(), parameters.end(),
                     [](const Parameter& parameter) { return parameter.kind == ParameterKind::count; });
}

std::string make_text(const CodePlan& plan, const std::string& indent) {
  const LineStyle style{indent, " &"};
  std::string variables;
  for (const CodeStep& step : plan.steps) variables += (variables.empty() ? "" : ", ") + plan.variable(step.made);
  std::string text = broken_lines("type(MPI_Datatype) :: " + variables, style);
  Arguments writer(plan);
  for (const CodeStep& step : plan.steps) {
    const ConstructorCall& call = plan.call(step.made);
    text += broken_lines("call " + constructor_name(call.combiner, Form::int_counts) + "(" +
                             argument_list(plan.store, step.made, writer) + ", " + plan.variable(step.made) + ")",
                         style);
    for (const DefinitionId id : step.freed) text += indent + "call MPI_Type_free(" + plan.variable(id) + ")\n";
  }
  if (plan.is_ours(plan.result)) text += indent + "call MPI_Type_commit(" + plan.variable(plan.result) + ")\n";
  return text;
}

std::string comment_lines(const CodePlan& plan) {
  std::vector<std::string> comments = plan.comments;
  bool any_large = false, any_without = false;
  for (const CodeStep& step : plan.steps) {
    const ConstructorCall& call = plan.call(step.made);
    any_large |= call.form == Form::large_counts;
    any_without |= call.form == Form::large_counts && !has_large_form(call.combiner);
  }
  if (any_large) comments.push_back("With large counts: the library must have them in mpi_f08 (MPI-4.0).");
  if (any_without) {
    comments.push_back(
        "MPI_Type_create_resized_c has no name in Fortran: the int form stands for it, the same in memory.");
  }
  std::string text;
  for (const std::string& comment : comments) text += "! " + comment + "\n";
  return text;
}

}  // namespace

std::variant<std::string, NoCode> fortran_code(const CodePlan& plan, CodeExtent extent) {
  const std::string result = plan.variable(plan.result);
  if (extent == CodeExtent::program) {
    return program_of(program_text, plan,
                      {comment_lines(plan), make_text(plan, "    "), "  call MPI_Type_free(made)\n"});
  }
  return comment_lines(plan) + "! use mpi_f08\n" + make_text(plan, "") + "\n! use " + result + " here\n\n" +
         (plan.is_ours(plan.result) ? "call MPI_Type_free(" + result + ")\n" : "! predefined: not to be freed\n");
}

}  // namespace ddtscope::reporters
