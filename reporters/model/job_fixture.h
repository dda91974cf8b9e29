// A job whose types, call sites and lives a test makes.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>

#include "decoder/bounds/bounds.h"
#include "decoder/testing/test_store.h"
#include "reporters/model/job.h"

namespace ddtscope::reporters::test {

using namespace ddtscope::test;  // both rooms' are at hand

class JobFixture : public testing::Test {
 protected:
  explicit JobFixture(const LibraryConstants& constants = openmpi_constants) : job_(constants) {
    for (const PredefinedType& type : many_predefined_types()) job_.store.add_predefined(type);
    job_.modules.push_back({"/nowhere/app", std::nullopt});
  }

  /// Ranks that ended MPI, or run still where `ended` is empty.
  void ranks(int number, const char* ended = "MPI_Finalize") {
    for (int i = 0; i < number; ++i) {
      JobRank rank;
      rank.header.rank = Rank{{}, i};
      if (*ended != '\0') rank.end = EndRecord{true, ended, {}};
      job_.ranks.push_back(std::move(rank));
    }
  }

  DefinitionId named(const char* name) const { return *job_.store.find_predefined(name); }

  TypeNumber make(Combiner combiner, const Contents& contents, Form form = Form::int_counts) {
    CallFromContents call;
    EXPECT_TRUE(call.build(combiner, form, contents)) << call.problem();
    const DefinitionId id = job_.store.intern(call.call()).id;
    job_.observed_bounds.add(id, as_answered(job_.layouts.computed(id)));
    JobType type;
    type.number = TypeNumber{static_cast<std::uint32_t>(job_.types.size() + 1)};
    type.definition = id;
    job_.numbers.resize(job_.store.size());
    job_.numbers[id.value] = type.number;
    job_.types.push_back(type);
    return type.number;
  }
  TypeNumber contiguous(std::int64_t count) {
    return make(Combiner::contiguous, {{count}, {}, {}, {named("MPI_DOUBLE")}});
  }
  TypeNumber vector(std::int64_t count, std::int64_t blocklength, std::int64_t stride, const char* of = "MPI_DOUBLE") {
    return make(Combiner::vector, {{count, blocklength, stride}, {}, {}, {named(of)}});
  }
  struct Member {
    std::int64_t displacement;
    const char* basic;
  };
  TypeNumber structure(std::initializer_list<Member> members) {
    Contents contents;
    contents.integers.push_back(static_cast<std::int64_t>(members.size()));
    for (const Member& member : members) {
      contents.integers.push_back(1);
      contents.addresses.push_back(member.displacement);
      contents.datatypes.push_back(named(member.basic));
    }
    return make(Combiner::structure, contents);
  }
  TypeNumber dup(TypeNumber of) { return make(Combiner::dup, {{}, {}, {}, {job_.type(of).definition}}); }

  FrameIndex frame(std::uint64_t offset, std::optional<FrameIndex> caller = {}) {
    job_.frames.push_back({caller, ModuleIndex{0}, offset});
    return FrameIndex{static_cast<std::uint32_t>(job_.frames.size() - 1)};
  }

  void lives(TypeNumber type, FrameIndex site, const Counters& counters, RankRange on = {0, 0, {}}) {
    const Origin origin{site, "MPI_Type_contiguous", "c", Origin::Counted::yes};
    const auto known = job_.instances.find_origin(origin);
    job_.instances.add(type, known ? *known : job_.instances.add_origin(origin), counters).add(on);
  }

  Job job_;
};

}  // namespace ddtscope::reporters::test
