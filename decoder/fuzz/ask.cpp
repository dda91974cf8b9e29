// Chooses a question; texts, names, and calls without a context.
#include <array>

#include "decoder/fuzz/questions.h"
#include "decoder/fuzz/text.h"

namespace ddtscope::fuzz {
namespace {

struct Question {
  void (*ask)(Session& session);
  bool may_search;  // for some 20 ms, many times that under a sanitizer
};
constexpr std::array<Question, 14> questions = {{
    {ask_typemap, false},
    {ask_bounds, false},
    {ask_path, false},
    {ask_elements, false},
    {ask_contents, false},
    {ask_fingerprints, false},
    {ask_match, false},
    {ask_overlap, true},
    {ask_findings, true},
    {ask_portability, false},
    {ask_normal_form, false},
    {ask_texts, false},
    {ask_notation, false},
    {ask_without_context, false},
}};

}  // namespace

std::string notation_of(Session& session, ddtscope_datatype type) {
  return text_of(session, [&](char* buffer, std::size_t size, std::size_t* length) {
    return ddtscope_bnf_text(session.context, type, nullptr, nullptr, buffer, size, length);
  });
}

void check_notation(Session& session, ddtscope_datatype type) {
  const std::string text = notation_of(session, type);
  ddtscope_datatype again = DDTSCOPE_DATATYPE_NULL;
  FUZZ_CHECK(session,
             session.succeeded(ddtscope_bnf_parse(session.context, text.data(), text.size(), &again, nullptr)));
  FUZZ_CHECK(session, again == type);
  if (session.is_another_machine) return;
  ddtscope_datatype there = DDTSCOPE_DATATYPE_NULL;
  FUZZ_CHECK(session, ddtscope_bnf_parse(session.other, text.data(), text.size(), &there, nullptr) == DDTSCOPE_SUCCESS);
  std::uint64_t here_key = 0, there_key = 0;
  FUZZ_CHECK(session, session.succeeded(ddtscope_type_get_key(session.context, type, &here_key)));
  FUZZ_CHECK(session, ddtscope_type_get_key(session.other, there, &there_key) == DDTSCOPE_SUCCESS);
  FUZZ_CHECK(session, here_key == there_key);
}

void ask_notation(Session& session) { check_notation(session, session.valid_type()); }

void ask_texts(Session& session) {
  const ddtscope_datatype type = session.any_type();
  const std::size_t limit = session.input.choice(8);
  if (session.input.one_in(4)) {
    const std::string name(session.input.text(session.input.choice(12)));
    if (session.succeeded(ddtscope_type_set_name(session.context, type, name.c_str()))) {
      const std::string got = text_of(session, [&](char* buffer, std::size_t size, std::size_t* length) {
        return ddtscope_type_get_name(session.context, type, buffer, size, length);
      });
      FUZZ_CHECK(session, name.c_str()[0] == '\0' ? !got.empty() : got == name.c_str());
    }
  }
  const std::string call = text_of(session, [&](char* buffer, std::size_t size, std::size_t* length) {
    return ddtscope_constructor_text(session.context, type, limit, buffer, size, length);
  });
  const std::string code = text_of(session, [&](char* buffer, std::size_t size, std::size_t* length) {
    return ddtscope_c_code(session.context, type, buffer, size, length);
  });
  FUZZ_CHECK(session, call.empty() == code.empty());
}

void ask_without_context(Session& session) {
  ddtscope_bounds bounds{};
  const ddtscope_datatype type = session.any_type();
  const int rule = session.any_rule();
  FUZZ_CHECK(session, ddtscope_get_bounds(nullptr, type, rule, &bounds) == DDTSCOPE_ERR_ARG);
  // Numbers that are none of the enumerations have empty names.
  const int number = session.input.int_number();
  for (const char* name : {ddtscope_error_name(number), ddtscope_combiner_name(number), ddtscope_rule_name(number),
                           ddtscope_rule_version(number), ddtscope_severity_name(number)}) {
    FUZZ_CHECK(session, name != nullptr);
  }
  const ddtscope_finding_kind* kind = ddtscope_finding_kind_at(session.input.byte());
  if (kind != nullptr) FUZZ_CHECK(session, ddtscope_find_finding_kind(kind->id) == kind);
  ddtscope_integer integer = ddtscope_integer_of(session.input.number());
  integer.high = session.input.number();
  integer.bits = session.input.one_in(8) ? session.input.int_number() : 128;
  std::array<char, 64> buffer{};
  const int status = ddtscope_integer_text(integer, buffer.data(), buffer.size(), nullptr);
  FUZZ_CHECK(session, status == DDTSCOPE_SUCCESS || (status == DDTSCOPE_ERR_ARG && integer.bits != 0 &&
                                                     integer.bits != 64 && integer.bits != 128));
}

void ask(Session& session, int& searches_left) {
  const Question& question = questions[session.input.choice(questions.size())];
  if (question.may_search && searches_left-- <= 0) return;
  question.ask(session);
}

}  // namespace ddtscope::fuzz
