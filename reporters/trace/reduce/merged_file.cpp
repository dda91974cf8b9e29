#include "reporters/trace/reduce/merged_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "decoder/definition/definition.h"
#include "reporters/trace/format/file_io.h"
#include "reporters/trace/format/number_of_text.h"
#include "reporters/trace/reduce/json_text.h"
#include "reporters/trace/reduce/rank_trace.h"

namespace ddtscope::reduce {
namespace {

constexpr std::size_t store_buffer_bytes = std::size_t{1} << 20;

[[noreturn]] void cannot(const std::string& file, const std::string& what, int error) {
  throw NotReduced(file + " cannot be " + what + " (" + std::strerror(error) + ")");
}

bool comes_first(const Record& a, const Record& b) { return std::pair(a.rank, a.number) < std::pair(b.rank, b.number); }

}  // namespace

MergedFile::MergedFile(std::string path, std::string header, std::int64_t ranks, const Limits& limits)
    : path_(std::move(path)),
      unfinished_(path_ + ".unfinished"),
      header_(std::move(header)),
      ranks_(ranks),
      limits_(limits) {
  const std::string store = path_ + ".records";
  const auto make = [&] { return open(store.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600); };
  store_ = make();
  // One that could not be removed, below, in another job: nobody else's file has this name.
  if (store_ < 0 && errno == EEXIST && unlink(store.c_str()) == 0) store_ = make();
  if (store_ < 0) cannot(store, "made", errno);
  unlink(store.c_str());
  if (!writer_.create(unfinished_)) {
    const int error = errno;
    close(store_);
    store_ = -1;
    const std::string file = unfinished_;
    unfinished_.clear();
    cannot(file, "made", error);
  }
  writer_.collect_lines();
  try {
    write_header();
  } catch (...) {  // the destructor does not run
    close(store_);
    unlink(unfinished_.c_str());
    throw;
  }
}

MergedFile::~MergedFile() {
  if (store_ >= 0) close(store_);
  if (!unfinished_.empty()) unlink(unfinished_.c_str());
}

void MergedFile::check_written() const {
  if (writer_.stopped()) cannot(path_, "written", writer_.stopped().error);
}

void MergedFile::write_header() {
  trace::JsonLine line;
  line.begin_object();
  for (JsonWalk walk(header_); walk.next();) {
    line.key(walk.name());
    if (walk.name() == "version") {
      line.raw(walk.value()).key("merged").boolean(true);
    } else if (walk.name() == "rank") {
      line.null();
    } else {
      line.raw(walk.value());
    }
  }
  line.end_object();
  writer_.merged_header(line.text());
  check_written();
}

void MergedFile::add(const Record& record) {
  switch (record.kind) {
    case RecordKind::process:
      write_process(record);
      break;
    case RecordKind::predefined:
      predefined_.push_back(record);
      break;
    case RecordKind::note:
      notes_.push_back(record);
      break;
    case RecordKind::module:
      modules_.push_back(record);
      break;
    case RecordKind::frame:
      frames_.push_back(record);
      break;
    case RecordKind::unrecorded:
      unrecorded_.push_back(record);
      break;
    case RecordKind::failed_calls:
      failed_calls_.push_back(record);
      break;
    case RecordKind::uses:
      uses_.push_back(record);
      break;
    case RecordKind::finding:
      findings_.push_back(record);
      break;
    case RecordKind::recording_switch:
      switches_.push_back(record);
      break;
    case RecordKind::communicator:
      communicators_.push_back(record);
      break;
    case RecordKind::operation:
      operations_.push_back(record);
      break;
    case RecordKind::sequence:
      sequences_.push_back(record);
      break;
    case RecordKind::channels:
      channels_.push_back(put(record));
      break;
    case RecordKind::collective:
      collective_operations_.push_back(record);
      break;
    case RecordKind::collective_sequence:
      collective_sequences_.push_back(record);
      break;
    case RecordKind::collectives:
      collectives_.push_back(put(record));
      break;
    case RecordKind::messages:
      messages_.push_back(record);
      break;
    case RecordKind::buffer:
      buffers_.push_back(record);
      break;
    case RecordKind::window:
      windows_.push_back(record);
      break;
    case RecordKind::accesses:
      accesses_.push_back(record);
      break;
    case RecordKind::opened_file:
      files_.push_back(record);
      break;
    case RecordKind::view:
      views_.push_back(record);
      break;
    case RecordKind::file_accesses:
      file_accesses_.push_back(record);
      break;
    case RecordKind::window_event:
      window_events_.push_back(record);
      break;
    case RecordKind::window_sequence:
      window_sequences_.push_back(record);
      break;
    case RecordKind::epochs:
      epochs_.push_back(record);
      break;
    case RecordKind::attached:
      attached_.push_back(record);
      break;
    case RecordKind::window_name:
      window_names_.push_back(record);
      break;
    case RecordKind::definition:
      store(record);
      break;
  }
  if (notes_.size() + modules_.size() + frames_.size() + unrecorded_.size() + failed_calls_.size() + uses_.size() +
          findings_.size() + switches_.size() + communicators_.size() + operations_.size() + sequences_.size() +
          collective_operations_.size() + collective_sequences_.size() + buffers_.size() + windows_.size() +
          accesses_.size() + window_events_.size() + window_sequences_.size() + epochs_.size() + attached_.size() +
          window_names_.size() + files_.size() + views_.size() + file_accesses_.size() >
      limits_.others) {
    throw NotReduced("the ranks have too many call sites, operations or windows");
  }
  if (channels_.size() + collectives_.size() > limits_.of_one_rank) {
    throw NotReduced("the ranks have too many channels");
  }
  if (definitions_.size() > limits_.definitions) throw NotReduced("the ranks have too many definitions");
}

void MergedFile::write_process(const Record& record) {
  if (record.rank != processes_++) throw NotReduced("a rank is missing");
  BodyReader body(record.body);
  const Hash common = body.number();
  if (record.rank == 0) common_ = common;
  if (common != common_) {
    throw NotReduced("rank " + std::to_string(record.rank) + " ran on another kind of machine than rank 0");
  }
  ProcessRecord line;
  line.rank = Rank{{}, record.rank};
  line.host = text_of_string(body.text());
  line.pid = static_cast<std::int64_t>(count_of(body.text()));
  line.started = text_of_string(body.text());
  const std::string_view program_text = body.text();
  const std::string_view arguments_text = body.text();
  if (program_text != member_of(header_, "program") || arguments_text != member_of(header_, "arguments")) {
    line.program = text_of_string(program_text);
    for (JsonWalk walk(arguments_text); walk.next();) line.arguments.push_back(text_of_string(walk.value()));
  }
  line.verify = body.text() == "true";
  for (std::size_t i = 0; i < recorded_.size(); ++i) {
    const bool is_recorded = body.text() == "true";
    if (record.rank == 0) recorded_[i] = is_recorded;
    if (is_recorded != recorded_[i]) line.*recorded_parts[i].of_process = is_recorded;
  }
  EndRecord& end = line.end.emplace();
  end.complete = body.text() == "true";
  end.reason = text_of_string(body.text());
  end.ended = text_of_string(body.text());
  ProcessRecord::Counts& counts = line.counts.emplace();
  for (std::uint64_t* count : {&counts.created, &counts.adopted, &counts.committed, &counts.freed}) {
    *count = body.number();
  }
  complete_ = complete_ && end.complete;
  ended_ = std::max(ended_, end.ended);
  writer_.process(line);
  check_written();
}

void MergedFile::store(const Record& record) {
  if (!definitions_.empty() && definitions_.back().key >= record.key) throw NotReduced("definitions are out of order");
  const auto has_difference = [](const Part& part) { return part.what.starts_with(part_difference); };
  const bool differs = std::any_of(record.parts.begin(), record.parts.end(), has_difference);
  definitions_.push_back(put(record));
  definitions_.back().id = differs ? 1 : 0;  // for now it says whether the library differed
}

MergedFile::Stored MergedFile::put(const Record& record) {
  const std::size_t begin = store_buffer_.size();
  append_encoded(store_buffer_, record);
  const Stored place{record.key,
                     stored_bytes_ + begin,
                     record.number,
                     static_cast<std::uint32_t>(record.rank),
                     static_cast<std::uint32_t>(store_buffer_.size() - begin),
                     0};
  if (store_buffer_.size() >= store_buffer_bytes) flush_store();
  return place;
}

void MergedFile::flush_store() {
  if (trace::is_beyond_file_limit(stored_bytes_ + store_buffer_.size())) cannot(path_, "written", EFBIG);
  if (const int error = trace::write_all(store_, store_buffer_, stored_bytes_)) cannot(path_, "written", error);
  store_buffer_.clear();
}

Record MergedFile::stored(const Stored& definition) const {
  std::string bytes(definition.length, '\0');
  int error = 0;
  if (trace::read_at(store_, definition.offset, bytes, error) != bytes.size()) {
    cannot(path_, "written", error != 0 ? error : EIO);
  }
  Record record;
  std::string_view rest = bytes;
  if (!take_encoded(rest, record)) cannot(path_, "written", EIO);
  return record;
}

void MergedFile::finish() {
  if (processes_ != ranks_) throw NotReduced("a rank is missing");
  flush_store();
  for (auto* records : {&predefined_,
                        &notes_,
                        &modules_,
                        &frames_,
                        &unrecorded_,
                        &failed_calls_,
                        &uses_,
                        &findings_,
                        &switches_,
                        &communicators_,
                        &operations_,
                        &sequences_,
                        &collective_operations_,
                        &collective_sequences_,
                        &messages_,
                        &buffers_,
                        &windows_,
                        &accesses_,
                        &window_events_,
                        &window_sequences_,
                        &epochs_,
                        &attached_,
                        &window_names_,
                        &files_,
                        &views_,
                        &file_accesses_}) {
    std::sort(records->begin(), records->end(), comes_first);
  }
  std::sort(channels_.begin(), channels_.end(), stands_first);
  std::sort(collectives_.begin(), collectives_.end(), stands_first);
  for (const Record& record : predefined_) writer_.copied_line(record.body);
  for (const Record& record : notes_) writer_.note(text_of_string(record.body));
  for (const Record& record : modules_) {
    const ModuleNumber number{static_cast<std::uint32_t>(module_numbers_.size())};
    module_numbers_.emplace(record.key, number);
    BodyReader body(record.body);
    const std::string_view build_id = body.text();
    body.text();  // the path, where that tells the module from others
    const std::string_view function = body.text();
    writer_.module(number, text_of_string(record.first), build_id == "null" ? "" : text_of_string(build_id),
                   function.empty() ? "" : text_of_string(function));
  }
  write_frames();
  std::sort(definitions_.begin(), definitions_.end(), stands_first);
  by_key_.resize(definitions_.size());
  for (std::uint32_t i = 0; i < definitions_.size(); ++i) {
    by_key_[i] = i;
    if (definitions_[i].id != 0) with_differences_.push_back(i);
    definitions_[i].id = i;
  }
  std::sort(by_key_.begin(), by_key_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return definitions_[a].key < definitions_[b].key; });
  begin_facts();
  for (const Stored& definition : definitions_) {
    write_definition(definition);
    check_written();
  }
  for (const std::uint32_t i : with_differences_) write_differences(definitions_[i]);
  write_failed_calls();
  write_uses();
  write_findings();
  write_switches();
  write_communicators();
  write_messages();
  write_buffers();
  write_windows();
  write_window_names();
  write_accesses();
  write_files();
  write_window_events();
  write_window_sequences();
  write_epochs();
  write_attached();
  write_end();
  check_written();
  if (const int error = writer_.publish(path_)) cannot(path_, "written", error);
  unfinished_.clear();
}

void MergedFile::write_frames() {
  // A frame's caller comes from a rank that has the frame, too, and stands before it there.
  std::vector<trace::Frame> chain;
  FrameNumber first;
  Hash caller_of_first = 0;
  Hash last = 0;
  const auto write_chain = [&] {
    if (!chain.empty()) writer_.frames(first, site(caller_of_first), chain);
    chain.clear();
  };
  for (const Record& record : frames_) {
    BodyReader body(record.body);
    const Hash caller = body.number();
    const Hash module = body.number();
    const std::uint64_t offset = body.number();
    if (chain.empty() || caller != last) {
      write_chain();
      first = {static_cast<std::uint32_t>(frame_numbers_.size())};
      caller_of_first = caller;
    }
    const auto found = module_numbers_.find(module);
    chain.push_back({found != module_numbers_.end() ? found->second : ModuleNumber{}, offset});
    frame_numbers_.emplace(record.key, FrameNumber{static_cast<std::uint32_t>(frame_numbers_.size())});
    last = record.key;
  }
  write_chain();
}

FrameNumber MergedFile::site(Hash hash) const {
  const auto found = frame_numbers_.find(hash);
  return found != frame_numbers_.end() ? found->second : FrameNumber{};
}

MergedFile::WrittenType MergedFile::written(std::string_view type) const {
  if (type == "null") return {};
  if (!type.starts_with(key_mark)) return {{}, text_of_string(type)};
  return {{number_of_text<std::uint32_t>(with_numbers(type)).value_or(DefinitionNumber::none)}, {}};
}

std::string MergedFile::with_numbers(std::string_view body) const {
  std::string text;
  text.reserve(body.size());
  while (true) {
    const std::size_t mark = body.find(key_mark);
    if (mark == body.npos || body.size() - mark <= key_digits) break;
    text += body.substr(0, mark);
    const std::uint64_t key = key_from_text(body.substr(mark + 1, key_digits)).value_or(0);
    const auto found = std::lower_bound(by_key_.begin(), by_key_.end(), key, [&](std::uint32_t i, std::uint64_t value) {
      return definitions_[i].key < value;
    });
    if (found == by_key_.end() || definitions_[*found].key != key) throw NotReduced("an old type is missing");
    text += std::to_string(*found);
    body.remove_prefix(mark + 1 + key_digits);
  }
  return text += body;
}

void MergedFile::begin_facts() {
  try {
    facts_.emplace(header_, LineFacts::Limits{});
    for (const Record& record : predefined_) facts_->predefined(record.body);
  } catch (const std::bad_alloc&) {
    facts_.reset();
  }
}

void MergedFile::write_definition(const Stored& definition) {
  const Record record = stored(definition);
  BodyReader first(record.first);
  trace::DefinitionText text;
  text.number = {definition.id};
  text.key = record.key;
  text.site = site(first.number());
  const std::string called = text_of_string(first.text());
  text.called = called;
  text.adopted = first.text() == "true";
  const std::string members = with_numbers(record.body);
  text.members = members;
  if (facts_) text.facts = facts_->next("{" + members + "}");
  RankRanges none;
  const auto self = std::find_if(record.parts.begin(), record.parts.end(),
                                 [](const Part& part) { return part.what.starts_with(part_self); });
  text.ranks = self != record.parts.end() ? self->ranks.ranges() : none.ranges();
  writer_.definition(text);
  for (const Part& part : record.parts) {
    if (part.what.starts_with(part_name)) {
      writer_.name({definition.id}, text_of_string(BodyReader(std::string_view(part.what).substr(1)).text()));
    }
  }
  write_instances(definition, record);
}

void MergedFile::write_instances(const Stored& definition, const Record& record) {
  // Those of one entry point that follow each other stand in one line.
  std::string called, binding;
  std::vector<trace::RankCounts> counts;
  const auto write = [&] {
    if (!counts.empty()) writer_.instances(trace::RankInstancesLine{{definition.id}, called, binding, counts});
    counts.clear();
  };
  for (const Part& part : record.parts) {
    if (!part.what.starts_with(part_instances)) continue;
    BodyReader what(std::string_view(part.what).substr(1));
    const FrameNumber at = site(what.number());
    const std::string by = text_of_string(what.text());
    const std::string in = text_of_string(what.text());
    if (by != called || in != binding) {
      write();
      called = by;
      binding = in;
    }
    counts.push_back({{at, part.counts[0], part.counts[1], part.counts[2], part.counts[3]}, true, part.ranks.ranges()});
  }
  write();
}

void MergedFile::write_differences(const Stored& definition) {
  const Record record = stored(definition);
  for (const Part& part : record.parts) {
    if (!part.what.starts_with(part_difference)) continue;
    BodyReader what(std::string_view(part.what).substr(1));
    DifferenceRecord difference;
    difference.subject = text_of_string(what.text());
    difference.computed = what.text();
    difference.library = what.text();
    const auto ranges = part.ranks.ranges();
    difference.ranks.assign(ranges.begin(), ranges.end());
    difference.definition = {definition.id};
    writer_.difference(difference);
  }
}

void MergedFile::write_failed_calls() {
  // Those of one entry point and error class that follow each other stand in one line.
  std::array<std::string, 3> what;
  std::vector<FailedCallsRecord> calls;
  const auto write = [&] {
    if (!calls.empty()) writer_.failed_calls(calls);
    calls.clear();
  };
  for (const Record& record : failed_calls_) {
    if (record.parts.empty()) continue;
    BodyReader body(record.body);
    const FrameNumber at = site(body.number());
    std::array<std::string, 3> next;
    for (std::string& text : next) {
      const std::string_view value = body.text();
      text = value == "null" ? std::string() : text_of_string(value);
    }
    if (next != what) {
      write();
      what = std::move(next);
    }
    const auto ranks = record.parts[0].ranks.ranges();
    calls.push_back({what[0], what[1], what[2], at, record.parts[0].counts[0], {ranks.begin(), ranks.end()}});
  }
  write();
}

void MergedFile::write_end() {
  std::vector<UnrecordedRecord> items;
  for (const Record& record : unrecorded_) {
    if (record.parts.empty()) continue;
    BodyReader body(record.body);
    const FrameNumber at = site(body.number());
    std::string called = text_of_string(body.text());
    const auto ranges = record.parts[0].ranks.ranges();
    items.push_back({std::move(called),
                     record.parts[0].counts[0],
                     text_of_string(body.text()),
                     at,
                     {ranges.begin(), ranges.end()}});
  }
  writer_.end({.complete = complete_,
               .reason = "merged",
               .ended = ended_,
               .without_facts = facts_ ? facts_->without() : definitions_.size()},
              items);
}

}  // namespace ddtscope::reduce
