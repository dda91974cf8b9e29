// Who talks to whom: a picture of all pairs of processes, and a table of those that send most.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "reporters/html/sections.h"
#include "reporters/model/traffic.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

constexpr std::int64_t most_cells = 256;  // in each direction; of more processes some are one cell
constexpr std::size_t most_pairs = 100;   // in the table
constexpr int shades = 6;

/// Processes in the order of worlds and ranks, and in which cells they are.
class ProcessCells {
 public:
  explicit ProcessCells(const Job& job) {
    std::int64_t processes = 0;
    const auto add = [&](Rank rank) {
      auto [found, is_new] = firsts_.try_emplace(rank.world, 0);
      found->second = std::max(found->second, rank.number + 1);
    };
    for (const JobRank& rank : job.ranks) {
      if (rank.header.rank) add(*rank.header.rank);
    }
    for (const Rank rank : job.missing_ranks) add(rank);
    for (auto& [world, size] : firsts_) {
      const std::int64_t of_world = size;
      size = processes;
      processes += of_world;
    }
    processes_ = processes;
    of_cell_ = std::max<std::int64_t>(1, (processes + most_cells - 1) / most_cells);
  }

  std::int64_t processes() const { return processes_; }
  std::int64_t of_cell() const { return of_cell_; }
  std::int64_t number() const { return (processes_ + of_cell_ - 1) / of_cell_; }
  /// `number()` where the job has no such process.
  std::int64_t cell(Rank rank) const {
    const auto found = firsts_.find(rank.world);
    return found != firsts_.end() ? std::min((found->second + rank.number) / of_cell_, number()) : number();
  }

 private:
  std::map<WorldNumber, std::int64_t> firsts_;  // of each world, among all
  std::int64_t processes_ = 0, of_cell_ = 1;
};

/// Bytes of each pair of cells, row by row.
std::vector<double> bytes_of_cells(const ProcessCells& cells, const std::vector<Traffic>& traffic) {
  const std::int64_t n = cells.number();
  std::vector<double> bytes(static_cast<std::size_t>(n * n));
  for (const Traffic& one : traffic) {
    const std::int64_t row = cells.cell(one.source);
    const std::int64_t column = cells.cell(one.destination);
    if (row >= n || column >= n) continue;
    // A message without data is one, too.
    const double more = one.bytes.fits() ? static_cast<double>(one.bytes.value()) : 0;
    bytes[static_cast<std::size_t>(row * n + column)] += std::max(more, 1.0);
  }
  return bytes;
}

/// A path for each shade: no cell is an element of its own, and the picture needs no script.
void write_picture(std::ostream& out, const ProcessCells& cells, const std::vector<Traffic>& traffic) {
  const std::int64_t n = cells.number();
  const std::vector<double> bytes = bytes_of_cells(cells, traffic);
  const double most = *std::max_element(bytes.begin(), bytes.end());
  const auto shade_of = [&](double value) {
    if (value == 0) return -1;
    const double part = most > 1 ? std::log(value) / std::log(most) : 1;
    return std::min(shades - 1, static_cast<int>(part * shades));
  };
  std::array<std::string, shades> paths;
  for (std::int64_t row = 0; row < n; ++row) {
    for (std::int64_t column = 0; column < n;) {
      const int shade = shade_of(bytes[static_cast<std::size_t>(row * n + column)]);
      std::int64_t end = column + 1;
      while (end < n && shade_of(bytes[static_cast<std::size_t>(row * n + end)]) == shade) ++end;
      if (shade >= 0) {
        const std::string width = std::to_string(end - column);
        paths[static_cast<std::size_t>(shade)] +=
            "M" + std::to_string(column) + " " + std::to_string(row) + "h" + width + "v1h-" + width + "z";
      }
      column = end;
    }
  }
  out << "<svg class=\"talk\" role=\"img\" aria-labelledby=\"talk-title\" viewBox=\"0 0 " << n << " " << n << "\">\n"
      << "<title id=\"talk-title\">Bytes from each process (rows, the first one above) to each other one (columns): "
         "the table below has the largest</title>\n";
  for (int shade = 0; shade < shades; ++shade) {
    const std::string& path = paths[static_cast<std::size_t>(shade)];
    if (!path.empty()) out << "<path class=\"s" << shade << "\" d=\"" << path << "\"/>\n";
  }
  out << "</svg>\n<p class=\"legend\">Rows send, columns receive; rank 0 is above and on the left. The stronger the "
         "colour, the more bytes, by powers; the strongest is "
      << Text{bytes_in_words(Exact(static_cast<Int128>(most)))}
      << (cells.of_cell() > 1 ? " from a group to a group" : "") << ".";
  if (cells.of_cell() > 1)
    out << " Each cell stands for " << grouped(Exact(cells.of_cell())) << " ranks that follow each other.";
  out << "</p>\n";
}

void write_row(std::ostream& out, const SectionInput& input, const Traffic& traffic) {
  out << "<tr><th>" << text_of(traffic.source) << "<td>" << text_of(traffic.destination) << "<td class=\"n\">"
      << grouped(traffic.messages) << "<td class=\"n\">" << grouped_or_undefined(traffic.bytes) << "<td>";
  constexpr std::size_t most_types = 4;
  for (std::size_t i = 0; i < std::min(most_types, traffic.types.size()); ++i) {
    if (i != 0) out << ", ";
    if (const std::optional<DefinitionId> type = traffic.types[i].type) {
      write_type(out, input, *type);
    } else {
      out << "nothing";
    }
  }
  if (traffic.types.size() > most_types) out << " and " << traffic.types.size() - most_types << " more";
  out << "\n";
}

}  // namespace

bool has_traffic(const SectionInput& input) {
  const std::vector<RankChannels>& channels = input.context.job.messages.channels;
  return std::any_of(channels.begin(), channels.end(), [](const RankChannels& line) {
    return line.direction == ChannelDirection::send && !line.ends.empty();
  });
}

void write_traffic(std::ostream& out, const SectionInput& input) {
  const Job& job = input.context.job;
  const std::vector<Traffic> traffic = traffic_of(job, TrafficBy::pair);
  const ProcessCells cells(job);
  if (cells.number() > 0) write_picture(out, cells, traffic);
  begin_table(out, "all-pairs", "Pairs of processes that send most",
              {{"From"}, {"To"}, {"Messages", Cells::numbers}, {"Bytes", Cells::numbers}, {"Types"}});
  const std::size_t shown = std::min(most_pairs, traffic.size());
  for (std::size_t i = 0; i < shown; ++i) write_row(out, input, traffic[i]);
  end_table(out);
  write_more(out, traffic.size() - shown, "`ddtscope uses --by pair --csv` lists all");
}

}  // namespace ddtscope::reporters
