#include "reporters/trace/reduce/rank_trace.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include "decoder/definition/definition.h"
#include "reporters/trace/format/file_io.h"
#include "reporters/trace/format/records.h"
#include "reporters/trace/reduce/json_text.h"

namespace ddtscope::reduce {
namespace {

// Of each of them some 50 bytes are kept.
constexpr std::size_t most_lines = std::size_t{1} << 18;

bool is_word(char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }

}  // namespace

LinesOfFile::~LinesOfFile() {
  if (file_ >= 0) close(file_);
}

void LinesOfFile::open(const std::string& path) {
  file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file_ < 0) throw NotReduced(path + " cannot be read again (" + std::strerror(errno) + ")");
}

bool LinesOfFile::next(std::string_view& line) {
  constexpr std::size_t block = std::size_t{1} << 18;
  line_begin_ = next_line_;
  std::size_t searched = line_begin_;
  while (true) {
    const std::size_t feed = buffer_.find('\n', searched);
    if (feed != buffer_.npos) {
      line = std::string_view(buffer_).substr(line_begin_, feed - line_begin_);
      next_line_ = feed + 1;
      return true;
    }
    offset_ += line_begin_;
    buffer_.erase(0, line_begin_);
    line_begin_ = 0;
    searched = buffer_.size();
    if (searched > longest_record) throw NotReduced("a line of a trace is too long to be sent from rank to rank");
    const std::string more = read(offset_ + searched, block);
    if (more.empty()) return false;
    buffer_ += more;
  }
}

std::string LinesOfFile::read(std::uint64_t offset, std::uint64_t length) const {
  std::string text(length, '\0');
  int error = 0;
  text.resize(trace::read_at(file_, offset, text, error));
  if (error != 0) throw NotReduced(std::string("a trace cannot be read again (") + std::strerror(error) + ")");
  return text;
}

RankTrace::RankTrace(const std::string& path) {
  lines_.open(path);
  std::string_view line;
  while (lines_.next(line)) take(line);
  if (!whole_) throw NotReduced("its trace is not whole");
  // What turned out to be right.
  std::erase_if(records_, [](const Record& record) {
    return record.kind == RecordKind::finding && record.parts[0].counts[0] == 0;
  });
  std::sort(records_.begin(), records_.end(),
            [](const Record& a, const Record& b) { return place_of(a) < place_of(b); });
  std::sort(definitions_.begin(), definitions_.end(), [](const DefinitionLine& a, const DefinitionLine& b) {
    return std::pair(a.key, a.number) < std::pair(b.key, b.number);
  });
  std::stable_sort(more_.begin(), more_.end(),
                   [](const Line& a, const Line& b) { return a.definition < b.definition; });
}

/// Null for a record whose lines are taken otherwise.
RankTrace::Take RankTrace::take_of(std::string_view record) {
  static constexpr std::pair<std::string_view, Take> all[] = {{"frames", &RankTrace::take_frames},
                                                              {"module", &RankTrace::take_module},
                                                              {"failed_calls", &RankTrace::take_failed_calls},
                                                              {"uses", &RankTrace::take_uses},
                                                              {"finding", &RankTrace::take_finding},
                                                              {"switch", &RankTrace::take_switch},
                                                              {"communicator", &RankTrace::take_communicator},
                                                              {"operation", &RankTrace::take_operation},
                                                              {"sequence", &RankTrace::take_sequence},
                                                              {"channels", &RankTrace::take_channels},
                                                              {"collective", &RankTrace::take_collective},
                                                              {"collectives", &RankTrace::take_collectives},
                                                              {"messages", &RankTrace::take_messages},
                                                              {"buffer", &RankTrace::take_buffer},
                                                              {"window", &RankTrace::take_window},
                                                              {"accesses", &RankTrace::take_accesses},
                                                              {"file", &RankTrace::take_opened_file},
                                                              {"view", &RankTrace::take_view},
                                                              {"file_accesses", &RankTrace::take_file_accesses},
                                                              {"window_event", &RankTrace::take_window_event},
                                                              {"epochs", &RankTrace::take_epochs},
                                                              {"attached", &RankTrace::take_attached},
                                                              {"window_name", &RankTrace::take_window_name},
                                                              {"header", &RankTrace::take_header},
                                                              {"end", &RankTrace::take_end}};
  const auto found = std::find_if(std::begin(all), std::end(all), [&](const auto& one) { return one.first == record; });
  return found == std::end(all) ? nullptr : found->second;
}

void RankTrace::take(std::string_view line) {
  const std::string_view record = record_of(line);
  if (record == "definition") {
    const auto key = key_from_text(text_of_string(member_of(line, "key")));
    if (!key || count_of(member_of(line, "id")) != keys_.size()) throw NotReduced("its trace was edited");
    definitions_.push_back(
        {*key, lines_.offset(), static_cast<std::uint32_t>(line.size()), static_cast<std::uint32_t>(keys_.size())});
    keys_.push_back(*key);
  } else if (record == "name" || record == "difference" || record == "instances") {
    const std::uint64_t definition = count_of(member_of(line, "definition"));
    if (definition >= keys_.size()) throw NotReduced("its trace was edited");
    more_.push_back({static_cast<std::uint32_t>(definition), static_cast<std::uint32_t>(line.size()), lines_.offset()});
    if (record != "instances") return;
    for (JsonWalk walk(member_of(line, "counts")); walk.next();) {
      JsonWalk numbers(walk.value());
      numbers.next();  // the site
      for (std::size_t i = 0; i < sums_.size() && numbers.next(); ++i) sums_[i] += count_of(numbers.value());
    }
  } else if (record == "predefined") {
    Record& added = add(RecordKind::predefined, hash_of(member_of(line, "name")), predefined_++);
    added.body = line;
  } else if (record == "note") {
    Record& added = add(RecordKind::note, hash_of(member_of(line, "text")), notes_++);
    added.body = member_of(line, "text");
  } else if (record == "finding_count") {
    take_count(line, "finding", findings_);
  } else if (record == "switch_count") {
    take_count(line, "switch", switches_);
  } else if (const Take taken_by = take_of(record); taken_by != nullptr) {
    (this->*taken_by)(line);
  } else if (record != "facts") {  // which are worked out once for all ranks
    throw NotReduced("its trace has lines that this version cannot join (" + std::string(record) + ")");
  }
  const std::size_t of_messages = operations_.size() + collective_operations_.size() + sequences_.size() + channels_ +
                                  collectives_ + accesses_ + files_.size() + views_ + file_accesses_;
  if (more_.size() + keys_.size() + frames_.size() + of_messages > most_lines)
    throw NotReduced("its trace is too long");
}

Record& RankTrace::add(RecordKind kind, std::uint64_t key, std::uint64_t number) {
  Record& record = records_.emplace_back();
  record.kind = kind;
  record.key = key;
  record.rank = rank_;
  record.number = number;
  return record;
}

Record& RankTrace::add_by_body(RecordKind kind, std::string body, std::uint64_t number) {
  Record& record = add(kind, hash_of(body), number);
  record.body = std::move(body);
  return record;
}

Hash RankTrace::add_of_rank(RecordKind kind, std::string body, std::uint64_t number) {
  Record& record = add_by_body(kind, std::move(body), number);
  add_count(record, 1);
  return record.key;
}

void RankTrace::take_header(std::string_view line) {
  header_ = line;
  const std::string_view rank = member_of(line, "rank");
  if (rank.empty() || rank == "null") throw NotReduced("its process has no rank");
  rank_ = static_cast<std::int64_t>(count_of(rank));
  if (const std::string_view world = member_of(line, "world"); !world.empty()) {
    world_.value = static_cast<std::int64_t>(count_of(world));
  }
}

void RankTrace::take_module(std::string_view line) {
  const std::string_view path = member_of(line, "path");
  const std::string_view build_id = member_of(line, "build_id");
  std::string body;
  append_text(body, build_id);
  append_text(body, build_id == "null" ? path : std::string_view());
  append_text(body, member_of(line, "function"));
  const Hash hash = hash_of(body);
  Record& record = add(RecordKind::module, hash, modules_.size());
  record.body = std::move(body);
  record.first = path;
  modules_.push_back(hash);
}

void RankTrace::take_frames(std::string_view line) {
  Hash caller = site_of(member_of(line, "parent"));
  for (JsonWalk walk(member_of(line, "frames")); walk.next();) {
    JsonWalk frame(walk.value());
    std::string body;
    append_number(body, caller);
    const std::string_view module = frame.next() ? frame.value() : std::string_view("null");
    const bool has_module = module != "null" && count_of(module) < modules_.size();
    append_number(body, has_module ? modules_[count_of(module)] : 0);
    append_number(body, frame.next() ? count_of(frame.value()) : 0);
    caller = hash_of(body);
    Record& record = add(RecordKind::frame, caller, frames_.size());
    record.body = std::move(body);
    frames_.push_back(caller);
  }
}

void RankTrace::take_failed_calls(std::string_view line) {
  const auto [counts, called, binding, error_class] =
      members_of(line, std::array{"counts", "called", "binding", "error_class"});
  for (JsonWalk walk(counts); walk.next();) {
    JsonWalk two(walk.value());
    std::string body;
    append_number(body, site_of(two.next() ? two.value() : std::string_view()));
    for (const std::string_view value : {called, binding, error_class}) append_text(body, value);
    Record& record = add_by_body(RecordKind::failed_calls, std::move(body), failed_calls_++);
    add_count(record, two.next() ? count_of(two.value()) : 0);
  }
}

void RankTrace::add_count(Record& record, std::uint64_t count) const {
  Part& part = record.parts.emplace_back();
  part.what.assign(1, part_self);
  part.counts[0] = count;
  part.ranks.add(Rank{{}, rank_});
}

void RankTrace::add_counted(RecordKind kind, std::string body, std::string_view first,
                            std::vector<std::size_t>& places) {
  places.push_back(records_.size());
  Record& record = add_by_body(kind, std::move(body), places.size() - 1);
  record.first = first;
  add_count(record, 1);
}

void RankTrace::take_count(std::string_view line, const char* kind, const std::vector<std::size_t>& places) {
  const std::uint64_t number = count_of(member_of(line, kind));
  if (number >= places.size()) throw NotReduced("its trace was edited");
  records_[places[number]].parts[0].counts[0] = count_of(member_of(line, "count"));
}

Hash RankTrace::site_of(std::string_view value) const {
  if (value.empty() || value == "null") return 0;
  const std::uint64_t number = count_of(value);
  if (number >= frames_.size()) throw NotReduced("its trace was edited");
  return frames_[number];
}

void RankTrace::take_end(std::string_view line) {
  whole_ = true;
  add_process(line);
  std::uint64_t number = 0;
  for (JsonWalk walk(member_of(line, "unrecorded")); walk.next(); ++number) {
    std::string body;
    append_number(body, site_of(member_of(walk.value(), "site")));
    append_text(body, member_of(walk.value(), "called"));
    append_text(body, member_of(walk.value(), "why"));
    Record& record = add_by_body(RecordKind::unrecorded, std::move(body), number);
    add_count(record, count_of(member_of(walk.value(), "count")));
  }
}

void RankTrace::add_process(std::string_view end) {
  // What all ranks of one job have alike: what was predefined differs between machines.
  std::string common;
  for (const std::string_view value :
       members_of(header_, std::array{"format", "version", "job", "library", "size", "constants", "predefined"})) {
    append_text(common, value);
  }
  Record& record = add(RecordKind::process, static_cast<std::uint64_t>(rank_), 0);
  append_number(record.body, hash_of(common));
  for (const std::string_view value :
       members_of(header_, std::array{"host", "pid", "started", "program", "arguments", "verify"}))
    append_text(record.body, value);
  for (const RecordedPart& part : recorded_parts) append_text(record.body, member_of(header_, part.name));
  for (const std::string_view value : members_of(end, std::array{"complete", "reason", "ended"}))
    append_text(record.body, value);
  for (const std::uint64_t sum : sums_) append_number(record.body, sum);
}

Record& RankTrace::head() {
  if (next_ < records_.size()) return records_[next_];
  if (!has_current_) {
    read_definition(definitions_[next_ - records_.size()]);
    has_current_ = true;
  }
  return current_;
}

void RankTrace::pop() {
  ++next_;
  has_current_ = false;
}

void RankTrace::read_definition(const DefinitionLine& line) {
  current_ = {};
  part_index_.clear();
  current_.kind = RecordKind::definition;
  current_.key = line.key;
  current_.rank = rank_;
  current_.number = line.number;
  append_members(lines_.read(line.offset, line.length));
  add_part({part_self});
  add_parts(line.number);
}

void RankTrace::append_members(std::string_view line) {
  Hash site = 0;
  std::string called, adopted;
  for (JsonWalk walk(line); walk.next();) {
    const std::string_view name = walk.name();
    if (name == "record" || name == "id" || name == "key") continue;
    if (name == "site") {
      site = site_of(walk.value());
    } else if (name == "called") {
      called = walk.value();
    } else if (name == "adopted") {
      adopted = walk.value();
    } else {
      current_.body += current_.body.empty() ? "\"" : ",\"";
      current_.body += name;
      current_.body += "\":";
      if (name == "call") {
        append_call(walk.value());
      } else if (name == "contents") {
        append_contents(walk.value());
      } else {
        current_.body += walk.value();
      }
    }
  }
  append_number(current_.first, site);
  append_text(current_.first, called);
  append_text(current_.first, adopted);
}

/// Oldtypes stand in it as D and their number.
void RankTrace::append_call(std::string_view text) {
  std::size_t written = 0;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] != 'D' || is_word(text[i - 1]) || text[i + 1] < '0' || text[i + 1] > '9') continue;
    std::size_t end = i + 1;
    while (end < text.size() && is_word(text[end])) ++end;
    current_.body += text.substr(written, i + 1 - written);
    append_key(text.substr(i + 1, end - i - 1));
    written = end;
    i = end - 1;
  }
  current_.body += text.substr(written);
}

void RankTrace::append_contents(std::string_view text) {
  std::size_t written = 0;
  for (JsonWalk walk(text); walk.next();) {
    if (walk.name() != "datatypes") continue;
    const std::size_t begin = walk.begin();
    for (JsonWalk datatypes(walk.value()); datatypes.next();) {
      if (datatypes.value().starts_with('"')) continue;
      current_.body += text.substr(written, begin + datatypes.begin() - written);
      append_key(datatypes.value());
      written = begin + datatypes.begin() + datatypes.value().size();
    }
  }
  current_.body += text.substr(written);
}

void RankTrace::append_key(std::string_view number) {
  const std::uint64_t definition = count_of(number);
  if (definition >= keys_.size()) throw NotReduced("its trace was edited");
  current_.body += key_mark;
  current_.body += key_text(keys_[definition]);
}

void RankTrace::add_parts(std::uint32_t definition) {
  const auto [begin, end] = std::equal_range(more_.begin(), more_.end(), Line{definition, 0, 0},
                                             [](const Line& a, const Line& b) { return a.definition < b.definition; });
  for (auto at = begin; at != end; ++at) {
    const std::string line = lines_.read(at->offset, at->length);
    const std::string_view record = record_of(line);
    std::string what;
    if (record == "name") {
      what.assign(1, part_name);
      append_text(what, member_of(line, "name"));
      add_part(std::move(what));
    } else if (record == "difference") {
      what.assign(1, part_difference);
      for (const char* member : {"subject", "computed", "library"}) append_text(what, member_of(line, member));
      add_part(std::move(what));
    } else {
      const auto [all_counts, called, binding] = members_of(line, std::array{"counts", "called", "binding"});
      for (JsonWalk walk(all_counts); walk.next();) {
        JsonWalk numbers(walk.value());
        what.assign(1, part_instances);
        append_number(what, site_of(numbers.next() ? numbers.value() : std::string_view()));
        append_text(what, called);
        append_text(what, binding);
        std::array<std::uint64_t, 4> counts{};
        for (std::size_t i = 0; i < counts.size() && numbers.next(); ++i) counts[i] = count_of(numbers.value());
        add_part(std::move(what), counts);
      }
    }
  }
}

void RankTrace::add_part(std::string what, const std::array<std::uint64_t, 4>& counts) {
  // A definition that made room for others has several lines, whose counts add up.
  const auto [known, is_new] = part_index_.try_emplace(what, current_.parts.size());
  if (!is_new) {
    for (std::size_t i = 0; i < counts.size(); ++i) current_.parts[known->second].counts[i] += counts[i];
    return;
  }
  Part& part = current_.parts.emplace_back();
  part.what = std::move(what);
  std::copy(counts.begin(), counts.end(), part.counts.begin());
  part.ranks.add(Rank{{}, rank_});
}

}  // namespace ddtscope::reduce
