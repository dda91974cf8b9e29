// What types cost with the MPI library at hand, for people.
#include <array>
#include <cmath>
#include <cstdio>

#include "reporters/measure/kept_measurement.h"
#include "reporters/measure/measurement.h"
#include "reporters/text/columns.h"
#include "reporters/text/report.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

/// From which on a figure is marked as one that varies.
constexpr double wide_spread = 0.1;
/// That stands in a sentence; a longer one stands by itself.
constexpr std::size_t longest_call = 60;

std::string number_text(double value, const char* unit) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), value < 10 ? "%.2f%s" : value < 100 ? "%.1f%s" : "%.0f%s", value, unit);
  return text.data();
}

std::string time_text(const std::optional<Figure>& figure) {
  if (!figure) return "-";
  const std::string mark = figure->spread > wide_spread ? "~" : "";
  if (figure->median_ns < 1e3) return mark + number_text(figure->median_ns, " ns");
  if (figure->median_ns < 1e6) return mark + number_text(figure->median_ns / 1e3, " us");
  return mark + number_text(figure->median_ns / 1e6, " ms");
}

std::string rate_text(const std::optional<Figure>& figure, std::int64_t bytes) {
  if (!figure) return "-";
  return (figure->spread > wide_spread ? "~" : "") + number_text(gigabytes_per_second(bytes, *figure), "");
}

/// How many times as long as the plain one: "11 x", "2.1 x".
std::string times_text(const std::optional<Figure>& figure, const std::optional<Figure>& plain) {
  if (!figure || !plain) return "";
  const double times = figure->median_ns / plain->median_ns;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), times < 9.95 ? "%.1f x" : "%.0f x", times);
  return text.data();
}

std::string_view label_of(FormKind kind) {
  switch (kind) {
    case FormKind::itself:
      return "the type";
    case FormKind::simpler:
      return "simpler";
    case FormKind::blockwise:
      break;
  }
  return "blockwise";
}

using Line = std::array<std::string, 9>;

Line line_of(const MeasuredForm& form, const MeasuredType& type) {
  const FormFigures& figures = form.figures;
  const PlainFigures& plain = *type.plain;
  return {std::string(label_of(form.kind)),
          time_text(figures.create),
          time_text(figures.commit),
          rate_text(figures.pack, type.bytes),
          times_text(figures.pack, plain.copy),
          rate_text(figures.unpack, type.bytes),
          times_text(figures.unpack, plain.copy),
          rate_text(figures.send, type.bytes),
          times_text(figures.send, plain.send)};
}

void print_table(std::ostream& out, const Style& style, const MeasuredType& type) {
  const PlainFigures& plain = *type.plain;
  std::vector<Line> lines = {{"", "create", "commit", "pack GB/s", "", "unpack GB/s", "", "send GB/s", ""}};
  for (const MeasuredForm& form : type.forms) {
    if (form.figures.pack) lines.push_back(line_of(form, type));
  }
  lines.push_back({"by hand", "", "", rate_text(plain.pack, type.bytes), times_text(plain.pack, plain.copy),
                   plain.unpack ? rate_text(plain.unpack, type.bytes) : "", times_text(plain.unpack, plain.copy), "",
                   ""});
  const std::string copy = rate_text(plain.copy, type.bytes);
  lines.push_back({"plain copy", "", "", copy, "", copy, "", rate_text(plain.send, type.bytes), ""});
  constexpr std::array<Align, 9> alignment = {Align::left,  Align::right, Align::right, Align::right, Align::right,
                                              Align::right, Align::right, Align::right, Align::right};
  print_columns(lines, alignment, [&](std::size_t number, const std::string& line) {
    const std::size_t end = line.find_last_not_of(' ') + 1;
    out << "  " << style(number == 0 ? Role::heading : Role::data, line.substr(0, end)) << "\n";
  });
}

}  // namespace

std::string measured_sentence(const Job& job, const MeasuredType& type) {
  const std::optional<Figure>& pack = type.forms.front().figures.pack;
  if (!pack) return {};
  const Figure& copy = type.plain->copy;
  const bool is_slower = pack->median_ns > copy.median_ns;
  std::string text = id_and_name(job, type.type) + " packs at " + rate_text(pack, type.bytes) + " GB/s, " +
                     (is_slower ? times_text(pack, copy) + " slower than memcpy" : std::string("as fast as memcpy")) +
                     "; ";
  for (std::size_t i = 1; i < type.forms.size(); ++i) {
    const MeasuredForm& form = type.forms[i];
    const std::string way =
        form.call.size() <= longest_call ? "as " + printable(form.call) : std::string(label_of(form.kind));
    if (form.figures.pack) text += way + " " + times_text(form.figures.pack, copy) + ", ";
  }
  return text + "by hand " + times_text(type.plain->pack, copy) + ".";
}

std::string measured_in_words(const ReportContext& context, const JobFinding& finding) {
  const KeptMeasurement* const kept = measured_for(context, finding);
  if (kept == nullptr) return {};
  const std::string host = kept->host.empty() ? "" : " on " + printable(kept->host);
  return "Measured with " + printable(kept->library) + host + ": " + measured_sentence(context.job, kept->type);
}

namespace {

void print_type(std::ostream& out, const Style& style, const Job& job, const MeasuredType& type) {
  out << "\n"
      << style(Role::heading, id_and_name(job, type.type)) << ": " << printable(call_of(job, type.type)) << "\n";
  if (type.copies != 0) {
    out << "  " << counted(Exact(type.copies), "copy", "copies") << ", " << counted(Exact(type.bytes), "byte", "bytes")
        << " of data, " << counted(Exact(type.blocks), "block", "blocks") << " each\n";
  }
  if (!type.why_not.empty()) {
    const std::string what = type.plain ? "Not measured to the end: " : "Not measured: ";
    out << "  " << style(Role::warning, what + printable(type.why_not)) << "\n";
  }
  if (type.plain) print_table(out, style, type);
  for (const MeasuredForm& form : type.forms) {
    if (form.kind != FormKind::itself) out << "  " << label_of(form.kind) << ": " << printable(form.call) << "\n";
    if (!form.wrong_data.empty()) {
      out << "  " << style(Role::warning, "Wrong data, " + std::string(label_of(form.kind)) + ": " + form.wrong_data)
          << "\n";
    }
    const bool is_told = type.has_failed && !type.plain;
    if (!form.why_not.empty() && !is_told) {
      out << "  " << style(Role::warning, "Not measured, " + std::string(label_of(form.kind)) + ": " + form.why_not)
          << "\n";
    }
  }
  if (type.plain) {
    const std::string sentence = measured_sentence(job, type);
    if (!sentence.empty()) out << "  " << sentence << "\n";
  }
}

}  // namespace

void report_measurement(std::ostream& out, const Style& style, const Job& job, const Measurement& measurement) {
  if (measurement.types.empty()) {
    out << "There are no derived datatypes to measure.\n";
    return;
  }
  if (!measurement.library.empty()) {
    const std::string place = measurement.host.empty() ? "" : " on " + printable(measurement.host);
    out << printable(measurement.library) << place << ", compiled by " << printable(measurement.compiler)
        << ", one process\n";
  }
  for (const MeasuredType& type : measurement.types) print_type(out, style, job, type);
  out << "\n"
      << style(Role::faint,
               "x: how many times as long as memcpy of the same bytes, or as MPI_Sendrecv of MPI_BYTE. ~: varies by "
               "more than 10 %.")
      << "\n";
}

}  // namespace ddtscope::reporters
