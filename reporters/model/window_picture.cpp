#include "reporters/model/window_picture.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "reporters/model/access_conflicts.h"
#include "reporters/model/epoch_parties.h"
#include "reporters/model/paired_operations.h"
#include "reporters/model/target_windows.h"

namespace ddtscope::reporters {
namespace {

constexpr std::size_t most_memories = 16;
constexpr std::size_t most_pieces = 1 << 16;
constexpr std::size_t most_active = 1024;
/// Pieces at one place that are held against each other, of all epochs that are tried.
constexpr std::uint64_t most_meetings = std::uint64_t{1} << 26;
/// Where they are too many to be told apart.
constexpr std::uint64_t most_epochs_tried = 256;
constexpr std::uint64_t most_drawing_steps = std::uint64_t{1} << 22;
constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// What processes did that did the same.
struct DoneByRanks {
  RankRanges ranks;
  WindowEpochs epochs;
};

class WindowDrawing {
 public:
  WindowDrawing(const Job& job, Key name, WorldNumber world, std::size_t cells)
      : layouts_(job.store, job.observed_bounds),
        parties_(contents_, layouts_),
        windows_(job),
        name_(name),
        world_(world),
        cells_(std::max<std::size_t>(cells, 1)) {
    std::uint64_t steps = most_drawing_steps;
    for (const JobEpochs& epochs : job.epochs) {
      if (job.windows[epochs.window.value].name != name || epochs.ranks.empty()) continue;
      if (epochs.ranks.ranges().front().world != world) continue;
      all_.push_back({epochs.ranks, epochs_of(job, epochs, contents_, steps)});
    }
  }

  std::optional<WindowPicture> draw(std::optional<std::uint64_t> wanted) {
    std::optional<WindowPicture> first;
    for (const EpochMode mode : {EpochMode::fence, EpochMode::start, EpochMode::passive}) {
      const std::vector<Place> streams = streams_of(mode);
      for (const auto& [epoch, row] : wanted ? wanted_row(mode, streams, *wanted) : rows_of(mode, streams)) {
        WindowPicture picture = picture_of(mode, epoch, streams, row);
        if (picture.memories.empty()) continue;
        if (wanted || picture.has_conflict) return picture;
        if (!first) first = std::move(picture);
        if (meetings_left_ == 0) return first;
      }
    }
    return first;
  }

 private:
  using Between = ConflictSearch::Between;
  struct Piece {
    std::uint32_t party = 0, call = 0;
    std::size_t origins = 0;  // in all_
    std::size_t access = 0;   // a number for each call
    ConflictSearch::TouchedBlock block;
    bool is_repeated = false, are_several = false;  // made more than once, by several processes
    std::uint32_t since = 0, until = EpochAccess::never_back;
  };
  struct Place {
    std::size_t origins = 0;  // in all_
    const EpochStream* stream = nullptr;
  };
  using Row = std::vector<std::uint32_t>;                   // of each stream the content
  using Rows = std::vector<std::pair<std::uint64_t, Row>>;  // by epoch

  /// The period before the first fence is nothing's.
  static std::uint64_t place_of(EpochMode mode, std::uint64_t epoch) {
    return mode == EpochMode::fence ? epoch : epoch - 1;
  }
  std::vector<Place> streams_of(EpochMode mode) const {
    std::vector<Place> streams;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      for (const EpochStream& stream : all_[i].epochs.streams) {
        if (stream.mode == mode) streams.push_back({i, &stream});
      }
    }
    return streams;
  }
  static Row row_at(const std::vector<Place>& streams, std::uint64_t place) {
    Row row;
    for (const Place& one : streams) {
      const bool has_it = place < length_of(one.stream->elements);
      row.push_back(has_it ? operation_at(one.stream->elements, place) : EpochContents::nothing);
    }
    return row;
  }
  static Rows wanted_row(EpochMode mode, const std::vector<Place>& streams, std::uint64_t epoch) {
    if (epoch == 0) return {};
    return {{epoch, row_at(streams, place_of(mode, epoch))}};
  }
  /// Each row in which anything is touched once, where it stands first.
  static Rows rows_of(EpochMode mode, const std::vector<Place>& streams) {
    Rows rows;
    const auto add = [&](std::uint64_t place, Row row) {
      const bool is_empty =
          std::all_of(row.begin(), row.end(), [](std::uint32_t content) { return content == EpochContents::nothing; });
      if (!is_empty) rows.emplace_back(mode == EpochMode::fence ? place : place + 1, std::move(row));
    };
    std::vector<std::span<const SequenceElement>> sequences;
    for (const Place& one : streams) sequences.emplace_back(one.stream->elements);
    std::uint64_t steps = most_drawing_steps;
    if (const auto joined = joined_sequences(sequences, EpochContents::nothing, steps)) {
      const auto places =
          paired_operations_within(joined->elements, joined->elements, length_of(joined->elements), steps);
      if (places) {
        for (const PairedOperations& one : *places) add(one.place, joined->rows[one.first]);
        return rows;
      }
    }
    std::set<Row> known;
    for (std::uint64_t place = 0; place < most_epochs_tried; ++place) {
      Row row = row_at(streams, place);
      if (known.insert(row).second) add(place, std::move(row));
    }
    return rows;
  }

  WindowPicture picture_of(EpochMode mode, std::uint64_t epoch, const std::vector<Place>& streams, const Row& row) {
    WindowPicture picture;
    picture.mode = mode;
    picture.epoch = epoch;
    std::map<std::int64_t, std::vector<Piece>> by_target;
    std::map<std::tuple<std::string_view, std::uint32_t, std::uint64_t, std::optional<FrameIndex>>, std::uint32_t>
        calls;
    std::size_t pieces = 0, access = 0;
    for (std::size_t place = 0; place < streams.size(); ++place) {
      const std::size_t i = streams[place].origins;
      const EpochStream& stream = *streams[place].stream;
      const JobWindow* const window = windows_.of(name_, {world_, stream.target});
      if (window == nullptr) continue;
      const std::int64_t unit = window->displacement_unit.value_or(1);
      for (const EpochAccess& one : contents_.content(row[place])) {
        const EpochShape& shape = contents_.shape(one.shape);
        const auto [known, is_new] = calls.try_emplace({shape.called, shape.type.value, shape.elements, shape.site},
                                                       static_cast<std::uint32_t>(picture.calls.size()));
        if (is_new) {
          const char letter = picture.calls.size() < letters.size() ? letters[picture.calls.size()] : '?';
          picture.calls.push_back({letter, shape.called, shape.type, shape.elements, shape.site, {}});
        }
        const std::uint32_t call = known->second;
        join_ranks(picture.calls[call].origins, all_[i].ranks);
        const std::uint32_t party = parties_.of(one.shape);
        const auto ranges = all_[i].ranks.ranges();
        const bool are_several = mode != EpochMode::passive && (ranges.size() > 1 || ranges[0].first != ranges[0].last);
        for (std::uint64_t time = 0; time < one.times; ++time) {
          const std::optional<std::int64_t> at =
              ((Exact(one.displacement) + Exact(static_cast<Int128>(time)) * Exact(one.step)) * Exact(unit)).to_int64();
          const auto blocks = parties_.search().touched(party);
          const std::optional<Interval> hull = parties_.search().hull(party);
          if (!at || !hull) continue;
          if (pieces + std::max<std::size_t>(blocks.size(), 1) > most_pieces) {
            picture.is_rough = true;
            break;
          }
          ++access;
          std::vector<Piece>& own = by_target[stream.target];
          const auto add = [&](Interval bytes, std::int64_t phase) {
            const std::optional<std::int64_t> begin = (Exact(bytes.begin) + Exact(*at)).to_int64();
            const std::optional<std::int64_t> end = (Exact(bytes.end) + Exact(*at)).to_int64();
            if (!begin || !end) return;
            ++pieces;
            own.push_back({party,
                           call,
                           i,
                           access,
                           {{*begin, *end}, phase + *at},
                           one.is_repeated,
                           are_several,
                           one.since,
                           one.until});
          };
          if (blocks.empty()) {
            picture.is_rough = true;
            add(*hull, 0);
          }
          for (const ConflictSearch::TouchedBlock& block : blocks) add(block.bytes, block.phase);
        }
      }
    }
    fill(picture, by_target);
    return picture;
  }

  /// What is drawn of a rank: its memory, and of a dynamic window from the first byte that is touched to the last.
  static Interval drawn_bytes(const JobWindow& window, const std::vector<Piece>& pieces) {
    if (window.size) return {0, *window.size};
    Interval bytes = pieces.front().block.bytes;
    for (const Piece& piece : pieces) {
      bytes.begin = std::min(bytes.begin, piece.block.bytes.begin);
      bytes.end = std::max(bytes.end, piece.block.bytes.end);
    }
    return bytes;
  }

  void fill(WindowPicture& picture, std::map<std::int64_t, std::vector<Piece>>& by_target) {
    std::vector<std::pair<std::int64_t, Interval>> drawn;
    Exact longest(1);
    std::int64_t unit = 1;
    for (const auto& [target, pieces] : by_target) {
      if (pieces.empty()) continue;
      if (drawn.size() == most_memories) {
        ++picture.left_out;
        continue;
      }
      const JobWindow& window = *windows_.of(name_, {world_, target});
      const Interval bytes = drawn_bytes(window, pieces);
      if (bytes.end <= bytes.begin) continue;
      drawn.emplace_back(target, bytes);
      longest = max(longest, Exact(bytes.end) - Exact(bytes.begin));
      unit = std::max(unit, window.displacement_unit.value_or(1));
    }
    // Whole units, where there is room for each.
    const Exact least = Exact(ceiling_quotient(longest.value(), static_cast<Int128>(cells_)));
    const Exact whole = Exact(ceiling_quotient(least.value(), unit)) * Exact(unit);
    picture.bytes_of_cell = whole.to_int64().value_or(INT64_MAX);
    for (const auto& [target, bytes] : drawn) {
      picture.memories.push_back({{world_, target}, bytes.begin, bytes.end, {}});
      fill_cells(picture, picture.memories.back(), by_target[target]);
    }
  }

  void fill_cells(WindowPicture& picture, DrawnMemory& memory, std::vector<Piece>& pieces) {
    const Exact length = Exact(memory.end) - Exact(memory.begin);
    memory.cells.assign(static_cast<std::size_t>(ceiling_quotient(length.value(), picture.bytes_of_cell)),
                        WindowPicture::untouched);
    const auto mark = [&](Interval bytes, char with) {
      const Int128 first = floor_quotient(static_cast<Int128>(bytes.begin) - memory.begin, picture.bytes_of_cell);
      const Int128 last = floor_quotient(static_cast<Int128>(bytes.end) - 1 - memory.begin, picture.bytes_of_cell);
      for (Int128 i = std::max<Int128>(first, 0); i <= last && i < static_cast<Int128>(memory.cells.size()); ++i) {
        char& cell = memory.cells[static_cast<std::size_t>(i)];
        if (cell == WindowPicture::conflict) continue;
        const bool is_first = cell == WindowPicture::untouched || cell == with || with == WindowPicture::conflict;
        cell = is_first ? with : WindowPicture::several;
      }
    };
    std::sort(pieces.begin(), pieces.end(),
              [](const Piece& a, const Piece& b) { return a.block.bytes.begin < b.block.bytes.begin; });
    std::vector<const Piece*> active;
    for (const Piece& piece : pieces) {
      mark(piece.block.bytes, picture.calls[piece.call].letter);
      std::erase_if(active, [&](const Piece* one) { return one->block.bytes.end <= piece.block.bytes.begin; });
      const auto conflicts = [&](const Piece& other) {
        const bool is_own = piece.origins == other.origins;
        if (picture.mode == EpochMode::passive && !is_own) return false;
        // Several that did the same are different processes, too.
        if ((!is_own || piece.are_several) &&
            parties_.search().conflict(piece.party, piece.block, other.party, other.block, Between::origins)) {
          return true;
        }
        if (!is_own || (piece.access == other.access && !piece.is_repeated)) return false;
        if (piece.since >= other.until || other.since >= piece.until) return false;
        return parties_.search().conflict(piece.party, piece.block, other.party, other.block, Between::calls_of_one);
      };
      const auto meet = [&](const Piece& other) {
        if (!conflicts(other)) return;
        picture.has_conflict = true;
        mark({piece.block.bytes.begin, std::min(piece.block.bytes.end, other.block.bytes.end)},
             WindowPicture::conflict);
      };
      meet(piece);  // with itself, where there are several of it
      for (const Piece* const other : active) meet(*other);
      meetings_left_ -= std::min<std::uint64_t>(meetings_left_, active.size() + 1);
      if (active.size() < most_active && meetings_left_ != 0) active.push_back(&piece);
    }
  }

  Layouts layouts_;
  EpochContents contents_;
  EpochParties parties_;
  TargetWindows windows_;
  const Key name_;
  const WorldNumber world_;
  const std::size_t cells_;
  std::vector<DoneByRanks> all_;
  std::uint64_t meetings_left_ = most_meetings;
};

}  // namespace

std::optional<WindowPicture> picture_of_window(const Job& job, Key name, WorldNumber world,
                                               std::optional<std::uint64_t> epoch, std::size_t cells) {
  return WindowDrawing(job, name, world, cells).draw(epoch);
}

}  // namespace ddtscope::reporters
