// Decoding through a library that hands out references, which must all come back.
#include "plugin/registry/library_decoding.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace ddtscope::plugin::library_decoding_test {
namespace {

/// Types by handle; refuses questions about handles of which the asker has no reference.
class CountingLibrary : public LibraryQueries {
 public:
  void has(HandleBits handle, std::vector<HandleBits> parts, Combiner combiner = Combiner::structure) {
    types_[handle].combiner = types_[handle].envelope.combiner = combiner;
    types_[handle].datatypes = std::move(parts);
  }
  void gives(HandleBits handle) { ++references_[handle]; }
  ObservedBounds bounds(HandleBits type) override {
    EXPECT_TRUE(is_valid(type)) << type;
    return {.size = static_cast<std::int64_t>(type), .lb = 0, .extent = 1, .true_lb = 0, .true_extent = 1};
  }
  std::optional<DecodedType> decode(HandleBits type, std::string& problem) override {
    EXPECT_TRUE(is_valid(type)) << type;
    asked.push_back(type);
    if (!types_.contains(type)) {
      problem = "not to be decoded";
      return std::nullopt;
    }
    for (const HandleBits part : types_[type].datatypes) ++references_[part];
    return types_[type];
  }
  std::optional<Envelope> envelope(HandleBits type) override {
    EXPECT_TRUE(is_valid(type)) << type;
    return types_.contains(type) ? std::optional(types_[type].envelope) : std::nullopt;
  }
  std::string name(HandleBits type) override { return "type " + std::to_string(type); }
  void release(HandleBits type) override {
    EXPECT_TRUE(types_.contains(type) && types_[type].combiner == Combiner::structure) << type;
    EXPECT_GT(references_[type]--, 0) << type;
  }
  int references(HandleBits type) { return references_[type]; }

  std::vector<HandleBits> asked;

 private:
  bool is_valid(HandleBits type) { return references_[type] > 0; }
  std::map<HandleBits, DecodedType> types_;
  std::map<HandleBits, int> references_;
};

class LibraryDecodingTest : public ::testing::Test {
 protected:
  LibraryDecodingTest() { library_.gives(100); }
  std::vector<HandleBits> decoded() const {
    std::vector<HandleBits> handles;
    for (const LibraryDecoding::Node& node : decoding_.nodes()) handles.push_back(node.handle);
    return handles;
  }

  CountingLibrary library_;
  std::map<HandleBits, KnownType> known_;
  FindKnown find_known_ = [this](HandleBits handle) {
    const auto found = known_.find(handle);
    return found == known_.end() ? std::nullopt : std::optional(found->second);
  };
  LibraryDecoding decoding_{library_, find_known_};
  std::string problem_;
};

using Handles = std::vector<HandleBits>;

TEST_F(LibraryDecodingTest, PartsComeBeforeWhatIsMadeOfThem) {
  library_.has(100, {101, 1, 102});
  library_.has(101, {1});
  library_.has(102, {101, 1});
  library_.has(1, {}, Combiner::named);
  ASSERT_TRUE(decoding_.decode(100, problem_));
  EXPECT_EQ(decoded(), (Handles{1, 101, 1, 1, 101, 1, 102, 100}));
  const auto& nodes = decoding_.nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    ASSERT_EQ(nodes[i].children.size(), nodes[i].decoded.datatypes.size());
    for (std::size_t k = 0; k < nodes[i].children.size(); ++k) {
      ASSERT_LT(nodes[i].children[k].node, i);
      EXPECT_EQ(nodes[nodes[i].children[k].node].handle, nodes[i].decoded.datatypes[k]);
    }
    EXPECT_EQ(nodes[i].bounds.size, nodes[i].handle);
  }
  EXPECT_EQ(nodes[0].name, "type 1");
  EXPECT_EQ(nodes[1].name, "") << "only predefined types have names that matter";
  EXPECT_EQ(library_.references(100), 1) << "the asker's own";
  EXPECT_EQ(library_.references(101), 0);
  EXPECT_EQ(library_.references(102), 0);
}

TEST_F(LibraryDecodingTest, WhatIsKnownIsNotDecoded) {
  library_.has(100, {101, 1});
  library_.has(101, {1});
  known_[101] = {DefinitionId{7}, false};
  known_[1] = {DefinitionId{3}, true};
  ASSERT_TRUE(decoding_.decode(100, problem_));
  EXPECT_EQ(library_.asked, Handles{100});
  EXPECT_EQ(decoding_.nodes()[0].children[0].known, DefinitionId{7});
  EXPECT_EQ(decoding_.nodes()[0].children[1].known, DefinitionId{3});
  EXPECT_EQ(library_.references(101), 0);
}

TEST_F(LibraryDecodingTest, AllIsGivenBackWhereItFails) {
  library_.has(100, {101, 102, 103, 104, 1});
  library_.has(101, {});
  library_.has(102, {105, 106});  // 106 is not to be decoded
  library_.has(103, {});
  library_.has(104, {});
  library_.has(105, {});
  library_.has(1, {}, Combiner::named);
  known_[103] = {DefinitionId{7}, false};
  EXPECT_FALSE(decoding_.decode(100, problem_));
  EXPECT_EQ(problem_, "not to be decoded");
  for (HandleBits handle = 101; handle <= 105; ++handle) EXPECT_EQ(library_.references(handle), 0) << handle;
  EXPECT_EQ(library_.references(106), 1) << "nobody knows what it is";
  EXPECT_EQ(library_.references(100), 1);
}

TEST_F(LibraryDecodingTest, AChainMayBeLong) {
  for (HandleBits handle = 100; handle < 10100; ++handle) library_.has(handle, {handle + 1});
  known_[10100] = {DefinitionId{7}, false};
  library_.has(10100, {});
  ASSERT_TRUE(decoding_.decode(100, problem_));
  EXPECT_EQ(decoding_.nodes().size(), 10000u);
}

}  // namespace
}  // namespace ddtscope::plugin::library_decoding_test
