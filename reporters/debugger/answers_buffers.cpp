// What can be said of a buffer and a type: the values in it, and what stands at an address.
#include <algorithm>
#include <array>
#include <stdexcept>

#include "decoder/coverage/byte_search.h"
#include "decoder/coverage/overlap.h"
#include "decoder/layout/path.h"
#include "decoder/layout/span.h"
#include "reporters/debug_view/memory.h"
#include "reporters/debugger/basic_value.h"
#include "reporters/debugger/session.h"
#include "reporters/text/columns.h"
#include "reporters/text/words.h"

namespace ddtscope::reporters {
namespace {

// So many entries are looked through for those that cover a byte, too; so many of them are told.
constexpr std::int64_t most_looked_through = 1 << 18;
constexpr std::uint64_t most_others_told = 3;
// No basic type is longer, but a trace may say so.
constexpr std::int64_t longest_value = 64;

std::string bytes_text(Exact value) { return counted(value, "byte", "bytes"); }

void check(const BufferQuestion& question) {
  if (question.count < 0) {
    throw std::invalid_argument("a count of " + std::to_string(question.count) + " is negative.");
  }
}

Copies copies_of(const DebugSession& session, const BufferQuestion& question) {
  return {question.count, session.job().layouts.extent(question.type)};
}

/// The address of a byte of the buffer, wrapped as the machine does: from MPI_BOTTOM displacements are addresses.
std::optional<std::uint64_t> address_of(const BufferQuestion& question, Exact displacement) {
  const auto narrow = displacement.to_int64();
  if (!narrow) return std::nullopt;
  return question.buffer + static_cast<std::uint64_t>(*narrow);
}

std::string value_at(const DebugSession& session, std::optional<std::uint64_t> address, const PredefinedType& type) {
  if (!address) return "(no address)";
  if (type.size < 0 || type.size > longest_value) return "(too long)";
  std::array<char, longest_value> bytes;
  const auto size = static_cast<std::size_t>(type.size);
  if (!session.read(*address, bytes.data(), size)) return "(memory cannot be read)";
  return text_of_value(type, std::span(bytes).first(size), session.long_double_digits());
}

std::string element_of(const DebugSession& session, std::optional<std::uint64_t> address) {
  return session.array && address ? element_at(*session.array, *address) : "";
}

std::string question_text(const DebugSession& session, const BufferQuestion& question, std::int64_t displacement) {
  const std::uint64_t address = question.buffer + static_cast<std::uint64_t>(displacement);
  return counted(Exact(question.count), "copy", "copies") + " of " + session.name_of(question.type) + " at " +
         (address == 0 ? "MPI_BOTTOM" : hexadecimal(address)) + (question.count == 1 ? " has " : " have ");
}

/// An address that is asked for within a buffer: where it is, and what covers it.
class WhereInBuffer {
 public:
  WhereInBuffer(DebugSession& session, const BufferQuestion& question, std::uint64_t address)
      : session_(session),
        question_(question),
        job_(session.job()),
        root_(job_.layouts.root(question.type)),
        copies_(copies_of(session, question)),
        facts_(facts_of_copies(job_.layouts, root_, copies_)),
        byte_(static_cast<std::int64_t>(address - question.buffer)) {
    const std::string element = element_of(session, address);
    subject_ = hexadecimal(address) + (element.empty() ? "" : ", " + element + ",") + " is byte " + grouped(byte_) +
               " of the buffer";
  }

  std::string text() {
    if (facts_.empty()) return subject_ + ", but " + touched_by_buffer(session_, question_) + "\n";
    ByteSearch search(session_.index(), root_, copies_);
    const ByteAnswer answer = search.find(byte_);
    if (answer.covered == Covered::undecided) {
      return subject_ + "; whether an entry covers it is undecided, because too many would have to be tried.\n";
    }
    if (answer.covered == Covered::yes) return covered_text(answer.entry);
    return byte_ < facts_.true_lb || facts_.true_ub <= byte_ ? outside_text() : gap_text(search);
  }

 private:
  std::string entry_text(const CoveringEntry& covering) const {
    const PredefinedType& type = job_.store.predefined()[covering.place.type];
    std::string text = "entry " + grouped(number_in_copy(covering));
    if (question_.count > 1) text += " of copy " + grouped(covering.copy);
    return text + ", " + printable(type.name) + " at offset " + grouped(covering.place.displacement);
  }
  std::string path_text(const CoveringEntry& covering) const {
    const Exact number = number_in_copy(covering);
    if (!number.fits()) return {};
    return text_of_path(job_.store, path_to_entry(session_.index(), question_.type, number),
                        [&](DefinitionId id) { return session_.name_of(id); });
  }
  Exact number_in_copy(const CoveringEntry& covering) const {
    return covering.entry - covering.copy * job_.layouts.facts(question_.type).entries;
  }

  std::string covered_text(const CoveringEntry& covering) {
    const PredefinedType& type = job_.store.predefined()[covering.place.type];
    std::string text = subject_ + ": byte " + grouped(covering.byte) + " of " + entry_text(covering) + ", value " +
                       value_at(session_, address_of(question_, covering.place.displacement), type) + ".\n";
    if (const std::string path = path_text(covering); !path.empty()) text += "  " + path + "\n";
    return text + others_text(covering);
  }

  /// Other entries that cover the byte, as types for sends may have it (MPI-4.1 5.1.11).
  std::string others_text(const CoveringEntry& covering) {
    if (overlap_of_count(job_.layouts, root_, copies_) == Overlap::no) return {};
    if (facts_.entries > Exact(most_looked_through)) return "  Others may cover it, too: entries overlap.\n";
    std::string text;
    std::uint64_t others = 0;
    TypemapCursor cursor(session_.index(), root_, copies_);
    const Exact per_copy = job_.layouts.facts(question_.type).entries;
    TypemapEntry entry;
    for (std::int64_t i = 0; cursor.next(entry); ++i) {
      const Exact begin = entry.displacement;
      const Exact end = begin + Exact(job_.store.predefined()[entry.type].size);
      if (byte_ < begin || end <= byte_ || covering.entry == Exact(i)) continue;
      if (++others > most_others_told) continue;
      const std::int64_t copy = i / *per_copy.to_int64();
      text += "  also by " + entry_text({Exact(i), Exact(copy), entry, byte_ - begin}) + "\n";
    }
    if (others > most_others_told) {
      text += "  and by " + counted(others - most_others_told, "entry", "entries") + " more\n";
    }
    return text;
  }

  std::string outside_text() const {
    const bool is_before = byte_ < facts_.true_lb;
    return subject_ + ": not in it, " +
           bytes_text(is_before ? facts_.true_lb - byte_ : byte_ - facts_.true_ub + Exact(1)) +
           (is_before ? " before the first byte" : " behind the last byte") + " that is touched. " +
           touched_by_buffer(session_, question_) + "\n";
  }

  std::string gap_text(ByteSearch& search) const {
    std::string text = subject_ + ": in a gap, which no entry covers";
    const NearestByte below = search.nearest_below(byte_);
    const NearestByte above = search.nearest_above(byte_);
    if (below.exists != Covered::yes || above.exists != Covered::yes) return text + ".\n";
    text += ": " + bytes_text(above.byte - below.byte - Exact(1)) + " from offset " + grouped(below.byte + Exact(1)) +
            " on.\n";
    const std::pair<const char*, Exact> ends[] = {{"  below: ", below.byte}, {"  above: ", above.byte}};
    for (const auto& [side, end] : ends) {
      const ByteAnswer neighbour = search.find(end);
      if (neighbour.covered == Covered::yes) text += side + entry_text(neighbour.entry) + "\n";
    }
    return text;
  }

  DebugSession& session_;
  const BufferQuestion& question_;
  const Job& job_;
  const LayoutId root_;
  const Copies copies_;
  const LayoutFacts facts_;
  const Exact byte_;
  std::string subject_;
};

}  // namespace

std::string element_at(const NamedArray& array, std::uint64_t address) {
  const auto offset = static_cast<std::int64_t>(address - array.address);
  if (offset < 0) return "";
  std::int64_t rest = offset / array.element_bytes;
  std::string indices;
  for (std::size_t i = array.sizes.size(); i-- > 0;) {
    const bool is_open = i == 0 && array.sizes[0] == 0;
    indices = "[" + std::to_string(is_open ? rest : rest % array.sizes[i]) + "]" + indices;
    rest = is_open ? 0 : rest / array.sizes[i];
  }
  if (rest != 0) return "";
  const std::int64_t inside = offset % array.element_bytes;
  return printable(array.name) + indices + (inside == 0 ? "" : " + " + bytes_text(inside));
}

std::string touched_by_buffer(DebugSession& session, const BufferQuestion& question, std::int64_t displacement) {
  check(question);
  const Job& job = session.job();
  const LayoutFacts facts = facts_of_copies(job.layouts, job.layouts.root(question.type), copies_of(session, question));
  std::string text = question_text(session, question, displacement);
  if (facts.empty()) return text + "no entries: nothing is touched.";
  const Exact begin = facts.true_lb + Exact(displacement);
  const Exact end = facts.true_ub + Exact(displacement);
  const auto first = address_of(question, begin);
  const auto last = address_of(question, end - Exact(1));
  text += counted(facts.entries, "entry", "entries") + " of " + bytes_text(facts.size);
  if (first && last) {
    text += ", from " + hexadecimal(*first) + " to " + hexadecimal(*last) + " (bytes " + grouped(begin) + " to " +
            grouped(end - Exact(1)) + " of the buffer)";
  }
  return text + ".";
}

std::string values_in_buffer(DebugSession& session, const BufferQuestion& question, const ValuesOptions& options) {
  check(question);
  const Job& job = session.job();
  const LayoutId root = job.layouts.root(question.type);
  const Copies copies = copies_of(session, question);
  const Exact of_one = job.layouts.facts(question.type).entries;
  const Exact all = facts_of_copies(job.layouts, root, copies).entries;
  std::string text = touched_by_buffer(session, question) + "\n";
  if (all == Exact(0)) return text;

  using Line = std::array<std::string, 6>;  // entry, offset, address, element, type, value
  const auto line_of = [&](const Line& line) {
    return session.array ? line : Line{line[0], line[1], line[2], line[4], line[5], ""};
  };
  std::vector<Line> lines = {line_of({"entry", "offset", "address", "element", "type", "value"})};
  TypemapCursor cursor(session.index(), root, copies);
  TypemapEntry entry;
  std::optional<Exact> end;  // of the entry before
  std::size_t shown = 0;
  for (; shown < options.limit && cursor.next(entry); ++shown) {
    const PredefinedType& type = job.store.predefined()[entry.type];
    if (options.with_holes && end && *end < entry.displacement) {
      const auto address = address_of(question, *end);
      lines.push_back(line_of({"", grouped(*end), address ? hexadecimal(*address) : "?", element_of(session, address),
                               "(hole)", bytes_text(entry.displacement - *end)}));
    }
    end = entry.displacement + Exact(type.size);
    const auto address = address_of(question, entry.displacement);
    std::string number = std::to_string(shown);
    if (question.count > 1 && of_one > Exact(0)) {
      if (const auto per_copy = of_one.to_int64()) {
        const auto at = static_cast<std::int64_t>(shown);
        number = "[" + std::to_string(at / *per_copy) + "] " + std::to_string(at % *per_copy);
      } else {
        number = "[0] " + number;
      }
    }
    lines.push_back(line_of({number, grouped(entry.displacement), address ? hexadecimal(*address) : "?",
                             element_of(session, address), printable(type.name), value_at(session, address, type)}));
  }
  print_columns(
      lines,
      {Align::right, Align::right, Align::right, Align::left, session.array ? Align::left : Align::none, Align::none},
      [&](std::size_t, const std::string& line) {
        // Without an array the last column is empty.
        text += "  " + (session.array ? line : line.substr(0, line.find_last_not_of(' ') + 1)) + "\n";
      });
  const Exact hidden = all - Exact(static_cast<std::int64_t>(shown));
  if (hidden > Exact(0)) text += "  ... " + counted(hidden, "more entry", "more entries") + "; --limit N shows more.\n";
  return text;
}

std::string where_in_buffer(DebugSession& session, const BufferQuestion& question, std::uint64_t address) {
  check(question);
  return WhereInBuffer(session, question, address).text();
}

}  // namespace ddtscope::reporters
