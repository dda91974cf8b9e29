#include "decoder/base/grouped.h"

namespace ddtscope {
namespace {

std::string with_commas(const std::string& digits) {
  const std::size_t first = !digits.empty() && digits[0] == '-' ? 1 : 0;
  std::size_t end = first + (digits.size() - first) % 3;
  std::string text(digits, 0, end);
  for (; end < digits.size(); end += 3) {
    if (end > first) text += ',';
    text.append(digits, end, 3);
  }
  return text;
}

}  // namespace

std::string grouped(std::uint64_t value) { return with_commas(std::to_string(value)); }

std::string grouped(Exact value) { return value.fits() ? with_commas(value.to_string()) : value.to_string(); }

std::string counted(std::uint64_t value, std::string_view singular, std::string_view plural) {
  return grouped(value) + " " + std::string(value == 1 ? singular : plural);
}

std::string counted(Exact value, std::string_view singular, std::string_view plural) {
  return grouped(value) + " " + std::string(value == Exact(1) ? singular : plural);
}

}  // namespace ddtscope
