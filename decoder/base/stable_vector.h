// A growing sequence whose elements never move: references stay valid, and an element is two loads away.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace ddtscope {

template <class T, std::size_t chunk_length = 64>
class StableVector {
  static_assert((chunk_length & (chunk_length - 1)) == 0, "an index is split by a shift and a mask");

 public:
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return chunks_[i / chunk_length][i % chunk_length]; }
  const T& operator[](std::size_t i) const { return chunks_[i / chunk_length][i % chunk_length]; }
  T& back() { return (*this)[size_ - 1]; }

  void push_back(const T& value) { add(value); }
  void push_back(T&& value) { add(std::move(value)); }

 private:
  template <class Value>
  void add(Value&& value) {
    // Reserved, not made: the memory of elements that never come is never touched.
    if (size_ == chunks_.size() * chunk_length) chunks_.emplace_back().reserve(chunk_length);
    chunks_.back().push_back(std::forward<Value>(value));
    ++size_;
  }

  std::vector<std::vector<T>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace ddtscope
