// Paths as URIs (RFC 3986, RFC 8089).
#pragma once

#include <string>
#include <string_view>

namespace ddtscope::reporters {

/// Slashes stay, all that is not unreserved is escaped: whatever a path holds, it is no more than a path.
std::string encoded_path(std::string_view path);
/// Of an absolute path: "file:///opt/a%20b.c".
std::string file_uri(std::string_view path);

}  // namespace ddtscope::reporters
