// Words as a program's main and exec have them.
#pragma once

#include <string>
#include <vector>

namespace ddtscope {

/// A null pointer is the last one. Good for as long as the words are there and stay as they are.
inline std::vector<char*> pointers_to_words(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace ddtscope
