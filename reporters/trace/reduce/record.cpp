#include "reporters/trace/reduce/record.h"

#include <unordered_map>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ddtscope::reduce {
namespace {

[[noreturn]] void refuse_bytes() { throw NotReduced("what another rank sent is damaged"); }

void add_part(RecordKind kind, Part& part, const Part& later) {
  if (kind == RecordKind::uses) {
    auto counts = uses_of(part);
    trace::add_uses(counts, uses_of(later));
    set_uses(part, counts);
  } else {
    for (std::size_t i = 0; i < part.counts.size(); ++i) part.counts[i] += later.counts[i];
  }
  for (const RankRange& range : later.ranks.ranges()) part.ranks.add(range);
}

}  // namespace

// The last one is not 0 where a status told what was received.
trace::UseCounts uses_of(const Part& part) {
  const auto& counts = part.counts;
  trace::UseCounts uses{counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]};
  if (counts[7] != 0) uses.received = counts[6];
  return uses;
}

void set_uses(Part& part, const trace::UseCounts& uses) {
  part.counts = {uses.calls,
                 uses.elements,
                 uses.smallest,
                 uses.largest,
                 uses.sent_calls,
                 uses.sent_elements,
                 uses.received.value_or(0),
                 uses.received ? 1u : 0u};
}

Hash hash_of(std::string_view text) {
  const Hash hash = XXH3_64bits(text.data(), text.size());
  return hash != 0 ? hash : 1;
}

void combine(Record& record, Record&& later) {
  if (record.body != later.body || record.kind == RecordKind::process) {
    throw NotReduced("ranks " + std::to_string(record.rank) + " and " + std::to_string(later.rank) +
                     " say different things of the same");
  }
  // Few parts are compared one by one; a type that is made at thousands of places is not.
  constexpr std::size_t few = 8;
  std::unordered_map<std::string_view, std::size_t> index;
  if (record.parts.size() > few) {
    for (std::size_t i = 0; i < record.parts.size(); ++i) index.emplace(record.parts[i].what, i);
  }
  const std::size_t known = record.parts.size();
  std::vector<Part> added;
  for (Part& part : later.parts) {
    std::size_t at = 0;
    if (known > few) {
      const auto found = index.find(part.what);
      at = found != index.end() ? found->second : known;
    } else {
      while (at < known && record.parts[at].what != part.what) ++at;
    }
    if (at < known) {
      add_part(record.kind, record.parts[at], part);
    } else {
      added.push_back(std::move(part));
    }
  }
  for (Part& part : added) record.parts.push_back(std::move(part));
}

void append_number(std::string& body, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) body += static_cast<char>(number | 0x80);
  body += static_cast<char>(number);
}

void append_text(std::string& body, std::string_view text) {
  append_number(body, text.size());
  body += text;
}

std::uint64_t BodyReader::number() {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) refuse_bytes();
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    number |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return number;
  }
  refuse_bytes();
}

std::string_view BodyReader::text() {
  const std::uint64_t length = number();
  if (length > rest_.size()) refuse_bytes();
  const std::string_view text = rest_.substr(0, length);
  rest_.remove_prefix(length);
  return text;
}

// The length stands in front in four bytes, so that whoever receives it knows when the record is whole.
void append_encoded(std::string& bytes, const Record& record) {
  const std::size_t begin = bytes.size();
  bytes.append(4, '\0');
  append_number(bytes, static_cast<std::uint64_t>(record.kind));
  append_number(bytes, record.key);
  append_number(bytes, static_cast<std::uint64_t>(record.rank));
  append_number(bytes, record.number);
  append_text(bytes, record.body);
  append_text(bytes, record.first);
  append_number(bytes, record.parts.size());
  for (const Part& part : record.parts) {
    append_text(bytes, part.what);
    for (const std::uint64_t count : part.counts) append_number(bytes, count);
    append_number(bytes, part.ranks.ranges().size());
    std::int64_t last = 0;
    for (const RankRange& range : part.ranks.ranges()) {
      append_number(bytes, static_cast<std::uint64_t>(range.first - last));
      append_number(bytes, static_cast<std::uint64_t>(range.last - range.first));
      last = range.last;
    }
  }
  const std::size_t length = bytes.size() - begin - 4;
  if (length > longest_record) throw NotReduced("a definition is too long to be sent from rank to rank");
  for (std::size_t i = 0; i < 4; ++i) bytes[begin + i] = static_cast<char>(length >> (8 * i));
}

bool take_encoded(std::string_view& bytes, Record& record) {
  if (bytes.size() < 4) return false;
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    length |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  if (length > longest_record) refuse_bytes();
  if (bytes.size() - 4 < length) return false;
  BodyReader reader(bytes.substr(4, length));
  bytes.remove_prefix(4 + length);
  record.kind = static_cast<RecordKind>(reader.number());
  if (record.kind < RecordKind::process || record.kind > RecordKind::definition) refuse_bytes();
  record.key = reader.number();
  record.rank = static_cast<std::int64_t>(reader.number());
  record.number = reader.number();
  record.body = reader.text();
  record.first = reader.text();
  record.parts.clear();
  for (std::uint64_t parts = reader.number(); parts != 0; --parts) {
    Part& part = record.parts.emplace_back();
    part.what = reader.text();
    for (std::uint64_t& count : part.counts) count = reader.number();
    std::int64_t last = 0;
    for (std::uint64_t ranges = reader.number(); ranges != 0; --ranges) {
      const std::int64_t first = last + static_cast<std::int64_t>(reader.number());
      last = first + static_cast<std::int64_t>(reader.number());
      part.ranks.add(RankRange{first, last, {}});
    }
  }
  return true;
}

}  // namespace ddtscope::reduce
