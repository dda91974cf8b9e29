// The script and the style of pages, and their hashes, by which a page's Content-Security-Policy lets these two run and
// nothing else. Made at build time of *.js and report.css by embed.cmake.
#pragma once

#include <string_view>

namespace ddtscope::reporters {

extern const std::string_view report_script;
extern const std::string_view report_style;
/// As in "script-src 'sha256-...'": of the text above, byte by byte.
extern const std::string_view report_script_hash;
extern const std::string_view report_style_hash;

}  // namespace ddtscope::reporters
