// The compact form of a typemap, with an explicit stack.
#include "decoder/layout/strided_runs.h"

#include <algorithm>

#include "decoder/definition/even_values.h"

namespace ddtscope {
namespace {

constexpr std::size_t deepest_group = 32;
// A chain of nested structs is looked into so far: its last link would else cost the whole chain, each time.
constexpr std::size_t deepest_nest = 256;

using Loop = std::pair<Exact, Exact>;

/// Puts a loop inside the ones there are; two that step evenly are one.
void add_loop(std::vector<Loop>& loops, Exact count, Exact stride) {
  if (count == Exact(1)) return;
  if (!loops.empty() && loops.back().second == count * stride) {
    loops.back().first = loops.back().first * count;
    loops.back().second = stride;
    return;
  }
  loops.emplace_back(count, stride);
}

/// Parts i to i + count - 1 of a node: the same child and blocklength, one step apart.
struct EvenParts {
  std::size_t first = 0;
  std::size_t count = 0;
  LayoutPart part;
  Exact step = 0;
};

class RunBuilder {
 public:
  RunBuilder(const Layouts& layouts, std::size_t limit) : layouts_(layouts), limit_(limit) {}

  StridedRuns build(LayoutId root) {
    frames_.push_back(Frame{});
    place(root, 0, {});
    while (frames_.size() > 1 && !result_.truncated) step();
    while (frames_.size() > 1) close();
    result_.runs = std::move(frames_[0].runs);
    return std::move(result_);
  }

 private:
  /// An open parts node. Its runs go to the frame `target`: itself where it is a group.
  struct Frame {
    LayoutId node;
    std::size_t next_part = 0;
    Exact base;
    std::size_t target = 0;
    bool is_group = false;
    std::vector<StridedRun> runs;
    Exact displacement;
    std::vector<Loop> loops;
  };

  bool is_empty(const LayoutPart& part) const { return part.blocklength <= 0 || layouts_[part.child].facts.empty(); }

  /// How many blocks from `i` on are equally long and stand one step apart. Looks at both arrays in pieces, each twice
  /// as long as the one before: no farther than a few times as far as they are even.
  static std::size_t even_blocks(const LayoutNode& node, std::size_t i) {
    constexpr std::size_t first_piece = 16;
    std::size_t count = 0;
    for (std::size_t piece = first_piece, seen = 0; count == seen && i + seen < node.part_count; piece *= 2) {
      const std::size_t end = std::min(i + piece, node.part_count);
      seen = end - i;
      const std::size_t alike =
          node.blocklengths.length == 0 ? seen : even_values(node.blocklengths, i, end, EvenStep::none);
      count = even_values(node.displacements, i, i + alike, EvenStep::any);
    }
    return count;
  }

  /// The next parts from `i` on that make one loop; count 0 at the end.
  EvenParts even_parts(const LayoutNode& node, std::size_t i) const {
    EvenParts even;
    while (i < node.part_count && is_empty(node.part(i))) ++i;
    if (i == node.part_count) return even;
    even.first = i;
    even.count = 1;
    even.part = node.part(i);
    if (node.children.empty() && node.child_extents.empty()) {
      even.count = even_blocks(node, i);
      if (even.count > 1) even.step = node.part(i + 1).displacement - even.part.displacement;
      return settled(node, even);
    }
    Exact last = even.part.displacement;
    for (++i; i < node.part_count; ++i) {
      const LayoutPart part = node.part(i);
      if (part.child != even.part.child || part.blocklength != even.part.blocklength ||
          !(part.extent == even.part.extent || part.blocklength == 1)) {
        break;
      }
      const Exact step = part.displacement - last;
      if (!step.fits() || (even.count > 1 && !(step == even.step))) break;
      even.step = step;
      last = part.displacement;
      ++even.count;
    }
    return settled(node, even);
  }

  /// Two parts always stand evenly: only where they adjoin, or are all there is, does a loop say more.
  static EvenParts settled(const LayoutNode& node, EvenParts even) {
    const bool is_all = even.first == 0 && even.count == node.part_count;
    const bool adjoins = even.step == Exact(even.part.blocklength) * even.part.extent;
    if (even.count == 2 && !is_all && !adjoins) even.count = 1;
    return even;
  }

  /// Puts `loops` of a node at `displacement` into the frame on top, or opens a frame for its parts.
  void place(LayoutId id, Exact displacement, std::vector<Loop> loops) {
    const std::size_t target = frames_.back().target;
    while (true) {
      const LayoutNode& node = layouts_[id];
      if (node.facts.empty()) return;
      if (node.facts.uniform() && node.facts.blocks == Exact(1)) {
        // Equal entries end to end, however they are nested.
        add_loop(loops, node.facts.entries, layouts_.store().predefined()[node.facts.first_type].size);
        displacement += node.facts.first_displacement;
        emit(target, StridedRun{node.facts.first_type, {}, displacement, std::move(loops)});
        return;
      }
      if (node.kind == LayoutKind::repeat) {
        add_loop(loops, node.count, node.stride);
        id = node.child;
        continue;
      }
      const EvenParts even = even_parts(node, 0);
      if (even_parts(node, even.first + even.count).count != 0) {
        open(id, displacement, std::move(loops), target);
        return;
      }
      enter(even, displacement, loops);
      id = even.part.child;
    }
  }

  static void enter(const EvenParts& even, Exact& displacement, std::vector<Loop>& loops) {
    displacement += even.part.displacement;
    add_loop(loops, Exact(static_cast<std::int64_t>(even.count)), even.step);
    add_loop(loops, even.part.blocklength, even.part.extent);
  }

  void open(LayoutId id, Exact displacement, std::vector<Loop> loops, std::size_t target) {
    if (frames_.size() > deepest_nest) {
      result_.truncated = true;
      return;
    }
    Frame frame;
    frame.node = id;
    frame.target = target;
    frame.is_group = !loops.empty();
    if (frame.is_group) {
      if (group_depth_ == deepest_group || !count_run()) {
        result_.truncated = true;
        return;
      }
      ++group_depth_;
      frame.target = frames_.size();
      frame.displacement = displacement;
      frame.loops = std::move(loops);
    } else {
      frame.base = displacement;
    }
    frames_.push_back(std::move(frame));
  }

  void step() {
    Frame& frame = frames_.back();
    const EvenParts even = even_parts(layouts_[frame.node], frame.next_part);
    if (even.count == 0) {
      close();
      return;
    }
    frame.next_part = even.first + even.count;
    Exact displacement = frame.base;
    std::vector<Loop> loops;
    enter(even, displacement, loops);
    place(even.part.child, displacement, std::move(loops));
  }

  void close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    if (!frame.is_group) return;
    --group_depth_;
    if (frame.runs.empty()) return;
    frames_[frames_.back().target].runs.push_back(
        StridedRun{{}, std::move(frame.runs), frame.displacement, std::move(frame.loops)});
  }

  bool count_run() {
    if (runs_ == limit_) return false;
    ++runs_;
    return true;
  }

  void emit(std::size_t target, StridedRun run) {
    if (!count_run()) {
      result_.truncated = true;
      return;
    }
    frames_[target].runs.push_back(std::move(run));
  }

  const Layouts& layouts_;
  std::size_t limit_;
  std::size_t runs_ = 0;
  std::size_t group_depth_ = 0;
  std::vector<Frame> frames_;
  StridedRuns result_;
};

}  // namespace

StridedRuns strided_runs(const Layouts& layouts, LayoutId root, std::size_t limit) {
  return RunBuilder(layouts, limit).build(root);
}

}  // namespace ddtscope
