// What a program must not notice of work that is done within one of its calls.
#pragma once

#include <cerrno>

namespace ddtscope::plugin {

/// errno is afterwards what it was before.
class KeptErrno {
 public:
  KeptErrno() = default;
  KeptErrno(const KeptErrno&) = delete;
  KeptErrno& operator=(const KeptErrno&) = delete;
  ~KeptErrno() { errno = before_; }

 private:
  int before_ = errno;
};

}  // namespace ddtscope::plugin
