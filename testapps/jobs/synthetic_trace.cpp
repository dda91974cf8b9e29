// Writes the trace of a job that nobody ran, of any size, by the plugin's own writer: what readers are measured with.
//
//   synthetic_trace FOLDER RANKS DEFINITIONS COMMON [SEED [CHANNELS]]
//
// Each of RANKS ranks has DEFINITIONS definitions; COMMON of a hundred are those of all ranks, the others its own, and
// stand among the common ones where chance put them. The definitions are those of programs on grids and meshes, up to
// four constructors deep. With CHANNELS each rank sends on so many channels and receives on as many, thousands of
// messages on each; of one in a hundred ranks one receive has another type.
#include <sys/stat.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "decoder/bounds/bounds.h"
#include "decoder/testing/test_store.h"
#include "reporters/trace/write/writer.h"

namespace ddtscope {
namespace {

struct Shape {
  std::int64_t ranks, definitions, common_percent, seed, channels;
};

constexpr int call_sites = 60;
constexpr int stack_depth = 8;
constexpr int greatest_depth = 4;

class Job {
 public:
  explicit Job(const Shape& shape)
      : shape_(shape), types_(test::openmpi_constants, test::many_predefined_types()), random_(seed()) {
    for (std::int64_t i = 0; i < common_count(); ++i) common_.push_back(make(common_));
  }

  bool write(const std::string& folder, std::int64_t rank) {
    trace::Writer writer;
    if (!writer.create(folder + "/rank-" + std::to_string(rank) + ".jsonl")) return false;
    writer.header(header(rank));
    writer.module({0}, "/opt/code/bin/solver", "5ac6b5a0c15b7ac1be3ae3b6a3c2a7f0b3c5d7e1");
    writer.module({1}, "/opt/code/lib/libmesh.so.4", "0d1f2a3b4c5d6e7f8091a2b3c4d5e6f708192a3b");
    trace::DefinitionNumbers numbers;
    sites_.clear();
    frames_ = 0;
    std::int64_t commons = 0;
    std::int64_t owns = 0;
    random_.seed(seed() + static_cast<std::uint64_t>(rank) + 1);
    for (std::int64_t i = 0; i < shape_.definitions; ++i) {
      const bool is_own = number(1, shape_.definitions - i) <= shape_.definitions - common_count() - owns;
      owns += is_own ? 1 : 0;
      const DefinitionId id = is_own ? make(written_) : common_[static_cast<std::size_t>(commons++)];
      numbers.give(id);
      writer.definition({id, site_of(id, writer), "MPI_Type_commit"}, {types_.store(), numbers},
                        *types_.layouts().observed(id));
      written_.push_back(id);
    }
    for (const DefinitionId id : written_) {
      const trace::Counts counts{sites_.at(site_number(id)), 40, 0, 40, 40};
      writer.instances({numbers[id], "MPI_Type_vector", "c", {&counts, 1}});
    }
    written_.clear();
    if (shape_.channels != 0) write_messages(writer, rank);
    writer.end({.complete = true, .reason = "MPI_Finalize", .ended = "2026-11-21T12:00:00.000Z"});
    return !writer.stopped();
  }

 private:
  std::uint64_t seed() const { return static_cast<std::uint64_t>(shape_.seed) << 32; }
  std::int64_t common_count() const { return shape_.definitions * shape_.common_percent / 100; }
  std::int64_t number(std::int64_t least, std::int64_t greatest) {
    return std::uniform_int_distribution<std::int64_t>(least, greatest)(random_);
  }

  /// A definition that is new, made of a basic type or of one of `known` that is simple enough.
  DefinitionId make(const std::vector<DefinitionId>& known) {
    while (true) {
      const std::size_t before = types_.store().size();
      const DefinitionId id = draw(known);
      if (types_.store().size() == before) continue;
      observe(id);
      return id;
    }
  }

  DefinitionId draw(const std::vector<DefinitionId>& known) {
    const char* const basic[] = {"MPI_DOUBLE", "MPI_INT", "MPI_FLOAT", "MPI_LONG"};
    DefinitionId oldtype = types_.named(basic[number(0, 3)]);
    if (!known.empty() && number(0, 3) == 0) {
      const std::int64_t last = static_cast<std::int64_t>(known.size()) - 1;
      const DefinitionId derived = known[static_cast<std::size_t>(number(0, last))];
      if (depth_[derived.value] < greatest_depth) oldtype = derived;
    }
    const std::int64_t n = number(2, 500);
    const DefinitionId made = [&] {
      switch (number(0, 6)) {
        case 0:
          return types_.vector(n, number(1, 4), number(5, 4000), oldtype);
        case 1:
          return types_.hvector(n, 1, number(4096, 1 << 20), oldtype);
        case 2: {
          std::vector<std::int64_t> at, lengths;
          for (std::int64_t i = 0, next = 0; i < 12; ++i) {
            lengths.push_back(number(1, 5));
            at.push_back(next += number(5, 900));
          }
          return types_.indexed(lengths, at, oldtype);
        }
        case 3:
          return types_.subarray({n + 4, n + 8, 64}, {n, n, 60}, {2, number(0, 4), 2}, types_.constants().order_c,
                                 oldtype);
        case 4:
          return types_.structure({3, 1, 1}, {0, 24, 24 + 8 * number(1, 4000)},
                                  {types_.named("MPI_DOUBLE"), types_.named("MPI_INT"), oldtype});
        case 5:
          return types_.resized(oldtype, 0, 8 * number(1, 1 << 20));
        default:
          return types_.contiguous(number(2, 1 << 20), oldtype);
      }
    }();
    if (depth_.size() <= made.value) depth_.resize(made.value + 1, 0);
    depth_[made.value] = depth_[oldtype.value] + 1;
    return made;
  }

  void observe(DefinitionId id) {
    const Bounds& bounds = types_.bounds(id);
    types_.layouts().observe(id, as_answered(bounds));
  }

  static std::uint64_t site_number(DefinitionId id) { return id.value % call_sites; }

  FrameNumber site_of(DefinitionId id, trace::Writer& writer) {
    const std::uint64_t number = site_number(id);
    const auto [found, is_new] = sites_.try_emplace(number, FrameNumber{frames_ + stack_depth - 1});
    if (is_new) {
      std::vector<trace::Frame> frames;
      for (std::uint64_t i = 0; i < stack_depth; ++i) {
        frames.push_back(
            {ModuleNumber{static_cast<std::uint32_t>(i / 5)}, 0x4000 + 0x40 * i + 0x1000 * (i < 5 ? 0 : number)});
      }
      writer.frames({frames_}, {}, frames);
      frames_ += stack_depth;
    }
    return found->second;
  }

  /// Channels of this number are one exchange: of the same sequence.
  static constexpr std::uint32_t exchanges = 20;
  static constexpr std::int64_t ranks_with_a_mistake = 100;  // one of so many

  void write_messages(trace::Writer& writer, std::int64_t rank) {
    const char* const basic[] = {"MPI_DOUBLE", "MPI_INT", "MPI_FLOAT", "MPI_LONG"};
    std::uint32_t operations = 0;
    const auto write_operation = [&](const char* called, const char* type, std::int64_t elements) {
      writer.operation({.number = {operations++},
                        .predefined = type,
                        .elements = static_cast<std::uint64_t>(elements),
                        .called = called,
                        .binding = "c",
                        .parameter = trace::UseParameter::datatype,
                        .site = FrameNumber{}});
    };
    for (const char* called : {"MPI_Isend", "MPI_Irecv"}) {
      for (std::int64_t i = 0; i < exchanges; ++i) write_operation(called, basic[i % 4], 100 + i);
    }
    write_operation("MPI_Irecv", "MPI_C_COMPLEX", 100);
    const auto wrong = operations - 1;
    // A message at first, and then two of each step.
    for (std::uint32_t i = 0; i < 2 * exchanges; ++i) {
      const std::uint32_t next = i < exchanges ? (i + 4) % exchanges : exchanges + (i + 4) % exchanges;
      const SequenceElement elements[] = {{0, i}, {1000 + i % exchanges, 2}, {0, i}, {0, next}};
      writer.sequence({i}, elements);
    }
    const SequenceElement mistaken[] = {{0, wrong}, {1000, 2}, {0, exchanges}, {0, exchanges + 4}};
    writer.sequence({2 * exchanges}, mistaken);
    for (std::int64_t i = 0; i < exchanges; ++i) {
      write_channels(writer, rank, {ChannelDirection::send, i});
      write_channels(writer, rank, {ChannelDirection::receive, i});
    }
    writer.messages({});
  }

  struct Exchange {
    ChannelDirection direction;
    std::int64_t number;
  };
  void write_channels(trace::Writer& writer, std::int64_t rank, Exchange exchange) const {
    const bool is_send = exchange.direction == ChannelDirection::send;
    std::vector<ChannelEnd> ends;
    for (std::int64_t channel = exchange.number; channel < shape_.channels; channel += exchanges) {
      const std::int64_t distance = (1 + channel * 7) % shape_.ranks;
      const std::int64_t peer = (rank + (is_send ? distance : shape_.ranks - distance)) % shape_.ranks;
      ends.push_back({static_cast<std::int32_t>(peer), static_cast<std::int32_t>(channel)});
    }
    trace::ChannelsLine line;
    line.predefined = PredefinedCommunicator::world;
    line.direction = exchange.direction;
    line.sequence = {static_cast<std::uint32_t>(exchange.number + (is_send ? 0 : exchanges))};
    line.channels = ends;
    if (!is_send && exchange.number == 0 && rank % ranks_with_a_mistake == 0 && !ends.empty()) {
      line.channels = std::span(ends).first(1);
      line.sequence = {static_cast<std::uint32_t>(2 * exchanges)};
      writer.channels(line);
      line.channels = std::span(ends).subspan(1);
      line.sequence = {static_cast<std::uint32_t>(exchanges)};
    }
    if (!line.channels.empty()) writer.channels(line);
  }

  HeaderRecord header(std::int64_t rank) const {
    HeaderRecord header;
    header.tool = "0.1.0";
    header.job = "synthetic-" + std::to_string(shape_.seed);
    header.library_name = "openmpi";
    header.library_version = "Open MPI v4.1.4";
    header.library_standard = "3.1";
    header.host = "node" + std::to_string(rank / 64);
    header.pid = 1000 + rank % 64;
    header.rank = Rank{{}, rank};
    header.size = shape_.ranks;
    header.program = "/opt/code/bin/solver";
    header.started = "2026-11-21T11:00:00.000Z";
    header.stack_depth = stack_depth;
    header.messages = shape_.channels != 0;
    trace::add_types(header, types_.store());
    return header;
  }

  Shape shape_;
  test::TestStore types_;
  std::mt19937_64 random_;
  std::vector<DefinitionId> common_;
  std::vector<int> depth_;
  // Of the rank being written.
  std::unordered_map<std::uint64_t, FrameNumber> sites_;
  std::vector<DefinitionId> written_;
  std::uint32_t frames_ = 0;
};

bool parse(int argc, char** argv, Shape& shape) {
  std::int64_t* const values[] = {&shape.ranks, &shape.definitions, &shape.common_percent, &shape.seed,
                                  &shape.channels};
  if (argc < 5 || argc > 7) return false;
  for (int i = 2; i < argc; ++i) {
    const char* const end = argv[i] + std::strlen(argv[i]);
    const auto [stop, error] = std::from_chars(argv[i], end, *values[i - 2]);
    if (error != std::errc() || stop != end || *values[i - 2] < 0) return false;
  }
  return shape.common_percent <= 100;
}

}  // namespace
}  // namespace ddtscope

int main(int argc, char** argv) {
  ddtscope::Shape shape{0, 0, 0, 1, 0};
  if (!ddtscope::parse(argc, argv, shape)) {
    std::fprintf(stderr, "usage: %s FOLDER RANKS DEFINITIONS COMMON_PERCENT [SEED [CHANNELS]]\n", argv[0]);
    return 2;
  }
  if (mkdir(argv[1], 0777) != 0) {
    std::perror(argv[1]);
    return 1;
  }
  ddtscope::Job job(shape);
  for (std::int64_t rank = 0; rank < shape.ranks; ++rank) {
    if (!job.write(argv[1], rank)) {
      std::fprintf(stderr, "%s: rank %lld could not be written\n", argv[1], static_cast<long long>(rank));
      return 1;
    }
  }
  return 0;
}
