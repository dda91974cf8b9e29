// A job in which processes found something about two arguments of calls, as a test says.
#pragma once

#include <cstdint>

#include "reporters/model/job_fixture.h"

namespace ddtscope::reporters::test {

class CallPairsFixture : public JobFixture {
 protected:
  struct Argument {
    const char* called;
    DefinitionId type;
    std::uint64_t elements;
    const char* argument;  // the standard's parameter
    const char* access;    // "reads", "writes" or "none"
    FrameIndex site;
  };
  /// How the two stand to each other.
  struct Together {
    bool is_of_same_call = false;
    std::int64_t distance = 0;  // bytes from the first one's address to the other's
    int rank = 0;
  };
  /// As a process wrote it, once.
  void add_pair(const char* finding, const Argument& own, const Argument& other, const Together& together) {
    CallFinding found{};
    found.finding = job_.word(finding);
    found.severity = job_.word("error");
    found.type = own.type;
    found.called = job_.word(own.called);
    found.binding = job_.word("c");
    found.argument = job_.word(own.argument);
    found.site = own.site;
    found.count = 1;
    found.ranks.add(Rank{{}, together.rank});
    found.access = job_.word(own.access);
    found.elements = own.elements;
    OtherArgument argument{};
    argument.type = other.type;
    argument.called = job_.word(other.called);
    argument.argument = job_.word(other.argument);
    argument.access = job_.word(other.access);
    argument.site = other.site;
    argument.elements = other.elements;
    argument.distance = together.distance;
    argument.is_of_same_call = together.is_of_same_call;
    found.other = argument;
    job_.call_findings.push_back(found);
  }
};

}  // namespace ddtscope::reporters::test
