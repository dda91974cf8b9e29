// The heap of a plugin that is built for tests: memory is taken from the program's, and any allocation may be the one
// that fails (failing_calls.c).
#include <cstdlib>
#include <new>

#include "plugin/base/aligned_new.h"

extern "C" int failing_calls_allocation();

namespace {

void* allocate(std::size_t bytes) { return failing_calls_allocation() != 0 ? nullptr : std::malloc(bytes); }

}  // namespace

void* operator new(std::size_t bytes) {
  if (void* memory = allocate(bytes)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t& tag) noexcept { return operator new(bytes, tag); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
