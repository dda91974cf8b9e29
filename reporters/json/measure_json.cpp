#include "reporters/json/measure_json.h"

#include "reporters/json/type_json.h"

namespace ddtscope {
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

}  // namespace

Json measurement_json(const Job& job, const Measurement& measurement) {
  Json types = Json::array();
  for (const MeasuredType& type : measurement.types) types.push_back(measured_type_json(job, type));
  return {{"host", text_or_null(measurement.host)},
          {"library", text_or_null(measurement.library)},
          {"compiler", measurement.compiler},
          {"types", std::move(types)}};
}

}  // namespace ddtscope
