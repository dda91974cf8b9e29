#include "plugin/pending/pending_buffers.h"

#include <algorithm>
#include <utility>

namespace ddtscope::plugin {

PendingBuffers::Slot PendingBuffers::slot_of(const Item& item) {
  const Buffer& buffer = item.buffer;
  Slot slot;
  slot.hull = buffer.hull;
  slot.holder = item.holder;
  slot.operation = item.operation;
  slot.access = buffer.access;
  slot.parameter = buffer.parameter;
  slot.is_solid = buffer.is_solid;
  slot.status_tells = buffer.status_tells;
  slot.address = buffer.address;
  slot.elements = buffer.elements;
  slot.called = buffer.called;
  slot.number = buffer.number;
  slot.predefined = buffer.predefined;
  slot.site = buffer.site;
  return slot;
}

Buffer PendingBuffers::buffer_of(const Slot& slot) {
  return {.hull = slot.hull,
          .address = slot.address,
          .elements = slot.elements,
          .called = slot.called,
          .number = slot.number,
          .predefined = slot.predefined,
          .site = slot.site,
          .parameter = slot.parameter,
          .access = slot.access,
          .is_solid = slot.is_solid,
          .status_tells = slot.status_tells};
}

std::size_t PendingBuffers::hash_of(HandleBits handle) {
  const std::uint64_t product = handle * 0x9E3779B97F4A7C15u;
  return static_cast<std::size_t>(product ^ (product >> 32));
}

std::size_t PendingBuffers::hash_of(const Holder& holder) {
  return hash_of(holder.handle ^ (holder.place * 0xC2B2AE3D27D4EB4Fu));
}

std::size_t PendingBuffers::bytes() const {
  if (!many_) return 0;
  return sizeof(Many) + many_->slots.bytes() +
         (many_->by_handle.heads.capacity() + many_->by_holder.heads.capacity()) * sizeof(SlotNumber);
}

void PendingBuffers::meet(const Buffer& buffer, Met& met) {
  if (met.count == most_met) {
    ++met.others;
    return;
  }
  met.buffers[met.count++] = buffer;
}

bool PendingBuffers::add_one_more(const Item& item) {
  if (size_ >= most_) return false;
  if (!many_) become_many();
  add_to_many(slot_of(item));
  return true;
}

void PendingBuffers::find(const Buffer& buffer, Met& met) {
  met.count = 0;
  met.others = 0;
  met.others_are_least = false;
  if (many_) [[unlikely]] {
    find_in(many_->writers, buffer, met);
    if (buffer.access == Access::writes) find_in(many_->readers, buffer, met);
    return;
  }
  each_of_few([&](const Item& item) {
    if (may_collide(item.buffer, buffer)) [[unlikely]]
      meet(item.buffer, met);
  });
}

/// Half of them from each side where there are so many, because the nearest are the likeliest to share bytes.
void PendingBuffers::find_in(HullTree<Slots>& tree, const Buffer& buffer, Met& met) {
  const std::size_t room = most_met - met.count;
  std::array<SlotNumber, most_met + 1> above;
  std::array<SlotNumber, most_met + 1> below;
  std::size_t number_above = 0;
  std::size_t number_below = 0;
  tree.each_that_begins_in(buffer.hull, [&](SlotNumber slot) {
    above[number_above++] = slot;
    return number_above <= room;
  });
  tree.each_that_begins_before(buffer.hull, [&](SlotNumber slot) {
    below[number_below++] = slot;
    return number_below <= room;
  });
  const std::size_t left_by_those_below = room - std::min(room, number_below);
  const std::size_t taken_above = std::min(number_above, std::max(room / 2, left_by_those_below));
  const std::size_t taken_below = std::min(number_below, room - taken_above);
  for (std::size_t i = 0; i < taken_above; ++i) meet(buffer_of(many_->slots[above[i]]), met);
  for (std::size_t i = 0; i < taken_below; ++i) meet(buffer_of(many_->slots[below[i]]), met);
  if (number_above + number_below == taken_above + taken_below) return;
  const HullTree<Slots>::Number all = tree.number_that_overlap(buffer.hull);
  met.others += std::max<std::uint64_t>(all.value, number_above + number_below) - (taken_above + taken_below);
  met.others_are_least = met.others_are_least || all.is_least;
}

template <class Test>
void PendingBuffers::release_few(const Test& test) {
  for (Places left = taken_; left != 0; left &= left - 1) {
    if (test(few_[first_of(left)])) take_out(left & -left);
  }
}

class PendingBuffers::Received {
 public:
  /// `buffer` is of this operation.
  void visit(const Buffer& buffer, std::uint32_t operation) {
    is_one_ = is_one_ && (!has_any_ || operation == operation_);
    has_any_ = true;
    operation_ = operation;
    if (is_told_of(buffer)) buffer_ = buffer;
  }
  bool has_any() const { return has_any_; }
  bool is_one() const { return is_one_; }
  std::optional<Buffer> buffer() const { return is_one_ ? buffer_ : std::nullopt; }

 private:
  std::optional<Buffer> buffer_;
  std::uint32_t operation_ = 0;
  bool has_any_ = false, is_one_ = true;
};

/// Where the program keeps it elsewhere, its handle alone must do.
std::optional<Buffer> PendingBuffers::received_by(const Holder& holder) const {
  Received at_place;
  Received anywhere;
  if (!many_) {
    each_of_few([&](const Item& item) {
      if (item.holder == holder) at_place.visit(item.buffer, item.operation);
      if (item.holder.handle == holder.handle) anywhere.visit(item.buffer, item.operation);
    });
    return (at_place.has_any() ? at_place : anywhere).buffer();
  }
  const auto visit_chain = [&](const Table& table, std::size_t hash, const auto& test, Received& received) {
    SlotNumber at = table.heads[hash & (table.heads.size() - 1)];
    // Libraries give all small sends one handle: nothing is told of any of several.
    for (; at != no_slot && received.is_one(); at = (many_->slots[at].*table.links).next) {
      const Slot& slot = many_->slots[at];
      if (test(slot)) received.visit(buffer_of(slot), slot.operation);
    }
  };
  const auto is_there = [&](const Slot& slot) { return slot.holder == holder; };
  const auto has_handle = [&](const Slot& slot) { return slot.holder.handle == holder.handle; };
  visit_chain(many_->by_holder, hash_of(holder), is_there, at_place);
  if (at_place.has_any()) return at_place.buffer();
  visit_chain(many_->by_handle, hash_of(holder.handle), has_handle, anywhere);
  return anywhere.buffer();
}

/// Not one of few alone.
[[gnu::noinline]] void PendingBuffers::complete_otherwise(const Holder& holder) {
  if (many_) {
    complete_of_many(holder);
    return;
  }
  const Item* first = nullptr;
  bool is_one = true;
  each_of_few([&](const Item& item) {
    if (!(item.holder == holder)) return;
    if (first == nullptr) first = &item;
    is_one = is_one && item.operation == first->operation;
  });
  is_one = is_one && first != nullptr;
  if (is_one) {
    release_at(holder);
  } else {
    release(holder.handle);
  }
}

void PendingBuffers::complete_of_many(const Holder& holder) {
  Many& many = *many_;
  const Table& table = many.by_holder;
  SlotNumber first = no_slot;
  bool is_one = true;
  for (SlotNumber at = table.heads[hash_of(holder) & (table.heads.size() - 1)]; at != no_slot;
       at = many.slots[at].by_holder.next) {
    const Slot& slot = many.slots[at];
    if (!(slot.holder == holder)) continue;
    if (first != no_slot && slot.operation != many.slots[first].operation) is_one = false;
    first = at;
    if (!is_one) break;
  }
  if (first != no_slot && is_one) {
    release_at(holder);
  } else {
    release(holder.handle);
  }
}

void PendingBuffers::release(HandleBits handle) {
  const auto test = [&](const auto& slot) { return slot.holder.handle == handle; };
  if (many_) {
    release_many(many_->by_handle, hash_of(handle), test);
  } else {
    release_few(test);
  }
}

template <class OneOfThem>
bool PendingBuffers::is_of(const PendingOperation& operation, const OneOfThem& one) {
  return one.holder == operation.holder && one.operation == operation.number;
}

template <class Test>
void PendingBuffers::release_of(const Holder& holder, const Test& test) {
  if (many_) {
    release_many(many_->by_holder, hash_of(holder), test);
  } else {
    release_few(test);
  }
}

void PendingBuffers::release_at(const Holder& holder) {
  release_of(holder, [&](const auto& slot) { return slot.holder == holder; });
}

void PendingBuffers::release_operation(const PendingOperation& operation) {
  release_of(operation.holder, [&](const auto& slot) { return is_of(operation, slot); });
}

bool PendingBuffers::has(const PendingOperation& operation) const {
  const auto is_of_it = [&](const auto& slot) { return is_of(operation, slot); };
  if (!many_) {
    bool is_there = false;
    each_of_few([&](const Item& item) { is_there = is_there || is_of_it(item); });
    return is_there;
  }
  const std::vector<SlotNumber>& heads = many_->by_holder.heads;
  SlotNumber at = heads[hash_of(operation.holder) & (heads.size() - 1)];
  while (at != no_slot && !is_of_it(many_->slots[at])) at = many_->slots[at].by_holder.next;
  return at != no_slot;
}

template <class Test>
void PendingBuffers::release_many(Table& table, std::size_t hash, const Test& test) {
  SlotNumber at = table.heads[hash & (table.heads.size() - 1)];
  while (at != no_slot) {
    const Slot& slot = many_->slots[at];
    const SlotNumber next = (slot.*table.links).next;
    if (test(slot)) remove(at);
    at = next;
  }
  if (size_ != 0) return;
  many_.reset();
  most_here_ = std::min(most_, few);
}

void PendingBuffers::become_many() {
  auto many = std::make_unique<Many>();
  many->by_handle.heads.assign(std::size_t{4} * few, no_slot);
  many->by_holder.heads.assign(std::size_t{4} * few, no_slot);
  many_ = std::move(many);
  most_here_ = 0;
  size_ = 0;
  for (Places left = std::exchange(taken_, 0); left != 0; left &= left - 1) add_to_many(slot_of(few_[first_of(left)]));
}

void PendingBuffers::add_to_many(const Slot& slot) {
  Many& many = *many_;
  if (size_ >= many.by_handle.heads.size()) grow_tables();
  const SlotNumber at = many.slots.take();
  many.slots[at] = slot;
  (slot.access == Access::writes ? many.writers : many.readers).insert(at);
  put_into(many.by_handle, hash_of(slot.holder.handle), at);
  put_into(many.by_holder, hash_of(slot.holder), at);
  ++size_;
}

void PendingBuffers::remove(SlotNumber at) {
  Many& many = *many_;
  const Slot& slot = many.slots[at];
  (slot.access == Access::writes ? many.writers : many.readers).erase(at);
  take_from(many.by_handle, hash_of(slot.holder.handle), at);
  take_from(many.by_holder, hash_of(slot.holder), at);
  many.slots.give_back(at);
  --size_;
}

void PendingBuffers::put_into(Table& table, std::size_t hash, SlotNumber at) {
  SlotNumber& head = table.heads[hash & (table.heads.size() - 1)];
  many_->slots[at].*table.links = {head, no_slot};
  if (head != no_slot) (many_->slots[head].*table.links).previous = at;
  head = at;
}

void PendingBuffers::take_from(Table& table, std::size_t hash, SlotNumber at) {
  const Slot::Links links = many_->slots[at].*table.links;
  if (links.next != no_slot) (many_->slots[links.next].*table.links).previous = links.previous;
  if (links.previous != no_slot) {
    (many_->slots[links.previous].*table.links).next = links.next;
  } else {
    table.heads[hash & (table.heads.size() - 1)] = links.next;
  }
}

void PendingBuffers::grow_tables() {
  Many& many = *many_;
  std::vector<SlotNumber> all;
  all.reserve(size_);
  for (const SlotNumber head : many.by_handle.heads) {
    for (SlotNumber at = head; at != no_slot; at = many.slots[at].by_handle.next) all.push_back(at);
  }
  many.by_handle.heads.assign(many.by_handle.heads.size() * 2, no_slot);
  many.by_holder.heads.assign(many.by_holder.heads.size() * 2, no_slot);
  // The youngest ones come first again.
  for (auto at = all.rbegin(); at != all.rend(); ++at) {
    put_into(many.by_handle, hash_of(many.slots[*at].holder.handle), *at);
    put_into(many.by_holder, hash_of(many.slots[*at].holder), *at);
  }
}

SlotNumber PendingBuffers::Slots::take() {
  if (!free_.empty()) {
    const SlotNumber slot = free_.back();
    free_.pop_back();
    return slot;
  }
  if (used_ == capacity()) chunks_.push_back(std::make_unique<Slot[]>(chunk_length));
  return static_cast<SlotNumber>(used_++);
}

}  // namespace ddtscope::plugin
