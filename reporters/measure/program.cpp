#include "reporters/measure/program.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "reporters/code/plan.h"
#include "reporters/measure/program_text.h"

namespace ddtscope::reporters {
namespace {

using nlohmann::json;

/// A number as C takes it as a long long.
std::string c_number(std::int64_t value) {
  if (value == std::numeric_limits<std::int64_t>::min()) return "(" + std::to_string(value + 1) + "LL - 1)";
  return std::to_string(value) + "LL";
}

void append(std::string& bytes, std::int64_t value) {
  std::array<char, sizeof value> raw{};
  std::memcpy(raw.data(), &value, sizeof value);
  bytes.append(raw.data(), raw.size());
}

std::optional<Figure> figure_of(const json& line, const char* name) {
  const auto found = line.find(name);
  if (found == line.end() || !found->is_object()) return std::nullopt;
  const Figure figure{found->value("ns", 0.0), found->value("spread", 0.0), found->value("samples", std::uint64_t{0})};
  return figure.median_ns > 0 ? std::optional(figure) : std::nullopt;
}

std::string other_bounds(const json& bounds, const MeasureSubject& subject) {
  const std::pair<const char*, std::int64_t> expected[] = {{"size", subject.size},
                                                           {"lower bound", subject.lb},
                                                           {"extent", subject.extent},
                                                           {"true lower bound", subject.true_lb},
                                                           {"true extent", subject.true_extent}};
  for (std::size_t i = 0; i < std::size(expected) && i < bounds.size(); ++i) {
    const std::int64_t value = bounds[i].is_number_integer() ? bounds[i].get<std::int64_t>() : 0;
    if (value == expected[i].second) continue;
    return "the library here gives it the " + std::string(expected[i].first) + " " + std::to_string(value) + ", not " +
           std::to_string(expected[i].second) + ".";
  }
  return "the library here gives it other bounds.";
}

std::string wrong_data_of(const json& line, const MeasureSubject& subject) {
  const std::string operation = line.value("wrong", std::string());
  const std::string what = operation == "pack"     ? "MPI_Pack packs"
                           : operation == "unpack" ? "MPI_Unpack unpacks"
                                                   : "MPI_Sendrecv receives";
  const std::int64_t at = line.value("at", std::int64_t{0});
  if (at >= subject.size * subject.copies) return what + " the data, and writes bytes between them.";
  return what + " other bytes than the typemap says: the first is byte " + std::to_string(at) + " of the data.";
}

void take_form(MeasuredType& type, const MeasureSubject& subject, const json& line) {
  const auto number = line.value("form", std::size_t{0});
  if (number >= type.forms.size()) return;
  // A line that says something of another kind gives nothing.
  const FormFigures figures = {figure_of(line, "create"), figure_of(line, "commit"), figure_of(line, "pack"),
                               figure_of(line, "unpack"), figure_of(line, "send")};
  std::string why_not, wrong_data;
  if (line.contains("bounds")) {
    why_not = other_bounds(line["bounds"], subject);
  } else if (line.contains("wrong")) {
    wrong_data = wrong_data_of(line, subject);
  } else if (!figures.pack) {
    why_not = "the library wants more room to pack it than its data takes.";
  }
  MeasuredForm& form = type.forms[number];
  form.figures = figures;
  form.why_not = std::move(why_not);
  form.wrong_data = std::move(wrong_data);
}

void take_plain(MeasuredType& type, const json& line) {
  const auto copy = figure_of(line, "copy"), pack = figure_of(line, "pack"), send = figure_of(line, "send");
  if (copy && pack && send) type.plain = PlainFigures{*copy, *pack, figure_of(line, "unpack"), *send};
}

void take(ProgramAnswers& answers, const MeasureSubject& subject, const json& line) {
  if (!line.is_object() || !line.contains("ddtscope_measure")) return;
  if (line.contains("library")) {
    const std::string version = line.value("library", std::string());
    answers.host = line.value("host", std::string());
    answers.library = version.substr(0, version.find(','));
  } else if (line.contains("plain")) {
    take_plain(answers.type, line);
  } else if (line.contains("form")) {
    take_form(answers.type, subject, line);
  }
}

}  // namespace

std::string program_of(const MeasureSubject& subject) {
  std::string functions, forms;
  for (std::size_t i = 0; i < subject.forms.size(); ++i) {
    functions += subject.forms[i].function + "\n";
    forms += (i == 0 ? "" : ", ") + ("{make_" + std::to_string(i)) + (subject.forms[i].is_made ? ", 1}" : ", 0}");
  }
  const std::pair<const char*, std::string> places[] = {{"forms", forms},
                                                        {"form_count", std::to_string(subject.forms.size())},
                                                        {"copies", c_number(subject.copies)},
                                                        {"size", c_number(subject.size)},
                                                        {"lb", c_number(subject.lb)},
                                                        {"extent", c_number(subject.extent)},
                                                        {"true_lb", c_number(subject.true_lb)},
                                                        {"true_extent", c_number(subject.true_extent)},
                                                        {"first", c_number(subject.first)},
                                                        {"span", c_number(subject.span)},
                                                        {"turns", c_number(subject.turns)},
                                                        {"stride", c_number(subject.stride)},
                                                        {"may_receive", subject.may_receive ? "1" : "0"},
                                                        {"functions", functions}};
  std::string text = program_text;
  for (const auto& [place, value] : places) text = filled(text, place, value);
  return text;
}

std::string table_of(const MeasureSubject& subject) {
  std::string table;
  append(table, static_cast<std::int64_t>(subject.rows.size()));
  append(table, static_cast<std::int64_t>(subject.values.size()));
  for (const BlockRow& row : subject.rows) {
    for (const std::int64_t value : {row.displacement, row.length, row.count, row.stride}) append(table, value);
  }
  for (const ValueRow& row : subject.values) {
    for (const std::int64_t value : {row.size, row.meaning, row.count}) append(table, value);
  }
  return table;
}

ProgramAnswers answers_of(const MeasureSubject& subject, std::string_view output) {
  ProgramAnswers answers;
  MeasuredType& type = answers.type;
  type.type = subject.type;
  type.copies = subject.copies;
  type.bytes = subject.size * subject.copies;
  type.blocks = subject.blocks;
  for (const SubjectForm& form : subject.forms) {
    type.forms.push_back({form.kind, form.call, {}, "the program ended before.", {}});
  }
  // Others may print, too: what is no line of the program's is left.
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    const std::string_view line = output.substr(0, end);
    output.remove_prefix(std::min(end + 1, output.size()));
    try {
      if (line.starts_with('{')) take(answers, subject, json::parse(line, nullptr, false));
    } catch (const json::exception&) {
      continue;
    }
  }
  if (!type.forms.front().figures.pack) type.forms.resize(1);
  return answers;
}

}  // namespace ddtscope::reporters
