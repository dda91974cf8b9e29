// The numbers by which a job's parts name each other.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace ddtscope::reporters {

/// The number behind the `T` of a made type; counts from 1.
struct TypeNumber {
  std::uint32_t value = 0;
  constexpr bool valid() const { return value != 0; }
  friend constexpr auto operator<=>(TypeNumber, TypeNumber) = default;
};
std::string text_of(TypeNumber number);  // "T9"

/// A module (executable or library) of the job, joined over ranks by build id, else by path.
struct ModuleIndex {
  std::uint32_t value = 0;
  friend constexpr auto operator<=>(ModuleIndex, ModuleIndex) = default;
};

/// A window of the job: what processes say alike of it is one.
struct WindowIndex {
  std::uint32_t value = 0;
  friend constexpr auto operator<=>(WindowIndex, WindowIndex) = default;
};

/// A file of the job: what processes say alike of opening it is one.
struct FileIndex {
  std::uint32_t value = 0;
  friend constexpr auto operator<=>(FileIndex, FileIndex) = default;
};

/// A frame of the job's tree of call stacks; a call site is its innermost frame.
struct FrameIndex {
  std::uint32_t value = 0;
  friend constexpr auto operator<=>(FrameIndex, FrameIndex) = default;
};

}  // namespace ddtscope::reporters
