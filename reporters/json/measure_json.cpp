#include "reporters/json/measure_json.h"

#include <optional>
#include <stdexcept>
#include <string>

#include "reporters/json/type_json.h"

namespace ddtscope::reporters {
namespace {

Json time_json(const std::optional<Figure>& figure) {
  if (!figure) return nullptr;
  return {{"ns", figure->median_ns}, {"spread", figure->spread}, {"samples", figure->samples}};
}

Json rate_json(const std::optional<Figure>& figure, std::int64_t bytes) {
  Json json = time_json(figure);
  if (figure) json["gb_per_s"] = gigabytes_per_second(bytes, *figure);
  return json;
}

std::string_view text_of(FormKind kind) {
  switch (kind) {
    case FormKind::itself:
      return "type";
    case FormKind::simpler:
      return "simpler";
    case FormKind::blockwise:
      break;
  }
  return "blockwise";
}

Json form_json(const MeasuredForm& form, std::int64_t bytes) {
  const FormFigures& figures = form.figures;
  return {{"kind", text_of(form.kind)},
          {"call", form.call},
          {"create", time_json(figures.create)},
          {"commit", time_json(figures.commit)},
          {"pack", rate_json(figures.pack, bytes)},
          {"unpack", rate_json(figures.unpack, bytes)},
          {"send_to_self", rate_json(figures.send, bytes)},
          {"why_not", text_or_null(form.why_not)},
          {"wrong_data", text_or_null(form.wrong_data)}};
}

Json plain_json(const std::optional<PlainFigures>& plain, std::int64_t bytes) {
  if (!plain) return nullptr;
  return {{"memcpy", rate_json(plain->copy, bytes)},
          {"pack_by_hand", rate_json(plain->pack, bytes)},
          {"unpack_by_hand", rate_json(plain->unpack, bytes)},
          {"send_to_self", rate_json(plain->send, bytes)}};
}

FormKind form_kind_of(const std::string& text) {
  for (const FormKind kind : {FormKind::simpler, FormKind::blockwise}) {
    if (text == text_of(kind)) return kind;
  }
  return FormKind::itself;
}

std::optional<Figure> figure_of(const Json& json) {
  if (json.is_null()) return std::nullopt;
  const Figure figure{json.at("ns").get<double>(), json.at("spread").get<double>(),
                      json.at("samples").get<std::uint64_t>()};
  if (!(figure.median_ns > 0)) throw std::out_of_range("a time of an operation");
  return figure;
}

Figure needed_figure(const Json& json) {
  const std::optional<Figure> figure = figure_of(json);
  if (!figure) throw std::out_of_range("a time is missing");
  return *figure;
}

std::string text_or_empty(const Json& json) { return json.is_null() ? std::string() : json.get<std::string>(); }

MeasuredForm form_of(const Json& json) {
  MeasuredForm form;
  form.kind = form_kind_of(json.at("kind").get<std::string>());
  form.call = json.at("call").get<std::string>();
  form.figures = {.create = figure_of(json.at("create")),
                  .commit = figure_of(json.at("commit")),
                  .pack = figure_of(json.at("pack")),
                  .unpack = figure_of(json.at("unpack")),
                  .send = figure_of(json.at("send_to_self"))};
  form.why_not = text_or_empty(json.at("why_not"));
  form.wrong_data = text_or_empty(json.at("wrong_data"));
  return form;
}

}  // namespace

Json measured_type_json(const Job& job, const MeasuredType& type) {
  Json forms = Json::array();
  for (const MeasuredForm& form : type.forms) forms.push_back(form_json(form, type.bytes));
  return {{"type", text_of(type.type)},
          {"key", key_text(job.type(type.type).key)},
          {"names", job.names(type.type)},
          {"call", call_in_json(job, type.type)},
          {"copies", json_integer(type.copies)},
          {"bytes", json_integer(type.bytes)},
          {"blocks", json_integer(type.blocks)},
          {"forms", std::move(forms)},
          {"plain", plain_json(type.plain, type.bytes)},
          {"why_not", text_or_null(type.why_not)}};
}

Json kept_measurement_json(const Job& job, const KeptMeasurement& kept) {
  Json json = measured_type_json(job, kept.type);
  json["host"] = text_or_null(kept.host);
  json["library"] = text_or_null(kept.library);
  json["compiler"] = kept.compiler;
  return json;
}

KeptMeasurement kept_measurement_of(const Json& json, TypeNumber type) {
  KeptMeasurement kept{
      text_or_empty(json.at("host")), text_or_empty(json.at("library")), json.at("compiler").get<std::string>(), {}};
  kept.type.type = type;
  kept.type.copies = json.at("copies").get<std::int64_t>();
  kept.type.bytes = json.at("bytes").get<std::int64_t>();
  kept.type.blocks = json.at("blocks").get<std::int64_t>();
  const Json& plain = json.at("plain");
  kept.type.plain = {.copy = needed_figure(plain.at("memcpy")),
                     .pack = needed_figure(plain.at("pack_by_hand")),
                     .unpack = figure_of(plain.at("unpack_by_hand")),
                     .send = needed_figure(plain.at("send_to_self"))};
  for (const Json& form : json.at("forms")) kept.type.forms.push_back(form_of(form));
  needed_figure(json.at("forms").at(0).at("pack"));
  return kept;
}

Json measurement_json(const Job& job, const Measurement& measurement) {
  Json types = Json::array();
  for (const MeasuredType& type : measurement.types) types.push_back(measured_type_json(job, type));
  return {{"host", text_or_null(measurement.host)},
          {"library", text_or_null(measurement.library)},
          {"compiler", measurement.compiler},
          {"types", std::move(types)}};
}

}  // namespace ddtscope::reporters
