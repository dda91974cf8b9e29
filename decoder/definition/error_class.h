// The error classes of MPI-4.1 9.4 that constructing and decoding a datatype raise.
#pragma once

#include <cstdint>
#include <string_view>

namespace ddtscope {

enum class ErrorClass : std::uint8_t {
  success,
  count,     // MPI_ERR_COUNT: a negative count
  type,      // MPI_ERR_TYPE: no datatype, or not one that the call takes
  rank,      // MPI_ERR_RANK: a rank outside its group
  dims,      // MPI_ERR_DIMS: a number of dimensions that no array has
  argument,  // MPI_ERR_ARG: any other argument
};

constexpr std::string_view mpi_name(ErrorClass error) {
  switch (error) {
    case ErrorClass::success:
      return "MPI_SUCCESS";
    case ErrorClass::count:
      return "MPI_ERR_COUNT";
    case ErrorClass::type:
      return "MPI_ERR_TYPE";
    case ErrorClass::rank:
      return "MPI_ERR_RANK";
    case ErrorClass::dims:
      return "MPI_ERR_DIMS";
    case ErrorClass::argument:
      return "MPI_ERR_ARG";
  }
  return "";
}

}  // namespace ddtscope
