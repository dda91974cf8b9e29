// A registry with a trace, against a library that the test plays.
#pragma once

#include <array>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plugin/registry/registry.h"
#include "plugin/registry/registry_calls.h"
#include "plugin/registry/trace_fixture.h"

namespace ddtscope::plugin {

inline constexpr EntryPoint get_pair{"MPI_Type_get_value_index", "c"};

/// Answers what the test put in, and counts what is released.
class FakeLibrary : public LibraryQueries {
 public:
  ObservedBounds bounds(HandleBits type) override {
    ++asked[type];
    return {64, 0, 64, 0, 64};
  }
  std::optional<DecodedType> decode(HandleBits type, std::string& problem) override {
    ++asked[type];
    const auto found = decoded.find(type);
    if (found == decoded.end()) {
      problem = "not known";
      return std::nullopt;
    }
    for (const HandleBits child : found->second.datatypes) ++handed_out[child];
    return found->second;
  }
  std::optional<Envelope> envelope(HandleBits type) override {
    ++asked[type];
    const auto found = decoded.find(type);
    return found == decoded.end() ? std::nullopt : std::optional(found->second.envelope);
  }
  std::string name(HandleBits type) override { return names[type]; }
  void release(HandleBits type) override { ++released[type]; }

  void knows_vector(HandleBits handle, std::array<std::int64_t, 3> arguments, HandleBits oldtype) {
    DecodedType type;
    type.combiner = Combiner::vector;
    type.envelope = {.num_integers = 3, .num_datatypes = 1, .combiner = Combiner::vector};
    type.integers = {arguments.begin(), arguments.end()};
    type.datatypes = {oldtype};
    decoded[handle] = type;
  }

  std::map<HandleBits, DecodedType> decoded;
  std::map<HandleBits, int> asked;  // in any way
  std::map<HandleBits, int> handed_out, released;
  std::map<HandleBits, std::string> names;
};

class RegistryTest : public TraceTest, public RegistryCalls {
 protected:
  void SetUp() override {
    TraceTest::SetUp();
    start({});
  }

  void get_value_index(HandleBits pair) {
    const std::array<std::int64_t, 2> parts{static_cast<std::int64_t>(mpi_double), static_cast<std::int64_t>(mpi_int)};
    ConstructorCall call;
    call.combiner = Combiner::value_index;
    registry_->created({.call = call,
                        .oldtypes = IntegerArray(std::span<const std::int64_t>(parts)),
                        .newtype = pair,
                        .called = &get_pair,
                        .stack = &stack_});
  }

  void start(Registry::Options options) {
    const std::vector predefined{basic_handle(mpi_int, "MPI_INT", 4), basic_handle(mpi_double, "MPI_DOUBLE", 8)};
    registry_ = std::make_unique<Registry>(
        options, Registry::Surroundings{{}, predefined, sites_, library_, writer_, pages_, memory_});
  }
  Registry& registry() override { return *registry_; }
  /// The trace's lines of one kind, after the end.
  std::vector<std::string> lines(const std::string& record) {
    if (!registry_->closed())
      registry_->close({.complete = true, .reason = "MPI_Finalize", .time = "2026-01-01T00:00:00.000Z"});
    return written(record);
  }
  std::string counts_of(const EntryPoint& called, int definition) {
    const std::string head = "\"definition\":" + std::to_string(definition) + ",\"called\":\"" + called.name +
                             "\",\"binding\":\"" + called.binding + "\"";
    for (const std::string& line : lines("instances")) {
      if (line.find(head) != std::string::npos)
        return line.substr(line.find("\"counts\":") + 9, line.size() - line.find("\"counts\":") - 10);
    }
    return "none";
  }

  /// What a reader of the file sees, whatever becomes of this process.
  std::vector<trace::CounterRecord> read_counters() {
    std::ifstream file(folder_ / "rank-0.counters", std::ios::binary);
    trace::CounterFileHeader header{};
    file.read(reinterpret_cast<char*>(&header), sizeof header);
    std::vector<trace::CounterRecord> records(header.records);
    file.read(reinterpret_cast<char*>(records.data()),
              static_cast<std::streamsize>(records.size() * sizeof(trace::CounterRecord)));
    return records;
  }

  /// What these records say of a definition, all together.
  trace::Counts counted_in_file(DefinitionNumber definition) {
    trace::Counts sum{{}, 0, 0, 0, 0};
    for (const trace::CounterRecord& record : read_counters()) {
      if (record.definition != definition.value) continue;
      sum.created += record.created;
      sum.adopted += record.adopted;
      sum.committed += record.committed;
      sum.freed += record.freed;
    }
    return sum;
  }

  FakeLibrary library_;
  std::unique_ptr<Registry> registry_;
};

}  // namespace ddtscope::plugin
