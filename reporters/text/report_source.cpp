// A type beside the struct that it stands for, member by member.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "reporters/text/columns.h"
#include "reporters/text/report.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t most_lines = 64;

/// Parts that follow each other and are alike: elements of one array.
struct PartRow {
  const ComparedPart* first;
  const ComparedPart* last;
};

std::string without_last_index(const std::string& path) {
  const std::size_t bracket = path.ends_with(']') ? path.rfind('[') : std::string::npos;
  return path.substr(0, bracket);
}

bool are_alike(const ComparedPart& one, const ComparedPart& other) {
  return one.verdict == other.verdict && one.entry.has_value() == other.entry.has_value() && one.member &&
         other.member && one.member->path.ends_with(']') && one.member->type == other.member->type &&
         (!one.entry || one.entry->basic == other.entry->basic) &&
         without_last_index(one.member->path) == without_last_index(other.member->path);
}

std::vector<PartRow> rows_of(const std::vector<ComparedPart>& parts) {
  std::vector<PartRow> rows;
  for (const ComparedPart& part : parts) {
    if (!rows.empty() && are_alike(*rows.back().last, part)) {
      rows.back().last = &part;
    } else {
      rows.push_back({&part, &part});
    }
  }
  return rows;
}

/// "x[0]" to "x[2]" as "x[0..2]".
std::string path_of(const PartRow& row) {
  if (!row.first->member) return "";
  const std::string& first = row.first->member->path;
  const std::string& last = row.last->member->path;
  if (first == last) return first;
  const std::size_t bracket = last.rfind('[');
  return first.substr(0, first.size() - 1) + ".." + last.substr(bracket + 1);
}

std::array<std::string, 5> cells_of(const PartRow& row) {
  const ComparedPart& part = *row.first;
  const std::int64_t place = part.entry ? part.entry->displacement : part.member->offset;
  return {grouped(Exact(place)), printable(path_of(row)), part.member ? printable(part.member->type) : "",
          part.entry ? printable(std::string(part.entry->basic)) : "", std::string(text_of(part.verdict))};
}

}  // namespace

void report_source(std::ostream& out, const TextContext& context, const SourceAnswer& answer) {
  out << "\n" << context.style(Role::heading, "source") << "\n";
  if (!answer.layout) {
    out << "No struct of the program is known to be this type.\n";
    for (const std::string& sentence : answer.why_not) out << printable(sentence) << "\n";
    return;
  }
  const StructLayout& layout = *answer.layout;
  const bool is_right = !severity_of(layout).has_value();
  out << (layout.is_by_name && !is_right ? "It has the name of " : "It is ") << printable(layout.record.text()) << ", "
      << counted(Exact(layout.record.type->size), "byte", "bytes") << (is_right ? ", member by member:\n" : ":\n");
  const std::vector<PartRow> rows = rows_of(layout.parts);
  std::vector<std::array<std::string, 5>> lines = {{"at", "member", "declared", "sent as", ""}};
  for (const PartRow& row : rows) {
    if (lines.size() <= most_lines) lines.push_back(cells_of(row));
  }
  print_columns(lines, {Align::right, Align::left, Align::left, Align::left, Align::none},
                [&](std::size_t line, const std::string& text) {
                  const bool is_wrong = line != 0 && severity_of(rows[line - 1].first->verdict) > Severity::note;
                  const std::string trimmed = text.substr(0, text.find_last_not_of(' ') + 1);
                  out << "  " << (is_wrong ? context.style(Role::warning, trimmed) : trimmed) << "\n";
                });
  if (rows.size() > most_lines) {
    out << "  ... " << counted(std::uint64_t{rows.size() - most_lines}, "more line", "more lines") << "\n";
  }
  if (layout.extent != Exact(layout.record.type->size)) {
    out << "Its extent is " << grouped(layout.extent) << ", sizeof is " << grouped(Exact(layout.record.type->size))
        << ": from the second copy on it is read from other places than the array's elements.\n";
  }
}

}  // namespace ddtscope::reporters
