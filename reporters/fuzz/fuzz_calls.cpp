// Constructor calls of any kind: they are refused with a place in the text, or make a type that is written and read
// again as the same one, and as source text of all languages, with nothing of theirs in it that ends a comment.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "decoder/notation/bnf.h"
#include "decoder/notation/constructor_code.h"
#include "decoder/notation/constructor_parser.h"
#include "reporters/code/code.h"
#include "reporters/model/job_of_text.h"

namespace ddtscope::reporters::fuzz {
namespace {

constexpr std::size_t longest = 20000;  // shared parts are spelt each time

[[noreturn]] void stumble(const char* what, const std::string& text) {
  std::fprintf(stderr, "%s: %s\n", what, text.c_str());
  std::abort();
}

void read_again(Job& job, DefinitionId id) {
  std::size_t written = 0;
  const std::function<std::string(DefinitionId)> text_of = [&](DefinitionId part) {
    if (written > longest) return std::string("MPI_INT");
    const std::string text = constructor_call_text(job.store, part, text_of, SIZE_MAX);
    written += text.size();
    return text;
  };
  const std::string text = text_of(id);
  if (written > longest) return;
  const auto again = parse_constructor_call(job.store, text);
  const auto* read = std::get_if<DefinitionId>(&again);
  if (read == nullptr || *read != id) stumble("written, and read otherwise", text);
  const BnfResult notation = parse_bnf(job.store, bnf_text(job.store, id));
  if (notation.error || notation.type != id) stumble("the short notation is another type", bnf_text(job.store, id));
}

void write_code(const Job& job, TypeNumber type) {
  for (const Language language : {Language::c, Language::fortran, Language::python}) {
    for (const CodeExtent extent : {CodeExtent::calls, CodeExtent::program}) {
      const auto code = code_of(job, {type, language, extent});
      const auto* text = std::get_if<std::string>(&code);
      if (text != nullptr && text->find('@') != text->npos) stumble("not all is filled in", *text);
    }
  }
}

void run(const std::string& text) {
  const auto made = job_of_text(text, BoundsRule::standard);
  if (const auto* problem = std::get_if<TextProblem>(&made)) {
    if (problem->sentence.empty()) stumble("refused without a word", text);
    if (!problem->excerpt.empty() && !problem->excerpt.ends_with("^\n")) stumble("no place", problem->excerpt);
    for (const char c : problem->excerpt) {
      if ((c < ' ' || c > '~') && c != '\n') stumble("not printable", problem->excerpt);
    }
    return;
  }
  const JobOfText& read = std::get<JobOfText>(made);
  read_again(*read.job, read.job->type(read.type).definition);
  write_code(*read.job, read.type);
}

}  // namespace
}  // namespace ddtscope::reporters::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A word of a command line has no zero in it.
  const std::string text(reinterpret_cast<const char*>(data), size);
  ddtscope::reporters::fuzz::run(text.substr(0, text.find('\0')));
  return 0;
}
