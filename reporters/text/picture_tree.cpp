// The nested constructor calls of a type, shared parts once.
#include <unordered_set>
#include <vector>

#include "reporters/text/picture.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t depth_limit = 64;
constexpr std::size_t lines_limit = 1000;

}  // namespace

Picture draw_tree(const Job& job, TypeNumber number, const Style& style) {
  Picture picture;
  struct Open {
    TypeNumber type;
    std::size_t depth;
  };
  std::vector<Open> open{{number, 0}};
  std::unordered_set<std::uint32_t> printed;
  std::size_t lines = 0;
  bool too_deep = false;
  while (!open.empty() && lines < lines_limit) {
    const auto [type, depth] = open.back();
    open.pop_back();
    ++lines;
    const bool again = !printed.insert(type.value).second;
    picture.text += "  " + std::string(2 * depth, ' ') + style(Role::data, text_of(type)) + " " + call_of(job, type) +
                    (again ? "  (as above)" : "") + "\n";
    if (again) {
      continue;
    }
    const auto oldtypes = job.store[job.type(type).definition].call.datatypes;
    std::vector<TypeNumber> children;
    std::unordered_set<std::uint32_t> seen;
    for (const DefinitionId oldtype : oldtypes) {
      const TypeNumber child = job.number_of(oldtype);
      if (child.valid() && seen.insert(child.value).second) {
        children.push_back(child);
      }
    }
    if (depth + 1 >= depth_limit && !children.empty()) {
      too_deep = true;
      picture.text += "  " + std::string(2 * depth + 2, ' ') + "... (made of " + text_of(children.front()) +
                      (children.size() > 1 ? " and others" : "") + ", deeper than " + std::to_string(depth_limit) +
                      " levels)\n";
      continue;
    }
    for (std::size_t i = children.size(); i-- > 0;) {
      open.push_back({children[i], depth + 1});
    }
  }
  if (!open.empty()) {
    picture.text += "  ... (" +
                    counted(static_cast<std::uint64_t>(open.size()), "more constructor", "more constructors") +
                    " or more)\n";
  }
  picture.legend = "  constructor calls, not entries";
  if (too_deep) {
    picture.legend += "; the deepest levels are cut";
  }
  return picture;
}

}  // namespace ddtscope::reporters
