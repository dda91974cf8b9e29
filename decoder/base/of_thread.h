// What each thread has one of, also while the program ends.
#pragma once

#include <array>
#include <cstddef>
#include <new>

namespace ddtscope {

/// A `T` of each thread, made when it is asked for. Handlers of atexit and destructors of static objects, which run
/// when the thread's own objects have been destroyed, may still use it: it is empty anew then.
template <class T>
class OfThread {
 public:
  static T& get() noexcept {
    if (object_ == nullptr) {
      object_ = new (storage_.data()) T;
      static thread_local const Emptied emptied;
    }
    return *object_;
  }

 private:
  struct Emptied {
    Emptied() = default;
    ~Emptied() {
      object_->~T();
      object_ = new (storage_.data()) T;
    }
    Emptied(const Emptied&) = delete;
    Emptied& operator=(const Emptied&) = delete;
  };

  // Nothing that is destroyed.
  alignas(T) static constinit inline thread_local std::array<std::byte, sizeof(T)> storage_{};
  static constinit inline thread_local T* object_ = nullptr;
};

}  // namespace ddtscope
