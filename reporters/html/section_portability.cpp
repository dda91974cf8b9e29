// Which types mean something else under another MPI library.
#include <string>
#include <vector>

#include "reporters/html/sections.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t most_portability_rows = 200;

}  // namespace

void write_portability(std::ostream& out, const SectionInput& input) {
  const ReportContext& context = input.context;
  std::vector<TypeNumber> moved;
  for (const TypeNumber number : input.types) {
    if (!context.analysis.portability(number).portable) moved.push_back(number);
  }
  const std::string all = counted(static_cast<std::uint64_t>(input.types.size()), "type", "types");
  if (moved.empty()) {
    std::vector<std::string> products;
    for (const BoundsRule library : library_rules) products.emplace_back(product_name(library));
    out << "<p>By the standard and in all modelled releases of " << listed(products) << ", "
        << (input.types.size() == 1 ? "the type" : "each of the " + all) << " means the same.</p>\n";
    return;
  }
  out << "<p>" << grouped(static_cast<std::uint64_t>(moved.size())) << " of " << all
      << (moved.size() == 1 ? " has" : " have")
      << " other bounds by the standard or in another release of a library.</p>\n";
  begin_table(out, "moved-types", "Types that differ", {{"Type"}, {"Constructor call"}, {"What differs"}});
  for (std::size_t i = 0; i < std::min(most_portability_rows, moved.size()); ++i) {
    out << "<tr><th scope=\"row\">";
    write_type(out, input, moved[i]);
    out << "</th><td>";
    write_call(out, context.job, moved[i]);
    out << "</td><td>";
    for (const std::string& reason : context.analysis.portability(moved[i]).reasons) {
      out << "<p>" << Text{reason} << "</p>";
    }
    out << "</td></tr>\n";
  }
  end_table(out);
  write_more(out, moved.size() - std::min(most_portability_rows, moved.size()),
             "`ddtscope types --json` has `portable` for all");
}

}  // namespace ddtscope::reporters
