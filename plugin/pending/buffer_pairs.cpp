#include "plugin/pending/buffer_pairs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "decoder/base/grouped.h"

namespace ddtscope::plugin {
namespace {

std::string_view name_of(Access access) {
  switch (access) {
    case Access::reads:
      return "reads";
    case Access::writes:
      return "writes";
    case Access::none:
      break;
  }
  return "none";
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 32);
}

std::string overlap_in_words(const Buffer& buffer, const Buffer& other, PairOf pair) {
  const std::string called = buffer.called->name;
  if (pair == PairOf::same_call) return called + " reads and writes memory that its buffers share.";
  if (pair == PairOf::blocks)
    return called + " " + std::string(name_of(buffer.access)) + " memory that two blocks of " +
           std::string(trace::name_of(buffer.parameter)) + " share.";
  if (pair == PairOf::itself) return called + " may write a byte twice.";
  return called + " " + std::string(name_of(buffer.access)) + " memory that the pending " + other.called->name + " " +
         std::string(name_of(other.access)) + ".";
}

FindingId id_of(PairOf pair) {
  return pair == PairOf::blocks || pair == PairOf::itself ? FindingId::receive_overlap : FindingId::buffers_overlap;
}

}  // namespace

std::size_t BufferPairs::Hash::operator()(const Calls& calls) const {
  std::uint64_t hash = static_cast<std::uint64_t>(calls.id) * 4 + static_cast<std::uint64_t>(calls.pair);
  for (const Side* side : {&calls.first, &calls.second}) {
    hash = mixed(hash, reinterpret_cast<std::uintptr_t>(side->called));
    hash = mixed(hash, (std::uint64_t{side->number.value} << 32) | side->predefined.value);
    hash = mixed(hash, (std::uint64_t{side->site.value} << 16) | (static_cast<std::uint64_t>(side->parameter) << 8) |
                           static_cast<std::uint64_t>(side->access));
  }
  return static_cast<std::size_t>(hash);
}

std::size_t BufferPairs::Hash::operator()(const Key& key) const {
  std::uint64_t hash = (*this)(key.calls);
  hash = mixed(hash, key.elements);
  hash = mixed(hash, key.other_elements);
  return static_cast<std::size_t>(mixed(hash, static_cast<std::uint64_t>(key.distance)));
}

BufferPairs::Side BufferPairs::side_of(const Buffer& buffer) {
  return {buffer.called, buffer.number, buffer.predefined, buffer.site, buffer.parameter, buffer.access};
}

BufferPairs::Told BufferPairs::overlap(const Buffer& buffer, const Buffer& other, PairOf pair) {
  const FindingId id = id_of(pair);
  const Key key{{side_of(buffer), side_of(other), id, pair},
                buffer.elements,
                other.elements,
                static_cast<std::int64_t>(static_cast<std::uint64_t>(other.address) -
                                          static_cast<std::uint64_t>(buffer.address))};
  const Certain certain = buffer.is_solid && other.is_solid ? Certain::yes : Certain::no;
  const bool is_new = record(key, buffer, other, certain);
  const bool is_error = buffer.access == Access::writes || other.access == Access::writes;
  if (!is_new || certain == Certain::no || !is_error || !verdicts_.is_to_be_told(id, buffer.site)) return {{}, id};
  return {overlap_in_words(buffer, other, pair), id};
}

void BufferPairs::itself(const Buffer& buffer) {
  Buffer again = buffer;
  again.access = Access::none;
  const Key key{
      {side_of(buffer), side_of(again), id_of(PairOf::itself), PairOf::itself}, buffer.elements, buffer.elements, 0};
  if (Kept* const found = find(key)) return count_again(*found);
  // Fewer copies lie within those that are written: a count that changes with each call is not a line for each.
  const auto most = most_of_itself_.find(key.calls);
  if (most != most_of_itself_.end() && buffer.elements < most->second) return;
  if (record(key, buffer, again, Certain::no)) most_of_itself_[key.calls] = buffer.elements;
}

void BufferPairs::mismatch(const Buffer& argument, const Buffer& other) {
  const Key key{{side_of(argument), side_of(other), FindingId::local_mismatch, PairOf::same_call},
                argument.elements,
                other.elements,
                0};
  record(key, argument, other, Certain::no);
}

std::size_t BufferPairs::place_of(const Key& key) {
  const std::uint64_t words = static_cast<std::uint64_t>(key.distance) ^ (key.elements << 40) ^
                              (std::uint64_t{key.calls.first.site.value} << 20) ^ key.calls.second.number.value;
  return static_cast<std::size_t>((words * 0x9E3779B97F4A7C15u) >> 56);
}

BufferPairs::Kept* BufferPairs::find(const Key& key) {
  std::pair<const Key, Kept>*& recent = recent_[place_of(key)];
  if (recent != nullptr && recent->first == key) [[likely]]
    return &recent->second;
  const auto found = kept_.find(key);
  if (found == kept_.end()) return nullptr;
  recent = &*found;
  return &recent->second;
}

/// True where it was not there before.
bool BufferPairs::record(const Key& key, const Buffer& buffer, const Buffer& other, Certain certain) {
  if (Kept* const found = find(key)) [[likely]] {
    count_again(*found);
    return false;
  }
  if (!has_room(key.calls, certain)) return false;
  Kept& kept = kept_[key];
  kept.count = 1;
  kept.number = write_pair(key, buffer, other);
  return true;
}

void BufferPairs::count_again(Kept& kept) {
  ++kept.count;
  if (!is_to_be_written(kept.count, kept.written)) return;
  kept.written = kept.count;
  verdicts_.set_count(kept.number, kept.count);
}

bool BufferPairs::has_room(const Calls& calls, Certain certain) {
  if (certain == Certain::yes) {
    if (certain_ < limits_.certain) {
      ++certain_;
      return true;
    }
    ++beyond_all_;
    return false;
  }
  // Blocks of one call, each of a type of its own, leave room for what other calls do.
  const bool is_of_one_argument = calls.id == FindingId::receive_overlap;
  if (uncertain_ >= limits_.pairs || (is_of_one_argument && of_one_argument_ >= limits_.pairs / 4)) {
    ++beyond_all_;
    return false;
  }
  std::size_t& of_calls = of_calls_[calls];
  if (of_calls >= limits_.of_two_calls) {
    ++beyond_two_calls_;
    return false;
  }
  ++of_calls;
  ++uncertain_;
  if (is_of_one_argument) ++of_one_argument_;
  return true;
}

FindingNumber BufferPairs::write_pair(const Key& key, const Buffer& buffer, const Buffer& other) {
  const bool is_mismatch = key.calls.id == FindingId::local_mismatch;
  const bool is_read_twice = key.calls.pair == PairOf::blocks && buffer.access == Access::reads;
  const std::string message = is_mismatch ? std::string(buffer.called->name) + " is given two types."
                                          : overlap_in_words(buffer, other, key.calls.pair);
  const auto name = [&](const Buffer& of) {
    TypeInUse type;
    type.number = of.number;
    type.predefined = of.predefined;
    return types_.predefined_name(type);
  };
  trace::OtherArgumentLine line_of_other;
  line_of_other.definition = other.number;
  line_of_other.predefined = name(other);
  line_of_other.called = other.called->name;
  line_of_other.argument = trace::name_of(other.parameter);
  line_of_other.site = other.site;
  line_of_other.access = name_of(other.access);
  line_of_other.elements = other.elements;
  line_of_other.distance = key.distance;
  line_of_other.is_of_same_call = key.calls.pair != PairOf::pending;
  trace::FindingLine line;
  line.finding = kind_of(key.calls.id).id;
  line.severity = text_of(is_read_twice ? Severity::note : Severity::error);
  line.definition = buffer.number;
  line.predefined = name(buffer);
  line.called = buffer.called->name;
  line.binding = buffer.called->binding;
  line.argument = trace::name_of(buffer.parameter);
  line.site = buffer.site;
  line.message = message;
  line.access = name_of(buffer.access);
  line.elements = buffer.elements;
  line.other = line_of_other;
  return verdicts_.add(line);
}

void BufferPairs::write(trace::Writer& writer) {
  std::vector<Kept> repeated;
  for (const auto& [key, kept] : kept_) {
    if (kept.count != kept.written) repeated.push_back(kept);
  }
  std::sort(repeated.begin(), repeated.end(), [](const Kept& a, const Kept& b) { return a.number < b.number; });
  for (const Kept& kept : repeated) verdicts_.set_count(kept.number, kept.count);
  if (beyond_two_calls_ != 0) {
    writer.note("Pairs of buffers were not compared " + counted(beyond_two_calls_, "time", "times") +
                ": the same two calls had " + grouped(limits_.of_two_calls) +
                " others, at other distances or of other counts.");
  }
  if (beyond_all_ != 0) {
    writer.note("Pairs of buffers were not compared " + counted(beyond_all_, "time", "times") +
                ": there are too many different ones.");
  }
}

}  // namespace ddtscope::plugin
