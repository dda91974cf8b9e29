#include "reporters/model/file_traffic.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "reporters/model/gathered_ranks.h"
#include "reporters/model/uses.h"

namespace ddtscope::reporters {
namespace {

bool is_read(std::string_view called) { return bare_function_of(called).find("read") != std::string::npos; }

void add_once(std::vector<std::string_view>& words, std::string_view word) {
  if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
}

Int128 place_of(const FileAmounts& amounts) { return reporters::place_of(amounts.read + amounts.written); }

void add(FileAmounts& sum, const Job& job, const JobFileAccesses& accesses) {
  const std::uint64_t processes = processes_of(accesses.ranks);
  const Exact bytes = bytes_of(job, accesses.type, accesses.elements) * Exact(static_cast<Int128>(processes));
  Exact& moved = is_read(accesses.called) ? sum.read : sum.written;
  moved = moved + bytes;
  sum.calls += accesses.count * processes;
}

/// Where each view and type of each file stands, by the file's number and what it is.
class Places {
 public:
  FileView& view_of(std::size_t number, FileTraffic& file, const JobView& view) {
    const auto [found, is_new] = views_.try_emplace(
        {number, view.etype.value, view.filetype.value, view.datarep, view.lowest.has_value()}, file.views.size());
    if (is_new) file.views.push_back({view.etype, view.filetype, view.datarep, view.lowest, view.highest, 0});
    return file.views[found->second];
  }
  FileType& type_of(std::size_t number, FileTraffic& file, DefinitionId type) {
    const auto [found, is_new] = types_.try_emplace({number, type.value}, file.types.size());
    if (is_new) file.types.push_back({type, {}});
    return file.types[found->second];
  }

 private:
  std::map<std::tuple<std::size_t, std::uint32_t, std::uint32_t, std::string_view, bool>, std::size_t> views_;
  std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> types_;
};

void add(FileView& sum, const JobView& view) {
  sum.lowest = std::min(sum.lowest, view.lowest);
  sum.highest = std::max(sum.highest, view.highest);
  sum.count += view.count * processes_of(view.ranks);
}

}  // namespace

std::vector<FileTraffic> file_traffic_of(const Job& job, const WantedFiles& wanted) {
  std::vector<FileTraffic> all;
  std::map<std::string_view, std::size_t> by_name;
  std::vector<bool> is_told;
  std::vector<GatheredRanks> ranks;
  const auto traffic_of = [&](FileIndex file) { return by_name.at(job.files[file.value].name); };
  for (std::size_t i = 0; i < job.files.size(); ++i) {
    const JobFile& file = job.files[i];
    const auto [found, is_new] = by_name.try_emplace(file.name, all.size());
    if (is_new) {
      all.push_back(
          {.name = file.name, .modes = {}, .called = {}, .ranks = {}, .amounts = {}, .types = {}, .views = {}});
      is_told.push_back(false);
      ranks.emplace_back();
    }
    FileTraffic& traffic = all[found->second];
    add_once(traffic.modes, file.mode);
    for (const RankRange& range : file.ranks.ranges()) ranks[found->second].add(range);
    if (wanted.files[i]) is_told[found->second] = true;
  }
  Places places;
  for (std::size_t i = 0; i < wanted.views.size(); ++i) {
    if (!wanted.views[i]) continue;
    const JobView& view = job.views[i];
    const std::size_t number = traffic_of(view.file);
    is_told[number] = true;
    add(places.view_of(number, all[number], view), view);
  }
  for (std::size_t i = 0; i < job.file_accesses.size(); ++i) {
    if (!wanted.accesses[i]) continue;
    const JobFileAccesses& accesses = job.file_accesses[i];
    const std::size_t number = traffic_of(accesses.file);
    is_told[number] = true;
    FileTraffic& traffic = all[number];
    add_once(traffic.called, accesses.called);
    add(traffic.amounts, job, accesses);
    add(places.type_of(number, traffic, accesses.type).amounts, job, accesses);
  }
  std::vector<FileTraffic> told;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_told[i]) continue;
    all[i].ranks = ranks[i].take();
    std::stable_sort(all[i].types.begin(), all[i].types.end(),
                     [](const FileType& a, const FileType& b) { return place_of(b.amounts) < place_of(a.amounts); });
    told.push_back(std::move(all[i]));
  }
  std::stable_sort(told.begin(), told.end(), [](const FileTraffic& a, const FileTraffic& b) {
    const Int128 of_a = place_of(a.amounts);
    const Int128 of_b = place_of(b.amounts);
    return of_a != of_b ? of_b < of_a : a.name < b.name;
  });
  return told;
}

std::vector<FileTraffic> file_traffic_of(const Job& job) {
  return file_traffic_of(
      job, {std::vector<bool>(job.file_accesses.size(), true), {}, std::vector<bool>(job.files.size(), true)});
}

}  // namespace ddtscope::reporters
