// Envelope and contents, in both directions, driven by the combiner table.
#include "decoder/definition/envelope.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ddtscope {
namespace {

enum class Destination : std::uint8_t { integers, addresses, large_counts };

/// MPI-4.1 5.1.13: the large form returns counts and addresses together, in the arguments' order.
Destination destination_of(ParameterKind kind, Form form) {
  switch (kind) {
    case ParameterKind::count:
      return form == Form::large_counts ? Destination::large_counts : Destination::integers;
    case ParameterKind::address:
      return form == Form::large_counts ? Destination::large_counts : Destination::addresses;
    case ParameterKind::integer:
      return Destination::integers;
  }
  return Destination::integers;
}

/// Calls visit(parameter, slot) for each parameter in the C argument order; slots count scalars and
/// arrays apart. Stops where visit returns false.
template <class Visit>
bool for_each_parameter(Combiner combiner, Visit visit) {
  std::size_t scalars = 0;
  std::size_t arrays = 0;
  for (const Parameter& parameter : row_of(combiner).parameters) {
    const bool is_scalar = parameter.shape == ParameterShape::scalar;
    if (!visit(parameter, is_scalar ? scalars++ : arrays++)) return false;
  }
  return true;
}

void fill(const ConstructorCall& call, const ContentsArrays& out) {
  std::array<std::span<std::int64_t>, 3> targets = {out.integers, out.addresses, out.large_counts};
  std::array<std::size_t, 3> used{};
  for_each_parameter(call.combiner, [&](const Parameter& parameter, std::size_t slot) {
    const auto destination = static_cast<std::size_t>(destination_of(parameter.kind, call.form));
    const std::span<std::int64_t> target = targets[destination];
    std::size_t& at = used[destination];
    if (parameter.shape == ParameterShape::scalar) {
      target[at++] = call.scalars[slot];
    } else {
      const IntegerArray& array = call.arrays[slot];
      for (std::size_t i = 0; i < array.length; ++i) target[at++] = array[i];
    }
    return true;
  });
  std::copy(call.datatypes.begin(), call.datatypes.end(), out.datatypes.begin());
}

std::size_t length_of(const Parameter& parameter, std::size_t count, std::size_t ndims) {
  if (parameter.shape == ParameterShape::scalar) return 1;
  return parameter.shape == ParameterShape::per_count ? count : ndims;
}

std::size_t expected_datatypes(const CombinerRow& row, std::size_t count) {
  switch (row.datatypes) {
    case DatatypeArguments::none:
      return 0;
    case DatatypeArguments::one:
      return 1;
    case DatatypeArguments::two:
      return 2;
    case DatatypeArguments::per_count:
      return count;
  }
  return 0;
}

}  // namespace

std::vector<std::int64_t>& Contents::values_of(ParameterKind kind, Form form) {
  switch (destination_of(kind, form)) {
    case Destination::integers:
      return integers;
    case Destination::addresses:
      return addresses;
    case Destination::large_counts:
      break;
  }
  return large_counts;
}

Envelope envelope_of(const ConstructorCall& call) {
  Envelope envelope;
  envelope.combiner = call.combiner;
  envelope.num_datatypes = static_cast<std::int64_t>(call.datatypes.size());
  for_each_parameter(call.combiner, [&](const Parameter& parameter, std::size_t slot) {
    const std::int64_t length =
        parameter.shape == ParameterShape::scalar ? 1 : static_cast<std::int64_t>(call.arrays[slot].length);
    switch (destination_of(parameter.kind, call.form)) {
      case Destination::integers:
        envelope.num_integers += length;
        break;
      case Destination::addresses:
        envelope.num_addresses += length;
        break;
      case Destination::large_counts:
        envelope.num_large_counts += length;
        break;
    }
    return true;
  });
  return envelope;
}

ErrorClass get_envelope(const DefinitionStore& store, DefinitionId id, Getter getter, Envelope& envelope) {
  const Envelope result = envelope_of(store[id].call);
  if (getter == Getter::int_counts && result.num_large_counts > 0) return ErrorClass::type;
  envelope = result;
  return ErrorClass::success;
}

ErrorClass get_contents(const DefinitionStore& store, DefinitionId id, Getter getter, const ContentsArrays& arrays) {
  const ConstructorCall& call = store[id].call;
  if (call.combiner == Combiner::named) return ErrorClass::type;
  Envelope needed;
  if (const ErrorClass error = get_envelope(store, id, getter, needed); error != ErrorClass::success) {
    return error;
  }
  const auto too_small = [](std::size_t offered, std::int64_t wanted) {
    return offered < static_cast<std::size_t>(wanted);
  };
  if (too_small(arrays.integers.size(), needed.num_integers) ||
      too_small(arrays.addresses.size(), needed.num_addresses) ||
      too_small(arrays.large_counts.size(), needed.num_large_counts) ||
      too_small(arrays.datatypes.size(), needed.num_datatypes)) {
    return ErrorClass::argument;
  }
  fill(call, arrays);
  return ErrorClass::success;
}

Contents contents_of(const ConstructorCall& call) {
  const Envelope envelope = envelope_of(call);
  Contents contents;
  contents.integers.resize(static_cast<std::size_t>(envelope.num_integers));
  contents.addresses.resize(static_cast<std::size_t>(envelope.num_addresses));
  contents.large_counts.resize(static_cast<std::size_t>(envelope.num_large_counts));
  contents.datatypes.resize(static_cast<std::size_t>(envelope.num_datatypes));
  fill(call, {contents.integers, contents.addresses, contents.large_counts, contents.datatypes});
  return contents;
}

Contents contents_of(Combiner combiner, Form form, const CallArguments& arguments) {
  Contents contents;
  for_each_parameter(combiner, [&](const Parameter& parameter, std::size_t slot) {
    std::vector<std::int64_t>& values = contents.values_of(parameter.kind, form);
    if (parameter.shape == ParameterShape::scalar) {
      values.push_back(arguments.scalars[slot]);
    } else {
      values.insert(values.end(), arguments.arrays[slot].begin(), arguments.arrays[slot].end());
    }
    return true;
  });
  contents.datatypes = arguments.datatypes;
  return contents;
}

std::optional<ArgumentProblem> impossible_lengths(Combiner combiner, Form form, const ContentsView& contents) {
  const CombinerRow& row = row_of(combiner);
  std::optional<ArgumentProblem> problem;
  const auto refuse = [&](std::string_view what, std::string_view why, ErrorClass error = ErrorClass::argument) {
    problem = {error, std::string(row.mpi_name) + ": " + std::string(what) + ' ' + std::string(why)};
    return false;
  };
  if (combiner == Combiner::named) {
    refuse("a predefined type", "has no contents", ErrorClass::type);
    return problem;
  }
  if (form == Form::large_counts && !row.has_large_form) {
    refuse(row.constructor, "has no large-count form");
    return problem;
  }
  const std::array<const IntegerArray*, 3> sources = {&contents.integers, &contents.addresses, &contents.large_counts};
  constexpr std::array<std::string_view, 3> source_names = {"integers", "addresses", "large_counts"};
  std::array<std::size_t, 3> used{};
  std::size_t count = 0;
  std::size_t ndims = 0;
  const bool complete = for_each_parameter(combiner, [&](const Parameter& parameter, std::size_t) {
    const auto from = static_cast<std::size_t>(destination_of(parameter.kind, form));
    const IntegerArray& source = *sources[from];
    const std::size_t length = length_of(parameter, count, ndims);
    if (length > source.length - used[from]) return refuse(source_names[from], "has too few values");
    const std::size_t at = used[from];
    used[from] += length;
    if (parameter.shape != ParameterShape::scalar) return true;
    const std::int64_t value = source[at];
    // Before it is taken for a length.
    if (const auto impossible =
            impossible_values(parameter, form, IntegerArray(std::span<const std::int64_t>(&value, 1)))) {
      problem = {impossible->error, std::string(row.mpi_name) + ": " + impossible->text};
      return false;
    }
    if (parameter.name == "count") count = static_cast<std::size_t>(value);
    if (parameter.name == "ndims") ndims = static_cast<std::size_t>(value);
    return true;
  });
  if (!complete) return problem;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (used[i] == sources[i]->length) continue;
    refuse(source_names[i], "has too many values");
    return problem;
  }
  if (contents.num_datatypes != expected_datatypes(row, count)) {
    refuse("datatypes", "has the wrong length", ErrorClass::type);
  }
  return problem;
}

bool CallFromContents::build(Combiner combiner, Form form, const Contents& contents) {
  const CombinerRow& row = row_of(combiner);
  call_ = ConstructorCall{};
  call_.combiner = combiner;
  call_.form = form;
  problem_.clear();
  error_ = ErrorClass::success;
  const auto refuse = [&](const ArgumentProblem& why) {
    problem_ = std::string(row.mpi_name) + ": " + why.text;
    error_ = why.error;
    return false;
  };
  const std::array<std::span<const std::int64_t>, 3> sources = {contents.integers, contents.addresses,
                                                                contents.large_counts};
  if (auto impossible = impossible_lengths(
          combiner, form,
          {IntegerArray(sources[0]), IntegerArray(sources[1]), IntegerArray(sources[2]), contents.datatypes.size()})) {
    problem_ = std::move(impossible->text);
    error_ = impossible->error;
    return false;
  }

  std::array<std::size_t, 3> used{};
  std::size_t count = 0;
  std::size_t ndims = 0;
  const bool complete = for_each_parameter(combiner, [&](const Parameter& parameter, std::size_t slot) {
    const auto from = static_cast<std::size_t>(destination_of(parameter.kind, form));
    const std::size_t length = length_of(parameter, count, ndims);
    const std::span<const std::int64_t> values = sources[from].subspan(used[from], length);
    used[from] += length;

    // Before a value is cut to an int.
    if (const auto impossible = impossible_values(parameter, form, IntegerArray(values))) return refuse(*impossible);
    const bool narrow = from == static_cast<std::size_t>(Destination::integers);
    if (parameter.shape == ParameterShape::scalar) {
      call_.scalars[slot] = values[0];
      if (parameter.name == "count") count = static_cast<std::size_t>(values[0]);
      if (parameter.name == "ndims") ndims = static_cast<std::size_t>(values[0]);
    } else if (narrow) {
      narrow_[slot].resize(length);
      for (std::size_t i = 0; i < length; ++i) {
        narrow_[slot][i] = static_cast<std::int32_t>(values[i]);
      }
      call_.arrays[slot] = IntegerArray(std::span<const std::int32_t>(narrow_[slot]));
    } else {
      wide_[slot].assign(values.begin(), values.end());
      call_.arrays[slot] = IntegerArray(std::span<const std::int64_t>(wide_[slot]));
    }
    return true;
  });
  if (!complete) return false;
  for (const DefinitionId id : contents.datatypes) {
    if (!id.valid()) return refuse({ErrorClass::type, "datatypes has an invalid element"});
  }
  datatypes_ = contents.datatypes;
  call_.datatypes = datatypes_;
  if (const auto impossible = impossible_argument(call_)) return refuse(*impossible);
  return true;
}

}  // namespace ddtscope
