// Types from text, contents and names; and what a machine or a library says of types.
#include <array>
#include <string>
#include <vector>

#include "decoder/fuzz/session.h"
#include "decoder/fuzz/text.h"

namespace ddtscope::fuzz {
namespace {

void parse(Session& s, std::string_view text) {
  // A copy of its own size, so that the sanitizer sees a step beyond.
  const std::vector<char> copy(text.begin(), text.end());
  ddtscope_datatype type = DDTSCOPE_DATATYPE_NULL;
  std::size_t position = 0;
  if (s.succeeded(ddtscope_bnf_parse(s.context, copy.data(), copy.size(), &type, &position))) {
    s.add(type);
    check_notation(s, type);
  } else {
    FUZZ_CHECK(s, position <= copy.size());
  }
}

void parse_bytes(Session& s) { parse(s, s.input.text(s.input.byte())); }

/// The notation of a type that there is, with a few characters changed.
void parse_changed_text(Session& s) {
  std::string text = notation_of(s, s.valid_type());
  constexpr std::string_view characters = "U(),:/-*0123456789VXHSAZDCFBNLidb";
  for (std::size_t changes = s.input.choice(4); changes > 0 && !text.empty(); --changes) {
    const std::size_t at = static_cast<std::size_t>(s.input.byte() << 8 | s.input.byte()) % text.size();
    const char other = characters[s.input.choice(characters.size())];
    switch (s.input.choice(3)) {
      case 0:
        text[at] = other;
        break;
      case 1:
        text.insert(at, 1, other);
        break;
      default:
        text.erase(at, 1 + s.input.choice(4));
    }
  }
  parse(s, text);
}

void from_contents(Session& s) {
  const int combiner = s.input.one_in(16) ? s.input.int_number() : static_cast<int>(s.input.choice(21));
  const auto length = [&] { return s.input.one_in(32) ? std::size_t{0} : s.input.choice(14); };
  std::vector<int> integers(length());
  for (int& value : integers) value = s.input.int_number();
  std::vector<std::int64_t> addresses(length()), counts(s.input.one_in(2) ? length() : 0);
  for (std::int64_t& value : addresses) value = s.input.number();
  for (std::int64_t& value : counts) value = s.input.number();
  std::vector<ddtscope_datatype> datatypes(length());
  for (ddtscope_datatype& value : datatypes) value = s.any_type();
  const auto announced = [&](std::size_t size) {
    return s.input.one_in(32) ? -static_cast<std::int64_t>(size) - 1 : static_cast<std::int64_t>(size);
  };
  const std::int64_t ni = announced(integers.size());
  const std::int64_t na = announced(addresses.size());
  const std::int64_t nc = announced(counts.size());
  const std::int64_t nd = announced(datatypes.size());
  ddtscope_datatype type = DDTSCOPE_DATATYPE_NULL;
  if (s.succeeded(ddtscope_type_from_contents(s.context, combiner, ni, na, nc, nd, integers.data(), addresses.data(),
                                              counts.data(), datatypes.data(), &type))) {
    s.add(type);
  }
}

void predefined(Session& s) {
  const char* name = ddtscope_predefined_name(s.input.byte());
  if (name == nullptr) return;
  ddtscope_datatype type = DDTSCOPE_DATATYPE_NULL;
  FUZZ_CHECK(s, s.succeeded(ddtscope_predefined(s.context, name, &type)));
  s.add(type);
}

void another_machine(Session& s) {
  std::string name;
  switch (s.input.choice(3)) {
    case 0: {
      const char* known = ddtscope_predefined_name(s.input.byte());
      name = known != nullptr ? known : "MPIX_WIDE";
      break;
    }
    case 1:
      name = "F90_REAL(" + std::to_string(s.input.number()) + "," + std::to_string(s.input.number()) + ")";
      break;
    default:
      name = s.input.text(s.input.choice(20));
  }
  const std::int64_t size = s.input.number();
  const std::int64_t alignment = s.input.one_in(2) ? std::int64_t{1} << s.input.choice(8) : s.input.number();
  if (!s.succeeded(ddtscope_set_predefined(s.context, name.c_str(), size, alignment))) return;
  s.is_another_machine = true;
  ddtscope_datatype type = DDTSCOPE_DATATYPE_NULL;
  if (s.succeeded(ddtscope_predefined(s.context, name.c_str(), &type))) s.add(type);
}

void observe(Session& s) {
  const auto value = [&] {
    ddtscope_integer integer = ddtscope_integer_of(s.input.number());
    if (s.input.one_in(4)) integer.bits = s.input.one_in(8) ? s.input.int_number() : 0;
    return integer;
  };
  ddtscope_bounds bounds{};
  for (ddtscope_integer* of : {&bounds.size, &bounds.lb, &bounds.extent, &bounds.true_lb, &bounds.true_extent}) {
    *of = value();
  }
  if (s.succeeded(ddtscope_observe_bounds(s.context, s.any_type(), &bounds))) s.is_observed = true;
}

void normal_form(Session& s) {
  const ddtscope_datatype type = s.any_type();
  const int rule = s.any_rule();
  ddtscope_datatype normal = DDTSCOPE_DATATYPE_NULL;
  if (s.succeeded(ddtscope_type_normal_form(s.context, type, rule, &normal))) s.add(normal);
}

constexpr std::array<void (*)(Session&), 7> others = {
    parse_bytes, parse_changed_text, from_contents, predefined, another_machine, observe, normal_form};

}  // namespace

void make_type_otherwise(Session& session) { others[session.input.choice(others.size())](session); }

}  // namespace ddtscope::fuzz
