#include "reporters/text/uses_csv.h"

#include <string>
#include <string_view>

#include "reporters/model/uses.h"
#include "reporters/text/style.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

std::string cell(const std::string& text) {
  const bool looks_like_formula = !text.empty() && std::string_view("=+-@").find(text[0]) != std::string_view::npos;
  std::string quoted = looks_like_formula ? "\"'" : "\"";
  for (const char c : printable(text)) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string number(Exact value) {
  std::string digits = value.fits() ? grouped(value) : "";
  std::erase(digits, ',');
  return digits;
}

/// A line for each type of each sum.
void write_traffic_csv(std::ostream& out, const ReportContext& context, const UsesQuery& query) {
  const Job& job = context.job;
  const bool is_pair = query.by == UsesBy::pair;
  out << (is_pair ? "source,destination" : "communicator") << ",type,name,messages,bytes\r\n";
  for (const Traffic& sum : selected_traffic(job, query, context.symbols)) {
    for (const TypeTraffic& one : sum.types) {
      const TypeNumber type = job.number_of(one.type);
      const bool has_name = type.valid() && !job.names(type).empty();
      out << (is_pair ? text_of(sum.source) + "," + text_of(sum.destination)
                      : cell(communicator_in_words(job, sum, context.symbols)))
          << "," << (one.type ? cell(job.name_of(*one.type)) : "") << ","
          << (has_name ? cell(job.names(type).front()) : "") << "," << one.messages << "," << number(one.bytes)
          << "\r\n";
    }
  }
}

/// A line for each type of each file.
void write_files_csv(std::ostream& out, const ReportContext& context, const UsesQuery& query) {
  const Job& job = context.job;
  out << "file,type,name,calls,written,read\r\n";
  for (const FileTraffic& file : selected_files(job, query, context.symbols)) {
    for (const FileType& one : file.types) {
      const TypeNumber type = job.number_of(one.type);
      const bool has_name = type.valid() && !job.names(type).empty();
      out << cell(std::string(file.name)) << "," << cell(job.name_of(one.type)) << ","
          << (has_name ? cell(job.names(type).front()) : "") << "," << one.amounts.calls << ","
          << number(one.amounts.written) << "," << number(one.amounts.read) << "\r\n";
    }
  }
}

/// A line for each function and type in each window.
void write_windows_csv(std::ostream& out, const ReportContext& context, const UsesQuery& query) {
  const Job& job = context.job;
  out << "window,made,where,type,name,called,ranks,calls,bytes\r\n";
  for (const WindowUses& window : selected_windows(job, query, context.symbols)) {
    const JobWindow& made = job.windows[window.parts.front().value];
    for (const WindowCalls& calls : window.calls) {
      const TypeNumber type = job.number_of(calls.type);
      const bool has_name = type.valid() && !job.names(type).empty();
      out << window_id(window.number) << "," << cell(std::string(made.called)) << ","
          << cell(place_of(job, made.site, context.symbols)) << "," << cell(job.name_of(calls.type)) << ","
          << (has_name ? cell(job.names(type).front()) : "") << "," << cell(std::string(calls.called)) << ","
          << cell(text_of(calls.origins)) << "," << calls.calls << "," << number(calls.bytes) << "\r\n";
    }
  }
}

}  // namespace

void write_uses_csv(std::ostream& out, const ReportContext& context, const UsesQuery& query) {
  if (query.by == UsesBy::file) return write_files_csv(out, context, query);
  if (is_of_messages(query.by)) return write_traffic_csv(out, context, query);
  if (query.by == UsesBy::window) return write_windows_csv(out, context, query);
  const Job& job = context.job;
  out << "type,name,called,binding,argument,ranks,calls,elements,bytes,received_bytes,blocks,smallest_count,largest_"
         "count,where\r\n";
  for (const TypeUse* use : selected_uses(job, query, context.symbols)) {
    const TypeNumber type = job.number_of(use->type);
    const bool has_name = type.valid() && !job.names(type).empty();
    out << cell(job.name_of(use->type)) << "," << (has_name ? cell(job.names(type).front()) : "") << ","
        << cell(std::string(use->called)) << "," << cell(std::string(use->binding)) << ","
        << cell(std::string(trace::name_of(use->parameter))) << "," << cell(text_of(use->ranks)) << ","
        << use->counts.calls << "," << use->counts.elements << "," << number(bytes_of(job, *use)) << ","
        << (use->counts.received ? std::to_string(*use->counts.received) : "") << ","
        << number(job.layouts.facts(use->type).blocks) << "," << use->counts.smallest << "," << use->counts.largest
        << "," << cell(place_of(job, use->site, context.symbols)) << "\r\n";
  }
}

}  // namespace ddtscope::reporters
