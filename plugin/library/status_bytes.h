// How many bytes a status tells of (MPI-4.1 3.2.5).
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>

namespace ddtscope::plugin {

/// What the fields say that a library's mpi.h has for it, and that are nobody else's business: a 64-bit number, or two
/// words with a bit between them that is set where the operation was cancelled; negative where it says nothing, as the
/// standard ABI.
template <class Status>
[[gnu::always_inline]] inline std::int64_t bytes_in_fields(const Status& status) {
  if constexpr (requires { status._ucount; }) {
    return static_cast<std::int64_t>(status._ucount);
  } else if constexpr (requires { status.count_hi_and_cancelled; }) {
    const std::int64_t high = static_cast<std::uint32_t>(status.count_hi_and_cancelled) >> 1;
    return high << 32 | static_cast<std::uint32_t>(status.count_lo);
  } else {
    return -1;
  }
}

/// Reads the fields where the library was found to keep it there, for to ask it takes longer than all else that is done
/// about a receive; else asks.
class StatusBytes {
 public:
  /// Finds the library's functions, and has it set statuses to see where it keeps what they tell. Once MPI has started.
  void begin();

  /// Whether the library need not be asked: only then may the registry's lock be held meanwhile.
  bool are_in_fields() const { return are_in_fields_; }
  /// Of a status that the library has filled in; negative where nobody can tell. No std::optional: what is written as
  /// two words of different sizes and read as one has to wait for the store, twice as long as all the rest takes.
  [[gnu::always_inline]] inline std::int64_t told_by(const MPI_Status& status) const {
    if (!are_in_fields_) [[unlikely]]
      return ask(status);
    return bytes_in_fields(status);
  }

 private:
  [[gnu::noinline]] std::int64_t ask(const MPI_Status& status) const;
  bool are_proved() const;
  bool is_proved(unsigned char fill, MPI_Count count, int is_cancelled) const;

  int (*elements_)(const MPI_Status*, MPI_Datatype, MPI_Count*) = nullptr;
  int (*set_elements_)(MPI_Status*, MPI_Datatype, MPI_Count) = nullptr;
  int (*set_cancelled_)(MPI_Status*, int) = nullptr;
  std::optional<MPI_Datatype> byte_;
  bool are_in_fields_ = false;
};

}  // namespace ddtscope::plugin
