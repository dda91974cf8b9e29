// Asks the MPI library for bounds, envelope and contents.
#include <algorithm>
#include <type_traits>

#include "plugin/library/mpi_queries.h"

namespace ddtscope::plugin {
namespace {

/// MPI_UNDEFINED stands for a value that does not fit; a size or an extent of that very value is legal
/// only for bounds, where it cannot be told apart (MPI-4.1 5.1.8).
std::optional<std::int64_t> defined(MPI_Count value) {
  if (value == MPI_UNDEFINED) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

template <class Integer>
std::vector<std::int64_t> widened(const std::vector<Integer>& values) {
  return {values.begin(), values.end()};
}

/// Room of at least one element: some libraries refuse null arrays even for a length of 0.
template <class Element>
std::vector<Element> room_for(std::int64_t count) {
  std::vector<Element> values;
  values.reserve(static_cast<std::size_t>(std::max<std::int64_t>(count, 1)));
  values.resize(static_cast<std::size_t>(count));
  return values;
}

}  // namespace

ObservedBounds MpiQueries::bounds(HandleBits type) {
  const MPI_Datatype handle = handle_of<MPI_Datatype>(type);
  MPI_Count size = MPI_UNDEFINED;
  MPI_Count lb = MPI_UNDEFINED;
  MPI_Count extent = MPI_UNDEFINED;
  MPI_Count true_lb = MPI_UNDEFINED;
  MPI_Count true_extent = MPI_UNDEFINED;
  mpi_.Type_size_c(handle, &size);
  mpi_.Type_get_extent_c(handle, &lb, &extent);
  mpi_.Type_get_true_extent_c(handle, &true_lb, &true_extent);
  return {defined(size), defined(lb), defined(extent), defined(true_lb), defined(true_extent)};
}

std::optional<Envelope> MpiQueries::envelope(HandleBits type) {
  int combiner = 0;
  Envelope envelope;
  // The int getters refuse types that were made with large counts.
  if (has_large_counts()) {
    MPI_Count integers = 0;
    MPI_Count addresses = 0;
    MPI_Count large_counts = 0;
    MPI_Count datatypes = 0;
    if (mpi_.Type_get_envelope_c(handle_of<MPI_Datatype>(type), &integers, &addresses, &large_counts, &datatypes,
                                 &combiner) != MPI_SUCCESS) {
      return std::nullopt;
    }
    envelope.num_integers = integers;
    envelope.num_addresses = addresses;
    envelope.num_large_counts = large_counts;
    envelope.num_datatypes = datatypes;
  } else {
    int integers = 0;
    int addresses = 0;
    int datatypes = 0;
    if (mpi_.Type_get_envelope(handle_of<MPI_Datatype>(type), &integers, &addresses, &datatypes, &combiner) !=
        MPI_SUCCESS) {
      return std::nullopt;
    }
    envelope.num_integers = integers;
    envelope.num_addresses = addresses;
    envelope.num_datatypes = datatypes;
  }
  const std::optional<Combiner> known = combiner_of_value(combiner);
  if (!known) return std::nullopt;
  envelope.combiner = *known;
  return envelope;
}

std::optional<DecodedType> MpiQueries::decode(HandleBits type, std::string& problem) {
  const std::optional<Envelope> found = envelope(type);
  if (!found) {
    problem = "MPI_Type_get_envelope failed or gave an unknown combiner";
    return std::nullopt;
  }
  DecodedType decoded;
  decoded.envelope = *found;
  decoded.combiner = found->combiner;
  decoded.form = found->num_large_counts > 0 ? Form::large_counts : Form::int_counts;
  if (found->combiner == Combiner::named) return decoded;
  auto integers = room_for<int>(found->num_integers);
  auto addresses = room_for<MPI_Aint>(found->num_addresses);
  auto datatypes = room_for<MPI_Datatype>(found->num_datatypes);
  // Exact sizes: Open MPI 4.1.4 crashes where max_datatypes is larger than needed.
  auto large_counts = room_for<MPI_Count>(found->num_large_counts);
  const int status =
      has_large_counts()
          ? mpi_.Type_get_contents_c(handle_of<MPI_Datatype>(type), found->num_integers, found->num_addresses,
                                     found->num_large_counts, found->num_datatypes, integers.data(), addresses.data(),
                                     large_counts.data(), datatypes.data())
          : mpi_.Type_get_contents(handle_of<MPI_Datatype>(type), static_cast<int>(found->num_integers),
                                   static_cast<int>(found->num_addresses), static_cast<int>(found->num_datatypes),
                                   integers.data(), addresses.data(), datatypes.data());
  decoded.large_counts = widened(large_counts);
  if (status != MPI_SUCCESS) {
    problem = "MPI_Type_get_contents failed with error " + std::to_string(status);
    return std::nullopt;
  }
  decoded.integers = widened(integers);
  decoded.addresses = widened(addresses);
  for (const MPI_Datatype datatype : datatypes) decoded.datatypes.push_back(bits_of(datatype));
  mend_contents(decoded);
  return decoded;
}

std::string MpiQueries::name(HandleBits type) {
  char text[std::max(MPI_MAX_OBJECT_NAME + 1, 1024)] = {};  // another release may write more
  int length = 0;
  return mpi_.Type_get_name(handle_of<MPI_Datatype>(type), text, &length) == MPI_SUCCESS ? text : "";
}

void MpiQueries::release(HandleBits type) {
  MPI_Datatype handle = handle_of<MPI_Datatype>(type);
  mpi_.Type_free(&handle);
}

}  // namespace ddtscope::plugin
