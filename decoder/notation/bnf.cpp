// One table says how each constructor is written; printer and parser walk over it in the same steps.
#include "decoder/notation/bnf.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_set>
#include <vector>

#include "decoder/definition/named_values.h"
#include "decoder/notation/make_call.h"
#include "decoder/notation/text_cursor.h"

namespace ddtscope {
namespace {

struct Notation {
  Combiner combiner;
  std::string_view letters;
  /// Fields by the names of the constructor's parameters, ":" between them. A list ends in ",", and "/" stands
  /// between what each of its elements has.
  std::string_view fields;
};

// clang-format off
constexpr Notation notations[] = {
    {Combiner::dup, "D", "oldtype"},
    {Combiner::contiguous, "", "count:oldtype"},
    {Combiner::vector, "V", "oldtype:count:blocklength:stride"},
    {Combiner::hvector, "HV", "oldtype:count:blocklength:stride"},
    {Combiner::indexed, "X", "oldtype:count:array_of_blocklengths/array_of_displacements,"},
    {Combiner::hindexed, "HX", "oldtype:count:array_of_blocklengths/array_of_displacements,"},
    {Combiner::indexed_block, "XB", "oldtype:count:blocklength:array_of_displacements,"},
    {Combiner::hindexed_block, "HXB", "oldtype:count:blocklength:array_of_displacements,"},
    {Combiner::structure, "S", "count:oldtype/array_of_blocklengths/array_of_displacements,"},
    {Combiner::subarray, "A", "oldtype:ndims:order:array_of_sizes/array_of_subsizes/array_of_starts,"},
    {Combiner::darray, "DA", "oldtype:size:rank:ndims:order:array_of_gsizes/array_of_distribs/array_of_dargs/array_of_psizes,"},
    {Combiner::f90_real, "FR", "p:r"},
    {Combiner::f90_complex, "FC", "p:r"},
    {Combiner::f90_integer, "FI", "r"},
    {Combiner::resized, "Z", "oldtype:lb:extent"},
    {Combiner::value_index, "VI", "oldtype:oldtype"},
};
// clang-format on
static_assert(std::size(notations) == combiner_count - 1, "every constructor has its notation");

constexpr std::string_view large_form = "C";

struct Letter {
  std::string_view letter;
  std::string_view name;
};
// Those of 1995.
constexpr Letter letters_of_basic_types[] = {
    {"i", "MPI_INT"},     {"d", "MPI_DOUBLE"}, {"f", "MPI_FLOAT"},  {"c", "MPI_CHAR"},
    {"R", "MPI_REAL"},    {"b", "MPI_BYTE"},   {"P", "MPI_PACKED"}, {"LD", "MPI_LONG_DOUBLE"},
    {"L", "MPI_LOGICAL"}, {"LB", "MPI_LB"},    {"UB", "MPI_UB"},
};

/// One thing that is written: a datatype, or a value of a parameter.
struct Item {
  const Parameter* parameter = nullptr;  // nullptr for a datatype
  std::size_t slot = 0;
};

struct Field {
  std::vector<Item> items;
  bool is_list = false;
};

/// A row of the table, its names looked up.
struct Rule {
  Combiner combiner;
  std::string_view letters;
  std::string_view separator;  // between fields
  std::vector<Field> fields;
};

Item item_of(Combiner combiner, std::string_view name) {
  for (const Parameter& parameter : row_of(combiner).parameters) {
    if (parameter.name == name) {
      return {&parameter, static_cast<std::size_t>(parameter_slot(combiner, name))};
    }
  }
  return {};
}

/// What stands before the first `separator` in `rest`, which then begins after it.
std::string_view take(std::string_view& rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view taken = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return taken;
}

Rule rule_from(const Notation& notation) {
  Rule rule{notation.combiner, notation.letters, notation.letters.empty() ? "" : ":", {}};
  for (std::string_view fields = notation.fields; !fields.empty();) {
    std::string_view items = take(fields, ':');
    Field& field = rule.fields.emplace_back();
    field.is_list = items.back() == ',';
    if (field.is_list) items.remove_suffix(1);
    while (!items.empty()) field.items.push_back(item_of(notation.combiner, take(items, '/')));
  }
  return rule;
}

using Rules = std::array<Rule, combiner_count>;  // by combiner

const Rules& rules() {
  static const Rules all = [] {
    Rules result;
    for (const Notation& notation : notations) {
      result[static_cast<std::size_t>(notation.combiner)] = rule_from(notation);
    }
    return result;
  }();
  return all;
}

const Rule* rule_of_letters(std::string_view letters) {
  for (const Rule& rule : rules()) {
    if (!rule.letters.empty() && rule.letters == letters) return &rule;
  }
  return nullptr;
}

/// Where a walk over a description stands.
class Walk {
 public:
  explicit Walk(const Rule& rule) : rule_(&rule) {}

  struct Step {
    std::string_view separator;  // comes first
    const Item* item = nullptr;  // then this; nullptr for an empty list
    std::size_t element = 0;     // of a list
  };
  /// False at the end. `length` is what the count or the number of dimensions says: a list comes after it.
  bool next(std::size_t length, Step& step) {
    if (field_ == rule_->fields.size()) return false;
    const Field& field = rule_->fields[field_];
    const std::string_view before_field = field_ == 0 ? "" : rule_->separator;
    if (!field.is_list || length == 0) {
      step = {before_field, field.is_list ? nullptr : &field.items[0], 0};
      ++field_;
      return true;
    }
    step = {item_ != 0 ? "/" : element_ != 0 ? "," : before_field, &field.items[item_], element_};
    if (++item_ == field.items.size()) {
      item_ = 0;
      if (++element_ == length) ++field_;
    }
    return true;
  }

  Combiner combiner() const { return rule_->combiner; }

 private:
  const Rule* rule_;
  std::size_t field_ = 0;
  std::size_t element_ = 0;
  std::size_t item_ = 0;
};

std::string_view text_of_predefined(std::string_view name) {
  for (const Letter& basic : letters_of_basic_types) {
    if (basic.name == name) return basic.letter;
  }
  return name;
}

class Printer {
 public:
  Printer(const DefinitionStore& store, const BnfNumber& number_of) : store_(store), number_of_(number_of) {}

  std::string print(DefinitionId id) {
    begin(id);
    while (!open_.empty()) {
      Open& top = open_.back();
      const ConstructorCall& call = store_[top.id].call;
      Walk::Step step;
      if (!top.walk.next(top.length, step)) {
        text_ += ')';
        open_.pop_back();
        continue;
      }
      text_ += step.separator;
      if (step.item == nullptr) continue;
      if (step.item->parameter == nullptr) {
        begin(call.datatypes[top.datatypes++]);
        continue;
      }
      const Parameter& parameter = *step.item->parameter;
      const std::int64_t value = parameter.shape == ParameterShape::scalar ? call.scalars[step.item->slot]
                                                                           : call.arrays[step.item->slot][step.element];
      if (parameter.is_length()) top.length = static_cast<std::size_t>(value);
      const NamedValues names = named_values(parameter, store_.constants());
      if (const NamedValue* name = names.find(value)) {
        text_ += name->letter;
      } else {
        append(value);
      }
    }
    return std::move(text_);
  }

 private:
  struct Open {
    DefinitionId id;
    Walk walk;
    std::size_t length = 0;
    std::size_t datatypes = 0;
  };

  void begin(DefinitionId id) {
    const Definition& definition = store_[id];
    if (definition.call.combiner == Combiner::named) {
      text_ += text_of_predefined(store_.predefined()[definition.predefined].name);
      return;
    }
    const auto [number, is_new] = numbers_.try_emplace(id.value, numbers_.size() + 1);
    if (is_new && number_of_) number->second = number_of_(id);
    text_ += 'U';
    append(number->second);
    if (!is_new) return;
    text_ += '(';
    const Rule& rule = rules()[static_cast<std::size_t>(definition.call.combiner)];
    if (definition.call.form == Form::large_counts) {
      text_ += large_form;
      text_ += ':';
    }
    text_ += rule.letters;
    text_ += rule.separator;
    open_.push_back({id, Walk(rule)});
  }

  template <class Integer>
  void append(Integer value) {
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    text_.append(digits.data(), end);
  }

  const DefinitionStore& store_;
  const BnfNumber& number_of_;
  std::vector<Open> open_;
  std::unordered_map<std::uint32_t, std::uint64_t> numbers_;
  std::string text_;
};

class Parser {
 public:
  Parser(DefinitionStore& store, std::string_view text, const BnfEnvironment& environment)
      : store_(store), text_(text), environment_(environment) {}

  BnfResult parse() {
    if (begin_datatype()) {
      while (!open_.empty() && !result_.error) step();
      if (!result_.error && at_ != text_.size()) fail("the end of the text");
    }
    if (!result_.error) result_.type = last_;
    return std::move(result_);
  }

 private:
  /// A type whose description has begun.
  struct Open {
    std::uint64_t number;
    std::size_t position;  // of its U
    Form form;
    Walk walk;
    std::size_t length = 0;
    CallArguments arguments{};
  };

  bool fail_at(std::size_t position, std::string expected, ErrorClass error = ErrorClass::argument) {
    if (!result_.error) result_.error = BnfError{position, std::move(expected), error};
    return false;
  }
  bool fail(std::string expected) { return fail_at(at_, std::move(expected)); }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool expect(std::string_view wanted) {
    if (text_.substr(at_, wanted.size()) != wanted) return fail("\"" + std::string(wanted) + "\"");
    at_ += wanted.size();
    return true;
  }

  std::string_view word() {
    const std::string_view word = TextCursor(text_.substr(at_)).letters_here();
    at_ += word.size();
    return word;
  }

  template <class Integer>
  bool number(Integer& value, const char* what) {
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    const bool is_too_large = error == std::errc::result_out_of_range;
    if (error != std::errc()) return fail(what + std::string(is_too_large ? " of at most 64 bits" : ""));
    at_ = static_cast<std::size_t>(end - text_.data());
    return true;
  }

  bool step() {
    Open& top = open_.back();
    Walk::Step step;
    if (!top.walk.next(top.length, step)) return end_description();
    if (!expect(step.separator)) return false;
    if (step.item == nullptr) return true;
    if (step.item->parameter == nullptr) return begin_datatype();
    const Parameter& parameter = *step.item->parameter;
    std::int64_t value = 0;
    if (!parameter_value(parameter, value)) return false;
    if (parameter.is_length()) top.length = static_cast<std::size_t>(std::max<std::int64_t>(value, 0));
    if (parameter.shape == ParameterShape::scalar) {
      top.arguments.scalars[step.item->slot] = value;
    } else {
      top.arguments.arrays[step.item->slot].push_back(value);
    }
    return true;
  }

  bool parameter_value(const Parameter& parameter, std::int64_t& value) {
    const NamedValues names = named_values(parameter, store_.constants());
    for (const NamedValue& name : names) {
      if (text_.substr(at_, name.letter.size()) != name.letter) continue;
      at_ += name.letter.size();
      value = name.value;
      return true;
    }
    const bool is_state = names.begin() != names.end() && names.begin()->letter != "*";
    if (!is_state) return number(value, "a number");
    std::string letters;
    for (const NamedValue& name : names) letters += (letters.empty() ? "\"" : ", \"") + std::string(name.letter) + "\"";
    return fail("one of " + letters);
  }

  /// A datatype is either at once complete, and then an argument of the innermost open one, or becomes that.
  bool begin_datatype() {
    const std::size_t position = at_;
    const std::string_view name = word();
    if (name.size() > 1 && name[0] == 'U' && std::all_of(name.begin() + 1, name.end(), TextCursor::is_digit)) {
      std::uint64_t value = 0;
      at_ = position + 1;
      if (!number(value, "a number")) return false;
      return peek() == '(' ? begin_description(value, position) : take_numbered(value, position);
    }
    if (name.empty()) return fail("a datatype");
    std::string_view full = name;
    for (const Letter& basic : letters_of_basic_types) {
      if (basic.letter == name) full = basic.name;
    }
    const std::optional<DefinitionId> id =
        environment_.predefined ? environment_.predefined(full) : store_.find_predefined(full);
    if (!id) return fail_at(position, "the name of a predefined datatype", ErrorClass::type);
    return complete(*id);
  }

  bool begin_description(std::uint64_t value, std::size_t position) {
    if (open_numbers_.contains(value)) return fail_at(position, "another number: this type is not complete yet");
    ++at_;  // the parenthesis
    Form form = Form::int_counts;
    std::size_t begin = at_;
    std::string_view letters = word();
    if (letters == large_form && peek() == ':') {
      form = Form::large_counts;
      ++at_;
      begin = at_;
      letters = word();
    }
    const Rule* rule = TextCursor::is_digit(peek()) && letters.empty()
                           ? &rules()[static_cast<std::size_t>(Combiner::contiguous)]
                           : rule_of_letters(letters);
    if (rule == nullptr) return fail_at(begin, "a description");
    if (!expect(rule->separator)) return false;
    if (form == Form::large_counts && !row_of(rule->combiner).has_large_form) {
      return fail_at(begin, "a constructor that has a large-count form");
    }
    open_numbers_.insert(value);
    open_.push_back({value, position, form, Walk(*rule)});
    return true;
  }

  bool take_numbered(std::uint64_t value, std::size_t position) {
    if (open_numbers_.contains(value)) return fail_at(position, "a complete type: this one has itself for a part");
    const auto found = result_.numbers.find(value);
    if (found != result_.numbers.end()) return complete(found->second);
    const std::optional<DefinitionId> outside = environment_.numbered ? environment_.numbered(value) : std::nullopt;
    if (!outside) return fail_at(position, "the description of this type, in parentheses");
    return complete(*outside);
  }

  bool end_description() {
    if (!expect(")")) return false;
    Open& top = open_.back();
    const auto made = make_call(store_, top.walk.combiner(), top.form, top.arguments, environment_.f90_type);
    if (const auto* problem = std::get_if<ArgumentProblem>(&made)) {
      return fail_at(top.position,
                     "arguments that " + constructor_name(top.walk.combiner(), top.form) + " takes; " + problem->text,
                     problem->error);
    }
    const DefinitionId id = std::get<DefinitionId>(made);
    const auto [known, is_new] = result_.numbers.try_emplace(top.number, id);
    if (!is_new && known->second != id)
      return fail_at(top.position, "the same description as before, or another number");
    open_numbers_.erase(top.number);
    open_.pop_back();
    return complete(id);
  }

  bool complete(DefinitionId id) {
    if (open_.empty()) {
      last_ = id;
    } else {
      open_.back().arguments.datatypes.push_back(id);
    }
    return true;
  }

  DefinitionStore& store_;
  const std::string_view text_;
  const BnfEnvironment& environment_;
  std::size_t at_ = 0;
  std::vector<Open> open_;
  std::unordered_set<std::uint64_t> open_numbers_;
  DefinitionId last_;
  BnfResult result_;
};

}  // namespace

std::string bnf_text(const DefinitionStore& store, DefinitionId id, const BnfNumber& number_of) {
  return Printer(store, number_of).print(id);
}

BnfResult parse_bnf(DefinitionStore& store, std::string_view text, const BnfEnvironment& environment) {
  return Parser(store, text, environment).parse();
}

}  // namespace ddtscope
