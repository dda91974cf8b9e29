// The plugin's own heap: what it allocates with new does not touch the program's. A program's heap keeps the shape that
// it has without the plugin (so a heap bug does not hide, and malloc does not slow down), and a program that
// corrupts its heap does not take the trace with it. Replaces operator new and delete inside the plugin only.
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>

#include "plugin/base/aligned_new.h"
#include "plugin/base/spin_lock.h"

namespace ddtscope::plugin {
namespace {

constexpr std::size_t smallest_bits = 5;  // 32 bytes, header included
constexpr std::size_t largest_bits = 17;  // beyond, each block is a mapping of its own
constexpr std::size_t chunk_bytes = std::size_t{1} << 20;
constexpr std::size_t header_bytes = 16;  // keeps blocks aligned as malloc's are

/// In front of every block: its size with the header, a power of two or whole pages.
struct Header {
  std::size_t bytes;
  Header* next;  // while it is free
};
static_assert(sizeof(Header) <= header_bytes);

void* map(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

/// Whether this thread is within the heap: a signal's handler that interrupts it there may end the process, which takes
/// memory, and must not wait for what it has interrupted.
thread_local constinit bool is_within [[gnu::tls_model("initial-exec")]] = false;

class Within {
 public:
  Within() {
    is_within = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;
  ~Within() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    is_within = false;
  }
};

class Heap {
 public:
  void* allocate(std::size_t wanted) {
    if (wanted > SIZE_MAX / 2) return nullptr;
    const std::size_t bytes = wanted + header_bytes;
    const std::size_t bits = bytes <= (std::size_t{1} << smallest_bits)
                                 ? smallest_bits
                                 : static_cast<std::size_t>(std::bit_width(bytes - 1));
    if (bits > largest_bits || is_within) {
      constexpr std::size_t page = 4096;
      // By its size release() knows it; pages that nobody touches take no memory.
      const std::size_t whole = std::max((bytes + page - 1) / page * page, (std::size_t{1} << largest_bits) + page);
      return block(static_cast<Header*>(map(whole)), whole);
    }
    const Within within;
    const std::lock_guard guard(lock_);
    Header*& free = free_[bits];
    if (free) {
      Header* header = free;
      free = header->next;
      return block(header, std::size_t{1} << bits);
    }
    return block(cut(std::size_t{1} << bits), std::size_t{1} << bits);
  }

  void release(void* memory) {
    if (!memory) return;
    auto* header = reinterpret_cast<Header*>(static_cast<std::byte*>(memory) - header_bytes);
    if (header->bytes > (std::size_t{1} << largest_bits)) {
      munmap(header, header->bytes);
      return;
    }
    if (is_within) return;  // it is lost
    const Within within;
    const std::lock_guard guard(lock_);
    Header*& free = free_[static_cast<std::size_t>(std::countr_zero(header->bytes))];
    header->next = free;
    free = header;
  }

 private:
  static void* block(Header* header, std::size_t bytes) {
    if (!header) return nullptr;
    header->bytes = bytes;
    return reinterpret_cast<std::byte*>(header) + header_bytes;
  }

  Header* cut(std::size_t bytes) {
    if (end_ - next_ < static_cast<std::ptrdiff_t>(bytes)) {
      auto* chunk = static_cast<std::byte*>(map(chunk_bytes));
      if (!chunk) return nullptr;
      next_ = chunk;
      end_ = chunk + chunk_bytes;
    }
    auto* header = reinterpret_cast<Header*>(next_);
    next_ += bytes;
    return header;
  }

  SpinLock lock_;
  std::array<Header*, largest_bits + 1> free_{};
  std::byte* next_ = nullptr;
  std::byte* end_ = nullptr;
};

/// Never destroyed: memory is released while the process ends, too.
constinit Heap heap;

}  // namespace
}  // namespace ddtscope::plugin

void* operator new(std::size_t bytes) {
  if (void* memory = ddtscope::plugin::heap.allocate(bytes)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return ddtscope::plugin::heap.allocate(bytes); }
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t& tag) noexcept { return operator new(bytes, tag); }
void operator delete(void* memory) noexcept { ddtscope::plugin::heap.release(memory); }
void operator delete(void* memory, std::size_t) noexcept { ddtscope::plugin::heap.release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { ddtscope::plugin::heap.release(memory); }
void operator delete[](void* memory) noexcept { ddtscope::plugin::heap.release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { ddtscope::plugin::heap.release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { ddtscope::plugin::heap.release(memory); }
