#include "reporters/trace/reduce/random_trace.h"

#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "decoder/bounds/bounds.h"
#include "decoder/testing/random_types.h"
#include "reporters/trace/write/writer.h"

namespace ddtscope::reduce {
namespace {

/// One rank: its definitions in an order of its own, call sites, names, differences, counters.
class RandomRank {
 public:
  RandomRank(const RandomJob& job, std::int64_t rank, test::TestStore& types, const std::vector<DefinitionId>& all)
      : job_(job),
        rank_(rank),
        types_(types),
        all_(all),
        random_(job.seed * 1000003 + static_cast<std::uint64_t>(rank)) {}

  void write(const std::filesystem::path& folder) {
    writer_.create(folder / ("rank-" + std::to_string(rank_) + ".jsonl"));
    HeaderRecord header;
    header.tool = "0.1.0";
    header.job = "random-" + std::to_string(job_.seed);
    header.library_name = "openmpi";
    header.library_version = "Open MPI v4.1.4";
    header.library_standard = "3.1";
    header.host = "node\t" + std::to_string(rank_ / 3);
    header.pid = 1000 + rank_;
    header.rank = Rank{{}, rank_};
    header.size = job_.ranks;
    header.program = "/opt/a \"quoted\" path/solver";
    if (rank_ % 4 == 3) header.arguments = {"-n", "a\\b \u009b \u00fc", std::to_string(rank_ % 8)};
    if (rank_ % 8 == 7) header.program = "/opt/other";
    header.started = "2026-11-21T11:00:0" + std::to_string(rank_ % 10) + ".000Z";
    header.stack_depth = 16;
    header.verify = rank_ % 2 == 0;
    header.sources = true;
    trace::add_types(header, types_.store());
    writer_.header(header);
    write_sites();
    for (const DefinitionId id : all_) {
      if (number(0, 2) != 0) define(id);
    }
    for (const DefinitionId id : written_) write_instances(id);
    // Definitions that had made room for others and were made again.
    for (const DefinitionId id : written_) {
      if (number(0, 3) == 0) write_instances(id);
    }
    if (number(0, 2) == 0) writer_.note("note " + std::to_string(number(0, 3)));
    for (const char* error_class : {"MPI_ERR_TYPE", ""}) {
      std::vector<FailedCallsRecord> calls;
      std::set<FrameNumber> sites;
      for (std::int64_t i = number(0, 3); i > 0; --i) {
        const FrameNumber site = any_site();
        if (sites.insert(site).second)
          calls.push_back({"MPI_Type_commit", "c", error_class, site, static_cast<std::uint64_t>(number(1, 9))});
      }
      if (!calls.empty()) writer_.failed_calls(calls);
    }
    write_uses();
    write_messages(write_communicators());
    write_buffers();
    write_windows();
    write_files();
    std::vector<UnrecordedRecord> unrecorded;
    for (std::int64_t i = number(0, 2); i > 0; --i) {
      unrecorded.push_back(
          {"MPI_Type_vector", static_cast<std::uint64_t>(i), "reason \"" + std::to_string(i) + "\"", {}, {}});
    }
    const std::string ended = "2026-11-21T12:00:0" + std::to_string(rank_ % 7) + ".000Z";
    writer_.end({.complete = true, .reason = "MPI_Finalize", .ended = ended}, unrecorded);
  }

 private:
  /// Of a predefined type, and of some of the rank's own; now and then more elements than can be counted.
  void write_uses() {
    for (std::size_t i = 0; i < 4; ++i) {
      const bool is_predefined = i == 0 || written_.empty();
      trace::UsesLine line;
      line.predefined = is_predefined ? "MPI_INT" : "";
      if (!is_predefined) line.definition = numbers_[written_[i % written_.size()]];
      line.called = number(0, 1) == 0 ? "MPI_Send" : "mpi_send_";
      line.binding = line.called == "MPI_Send" ? "c" : "mpif.h";
      line.parameter = number(0, 1) == 0 ? trace::UseParameter::sendtype : trace::UseParameter::datatype;
      std::vector<trace::SiteUses> sites;
      std::set<FrameNumber> known;
      for (std::int64_t k = number(1, 4); k > 0; --k) {
        const FrameNumber site = any_site();
        const auto least = static_cast<std::uint64_t>(number(0, 9));
        const auto calls = static_cast<std::uint64_t>(number(1, 99));
        const std::uint64_t elements = number(0, 9) == 0 ? UINT64_MAX - 1 : calls * least;
        trace::UseCounts counts{calls, elements, least, least + calls};
        if (number(0, 1) == 0) counts.received = number(0, 9) == 0 ? UINT64_MAX - 1 : calls;
        if (number(0, 2) == 0) {
          counts.sent_calls = calls / 2;
          counts.sent_elements = elements / 2;
        }
        if (known.insert(site).second) sites.push_back({site, counts, {}});
      }
      line.sites = sites;
      writer_.uses(line);
    }
  }

  /// Some that other ranks have, too, made at the same place or at another one, with a name or without; how many.
  std::uint32_t write_communicators() {
    std::set<std::pair<std::int64_t, FrameNumber>> known;
    std::uint32_t written = 0;
    for (std::int64_t i = number(0, 6); i > 0; --i) {
      const std::int64_t which = number(0, 9);
      const FrameNumber site = any_site();
      if (!known.emplace(which, site).second) continue;
      trace::CommunicatorLine line;
      line.number = {written++};
      line.called = which % 2 == 0 ? "MPI_Comm_split" : "mpi_comm_dup_";
      line.binding = which % 2 == 0 ? "c" : "mpif.h";
      line.site = site;
      std::vector<GroupRuns> groups;
      if (which > 1) line.name = 0xABCDEF0123456780 + static_cast<Key>(which);
      if (which > 3) groups.push_back({{9, 1, -2}, {which, which}});
      if (which > 6) groups.push_back({{0, 2}});
      line.groups = groups;
      writer_.communicator(line);
    }
    return written;
  }

  /// Operations that other ranks have, too, and channels that they make up.
  void write_messages(std::uint32_t communicators) {
    std::set<std::tuple<bool, std::uint64_t, FrameNumber>> known;
    std::uint32_t operations = 0;
    for (std::int64_t i = number(0, 6); i > 0; --i) {
      trace::OperationLine line;
      const bool is_predefined = number(0, 1) == 0 || written_.empty();
      line.elements = static_cast<std::uint64_t>(number(0, 2));
      line.site = any_site();
      if (!known.emplace(is_predefined, line.elements, line.site).second) continue;
      line.number = {operations++};
      line.predefined = is_predefined ? "MPI_DOUBLE" : "";
      if (!is_predefined) line.definition = numbers_[written_.front()];
      line.called = "mpi_sendrecv_f08_";
      line.binding = "mpi_f08";
      line.parameter = trace::UseParameter::recvtype;
      writer_.operation(line);
    }
    std::set<std::vector<SequenceElement>> sequences;
    for (std::int64_t i = number(1, 4); i > 0; --i) {
      std::vector<SequenceElement> elements;
      if (operations != 0) add_folded(elements, operations, 0);
      if (const auto number = static_cast<std::uint32_t>(sequences.size()); sequences.insert(elements).second) {
        writer_.sequence({number}, elements);
      }
    }
    write_channels(communicators, static_cast<std::int64_t>(sequences.size()));
    write_collectives(communicators, static_cast<std::uint32_t>(sequences.size()));
    static constexpr const char* whys[] = {"communicator without a name", "memory"};
    std::vector<MessagesLeftOut> left_out;
    for (std::int64_t i = number(0, 2); i > 0; --i) left_out.push_back({whys[i - 1], UINT64_MAX - 3});
    if (number(0, 4) != 0) writer_.messages(left_out);
  }

  void add_folded(std::vector<SequenceElement>& elements, std::uint32_t operations, int depth) {
    for (std::int64_t i = number(1, 3); i > 0; --i) {
      const std::size_t place = elements.size();
      elements.push_back({0, static_cast<std::uint32_t>(number(0, operations - 1))});
      if (depth == 3 || number(0, 2) != 0) continue;
      elements[place].times = static_cast<std::uint64_t>(number(2, job_.rounds));
      add_folded(elements, operations, depth + 1);
      elements[place].number = static_cast<std::uint32_t>(elements.size() - place - 1);
    }
  }

  /// Sides of all kinds; their types may have other numbers in other ranks.
  trace::CollectiveSideLine side(std::vector<trace::BlockRunLine>& runs) {
    runs.clear();
    for (std::int64_t i = number(0, 2); i > 0; --i) {
      trace::BlockRunLine run;
      run.times = static_cast<std::uint64_t>(number(1, 3));
      run.elements = static_cast<std::uint64_t>(number(0, 2));
      if (number(0, 1) == 0 && !written_.empty()) {
        run.definition = numbers_[written_.front()];
      } else if (run.elements != 0) {
        run.predefined = "MPI_DOUBLE";
      }
      runs.push_back(run);
    }
    const auto is = static_cast<CollectiveSideIs>(number(0, 3));
    if (is != CollectiveSideIs::blocks) runs.clear();
    return {is, runs};
  }

  /// Behind so many sequences of other operations.
  void write_collectives(std::uint32_t communicators, std::uint32_t sequences) {
    static constexpr const char* ops[] = {"", "MPI_SUM", "user-defined"};
    std::set<FrameNumber> known;
    std::uint32_t operations = 0;
    std::vector<trace::BlockRunLine> sent, received;
    for (std::int64_t i = number(0, 4); i > 0; --i) {
      trace::CollectiveLine line;
      line.site = any_site();
      if (!known.insert(line.site).second) continue;
      line.number = {operations++};
      line.called = "MPI_Allgatherv";
      line.binding = "c";
      line.root = {static_cast<CollectiveRoot::Is>(number(0, 3)), 0};
      if (line.root.is == CollectiveRoot::Is::process) line.root.rank = static_cast<std::int32_t>(number(0, 3));
      line.op = ops[number(0, 2)];
      line.send = side(sent);
      line.receive = side(received);
      writer_.collective(line);
    }
    std::vector<SequenceElement> elements;
    if (operations != 0) add_folded(elements, operations, 0);
    writer_.sequence({sequences}, elements, SequenceOf::collectives);
    sequences_ = sequences + 1;
    for (std::int64_t i = number(0, 2); i > 0; --i) {
      trace::CollectivesLine line;
      line.predefined = PredefinedCommunicator::world;
      if (communicators != 0 && i == 2) {
        line.communicator = {static_cast<std::uint32_t>(number(0, communicators - 1))};
        line.predefined = PredefinedCommunicator::none;
      }
      line.sequence = {sequences};
      if (number(0, 3) == 0) line.undecided = UndecidedFrom{UINT64_MAX / 3, "failed"};
      const Neighbours neighbours{
          .is_cartesian = number(0, 1) == 0, .sources = {0, Neighbours::nobody}, .destinations = {}};
      if (number(0, 1) == 0) line.neighbours = &neighbours;
      writer_.collectives(line);
    }
  }

  void write_channels(std::uint32_t communicators, std::int64_t sequences) {
    for (std::int64_t i = number(0, 5); i > 0; --i) {
      trace::ChannelsLine line;
      if (communicators != 0 && number(0, 1) == 0) {
        line.communicator = {static_cast<std::uint32_t>(number(0, communicators - 1))};
      } else {
        line.predefined = number(0, 3) == 0 ? PredefinedCommunicator::self : PredefinedCommunicator::world;
      }
      line.direction = number(0, 1) == 0 ? ChannelDirection::send : ChannelDirection::receive;
      line.sequence = {static_cast<std::uint32_t>(number(0, sequences - 1))};
      line.is_partitioned = number(0, 5) == 0;
      line.is_unordered = number(0, 5) == 0;
      if (number(0, 3) == 0) line.undecided = UndecidedFrom{UINT64_MAX / 3, "switched off"};
      std::vector<ChannelEnd> ends;
      for (std::int64_t k = number(1, 4); k > 0; --k) {
        // Each tag is of one line: no channel stands in two.
        ends.push_back({static_cast<std::int32_t>(number(0, 3)), static_cast<std::int32_t>(10 * i + k) - 20});
      }
      line.channels = ends;
      writer_.channels(line);
    }
  }

  /// In every kind of place; static memory is of a module that may have another number in other ranks.
  void write_buffers() {
    std::set<std::pair<std::int64_t, FrameNumber>> known;
    std::uint32_t written = 0;
    for (std::int64_t i = number(0, 8); i > 0; --i) {
      const std::int64_t which = number(0, 9);
      const FrameNumber site = any_site();
      if (!known.emplace(which, site).second) continue;
      const BufferPlace place = place_of(which);
      const bool is_predefined = which % 2 == 0 || written_.empty();
      trace::BufferLine line;
      line.number = {written++};
      line.predefined = is_predefined ? "MPI_INT" : "";
      if (!is_predefined) line.definition = numbers_[written_.front()];
      line.elements = which == 9 ? UINT64_MAX : static_cast<std::uint64_t>(which);
      line.called = which % 3 == 0 ? "MPI_Alltoallv" : "mpi_send_";
      line.binding = which % 3 == 0 ? "c" : "mpif.h";
      line.parameter = which % 3 == 0 ? trace::UseParameter::sendtype : trace::UseParameter::datatype;
      if (which % 3 == 0) line.position = which;
      if (which % 4 == 1) {
        line.descriptor = {which == 1 ? ArrayDescriptor::Element::real : ArrayDescriptor::Element::derived, 8,
                           which == 5};
      }
      line.site = site;
      line.place = &place;
      writer_.buffer(line);
    }
  }

  /// Of the same names in all ranks; of some windows they have different parts.
  void write_windows() {
    const auto windows = static_cast<std::uint32_t>(number(0, 3));
    for (std::uint32_t i = 0; i < windows; ++i) {
      const WindowFlavour flavour = all_window_flavours[static_cast<std::size_t>(number(0, 3))];
      const bool has_memory = flavour != WindowFlavour::dynamic;
      trace::WindowLine line;
      line.number = {i};
      line.name = 0xFF00000000000000 + i;
      line.flavour = flavour;
      if (has_memory) line.size = number(0, 1) == 0 ? INT64_MAX : number(0, 2);
      if (has_memory) line.displacement_unit = number(0, 1) == 0 ? 1 : INT64_MAX;
      line.called = "mpi_win_create_f08_";
      line.binding = "mpi_f08";
      line.site = any_site();
      writer_.window(line);
    }
    // Some in all ranks, some of single ones.
    for (std::uint32_t i = 0; i < windows; ++i) {
      if (number(0, 1) == 0) continue;
      const std::string name = i == 1 ? "of rank " + std::to_string(rank_) : "a \"halo\" " + std::to_string(i);
      writer_.window_name({.window = {i}, .name = name});
    }
    std::set<std::pair<std::int64_t, FrameNumber>> known;
    for (std::int64_t i = windows == 0 ? 0 : number(0, 6); i > 0; --i) {
      const std::int64_t which = number(0, 5);
      const FrameNumber site = any_site();
      if (!known.emplace(which, site).second) continue;
      const bool is_predefined = which % 2 == 0 || written_.empty();
      trace::AccessesLine line;
      line.window = {static_cast<std::uint32_t>(which) % windows};
      line.target = which % 3;
      line.predefined = is_predefined ? "MPI_INT" : "";
      if (!is_predefined) line.definition = numbers_[written_.front()];
      line.elements = which == 5 ? UINT64_MAX : static_cast<std::uint64_t>(which);
      line.called = "MPI_Put";
      line.binding = "c";
      line.parameter = trace::UseParameter::target_datatype;
      line.site = site;
      line.lowest = which == 4 ? INT64_MIN : -which;
      line.highest = which == 4 ? INT64_MAX : which;
      line.count = static_cast<std::uint64_t>(number(1, 3));
      writer_.accesses(line);
    }
    if (windows != 0) write_epochs(windows);
  }

  /// Events of all kinds; their types and sites may have other numbers in other ranks.
  void write_epochs(std::uint32_t windows) {
    static constexpr RankRun group[] = {{0, 3, 1}, {7, 5, -2}};
    std::set<std::pair<std::int64_t, FrameNumber>> known;
    std::uint32_t events = 0;
    for (std::int64_t i = number(0, 8); i > 0; --i) {
      const std::int64_t which = number(0, 2 * static_cast<std::int64_t>(std::size(names_of_window_events)) - 1);
      const bool is_other = which % 2 != 0;
      trace::WindowEventLine line;
      line.kind = static_cast<WindowEventKind>(which / 2);
      line.site = any_site();
      if (!known.emplace(which, line.site).second) continue;
      line.number = {events++};
      line.ordering.set = is_other ? 0 : AccumulateOrdering::raw | AccumulateOrdering::waw;
      if (has_target(line.kind) && (is_other || !may_be_of_all_targets(line.kind))) line.target = is_other ? 0 : 3;
      line.is_exclusive = line.kind == WindowEventKind::lock && is_other;
      if (has_group(line.kind)) line.group = std::span(group).first(is_other ? 2 : 0);
      if (has_asserts(line.kind) && is_other) line.asserts.set = 31;
      line.called = "MPI_Win_\"fence\"";
      line.binding = "c";
      if (is_of_access(line.kind)) {
        line.predefined = is_other || written_.empty() ? "MPI_INT" : "";
        if (line.predefined.empty()) line.definition = numbers_[written_.front()];
        line.elements = is_other ? UINT64_MAX : 1;
        line.parameter = trace::UseParameter::target_datatype;
        line.displacement = is_other ? INT64_MAX : -3;
        line.times = is_other ? 5 : 1;
        line.step = is_other ? -8 : 0;
        line.op = is_other ? "MPI_SUM" : "";
      }
      writer_.window_event(line);
    }
    std::vector<SequenceElement> elements;
    if (events != 0) add_folded(elements, events, 0);
    writer_.sequence({sequences_}, elements, SequenceOf::window_events);
    for (std::uint32_t i = 0; i < windows; ++i) {
      if (number(0, 1) == 0) continue;
      trace::EpochsLine line{.window = {i}, .sequence = {sequences_}};
      if (number(0, 3) == 0) line.undecided = UndecidedFrom{UINT64_MAX / 3, "memory"};
      writer_.epochs(line);
      static constexpr AttachedRange ranges[] = {{INT64_MIN, 4096}, {-8, 8}, {INT64_MAX - 8, 8}};
      writer_.attached({.window = {i}, .ranges = std::span(ranges).first(static_cast<std::size_t>(number(0, 3)))});
    }
  }

  /// Some in all ranks, some of single ones, with words that must be escaped.
  void write_files() {
    const auto files = static_cast<std::uint32_t>(number(0, 3));
    for (std::uint32_t i = 0; i < files; ++i) {
      trace::OpenedFileLine line;
      line.number = {i};
      const std::string name = i == 2 ? "out." + std::to_string(rank_) : "a \"b\" " + std::to_string(i);
      line.name = name;
      line.communicator = i == 0 ? "" : "MPI_COMM_WORLD";
      line.mode = "MPI_MODE_RDWR | MPI_MODE_CREATE";
      line.called = "mpi_file_open_f08_";
      line.binding = "mpi_f08";
      line.site = any_site();
      writer_.opened_file(line);
    }
    for (std::uint32_t i = 0; i < files; ++i) {
      const bool is_predefined = number(0, 1) == 0 || written_.empty();
      trace::ViewLine view;
      view.file = {i};
      view.etype.predefined = "MPI_INT";
      if (is_predefined) view.filetype.predefined = "MPI_INT";
      if (!is_predefined) view.filetype.definition = numbers_[written_.front()];
      view.datarep = "native";
      view.is_at_current = number(0, 2) == 0;
      view.lowest = number(0, 1) == 0 ? 0 : INT64_MIN;
      view.highest = number(0, 1) == 0 ? 4 : INT64_MAX;
      view.called = "MPI_File_set_view";
      view.binding = "c";
      view.site = any_site();
      view.count = static_cast<std::uint64_t>(number(1, 3));
      writer_.view(view);
      trace::FileAccessesLine accesses;
      accesses.file = {i};
      accesses.predefined = is_predefined ? "MPI_INT" : "";
      if (!is_predefined) accesses.definition = numbers_[written_.front()];
      accesses.elements = number(0, 2) == 0 ? UINT64_MAX : 7;
      accesses.called = "MPI_File_write_at_all";
      accesses.binding = "c";
      accesses.parameter = trace::UseParameter::datatype;
      accesses.site = any_site();
      accesses.count = static_cast<std::uint64_t>(number(1, 3));
      writer_.file_accesses(accesses);
    }
  }

  static BufferPlace place_of(std::int64_t which) {
    if (which == 7) return ThreadPlaceIn<ModuleNumber>{{1}, 0x40};
    switch (which % 5) {
      case 0:
        return StaticPlaceIn<ModuleNumber>{{which == 0 ? 0U : 1U}, which == 0 ? 0x4040 : UINT64_MAX};
      case 1:
        return StackPlace{1, -72, which == 1 ? std::optional<std::int64_t>(-128) : std::nullopt,
                          which == 6 ? std::vector<PlaceRoute>{{1, -24, {}, 0}} : std::vector<PlaceRoute>{}};
      case 2:
        return HeapPlace{{{0, -24, {}, 0}, {2, -8, 16, 0}}, {{0, 3, {}, 8}}, {{0, 0, {}, 0}}, {{16, 80}}};
      case 3:
        return HeapPlace{{}, {}, {{0, 1, -(std::int64_t{1} << 59), -4}}, {}};
      default:
        return NoPlace{"no \"place\" was found"};
    }
  }

  std::int64_t number(std::int64_t least, std::int64_t greatest) {
    return std::uniform_int_distribution<std::int64_t>(least, greatest)(random_);
  }

  /// A tree of frames, in other places in each rank.
  void write_sites() {
    writer_.module({0}, "/opt/solver", "aa00");
    writer_.module({1}, "/opt/libmesh \xC3\xA4.so", rank_ % 3 == 0 ? "" : "bb11");
    const std::int64_t lines = number(1, 6);
    for (std::int64_t i = 0; i < lines; ++i) {
      const std::int64_t length = number(1, 4);
      const FrameNumber caller = frames_ == 0 || number(0, 1) == 0 ? FrameNumber{} : frame(number(0, frames_ - 1));
      std::vector<trace::Frame> chain;
      for (std::int64_t k = 0; k < length; ++k) {
        const bool is_odd = number(0, 9) == 0;
        const trace::Frame frame{is_odd ? ModuleNumber{} : ModuleNumber{static_cast<std::uint32_t>(number(0, 1))},
                                 is_odd ? UINT64_MAX - 5 : static_cast<std::uint64_t>(number(0, 3) * 16)};
        chain.push_back(frame);
      }
      // No frame stands twice below the same caller in a process's trace.
      bool is_new = true;
      FrameNumber at = caller;
      for (std::size_t k = 0; k < chain.size() && is_new; ++k) {
        const auto key = std::tuple(at, chain[k].module, chain[k].offset);
        is_new = !known_.contains(key);
        at = frame(frames_ + static_cast<std::int64_t>(k));
      }
      if (!is_new) continue;
      at = caller;
      for (std::size_t k = 0; k < chain.size(); ++k) {
        known_.insert(std::tuple(at, chain[k].module, chain[k].offset));
        at = frame(frames_ + static_cast<std::int64_t>(k));
      }
      writer_.frames(frame(frames_), caller, chain);
      frames_ += length;
    }
  }

  static FrameNumber frame(std::int64_t number) { return {static_cast<std::uint32_t>(number)}; }

  FrameNumber any_site() { return frames_ == 0 || number(0, 5) == 0 ? FrameNumber{} : frame(number(0, frames_ - 1)); }

  void define(DefinitionId id) {
    if (!is_written_.insert(id.value).second) return;
    for (const DefinitionId oldtype : types_.store()[id].call.datatypes) {
      if (!types_.store()[oldtype].predefined.valid()) define(oldtype);
    }
    numbers_.give(id);
    writer_.definition({id, any_site(), number(0, 1) == 0 ? "MPI_Type_vector" : "mpi_type_vector_", number(0, 9) == 0},
                       {types_.store(), numbers_}, *types_.layouts().observed(id));
    if (number(0, 3) == 0)
      writer_.name(numbers_[id], "name \"" + std::to_string(number(0, 3)) + "\" \x1b\u0085 D" + "3");
    if (number(0, 3) == 0) writer_.difference({"lb", "[1,2]", std::to_string(number(0, 2)), numbers_[id]});
    written_.push_back(id);
  }

  void write_instances(DefinitionId id) {
    for (const char* called : {"MPI_Type_vector", "mpi_type_vector_"}) {
      std::vector<trace::Counts> counts;
      std::set<FrameNumber> sites;
      for (std::int64_t i = number(0, 3); i > 0; --i) {
        const FrameNumber site = any_site();
        if (!sites.insert(site).second) continue;
        const auto any = [&] { return static_cast<std::uint64_t>(number(0, 50)); };
        counts.push_back({site, 50 + any(), any() / 25, any(), any()});
      }
      // For some types, more places than are compared one by one.
      if (id.value % 5 == 0 && frames_ > 0) {
        for (std::int64_t site = 0; site < frames_; ++site) {
          if (sites.insert(frame(site)).second) counts.push_back({frame(site), 1, 0, 1, 1});
        }
      }
      if (!counts.empty()) writer_.instances({numbers_[id], called, *called == 'M' ? "c" : "mpif.h", counts});
    }
  }

  const RandomJob& job_;
  std::int64_t rank_;
  test::TestStore& types_;
  const std::vector<DefinitionId>& all_;
  std::mt19937_64 random_;
  trace::Writer writer_;
  std::int64_t frames_ = 0;
  trace::DefinitionNumbers numbers_;
  std::set<std::tuple<FrameNumber, ModuleNumber, std::uint64_t>> known_;
  std::set<std::uint32_t> is_written_;
  std::vector<DefinitionId> written_;
  std::uint32_t sequences_ = 0;
};

}  // namespace

void write_random_job(const std::filesystem::path& folder, const RandomJob& job) {
  std::filesystem::create_directories(folder);
  for (std::int64_t rank = 0; rank < job.ranks; ++rank) {
    // The store that a rank's writer numbers is its own; the definitions are those of the job.
    test::TestStore types(test::openmpi_constants, test::many_predefined_types());
    test::RandomTypes random(types, {.seed = job.seed});
    std::vector<DefinitionId> all;
    for (std::int64_t tries = 0; static_cast<std::int64_t>(all.size()) < job.definitions && tries < 1000; ++tries) {
      const std::size_t before = types.store().size();
      const DefinitionId id = random.next();
      for (std::size_t i = before; i < types.store().size(); ++i) {
        const DefinitionId made{static_cast<std::uint32_t>(i)};
        types.layouts().observe(made, as_answered(types.bounds(made)));
      }
      if (id.valid() && id.value >= before) all.push_back(id);
    }
    RandomRank(job, rank, types, all).write(folder);
  }
}

}  // namespace ddtscope::reduce
