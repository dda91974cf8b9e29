// Record by record, in the order of the files' lines.
#include "reporters/model/job_builder.h"

#include <algorithm>
#include <iterator>

#include "decoder/definition/f90.h"
#include "reporters/trace/format/named_constants.h"

namespace ddtscope::reporters {
namespace {

bool equal(const LibraryConstants& a, const LibraryConstants& b) {
  return std::all_of(std::begin(trace::named_constants), std::end(trace::named_constants),
                     [&](const trace::NamedConstant& constant) { return a.*constant.value == b.*constant.value; });
}

bool equal(const PredefinedType& a, const PredefinedType& b) {
  return a.kind == b.kind && a.size == b.size && a.extent == b.extent && a.alignment == b.alignment &&
         a.first == b.first && a.second == b.second && a.second_displacement == b.second_displacement;
}

}  // namespace

void JobBuilder::begin(const std::filesystem::path& file) {
  rank_ = {};
  rank_.file = file;
  first_process_ = job_.ranks.size();
  modules_.clear();
  frames_.clear();
  definitions_.clear();
  first_sites_.clear();
}

void JobBuilder::header(HeaderRecord&& header) {
  if (!equal(header.constants, job_.store.constants())) {
    refuse(1, "the MPI library's constants differ from those in " + job_.ranks.front().file.string() +
                  ", so the files are not of one job; give them apart.");
  }
  for (const PredefinedType& type : header.predefined) {
    add_predefined(type);
  }
  if (!job_.ranks.empty()) {
    header.predefined = {};  // the first rank's are those of all
  }
  worlds_ = std::exchange(header.worlds, {});
  rank_.header = std::move(header);
}

void JobBuilder::process(ProcessRecord&& record) {
  JobRank rank;
  rank.file = rank_.file;
  rank.header = rank_.header;
  rank_.header.predefined = {};
  rank_.header.control_variables = {};  // the first rank's
  rank.header.rank = record.rank;
  if (record.rank && !worlds_.empty()) {
    const auto world = std::lower_bound(worlds_.begin(), worlds_.end(), record.rank->world,
                                        [](const World& known, WorldNumber wanted) { return known.number < wanted; });
    rank.header.world = world->number;
    rank.header.spawned_by = world->spawned_by;
    rank.header.size = world->size;
    rank.header.program = world->program;
    rank.header.arguments = world->arguments;
  }
  if (record.program) {
    rank.header.program = std::move(*record.program);
    rank.header.arguments = std::move(record.arguments);
  }
  rank.header.host = std::move(record.host);
  rank.header.pid = record.pid;
  rank.header.started = std::move(record.started);
  rank.header.verify = record.verify;
  for (const RecordedPart& part : recorded_parts) {
    if (const auto is_recorded = record.*part.of_process) rank.header.*part.of_header = *is_recorded;
  }
  rank.end = std::move(record.end);
  rank.stopped = std::move(record.stopped);
  rank.last_line_cut = record.last_line_cut;
  if (record.counts) {
    rank.counters =
        Counters{record.counts->created, record.counts->adopted, record.counts->committed, record.counts->freed};
  }
  const bool is_first = job_.ranks.size() == first_process_;
  if (rank.header.rank && !is_first &&
      (!job_.ranks.back().header.rank || job_.ranks.back().header.rank >= rank.header.rank)) {
    refuse(1, "the processes of a merged trace must stand in order of ranks; the file is damaged, merge again.");
  }
  job_.ranks.push_back(std::move(rank));
}

void JobBuilder::module(ModuleRecord&& module) {
  const ModuleKey key{module.build_id, module.build_id ? "" : module.path, module.function};
  const auto [found, is_new] =
      module_index_.try_emplace(key, ModuleIndex{static_cast<std::uint32_t>(job_.modules.size())});
  if (is_new) {
    job_.modules.push_back(std::move(module));
  }
  modules_.push_back(found->second);
}

void JobBuilder::frame(const FrameRecord& record) {
  JobFrame frame;
  if (record.parent.valid()) {
    frame.caller = frames_[record.parent.value];
  }
  if (record.module.valid()) {
    frame.module = modules_[record.module.value];
  }
  frame.offset = record.offset;
  const FrameKey key{frame.caller ? frame.caller->value + 1 : 0, frame.module ? frame.module->value + 1 : 0,
                     frame.offset};
  const auto [found, is_new] =
      frame_index_.try_emplace(key, FrameIndex{static_cast<std::uint32_t>(job_.frames.size())});
  if (is_new) {
    job_.frames.push_back(frame);
  }
  frames_.push_back(found->second);
}

void JobBuilder::definition(DefinitionRecord& record) {
  const DefinitionId id = intern(record);
  definitions_.push_back(id);
  first_sites_.push_back({origin_of({site_of(record.site), record.called, {}, Origin::Counted::no}), record.adopted});
  if (!job_.number_of(id).valid()) {
    add_type(record, id);
    return;
  }
  const JobType& type = job_.type(job_.number_of(id));
  if (type.key != record.key) {
    refuse(record.line, "the definition is " + text_of(type.number) + ", which has key " + key_text(type.key) +
                            " in another place, but key " + key_text(record.key) +
                            " here; the files are damaged or of different versions of ddtscope.");
  }
  if (job_.observed_bounds.observed(id) != record.observed) {
    note_once("The ranks' libraries report different bounds for " + text_of(type.number) +
              "; those of the first rank are shown.");
  }
}

void JobBuilder::name(NameRecord&& record) { job_.add_name(type_of(record.definition), std::move(record.name)); }

void JobBuilder::difference(DifferenceRecord&& record) {
  const TypeNumber type = type_of(record.definition);
  const std::tuple key(type.value, record.subject, record.computed, record.library);
  const auto [found, is_new] = difference_index_.try_emplace(key, job_.differences.size());
  if (is_new) {
    job_.differences.push_back({type, {}, record.subject, record.computed, record.library});
  }
  add_ranks(job_.differences[found->second].ranks, record.ranks);
}

void JobBuilder::end(FileEnd&& end) {
  if (end.counted && !rank_.header.merged) {
    Counters sum;
    for (const InstancesRecord& record : end.instances) {
      sum += {record.created, record.adopted, record.committed, record.freed};
    }
    rank_.counters = sum;
  }
  job_.unknown_kinds.merge(end.unknown_kinds);
  join_instances(end);
  join_unrecorded(end);
  join_failed_calls(end);
  join_uses(end);
  join_findings(end);
  join_switches(end);
  const std::vector<CommunicatorIndex> communicators = join_communicators(end);
  const std::vector<std::uint32_t> sequences = join_sequences(end);
  join_messages(end, communicators, sequences);
  join_known_messages(end);
  join_buffers(end);
  join_pending(end);
  const std::vector<WindowIndex> windows = join_windows(end);
  join_accesses(end, windows);
  join_epochs(end, windows, sequences);
  join_files(end);
  if (rank_.header.merged) {
    if (!end.end || job_.ranks.empty()) {
      throw TraceRefused{rank_.file.string() + ": the merged trace is not whole; merge the ranks' files again."};
    }
    check_worlds();
    return;
  }
  rank_.end = std::move(end.end);
  rank_.last_line_cut = end.last_line_cut;
  rank_.stopped = std::move(end.stopped);
  job_.ranks.push_back(std::move(rank_));
}

void JobBuilder::refuse(std::size_t line, const std::string& why) const {
  throw TraceRefused{rank_.file.string() + ":" + std::to_string(line) + ": " + why};
}

void JobBuilder::add_predefined(const PredefinedType& type) {
  const DefinitionId id = job_.store.add_predefined(type);
  const PredefinedType& known = job_.store.predefined()[job_.store[id].predefined];
  if (!equal(known, type)) {
    refuse(1, known.name + " is another type here than in " +
                  (job_.ranks.empty() ? rank_.file : job_.ranks.front().file).string() +
                  "; ddtscope does not join ranks of different machines, give the files apart.");
  }
}

DefinitionId JobBuilder::intern(DefinitionRecord& record) {
  Contents& contents = record.contents;
  contents.datatypes.clear();
  for (const OldtypeRecord& oldtype : record.oldtypes) {
    if (const auto* number = std::get_if<DefinitionNumber>(&oldtype)) {
      contents.datatypes.push_back(definitions_[number->value]);
      continue;
    }
    const auto predefined = job_.store.find_predefined(std::get<std::string_view>(oldtype));
    if (!predefined) {
      refuse(record.line, "the predefined type " + std::string(std::get<std::string_view>(oldtype)) +
                              " is not described in the header; the file is damaged, record it again.");
    }
    contents.datatypes.push_back(*predefined);
  }
  CallFromContents& call = call_;
  if (!call.build(record.combiner, record.form, contents)) {
    refuse(record.line, "the contents are not those of " + constructor_name(record.combiner, record.form) + ": " +
                            call.problem() + "; the file is damaged, record it again.");
  }
  if (is_f90(record.combiner)) {
    PredefinedType basic = observed_f90_type(call.call(), record.observed);
    basic.alignment = record.alignment.value_or(basic.alignment);
    job_.store.add_basic(basic);
  }
  return job_.store.intern(call.call()).id;
}

void JobBuilder::add_type(const DefinitionRecord& record, DefinitionId id) {
  if (const TypeNumber other = type_with_key(record.key); other.valid()) {
    refuse(record.line, "key " + key_text(record.key) + " stands for " + text_of(other) +
                            " too, which is another definition; the files are damaged, record them again.");
  }
  const TypeNumber number{static_cast<std::uint32_t>(job_.types.size() + 1)};
  if (job_.store[id].key != record.key) {
    edited_keys_.emplace(record.key, number);
    note_once("Keys do not agree with the definitions (first in " + rank_.file.string() + ":" +
                  std::to_string(record.line) + "): the trace was edited, or another version of ddtscope wrote it.",
              "keys");
  }
  job_.observed_bounds.add(id, record.observed);
  job_.numbers.resize(job_.store.size());
  job_.numbers[id.value] = number;
  JobType type;
  type.number = number;
  type.definition = id;
  type.key = record.key;
  type.adopted = record.adopted;
  job_.types.push_back(type);
}

/// Keys are mostly those by which the store finds its definitions: a table of them would be as large as that.
TypeNumber JobBuilder::type_with_key(Key key) const {
  TypeNumber found;
  job_.store.each_with_key(key, [&](DefinitionId id) {
    const TypeNumber number = job_.number_of(id);
    if (number.valid() && job_.type(number).key == key) found = number;
  });
  const auto edited = edited_keys_.find(key);
  return edited != edited_keys_.end() ? edited->second : found;
}

TypeNumber JobBuilder::type_of(DefinitionNumber number) const { return job_.number_of(definitions_[number.value]); }

std::optional<FrameIndex> JobBuilder::site_of(FrameNumber site) const {
  return site.valid() ? std::optional(frames_[site.value]) : std::nullopt;
}

OriginIndex JobBuilder::origin_of(const Origin& origin) {
  if (const auto known = job_.instances.find_origin(origin)) {
    return *known;
  }
  return job_.instances.add_origin({origin.site, job_.word(origin.called), job_.word(origin.binding), origin.counted});
}

void JobBuilder::join_instances(FileEnd& end) {
  std::vector<bool> counted(definitions_.size());
  // Each record makes room for what the job keeps of it.
  for (; !end.instances.empty(); end.instances.pop_front()) {
    const InstancesRecord& record = end.instances.front();
    counted[record.definition.value] = true;
    const OriginIndex origin = origin_of({site_of(record.site), record.called, record.binding,
                                          record.known ? Origin::Counted::yes : Origin::Counted::no});
    RankRanges& ranks = job_.instances.add(type_of(record.definition), origin,
                                           {record.created, record.adopted, record.committed, record.freed});
    add_ranks(ranks, std::span(end.ranges).subspan(record.first_range, record.ranges));
  }
  if (end.end && !end.some_left_out) {
    return;
  }
  // Without counters only the first call site of each definition is known. With them, a definition that has none
  // is part of an adopted type, or the process was killed before the constructor returned.
  for (std::size_t i = 0; i < definitions_.size(); ++i) {
    const FirstSite& first = first_sites_[i];
    if (!counted[i] && !(end.counted && first.adopted)) {
      add_ranks(job_.instances.add(type_of({static_cast<std::uint32_t>(i)}), first.origin), {});
    }
  }
}

/// Whatever is said of ranks can be said of a world whose processes are known.
void JobBuilder::check_worlds() const {
  std::set<WorldNumber> present;
  for (std::size_t i = first_process_; i < job_.ranks.size(); ++i) {
    if (const auto& rank = job_.ranks[i].header.rank) {
      present.insert(rank->world);
    }
  }
  std::vector<WorldNumber> wanted;
  for (const World& world : worlds_) {
    wanted.push_back(world.number);
  }
  if (!rank_.header.world.is_first()) {
    wanted.push_back(rank_.header.world);
  }
  for (const WorldNumber world : wanted) {
    if (!present.contains(world)) {
      refuse(1, "no process of world " + std::to_string(world.value) +
                    " stands in the merged trace; the file is damaged, merge again.");
    }
  }
}

void JobBuilder::join_unrecorded(const FileEnd& end) {
  for (const UnrecordedRecord& record : end.unrecorded) {
    const std::optional<FrameIndex> site = site_of(record.site);
    auto found = std::find_if(job_.unrecorded.begin(), job_.unrecorded.end(), [&](const Unrecorded& known) {
      return known.called == record.called && known.why == record.why && known.site == site;
    });
    if (found == job_.unrecorded.end()) {
      found = job_.unrecorded.insert(found, {record.called, record.why, site, 0, {}});
    }
    found->count += record.count;
    add_ranks(found->ranks, record.ranks);
  }
}

void JobBuilder::join_failed_calls(const FileEnd& end) {
  for (const FailedCallsRecord& record : end.failed_calls) {
    const std::optional<FrameIndex> site = site_of(record.site);
    const std::tuple key(job_.word(record.called), job_.word(record.binding), job_.word(record.error_class),
                         site ? site->value + 1 : 0);
    const auto [found, is_new] = failed_calls_index_.try_emplace(key, job_.failed_calls.size());
    if (is_new) {
      job_.failed_calls.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), site, 0, {}});
    }
    FailedCalls& calls = job_.failed_calls[found->second];
    calls.count += record.count;
    add_ranks(calls.ranks, record.ranks);
  }
}

void JobBuilder::add_ranks(RankRanges& ranks, std::span<const RankRange> named) const {
  for (const RankRange& range : named) {
    ranks.add(range);
  }
  if (rank_.header.rank) {
    ranks.add(*rank_.header.rank);
  }
}

void JobBuilder::note_once(const std::string& sentence, const std::string& topic) {
  if (notes_.insert(topic.empty() ? sentence : topic).second) {
    job_.notes.push_back(sentence);
  }
}

}  // namespace ddtscope::reporters
