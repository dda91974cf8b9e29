// Joins what the files of one job say: equal definitions, call sites and modules of all ranks are one each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "decoder/definition/envelope.h"
#include "reporters/model/job.h"
#include "reporters/trace/read/reader.h"

namespace ddtscope::reporters {

/// Joins the files of one job, ranks ascending, as their lines are read.
class JobBuilder : public TraceSink {
 public:
  explicit JobBuilder(Job& job) : job_(job) {}

  /// The lines of another file follow.
  void begin(const std::filesystem::path& file);

  void header(HeaderRecord&& header) override;
  void process(ProcessRecord&& record) override;
  void note(std::string&& sentence) override { note_once(sentence); }
  void predefined(const PredefinedType& type) override { add_predefined(type); }
  void module(ModuleRecord&& module) override;
  void frame(const FrameRecord& record) override;
  void definition(DefinitionRecord& record) override;
  void name(NameRecord&& record) override;
  void difference(DifferenceRecord&& record) override;
  void end(FileEnd&& end) override;

 private:
  struct FrameKey {
    std::uint32_t caller, module;  // 0 where there is none
    std::uint64_t offset;
    bool operator==(const FrameKey&) const = default;
  };
  struct HashFrameKey {
    std::size_t operator()(const FrameKey& key) const {
      const std::uint64_t mixed = (std::uint64_t{key.caller} << 32 | key.module) * 0x9e3779b97f4a7c15U ^ key.offset;
      return static_cast<std::size_t>((mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15U);
    }
  };
  struct FirstSite {
    OriginIndex origin;
    bool adopted;
  };

  [[noreturn]] void refuse(std::size_t line, const std::string& why) const;
  void add_predefined(const PredefinedType& type);
  DefinitionId intern(DefinitionRecord& record);
  void add_type(const DefinitionRecord& record, DefinitionId id);
  TypeNumber type_with_key(Key key) const;
  TypeNumber type_of(DefinitionNumber number) const;
  std::optional<FrameIndex> site_of(FrameNumber site) const;
  OriginIndex origin_of(const Origin& origin);
  void check_worlds() const;
  void join_instances(FileEnd& end);
  void join_unrecorded(const FileEnd& end);
  void join_failed_calls(const FileEnd& end);
  void join_uses(const FileEnd& end);
  void join_findings(const FileEnd& end);
  void join_switches(const FileEnd& end);
  /// Which ones of the job's those of the file are.
  std::vector<CommunicatorIndex> join_communicators(FileEnd& end);
  std::vector<OperationIndex> join_operations(const FileEnd& end);
  std::vector<CollectiveIndex> join_collective_operations(const FileEnd& end);
  CollectiveSide side_of(const CollectiveSideRecord& record) const;
  /// Which ones of the job's the file's are.
  std::vector<std::uint32_t> join_window_events(const FileEnd& end);
  /// The numbers of the file's sequences among the job's of the same kind.
  std::vector<std::uint32_t> join_sequences(FileEnd& end);
  /// What both kinds of lines say of the communicator and its sequence. False where the process has no rank: there is
  /// no MPI_COMM_WORLD in which its peers would have ranks.
  template <class Record, class Line>
  bool join_communicator(const Record& record, const std::vector<CommunicatorIndex>& communicators, Line& line);
  /// Channels and collectives.
  void join_messages(FileEnd& end, const std::vector<CommunicatorIndex>& communicators,
                     const std::vector<std::uint32_t>& sequences);
  void join_known_messages(const FileEnd& end);
  void join_pending(FileEnd& end);
  void join_buffers(FileEnd& end);
  std::vector<WindowIndex> join_windows(const FileEnd& end);
  void join_accesses(const FileEnd& end, const std::vector<WindowIndex>& windows);
  /// Files, their views, and what was accessed in them.
  void join_files(const FileEnd& end);
  void join_views(const FileEnd& end, const std::vector<FileIndex>& files);
  void join_file_accesses(const FileEnd& end, const std::vector<FileIndex>& files);
  /// What was done about windows, and what was attached to them.
  void join_epochs(FileEnd& end, const std::vector<WindowIndex>& windows, const std::vector<std::uint32_t>& sequences);
  /// A made type of the file, or a predefined one.
  DefinitionId definition_of(const OldtypeRecord& type) const;
  /// The file's own rank, or those that a merged trace names.
  void add_ranks(RankRanges& ranks, std::span<const RankRange> named) const;
  /// The place of the line that has this key, which is `line` where there was none, among the job's: it is of these
  /// ranks, too. Taken by reference, for the key is often made of what the line has.
  template <class Line, class Index>
  auto join_line(std::vector<Line>& lines, Index& index, const typename Index::key_type& key,
                 std::type_identity_t<Line>&& line, std::span<const RankRange> named) {
    const auto [found, is_new] = index.try_emplace(key, static_cast<typename Index::mapped_type>(lines.size()));
    if (is_new) lines.push_back(std::move(line));
    add_ranks(lines[found->second].ranks, named);
    return found->second;
  }
  void note_once(const std::string& sentence, const std::string& topic = {});

  Job& job_;
  /// Build id, path where a module has none, and function.
  using ModuleKey = std::tuple<std::optional<std::string>, std::string, std::optional<std::string>>;
  std::map<ModuleKey, ModuleIndex> module_index_;
  std::unordered_map<FrameKey, FrameIndex, HashFrameKey> frame_index_;
  std::unordered_map<Key, TypeNumber> edited_keys_;  // those that are not the definitions' own
  std::map<std::tuple<std::uint32_t, std::string, std::string, std::string>, std::size_t> difference_index_;
  std::map<std::tuple<std::string_view, std::string_view, std::string_view, std::uint32_t>, std::size_t>
      failed_calls_index_;
  std::map<std::tuple<std::uint32_t, std::string_view, std::string_view, trace::UseParameter, std::uint32_t>,
           std::size_t>
      uses_index_;
  /// What tells the other argument of a finding from others: numbers and words of the job's.
  using OtherKey = std::tuple<std::string_view, std::uint64_t, std::uint32_t, std::string_view, std::string_view,
                              std::string_view, std::uint32_t, std::uint64_t, std::int64_t, bool>;
  static OtherKey key_of_other(const CallFinding& finding);
  std::map<std::tuple<std::string_view, std::string_view, std::uint32_t, std::string_view, std::string_view,
                      std::string_view, std::uint32_t, std::uint32_t, OtherKey>,
           std::size_t>
      call_findings_index_;
  std::map<std::tuple<std::optional<Key>, std::string_view, std::string_view, std::optional<std::uint32_t>,
                      std::vector<GroupRuns>>,
           std::size_t>
      communicators_index_;
  std::map<std::tuple<std::uint32_t, std::uint64_t, std::string_view, std::string_view, trace::UseParameter,
                      std::optional<FrameIndex>>,
           std::uint32_t>
      operations_index_;
  std::map<CollectiveOperation, std::uint32_t> collective_operations_index_;
  SequenceTable sequences_{job_.messages.sequences}, collective_sequences_{job_.messages.collective_sequences},
      window_sequences_{job_.window_sequences};
  std::map<WindowEvent, std::uint32_t> window_events_index_;
  using EpochsKey =
      std::tuple<WindowIndex, std::uint32_t, std::optional<std::pair<std::uint64_t, std::string_view>>, WorldNumber>;
  std::map<EpochsKey, std::size_t> epochs_index_;
  std::map<std::vector<MessagesLeftOut>, std::size_t> known_messages_index_;
  /// All that a buffer's line says but for its ranks, as the job's numbers and words.
  using BufferKey =
      std::tuple<std::uint32_t, std::uint64_t, std::string_view, std::string_view, trace::UseParameter,
                 std::optional<std::uint64_t>, std::optional<ArrayDescriptor>, std::optional<std::uint32_t>, JobPlace>;
  std::map<BufferKey, std::size_t> buffers_index_;
  using WindowKey = std::tuple<Key, WindowFlavour, std::optional<std::int64_t>, std::optional<std::int64_t>,
                               std::string_view, std::string_view, std::optional<FrameIndex>>;
  std::map<WindowKey, std::uint32_t> windows_index_;
  std::map<std::pair<WindowIndex, std::string_view>, std::size_t> window_names_index_;
  using AccessesKey = std::tuple<WindowIndex, std::int64_t, std::uint32_t, std::uint64_t, std::string_view,
                                 std::string_view, trace::UseParameter, std::optional<FrameIndex>, std::int64_t,
                                 std::int64_t, std::uint64_t, WorldNumber>;
  std::map<AccessesKey, std::size_t> accesses_index_;
  using FileKey = std::tuple<std::string, std::string_view, std::string_view, std::string_view, std::string_view,
                             std::optional<FrameIndex>>;
  std::map<FileKey, std::uint32_t> files_index_;
  using ViewKey = std::tuple<FileIndex, std::uint32_t, std::uint32_t, std::string_view, std::optional<std::int64_t>,
                             std::optional<std::int64_t>, std::string_view, std::optional<FrameIndex>, std::uint64_t>;
  std::map<ViewKey, std::size_t> views_index_;
  using FileAccessesKey = std::tuple<FileIndex, std::uint32_t, std::uint64_t, std::uint64_t, std::string_view,
                                     std::string_view, std::optional<FrameIndex>>;
  std::map<FileAccessesKey, std::size_t> file_accesses_index_;
  std::set<std::string> notes_;
  CallFromContents call_;
  // Of the file being joined, by its own numbers.
  JobRank rank_;
  std::size_t first_process_ = 0;  // among the job's
  std::vector<World> worlds_;
  std::vector<ModuleIndex> modules_;
  std::vector<FrameIndex> frames_;
  std::vector<DefinitionId> definitions_;
  std::vector<FirstSite> first_sites_;
};

}  // namespace ddtscope::reporters
