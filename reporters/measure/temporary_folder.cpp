#include "reporters/measure/temporary_folder.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>

namespace ddtscope::reporters {

TemporaryFolder::TemporaryFolder() {
  const char* parent = std::getenv("TMPDIR");
  std::string name = std::string(parent != nullptr && *parent != '\0' ? parent : "/tmp") + "/ddtscope-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) {
    error_ = std::strerror(errno);
    return;
  }
  std::error_code ignored;
  path_ = std::filesystem::absolute(name, ignored);
}

TemporaryFolder::~TemporaryFolder() {
  // A library's helper may still be putting its own files in order.
  std::error_code error;
  for (int i = 0; i < 20 && !path_.empty(); ++i) {
    std::filesystem::remove_all(path_, error);
    if (!std::filesystem::exists(path_, error)) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace ddtscope::reporters
