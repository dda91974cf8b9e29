// The types of a job by their keys, for files that are kept beside a trace and name types so.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>

#include "reporters/model/job.h"

namespace ddtscope::reporters {

class TypesByKey {
 public:
  /// `job` must outlive it.
  explicit TypesByKey(const Job& job) : job_(job) {}

  /// The first one with a key, which is hexadecimal digits; none where no type has it.
  std::optional<TypeNumber> find(std::string_view key);

 private:
  const Job& job_;
  std::unordered_map<Key, TypeNumber> types_;  // made when it is asked first
};

}  // namespace ddtscope::reporters
