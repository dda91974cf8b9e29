// One definition at a time: make it, ask, compare.
#include "testapps/differential/comparison.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <set>

#include "decoder/layout/typemap.h"
#include "decoder/notation/constructor_code.h"

namespace ddtscope::differential {
namespace {

constexpr std::size_t most_decoded_nodes = 200;
constexpr std::int64_t most_packed_bytes = 1 << 17;
constexpr std::int64_t farthest_packed = 1 << 17;

/// Three buffers of the same length: byte i holds the k-th byte of the number i. What is packed out of each of them
/// tells where every packed byte came from. The bytes in use are in the middle, so that a library that reads at wrong
/// places still reads marks.
class MarkedBytes {
 public:
  static constexpr std::size_t planes = 3;
  static constexpr std::int64_t length = 1 << 20;

  MarkedBytes() {
    for (std::size_t plane = 0; plane < planes; ++plane) {
      bytes_[plane].resize(length);
      for (std::size_t i = 0; i < bytes_[plane].size(); ++i) {
        bytes_[plane][i] = static_cast<unsigned char>(i >> (8 * plane));
      }
    }
  }
  const unsigned char* at(std::size_t plane, std::int64_t place) const { return bytes_[plane].data() + place; }
  /// Where the buffer argument points, for data in [low, high).
  static std::int64_t place_of_buffer(std::int64_t low, std::int64_t high) {
    return (length / 2 - (low + high) / 2) & ~std::int64_t{63};
  }

 private:
  std::array<std::vector<unsigned char>, planes> bytes_;
};

const MarkedBytes& marked_bytes() {
  static const MarkedBytes bytes;
  return bytes;
}

/// What stands in the packed buffer before the library writes into it.
constexpr unsigned char unwritten = 0xA5;

/// Where a library may leave packed bytes as they are: the padding of a long double is no data.
struct PaddedType {
  std::int64_t size, part, data;  // of every `part` bytes the first `data` ones count
};

/// Open MPI has assigned elements, and not copied bytes, since 5.0.
bool assigns_long_doubles() {
  return rule_of_library == BoundsRule::mpich || release_of_library().release->model != BoundsModel::openmpi_4_1;
}

constexpr std::int64_t long_double_bytes = 10;  // of the 16 that it takes on x86-64

std::optional<PaddedType> padding_of(const PredefinedType& type) {
  if (type.name == "MPI_LONG_DOUBLE" || type.name == "MPI_C_LONG_DOUBLE_COMPLEX" ||
      type.name == "MPI_CXX_LONG_DOUBLE_COMPLEX") {
    return PaddedType{type.size, 16, long_double_bytes};
  }
  return std::nullopt;
}

std::string text_of(const std::optional<std::int64_t>& value) {
  return value ? std::to_string(*value) : "MPI_UNDEFINED";
}

std::string text_of(const std::vector<std::int64_t>& values) {
  std::string text = "[";
  for (const std::int64_t value : values) text += (text.size() > 1 ? ", " : "") + std::to_string(value);
  return text + "]";
}

std::string text_of(const Envelope& envelope) {
  return std::string(row_of(envelope.combiner).mpi_name) + " " + std::to_string(envelope.num_integers) + "/" +
         std::to_string(envelope.num_addresses) + "/" + std::to_string(envelope.num_large_counts) + "/" +
         std::to_string(envelope.num_datatypes);
}

std::string text_of(const Contents& contents) {
  return text_of(contents.integers) + text_of(contents.addresses) + text_of(contents.large_counts);
}

/// MPI_UNDEFINED as a bound is not told apart from a bound of that very value.
std::optional<std::int64_t> reported(Exact value) {
  const std::optional<std::int64_t> number = value.to_int64();
  return number && *number == mpi_undefined ? std::nullopt : number;
}

}  // namespace

bool is_right(const PackedEntry& entry) {
  const PaddedType parts =
      padding_of(entry.type).value_or(PaddedType{entry.type.size, entry.type.size, entry.type.size});
  for (std::int64_t i = 0; i < entry.type.size; ++i) {
    const std::int64_t origin = entry.origins[static_cast<std::size_t>(i)];
    const bool is_padding = i % parts.part >= parts.data;
    if (origin != entry.displacement + i && !(is_padding && origin == no_origin)) return false;
  }
  return true;
}

bool is_cut_to_long_double(const PackedEntry& entry) {
  static constexpr std::string_view names[] = {"MPI_REAL16", "MPI_COMPLEX32", "MPI_INTEGER16", "MPI_LOGICAL16"};
  if (std::find(std::begin(names), std::end(names), entry.type.name) == std::end(names)) return false;
  for (std::int64_t i = 0; i < entry.type.size; ++i) {
    const std::int64_t expected = i % 16 < long_double_bytes ? entry.displacement + i : no_origin;
    if (entry.origins[static_cast<std::size_t>(i)] != expected) return false;
  }
  return true;
}

bool is_packed_from(const Layouts& layouts, DefinitionId id, const Difference& difference,
                    bool (*is_accepted)(const PackedEntry& entry)) {
  const std::span<const std::int64_t> origins = difference.origins;
  std::size_t at = 0;
  for (int copy = 0; copy < difference.copies; ++copy) {
    const Exact origin = Exact(copy) * layouts.extent(id);
    TypemapCursor entries(layouts, layouts.root(id));
    for (TypemapEntry entry; entries.next(entry);) {
      const PredefinedType& type = layouts.store().predefined()[entry.type];
      const auto size = static_cast<std::size_t>(type.size);
      if (at + size > origins.size()) return false;
      const std::int64_t displacement = *(origin + entry.displacement).to_int64();
      if (!is_accepted({type, displacement, origins.subspan(at, size)})) return false;
      at += size;
    }
  }
  return at == origins.size();
}

std::string_view text_of(Aspect aspect) {
  switch (aspect) {
    case Aspect::construct:
      return "constructor";
    case Aspect::int_envelope:
      return "int envelope";
    case Aspect::contents:
      return "contents";
    case Aspect::size:
      return "size";
    case Aspect::lb:
      return "lb";
    case Aspect::extent:
      return "extent";
    case Aspect::true_lb:
      return "true_lb";
    case Aspect::true_extent:
      return "true_extent";
    case Aspect::commit:
      return "commit";
    case Aspect::pack:
      return "pack";
    case Aspect::free:
      return "free";
  }
  return "";
}

std::string text_of_kind(const Difference& difference) {
  std::string text(text_of(difference.aspect));
  if (difference.kind == Difference::Kind::crash) text += ", crash (" + difference.got + ")";
  if (difference.kind == Difference::Kind::hang) text += ", hang";
  return text;
}

std::vector<DefinitionId> reached_definitions(const DefinitionStore& store, DefinitionId id) {
  std::set<DefinitionId> reached;  // oldtypes have smaller numbers
  std::vector<DefinitionId> open = {id};
  while (!open.empty()) {
    const DefinitionId next = open.back();
    open.pop_back();
    if (!reached.insert(next).second) continue;
    for (const DefinitionId oldtype : store[next].call.datatypes) open.push_back(oldtype);
  }
  return {reached.begin(), reached.end()};
}

std::vector<std::int64_t> packed_origins(const Layouts& layouts, DefinitionId id, int copies) {
  std::vector<std::int64_t> origins;
  for (int copy = 0; copy < copies; ++copy) {
    BlockCursor blocks(layouts, layouts.root(id));
    const std::int64_t origin = *(Exact(copy) * layouts.extent(id)).to_int64();
    for (Block block; blocks.next(block);) {
      for (std::int64_t i = 0; i < *block.length.to_int64(); ++i) {
        origins.push_back(origin + *block.displacement.to_int64() + i);
      }
    }
  }
  return origins;
}

Comparison::Comparison(test::TestStore& types, std::atomic<Aspect>& stage)
    : types_(types),
      stage_(stage),
      library_rule_(types.store(), release_of_library().release->model),
      standard_rule_(types.store(), BoundsModel::standard),
      observed_layouts_(types.store()) {}

Comparison::~Comparison() {
  stage_ = Aspect::free;
  for (std::uint32_t i = 0; i < handles_.size(); ++i) {
    if (handles_[i] != MPI_DATATYPE_NULL && !is_leaf(DefinitionId{i})) MPI_Type_free(&handles_[i]);
  }
}

bool Comparison::is_leaf(DefinitionId id) const {
  const Combiner combiner = types_.store()[id].call.combiner;
  return combiner == Combiner::named || is_unnamed_predefined(combiner);
}

const Layouts& Comparison::observed_layouts(DefinitionId id) {
  while (observed_layouts_.size() <= id.value) {
    observed_layouts_.add(DefinitionId{static_cast<std::uint32_t>(observed_layouts_.size())});
  }
  return observed_layouts_;
}

void Comparison::observe_as(DefinitionId id, DefinitionId like) {
  observed_layouts(std::max(id, like));
  if (const auto bounds = observed_layouts_.observed(like)) observed_layouts_.observe(id, *bounds);
}

MPI_Datatype Comparison::handle(DefinitionId id) {
  if (handles_.size() <= id.value) handles_.resize(id.value + 1, MPI_DATATYPE_NULL);
  if (handles_[id.value] != MPI_DATATYPE_NULL) return handles_[id.value];
  // Oldtypes first, without recursion over the depth.
  std::vector<DefinitionId> wanted = {id};
  while (!wanted.empty()) {
    const DefinitionId next = wanted.back();
    const Definition& definition = types_.store()[next];
    if (handles_[next.value] != MPI_DATATYPE_NULL) {
      wanted.pop_back();
      continue;
    }
    MPI_Datatype& made = handles_[next.value];
    if (is_leaf(next)) {
      made = leaf_handle(types_.store(), next);
    } else {
      std::vector<MPI_Datatype> oldtypes;
      bool complete = true;
      for (const DefinitionId oldtype : definition.call.datatypes) {
        oldtypes.push_back(handles_[oldtype.value]);
        if (oldtypes.back() == MPI_DATATYPE_NULL) {
          complete = false;
          wanted.push_back(oldtype);
        }
      }
      if (!complete) continue;
      error_ = construct(definition.call, oldtypes, &made);
      if (error_ != MPI_SUCCESS) {
        made = MPI_DATATYPE_NULL;
        return MPI_DATATYPE_NULL;
      }
      observed_layouts(next);
      observed_layouts_.observe(next, observe(made));
    }
    wanted.pop_back();
  }
  return handles_[id.value];
}

std::vector<Difference> Comparison::compare(DefinitionId id, Packing packing) {
  std::vector<Difference> differences;
  was_packed_ = false;
  stage_ = Aspect::construct;
  const MPI_Datatype type = handle(id);
  if (type == MPI_DATATYPE_NULL) {
    differences.push_back({Aspect::construct, Difference::Kind::answer, "MPI_SUCCESS", text_of_error(error_)});
    return differences;
  }
  compare_int_envelope(id, differences);
  compare_contents(id, differences);
  for (Difference& difference : bounds_differences(id, library_rule_)) differences.push_back(std::move(difference));
  if (!is_leaf(id)) {
    stage_ = Aspect::commit;
    const int error = MPI_Type_commit(&handles_[id.value]);
    if (error != MPI_SUCCESS) {
      differences.push_back({Aspect::commit, Difference::Kind::answer, "MPI_SUCCESS", text_of_error(error)});
      return differences;
    }
  }
  stage_ = Aspect::pack;
  compare_pack(id, 1, differences);
  for (int copies = 2; copies <= 3; ++copies) {
    // By the key, which is the same in every process.
    const bool is_chosen = types_.store()[id].key % 8 == static_cast<Key>(copies);
    if (is_chosen || packing == Packing::up_to_three) compare_pack(id, copies, differences);
  }
  return differences;
}

void Comparison::compare_int_envelope(DefinitionId id, std::vector<Difference>& differences) {
  stage_ = Aspect::int_envelope;
  const Envelope expected = envelope_of(types_.store()[id].call);
  Envelope got;
  const int error = int_envelope(handles_[id.value], got);
  int error_class = error;
  if (error != MPI_SUCCESS) MPI_Error_class(error, &error_class);
  const bool is_refused = expected.num_large_counts > 0;
  if (error_class == (is_refused ? MPI_ERR_TYPE : MPI_SUCCESS) && (is_refused || got == expected)) return;
  differences.push_back({Aspect::int_envelope, Difference::Kind::answer,
                         is_refused ? text_of_error(MPI_ERR_TYPE) : text_of(expected),
                         error != MPI_SUCCESS ? text_of_error(error) : text_of(got)});
}

/// The decoding calls on the type, on the types that they return, and so on: to the library's handles belong the
/// definition's own oldtypes.
void Comparison::compare_contents(DefinitionId id, std::vector<Difference>& differences) {
  stage_ = Aspect::contents;
  struct Returned {
    DefinitionId expected;
    MPI_Datatype handle;
    bool is_owned;
  };
  std::vector<Returned> open = {{id, handles_[id.value], false}};
  std::vector<MPI_Datatype> owned;
  for (std::size_t looked_at = 0; !open.empty(); ++looked_at) {
    const Returned returned = open.back();
    open.pop_back();
    if (returned.is_owned) owned.push_back(returned.handle);
    if (looked_at >= most_decoded_nodes) continue;
    const Definition& definition = types_.store()[returned.expected];
    DecodedType decoded = decode(returned.handle);
    const std::string who = returned.expected == id ? "" : "oldtype: ";
    if (decoded.error != MPI_SUCCESS) {
      differences.push_back(
          {Aspect::contents, Difference::Kind::answer, who + "MPI_SUCCESS", text_of_error(decoded.error)});
      continue;
    }
    const Envelope expected = envelope_of(definition.call);
    if (decoded.envelope != expected) {
      differences.push_back(
          {Aspect::contents, Difference::Kind::answer, who + text_of(expected), text_of(decoded.envelope)});
    }
    const bool is_leaf_pair = definition.call.combiner == Combiner::named;
    if (is_leaf_pair && returned.handle != handles_[returned.expected.value]) {
      differences.push_back({Aspect::contents, Difference::Kind::answer,
                             who + types_.store().predefined()[definition.predefined].name, "another predefined type"});
    }
    Contents contents = contents_of(definition.call);
    contents.datatypes.clear();
    if (decoded.envelope == expected && decoded.contents != contents) {
      differences.push_back(
          {Aspect::contents, Difference::Kind::answer, who + text_of(contents), text_of(decoded.contents)});
    }
    for (std::size_t i = 0; i < decoded.datatypes.size(); ++i) {
      const bool is_known = i < definition.call.datatypes.size();
      const DefinitionId child = is_known ? definition.call.datatypes[i] : DefinitionId{};
      if (!is_known) continue;
      open.push_back({child, decoded.datatypes[i], !is_leaf(child)});
    }
  }
  for (MPI_Datatype& type : owned) MPI_Type_free(&type);
}

std::vector<Difference> Comparison::bounds_differences(DefinitionId id, RuleLayouts& rule) {
  stage_ = Aspect::size;
  std::vector<Difference> differences;
  const ObservedBounds got = observe(handles_[id.value]);
  const Bounds& expected = rule.bounds(id);
  const auto compare_one = [&](Aspect aspect, Exact wanted, const std::optional<std::int64_t>& answer) {
    if (reported(wanted) == answer) return;
    differences.push_back({aspect, Difference::Kind::answer, text_of(reported(wanted)), text_of(answer)});
  };
  compare_one(Aspect::size, expected.size, got.size);
  compare_one(Aspect::lb, expected.lb, got.lb);
  compare_one(Aspect::extent, expected.extent, got.extent);
  compare_one(Aspect::true_lb, expected.true_lb, got.true_lb);
  compare_one(Aspect::true_extent, expected.true_extent, got.true_extent);
  return differences;
}

void Comparison::compare_pack(DefinitionId id, int copies, std::vector<Difference>& differences) {
  const Layouts& layouts = observed_layouts(id);
  const LayoutFacts& facts = layouts.facts(id);
  const Exact last = Exact(copies - 1) * layouts.extent(id);
  const Exact low = facts.true_lb + min(Exact(0), last);
  const Exact high = facts.true_ub + max(Exact(0), last);
  const Exact size = Exact(copies) * facts.size;
  if (!(size < Exact(most_packed_bytes)) || !(high - low < Exact(farthest_packed)) ||
      !(abs(low) < Exact(std::int64_t{1} << 40)) || !(facts.blocks < Exact(most_packed_bytes))) {
    return;
  }
  was_packed_ = true;
  const MarkedBytes& marks = marked_bytes();
  const std::int64_t place = MarkedBytes::place_of_buffer(*low.to_int64(), *high.to_int64());
  const auto expected_size = static_cast<std::size_t>(*size.to_int64());

  // More room than should be needed: a library that packs too much must show it, not write elsewhere.
  static std::array<std::vector<unsigned char>, MarkedBytes::planes> packed;
  std::int64_t packed_size = 0;
  for (std::size_t plane = 0; plane < packed.size(); ++plane) {
    packed[plane].assign(expected_size + 4096, unwritten);
    int position = 0;
    const int error = MPI_Pack(marks.at(plane, place), copies, handles_[id.value], packed[plane].data(),
                               static_cast<int>(packed[plane].size()), &position, MPI_COMM_SELF);
    packed_size = position;
    if (error != MPI_SUCCESS) {
      differences.push_back({Aspect::pack, Difference::Kind::answer, "MPI_SUCCESS", text_of_error(error), {}, copies});
      return;
    }
    if (packed_size != static_cast<std::int64_t>(expected_size)) break;
  }

  // Whole blocks at once, but entry by entry where some bytes of an entry do not count.
  bool is_same = packed_size == static_cast<std::int64_t>(expected_size);
  const auto same_bytes = [&](std::size_t at, std::int64_t displacement, std::size_t length) {
    for (std::size_t plane = 0; plane < packed.size(); ++plane) {
      if (std::memcmp(packed[plane].data() + at, marks.at(plane, place + displacement), length) != 0) return false;
    }
    return true;
  };
  std::size_t at = 0;
  for (int copy = 0; copy < copies && is_same; ++copy) {
    const std::int64_t origin = *(Exact(copy) * layouts.extent(id)).to_int64();
    if (!assigns_long_doubles()) {
      BlockCursor blocks(layouts, layouts.root(id));
      for (Block block; is_same && blocks.next(block);) {
        const auto length = static_cast<std::size_t>(*block.length.to_int64());
        is_same = same_bytes(at, origin + *block.displacement.to_int64(), length);
        at += length;
      }
      continue;
    }
    TypemapCursor entries(layouts, layouts.root(id));
    for (TypemapEntry entry; is_same && entries.next(entry);) {
      const PredefinedType& type = types_.store().predefined()[entry.type];
      const std::int64_t displacement = origin + *entry.displacement.to_int64();
      const PaddedType parts = padding_of(type).value_or(PaddedType{type.size, type.size, type.size});
      for (std::int64_t part = 0; part < parts.size; part += parts.part) {
        is_same = is_same && same_bytes(at + static_cast<std::size_t>(part), displacement + part,
                                        static_cast<std::size_t>(parts.data));
      }
      at += static_cast<std::size_t>(type.size);
    }
  }
  if (is_same) return;

  Difference difference = {Aspect::pack, Difference::Kind::answer, {}, {}, {}, copies};
  for (std::size_t i = 0; i < static_cast<std::size_t>(packed_size) && i < packed[0].size(); ++i) {
    std::int64_t origin = 0;
    bool is_written = false;
    for (std::size_t plane = 0; plane < packed.size(); ++plane) {
      origin |= static_cast<std::int64_t>(packed[plane][i]) << (8 * plane);
      is_written = is_written || packed[plane][i] != unwritten;
    }
    difference.origins.push_back(is_written ? origin - place : no_origin);
  }
  const std::vector<std::int64_t> wanted = packed_origins(layouts, id, copies);
  std::size_t first = 0;
  while (first < wanted.size() && first < difference.origins.size() && wanted[first] == difference.origins[first]) {
    ++first;
  }
  const auto text_from = [&](const std::vector<std::int64_t>& origins) {
    std::string text;
    for (std::size_t i = first; i < std::min(origins.size(), first + 24); ++i) {
      text += (text.empty() ? "" : ", ") + (origins[i] == no_origin ? "unwritten" : std::to_string(origins[i]));
    }
    return std::to_string(origins.size()) + " bytes, from byte " + std::to_string(first) + " on of buffer offsets [" +
           text + "]";
  };
  difference.expected = text_from(wanted);
  difference.got = text_from(difference.origins);
  if (copies > 1) difference.got += " (" + std::to_string(copies) + " copies)";
  differences.push_back(std::move(difference));
}

}  // namespace ddtscope::differential
