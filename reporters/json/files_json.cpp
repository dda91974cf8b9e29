#include "reporters/json/files_json.h"

#include "reporters/json/type_json.h"
#include "reporters/json/type_text.h"

namespace ddtscope::reporters {
namespace {

void write_words(JsonText& text, const char* key, const std::vector<std::string_view>& words) {
  text.key(key).begin_row();
  for (const std::string_view word : words) text.string(word);
  text.end_row();
}

void write_amounts(JsonText& text, const FileAmounts& amounts) {
  text.key("calls").count(amounts.calls).key("read_bytes").exact(amounts.read);
  text.key("written_bytes").exact(amounts.written);
}

void write_view(JsonText& text, const Job& job, const FileView& view) {
  text.begin_object().key("etype").string(job.name_of(view.etype)).key("filetype").string(job.name_of(view.filetype));
  text.key("datarep").string(view.datarep).key("lowest_displacement");
  view.lowest ? text.exact(Exact(*view.lowest)) : text.null();
  text.key("highest_displacement");
  view.highest ? text.exact(Exact(*view.highest)) : text.null();
  text.key("calls").count(view.count).end_object();
}

}  // namespace

void write_files_json(std::ostream& out, const ReportContext& context, const UsesQuery& query) {
  const Job& job = context.job;
  JsonText text;
  text.begin_list();
  for (const FileTraffic& file : selected_files(job, query, context.symbols)) {
    text.begin_object().key("name").string(file.name);
    write_words(text, "modes", file.modes);
    text.key("ranks").value(ranks_json(file.ranks));
    write_amounts(text, file.amounts);
    write_words(text, "called", file.called);
    text.key("types").begin_list();
    for (const FileType& one : file.types) {
      text.begin_object().key("type").string(job.name_of(one.type));
      write_amounts(text, one.amounts);
      text.end_object();
    }
    text.end_list().key("views").begin_list();
    for (const FileView& view : file.views) write_view(text, job, view);
    text.end_list().end_object();
    text.flush_to(out);
  }
  text.end_list();
  text.end_document(out);
}

}  // namespace ddtscope::reporters
