// The aligned forms of operator new and delete over the plain ones, for the one file of a module that replaces those:
// else the C++ runtime's own would take memory from the program's heap. More than the 16 bytes to which each block is
// aligned make the block larger, and a word before the memory says where it begins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto align = static_cast<std::size_t>(alignment);
  void* const block = operator new(bytes + align);
  const std::uintptr_t at = (reinterpret_cast<std::uintptr_t>(block) + align) & ~(align - 1);
  reinterpret_cast<void**>(at)[-1] = block;
  return reinterpret_cast<void*>(at);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) { return operator new(bytes, alignment); }
void operator delete(void* memory, std::align_val_t) noexcept {
  if (memory != nullptr) operator delete(static_cast<void**>(memory)[-1]);
}
void operator delete(void* memory, std::size_t, std::align_val_t alignment) noexcept {
  operator delete(memory, alignment);
}
void operator delete[](void* memory, std::align_val_t alignment) noexcept { operator delete(memory, alignment); }
void operator delete[](void* memory, std::size_t, std::align_val_t alignment) noexcept {
  operator delete(memory, alignment);
}
