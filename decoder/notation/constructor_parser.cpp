// A descent over the text, one function for each line of the grammar.
#include "decoder/notation/constructor_parser.h"

#include <charconv>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "decoder/definition/named_values.h"
#include "decoder/definition/this_machine.h"
#include "decoder/notation/make_call.h"
#include "decoder/notation/mpi4py_names.h"
#include "decoder/notation/text_cursor.h"

namespace ddtscope {
namespace {

// Calls within calls: each takes some of the stack.
constexpr int deepest_nesting = 500;

enum class Spelling : std::uint8_t { standard, mpi4py };

/// One argument of a call.
struct Slot {
  std::string_view name;                 // the standard's
  const Parameter* parameter = nullptr;  // nullptr: datatypes
  std::size_t index = 0;                 // among the scalars or among the arrays
  bool is_array = false;
  bool is_optional = false;
  std::size_t place = std::string_view::npos;  // in the text, once it was read
  std::vector<std::size_t> elements = {};      // the same of an array's
  bool is_read() const { return place != std::string_view::npos; }
};

void add_datatypes(const CombinerRow& row, std::vector<Slot>& slots) {
  switch (row.datatypes) {
    case DatatypeArguments::none:
      return;
    case DatatypeArguments::one:
      slots.push_back({"oldtype"});
      return;
    case DatatypeArguments::two:
      slots.push_back({"value_type"});
      slots.push_back({"index_type"});
      return;
    case DatatypeArguments::per_count:
      slots.push_back({"array_of_types", nullptr, 0, true});
      return;
  }
}

bool has_arrays(const CombinerRow& row) {
  bool any = row.datatypes == DatatypeArguments::per_count;
  for (const Parameter& parameter : row.parameters) any |= parameter.shape != ParameterShape::scalar;
  return any;
}

/// A Python list knows its length, and the oldtype is the object whose method is called.
std::vector<Slot> slots_of(Combiner combiner, Spelling spelling) {
  const CombinerRow& row = row_of(combiner);
  const bool is_method = spelling == Spelling::mpi4py;
  std::vector<Slot> slots;
  const bool oldtype_first = combiner == Combiner::resized;
  if (oldtype_first && !is_method) add_datatypes(row, slots);
  for (const Parameter& parameter : row.parameters) {
    if (is_method && parameter.is_length() && has_arrays(row)) continue;
    slots.push_back({parameter.name, &parameter, static_cast<std::size_t>(parameter_slot(combiner, parameter.name)),
                     parameter.shape != ParameterShape::scalar, is_method && parameter.name == "order"});
  }
  if (!oldtype_first && !(is_method && row.datatypes == DatatypeArguments::one)) add_datatypes(row, slots);
  return slots;
}

struct ReadCall {
  Combiner combiner;
  Form form;
  Spelling spelling;
  std::size_t place;
  std::string name;  // as the text has it
  std::vector<Slot> slots = {};
  CallArguments arguments = {};
};

std::optional<std::pair<Combiner, Form>> constructor_of(std::string_view word) {
  const std::string name = in_upper_case(word);
  if (name == "MPI_TYPE_HVECTOR") return std::pair(Combiner::hvector, Form::int_counts);
  if (name == "MPI_TYPE_HINDEXED") return std::pair(Combiner::hindexed, Form::int_counts);
  if (name == "MPI_TYPE_STRUCT") return std::pair(Combiner::structure, Form::int_counts);
  for (int i = 1; i < combiner_count; ++i) {
    for (const Form form : {Form::int_counts, Form::large_counts}) {
      const auto combiner = static_cast<Combiner>(i);
      if (in_upper_case(constructor_name(combiner, form)) == name) return std::pair(combiner, form);
    }
  }
  return std::nullopt;
}

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

class CallParser {
 public:
  CallParser(DefinitionStore& store, std::string_view text) : store_(store), cursor_(text) {}

  std::variant<DefinitionId, CallTextError> parse() {
    do {
      if (!statement()) return *error_;
      while (cursor_.take(";")) {
      }
    } while (!cursor_.at_end());
    if (!last_) fail(0, "no datatype is made");
    if (error_) return *error_;
    return *last_;
  }

 private:
  bool fail(std::size_t place, std::string sentence) {
    if (!error_) error_ = CallTextError{place, std::move(sentence)};
    return false;
  }
  std::nullopt_t no_type(std::size_t place, std::string sentence) {
    fail(place, std::move(sentence));
    return std::nullopt;
  }

  /// A call that makes a type; one that commits or frees it changes nothing here.
  bool statement() {
    const std::size_t begin = cursor_.place();
    const std::string_view word = cursor_.word();
    if (is_same_in_any_case(word, "call") && !cursor_.starts_with("(")) return statement();
    if (is_same_in_any_case(word, "MPI_Type_commit") || is_same_in_any_case(word, "MPI_Type_free")) {
      const std::size_t end = cursor_.rest().find(')');
      if (end == std::string_view::npos) return fail(begin, "the call is not closed");
      cursor_.skip(end + 1);
      return true;
    }
    const bool is_assignment = !word.empty() && cursor_.take("=");
    if (!is_assignment) cursor_.go_to(begin);
    last_ = type();
    if (!last_) return false;
    if (is_assignment) variables_[std::string(word)] = *last_;
    const char next = cursor_.at_end() ? ';' : cursor_.rest().front();
    return next == ';' || TextCursor::is_letter(next) || fail(cursor_.place(), "the end of the call is expected");
  }

  std::optional<DefinitionId> type() {
    if (depth_ == deepest_nesting) {
      return no_type(cursor_.place(), "more than " + std::to_string(deepest_nesting) +
                                          " calls stand within each other: write the types one after the other");
    }
    ++depth_;
    std::optional<DefinitionId> id = first_type();
    while (id && cursor_.take(".")) id = method(id);
    --depth_;
    return id;
  }

  std::optional<DefinitionId> first_type() {
    const std::size_t begin = cursor_.place();
    const std::string_view name = cursor_.word();
    if (name == "MPI" && cursor_.take(".")) return type_of_mpi4py();
    if (cursor_.starts_with("(")) {
      const auto constructor = constructor_of(name);
      if (!constructor) {
        return no_type(begin, name.empty() ? "a datatype is expected"
                                           : quoted(name) +
                                                 " is no constructor of datatypes; one is expected, such as "
                                                 "MPI_Type_vector");
      }
      return call({constructor->first, constructor->second, Spelling::standard, begin, std::string(name)},
                  std::nullopt);
    }
    if (const auto variable = variables_.find(name); variable != variables_.end()) return variable->second;
    return predefined(begin, name, in_upper_case(name));
  }

  /// What stands behind "MPI.".
  std::optional<DefinitionId> type_of_mpi4py() {
    const std::size_t begin = cursor_.place();
    const std::string_view name = cursor_.word();
    if (name != "Datatype") return predefined(begin, name, standard_name_of_mpi4py(name));
    if (!cursor_.take(".")) return no_type(cursor_.place(), "a method of MPI.Datatype is expected");
    return method(std::nullopt);
  }

  std::optional<DefinitionId> method(std::optional<DefinitionId> oldtype) {
    const std::size_t begin = cursor_.place();
    const std::string_view name = cursor_.word();
    if (name == "Commit" && oldtype) {
      return cursor_.take("(") && cursor_.take(")") ? oldtype : no_type(begin, "Commit takes no arguments");
    }
    const std::optional<Combiner> combiner = combiner_of_mpi4py_method(name);
    if (!combiner) return no_type(begin, quoted(name) + " is no method of mpi4py that makes a datatype");
    const bool needs_oldtype = row_of(*combiner).datatypes == DatatypeArguments::one;
    if (needs_oldtype && !oldtype) return no_type(begin, quoted(name) + " is a method of the oldtype, MPI.INT say");
    return call({*combiner, Form::int_counts, Spelling::mpi4py, begin, std::string(name)},
                needs_oldtype ? oldtype : std::nullopt);
  }

  std::optional<DefinitionId> predefined(std::size_t place, std::string_view name, std::string_view standard_name) {
    const bool is_id = name.size() > 1 && name[0] == 'T' && name.find_first_not_of("0123456789", 1) == name.npos;
    if (name.empty()) return no_type(place, "a datatype is expected");
    if (is_id) return no_type(place, std::string(name) + " is a type of a trace: write its constructor call here");
    if (const auto id = add_predefined_type(store_, standard_name)) return id;
    return no_type(place, quoted(name) + " is no predefined datatype, and no type that was made before");
  }

  std::optional<DefinitionId> call(ReadCall call, std::optional<DefinitionId> oldtype) {
    call.slots = slots_of(call.combiner, call.spelling);
    if (oldtype) call.arguments.datatypes.push_back(*oldtype);
    for (const Parameter& parameter : row_of(call.combiner).parameters) {
      if (parameter.name == "order") call.arguments.scalars[slot_of(call, parameter)] = store_.constants().order_c;
    }
    std::string_view newtype;
    if (!arguments(call, newtype) || !check_lengths(call)) return std::nullopt;
    if (call.spelling == Spelling::mpi4py) call.form = form_for(call);
    const auto made = make_call(store_, call.combiner, call.form, call.arguments);
    if (const auto* problem = std::get_if<ArgumentProblem>(&made)) {
      std::string_view text = problem->text;
      const std::string combiner = std::string(row_of(call.combiner).mpi_name) + ": ";
      if (text.starts_with(combiner)) text.remove_prefix(combiner.size());
      return no_type(place_of(text, call), std::string(text));
    }
    const DefinitionId id = std::get<DefinitionId>(made);
    if (!newtype.empty()) variables_[std::string(newtype)] = id;
    return id;
  }

  static std::size_t slot_of(const ReadCall& call, const Parameter& parameter) {
    return static_cast<std::size_t>(parameter_slot(call.combiner, parameter.name));
  }

  bool arguments(ReadCall& call, std::string_view& newtype) {
    if (!cursor_.take("(")) return fail(cursor_.place(), "the arguments of " + call.name + " are expected");
    bool is_first = true;
    while (!cursor_.take(")")) {
      if (!is_first && !cursor_.take(",")) return fail(cursor_.place(), "a comma or the end of the call is expected");
      is_first = false;
      Slot* slot = nullptr;
      if (!slot_by_name(call, slot)) return false;
      for (Slot& next : call.slots) {
        if (slot == nullptr && !next.is_read()) slot = &next;
      }
      if (!(slot != nullptr ? argument(call, *slot) : take_newtype(call, newtype))) return false;
    }
    for (const Slot& slot : call.slots) {
      if (!slot.is_read() && !slot.is_optional) {
        return fail(cursor_.place() - 1, std::string(slot.name) + " is missing; " + call.name + takes(call));
      }
    }
    return true;
  }

  static std::string takes(const ReadCall& call) {
    std::string text = " takes (";
    for (const Slot& slot : call.slots) {
      text += (&slot == call.slots.data() ? "" : ", ") + std::string(slot.name);
    }
    return text + ")";
  }

  /// "count=", where such a name stands there. False where it is no parameter of the call.
  bool slot_by_name(ReadCall& call, Slot*& slot) {
    const std::size_t begin = cursor_.place();
    const std::string_view name = cursor_.word();
    if (name.empty() || !cursor_.take("=")) {
      cursor_.go_to(begin);
      return true;
    }
    for (Slot& known : call.slots) {
      if (name == known.name || is_mpi4py_parameter(name, known.name)) slot = &known;
    }
    if (slot == nullptr) return fail(begin, quoted(name) + " is no parameter; " + call.name + takes(call));
    return !slot->is_read() || fail(begin, std::string(slot->name) + " is given twice");
  }

  /// The variable that gets the type, and Fortran's ierror behind it.
  bool take_newtype(const ReadCall& call, std::string_view& newtype) {
    const std::size_t begin = cursor_.place();
    const bool is_address = cursor_.take("&");
    const std::string_view word = cursor_.word();
    const bool is_type = find_predefined_name(in_upper_case(word)) != nullptr || cursor_.starts_with("(");
    if (word.empty() || is_type || call.spelling == Spelling::mpi4py || (!newtype.empty() && is_address)) {
      return fail(begin, "the end of the call is expected; " + call.name + takes(call));
    }
    if (newtype.empty()) newtype = word;
    return true;
  }

  bool argument(ReadCall& call, Slot& slot) {
    slot.place = cursor_.place();
    CallArguments& arguments = call.arguments;
    if (slot.parameter == nullptr) {
      const auto datatype = [&] {
        slot.elements.push_back(cursor_.place());
        const std::optional<DefinitionId> id = type();
        if (id) arguments.datatypes.push_back(*id);
        return id.has_value();
      };
      return slot.is_array ? array(slot, datatype) : datatype();
    }
    if (!slot.is_array) return value(*slot.parameter, arguments.scalars[slot.index]);
    return array(slot, [&] {
      slot.elements.push_back(cursor_.place());
      return value(*slot.parameter, arguments.arrays[slot.index].emplace_back());
    });
  }

  template <class Element>
  bool array(const Slot& slot, Element element) {
    if (cursor_.starts_with("(") && !cursor_.starts_with("(/")) {  // "(int[])"
      const std::string_view cast = cursor_.rest().substr(0, cursor_.rest().find(')'));
      if (cast.find("[]") != cast.npos) cursor_.skip(cast.size() + 1);
    }
    const std::string_view close = cursor_.take("{") ? "}" : cursor_.take("(/") ? "/)" : cursor_.take("[") ? "]" : "";
    if (close.empty()) {
      return fail(cursor_.place(), std::string(slot.name) + " is an array: write its values in braces, {1, 2, 3}");
    }
    // Fortran's "[integer(MPI_ADDRESS_KIND) :: 0, 8]"
    const std::string_view first = cursor_.rest().substr(0, cursor_.rest().find_first_of(",]"));
    if (const std::size_t colons = first.find("::"); colons != first.npos) cursor_.skip(colons + 2);
    if (cursor_.take(close)) return true;
    do {
      if (cursor_.starts_with("...")) {
        return fail(cursor_.place(), "the array was cut here when it was printed, and all its values are needed");
      }
      if (!element()) return false;
    } while (cursor_.take(","));
    return cursor_.take(close) || fail(cursor_.place(), "a comma or \"" + std::string(close) + "\" is expected");
  }

  bool value(const Parameter& parameter, std::int64_t& sum) {
    const std::size_t begin = cursor_.place();
    if (!product(parameter, sum)) return false;
    for (;;) {
      const bool is_plus = cursor_.take("+");
      std::int64_t more = 0;
      if (!is_plus && !cursor_.take("-")) return true;
      if (!product(parameter, more)) return false;
      if (is_plus ? __builtin_add_overflow(sum, more, &sum) : __builtin_sub_overflow(sum, more, &sum)) {
        return fail(begin, "the sum does not fit 64 bits");
      }
    }
  }

  bool product(const Parameter& parameter, std::int64_t& result) {
    const std::size_t begin = cursor_.place();
    if (!number(parameter, result)) return false;
    while (cursor_.take("*")) {
      std::int64_t factor = 0;
      if (!number(parameter, factor)) return false;
      if (__builtin_mul_overflow(result, factor, &result)) return fail(begin, "the product does not fit 64 bits");
    }
    return true;
  }

  bool number(const Parameter& parameter, std::int64_t& result) {
    cursor_.take("+");
    const std::size_t begin = cursor_.place();
    const std::string_view rest = cursor_.rest();
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), result);
    if (error == std::errc::invalid_argument) return constant(parameter, result);
    if (error != std::errc()) return fail(begin, "the number does not fit 64 bits");
    cursor_.skip(static_cast<std::size_t>(end - rest.data()));
    // C's suffix or Fortran's kind.
    const std::string_view suffix = cursor_.letters_here();
    const bool is_suffix = suffix.find_first_not_of("lLuU") == suffix.npos || suffix.starts_with('_');
    return is_suffix || fail(begin, parameter_name(parameter) + ": a number is expected");
  }

  static std::string parameter_name(const Parameter& parameter) { return std::string(parameter.name); }

  bool constant(const Parameter& parameter, std::int64_t& result) {
    const std::size_t begin = cursor_.place();
    std::string_view word = cursor_.word();
    const bool is_of_mpi4py = word == "MPI" && cursor_.take(".");
    if (is_of_mpi4py) word = cursor_.word();
    const std::string name = (is_of_mpi4py ? "MPI_" : "") + in_upper_case(word);
    std::string list;
    for (const NamedValue& known : named_values(parameter, store_.constants())) {
      if (known.mpi_name == name) {
        result = known.value;
        return true;
      }
      list += " or " + std::string(known.mpi_name);
    }
    const std::string expected = parameter_name(parameter) + ": a number" + list + " is expected";
    if (word.empty()) return fail(begin, expected);
    return fail(begin, expected + ", but what " + quoted(word) + " stands for is not known here");
  }

  /// Arrays are as long as the count says, which a Python list says itself. C has no empty array: with a count of 0
  /// there may be something in it.
  bool check_lengths(ReadCall& call) {
    std::optional<std::int64_t> length;
    const char* length_name = "";
    for (const Parameter& parameter : row_of(call.combiner).parameters) {
      if (!parameter.is_length() || call.spelling == Spelling::mpi4py) continue;
      length = call.arguments.scalars[slot_of(call, parameter)];
      length_name = parameter.name.data();
    }
    if (length && *length < 0) return true;  // is told as that
    for (Slot& slot : call.slots) {
      if (!slot.is_array) continue;
      const auto elements = static_cast<std::int64_t>(slot.elements.size());
      if (length == 0) clear(call, slot);
      if (length && *length != 0 && elements != *length) {
        return fail(slot.place, std::string(slot.name) + " has " + std::to_string(elements) + " values, but " +
                                    (call.spelling == Spelling::mpi4py ? "the first array has "
                                                                       : length_name + std::string(" is ")) +
                                    std::to_string(*length));
      }
      if (!length) length = elements;
    }
    if (call.spelling != Spelling::mpi4py || !has_arrays(row_of(call.combiner))) return true;
    for (const Parameter& parameter : row_of(call.combiner).parameters) {
      if (parameter.is_length()) call.arguments.scalars[slot_of(call, parameter)] = length.value_or(0);
    }
    return true;
  }

  static void clear(ReadCall& call, const Slot& slot) {
    if (slot.parameter == nullptr) {
      call.arguments.datatypes.clear();
    } else {
      call.arguments.arrays[slot.index].clear();
    }
  }

  /// mpi4py takes the large form where the int form has no room.
  static Form form_for(const ReadCall& call) {
    bool is_large = false;
    const auto see = [&](const Parameter& parameter, std::int64_t value) {
      is_large |= parameter.kind == ParameterKind::count && value != static_cast<std::int32_t>(value);
    };
    for (const Parameter& parameter : row_of(call.combiner).parameters) {
      const std::size_t index = slot_of(call, parameter);
      if (parameter.shape == ParameterShape::scalar) {
        see(parameter, call.arguments.scalars[index]);
      } else {
        for (const std::int64_t value : call.arguments.arrays[index]) see(parameter, value);
      }
    }
    return is_large && row_of(call.combiner).has_large_form ? Form::large_counts : Form::int_counts;
  }

  /// Sentences about an argument begin with its name, and with the element's number: "array_of_starts[1] (7) ...".
  static std::size_t place_of(std::string_view text, const ReadCall& call) {
    for (const Slot& slot : call.slots) {
      if (!slot.is_read() || !text.starts_with(slot.name)) continue;
      const std::string_view behind = text.substr(slot.name.size());
      std::size_t element = 0;
      if (behind.starts_with(' ')) return slot.place;
      if (!behind.starts_with('[')) continue;
      std::from_chars(behind.data() + 1, behind.data() + behind.size(), element);
      return element < slot.elements.size() ? slot.elements[element] : slot.place;
    }
    return call.place;
  }

  DefinitionStore& store_;
  TextCursor cursor_;
  int depth_ = 0;
  std::map<std::string, DefinitionId, std::less<>> variables_;
  std::optional<DefinitionId> last_;
  std::optional<CallTextError> error_;
};

}  // namespace

std::variant<DefinitionId, CallTextError> parse_constructor_call(DefinitionStore& store, std::string_view text) {
  return CallParser(store, text).parse();
}

}  // namespace ddtscope
