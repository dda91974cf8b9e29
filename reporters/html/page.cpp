#include "reporters/html/page.h"

#include "reporters/html/assets.h"
#include "reporters/text/style.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {

void begin_page(std::ostream& out, std::string_view title) {
  out << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      << "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src '" << report_script_hash
      << "'; style-src '" << report_style_hash << "'; base-uri 'none'; form-action 'none'\">\n"
      << "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      << "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
      << "<title>" << Text{title} << "</title>\n<style>" << report_style << "</style>\n</head>\n<body>\n"
      << "<header>\n<p class=\"tool\">ddtscope</p>\n<h1>" << Text{title} << "</h1>\n</header>\n";
}

void write_navigation(std::ostream& out, const std::vector<SectionLink>& links) {
  out << "<nav aria-label=\"Sections\">\n<ul>";
  for (const auto& [id, title] : links) out << "<li><a href=\"#" << id << "\">" << title << "</a>";
  out << "</ul>\n</nav>\n<main>\n";
}

void end_page(std::ostream& out, const Json& data) {
  out << "</main>\n<script type=\"application/json\" id=\"data\">" << json_in_script(data) << "</script>\n<script>"
      << report_script << "</script>\n</body>\n</html>\n";
}

void begin_section(std::ostream& out, SectionLink section) {
  out << "<section id=\"" << section.id << "\" aria-labelledby=\"" << section.id << "-title\">\n<h2 id=\"" << section.id
      << "-title\">" << section.title << "</h2>\n";
}

void end_section(std::ostream& out) { out << "</section>\n"; }

void begin_table(std::ostream& out, std::string_view id, std::string_view label, const std::vector<Column>& columns) {
  out << "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Table: " << label << "\">\n<table id=\""
      << id << "\">\n<thead><tr>";
  for (const Column& column : columns) {
    out << "<th scope=\"col\"" << (column.cells == Cells::numbers ? " class=\"n\">" : ">") << column.title << "</th>";
  }
  out << "</tr></thead>\n<tbody>\n";
}

void end_table(std::ostream& out) { out << "</tbody>\n</table>\n</div>\n"; }

void write_more(std::ostream& out, std::uint64_t more, std::string_view where) {
  if (more != 0) out << "<p class=\"more\">... and " << grouped(more) << " more: " << Text{where} << "</p>\n";
}

void write_call(std::ostream& out, const Job& job, TypeNumber number) {
  out << "<code>" << Text{call_of(job, number)} << "</code>";
}

void write_severity(std::ostream& out, Severity severity) {
  out << "<span class=\"" << text_of(severity) << "\">" << text_of(severity) << "</span>";
}

}  // namespace ddtscope::reporters
