// Writes the man pages and the completion, when the command has been built:
//   ddtscope_manual SOURCES PAGES BASH ZSH FISH
// SOURCES is this folder, PAGES the folder of the pages, the rest are files.
#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "reporters/manual/completion.h"
#include "reporters/manual/man_page.h"
#include "reporters/manual/template.h"

namespace {

using namespace ddtscope;
using namespace ddtscope::reporters;
namespace fs = std::filesystem;

std::string text_of_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path.string() + " cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  if (!(file << text).flush()) throw std::runtime_error(path.string() + " cannot be written");
}

/// All pages are of the date of the command's own.
std::string date_of(const std::string& page) {
  constexpr std::string_view mark = ".Dd ";
  if (!page.starts_with(mark)) throw std::runtime_error("the command's page does not begin with its date");
  return page.substr(mark.size(), page.find('\n') - mark.size());
}

void write_pages(const fs::path& sources, const fs::path& folder, const Verbs& verbs) {
  const std::string page = text_of_file(sources / "ddtscope.1");
  for (const VerbDescription& verb : verbs) {
    const std::string prose = text_of_file(sources / (verb.name + ".mdoc"));
    write_file(folder / ("ddtscope-" + verb.name + ".1"), man_page_of_verb({verb, date_of(page), prose}));
  }
  write_file(folder / "ddtscope.1", filled(page, {{"VERBS", man_rows_of_verbs(verbs)}}));
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<fs::path> words(argv + std::min(argc, 1), argv + argc);
  if (words.size() != 5) {
    std::cerr << "usage: ddtscope_manual SOURCES PAGES BASH ZSH FISH\n";
    return 2;
  }
  try {
    const fs::path& sources = words[0];
    const Verbs verbs = describe_verbs();
    write_pages(sources, words[1], verbs);
    write_file(words[2], bash_completion(text_of_file(sources / "completion.bash"), verbs));
    write_file(words[3], zsh_completion(text_of_file(sources / "completion.zsh"), verbs));
    write_file(words[4], fish_completion(text_of_file(sources / "completion.fish"), verbs));
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "ddtscope_manual: " << error.what() << "\n";
    return 1;
  }
}
