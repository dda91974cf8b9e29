// How often each type was made, committed and freed, and where. A large job has more of these than of anything else, so
// they are kept small.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "decoder/base/stable_vector.h"
#include "reporters/model/ids.h"
#include "reporters/trace/format/rank_ranges.h"

namespace ddtscope::reporters {

struct Counters {
  std::uint64_t created = 0, adopted = 0, committed = 0, freed = 0;
  Counters& operator+=(const Counters& other);
};

/// Where lives come from. Few are different, however many the types are.
struct Origin {
  enum class Counted : std::uint8_t { no, yes };

  std::optional<FrameIndex> site;
  std::string_view called;   // text of the job's
  std::string_view binding;  // the same; empty where only the definition's line tells of it
  Counted counted = Counted::no;
  friend bool operator==(const Origin&, const Origin&) = default;
};

struct OriginIndex {
  std::uint32_t value = 0;
};

/// Lives of one definition made at one call site through one entry point.
struct Instances {
  const RankRanges* of_ranks;
  std::optional<FrameIndex> site;
  std::string_view called, binding;  // as in Origin
  /// Empty for ranks whose file has no counters: they run still, or were killed.
  std::optional<Counters> counters;

  const RankRanges& ranks() const { return *of_ranks; }
};

/// The instances of all types of a job.
class InstancesTable {
  struct Entry {
    RankRanges ranks;
    Counters counters;
    OriginIndex origin;
    std::uint32_t next;  // of the same type
  };
  static constexpr std::uint32_t none = UINT32_MAX;

 public:
  /// Those of one type, in the order in which they became known.
  class Range {
   public:
    class Iterator {
     public:
      using iterator_category = std::input_iterator_tag;
      using value_type = Instances;
      using difference_type = std::ptrdiff_t;
      using pointer = void;
      using reference = Instances;

      Instances operator*() const { return table_->at(index_); }
      Iterator& operator++() {
        index_ = table_->entries_[index_].next;
        return *this;
      }
      friend bool operator==(const Iterator&, const Iterator&) = default;

     private:
      friend class Range;
      Iterator(const InstancesTable* table, std::uint32_t index) : table_(table), index_(index) {}
      const InstancesTable* table_;
      std::uint32_t index_;
    };

    Iterator begin() const { return {table_, first_}; }
    Iterator end() const { return {table_, none}; }
    bool empty() const { return first_ == none; }

   private:
    friend class InstancesTable;
    Range(const InstancesTable* table, std::uint32_t first) : table_(table), first_(first) {}
    const InstancesTable* table_;
    std::uint32_t first_;
  };

  Range of(TypeNumber type) const { return {this, type.value <= types_.size() ? types_[type.value - 1].first : none}; }
  /// The sum of those that are counted.
  Counters total(TypeNumber type) const;
  /// Whether all are.
  bool are_all_counted(TypeNumber type) const;

  std::optional<OriginIndex> find_origin(const Origin& origin) const;
  /// One that is not there. Its text must stay as long as the table.
  OriginIndex add_origin(const Origin& origin);
  /// Adds to the type's lives from there; their ranks, for those to be added.
  RankRanges& add(TypeNumber type, OriginIndex origin, const Counters& counters = {});

 private:
  struct OfType {
    std::uint32_t first = none, last = none;
  };
  struct HashOrigin {
    std::size_t operator()(const Origin& origin) const;
  };

  Instances at(std::uint32_t index) const;
  Entry& entry_of(TypeNumber type, OriginIndex origin);

  std::vector<Origin> origins_;
  std::unordered_map<Origin, OriginIndex, HashOrigin> origin_index_;
  StableVector<Entry> entries_;
  std::vector<OfType> types_;                                     // by TypeNumber less one
  std::unordered_map<std::uint64_t, std::uint32_t> far_entries_;  // by type and origin, those that are not among few
};

}  // namespace ddtscope::reporters
