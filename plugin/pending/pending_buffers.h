// The buffers that are the library's for now, found by who holds them and by where they lie. Few stand in an array and
// are looked through; more in a tree of their hulls, and in two tables of their holders.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "plugin/pending/buffer.h"
#include "plugin/pending/hull_tree.h"
#include "plugin/registry/library_queries.h"

namespace ddtscope::plugin {

/// A request, and where the program keeps it: a library may give one handle for many requests that are complete from
/// the start. Of windows the target's rank, of files 0.
struct Holder {
  HandleBits handle = 0;
  std::uint64_t place = 0;
  friend bool operator==(const Holder&, const Holder&) = default;
};

/// Buffers that were added together.
struct PendingOperation {
  Holder holder;
  std::uint32_t number = 0;
};

/// Not synchronised.
class PendingBuffers {
 public:
  /// `most` at a time.
  explicit PendingBuffers(std::size_t most = std::size_t{1} << 18) : most_(most), most_here_(std::min(most, few)) {}
  PendingBuffers(const PendingBuffers&) = delete;
  PendingBuffers& operator=(const PendingBuffers&) = delete;

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  /// Besides what it has itself.
  std::size_t bytes() const;

  /// Which buffers are added together: the number of what is added from now on.
  std::uint32_t begin_operation() { return ++operation_; }
  /// False where there are too many.
  bool add(const Buffer& buffer, const Holder& holder) {
    if (!has_room_for_few()) [[unlikely]]
      return add_one_more({buffer, holder, operation_});
    add_to_few(holder) = buffer;
    return true;
  }
  /// Whether there is one more place where few are.
  bool has_room_for_few() const { return size_ < most_here_; }
  bool are_few() const { return !many_; }
  /// One more of few, whose buffer the caller fills in.
  [[gnu::always_inline]] inline Buffer& add_to_few(const Holder& holder) {
    Item& item = few_[first_of(~taken_)];
    item.holder.handle = holder.handle;
    item.holder.place = holder.place;
    item.operation = operation_;
    taken_ |= taken_ + 1;
    ++size_;
    return item.buffer;
  }
  /// Whether such a buffer may collide with none of few.
  [[gnu::always_inline]] inline bool is_apart_from_few(const Hull& hull, Access access) const {
    for (Places left = taken_; left != 0; left &= left - 1) {
      if (may_collide(few_[first_of(left)].buffer, hull, access)) [[unlikely]]
        return false;
    }
    return true;
  }

  /// Of few; null for others. Where none of those that a handle has is kept at that place, its only one.
  const Buffer* buffer_of(const Holder& holder) const {
    const Buffer* only = nullptr;
    int number = 0;
    for (Places left = taken_; left != 0; left &= left - 1) {
      const Item& item = few_[first_of(left)];
      if (item.holder == holder) return &item.buffer;
      if (item.holder.handle != holder.handle) continue;
      only = &item.buffer;
      ++number;
    }
    return number == 1 ? only : nullptr;
  }

  static constexpr std::size_t most_met = 16;
  struct Met {
    std::array<Buffer, most_met> buffers;
    std::size_t count = 0;
    std::uint64_t others = 0;       // which there is no room for
    bool others_are_least = false;  // there may be more of them
  };
  /// Those that may collide with a buffer: the nearest ones.
  void find(const Buffer& buffer, Met& met);

  /// The buffer of which the status of a request tells how much has come, while the request is pending; none where
  /// there is none, or nobody can tell which of several it is.
  std::optional<Buffer> received_by(const Holder& holder) const;

  /// A request is complete. Where nobody can tell which of those that share its handle, all are let go: better
  /// nothing is found than something wrong.
  void complete(const Holder& holder) {
    if (!complete_one([](const Buffer&) {}, holder)) complete_otherwise(holder);
  }
  /// The same of one that has one buffer of few, with which `take(buffer)` is called first, or none. False where it is
  /// not such a one: then nothing was done.
  template <class Take>
  [[gnu::always_inline]] inline bool complete_one(const Take& take, const Holder& holder) {
    Places at_place = 0, anywhere = 0;
    for (Places left = taken_; left != 0; left &= left - 1) {
      const Holder& other = few_[first_of(left)].holder;
      if (other.handle != holder.handle) continue;
      anywhere |= left & -left;
      if (other.place == holder.place) at_place |= left & -left;
    }
    // Where the program keeps it elsewhere, its handle alone must do.
    const Places found = at_place != 0 ? at_place : anywhere;
    if (found == 0) [[unlikely]]
      return are_few();
    if ((found & (found - 1)) != 0) [[unlikely]]
      return false;
    take(std::as_const(few_[first_of(found)].buffer));
    take_out(found);
    return true;
  }
  /// All that one holds, at whatever place.
  void release(HandleBits handle);
  /// All that one holds at one place: a window's operations at a target.
  void release_at(const Holder& holder);
  /// One operation of those that one holds at one place, where it is not complete yet.
  void release_operation(const PendingOperation& operation);
  bool has(const PendingOperation& operation) const;

 private:
  /// One of few.
  struct Item {
    Buffer buffer;
    Holder holder;
    std::uint32_t operation = 0;
  };
  /// One of many, in 128 bytes: what a search looks at stands first.
  struct alignas(64) Slot : HullNode {
    Holder holder;
    std::uint32_t operation = 0;
    Access access = Access::none;
    UseParameter parameter = UseParameter::none;
    bool is_solid = false;
    bool status_tells = false;
    std::int64_t address = 0;
    std::uint64_t elements = 0;
    const EntryPoint* called = nullptr;
    DefinitionNumber number;
    PredefinedId predefined;
    CallSiteId site;
    /// Chains of those in one bucket of a table.
    struct Links {
      SlotNumber next = no_slot, previous = no_slot;
    };
    Links by_handle, by_holder;
  };
  static_assert(sizeof(Slot) == 128);

  /// Slots that stay where they are.
  class Slots {
   public:
    Slot& operator[](SlotNumber slot) const { return chunks_[slot / chunk_length][slot % chunk_length]; }
    SlotNumber take();
    void give_back(SlotNumber slot) { free_.push_back(slot); }
    std::size_t capacity() const { return chunks_.size() * chunk_length; }
    std::size_t bytes() const { return capacity() * sizeof(Slot) + free_.capacity() * sizeof(SlotNumber); }

   private:
    static constexpr std::size_t chunk_length = 512;
    std::vector<std::unique_ptr<Slot[]>> chunks_;
    std::vector<SlotNumber> free_;
    std::size_t used_ = 0;
  };
  /// Heads of chains.
  struct Table {
    std::vector<SlotNumber> heads;
    Slot::Links Slot::*links;
  };
  /// What many have.
  struct Many {
    Many() : readers(slots), writers(slots) {}
    Slots slots;
    HullTree<Slots> readers, writers;
    Table by_handle{{}, &Slot::by_handle};
    Table by_holder{{}, &Slot::by_holder};
  };
  static constexpr std::size_t few = 32;

  /// A bit for each of few_.
  using Places = std::uint32_t;
  static_assert(few == std::numeric_limits<Places>::digits);
  /// Of some.
  static std::size_t first_of(Places places) { return static_cast<std::size_t>(__builtin_ctz(places)); }
  void take_out(Places one) {
    taken_ &= ~one;
    --size_;
  }
  /// Calls `visit(item)` for each of few.
  template <class Visit>
  void each_of_few(const Visit& visit) const {
    for (Places left = taken_; left != 0; left &= left - 1) visit(few_[first_of(left)]);
  }
  /// Of those that one visits: the buffer of the one operation that they are of, where it has such a one.
  class Received;
  void complete_otherwise(const Holder& holder);
  static Slot slot_of(const Item& item);
  static Buffer buffer_of(const Slot& slot);
  static std::size_t hash_of(HandleBits handle);
  static std::size_t hash_of(const Holder& holder);
  static void meet(const Buffer& buffer, Met& met);

  bool add_one_more(const Item& item);
  template <class Test>
  void release_few(const Test& test);
  void become_many();
  void add_to_many(const Slot& slot);
  void remove(SlotNumber at);
  void put_into(Table& table, std::size_t hash, SlotNumber at);
  void take_from(Table& table, std::size_t hash, SlotNumber at);
  void grow_tables();
  template <class Test>
  void release_many(Table& table, std::size_t hash, const Test& test);
  template <class Test>
  void release_of(const Holder& holder, const Test& test);
  template <class OneOfThem>
  static bool is_of(const PendingOperation& operation, const OneOfThem& one);
  void complete_of_many(const Holder& holder);
  void find_in(HullTree<Slots>& tree, const Buffer& buffer, Met& met);

  const std::size_t most_;
  std::size_t most_here_;  // in few_: none while there are many
  Places taken_ = 0;       // of few_
  std::size_t size_ = 0;
  std::uint32_t operation_ = 0;
  std::unique_ptr<Many> many_;
  std::array<Item, few> few_;
};

}  // namespace ddtscope::plugin
