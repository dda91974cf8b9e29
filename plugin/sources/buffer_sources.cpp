#include "plugin/sources/buffer_sources.h"

#include <algorithm>
#include <memory>
#include <string_view>

#include "plugin/base/call_instruction.h"
#include "plugin/sources/array_descriptor.h"
#include "plugin/sources/thread_memory.h"

namespace ddtscope::plugin {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

std::uint64_t hash_of_argument(const CallBuffer& found) {
  const Buffer& buffer = found.buffer;
  const std::uint64_t hash = mixed(reinterpret_cast<std::uintptr_t>(buffer.called), found.argument);
  return mixed(hash, (std::uint64_t{buffer.site.value} << 8) | static_cast<std::uint64_t>(buffer.parameter));
}

std::uint64_t hash_of_content(std::uint64_t argument, const Buffer& buffer) {
  return mixed(mixed(argument, (std::uint64_t{buffer.predefined.value} << 32) | buffer.number.value), buffer.elements);
}

/// How many lines an argument may have at one call site: fewer where a process has many already, so that a program that
/// uses ever new types does not pay for each.
std::uint32_t most_of_one(std::uint32_t most, std::uint32_t lines) {
  constexpr std::uint32_t many = 512;
  constexpr std::uint32_t very_many = 4096;
  if (lines < many) return most;
  return std::min(most, lines < very_many ? std::uint32_t{2} : std::uint32_t{1});
}

/// Where a buffer's address stands among a call's arguments.
std::int8_t parameter_of(const CallBuffer& found, const UseRow& row) {
  return found.argument < Uses::most ? row.uses.all()[found.argument]->buffer : row.result_buffer;
}

bool has_positions(const CallBuffer& found, const UseRow& row) {
  return found.argument < Uses::most && row.has_count_array[found.argument];
}

/// Whether who counts the call in the quick way asks for the count (UseCounters::count_again).
bool is_asked_for(const PlainUse& plain) {
  if (plain.record == nullptr) return false;
  return UseCounters::is_between(trace::use_record_of(*plain.record), plain.elements);
}

}  // namespace

BufferSources::BufferSources(const Options& options, const Parts& parts)
    : options_(options),
      parts_(parts),
      types_(parts.registry.types_in_use()),
      are_frames_right_(parts.sites.depth() != 0 && !is_portable_wanted() && CallFrames::are_right()) {}

std::string BufferSources::problem() const {
  if (parts_.sites.depth() == 0) return {};
  if (!are_frames_right_) {
    return "where buffers lie is told of static ones alone: the stack's frames cannot be told apart here";
  }
  if (memory_.works()) return {};
  return "where buffers lie is told with less than usual: a process may not read its own memory (process_vm_readv) "
         "here";
}

bool BufferSources::is_known(const UsingCall& call, const PlainUse& plain) {
  bool is_known = true;
  parts_.registry.beside([&] {
    if (is_plain(call, plain)) {
      // What is full is asked first: of a type that is met for the first time the rest would have to be fetched.
      if (plain.elements == 0) return;
      if (is_full(call)) {
        if (is_asked_for(plain)) parts_.seen.add_all(plain.record);
        return;
      }
      is_known = parts_.seen.has(plain.record, plain.elements);
      return;
    }
    if (is_full(call)) return;
    const std::uint64_t signature = signature_of(call);
    is_known = signature != 0 && recent_[signature % most_recent] == signature;
  });
  return is_known;
}

/// Whether nothing will ever be told of it: not even of a type that is met for the first time, as each is in programs
/// that make one for each message.
bool BufferSources::is_full(const UsingCall& call) {
  const std::uint64_t place = place_of(call);
  return full_[place % most_recent] == place;
}

/// Of a function at a call site.
std::uint64_t BufferSources::place_of(const UsingCall& call) {
  return mixed(reinterpret_cast<std::uintptr_t>(call.called), types_.site_of(*call.stack).value) | 1;
}

/// What of a call without arrays of counts says which buffers it has, and of what; 0 where that is not said by so
/// little.
std::uint64_t BufferSources::signature_of(const UsingCall& call) {
  const UseCall& arguments = call.arguments;
  const Uses& uses = arguments.row.uses;
  std::uint64_t hash = mixed(reinterpret_cast<std::uintptr_t>(call.called), types_.site_of(*call.stack).value);
  const auto add = [&](std::int8_t position) {
    if (position >= 0) hash = mixed(hash, static_cast<std::uint64_t>(arguments.words[position]));
  };
  const auto add_buffer = [&](std::int8_t position) {
    if (position < 0) return;
    const std::intptr_t address = arguments.words[position];
    hash = mixed(hash, address == 0 ? 1 : address == options_.constants.in_place ? 2 : 3);
  };
  for (std::size_t i = 0; i < Uses::most; ++i) {
    const Use& use = *uses.all()[i];
    if (use.type < 0) continue;
    if (arguments.row.has_count_array[i] || arguments.row.has_type_array[i]) return 0;
    const HandleEntry* const life = types_.life_of(arguments.handle(use.type, options_.constants));
    if (life == nullptr) return 0;
    hash = mixed(hash, types_.key_of(*life));
    for (const std::int8_t position : {use.count, use.peer, use.other_peer}) add(position);
    add_buffer(use.buffer);
  }
  add_buffer(arguments.row.result_buffer);
  for (const std::int8_t position : {uses.communicator, uses.root, uses.op, uses.partitions}) add(position);
  return hash | 1;
}

BufferSources::Step BufferSources::step_for(const CallBuffer& found, const UsingCall& call, Wanted& wanted) {
  const UseRow& row = call.arguments.row;
  wanted.buffer = found.buffer;
  wanted.parameter = parameter_of(found, row);
  // MPI_BOTTOM is null: what lies behind it are addresses.
  if (wanted.parameter < 0 || call.arguments.words[wanted.parameter] == 0 || found.buffer.address == 0)
    return Step::nothing;
  const std::uint64_t argument = hash_of_argument(found);
  wanted.key = hash_of_content(argument, found.buffer);
  if (has_positions(found, row)) {
    wanted.position = found.position;
    wanted.key = mixed(wanted.key, found.position + std::uint64_t{1});
  }
  if (keys_.contains(wanted.key)) return Step::nothing;
  if (keys_.size() * bytes_of_key >= options_.most_bytes) {
    had_no_room_ = true;
    return Step::leave_out;
  }
  std::uint32_t& number = number_[argument];
  if (number >= most_of_one(options_.most_of_one_argument, next_)) {
    are_too_many_ = true;
    return Step::leave_out;
  }
  ++number;
  keys_.insert(wanted.key);
  return Step::tell;
}

BufferSources::NewBuffers BufferSources::new_buffers(const UsingCall& call) {
  const std::vector<CallBuffer> buffers = parts_.pending.buffers_of(call);
  NewBuffers all;
  parts_.registry.beside([&] {
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      CallBuffer found = buffers[i];
      // Partitions lie one behind the other.
      if (call.arguments.row.uses.partitions >= 0) {
        if (i != 0) break;
        found.buffer.elements *= buffers.size();
      }
      Wanted one;
      const Step step = step_for(found, call, one);
      if (step == Step::tell && call.with_descriptors != nullptr && one.parameter >= 0) {
        one.descriptor = described_array(memory_, static_cast<std::uintptr_t>(call.with_descriptors[one.parameter]),
                                         static_cast<std::uintptr_t>(call.arguments.words[one.parameter]));
      }
      if (step == Step::tell) all.wanted.push_back(one);
      if (step == Step::leave_out) all.are_left_out = true;
    }
    all.is_full = all.are_left_out && std::ranges::all_of(buffers, [&](const CallBuffer& each) {
                    return number_[hash_of_argument(each)] >= most_of_one(options_.most_of_one_argument, next_);
                  });
  });
  return all;
}

void BufferSources::record(UsingCall call, PlainUse plain, ReturnPlace place) {
  NewBuffers all = new_buffers(call);
  if (!all.wanted.empty()) find_places(all.wanted, call, place);
  parts_.registry.beside([&] {
    for (const Wanted& each : all.wanted) write_line(each);
    if (all.is_full) full_[place_of(call) % most_recent] = place_of(call);
    if (is_plain(call, plain)) {
      all.are_left_out ? parts_.seen.add_all(plain.record) : parts_.seen.add(plain.record, plain.elements);
    } else if (const std::uint64_t signature = signature_of(call)) {
      recent_[signature % most_recent] = signature;
    }
  });
}

void BufferSources::find_places(std::vector<Wanted>& all, const UsingCall& call, const ReturnPlace& place) {
  parts_.registry.beside([&] {
    for (Wanted& wanted : all) find_shared_memory(wanted);
  });
  for (Wanted& wanted : all) {
    if (!wanted.is_placed) find_own_memory(wanted);
  }
  if (std::ranges::all_of(all, &Wanted::is_placed)) return;
  const auto memory = std::make_unique<CallFrames>();
  CallFrames& frames = *memory;
  const char* const why_none = find_frames(frames, call, place, all.front().buffer.site);
  std::size_t dropped = 0;
  if (why_none == nullptr) {
    parts_.registry.beside([&] { dropped = parts_.sites.library_frames(frames.addresses()); });
  }
  for (Wanted& wanted : all) {
    if (wanted.is_placed) continue;
    if (why_none != nullptr) {
      wanted.place = NoPlace{why_none};
    } else {
      find_place(wanted, frames, dropped, call);
    }
  }
}

/// In the memory that all threads have of a module.
void BufferSources::find_shared_memory(Wanted& wanted) {
  const auto address = static_cast<std::uintptr_t>(wanted.buffer.address);
  const std::optional<trace::Frame> found = parts_.sites.place_in_module(address, parts_.writer);
  wanted.is_placed = found.has_value();
  if (found) wanted.place = StaticPlaceIn<ModuleNumber>{found->module, found->offset};
}

/// In that which this thread has for itself: without the registry's lock, since it takes the loader's.
void BufferSources::find_own_memory(Wanted& wanted) {
  const std::optional<PlaceInThread> found = place_in_thread(static_cast<std::uintptr_t>(wanted.buffer.address));
  if (!found) return;
  parts_.registry.beside([&] {
    const std::optional<trace::Frame> module = parts_.sites.place_in_module(found->in_module, parts_.writer);
    wanted.is_placed = module.has_value();
    if (module) wanted.place = ThreadPlaceIn<ModuleNumber>{module->module, found->offset};
  });
}

const char* BufferSources::find_frames(CallFrames& frames, const UsingCall& call, const ReturnPlace& place,
                                       CallSiteId site) {
  const Stack& stack = *call.stack;
  if (parts_.sites.depth() == 0) return "call sites are not recorded";
  if (stack.python != 0) return "Python called";
  if (!are_frames_right_ || !frames.find(place, static_cast<std::size_t>(parts_.sites.depth()))) {
    return "the frames of the stack cannot be told apart";
  }
  // As far as it goes, the stack must be that of the call site.
  bool is_right = false;
  if (stack.count != 0) {
    const std::span<void* const> all = stack.addresses();
    const std::span<void* const> found = frames.addresses();
    is_right = found.size() <= all.size() && std::equal(found.begin(), found.end(), all.begin());
    // Where there was no room for callers, the call site has none.
    if (is_right) parts_.registry.beside([&] { is_right = parts_.sites.known_site(all) == site; });
  } else {
    parts_.registry.beside([&] { is_right = parts_.sites.known_site(frames.addresses()) == site; });
  }
  return is_right ? nullptr : "the call site is recorded without all of its frames";
}

void BufferSources::find_place(Wanted& wanted, const CallFrames& frames, std::size_t dropped, const UsingCall& call) {
  const auto address = static_cast<std::uintptr_t>(wanted.buffer.address);
  const std::span<const CallFrame> own = frames.frames().subspan(std::min(dropped, frames.frames().size()));
  const auto holder = std::ranges::find_if(own, [&](const CallFrame& frame) { return frame.holds(address); });
  if (holder != own.end()) {
    const StackPlace place{.frame = static_cast<std::uint32_t>(holder - own.begin()),
                           .distance = static_cast<std::int64_t>(address - holder->cfa),
                           .stack_pointer = static_cast<std::int64_t>(holder->stack_pointer - holder->cfa)};
    wanted.place = with_holders(memory_, place, *holder, address);
    return;
  }
  constexpr std::int8_t in_registers = 6;
  const bool is_descriptor = std::string_view(call.called->name).find("f08ts") != std::string_view::npos;
  SoughtBuffer sought{.address = address,
                      .argument = static_cast<std::uintptr_t>(call.arguments.words[wanted.parameter]),
                      .in_register = std::nullopt};
  if (wanted.parameter < in_registers && !is_descriptor) {
    sought.in_register = static_cast<std::uint32_t>(wanted.parameter);
  }
  HeapPlace found = search_heap(memory_, frames, own, sought);
  const bool is_empty = found.slots.empty() && found.registers.empty() && found.arguments.empty() &&
                        found.statics.empty() && !found.block;
  wanted.place = is_empty ? BufferPlace(NoPlace{"nothing leads to it"}) : BufferPlace(std::move(found));
}

void BufferSources::write_line(const Wanted& wanted) {
  const Buffer& buffer = wanted.buffer;
  const TypeInUse type{buffer.number, buffer.predefined, TypeInUse::State::known};
  parts_.writer.buffer({.number = {next_++},
                        .definition = buffer.number,
                        .predefined = types_.predefined_name(type),
                        .elements = buffer.elements,
                        .called = buffer.called->name,
                        .binding = buffer.called->binding,
                        .parameter = buffer.parameter,
                        .position = wanted.position,
                        .site = buffer.site,
                        .descriptor = wanted.descriptor,
                        .place = &wanted.place});
}

void BufferSources::write(trace::Writer& writer) const {
  if (had_no_room_) {
    writer.note(
        "A process uses more buffers than it can remember (DDTSCOPE_MAX_MEMORY): where further ones lay is not in the "
        "trace.");
  }
  if (are_too_many_) {
    writer.note(
        "Where buffers lay is in the trace for a few types, counts and positions of each argument at a call site (" +
        std::to_string(options_.most_of_one_argument) +
        ", and fewer where a process has many buffers); a process used more of some.");
  }
}

}  // namespace ddtscope::plugin
