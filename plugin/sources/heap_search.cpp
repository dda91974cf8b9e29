#include "plugin/sources/heap_search.h"

#include <link.h>

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <tuple>
#include <utility>

#include "plugin/base/loaded_module.h"

namespace ddtscope::plugin {
namespace {

constexpr std::size_t bytes_of_word = sizeof(std::uintptr_t);

// glibc's blocks (malloc/malloc.c, "malloc_chunk"): in front of each two words, the second its size, header included,
// with these bits.
constexpr std::size_t bytes_of_header = 2 * bytes_of_word;
constexpr std::uintptr_t previous_in_use = 1, is_mapped = 2, in_other_arena = 4, bits_of_size = 7;
constexpr std::uintptr_t smallest_block = 32, bytes_of_page = 4096;
constexpr std::uintptr_t largest_block = std::uintptr_t{1} << 46;

/// The size word of a block, and where it stands.
struct BlockHeader {
  std::uintptr_t at = 0, word = 0;
  std::uintptr_t size() const { return word & ~bits_of_size; }
  std::uintptr_t next() const { return at + size(); }
  bool is_sane() const {
    return size() >= smallest_block && size() % bytes_of_header == 0 && size() < largest_block && next() > at;
  }
};

std::optional<BlockHeader> header_at(const OwnMemory& memory, std::uintptr_t at) noexcept {
  std::array<std::uintptr_t, 2> words;
  if (memory.read(at, words) != words.size()) return std::nullopt;
  return BlockHeader{at, words[1]};
}

/// In the first word of a block that has huge pages of its own, from glibc 2.43 on.
constexpr std::uintptr_t in_huge_pages = 1;

/// One that has pages of its own, up to their end. They begin as many bytes before it as its first word says and end
/// with it or, from glibc 2.43 on, with the header that one behind it would have.
std::optional<std::uint64_t> usable_bytes_of_mapped(const OwnMemory& memory, const BlockHeader& header) noexcept {
  std::array<std::uintptr_t, 1> first;
  if (memory.read(header.at, first) != 1) return std::nullopt;
  const std::uintptr_t before = first[0] & ~in_huge_pages;
  if (before >= header.at) return std::nullopt;
  const std::uintptr_t to_page = (0 - header.size() - before) % bytes_of_page;
  if ((header.at - before) % bytes_of_page != 0 || (to_page != 0 && to_page != bytes_of_header)) return std::nullopt;
  const std::uintptr_t end = header.next() + to_page;
  std::array<std::uintptr_t, 1> last;
  if (memory.read(end - bytes_of_word, last) != 1) return std::nullopt;
  return end - header.at - bytes_of_header;
}

}  // namespace

std::optional<std::uint64_t> usable_bytes_of_block(const OwnMemory& memory, std::uintptr_t begin) noexcept {
  if (begin % bytes_of_header != 0 || begin < bytes_of_page) return std::nullopt;
  const std::optional<BlockHeader> own = header_at(memory, begin - bytes_of_header);
  if (!own || !own->is_sane()) return std::nullopt;
  if ((own->word & bits_of_size) == is_mapped) return usable_bytes_of_mapped(memory, *own);
  if ((own->word & is_mapped) != 0) return std::nullopt;
  // Those behind it must look like blocks, too, of which the first says that this one is in use. The last one of a heap
  // ends with a page.
  BlockHeader block = *own;
  for (int i = 0; i < 3; ++i) {
    const std::optional<BlockHeader> next = header_at(memory, block.next());
    if (!next)
      return i > 0 && block.next() % bytes_of_page == 0 ? std::optional(own->size() - bytes_of_word) : std::nullopt;
    const bool is_like_it = ((next->word ^ own->word) & in_other_arena) == 0 && (next->word & is_mapped) == 0;
    const bool ends_heap =
        i > 0 && next->size() <= bytes_of_header;  // two of 16 bytes stand where a heap could not grow
    if (!is_like_it || (i == 0 && (next->word & previous_in_use) == 0)) return std::nullopt;
    if (ends_heap) break;
    if (!next->is_sane()) return std::nullopt;
    block = *next;
  }
  return own->size() - bytes_of_word;  // the next one's first word is this one's, too
}

namespace {

enum class Kind : std::uint8_t { slot, in_register, argument, in_static_memory };

PlaceRoute route_of(std::uint32_t frame, std::int64_t at) {
  PlaceRoute route;
  route.frame = frame;
  route.at = at;
  return route;
}

/// A word that was found.
struct Value {
  std::uintptr_t value = 0;
  Kind kind = Kind::slot;
  PlaceRoute route;
  std::uintptr_t stands_at = 0;  // where a pointer leads to it; 0: in a frame, or in static memory
};

/// Static memory of the module that has a frame's code: what the program may write to.
struct StaticMemory {
  std::uintptr_t begin = 0, end = 0, bias = 0;
  std::uint32_t frame = 0;
};

/// Of the modules that have the frames' code, but for the C library's own.
class StaticMemories {
 public:
  explicit StaticMemories(std::span<const CallFrame> frames) : frames_(frames) {
    each_loaded_module(
        [](dl_phdr_info* info, std::size_t, void* data) {
          static_cast<StaticMemories*>(data)->look_at(*info);
          return 0;
        },
        this);
  }
  std::span<const StaticMemory> all() const { return {found_.data(), count_}; }

 private:
  /// Where the module lies, with what may lie between its segments.
  struct Extent {
    std::uintptr_t begin = 0, end = 0;
  };
  static Extent extent_of(const dl_phdr_info& info) {
    Extent extent{~std::uintptr_t{0}, 0};
    for (int i = 0; i < info.dlpi_phnum; ++i) {
      const ElfW(Phdr)& header = info.dlpi_phdr[i];
      if (header.p_type != PT_LOAD) continue;
      extent.begin = std::min(extent.begin, std::uintptr_t{info.dlpi_addr + header.p_vaddr});
      extent.end = std::max(extent.end, std::uintptr_t{info.dlpi_addr + header.p_vaddr + header.p_memsz});
    }
    return extent;
  }
  void look_at(const dl_phdr_info& info) {
    const Extent extent = extent_of(info);  // few modules have code of any frame
    const auto is_code = [&](const CallFrame& frame) {
      const std::uintptr_t code = frame.return_address - 1;
      return code >= extent.begin && code < extent.end && segment_of(info, code) != nullptr;
    };
    const auto first = std::ranges::find_if(frames_, is_code);
    if (first == frames_.end() || segment_of(info, reinterpret_cast<std::uintptr_t>(&dl_iterate_phdr)) != nullptr)
      return;
    std::uintptr_t relocated_end = 0;  // up to here it is written by the loader alone
    for (int i = 0; i < info.dlpi_phnum; ++i) {
      const ElfW(Phdr)& header = info.dlpi_phdr[i];
      if (header.p_type == PT_GNU_RELRO) relocated_end = info.dlpi_addr + header.p_vaddr + header.p_memsz;
    }
    for (int i = 0; i < info.dlpi_phnum && count_ < found_.size(); ++i) {
      const ElfW(Phdr)& header = info.dlpi_phdr[i];
      if (header.p_type != PT_LOAD || (header.p_flags & PF_W) == 0) continue;
      const std::uintptr_t begin = info.dlpi_addr + header.p_vaddr;
      const std::uintptr_t end = begin + header.p_memsz;
      const std::uintptr_t from = relocated_end > begin && relocated_end < end ? relocated_end : begin;
      found_[count_++] = {(from + bytes_of_word - 1) & ~(bytes_of_word - 1), end, info.dlpi_addr,
                          static_cast<std::uint32_t>(first - frames_.begin())};
    }
  }

  const std::span<const CallFrame> frames_;
  std::array<StaticMemory, 4> found_;
  std::size_t count_ = 0;
};

/// The words from one address to another, as many as are there: in a frame of its own a program may have pages that it
/// has protected.
std::span<const std::uintptr_t> words_between(const OwnMemory& memory, std::uintptr_t from, std::uintptr_t to,
                                              std::vector<std::uintptr_t>& words) {
  words.resize(to > from ? (to - from) / bytes_of_word : 0);
  if (memory.works()) return std::span(words).first(memory.read(from, words));
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = CallFrames::word_at(from + i * bytes_of_word);
  return words;
}

/// take(word, its distance from the CFA) for the slots of a frame; of one with large arrays, for those at its ends:
/// what is spilled, and variables at the frame pointer. `words` is scratch.
template <class Take>
void each_slot(const OwnMemory& memory, const CallFrame& frame, std::vector<std::uintptr_t>& words, Take take) {
  constexpr std::uintptr_t most_bytes = 512 * bytes_of_word;
  const std::uintptr_t begin = (frame.stack_pointer + bytes_of_word - 1) & ~(bytes_of_word - 1);
  const bool is_large = frame.cfa - begin > most_bytes;
  const auto look = [&](std::uintptr_t from, std::uintptr_t to) {
    for (const std::uintptr_t word : words_between(memory, from, to, words)) {
      take(word, static_cast<std::int64_t>(from - frame.cfa));
      from += bytes_of_word;
    }
  };
  look(begin, is_large ? begin + most_bytes / 2 : frame.cfa);
  if (is_large) look(frame.cfa - most_bytes / 2, frame.cfa);
}

/// Looks through words for what leads to one address.
class Search {
 public:
  Search(const OwnMemory& memory, const Mapping& stack, std::uintptr_t address)
      : memory_(memory), stack_(stack), address_(address) {
    words_.reserve(most_words);
    below_.reserve(most_below);
    pointers_.reserve(most_pointers);
    copies_.reserve(most_copies);
  }

  void look_at_slots(const CallFrame& frame, std::uint32_t number) {
    each_slot(memory_, frame, words_, [&](std::uintptr_t word, std::int64_t at) {
      if (is_plausible(word)) take({word, Kind::slot, route_of(number, at)});
    });
  }

  void look_at_registers(const CallFrame& frame, std::uint32_t number) {
    for (std::size_t i = 0; i < kept_registers.size(); ++i) {
      const std::uintptr_t word = frame.registers.values[i];
      if (!frame.registers.known[i] || !is_plausible(word)) continue;
      take({word, Kind::in_register, route_of(number, kept_registers[i])});
    }
  }

  /// As much of it as may be looked at, from both its ends.
  void look_at_statics(const StaticMemory& memory) {
    constexpr std::uintptr_t most_bytes = most_words * bytes_of_word;
    const std::uintptr_t bytes = (memory.end - memory.begin) & ~(bytes_of_word - 1);
    const auto look = [&](std::uintptr_t from, std::uintptr_t length) {
      words_.resize(length / bytes_of_word);
      const std::size_t read = memory_.read(from, words_);
      for (std::size_t i = 0; i < read; ++i) {
        if (!is_plausible(words_[i])) continue;
        const auto offset = static_cast<std::int64_t>(from + i * bytes_of_word - memory.bias);
        take({words_[i], Kind::in_static_memory, route_of(memory.frame, offset)});
      }
    };
    if (bytes <= most_bytes) {
      look(memory.begin, bytes);
    } else {
      look(memory.begin, most_bytes / 2);
      look(memory.begin + bytes - most_bytes / 2, most_bytes / 2);
    }
  }

  /// Of a caller's block of v-collectives the argument is the address of them all.
  void look_at_argument(const SoughtBuffer& sought) {
    if (!sought.in_register) return;
    PlaceRoute route = route_of(0, *sought.in_register);
    route.behind = static_cast<std::int64_t>(sought.address - sought.argument);
    found_.arguments.push_back(route);
    if (sought.argument != address_) below_.push_back({sought.argument, Kind::argument, route});
  }

  /// What the pointers point to.
  void look_behind() {
    constexpr std::size_t words = bytes_looked_at / bytes_of_word;
    words_.resize(pointers_.size() * words);
    std::array<OwnMemory::Piece, most_pointers> pieces;
    for (std::size_t i = 0; i < pointers_.size(); ++i) {
      pieces[i] = {pointers_[i].value, std::span(words_).subspan(i * words, words)};
    }
    memory_.read_all(std::span(pieces).first(pointers_.size()));
    for (std::size_t i = 0; i < pointers_.size(); ++i)
      look_at_words(pointers_[i], pieces[i].words.first(pieces[i].read));
  }

  /// The block in which the address lies; of those that hold a place of it below the address that is known now, too.
  void look_for_block() {
    std::uintptr_t begin = address_;
    if (const auto usable = usable_bytes_of_block(memory_, address_)) {
      found_.block = {0, *usable};
    } else {
      std::ranges::stable_sort(below_, std::greater(), &Value::value);
      begin = find_block_below();
    }
    for (Value& value : below_) {
      if (value.value < begin || value.value >= address_ || value.kind == Kind::argument) continue;
      value.route.behind = static_cast<std::int64_t>(address_ - value.value);
      keep(value);
    }
  }

  HeapPlace result() {
    // What is nearest to the call first, and of that what is most direct.
    const auto rank = [](const PlaceRoute& route) {
      return std::tuple(route.behind != 0, route.through.has_value(), route.frame);
    };
    for (std::vector<PlaceRoute>* routes : {&found_.slots, &found_.registers, &found_.statics}) {
      std::ranges::stable_sort(*routes, {}, rank);
      if (routes->size() > most_routes) routes->resize(most_routes);
    }
    return std::move(found_);
  }

 private:
  /// A place below the address to which words point that were found, the first and the last of which stand there; 0: in
  /// a frame, or in static memory.
  struct PlaceBelow {
    std::uintptr_t at = 0, first_word = 0, last_word = 0;
  };

  /// Where the block begins that reaches up to the address, if one of the values nearest to it is its beginning. Memory
  /// that the allocator gives out anew may still have blocks in it that were there before, and pointers to them: what
  /// is known from a block around it alone is no block.
  std::uintptr_t find_block_below() {
    constexpr std::size_t most_tried = 24;
    std::array<std::array<std::uintptr_t, bytes_of_header / bytes_of_word>, most_tried> headers;
    std::array<OwnMemory::Piece, most_tried> pieces;
    std::array<PlaceBelow, most_tried> places;
    std::size_t number = 0;
    for (const Value& value : below_) {
      if (number == 0 || places[number - 1].at != value.value) {
        if (number == most_tried) break;
        pieces[number] = {value.value - bytes_of_header, headers[number]};
        places[number++] = {value.value, value.stands_at, value.stands_at};
      }
      PlaceBelow& place = places[number - 1];
      place.first_word = std::min(place.first_word, value.stands_at);
      place.last_word = std::max(place.last_word, value.stands_at);
    }
    memory_.read_all(std::span(pieces).first(number));
    PlaceBelow nearest{.at = address_};
    for (std::size_t i = 0; i < number; ++i) {
      const std::uintptr_t begin = places[i].at;
      const BlockHeader header{pieces[i].address, headers[i][1]};
      if (pieces[i].read != headers[i].size() || header.size() <= address_ - begin) continue;
      if (found_.block && (nearest.first_word < begin || nearest.last_word >= header.next())) continue;
      const std::optional<std::uint64_t> usable = usable_bytes_of_block(memory_, begin);
      if (!usable || address_ - begin >= *usable) continue;
      found_.block = {address_ - begin, *usable};
      nearest = places[i];
    }
    return nearest.at;
  }
  /// Whether the word that stands there is the search's own copy of one: the program may hold what earlier searches
  /// left in registers and on the stack.
  bool is_own(std::uintptr_t at) const {
    const auto is_in = [at](const auto& vector) {
      const auto begin = reinterpret_cast<std::uintptr_t>(vector.data());
      return at - begin < vector.capacity() * sizeof *vector.data();
    };
    return is_in(words_) || is_in(below_) || is_in(pointers_) || is_in(copies_);
  }
  /// What a pointer points to.
  void look_at_words(const Value& pointer, std::span<const std::uintptr_t> words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::uintptr_t stands_at = pointer.value + i * bytes_of_word;
      if (words[i] > address_ || !is_plausible(words[i]) || is_own(stands_at)) continue;
      Value value{words[i], pointer.kind, pointer.route, stands_at};
      value.route.through = static_cast<std::int64_t>(i * bytes_of_word);
      take_found(value);
      if (value.value == address_) keep_copies(pointer.value, *value.route.through);
    }
  }

  static constexpr std::size_t most_routes = 12, most_kept = 64, most_below = 256, most_pointers = 16, most_copies = 64;
  static constexpr std::size_t bytes_looked_at = 2048;
  static constexpr std::size_t most_words = most_pointers * bytes_looked_at / bytes_of_word;  // looked at at once
  static constexpr std::uintptr_t farthest = std::uintptr_t{1} << 38;                         // no block is as large

  /// Whether it may be an address of the program's.
  static bool is_plausible(std::uintptr_t value) {
    constexpr std::uintptr_t lowest = 65536;
    constexpr std::uintptr_t highest = std::uintptr_t{1} << 47;
    return value - lowest < highest - lowest;
  }
  /// A word of a frame that may be an address.
  void take(const Value& value) {
    take_found(value);
    const bool may_point = value.value % bytes_of_word == 0;
    if (!may_point || value.value == address_ || stack_.contains(value.value)) return;
    if (std::ranges::find(pointers_, value.value, &Value::value) != pointers_.end()) {
      if (copies_.size() < most_copies) copies_.push_back(value);
    } else if (pointers_.size() < most_pointers) {
      pointers_.push_back(value);
    }
  }
  /// Others that hold a pointer through which the address is found.
  void keep_copies(std::uintptr_t pointer, std::int64_t through) {
    for (Value copy : copies_) {
      if (copy.value != pointer) continue;
      copy.route.through = through;
      keep(copy);
    }
  }
  /// A word of a frame, or one to which such a one leads.
  void take_found(const Value& value) {
    if (value.value == address_) {
      keep(value);
    } else if (value.value < address_ && address_ - value.value < farthest && value.value % bytes_of_header == 0 &&
               below_.size() < most_below) {
      below_.push_back(value);
    }
  }
  void keep(const Value& value) {
    std::vector<PlaceRoute>& routes = value.kind == Kind::slot          ? found_.slots
                                      : value.kind == Kind::in_register ? found_.registers
                                                                        : found_.statics;
    if (routes.size() < most_kept) routes.push_back(value.route);
  }

  const OwnMemory& memory_;
  const Mapping stack_;
  const std::uintptr_t address_;
  HeapPlace found_;
  std::vector<Value> below_, pointers_, copies_;
  std::vector<std::uintptr_t> words_;  // scratch; as the others it keeps its place
};

}  // namespace

StackPlace with_holders(const OwnMemory& memory, StackPlace place, const CallFrame& frame, std::uintptr_t address) {
  constexpr std::size_t most = 4;
  for (std::size_t i = 0; i < kept_registers.size() && place.registers.size() < most; ++i) {
    if (!frame.registers.known[i] || frame.registers.values[i] != address) continue;
    place.registers.push_back(route_of(place.frame, kept_registers[i]));
  }
  std::vector<std::uintptr_t> words;
  each_slot(memory, frame, words, [&](std::uintptr_t word, std::int64_t at) {
    if (word == address && place.slots.size() < most) place.slots.push_back(route_of(place.frame, at));
  });
  return place;
}

HeapPlace search_heap(const OwnMemory& memory, const CallFrames& all, std::span<const CallFrame> frames,
                      const SoughtBuffer& sought) {
  Search search(memory, all.stack(), sought.address);
  search.look_at_argument(sought);
  for (std::uint32_t i = 0; i < frames.size(); ++i) {
    search.look_at_registers(frames[i], i);
    search.look_at_slots(frames[i], i);
  }
  const StaticMemories memories(frames);
  for (const StaticMemory& statics : memories.all()) search.look_at_statics(statics);
  search.look_behind();
  search.look_for_block();
  return search.result();
}

}  // namespace ddtscope::plugin
