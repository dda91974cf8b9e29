// A C++ library that throws and catches, for a C program that opens it with dlopen.
#include <stdexcept>

extern "C" __attribute__((visibility("default"))) int throw_and_catch(int times) {
  int caught = 0;
  for (int i = 0; i < times; ++i) {
    try {
      throw std::runtime_error("thrown");
    } catch (const std::exception&) {
      ++caught;
    }
  }
  return caught;
}
