#include "reporters/json/json.h"

#include <algorithm>

namespace ddtscope::reporters {
namespace {

// RFC 7493 2.2: what every JSON reader keeps exactly.
constexpr std::int64_t exact_limit = (std::int64_t{1} << 53) - 1;

/// What JSON lets stand in strings and a terminal obeys all the same, U+007F to U+009F, is escaped.
std::string leaf(const Json& value) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  const auto next_control = [&](std::size_t from) {
    for (std::size_t i = from; i < text.size(); ++i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      if (byte == 0x7f || (byte == 0xc2 && static_cast<unsigned char>(text[i + 1]) < 0xa0)) return i;
    }
    return std::string::npos;
  };
  for (std::size_t at = next_control(0); at != std::string::npos; at = next_control(at + 6)) {
    constexpr char digits[] = "0123456789abcdef";
    const std::size_t length = text[at] == 0x7f ? 1 : 2;
    const auto control = static_cast<unsigned char>(text[at + length - 1]);
    text.replace(at, length, {'\\', 'u', '0', '0', digits[control >> 4], digits[control & 15]});
  }
  return text;
}

bool is_plain(const Json& value) {
  return value.is_primitive() || (value.is_array() && std::all_of(value.begin(), value.end(), [](const Json& element) {
                                    return element.is_primitive();
                                  }));
}

// Recursion goes as deep as the shapes in the schemas, which do not nest types.
void write(std::ostream& out, const Json& value, std::size_t indent) {
  const bool on_one_line =
      value.empty() || value.is_primitive() || (value.is_array() && std::all_of(value.begin(), value.end(), is_plain));
  if (on_one_line) {
    out << leaf(value);
    return;
  }
  const std::string margin(indent + 2, ' ');
  out << (value.is_object() ? '{' : '[');
  bool first = true;
  for (const auto& [key, element] : value.items()) {
    out << (first ? "\n" : ",\n") << margin;
    first = false;
    if (value.is_object()) {
      out << leaf(Json(key)) << ": ";
    }
    write(out, element, indent + 2);
  }
  out << '\n' << std::string(indent, ' ') << (value.is_object() ? '}' : ']');
}

}  // namespace

bool is_exact_in_json(std::int64_t value) { return value >= -exact_limit && value <= exact_limit; }

Json json_integer(std::int64_t value) { return is_exact_in_json(value) ? Json(value) : Json(std::to_string(value)); }

Json json_count(std::uint64_t value) {
  return value <= static_cast<std::uint64_t>(exact_limit) ? Json(value) : Json(std::to_string(value));
}

std::uint64_t count_of_json(const Json& value) {
  return value.is_string() ? std::stoull(value.get<std::string>()) : value.get<std::uint64_t>();
}

Json json_integer(Exact value) {
  if (!value.fits()) {
    return nullptr;
  }
  const auto narrow = value.to_int64();
  return narrow ? json_integer(*narrow) : Json(value.to_string());
}

Json text_or_null(std::string_view text) { return text.empty() ? Json(nullptr) : Json(text); }

Json json_integer(std::optional<std::int64_t> value) { return value ? json_integer(*value) : Json(nullptr); }

void write_json(std::ostream& out, const Json& value) {
  write(out, value, 0);
  out << '\n';
}

void write_json_at(std::ostream& out, const Json& value, std::size_t indent) { write(out, value, indent); }

void JsonArrayWriter::add(const Json& object) {
  out_ << (is_empty_ ? "[\n" : ",\n") << std::string(indent_ + 2, ' ');
  is_empty_ = false;
  write(out_, object, indent_ + 2);
}

void JsonArrayWriter::end() {
  if (is_empty_) {
    out_ << "[]";
  } else {
    out_ << '\n' << std::string(indent_, ' ') << ']';
  }
  if (indent_ == 0) {
    out_ << '\n';
  }
}

void JsonObjectWriter::begin_member(std::string_view key) {
  out_ << (is_empty_ ? "{\n" : ",\n") << std::string(indent, ' ') << leaf(Json(key)) << ": ";
  is_empty_ = false;
}

void JsonObjectWriter::add(std::string_view key, const Json& value) {
  begin_member(key);
  write(out_, value, indent);
}

void JsonObjectWriter::end() { out_ << "\n}\n"; }

}  // namespace ddtscope::reporters
